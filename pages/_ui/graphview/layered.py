"""Layered drawing of a DAG, causes above effects (Sugiyama, Tagawa & Toda 1981), in four small steps:

    1  layers     longest path from the roots; a root then sinks to just above its highest child;
                  nodes without edges stand in rows of their own below
    2  bends      an edge that spans several layers gets an invisible vertex in each layer between
    3  order      barycentres, down and up in turn; the order with the fewest crossings wins
    4  places     least squares: every vertex near the mean of its neighbours, neighbours in a layer kept apart

>>> layers(4, [(0, 1), (1, 2), (3, 2)])
[0, 1, 2, 1]
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isfinite

import networkx as nx

Edge = tuple[int, int]
Point = tuple[float, float]

SWEEPS = 12
SIDE_GAP, LAYER_GAP = 26.0, 62.0
BEND_WIDTH = 10.0
ALONE_IN_A_ROW = 6
BEND_PULL = 4.0  # a bend holds its place more strongly than a node, which keeps long edges straight


@dataclass
class _Grid:
    """Vertices layer by layer; numbers from `nodes` on are bends. `x` is the only thing step 4 changes."""

    nodes: int
    widths: list[float]
    rows: list[list[int]]
    above: list[list[int]] = field(default_factory=list)
    below: list[list[int]] = field(default_factory=list)
    chains: dict[Edge, list[int]] = field(default_factory=dict)
    gap: float = SIDE_GAP


def place(
    sizes: Sequence[tuple[float, float]], edges: Sequence[Edge], *, widest: float = inf, gap: float = SIDE_GAP
) -> tuple[list[Point], dict[Edge, list[Point]]]:
    """Centres of boxes of these sizes, and the bends of every edge; an edge that closes a cycle shapes no layer.

    widest  the boxes of a layer take at most so many px, with `gap` px between two; a single box may be wider
    """
    if not sizes:
        return [], {}
    forward = acyclic(len(sizes), edges)
    level = layers(len(sizes), forward)
    if isfinite(widest):
        level = narrowed(level, forward, [width + gap for width, _ in sizes], widest + gap)
    grid = _grid(sizes, level, forward)
    grid.gap = gap
    _order(grid)
    x = _places(grid)
    y, half = 0.0, dict.fromkeys(range(len(x)), 0.0)
    at: dict[int, Point] = {}
    for row in grid.rows:
        height = max((sizes[v][1] for v in row if v < grid.nodes), default=0.0)
        at.update({v: (x[v], y + height / 2) for v in row})
        half.update(dict.fromkeys(row, height / 2))
        y += height + LAYER_GAP
    # An edge passes a layer upright, from its top to its bottom, so that it does not touch the boxes beside it.
    bends = {
        edge: [(at[v][0], at[v][1] + side * half[v]) for v in chain for side in (-1, 1)]
        for edge, chain in grid.chains.items()
    }
    return [at[v] for v in range(len(sizes))], bends


def acyclic(nodes: int, edges: Sequence[Edge]) -> list[Edge]:
    """The edges in turn, without those that would close a cycle with the ones before."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(nodes))
    for source, target in edges:
        if source != target and not nx.has_path(graph, target, source):
            graph.add_edge(source, target)
    return list(graph.edges)


def layers(nodes: int, edges: Sequence[Edge]) -> list[int]:
    """Layer of every node, 0 on top."""
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(range(nodes))
    level = [0] * nodes
    for node in nx.lexicographical_topological_sort(graph):
        level[node] = max((level[parent] + 1 for parent in graph.predecessors(node)), default=0)
    for node in range(nodes):
        if not graph.in_degree(node) and graph.out_degree(node):
            level[node] = min(level[child] for child in graph.successors(node)) - 1
    deepest = max((level[node] for node in range(nodes) if graph.degree(node)), default=-1)
    for number, node in enumerate(node for node in range(nodes) if not graph.degree(node)):
        level[node] = deepest + 1 + number // ALONE_IN_A_ROW
    return level


def narrowed(level: Sequence[int], edges: Sequence[Edge], widths: Sequence[float], widest: float) -> list[int]:
    """Layers with room for all their nodes: from the top, a node sinks to the first layer that has room for it.

    >>> narrowed([0, 0, 0, 1], [(0, 3)], [1.0, 1.0, 1.0, 1.0], 2.0)
    [0, 0, 1, 1]
    """
    parents: list[list[int]] = [[] for _ in level]
    for source, target in edges:
        parents[target].append(source)
    lower, used = [0] * len(level), dict[int, float]()
    for node in sorted(range(len(level)), key=lambda node: (level[node], node)):
        row = max([level[node], *(lower[parent] + 1 for parent in parents[node])])
        while used.get(row, 0.0) and used[row] + widths[node] > widest:
            row += 1
        lower[node], used[row] = row, used.get(row, 0.0) + widths[node]
    filled = {row: number for number, row in enumerate(sorted(used))}
    return [filled[row] for row in lower]


def _grid(sizes: Sequence[tuple[float, float]], level: list[int], edges: Sequence[Edge]) -> _Grid:
    grid = _Grid(len(sizes), [width for width, _ in sizes], [[] for _ in range(max(level) + 1)])
    grid.above, grid.below = [[] for _ in sizes], [[] for _ in sizes]
    for node, row in enumerate(level):
        grid.rows[row].append(node)
    for source, target in edges:
        chain = []
        for row in range(level[source] + 1, level[target]):
            chain.append(len(grid.widths))
            grid.widths.append(BEND_WIDTH)
            grid.above.append([])
            grid.below.append([])
            grid.rows[row].append(chain[-1])
        for upper, lower in zip([source, *chain], [*chain, target], strict=True):
            grid.below[upper].append(lower)
            grid.above[lower].append(upper)
        grid.chains[source, target] = chain
    return grid


def _order(grid: _Grid) -> None:
    """Reorder the rows so that few edges cross."""
    best, fewest = [row[:] for row in grid.rows], _crossings(grid)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        towards = grid.above if down else grid.below
        rows = list(range(1, len(grid.rows))) if down else list(range(len(grid.rows) - 2, -1, -1))
        for number in rows:
            fixed = {v: k for k, v in enumerate(grid.rows[number - 1 if down else number + 1])}
            grid.rows[number] = _by_barycentre(grid.rows[number], towards, fixed)
        crossings = _crossings(grid)
        if crossings < fewest:
            best, fewest = [row[:] for row in grid.rows], crossings
    grid.rows = best


def _by_barycentre(row: list[int], towards: list[list[int]], fixed: dict[int, int]) -> list[int]:
    """Sorted by the mean place of the neighbours; a vertex without neighbours keeps its place."""
    rank = {}
    for place_now, v in enumerate(row):
        around = [fixed[u] for u in towards[v] if u in fixed]
        rank[v] = sum(around) / len(around) if around else place_now * max(len(fixed), 1) / len(row)
    return sorted(row, key=rank.__getitem__)


def _crossings(grid: _Grid) -> int:
    """Pairs of edges that cross: inversions among the lower ends, row by row."""
    total = 0
    for upper, lower in zip(grid.rows, grid.rows[1:], strict=False):
        position = {v: k for k, v in enumerate(lower)}
        seen: list[int] = []
        for v in upper:
            ends = sorted(position[u] for u in grid.below[v])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _places(grid: _Grid) -> list[float]:
    """x of every vertex."""
    x = [0.0] * len(grid.widths)
    for row in grid.rows:
        for v, wish in zip(row, _apart(grid, row, [0.0] * len(row)), strict=True):
            x[v] = wish
    for sweep in range(2 * SWEEPS):
        for row in grid.rows if sweep % 2 == 0 else grid.rows[::-1]:
            wishes = []
            for v in row:
                around = grid.above[v] + grid.below[v]
                wishes.append(sum(x[u] for u in around) / len(around) if around else x[v])
            for v, value in zip(row, _apart(grid, row, wishes), strict=True):
                x[v] = value
    return x


def _apart(grid: _Grid, row: list[int], wishes: list[float]) -> list[float]:
    """The places nearest to the wishes (least squares) that keep the order and the distances.

    With o_k the sum of the distances up to k, x_k − o_k must not fall: an isotonic regression, solved by pooling
    neighbours that violate it.
    """
    offset, offsets = 0.0, []
    for k, v in enumerate(row):
        if k:
            offset += (grid.widths[row[k - 1]] + grid.widths[v]) / 2 + grid.gap
        offsets.append(offset)
    pools: list[tuple[float, float, int]] = []  # (mean, weight, members)
    for v, wish, away in zip(row, wishes, offsets, strict=True):
        mean, weight, members = wish - away, BEND_PULL if v >= grid.nodes else 1.0, 1
        while pools and pools[-1][0] > mean:
            other, heavy, more = pools.pop()
            mean = (mean * weight + other * heavy) / (weight + heavy)
            weight, members = weight + heavy, members + more
        pools.append((mean, weight, members))
    means = [mean for mean, _, members in pools for _ in range(members)]
    return [mean + away for mean, away in zip(means, offsets, strict=True)]
