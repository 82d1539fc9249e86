"""A known graph as a picture."""

from __future__ import annotations

from collections.abc import Sequence

from binotears_core.graph.dag import Adjacency
from pages._ui.graphview.drawing import plain_picture
from pages._ui.graphview.view import still


def show_graph(adjacency: Adjacency, names: Sequence[str], key: str) -> None:
    """Draw a graph, causes above effects."""
    still(plain_picture(adjacency, names), key)
