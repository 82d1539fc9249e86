"""Compare: a graph against the truth, another run or another method."""

import streamlit as st

from pages._ui import frame, state
from pages._ui.comparing import peers, sachs, view
from pages._ui.explore.opened import open_result
from pages._ui.words import plain

frame.open_page("Compare")

saved = state.current_data()
found = [] if saved is None else view.found_graphs(saved)

if saved is None or not found:
    open_result()  # says what to do first
else:
    chosen = view.choose(saved, found)
    if chosen is None:
        st.info(
            f"There is one graph of {plain(saved.name, 60)} and nothing to hold it against. Run again with other "
            "choices, run another method below, or add a true graph (a list of edges) with the button “Truth”."
        )
        frame.link("Learn", "Run again with other choices →")
    else:
        estimate, reference, level = chosen
        view.difference(estimate, reference, saved.data.names, level)
        view.scoreboard(estimate, reference, found, saved.data.names)
    if sachs.is_sachs(saved.data.names):
        view.sachs_section(found)
if saved is not None:
    peers.section()
