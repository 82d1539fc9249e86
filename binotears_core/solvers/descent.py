"""Descent on an open domain: the function is infinite outside, and no step ever ends there.

No general-purpose optimiser knows an open domain, so here is a compact L-BFGS whose line search treats an infinite
value as a step too long, and Adam for comparison. Both stop when the relative decrease over a few iterations, or the
gradient, falls below the tolerance, and both ask `watch` after every iteration whether to go on.

>>> found = lbfgs(lambda x: (float(x @ x), 2 * x), np.array([3.0, -1.0]), tolerance=1e-9, max_iterations=50)
>>> found.converged, bool(abs(found.x).max() < 1e-6)
(True, True)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Function = Callable[[Floats], tuple[float, Floats]]
Watch = Callable[[Floats, int], bool]

MEMORY = 10
WINDOW = 10


@dataclass(frozen=True, eq=False)
class Descent:
    """Where a descent ended: the point, its value, iterations used, and how: its own rule, `watch`, or the limit."""

    x: Floats
    value: float
    iterations: int
    converged: bool
    stopped: bool = False


class Optimiser(Protocol):
    """What `lbfgs` and `adam` have in common."""

    def __call__(
        self, function: Function, start: Floats, *, tolerance: float, max_iterations: int, watch: Watch = ...
    ) -> Descent: ...


def _go_on(_x: Floats, _iteration: int) -> bool:
    return False


def lbfgs(
    function: Function, start: Floats, *, tolerance: float, max_iterations: int, watch: Watch = _go_on
) -> Descent:
    """Limited-memory BFGS with a weak-Wolfe line search; `start` must lie inside the domain."""
    x, pairs = start.astype(np.float64), deque[tuple[Floats, Floats, float]](maxlen=MEMORY)
    value, gradient = function(x)
    rule = _StoppingRule(tolerance)
    for iteration in range(1, max_iterations + 1):
        if rule.met(value, gradient):
            return Descent(x, value, iteration - 1, True)
        direction = -_inverse_hessian(pairs, gradient)
        if direction @ gradient >= 0:
            pairs.clear()
            direction = -gradient
        first = 1.0 if pairs else min(1.0, 1.0 / float(np.abs(gradient).sum()))
        step, new_value, new_gradient = _line_search(function, x, value, gradient, direction, first)
        if step == 0.0:
            # No descent in floating point: forget the curvature once, then the point is as good as it gets.
            if not pairs:
                return Descent(x, value, iteration, True)
            pairs.clear()
            continue
        move, change = step * direction, new_gradient - gradient
        curvature = float(move @ change)
        if curvature > 1e-12 * float(change @ change):
            pairs.append((move, change, curvature))
        x, value, gradient = x + move, new_value, new_gradient
        if watch(x, iteration):
            return Descent(x, value, iteration, False, stopped=True)
    return Descent(x, value, max_iterations, False)


def adam(function: Function, start: Floats, *, tolerance: float, max_iterations: int, watch: Watch = _go_on) -> Descent:
    """Adam (β = 0.9, 0.999); the rate falls at the edge of the domain and when progress stalls, thrice at most."""
    x, rate, stalls = start.astype(np.float64), 0.03, 0
    value, gradient = function(x)
    mean, spread = np.zeros_like(x), np.zeros_like(x)
    rule = _StoppingRule(tolerance)
    for iteration in range(1, max_iterations + 1):
        if rule.met(value, gradient):
            stalls, rate, rule = stalls + 1, rate / 5.0, _StoppingRule(tolerance)
            if stalls == 3 or rule.flat(gradient):
                return Descent(x, value, iteration - 1, True)
        mean = 0.9 * mean + 0.1 * gradient
        spread = 0.999 * spread + 0.001 * gradient * gradient
        direction = mean / (1 - 0.9**iteration) / (np.sqrt(spread / (1 - 0.999**iteration)) + 1e-8)
        new_value, new_gradient = function(x - rate * direction)
        while not np.isfinite(new_value) and rate > 1e-16:
            rate /= 2.0
            new_value, new_gradient = function(x - rate * direction)
        if not np.isfinite(new_value):
            return Descent(x, value, iteration, False)
        x, value, gradient = x - rate * direction, new_value, new_gradient
        if watch(x, iteration):
            return Descent(x, value, iteration, False, stopped=True)
    return Descent(x, value, max_iterations, False)


OPTIMISERS: Mapping[str, Optimiser] = MappingProxyType({"lbfgs": lbfgs, "adam": adam})


class _StoppingRule:
    """Met when the value fell by less than tolerance·max(1, |value|) in WINDOW iterations, or the gradient is tiny."""

    def __init__(self, tolerance: float) -> None:
        self._tolerance = tolerance
        self._values = deque[float](maxlen=WINDOW + 1)

    def met(self, value: float, gradient: Floats) -> bool:
        self._values.append(value)
        settled = self._values[0] - value <= self._tolerance * max(1.0, abs(value))
        return self.flat(gradient) or (len(self._values) > WINDOW and settled)

    def flat(self, gradient: Floats) -> bool:
        return bool(np.abs(gradient).max(initial=0.0) <= 1e-3 * self._tolerance)


def _inverse_hessian(pairs: deque[tuple[Floats, Floats, float]], gradient: Floats) -> Floats:
    """The two-loop recursion: (inverse Hessian estimate) · gradient."""
    result, shares = gradient.copy(), list[float]()
    for move, change, curvature in reversed(pairs):
        share = float(move @ result) / curvature
        result -= share * change
        shares.append(share)
    if pairs:
        _, change, curvature = pairs[-1]
        result *= curvature / float(change @ change)
    for (move, change, curvature), share in zip(pairs, reversed(shares), strict=True):
        result += (share - float(change @ result) / curvature) * move
    return result


def _line_search(
    function: Function, x: Floats, value: float, gradient: Floats, direction: Floats, step: float
) -> tuple[float, float, Floats]:
    """Weak Wolfe conditions by bisection (Lewis and Overton 2013); (0, …) when no step descends."""
    slope = float(gradient @ direction)
    low, high = 0.0, np.inf
    best = 0.0, value, gradient
    for _ in range(40):
        new_value, new_gradient = function(x + step * direction)
        if not new_value <= value + 1e-4 * step * slope:  # also true for ∞ and NaN
            high = step
        else:
            best = step, new_value, new_gradient
            if float(new_gradient @ direction) >= 0.9 * slope:
                return best
            low = step
        step = 2.0 * low if np.isinf(high) else (low + high) / 2.0
    return best
