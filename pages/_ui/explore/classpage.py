"""The Class page: what the data cannot tell, what follows when one edge is known, and the members one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from binotears_core.graph.dag import Edge
from binotears_core.graph.members import EquivalenceClass
from pages._ui import state
from pages._ui.explore import certificate, sparsest
from pages._ui.explore.controls import one_of
from pages._ui.explore.opened import Opened
from pages._ui.explore.panel import bold
from pages._ui.explore.saving import save_picture
from pages._ui.graphview.drawing import class_picture, member_picture
from pages._ui.graphview.picture import Picture
from pages._ui.graphview.view import graph_view, small_multiples
from pages._ui.sentences import one_sentence
from pages._ui.words import plain, several, whole

FIRST, MORE, MOST = 8, 12, 60  # members shown at first, with every click, and at most
PARTS = ("Members", "Edge by edge", "How sure is this?", "Sparsest graphs", "Save the picture")


def section(opened: Opened) -> None:
    """Everything on the page. A fragment: a lock runs only this part again."""
    st.fragment(_section)(opened)


def _section(opened: Opened) -> None:
    members = _members(opened)
    _headline(opened, members)
    picture = class_picture(members, shaped_by=[(i, j) for i, j in np.argwhere(opened.result.adjacency).tolist()])
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right, st.container(border=True):
        _edge_panel(opened, members)
        _locks(opened, members)
    with left:
        edge = state.session().choices.get("edge")
        marked = edge if edge in (*members.compelled, *members.reversible) else None
        graph_view(picture, "class", edge=marked, on_edge=lambda a, b: _choose_edge(members, a, b))
    part = one_of("below the class", PARTS)
    if part == PARTS[0]:
        _small_multiples(opened, members, picture)
    elif part == PARTS[1]:
        st.dataframe(edge_table(members), hide_index=True, width="stretch")
    elif part == PARTS[2]:
        certificate.section(opened)
    elif part == PARTS[3]:
        sparsest.section(opened)
    else:
        save_picture(picture, "class")


# The class and its locks ---------------------------------------------------------------------------------------------


def _members(opened: Opened) -> EquivalenceClass:
    """The class of the learned graph with what the constraints and the user's locks decide."""
    members = EquivalenceClass(opened.result.cpdag)
    constraints = getattr(opened.result.options, "constraints", None)
    if constraints is not None:
        data = opened.saved.data
        with one_sentence():
            members = members.with_rules(constraints.resolve(data.names, data.groups))
    for source, target in _own_locks(opened):
        if (source, target) in members.compelled:
            continue
        members = members.lock(source, target)
    return members


def _own_locks(opened: Opened) -> tuple[Edge, ...]:
    locks: tuple[Edge, ...] = state.session().choices.get(f"locks {opened.run}", ())
    return locks


def _set_locks(opened: Opened, locks: tuple[Edge, ...]) -> None:
    state.session().choices[f"locks {opened.run}"] = locks


def _lock(opened: Opened, source: str, target: str) -> None:
    _set_locks(opened, (*_own_locks(opened), (source, target)))
    state.choose("edge", (source, target))


def _choose_edge(members: EquivalenceClass, a: str, b: str) -> None:
    there = (*members.reversible, *members.compelled)
    state.choose("edge", (a, b) if (a, b) in there else (b, a))


# What is drawn -------------------------------------------------------------------------------------------------------


def _headline(opened: Opened, members: EquivalenceClass) -> None:
    """The number of members first, then what they share."""
    total, known = members.count, len(members.compelled)
    edges = known + len(members.reversible)
    if edges == 0:
        st.markdown("## No edges, so there is no direction to tell.")
        return
    if total > 1:
        known_too = " and agree with what is known" if members.locks else ""
        st.markdown(f"## {whole(total)} graphs fit the data equally well{known_too}")
    else:
        st.markdown(f"## One graph{' agrees with what is known' if members.locks else ' alone fits the data best'}")
    everyone = EquivalenceClass(opened.result.cpdag).count
    left = f"{whole(total)} of {whole(everyone)} members are left" if members.locks else several(everyone, "member")
    agree = "They agree on" if total > 1 else "It settles"
    st.caption(
        f"Graphs with the same edges that no data can tell apart form a *Markov equivalence class*: {left}. "
        f"{agree} {known or 'none'} of {several(edges, 'direction')}. The learned graph is {_learned(opened, members)}."
    )


def _learned(opened: Opened, members: EquivalenceClass) -> str:
    at = members.graph.position
    if not all(opened.result.adjacency[at(a), at(b)] for a, b in members.compelled):
        return "not among them any more"
    return "one of them" if members.count > 1 else "this one"


def _edge_panel(opened: Opened, members: EquivalenceClass) -> None:
    """One edge: what is known of its direction, and the locks."""
    edges = [*members.reversible, *members.compelled]
    if not edges:
        st.markdown("Nothing to lock.")
        return
    if state.session().choices.get("edge") not in edges:
        state.choose("edge", edges[0])
    arrows = set(members.compelled)
    source, target = state.kept(
        "edge",
        edges[0],
        lambda key: st.selectbox(
            "Edge",
            edges,
            key=key,
            format_func=lambda edge: f"{edge[0]} {'→' if edge in arrows else '—'} {edge[1]}",
            help="Or click an edge in the picture.",
        ),
    )
    if (source, target) in arrows:
        st.markdown(f"{bold(source)} → {bold(target)} in every graph.")
        st.markdown(plain(members.explanations.get((source, target), "Every member has this arrow.")))
        return
    share = members.share(source, target)
    st.markdown(
        f"The data cannot tell the direction: {bold(source)} → {bold(target)} in **{whole(share.count)} of "
        f"{whole(share.total)}** graphs, the other way round in {whole(share.total - share.count)}."
    )
    st.progress(share.count / share.total)
    st.markdown("If you know it, lock it and see what follows:")
    for a, b in ((source, target), (target, source)):
        st.button(
            f"{plain(a, 24)} → {plain(b, 24)}", key=f"lock-{a}-{b}", icon=":material/lock:", width="stretch",
            on_click=_lock, args=(opened, a, b),
        )  # fmt: skip


def _locks(opened: Opened, members: EquivalenceClass) -> None:
    """Every lock with what followed from it; a click undoes it."""
    own = _own_locks(opened)
    for step in members.steps:
        st.divider()
        mine = (step.source, step.target) in own
        st.markdown(
            f":material/lock: {bold(step.source)} → {bold(step.target)}"
            + ("" if mine else f" :small[({plain(step.why)})]")
        )
        if not step.consequences:
            st.caption("Nothing else follows.")
        for then in step.consequences:
            st.markdown(f"- {bold(then.source)} → {bold(then.target)}: :small[{plain(then.explanation)}]")
        if mine:
            rest = tuple(lock for lock in own if lock != (step.source, step.target))
            st.button(
                "Unlock",
                key=f"unlock-{step.source}-{step.target}",
                icon=":material/lock_open:",
                type="tertiary",
                on_click=_set_locks,
                args=(opened, rest),
            )
    if len(own) > 1:
        st.button("Unlock all", type="tertiary", icon=":material/undo:", on_click=_set_locks, args=(opened, ()))


def _small_multiples(opened: Opened, members: EquivalenceClass, picture: Picture) -> None:
    """The members side by side, every node in the same place; amber arrows are the ones they differ in."""
    name = f"members shown {opened.run}"
    shown = min(state.session().choices.get(name, FIRST), MOST, members.count)
    small_multiples([member_picture(picture, graph) for graph in members.members(shown)], "members")
    if members.count == 1:
        st.caption("This is the only member.")
    else:
        st.caption(f"{whole(shown)} of {whole(members.count)} members; they differ only in the amber arrows.")
    if shown < min(members.count, MOST):
        st.button("Show more", on_click=lambda: state.session().choices.update({name: shown + MORE}))
    elif members.count > MOST:
        st.caption("More would not be easier to read. Lock an edge to narrow them down.")


def edge_table(members: EquivalenceClass) -> pd.DataFrame:
    """Every edge with its share, reversible ones first."""
    rows = []
    for a, b in (*members.reversible, *members.compelled):
        share = members.share(a, b)
        open_edge = 0 < share.count < share.total
        why = "the data cannot tell" if open_edge else members.explanations.get((a, b), "")
        rows.append(
            (
                f"{a} {'—' if open_edge else '→'} {b}",
                "reversible" if open_edge else "compelled",
                f"{a} → {b} in {share.count:,} of {share.total:,}",
                why,
            )
        )
    return pd.DataFrame(rows, columns=["edge", "direction", "members", "why"])
