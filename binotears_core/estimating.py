"""What a run will cost, before it is started: coefficients, memory, seconds on this machine, and what to do about it.

>>> data = BinaryData.from_array([[0, 0, 1], [0, 1, 1], [1, 0, 0]] * 5)
>>> cost = estimate(data, orders=1)
>>> cost.coefficients, cost.method, cost.advice
(9, 'dagma', '')

Seconds are those of a reference core (`costs`) times the pace of this machine, measured once per process on a few
milliseconds of work of the same kind. Good to a factor of two on simulated graphs: benchmarks/estimate.py.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from binotears_core import costs
from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.planning import TWO_STAGE_ORDERS, FitOptions, Plan, exact_most_parents, plan

LONG, LARGE = 600.0, 2e9  # seconds and bytes from which there is advice
MOST_SECONDS, MOST_BYTES = 86400.0, 8e9  # beyond, on the reference core, a run is refused
REFERENCE = 4.7e-4  # seconds of `_sample` on the reference core
# What may serve where a run is refused, in the order in which we would try it.
ALTERNATIVES: tuple[dict[str, Any], ...] = (
    {"orders": 2},
    {"method": "two-stage"},
    {"method": "two-stage", "refine": False},
    {"method": "dagma", "orders": 1},
    {"method": "dagma", "orders": 1, "refine": False},
)


@dataclass(frozen=True)
class Estimate:
    """What to expect of a run.

    coefficients    of the model, all nodes together
    bytes, seconds  memory at the peak, beyond what Python itself takes; time on one core of this machine
    method, reason  the route, and why
    refusal         why it cannot be done and what can, or ""
    """

    coefficients: int
    bytes: float
    seconds: float
    method: str
    reason: str
    refusal: str = ""

    @property
    def advice(self) -> str:
        """What to do when it is too much, or much; else nothing."""
        if self.refusal:
            return self.refusal
        if self.bytes > LARGE:
            return "This may need more memory than there is. Choose lower interactions or fewer variables."
        if self.seconds > LONG:
            return "This takes long. Lower interactions or fewer variables make it quick; you can stop at any time."
        return ""


def estimate(data: BinaryData, options: FitOptions | None = None, **choices: Any) -> Estimate:
    """The cost of `fit(data, …)` with these options, given as `FitOptions` or as fit's keyword arguments."""
    wanted = replace(options or FitOptions(), **{name: value for name, value in choices.items() if value is not None})
    route = plan(data, wanted)
    cost = _cost(data, wanted, route)
    refusal = "" if _served(cost) else _refusal(data, wanted, route, cost)
    return Estimate(
        _coefficients(data, route), cost.bytes, cost.seconds * machine_pace(), route.method, route.reason, refusal
    )


def check_served(data: BinaryData, options: FitOptions, route: Plan) -> None:
    """Raise OptionError, with the estimate and an alternative, when the run is beyond what its method can serve."""
    cost = _cost(data, options, route)
    if not _served(cost):
        raise OptionError(_refusal(data, options, route, cost))


def _cost(data: BinaryData, options: FitOptions, route: Plan) -> costs.Cost:
    """All stages on the reference core."""
    total = costs.START
    if route.method == "dagma":
        total += costs.dagma(data, route.orders, options.schedule, options.solver)
    elif route.method == "two-stage":
        total += costs.two_stage(data, options.two_stage)
    if options.refine or route.method == "exact":
        total += _refinement(data, options, route)
    return total


def _refinement(data: BinaryData, options: FitOptions, route: Plan) -> costs.Cost:
    if route.not_exact:
        return costs.order_search(data, route.model_orders, options.score, options.restarts)
    most, paper = exact_most_parents(data.variables), route.method == "dagma"
    return costs.exact(data, route.model_orders, options.score, most, paper=paper)


def _coefficients(data: BinaryData, route: Plan) -> int:
    return costs.coefficients(data.variables, TWO_STAGE_ORDERS if route.method == "two-stage" else route.orders)


def _served(cost: costs.Cost) -> bool:
    return cost.bytes <= MOST_BYTES and cost.seconds <= MOST_SECONDS


def _refusal(data: BinaryData, options: FitOptions, route: Plan, cost: costs.Cost) -> str:
    """One sentence on what it would take and one on what to do instead."""
    number = _coefficients(data, route)
    size = f"{number:,} coefficients" if number < 10**9 else f"more than 10^{len(str(number)) - 1} coefficients"
    price = f"{cost.bytes / 1e9:,.0f} GB of memory" if cost.bytes > MOST_BYTES else f"{cost.seconds / 3600:,.0f} hours"
    if cost.bytes > 1e15:
        price = "more memory than any machine has"
    return (
        f"{route.method} with these options means {size} for {data.variables} variables and would take {price}. "
        f"Use {' or '.join([*_alternatives(data, options), 'fewer columns'])}."
    )


def _alternatives(data: BinaryData, options: FitOptions) -> list[str]:
    """Up to two changes of the options that make the run one that can be served."""
    found = []
    for change in ALTERNATIVES:
        other = replace(options, **change)
        if _served(_cost(data, other, plan(data, other))):
            found.append(" with ".join(f"{name}={value!r}" for name, value in change.items()))
    return found[:2]


@lru_cache(maxsize=1)
def machine_pace() -> float:
    """How many times longer this machine takes than the reference core; measured once per process.

    The least of many short samples: what else the machine does stretches most of them, but hardly all.
    """
    return min(_sample() for _ in range(30)) / REFERENCE


def _sample() -> float:
    """Seconds of a little of everything a run does: small calls, products, exponentials."""
    values = np.linspace(-2.0, 2.0, 48 * 48).reshape(48, 48)
    began = time.perf_counter()
    for _ in range(40):
        values = np.tanh(values @ values / 48.0)
        np.exp(-np.abs(values)).sum(axis=1)
    return time.perf_counter() - began
