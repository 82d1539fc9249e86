"""What a run may be told (`FitOptions`) and which route it takes for these data (`plan`).

"auto" takes DAGMA's central path with all chosen orders for few variables and the two-stage solver for many; the
`reason` says so in words.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.graph.constraints import Constraints, EdgeRules
from binotears_core.model.features import resolve_orders
from binotears_core.options import check, one_of, within
from binotears_core.solvers import exact_search
from binotears_core.solvers.dagma import DagmaOptions, Schedule
from binotears_core.solvers.local_scores import ScoreOptions
from binotears_core.solvers.two_stage import TwoStageOptions

METHODS = ("auto", "dagma", "two-stage", "exact")
DAGMA_UP_TO = 12  # variables; beyond, "auto" takes the two-stage solver


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """Everything that decides a run. Same data, options and seed give the same result."""

    orders: str | int | tuple[int, ...] = "auto"
    method: str = one_of(*METHODS)
    refine: bool = True
    schedule: Schedule = field(default_factory=Schedule)
    constraints: Constraints = field(default_factory=Constraints)
    seed: int = 0
    solver: DagmaOptions = field(default_factory=DagmaOptions)
    two_stage: TwoStageOptions = field(default_factory=TwoStageOptions)
    score: ScoreOptions = field(default_factory=ScoreOptions)
    restarts: int = within(3, 1, 1000)

    def __post_init__(self) -> None:
        check(self)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as in a result file."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Plan:
    """What the options mean for these data."""

    method: str
    reason: str
    orders: frozenset[int]
    model_orders: frozenset[int]
    rules: EdgeRules


def plan(data: BinaryData, options: FitOptions) -> Plan:
    """Choose the route; every choice that "auto" makes is said in `reason`."""
    p = data.variables
    rules = options.constraints.resolve(data.names, data.groups)
    orders = resolve_orders(options.orders, p, all_up_to=DAGMA_UP_TO)
    # The refinement's models are few, so "auto" lets it see every order also where the gradient cannot.
    model_orders = resolve_orders("all", p) if options.orders == "auto" else orders
    if options.method == "exact" and p > exact_search.MOST_VARIABLES:
        raise OptionError(
            f"The exact search serves at most {exact_search.MOST_VARIABLES} variables, the data have {p}. "
            "Use method='auto', or select fewer columns."
        )
    if options.method != "auto":
        return Plan(options.method, f"{options.method} as asked", orders, model_orders, rules)
    if p <= DAGMA_UP_TO:
        return Plan("dagma", f"{p} variables are few enough for DAGMA with these orders", orders, model_orders, rules)
    return Plan("two-stage", f"{p} variables are many: two-stage solver", orders, model_orders, rules)


def exact_most_parents(variables: int) -> int:
    """How many parents a node may have in the exact search: all of them up to 10 variables, then fewer."""
    return variables - 1 if variables <= 10 else 6 if variables <= 12 else 5
