"""The paper's solver for small graphs: a DAGMA central path inside a continuation over (λ, δ).

*Central path*: minimise μ·(ℓ + penalty) + h for μ falling from 1 to 0.001, each from where the last ended, without ever
leaving the domain of h. *Continuation* (paper, "Hyperparameter tuning"): multiply λ and δ by γ and go again from the
solution found; keep the whole path and choose one point of it (`path_choice`).

What trials said of the options (10 graphs each of ER2 "1st+2nd", ER2 "pth", ER1 "1st+2nd"; p = 7, n = 10 000, all
orders): mean CPDAG-SHD 10.7 at the defaults, and within 0.3 of it with Σ |h| in the penalty, trace-exponential, s
falling to 0.7, μ halved in place of divided by ten, or Adam, which costs three to five times as much; 11.6 from a
random start. Empty graphs score 11.7: the gradient alone is a start, and `fit` refines it.

>>> from binotears_core.graph.constraints import Constraints
>>> rows = [[0, 0]] * 45 + [[0, 1]] * 5 + [[1, 0]] * 5 + [[1, 1]] * 45
>>> data = BinaryData.from_array(rows, names=["a", "b"])
>>> known = Constraints(forbidden=[("b", "a")]).resolve(data.names)
>>> path, status = solve(data, frozenset({1}), rules=known)
>>> path.point.adjacency.tolist(), status.code
([[0, 1], [0, 0]], 'done')
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from binotears_core.data.table import BinaryData
from binotears_core.graph.constraints import EdgeRules, Mask
from binotears_core.graph.dag import Adjacency, descendants, threshold_to_dag
from binotears_core.model.acyclicity import ACYCLICITIES, Acyclicity
from binotears_core.model.features import feature_map
from binotears_core.model.objective import Objective, QuasiMCP
from binotears_core.options import check, one_of, within
from binotears_core.results import Path, PathPoint, Progress, Reporter, Status
from binotears_core.solvers.descent import OPTIMISERS, Function
from binotears_core.solvers.path_choice import RefitScores, ceased, choose

Floats = npt.NDArray[np.float64]
Watch = Callable[[Floats, float], bool]

# Points on the way serve only as starts: three times the tolerance saves two fifths of the work; graphs are as good.
ON_THE_WAY = 3.0
REPORT_EVERY = 0.05  # seconds between two reports, so that a request to stop is answered at once


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The (λ, δ) continuation: step k uses λγᵏ and δγᵏ; `select` says how a point of the path is chosen."""

    lam: float = within(0.05, 1e-9, 100.0)
    delta: float = within(0.2, 1e-9, 1e9)
    gamma: float = within(0.5, 1e-3, 0.999)
    steps: int = within(5, 1, 50)
    select: str = one_of("bic", "likelihood")

    def __post_init__(self) -> None:
        check(self)

    def penalty(self, step: int) -> QuasiMCP:
        """The penalty of step 0, 1, …"""
        return QuasiMCP(self.lam * self.gamma**step, self.delta * self.gamma**step)


@dataclass(frozen=True, kw_only=True)
class DagmaOptions:
    """Options of the central path.

    norm            what the penalty measures of an edge: Σ h² ("squares") or Σ |h| ("absolute")
    acyclicity      "log-det" (DAGMA) or "trace-exponential" (NOTEARS)
    optimiser       "lbfgs" or "adam"
    mu_first, mu_factor, mu_steps   μ = mu_first · mu_factorᵏ for k < mu_steps
    s_first, s_last                 s of the domain, from the first μ to the last in equal steps
    tolerance       the last minimisation ends when the objective falls by less than this share in 10 iterations
    max_iterations  … or after so many iterations
    threshold       an edge is kept when its strength sqrt(Σ h²) is above
    perturbation    standard deviation of random noise on the start. 0: start without edges, nothing is random, and a
                    perfectly symmetric law (XOR of fair coins, exact counts) keeps its symmetry: no edge is found
    """

    norm: str = one_of("squares", "absolute")
    acyclicity: str = one_of("log-det", "trace-exponential")
    optimiser: str = one_of("lbfgs", "adam")
    mu_first: float = within(1.0, 1e-6, 1e6)
    mu_factor: float = within(0.1, 1e-3, 0.99)
    mu_steps: int = within(4, 1, 100)
    s_first: float = within(1.0, 0.01, 100.0)
    s_last: float = within(1.0, 0.01, 100.0)
    tolerance: float = within(3e-5, 1e-12, 0.1)
    max_iterations: int = within(1000, 1, 1_000_000)
    threshold: float = within(0.3, 0.0, 100.0)
    perturbation: float = within(0.0, 0.0, 10.0)

    def __post_init__(self) -> None:
        check(self)

    @property
    def stages(self) -> list[tuple[float, float]]:
        """The (μ, s) of each inner minimisation."""
        mus = self.mu_first * self.mu_factor ** np.arange(self.mu_steps)
        return list(zip(mus.tolist(), np.linspace(self.s_first, self.s_last, self.mu_steps).tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class Solution:
    """End of a central path: H (K, p), the acyclicity h left, and how it ended.

    widened: how often s had to be raised because the start of a stage lay outside the smaller domain.
    """

    H: Floats
    h: float
    converged: bool
    stopped: bool
    widened: int


def central_path(
    objective: Objective, H0: Floats, options: DagmaOptions | None = None, watch: Watch = lambda _x, _share: False
) -> Solution:
    """Minimise μ·(ℓ + penalty) + h along the μ schedule from H0.

    `watch(x, share done)` sees the free coefficients x (see `Objective.unpack`) and may ask to stop.
    """
    options = options or DagmaOptions()
    acyclicity, optimise = ACYCLICITIES[options.acyclicity], OPTIMISERS[options.optimiser]
    H, converged, widened, stages = H0, True, 0, options.stages
    for number, (mu, wanted) in enumerate(stages):
        s = _inside(acyclicity, objective.weights(H), wanted)
        widened += s > wanted
        found = optimise(
            _barrier_function(objective, acyclicity, mu, s),
            objective.pack(H),
            tolerance=options.tolerance * (1.0 if number == len(stages) - 1 else ON_THE_WAY),
            max_iterations=options.max_iterations,
            watch=_stage_watch(watch, number, len(stages)),
        )
        H, converged = objective.unpack(found.x), converged and found.converged
        if found.stopped:
            break
    return Solution(H, acyclicity(objective.weights(H), s)[0], converged, found.stopped, widened)


def _barrier_function(objective: Objective, acyclicity: Acyclicity, mu: float, s: float) -> Function:
    """(ℓ + penalty) + h/μ of the free coefficients.

    It has the same minimiser as μ·(ℓ + penalty) + h, on a scale that does not change with μ.
    """

    def evaluate(x: Floats) -> tuple[float, Floats]:
        H = objective.unpack(x)
        h, slope = acyclicity(objective.weights(H), s)
        if not np.isfinite(h):
            return np.inf, np.zeros_like(x)
        value, gradient = objective.value_and_gradient(H)
        return value + h / mu, objective.pack(gradient + objective.pull_back(H, slope) / mu)

    return evaluate


def _stage_watch(watch: Watch, stage: int, stages: int) -> Callable[[Floats, int], bool]:
    """`watch` for one stage. How many iterations it takes is not known beforehand; a hundred are typical."""
    return lambda x, iteration: watch(x, (stage + iteration / (iteration + 100.0)) / stages)


def _inside(acyclicity: Acyclicity, W: Floats, s: float) -> float:
    """s, or the first of s·1.5, s·1.5², … whose domain contains W."""
    while not np.isfinite(acyclicity(W, s)[0]):
        s *= 1.5
    return s


def solve(
    data: BinaryData,
    orders: frozenset[int],
    schedule: Schedule | None = None,
    options: DagmaOptions | None = None,
    rules: EdgeRules | None = None,
    seed: int = 0,
    report: Reporter | None = None,
) -> tuple[Path, Status]:
    """The continuation: central paths at (λ, δ), (γλ, γδ), …, the point chosen, and how the run ended."""
    p = data.variables
    rules = rules or EdgeRules(~np.eye(p, dtype=bool), np.zeros((p, p), dtype=bool))
    run = _Continuation(data, orders, schedule or Schedule(), options or DagmaOptions(), rules, report or Reporter())
    return run.go(seed)


class _Continuation:
    """One run: what stays the same over its central paths, and the points found so far."""

    def __init__(
        self,
        data: BinaryData,
        orders: frozenset[int],
        schedule: Schedule,
        options: DagmaOptions,
        rules: EdgeRules,
        report: Reporter,
    ) -> None:
        self.data, self.schedule, self.options, self.rules, self.report = data, schedule, options, rules, report
        self.features = feature_map(data, orders)
        self.objective = Objective(
            self.features,
            schedule.penalty(0),
            norm=options.norm,
            allowed=rules.allowed & ~_contradictions(rules.required),
            required=rules.required,
        )
        self.scores = RefitScores(data, orders)
        self.points: list[PathPoint] = []
        self.widened = 0
        self.reported = time.monotonic()

    def go(self, seed: int) -> tuple[Path, Status]:
        H = self._start(seed)
        for step in range(self.schedule.steps):
            self.objective = self.objective.with_penalty(self.schedule.penalty(step))
            found = central_path(self.objective, H, self.options, self._watch)
            H = found.H
            self.widened += found.widened
            self.points.append(self._point(found))
            stopped = found.stopped or self._tell(H, len(self.points))
            if stopped or (self.schedule.select == "likelihood" and ceased(self.points)):
                break
        path = self._path(finished=len(self.points) - found.stopped)
        return path, self._status(path, stopped)

    def _start(self, seed: int) -> Floats:
        """No edges, intercepts at the log-odds of the prevalence (constants kept finite), noise if asked for."""
        half_a_row = 0.5 / max(self.data.sample_size, 1.0)
        share = np.clip(self.data.prevalence, half_a_row, 1.0 - half_a_row)
        H = self.options.perturbation * np.random.default_rng(seed).standard_normal(self.objective.free.shape)
        H *= self.objective.free
        H[0] += np.log(share / (1.0 - share))
        return H

    def _watch(self, x: Floats, share: float) -> bool:
        """Called after every iteration of a central path; reports now and then."""
        if time.monotonic() - self.reported < REPORT_EVERY:
            return False
        return self._tell(self.objective.unpack(x), len(self.points) + share)

    def _tell(self, H: Floats, done: float) -> bool:
        adjacency, _ = self._dag(self.objective.strength(H))
        acyclicity, W = ACYCLICITIES[self.options.acyclicity], self.objective.weights(H)
        progress = Progress(
            stage="gradient",
            step=min(int(done) + 1, self.schedule.steps),
            steps=self.schedule.steps,
            fraction=done / self.schedule.steps,
            loss=self.objective.loss(H)[0],
            h=acyclicity(W, _inside(acyclicity, W, self.options.s_first))[0],
            edges=int(adjacency.sum()),
            lam=self.objective.penalty.lam,
            delta=self.objective.penalty.delta,
            adjacency=adjacency,
        )
        self.reported = time.monotonic()
        return self.report(progress)

    def _dag(self, strength: Floats) -> tuple[Adjacency, list[tuple[int, int]]]:
        return threshold_to_dag(strength, self.options.threshold, self.rules.required)

    def _point(self, found: Solution) -> PathPoint:
        strength = self.objective.strength(found.H)
        adjacency, _ = self._dag(strength)
        return PathPoint(
            lam=self.objective.penalty.lam,
            delta=self.objective.penalty.delta,
            loss=self.objective.loss(found.H)[0],
            h=found.h,
            H=found.H,
            strength=strength,
            adjacency=adjacency,
            bic=self.scores.bic(adjacency),
            converged=found.converged,
        )

    def _path(self, finished: int) -> Path:
        """Choose among finished points; a run stopped in its first central path has only the unfinished one."""
        chosen, reason = choose(self.points[: max(finished, 1)], self.schedule.select)
        return Path(tuple(self.points), chosen, reason, self.features.terms)

    def _status(self, path: Path, stopped: bool) -> Status:
        edges = path.point.edges
        notes = [
            f"{edges} {'edge' if edges == 1 else 'edges'} at λ = {path.point.lam:.3g}, δ = {path.point.delta:.3g}."
        ]
        _, dropped = self._dag(path.point.strength)
        if dropped:
            names = ", ".join(f"{self.data.names[i]} → {self.data.names[j]}" for i, j in dropped)
            notes.append(f"Dropped to break cycles, weakest first: {names}.")
        if self.widened:
            notes.append(f"The domain of the acyclicity was widened {self.widened} times to contain a start.")
        if stopped:
            notes.insert(0, "Stopped on request: this is the best graph so far. Run again for a finished one.")
            return Status("stopped", " ".join(notes))
        if not path.point.converged:
            notes.append(
                f"The optimiser reached its limit of {self.options.max_iterations} iterations before it settled: "
                "the graph is valid, but raise max_iterations or the tolerance to be sure of it."
            )
            return Status("iteration-limit", " ".join(notes))
        return Status("done", " ".join(notes))


def _contradictions(required: Mask) -> Mask:
    """(p, p) True where i → j would close a cycle with required edges: j leads to i along them."""
    return np.stack([descendants(required, j) for j in range(len(required))], axis=1)
