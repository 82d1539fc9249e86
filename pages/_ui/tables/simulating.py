"""The view "Simulate": choose a model, see its true graph at once, change its coefficients, draw data from it."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from binotears_core.archive import SavedData
from binotears_core.graph.dag import Edge
from binotears_core.simulation import Truth
from pages._ui import state
from pages._ui.edge_lists import parse_arrows
from pages._ui.sentences import one_sentence
from pages._ui.switches import switch
from pages._ui.tables import models
from pages._ui.tables.models import EXAMPLE, KINDS, LOG_ODDS, MECHANISM_WORDS, Settings
from pages._ui.tables.truths import show_graph
from pages._ui.words import several

MOST_NODES, MOST_DEGREE, MOST_ROWS = 60, 6, 10_000_000
CAUSE, EFFECT = "Cause", "Effect"


def section(use: Callable[[SavedData], None]) -> None:
    """Draw the view; `use` takes the finished data set."""
    controls, picture = st.columns([2, 3], gap="large")
    with one_sentence():
        with controls:
            settings = _settings()
        truth = models.preview(settings)
        with picture:
            graph, table = st.tabs(["True graph", "Coefficients"])
        with table:
            coefficients = _coefficients(truth, settings)
        with graph:
            st.caption(f"{several(len(truth.names), 'node')}, {several(len(truth.edges), 'edge')}; kept as the truth.")
            show_graph(truth.adjacency, truth.names, "simulated truth")
        models.check_size(settings)
        # No callback: its arguments would be those of the picture before the last change.
        if controls.button("Simulate", type="primary"):
            use(models.draw(settings, coefficients))
            st.rerun()


def _settings() -> Settings:
    """The left-hand side of the view."""
    kind = switch("simulated graph", "Graph", list(KINDS), words=KINDS)
    names, edges = _own_graph() if kind == "own" else ((), ())
    nodes, degree = (9, 2) if kind == "own" else _size()
    mechanism = state.kept(
        "mechanism",
        "1st+2nd",
        lambda k: st.selectbox(
            "How causes act", list(MECHANISM_WORDS), format_func=lambda m: f"{m}: {MECHANISM_WORDS[m]}", key=k
        ),
    )
    rows, seed = st.columns(2)
    with rows:
        samples = state.kept(
            "simulated rows", 10_000, lambda k: st.number_input("Rows", 2, MOST_ROWS, step=1000, key=k)
        )
    with seed:
        number = state.kept("simulation seed", 0, lambda k: st.number_input("Seed", 0, 2**31 - 1, step=1, key=k))
    return Settings(
        kind=kind,
        nodes=nodes,
        degree=degree,
        mechanism=mechanism,
        samples=samples,
        seed=number,
        names=names,
        edges=edges,
    )


def _size() -> tuple[int, int]:
    left, right = st.columns(2)
    with left:
        nodes = state.kept("nodes", 9, lambda k: st.slider("Nodes", 2, MOST_NODES, key=k))
    with right:
        degree = state.kept("degree", 2, lambda k: st.slider("Edges per node", 1, MOST_DEGREE, key=k))
    return nodes, degree


def _own_graph() -> tuple[tuple[str, ...], tuple[Edge, ...]]:
    """The user's graph, as text or in a table."""
    how = switch("own graph as", "Written as", ["text", "table"])
    if how == "text":
        text = state.kept(
            "own graph", EXAMPLE, lambda k: st.text_area("One edge a line: cause > effect", height=170, key=k)
        )
        names, edges = parse_arrows(text)
        return names, tuple(edges)
    table = state.kept_table("own edges", pd.DataFrame(parse_arrows(EXAMPLE)[1], columns=[CAUSE, EFFECT]), _edge_editor)
    cells = table.dropna().astype(str)
    edges = [
        (a.strip(), b.strip()) for a, b in zip(cells[CAUSE], cells[EFFECT], strict=True) if a.strip() and b.strip()
    ]
    return tuple(dict.fromkeys(name for edge in edges for name in edge)), tuple(dict.fromkeys(edges))


def _edge_editor(table: pd.DataFrame, key: str) -> pd.DataFrame:
    columns = {name: st.column_config.TextColumn(required=True) for name in (CAUSE, EFFECT)}
    return st.data_editor(table, key=key, num_rows="dynamic", column_config=columns, hide_index=True, alt="Edges")


def _coefficients(truth: Truth, settings: Settings) -> models.Own | None:
    """The table of log-odds; what is changed there is used."""
    st.caption("Log-odds of a one. Change a number to make it your own; 0 takes the term away.")
    fixed = {name: st.column_config.TextColumn(disabled=True) for name in (models.NODE, models.TERM)}
    number = {LOG_ODDS: st.column_config.NumberColumn(format="%.2f", min_value=-20.0, max_value=20.0)}

    def editor(table: pd.DataFrame, key: str) -> pd.DataFrame:
        height = min(38 + 35 * len(table), 520)
        return st.data_editor(
            table, key=key, column_config={**fixed, **number}, hide_index=True, height=height, alt="Coefficients"
        )

    name = f"coefficients {hash((settings.mechanism, settings.seed, truth.names, truth.adjacency.tobytes()))}"
    return models.read_coefficients(truth, state.kept_table(name, models.coefficient_table(truth), editor))
