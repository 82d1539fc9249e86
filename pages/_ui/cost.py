"""What a run will cost, before it is started: coefficients, memory, time. Rough: good to a factor of about three.

The constants were measured on one ordinary core with simulated graphs (ER2, 5 000 rows, default schedule).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from binotears_core.data.table import BinaryData
from binotears_core.model.features import count_terms
from binotears_core.planning import FitOptions, Plan, exact_most_parents
from binotears_core.solvers.exact_search import MOST_VARIABLES

LONG = 600.0  # seconds
LARGE = 2e9  # bytes
_HISTORY = 30  # copies of H that L-BFGS, its line search and the objective hold at a time
_TORCH = 4e8  # bytes


@dataclass(frozen=True)
class Cost:
    """An estimate; `seconds` on one core."""

    coefficients: int
    bytes: float
    seconds: float

    @property
    def advice(self) -> str:
        """What to do when it is much, else nothing."""
        if self.bytes > LARGE:
            return "This may need more memory than there is. Choose lower interactions or fewer variables."
        if self.seconds > LONG:
            return "This takes long. Lower interactions or fewer variables make it quick; you can stop at any time."
        return ""


def estimate(data: BinaryData, options: FitOptions, plan: Plan) -> Cost:
    """The cost of a fit of these options, whose route is `plan`."""
    p, orders = data.variables, plan.orders
    coefficients = p * (1 + sum(comb(p - 1, order) for order in orders))
    memory, seconds = 1e6, 0.5
    if plan.method == "dagma":
        work, memory = _dagma(data, count_terms(p, orders), options.schedule.steps)
        seconds += work
    elif plan.method == "two-stage":
        memory, seconds = _TORCH, seconds + 3.0 + 4e-4 * p**2 * len(data.patterns) ** 0.5
    if options.refine or plan.method == "exact":
        seconds += _refinement(p, len(plan.model_orders), options.restarts)
        memory += 8.0 * p * 2**p if p <= MOST_VARIABLES else 1e7
    return Cost(coefficients, memory, seconds)


def _dagma(data: BinaryData, terms: int, steps: int) -> tuple[float, float]:
    """Seconds and bytes of the gradient. Φ acts by subset transforms or as a matrix, whichever is cheaper."""
    p, patterns = data.variables, len(data.patterns)
    zeta = p * 2**p if p <= 20 else float("inf")
    dense = patterns * terms
    seconds = steps / 5 * (3.5e-4 * p * zeta if zeta < dense else 2.5e-5 * p * dense)
    cells = 2**p if zeta < dense else patterns
    return seconds, 8.0 * (p * (_HISTORY + steps) * terms + 6 * p * cells + (0 if zeta < dense else dense))


def _refinement(p: int, orders: int, restarts: int) -> float:
    """Seconds of the exact search (a score per parent set), or of the order search."""
    per_set = 1e-4 * (1 + min(orders, 8))
    if p <= MOST_VARIABLES:
        sets = p * sum(comb(p - 1, size) for size in range(min(exact_most_parents(p), p - 1) + 1))
        return 1.2 * per_set * sets
    return per_set * restarts * p**3
