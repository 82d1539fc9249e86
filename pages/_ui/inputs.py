"""Widgets → options of `fit`. Bounds and defaults are those of the option dataclasses, never written here again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, fields
from typing import Any

import pandas as pd
import streamlit as st

from binotears_core.archive import SavedData
from binotears_core.data.table import BinaryData
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.dag import Edge, from_edges
from binotears_core.planning import FitOptions
from binotears_core.solvers.dagma import DagmaOptions, Schedule
from binotears_core.solvers.local_scores import ScoreOptions
from binotears_core.solvers.two_stage import TwoStageOptions
from pages._ui import state
from pages._ui.examples import named
from pages._ui.running import runs
from pages._ui.words import plain, several

METHODS = {
    "auto": "automatic",
    "dagma": "gradient (DAGMA)",
    "two-stage": "two stages (NOTEARS-MLP, then regressions)",
    "exact": "exact search alone",
}
ORDERS: dict[str | int, str] = {"auto": "auto orders", "all": "all orders", 1: "first order", 2: "second order"}
LONGEST_NAME = 60  # characters of a run's name
MATRIX_UP_TO = 40  # variables; a larger matrix of boxes is no help to anyone
NAMES_WIDTH, TIERS_WIDTH = 170, 400  # px
HIDDEN = ("paper",)  # the paper's own program is shown with the certificate, not searched for its own sake

# field → label and one line of explanation
Words = dict[str, tuple[str, str]]
SCHEDULE: Words = {
    "lam": ("λ at first", "Price of an edge. A large λ begins with few edges."),
    "delta": ("δ at first", "An edge weaker than δ pays a price that grows with it; a stronger one pays no more."),
    "gamma": ("γ, factor per step", "λ and δ are multiplied by γ after every step."),
    "steps": ("steps, at most", "How far λ and δ may fall. The run stops earlier when nothing is gained."),
    "select": (
        "choose the point by",
        "BIC weighs fit against size; likelihood takes the last point that still fits better.",
    ),
}
SOLVER: Words = {
    "threshold": (
        "threshold",
        "An edge is kept when its strength, sqrt of the sum of its squared coefficients, is above.",
    ),
    "norm": ("penalty on", "What the penalty measures of an edge: the sum of squares or of absolute values."),
    "acyclicity": (
        "acyclicity",
        "How cycles are measured: as in DAGMA (log-det) or as in NOTEARS (trace-exponential).",
    ),
    "optimiser": ("optimiser", "L-BFGS is quick; Adam is the choice of the DAGMA paper."),
    "mu_steps": ("μ steps", "Stages of the central path: each weighs acyclicity more."),
    "mu_factor": ("μ factor", "By how much μ falls from stage to stage."),
    "tolerance": ("tolerance", "A stage ends when ten iterations gain less than this share."),
    "max_iterations": ("iterations, at most", "… or after so many iterations."),
    "perturbation": ("noise at the start", "0 starts without edges, and nothing is random."),
}
TWO_STAGES: Words = {
    "first_threshold": ("first threshold", "Strength above which an edge of the first stage counts for the order."),
    "final_threshold": ("final threshold", "Coefficient above which an edge of the second stage stays."),
    "hidden": ("hidden units", "Size of the network of each variable."),
    "lambda1": ("λ₁", "Weight of the sparsity penalty of the network."),
    "lambda2": ("λ₂", "Weight of its ridge penalty."),
    "gamma": ("extended BIC", "0 is BIC; 1 is the strictest choice of terms."),
}
SCORE: Words = {
    "kind": (
        "score",
        "interaction: models with and without interactions compete (recommended); the others are classics.",
    ),
    "prior_scale": ("prior scale", "Coefficients are expected to be normal with this scale; empty: the data choose."),
    "equivalent_sample_size": ("equivalent sample size", "Of BDeu: how many rows the prior is worth."),
}
PARTS = {"schedule": SCHEDULE, "solver": SOLVER, "two_stage": TWO_STAGES, "score": SCORE}  # of FitOptions
RUN: Words = {
    "restarts": ("starts of the search", "For many variables: how often the order search begins anew."),
    "seed": ("seed", "The same data, choices and seed give the same result."),
}


def choose_orders(variables: int) -> str | int | tuple[int, ...]:
    """Which interaction orders the model may contain."""
    highest = max(variables - 1, 1)
    words: dict[str | int, str] = {"auto": "auto", **{m: str(m) for m in range(1, min(highest, 3) + 1)}}
    words |= {"all": "all", "own": "own"}

    def control(key: str) -> Any:
        return st.segmented_control(
            "Interactions",
            list(words),
            format_func=words.__getitem__,
            required=True,
            key=key,
            help="Up to how many causes may act together. 1: each cause on its own. 2: also pairs. All: any number.",
        )

    chosen = state.kept("orders", "auto", control)
    if chosen not in words:  # remembered from data with more variables
        chosen = "auto"
    if chosen != "own":
        return chosen if isinstance(chosen, int) else str(chosen)
    own = state.kept(
        "own orders",
        [1],
        lambda key: st.pills("Orders", list(range(1, highest + 1)), selection_mode="multi", key=key),
    )
    return tuple(sorted(order for order in own if order <= highest)) or (1,)


def choose_method() -> tuple[str, bool]:
    """The route, and whether its graph is refined afterwards."""
    method = state.kept(
        "method",
        "auto",
        lambda key: st.selectbox("Method", list(METHODS), format_func=METHODS.__getitem__, key=key),
    )
    refine = state.kept(
        "refine",
        True,
        lambda key: st.toggle(
            "Refine the graph",
            key=key,
            disabled=method == "exact",
            help="After the gradient, search for a graph that explains the data better, interactions included.",
        ),
    )
    return method, refine


def choose_schedule() -> Schedule:
    """λ and δ, where they begin and how they fall."""
    return Schedule(**_values("schedule", Schedule, SCHEDULE))


def choose_expert(method: str) -> dict[str, Any]:
    """Thresholds and the rest, for those who know: `solver`, `two_stage`, `score`, `restarts` and `seed` of `fit`."""
    expert: dict[str, Any] = {}
    if method in ("auto", "dagma"):
        st.markdown("**Gradient (DAGMA)**")
        expert["solver"] = DagmaOptions(**_values("solver", DagmaOptions, SOLVER))
    if method in ("auto", "two-stage"):
        st.markdown("**Two stages**")
        expert["two_stage"] = TwoStageOptions(**_values("two_stage", TwoStageOptions, TWO_STAGES))
    st.markdown("**Refinement**")
    expert["score"] = ScoreOptions(**_values("score", ScoreOptions, SCORE))
    expert |= _values("run", FitOptions, RUN)
    return expert


def _values(about: str, options: type[Any], words: Words) -> dict[str, Any]:
    """A widget for each of the named fields of an option class; two beside each other."""
    known = {option.name: option for option in fields(options)}
    found = {}
    for number, (name, (label, help_text)) in enumerate(words.items()):
        if number % 2 == 0:  # a new row, so that on a narrow screen the order stays
            columns = st.columns(2)
        with columns[number % 2]:
            found[name] = _value(f"{about} {name}", known[name], label, help_text)
    return found


def _value(name: str, option: Field[Any], label: str, help_text: str) -> Any:
    if "choices" in option.metadata:
        words = [word for word in option.metadata["choices"] if word not in HIDDEN]
        return state.kept(name, option.default, lambda key: st.selectbox(label, words, key=key, help=help_text))
    low, high = option.metadata["bounds"]
    if option.default is None:  # empty: left to the program
        return state.kept(
            name,
            None,
            lambda key: st.number_input(
                label, float(low), float(high), None, 0.5, "%.4g", placeholder="auto", key=key, help=help_text
            ),
        )
    if isinstance(option.default, int):
        whole = state.kept(
            name,
            option.default,
            lambda key: st.number_input(label, int(low), int(high), step=1, key=key, help=help_text),
        )
        return int(whole)
    start: Any = option.default
    step, form = start / 5 or 0.1, "%.4g" if start == 0 or start >= 1e-3 else "%.0e"
    return state.kept(
        name,
        option.default,
        lambda key: st.number_input(label, float(low), float(high), step=step, format=form, key=key, help=help_text),
    )


def recall(data: BinaryData, options: Mapping[str, Any]) -> None:
    """Set all choices to those of a run on these data; what the run left to `fit` becomes the default."""
    complete = FitOptions(**{**options, "orders": _simple(options.get("orders", "auto"))})
    own = isinstance(complete.orders, tuple)
    state.choose("orders", "own" if own else complete.orders)
    state.choose("own orders", list(complete.orders) if isinstance(complete.orders, tuple) else [1])
    state.choose("method", complete.method)
    state.choose("refine", complete.refine)
    for part, words in PARTS.items():
        for name in words:
            state.choose(f"{part} {name}", getattr(getattr(complete, part), name))
    for name in RUN:
        state.choose(f"run {name}", getattr(complete, name))
    about = data.fingerprint[:12]
    state.choose(f"tiers {about}", _tier_table(data, complete.constraints))
    state.choose(f"forbidden {about}", _edge_table(data, complete.constraints.forbidden))
    state.choose(f"required {about}", _edge_table(data, complete.constraints.required))


def follow_link() -> None:
    """After a link was opened: begin with the choices of its run."""
    mine = state.session()
    setup = None if mine.linked is None else runs().setup(mine.linked)
    mine.linked = None
    if setup is not None and setup.kind == "fit":
        recall(setup.data.data, setup.options)


def _simple(orders: Any) -> Any:
    """Orders as the segmented control has them: {1, 2, 3} is 3."""
    if isinstance(orders, str | int):
        return orders
    numbers = tuple(sorted(orders))
    return len(numbers) if numbers == tuple(range(1, len(numbers) + 1)) and len(numbers) <= 3 else numbers


def run_name(options: FitOptions) -> str:
    """A name for a run whose user gave none: first order; second order · exact search alone · prior scale 1.5."""
    if isinstance(options.orders, tuple):
        parts = ["only order " + ", ".join(str(order) for order in options.orders)]
    else:
        parts = [ORDERS.get(options.orders, f"orders 1 to {options.orders}")]
    if options.method != "auto":
        parts.append(METHODS[options.method])
    if not options.refine and options.method != "exact":
        parts.append("not refined")
    for part, words in PARTS.items():
        chosen = getattr(options, part)
        usual = type(chosen)()
        changed = [field for field in words if getattr(chosen, field) != getattr(usual, field)]
        parts += [f"{words[field][0]} {getattr(chosen, field)}" for field in changed]
    while len(" · ".join(parts)) > LONGEST_NAME:
        parts = [*parts[:-2], "…"] if parts[-1] == "…" else [*parts[:-1], "…"]
    return " · ".join(parts)


def describe_orders(orders: Iterable[int]) -> str:
    """Interaction orders in words: 1; 1 to 8; 2 and 5."""
    numbers = sorted(orders)
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    return " and ".join(str(order) for order in numbers)


def as_arguments(options: FitOptions) -> dict[str, Any]:
    """The keyword arguments of `fit` that stand for these options."""
    return {option.name: getattr(options, option.name) for option in fields(options)}


# Constraints ---------------------------------------------------------------------------------------------------------


def choose_constraints(saved: SavedData) -> Constraints:
    """Forbidden and required edges, tiers and groups; the tables belong to these data and begin with what is known."""
    data, known = saved.data, known_beforehand(saved)
    about = data.fingerprint[:12]
    order, forbidden, required = st.tabs(["Order and groups", "Forbidden", "Required"])
    with order:
        st.caption(
            "Tiers are numbers in time order: a later tier cannot cause an earlier one; a variable without a number "
            "may stand anywhere. Variables with the same group word cannot cause each other."
        )
        table = state.kept_table(f"tiers {about}", _tier_table(data, known), _edit_tiers)
    with forbidden:
        hint = "Tick what cannot be: the row does not cause the column."
        no = _choose_edges(f"forbidden {about}", data, known.forbidden, hint)
    with required:
        hint = "Tick what you know: the row causes the column."
        yes = _choose_edges(f"required {about}", data, known.required, hint)
    if data.groups:
        st.caption("Indicators of one variable cannot cause each other: " + "; ".join(map(_group_words, data.groups)))
    tiers = {name: int(tier) for name, tier in zip(data.names, table["tier"], strict=True) if pd.notna(tier)}
    return Constraints(forbidden=no, required=yes, tiers=tiers, groups=_groups(data.names, table["group"]))


def known_beforehand(saved: SavedData) -> Constraints:
    """What comes with an example: its time order, its lots. Nothing for other data."""
    example = named(saved.name)
    if example is None:
        return Constraints()
    known = example.constraints
    mentioned = {name for edge in (*known.forbidden, *known.required) for name in edge} | {
        name for name, _ in known.tiers
    }
    return known if mentioned <= set(saved.data.names) else Constraints()


def describe(constraints: Constraints) -> str:
    """What is set, in a few words: 3 forbidden edges, 2 tiers."""
    tiers = len({tier for _, tier in constraints.tiers})
    parts = [
        (len(constraints.forbidden), "forbidden edge"),
        (len(constraints.required), "required edge"),
        (tiers, "tier" if tiers != 1 else "tier (says nothing until other variables have another)"),
        (len(constraints.groups), "group"),
    ]
    return ", ".join(several(number, noun) for number, noun in parts if number) or "none"


def _choose_edges(name: str, data: BinaryData, known: Sequence[Edge], hint: str) -> list[Edge]:
    st.caption(hint)
    if data.variables > MATRIX_UP_TO:
        return _choose_from_list(name, data, known)
    table = state.kept_table(name, _edge_table(data, known), _edit_matrix)
    if ticked := [own for own in data.names if bool(table.loc[own, own])]:
        ticks = ", ".join(plain(own) for own in ticked)
        st.caption(f"Nothing causes itself: a tick on the diagonal counts for nothing ({ticks}).")
    return [(a, b) for a in data.names for b in data.names if a != b and bool(table.loc[a, b])]


def _edge_table(data: BinaryData, edges: Sequence[Edge]) -> pd.DataFrame:
    """A matrix of ticks (row causes column), or a list for many variables."""
    if data.variables > MATRIX_UP_TO:
        return pd.DataFrame(list(edges), columns=["cause", "effect"], dtype="str")
    return pd.DataFrame(from_edges(edges, data.names).astype(bool), index=list(data.names), columns=list(data.names))


def _edit_matrix(table: pd.DataFrame, key: str) -> pd.DataFrame:
    words = "Rows are causes, columns are effects; a ticked box is an edge."
    return st.data_editor(table, key=key, column_config=_names_column("cause"), alt=words)


def _choose_from_list(name: str, data: BinaryData, known: Sequence[Edge]) -> list[Edge]:
    """Many variables: a list of edges in place of a matrix."""
    start = _edge_table(data, known)
    config = {side: st.column_config.SelectboxColumn(options=list(data.names), required=True) for side in start.columns}
    table = state.kept_table(
        name,
        start,
        lambda t, key: st.data_editor(t, key=key, num_rows="dynamic", column_config=config, hide_index=True),
    )
    return [(a, b) for a, b in zip(table["cause"], table["effect"], strict=True) if a in data.names and b in data.names]


def _tier_table(data: BinaryData, known: Constraints) -> pd.DataFrame:
    tier = dict(known.tiers)
    group = {name: f"group {number}" for number, members in enumerate(known.groups, 1) for name in members}
    columns = {
        "tier": pd.array([tier.get(name, pd.NA) for name in data.names], dtype="Int64"),
        "group": pd.array([group.get(name, "") for name in data.names], dtype="str"),
    }
    return pd.DataFrame(columns, index=list(data.names))


def _edit_tiers(table: pd.DataFrame, key: str) -> pd.DataFrame:
    config = {
        "tier": st.column_config.NumberColumn(
            "tier", min_value=0, max_value=99, step=1, width=80, help="1 comes before 2; empty is free"
        ),
        "group": st.column_config.TextColumn(
            "group", max_chars=40, width=130, help="the same word joins variables to a group"
        ),
    }
    config |= _names_column("variable")
    return st.data_editor(
        table, key=key, column_config=config, width=TIERS_WIDTH, placeholder="", alt="Tier and group of every variable"
    )


def _names_column(title: str) -> dict[str, Any]:
    """The names beside a table one may edit: wide enough to be read, and not to be changed."""
    return {"_index": st.column_config.TextColumn(title, width=NAMES_WIDTH, disabled=True)}


def _groups(names: tuple[str, ...], words: pd.Series[Any]) -> list[list[str]]:
    members: dict[str, list[str]] = {}
    for name, word in zip(names, words, strict=True):
        if isinstance(word, str) and word.strip():
            members.setdefault(word.strip(), []).append(name)
    return [group for group in members.values() if len(group) > 1]


def _group_words(group: tuple[str, ...]) -> str:
    return plain(", ".join(group), 120)
