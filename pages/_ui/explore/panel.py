"""Beside the graph: what the selected variable depends on; or, with none selected, what the whole graph says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from binotears_core.explain.coefficients import NodeFit
from binotears_core.graph.members import EquivalenceClass
from pages._ui import frame, state
from pages._ui.explore.nodewords import extremes, sentence
from pages._ui.explore.opened import Opened
from pages._ui.graphview.effects import Shown
from pages._ui.words import plain, several

TOP = 6  # coefficients, or edges, in the panel
NAME, CELL = 40, 20  # characters of a name in running text, and in a table


def selected_node(names: tuple[str, ...]) -> str | None:
    """The variable everything beside a graph is about."""
    node = state.session().choices.get("node")
    return node if node in names else None


def choose_node(names: tuple[str, ...]) -> str | None:
    """A list to choose it from beside the graph, for the keyboard and for small screens; None when none is chosen."""
    # Only a choice that cannot stand is replaced: replacing it at every run would undo what the user just chose.
    if state.session().choices.get("node") not in (*names, None):
        state.choose("node", None)
    return state.kept(
        "node",
        None,
        lambda key: st.selectbox(
            "Variable",
            names,
            index=None,
            key=key,
            placeholder="Click a variable, or choose one here",
            label_visibility="collapsed",
        ),
    )


def must_choose_node(names: tuple[str, ...], first: str) -> str:
    """The same on a page that is always about one variable: at first the one chosen elsewhere, or `first`.

    It has a name of its own: during a change of pages Streamlit still holds the other page's list under its name.
    """
    choices = state.session().choices
    wanted = selected_node(names) or first
    if choices.get("variable") != wanted:
        state.choose("variable", wanted)
    choices["node"] = state.kept("variable", wanted, lambda key: st.selectbox("Variable", names, key=key))
    chosen: str = choices["node"]
    return chosen


def section(opened: Opened, shown: Shown) -> None:
    """The whole panel."""
    node = choose_node(shown.names)
    if node is None:
        _whole_graph(opened, shown)
    else:
        _one_node(opened, shown, node)


def bold(name: str) -> str:
    """A user's name in running text."""
    return f"**{plain(name, NAME)}**"


def _one_node(opened: Opened, shown: Shown, node: str) -> None:
    number = shown.names.index(node)
    fit = opened.fit(number, shown.adjacency)
    st.markdown(sentence(fit, bold))
    if weak := [bold(shown.names[i]) for i, j in shown.hidden if j == number]:
        st.caption(f"Left out, because weaker than the slider allows: {', '.join(weak)}.")
    effects = [shown.names[k] for k in np.flatnonzero(shown.adjacency[number])]
    if fit.parents:
        st.markdown(extremes(fit))
        st.table(_coefficients(fit), border="horizontal", hide_index=True)
    if effects:
        st.markdown("It acts on " + ", ".join(bold(name) for name in effects) + ".")
    for words in _undecided(opened, shown, node):
        st.markdown(f":orange[◁] :small[{plain(words)}]")
    frame.link("Coefficients", "All coefficients of this variable →")


def _coefficients(fit: NodeFit) -> pd.DataFrame:
    """The largest coefficients, as text where a number needs its unit."""
    order = [k for k in np.argsort(-np.abs(fit.log_odds)) if fit.terms[k]][:TOP]
    return pd.DataFrame(
        {
            "term": [" × ".join(plain(name, CELL) for name in fit.terms[k]) for k in order],
            "log-odds": [signed(float(fit.log_odds[k])) for k in order],
            "× odds": [_factor(float(fit.log_odds[k])) for k in order],
        }
    )


def signed(value: float) -> str:
    """+0.76, −0.50"""
    return f"{value:+.2f}".replace("-", "−")


def _factor(log_odds: float) -> str:
    """What the odds are multiplied by, readable also when it is huge."""
    return f"{np.exp(log_odds):.3g}" if abs(log_odds) < 9 else "> 8000" if log_odds > 0 else "< 0.0001"


def _undecided(opened: Opened, shown: Shown, node: str) -> list[str]:
    """A sentence for each edge at the node whose direction nothing tells."""
    members = opened.members(shown.adjacency)
    return [members.share(a, b).sentence for a, b in members.reversible if node in (a, b)]


def _whole_graph(opened: Opened, shown: Shown) -> None:
    edges = sorted(shown.edges, key=lambda edge: -shown.strength[edge])
    alone = len(shown.names) - len({node for edge in edges for node in edge})
    words = f"**{several(len(edges), 'edge')}** among {several(len(shown.names), 'variable')}"
    st.markdown(f"{words}, {alone} of them not connected." if alone else f"{words}.")
    if edges:
        members = opened.members(shown.adjacency)
        st.markdown(told(members))
        if members.reversible:
            frame.link("Class", "See what the data cannot tell →")
        table = pd.DataFrame(
            {
                "strongest edges": [
                    f"{plain(shown.names[i], CELL)} → {plain(shown.names[j], CELL)}" for i, j in edges[:TOP]
                ],
                "strength": [f"{shown.strength[edge]:.2f}" for edge in edges[:TOP]],
            }
        )
        st.table(table, border="horizontal", hide_index=True)
    else:
        st.markdown("No edge is strong enough to be shown. Lower the threshold, or allow higher interaction orders.")


def told(members: EquivalenceClass) -> str:
    """How many directions the data tell, how many what was known beforehand, and what is left open."""
    data, edges = len(members.cpdag.directed), len(members.compelled) + len(members.reversible)
    if data == edges:
        return "The data tell the direction of all of them."
    words = f"The data tell the direction of {data or 'none'} of them"
    if known := len(members.compelled) - data:
        words += f"; what is known beforehand decides {known if data or members.reversible else 'all'}"
    left = f" For the hollow arrows {members.count:,} graphs fit equally well." if members.reversible else ""
    return f"{words}.{left}"
