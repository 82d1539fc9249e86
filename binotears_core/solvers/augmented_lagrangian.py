"""NOTEARS' way to a DAG: minimise a loss with an ℓ1 penalty subject to h(W(θ)) = 0 by an augmented Lagrangian.

    F(θ) = ℓ(θ) + ½ Σ ridge·θ² + Σ lasso·|θ| + α·h + ½ρ·h²,    h = tr exp(W(θ)) − p,    W ≥ 0 the squared edge weights

α collects ρ·h after each descent and ρ grows tenfold when h did not fall to a quarter, until h is small. Then the weak
edges that still close a cycle are dropped, and F is minimised once more, without h, on the DAG that is left.

Absent edges are exact zeros: |θ| is written as θ⁺ + θ⁻ with θ⁺, θ⁻ ≥ 0 and L-BFGS-B keeps the bounds.
A model is anything with the attributes of `Model`; see `notears` (linear) and `notears_mlp` (neural).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, minimize

from binotears_core.graph.constraints import EdgeRules
from binotears_core.graph.dag import Adjacency, threshold_to_dag
from binotears_core.model.acyclicity import trace_exponential
from binotears_core.results import Progress, Reporter, Status

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Function = Callable[[Floats], tuple[float, Floats]]

# Seconds between reports inside one descent: a request to stop is heard at once.
PULSE = 0.2
# Stands for ∞ where h overflows: the line search of L-BFGS-B interpolates values and needs finite ones.
BARRIER = 1e50


class Model(Protocol):
    """A loss over a flat parameter vector θ of length k, and how θ makes up the edges."""

    start: Floats  # (k,)
    lasso: Floats  # (k,) ≥ 0
    ridge: Floats  # (k,) ≥ 0

    def loss(self, theta: Floats) -> tuple[float, Floats]:
        """ℓ(θ), a sum over nodes and a mean over rows, and its gradient."""
        ...

    def weights(self, theta: Floats) -> Floats:
        """(p, p) W_ij ≥ 0, the squared weight of i → j."""
        ...

    def pull_back(self, theta: Floats, slope: Floats) -> Floats:
        """Gradient in θ of a function of W whose gradient in W is `slope`."""
        ...

    def free(self, allowed: Mask) -> Mask:
        """(k,) True for the parameters that may differ from 0 when only `allowed` edges may exist."""
        ...


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """How a run is driven.

    name         what progress calls the run
    threshold    an edge is kept when its strength sqrt(W) is above
    h_tolerance  largest h at which the search ends and the DAG is fixed
    max_steps    most descents of the search
    tolerance    a descent ends when one iteration lowers F by less than this share; `polish` for the last descent
    """

    name: str
    threshold: float
    h_tolerance: float
    max_steps: int
    tolerance: float = 1e-6
    polish: float = 1e-8
    max_iterations: int = 5000


@dataclass(frozen=True, eq=False)
class Solution:
    """Where a run ended.

    adjacency  the DAG: edges above the threshold
    strength   (p, p) sqrt(W), exactly 0 on absent edges; acyclic as a whole
    loss       ℓ(θ), a sum over nodes and a mean over rows, without penalties
    objective  F(θ) without its h terms: ℓ and both penalties
    steps      descents of the search
    """

    adjacency: Adjacency
    strength: Floats
    loss: float
    objective: float
    steps: int
    status: Status


@np.errstate(over="ignore", invalid="ignore")  # an overflow ends as a value that is not finite, which is a status
def solve_acyclic(
    model: Model, schedule: Schedule, rules: EdgeRules, report: Reporter, *, finisher: Model | None = None
) -> Solution:
    """Search, fix the DAG, descend once more. `finisher`: the same model in higher precision, for the last descent."""
    last = finisher or model
    watch = _Watch(schedule, rules, report)
    theta, status = _search(model, schedule, rules, watch)
    support, dropped = threshold_to_dag(np.sqrt(model.weights(theta)), 0.0, rules.required)
    theta = np.where(model.free(support != 0), theta, 0.0)
    if status.ok:
        found = descend(
            _smooth(last), theta, last.lasso, last.free(support != 0), schedule.polish, schedule, watch.pulse
        )
        theta, status = (theta, _diverged(watch.step)) if found is None else (found, _ended(watch, len(dropped)))
    strength = np.sqrt(model.weights(theta))
    adjacency, _ = threshold_to_dag(strength, schedule.threshold, rules.required)
    objective = _smooth(last)(theta)[0] + float(last.lasso @ np.abs(theta))
    return Solution(adjacency, strength, last.loss(theta)[0], objective, watch.step, status)


def _search(model: Model, schedule: Schedule, rules: EdgeRules, watch: _Watch) -> tuple[Floats, Status]:
    """Descents of F with growing α and ρ until h is small; returns the last finite θ whatever happens."""
    free = model.free(rules.allowed)
    theta, alpha, rho, h = model.start, 0.0, 1.0, np.inf
    for step in range(1, schedule.max_steps + 1):
        function = _smooth(model, alpha, rho)
        found = descend(function, theta, model.lasso, free, schedule.tolerance, schedule, watch.pulse)
        if found is None:
            return theta, _diverged(step)
        theta = found
        left = trace_exponential(model.weights(theta))[0]
        if watch.after(step, model, theta, left):
            return theta, Status("stopped", f"Stopped on request in step {step}; the graph is the best so far.")
        if left <= schedule.h_tolerance:
            return theta, Status("done", "")
        alpha += rho * left
        rho *= 10.0 if left > 0.25 * h else 1.0
        h = left
    return theta, Status(
        "not_converged",
        f"After {schedule.max_steps} steps cycles are still strong (h = {h:.1g}); their weakest edges were dropped. "
        "Raise max_steps or the penalty lambda1.",
    )


def _smooth(model: Model, alpha: float = 0.0, rho: float = 0.0) -> Function:
    """θ ↦ F(θ) without the lasso, and its gradient; without h when α = ρ = 0."""

    def function(theta: Floats) -> tuple[float, Floats]:
        value, gradient = model.loss(theta)
        value += 0.5 * float(model.ridge @ (theta * theta))
        gradient = gradient + model.ridge * theta
        if alpha == rho == 0.0:
            return value, gradient
        h, slope = trace_exponential(model.weights(theta))
        if not np.isfinite(h):
            return BARRIER, gradient
        gradient += model.pull_back(theta, (alpha + rho * h) * slope)
        return value + alpha * h + 0.5 * rho * h * h, gradient

    return function


def descend(
    function: Function,
    start: Floats,
    lasso: Floats,
    free: Mask,
    tolerance: float,
    schedule: Schedule,
    pulse: Callable[[], bool],
) -> Floats | None:
    """Minimise function(θ) + Σ lasso·|θ| over the free coordinates; None when it meets no finite value.

    L-BFGS-B over (θ⁺, θ⁻) where lasso > 0 and over θ elsewhere; coordinates that are not free stay as they are.
    """
    split, plain = np.flatnonzero(free & (lasso > 0)), np.flatnonzero(free & (lasso == 0))
    k, price = len(split), lasso[split]

    def unpack(v: Floats) -> Floats:
        theta = start.copy()
        theta[split], theta[plain] = v[:k] - v[k : 2 * k], v[2 * k :]
        return theta

    def objective(v: Floats) -> tuple[float, Floats]:
        value, gradient = function(unpack(v))
        inner = gradient[split]
        slopes = np.concatenate([price + inner, price - inner, gradient[plain]])
        return value + float(price @ (v[:k] + v[k : 2 * k])), slopes

    def callback(intermediate_result: Any) -> None:
        if pulse():
            raise StopIteration

    first = np.concatenate([np.maximum(start[split], 0.0), np.maximum(-start[split], 0.0), start[plain]])
    limits = Bounds(np.concatenate([np.zeros(2 * k), np.full(len(plain), -np.inf)]), np.full(len(first), np.inf))
    options: Any = {"ftol": tolerance, "maxiter": schedule.max_iterations, "maxfun": 10 * schedule.max_iterations}
    found = minimize(objective, first, jac=True, method="L-BFGS-B", bounds=limits, callback=callback, options=options)
    return unpack(found.x) if np.isfinite(found.x).all() and found.fun < BARRIER else None


class _Watch:
    """Reports progress, at most every PULSE seconds inside a descent and always after a step."""

    def __init__(self, schedule: Schedule, rules: EdgeRules, report: Reporter) -> None:
        self._schedule, self._rules, self._report = schedule, rules, report
        self._last = Progress(stage=schedule.name, step=0, steps=schedule.max_steps, fraction=0.0)
        self._time, self._iterations = time.monotonic(), 0
        self._first_h = np.nan

    @property
    def step(self) -> int:
        """Descents of the search so far."""
        return self._last.step

    @property
    def stopped(self) -> bool:
        """True once the listener has asked to stop."""
        return self._report.stopped

    def pulse(self) -> bool:
        """After an iteration of a descent: say we are alive; True when the listener wants to stop."""
        self._iterations += 1
        if time.monotonic() - self._time < PULSE:
            return False
        self._time = time.monotonic()
        return self._report(replace(self._last, fraction=self._last.fraction + self._share_of_descent()))

    def after(self, step: int, model: Model, theta: Floats, h: float) -> bool:
        """After a descent: report the graph; True when the listener wants to stop."""
        adjacency, _ = threshold_to_dag(np.sqrt(model.weights(theta)), self._schedule.threshold, self._rules.required)
        self._iterations = 0
        if step == 1:
            self._first_h = h
        self._last = Progress(
            stage=self._schedule.name,
            step=step,
            steps=self._schedule.max_steps,
            fraction=self._fraction(step, h),
            loss=model.loss(theta)[0],
            h=h,
            edges=int(adjacency.sum()),
            adjacency=adjacency,
        )
        return self._report(self._last)

    def _share_of_descent(self) -> float:
        """The first descent is half of the bar, the last a tenth; some 150 iterations are usual."""
        room = {0.0: 0.5, 0.9: 0.1}.get(self._last.fraction, 0.0)
        return room * self._iterations / (self._iterations + 150)

    def _fraction(self, step: int, h: float) -> float:
        """Share of the work after a descent: h falls geometrically to its goal, and then the last descent is left."""
        goal = self._schedule.h_tolerance
        if h <= goal:
            return 0.9
        fallen = np.log(self._first_h / h) / np.log(self._first_h / goal)
        return 0.5 + 0.4 * float(np.clip(fallen, step / self._schedule.max_steps, 1.0))


def _ended(watch: _Watch, dropped: int) -> Status:
    if watch.stopped:
        return Status(
            "stopped", "Stopped on request during the last descent; the graph is complete but its weights are rough."
        )
    cut = f"; weak edges dropped because they closed cycles: {dropped}" if dropped else ""
    return Status("done", f"Converged (steps: {watch.step}{cut}).")


def _diverged(step: int) -> Status:
    return Status(
        "diverged",
        f"The loss became infinite in step {step}; the graph is the last good one. "
        "Scale the columns to unit variance or raise lambda2.",
    )
