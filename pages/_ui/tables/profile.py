"""The view "This data": size, share of ones, what goes together, and how the table came about."""

from __future__ import annotations

import streamlit as st

from binotears_core.archive import SavedData
from binotears_core.data.table import BinaryData
from pages._ui import frame
from pages._ui.colours import colours
from pages._ui.switches import switch
from pages._ui.tables import preparing
from pages._ui.tables.pictures import MEASURES, association_figure, prevalence_figure
from pages._ui.tables.truths import show_graph
from pages._ui.words import plain, whole

MOST_PAIRS = 60  # columns of the heat map; beyond, its cells are smaller than a pixel row can show
CONFIG = {"displayModeBar": False}


def section(saved: SavedData) -> None:
    """Everything about the current data."""
    data = saved.data
    _numbers(data)
    ink = colours(st.context.theme.type)
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.subheader("Share of ones", anchor=False)
        st.plotly_chart(prevalence_figure(data, ink), config=CONFIG, alt="Share of ones of every variable")
    with right:
        _associations(data)
    _record(saved)


def _numbers(data: BinaryData) -> None:
    possible = f"of {whole(2**data.variables)} possible" if data.variables <= 20 else ""
    parts = [f"**{whole(data.rows)}** rows"]
    if round(data.sample_size) != data.rows:
        parts.append(f"worth **{whole(data.sample_size)}** of equal weight")
    parts += [f"**{data.variables}** variables", f"**{whole(len(data.patterns))}** distinct patterns {possible}"]
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown("\u2002·\u2002".join(parts), width="content")
        frame.link("Learn", "Next: Learn →")


def _associations(data: BinaryData) -> None:
    title, choice = st.columns([3, 2], vertical_alignment="bottom")
    title.subheader("What goes together", anchor=False)
    with choice:
        measure = switch("association", "Measure", list(MEASURES), hide_label=True)
    if data.variables > MOST_PAIRS:
        st.caption(f"Drawn for the first {MOST_PAIRS} of {data.variables} variables.")
        data = data.select(data.names[:MOST_PAIRS])
    figure = association_figure(data, measure, colours(st.context.theme.type))
    st.plotly_chart(figure, config=CONFIG, alt=f"{measure} of every pair")
    st.caption(f"{MEASURES[measure]}. Interactions are invisible here: a pair may look flat and still act together.")


def _record(saved: SavedData) -> None:
    data = saved.data
    record, patterns = st.columns([2, 3], gap="large")
    with record:
        st.subheader("How the table came about", anchor=False)
        with st.container(height=330 if sum(map(len, data.record)) > 650 else "content", border=False):
            groups = [f"One variable in several columns, no edges inside: {', '.join(group)}." for group in data.groups]
            sentences = [*data.record, *groups]
            st.markdown("\n".join(f"- {plain(one)}" for one in sentences) or "Nothing is recorded.")
    with patterns:
        st.subheader("Most frequent patterns", anchor=False)
        st.dataframe(
            preparing.pattern_table(data),
            height=330,
            column_config={"_index": st.column_config.TextColumn("rows")},
            alt="Most frequent patterns and their number of rows",
        )
    for title, truth in saved.truths.items():
        with st.expander(f"Known graph: {plain(title)}"):
            show_graph(truth, data.names, f"known {title}")
