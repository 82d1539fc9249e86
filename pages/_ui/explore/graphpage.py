"""The Graph page: picture, panel, controls, and below them the edges as a table, the free view and the files."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from binotears_core.graph.members import EquivalenceClass
from pages._ui import state
from pages._ui.explore import panel
from pages._ui.explore.controls import one_of
from pages._ui.explore.opened import Opened
from pages._ui.explore.saving import save_picture
from pages._ui.explore.shown import choose_shown, choose_stage
from pages._ui.graphview.drawing import SIGN_WORDS, Colouring, dag_picture
from pages._ui.graphview.effects import Shown, influences
from pages._ui.graphview.free import free_html
from pages._ui.graphview.groups import Grouping, grouping
from pages._ui.graphview.layouts import LAYOUTS
from pages._ui.graphview.picture import Picture
from pages._ui.graphview.view import graph_view
from pages._ui.words import plain

AUTOMATIC = "automatic"
EDGE_COLUMNS = ["cause", "effect", "strength", "what it does", "with others", "direction"]
COLOURINGS: tuple[Colouring, ...] = ("sign", "certainty")
COLOURING_WORDS: dict[Colouring, str] = {"sign": "raises / lowers", "certainty": "certain / not"}


def section(opened: Opened) -> None:
    """Everything on the page. A fragment: a click runs only this part again."""
    st.fragment(_section)(opened)


def _section(opened: Opened) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        stage = choose_stage(opened)
    left, right = st.columns([0.68, 0.32], gap="medium")
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        shown = choose_shown(opened, stage)
        picture, drawn = _picture(opened, shown)
    with right, st.container(border=True):
        panel.section(opened, shown)  # before the graph, which marks the variable chosen here
    with left:
        node = panel.selected_node(shown.names)
        selected = None if node is None else drawn.names[drawn.node_of[shown.names.index(node)]]
        graph_view(picture, "graph", selected=selected, on_select=lambda name: _select(name, shown, drawn))
    _more(opened, shown, drawn, picture)


def _choose_grouping(opened: Opened) -> Grouping:
    """Which columns are drawn as one node; a switch only where there are such columns."""
    names, groups = opened.result.names, opened.groups()
    together = grouping(names, groups)
    if len(together.names) == len(names):
        return together
    words = "; ".join(", ".join(names[k] for k in columns) for columns in together.members if len(columns) > 1)
    on = state.kept(
        "groups as one node",
        False,
        lambda key: st.toggle("Groups as one node", key=key, help=plain(f"Several columns of one variable: {words}")),
    )
    return together if on else grouping(names)


def _select(name: str | None, shown: Shown, drawn: Grouping) -> None:
    """A click on a group chooses its first column that has causes."""
    if name is not None:
        columns = drawn.members[drawn.names.index(name)]
        name = shown.names[max(columns, key=lambda k: bool(shown.adjacency[:, k].any()))]
    state.choose("node", name)


def _picture(opened: Opened, shown: Shown) -> tuple[Picture, Grouping]:
    """The picture as the controls want it, and which columns its nodes are."""
    chosen = state.kept(
        "layout", AUTOMATIC, lambda key: st.selectbox("Layout", [AUTOMATIC, *LAYOUTS], key=key, width=150)
    )
    layout = next((one for one in LAYOUTS if one == chosen), None)
    colouring: Colouring = one_of("colouring", COLOURINGS, label="Colour", words=COLOURING_WORDS)
    with st.container(width="content", gap="xsmall"):
        widths = state.kept("widths", True, lambda key: st.toggle("Width shows strength", key=key))
        drawn = _choose_grouping(opened)
    learned = [(i, j) for i, j in np.argwhere(opened.result.adjacency != 0).tolist()]
    picture = dag_picture(
        shown,
        colouring=colouring,
        widths=widths,
        layout=layout,
        shaped_by=learned,
        shares=opened.saved.data.prevalence.tolist(),
        groups=[[shown.names[k] for k in columns] for columns in drawn.members],
        members=opened.members(shown.adjacency),
    )
    return picture, drawn


def _more(opened: Opened, shown: Shown, drawn: Grouping, picture: Picture) -> None:
    """What else one can do with the graph; only the chosen part is computed."""
    parts: dict[str, Callable[[], None]] = {
        "Edges as a table": lambda: _table(opened, shown, drawn),
        "Free view": lambda: _free(picture),
        "Save the picture": lambda: save_picture(picture, "graph"),
    }
    parts[one_of("below the graph", list(parts))]()


def _table(opened: Opened, shown: Shown, drawn: Grouping) -> None:
    if not shown.edges:
        st.caption("There is no edge to list.")
        return
    strength = st.column_config.NumberColumn(format="%.2f")
    table = edge_table(shown, opened.members(shown.adjacency), drawn)
    st.dataframe(table, hide_index=True, width="stretch", column_config={"strength": strength})


def edge_table(shown: Shown, members: EquivalenceClass, drawn: Grouping | None = None) -> pd.DataFrame:
    """Everything the picture shows, edge by edge, strongest first; edges of a group as their strongest one."""
    drawn = grouping(shown.names) if drawn is None else drawn
    told = set(members.cpdag.directed)
    known = set(members.compelled) - told
    rows: dict[tuple[str, str], tuple[float, str, str, str]] = {}
    columns: dict[tuple[str, str], list[str]] = {}
    for i, j in sorted(shown.edges, key=lambda edge: -shown.strength[edge]):
        a, b = shown.names[i], shown.names[j]
        acts = influences(shown.terms[j], np.flatnonzero(shown.adjacency[:, j]).tolist())[i]
        share = members.share(a, b)
        certain = "certain" if (a, b) in told else f"in {share.count:,} of {share.total:,} graphs"
        certain = "known beforehand" if (a, b) in known else certain
        how = {"interaction": "depends on the other causes"}.get(acts.sign, SIGN_WORDS[acts.sign].removesuffix(" of"))
        pair = drawn.names[drawn.node_of[i]], drawn.names[drawn.node_of[j]]
        rows.setdefault(pair, (float(shown.strength[i, j]), how, "yes" if acts.together else "", certain))
        columns.setdefault(pair, []).append(f"{a} → {b}")
    table = pd.DataFrame([(*pair, *row) for pair, row in rows.items()], columns=EDGE_COLUMNS)
    return table if len(drawn.names) == len(shown.names) else table.assign(edges=[", ".join(columns[p]) for p in rows])


def _free(picture: Picture) -> None:
    html = free_html(picture, dark=st.context.theme.type == "dark")
    st.iframe(html, height=560, alt="The graph as a free, moving drawing")
    st.download_button(
        "Download as one HTML file", html, "graph.html", "text/html", icon=":material/download:", on_click="ignore",
        help="Opens in any browser, also without a network.",
    )  # fmt: skip
