"""The view "Samples": one card per example."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from binotears_core.archive import SavedData
from pages._ui.examples import EXAMPLES, Example
from pages._ui.words import several, whole

CARDS_IN_A_ROW = 4


def section(use: Callable[[SavedData], None], prepare: Callable[[Example], None]) -> None:
    """Draw the cards; `use` takes the data as we prepare them, `prepare` opens the file for the user's own choices."""
    for start in range(0, len(EXAMPLES), CARDS_IN_A_ROW):
        row = EXAMPLES[start : start + CARDS_IN_A_ROW]
        for example, place in zip(row, st.columns(CARDS_IN_A_ROW), strict=False):
            with place.container(border=True, height="stretch"):
                _card(example, use, prepare)


def _card(example: Example, use: Callable[[SavedData], None], prepare: Callable[[Example], None]) -> None:
    saved = example.load()
    st.markdown(f"**{example.name}** · :gray[{whole(saved.data.rows)} × {saved.data.variables}]  \n{example.lesson}")
    st.caption(f"{example.origin} {_badges(example, saved)}")
    with st.container(horizontal=True, vertical_alignment="bottom", height="stretch"):
        st.button("Use", key=f"use {example.key}", on_click=use, args=(saved,))
        if example.path is not None:
            st.button("Prepare", key=f"prepare {example.key}", on_click=prepare, args=(example,), type="tertiary")


def _badges(example: Example, saved: SavedData) -> str:
    """What comes along with the data."""
    known = example.constraints.tiers or example.constraints.forbidden
    parts = [f":green-badge[{several(len(saved.truths), 'true graph')}]"] if saved.truths else []
    parts += [":blue-badge[time order]"] if known else []
    return " ".join(parts)
