"""Where the boxes stand: layered (down or to the right), spring, circle."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, get_args

import networkx as nx

from pages._ui.graphview import layered

Layout = Literal["layered ↓", "layered →", "spring", "circle"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
Edge = tuple[int, int]
Point = tuple[float, float]
Places = tuple[list[Point], dict[Edge, list[Point]]]

SHAPE = 1.35  # width : height of the frame a picture is made for
GAP = 34.0
NARROW = 350.0  # px
NARROW_ROWS = (350.0, 290.0, 230.0, 170.0, 110.0)
NARROW_GAP = 14.0
ROOMY = 62.0  # px per square root of the number of nodes: how far spring and circle reach out from the middle


def place(sizes: Sequence[tuple[float, float]], edges: Sequence[Edge], layout: Layout | None = None) -> Places:
    """Centres of boxes of these (width, height), and bends of the edges. Without a layout: the better layered one."""
    if layout == "layered ↓":
        return layered.place(sizes, edges)
    if layout == "layered →":
        return _sideways(sizes, edges)
    if layout is None:
        down, right = layered.place(sizes, edges), _sideways(sizes, edges)
        # Reading from top to bottom is the habit; sideways must be clearly larger in the frame to be worth it.
        return right if _scale(sizes, right[0]) > 1.25 * _scale(sizes, down[0]) else down
    graph = nx.Graph(list(edges))
    graph.add_nodes_from(range(len(sizes)))
    if layout == "circle":
        order = nx.lexicographical_topological_sort(nx.DiGraph(layered.acyclic(len(sizes), edges)))
        ring = [*order, *(node for node in range(len(sizes)) if not graph.degree(node))]
        spots = nx.circular_layout(ring)
    else:
        spots = nx.spring_layout(graph, k=1.6 / max(len(sizes), 1) ** 0.5, iterations=200, seed=1)
    return _spread(sizes, [(float(spots[v][0]) * SHAPE, float(spots[v][1])) for v in range(len(sizes))]), {}


def place_narrow(sizes: Sequence[tuple[float, float]], edges: Sequence[Edge]) -> Places:
    """Layered from top to bottom for a telephone: as high as it must be, and no wider than NARROW px if that can be."""
    best: Places | None = None
    least = float("inf")
    for widest in NARROW_ROWS:  # lines passing a layer need room too: fewer boxes in a layer may help
        tried = layered.place(sizes, edges, widest=widest, gap=NARROW_GAP)
        left, _, right, _ = extent(sizes, tried[0])
        bends = [x for points in tried[1].values() for x, _ in points]
        width = max(right, *bends, right) - min(left, *bends, left)
        if width < least:
            best, least = tried, width
        if least <= NARROW:
            break
    assert best is not None
    return best


def extent(sizes: Sequence[tuple[float, float]], centres: Sequence[Point]) -> tuple[float, float, float, float]:
    """(left, top, right, bottom) of all boxes."""
    boxes = [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for (x, y), (w, h) in zip(centres, sizes, strict=True)]
    if not boxes:
        return 0.0, 0.0, 0.0, 0.0
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def _sideways(sizes: Sequence[tuple[float, float]], edges: Sequence[Edge]) -> Places:
    """The layered drawing turned by a quarter: causes left, effects right."""
    centres, bends = layered.place([(height, width) for width, height in sizes], edges)
    return [(y, x) for x, y in centres], {edge: [(y, x) for x, y in points] for edge, points in bends.items()}


def _scale(sizes: Sequence[tuple[float, float]], centres: Sequence[Point]) -> float:
    """How large a drawing can be shown in a frame of our shape (up to a constant)."""
    left, top, right, bottom = extent(sizes, centres)
    return 1.0 / max(right - left, SHAPE * (bottom - top), 1.0)


def _spread(sizes: Sequence[tuple[float, float]], centres: list[Point]) -> list[Point]:
    """Stretch until no two boxes touch: each pair needs room in one of the two directions."""
    factor = ROOMY * len(sizes) ** 0.5
    for a, b in combinations(range(len(sizes)), 2):
        dx, dy = abs(centres[a][0] - centres[b][0]), abs(centres[a][1] - centres[b][1])
        wide = ((sizes[a][0] + sizes[b][0]) / 2 + GAP) / max(dx, 1e-3)
        high = ((sizes[a][1] + sizes[b][1]) / 2 + GAP) / max(dy, 1e-3)
        factor = max(factor, min(wide, high))
    return [(x * factor, y * factor) for x, y in centres]
