"""A known graph as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from binotears_core.graph.dag import Adjacency
from pages._ui.graphview.drawing import plain_picture
from pages._ui.graphview.picture import Picture
from pages._ui.graphview.view import still


def show_graph(adjacency: Adjacency, names: Sequence[str], key: str) -> None:
    """Draw a graph, causes above effects."""
    still(_drawn(np.asarray(adjacency, dtype=np.int8).tobytes(), tuple(names)), key)


@lru_cache(maxsize=64)
def _drawn(matrix: bytes, names: tuple[str, ...]) -> Picture:
    """A large graph takes seconds to arrange, and a page draws it again at every click."""
    return plain_picture(np.frombuffer(matrix, dtype=np.int8).reshape(len(names), len(names)), names)
