"""What a run may be told (`FitOptions`) and which route it takes for these data (`plan`).

"auto" takes DAGMA's central path with all chosen orders for few variables and the two-stage solver for many. The latter
knows orders 1 and 2 only: where others are asked for and DAGMA is quick (`costs`), it is DAGMA for many variables too.
The `reason` says so in words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from binotears_core import costs
from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.graph.constraints import Constraints, EdgeRules
from binotears_core.model.features import resolve_orders
from binotears_core.options import check, one_of, within
from binotears_core.solvers import exact_search, local_scores
from binotears_core.solvers.dagma import DagmaOptions, Schedule
from binotears_core.solvers.local_scores import ScoreOptions
from binotears_core.solvers.two_stage import TwoStageOptions

Orders = str | int | Iterable[int]

METHODS = ("auto", "dagma", "two-stage", "exact")
DAGMA_UP_TO = 12  # variables; beyond, "auto" takes the two-stage solver, unless it cannot have the orders asked for …
DAGMA_SECONDS = 60.0  # … and DAGMA takes no longer on the reference core
TWO_STAGE_ORDERS = frozenset({1, 2})


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """Everything that decides a run. Same data, options and seed give the same result."""

    orders: Orders = "auto"
    method: str = one_of(*METHODS)
    refine: bool = True
    schedule: Schedule = field(default_factory=Schedule)
    constraints: Constraints = field(default_factory=Constraints)
    seed: int = within(0, 0, 2**31 - 1)  # what every generator used here can take
    solver: DagmaOptions = field(default_factory=DagmaOptions)
    two_stage: TwoStageOptions = field(default_factory=TwoStageOptions)
    score: ScoreOptions = field(default_factory=ScoreOptions)
    restarts: int = within(3, 1, 1000)
    threads: int | None = within(
        None, 1, 64
    )  # for the scores of the exact search; None: OMP_NUM_THREADS, else all cores

    def __post_init__(self) -> None:
        if not isinstance(self.orders, str | int):  # a set or a list is kept as an ascending tuple
            object.__setattr__(self, "orders", tuple(sorted({int(order) for order in self.orders})))
        check(self)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as in a result file."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Plan:
    """What the options mean for these data. `not_exact`: why the refinement cannot be the exact search, or ""."""

    method: str
    reason: str
    orders: frozenset[int]
    model_orders: frozenset[int]
    rules: EdgeRules
    not_exact: str


def plan(data: BinaryData, options: FitOptions) -> Plan:
    """Choose the route; every choice that "auto" makes is said in `reason`."""
    p = data.variables
    rules = options.constraints.resolve(data.names, data.groups)
    orders = resolve_orders(options.orders, p, all_up_to=DAGMA_UP_TO)
    # The refinement's models are few, so "auto" lets it see every order also where the gradient cannot.
    model_orders = resolve_orders("all", p) if options.orders == "auto" else orders
    not_exact = _not_exact(data, rules)
    if options.method == "exact" and not_exact:
        raise OptionError(f"T{not_exact[1:]}. Use method='auto', or select fewer columns.")
    method, reason = _route(data, options, orders)
    if options.refine or method == "exact":
        _check_required(data, options.score, model_orders, rules)
        most = exact_most_parents(p)
        reason += f"; the exact search tries up to {most} causes a node" if most < p - 1 and not not_exact else ""
    return Plan(method, reason, orders, model_orders, rules, not_exact)


def _not_exact(data: BinaryData, rules: EdgeRules) -> str:
    """Why the exact search cannot serve, or ""."""
    p, most, required = data.variables, exact_most_parents(data.variables), rules.required.sum(axis=0)
    if p > exact_search.MOST_VARIABLES:
        return f"the exact search serves at most {exact_search.MOST_VARIABLES} variables, the data have {p}"
    if required.max() > most:
        name = data.names[int(required.argmax())]
        return f"the exact search serves {most} causes a node with {p} variables, {name} has {required.max()} required"
    return ""


def _check_required(data: BinaryData, score: ScoreOptions, orders: frozenset[int], rules: EdgeRules) -> None:
    """Raise OptionError where a node's required causes cannot be scored."""
    limited = score.kind.startswith("interaction")  # the others have one model, whatever the orders
    for name, required, allowed in zip(data.names, rules.required.sum(axis=0), rules.allowed.sum(axis=0), strict=True):
        if required > local_scores.MOST_PARENTS:
            raise OptionError(
                f"{name} has {required} required causes, the refinement serves at most {local_scores.MOST_PARENTS}. "
                "Require fewer, or use refine=False."
            )
        if limited and not any(local_scores.interaction_models(k, orders) for k in range(required, allowed + 1)):
            raise OptionError(
                f"With interactions of order {_words(orders)} alone, {name} cannot have its {required} required "
                "causes. Allow lower orders, require fewer edges, or use refine=False."
            )


def _route(data: BinaryData, options: FitOptions, orders: frozenset[int]) -> tuple[str, str]:
    """The method and why. The regressions of the two-stage solver have orders 1 and 2, whatever was asked for."""
    p, second = data.variables, f" (its regressions have orders {_words(TWO_STAGE_ORDERS)})"
    unlike = options.orders != "auto" and orders != TWO_STAGE_ORDERS
    if options.method != "auto":
        return options.method, f"{options.method} as asked" + (
            second if options.method == "two-stage" and unlike else ""
        )
    if p <= DAGMA_UP_TO:
        return "dagma", f"{p} variables are few enough for DAGMA with these orders"
    if not unlike:
        return "two-stage", f"{p} variables are many: two-stage solver"
    seconds = costs.dagma(data, orders, options.schedule, options.solver).seconds
    if seconds <= DAGMA_SECONDS:
        return "dagma", f"{p} variables are many, but with orders {_words(orders)} alone DAGMA takes seconds"
    return "two-stage", f"{p} variables are many for DAGMA with orders {_words(orders)}: two-stage solver{second}"


def _words(orders: frozenset[int]) -> str:
    """Orders in words: 1, 2, 5; a long run is shortened: 1 … 39."""
    low, high = min(orders), max(orders)
    return f"{low} … {high}" if len(orders) == high - low + 1 > 3 else ", ".join(map(str, sorted(orders)))


def exact_most_parents(variables: int) -> int:
    """How many parents a node may have in the exact search: all of them up to 10 variables, then fewer."""
    return variables - 1 if variables <= 10 else 6 if variables <= 12 else 5
