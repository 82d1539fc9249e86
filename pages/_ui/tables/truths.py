"""A known graph as a picture."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from binotears_core.graph.dag import Adjacency
from pages._ui.colours import colours
from pages._ui.graphview.drawing import plain_picture
from pages._ui.graphview.svg import svg


def show_graph(adjacency: Adjacency, names: Sequence[str]) -> None:
    """Draw a graph, causes above effects."""
    picture = plain_picture(adjacency, names)
    st.image(svg(picture, colours(st.context.theme.type), legend=False), alt=picture.alt)
