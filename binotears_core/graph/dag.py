"""Directed acyclic graphs as matrices, and the one convention of this project:

    A[i, j] != 0   means   i → j   (row = cause, column = effect).

Every matrix in this project, every picture and every exported file (`source,target`) follows it.

>>> A = from_edges([("rain", "wet"), ("sprinkler", "wet")], names=["rain", "sprinkler", "wet"])
>>> A.tolist()
[[0, 0, 1], [0, 0, 1], [0, 0, 0]]
>>> topological_order(A)
[0, 1, 2]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import networkx as nx
import numpy as np
import numpy.typing as npt

from binotears_core.errors import OptionError

Adjacency = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float64]
Edge = tuple[str, str]


def from_edges(edges: Iterable[Edge], names: Sequence[str]) -> Adjacency:
    """(p, p) matrix of 0/1 from (source, target) names."""
    position = {name: index for index, name in enumerate(names)}
    adjacency = np.zeros((len(names), len(names)), dtype=np.int8)
    for source, target in edges:
        for name in (source, target):
            if name not in position:
                raise OptionError(
                    f"The edge {source} → {target} names '{name}', which is not a variable. Check its spelling."
                )
        adjacency[position[source], position[target]] = 1
    return adjacency


def to_edges(adjacency: npt.ArrayLike, names: Sequence[str]) -> list[Edge]:
    """(source, target) names of every edge, row by row."""
    return [(names[i], names[j]) for i, j in np.argwhere(np.asarray(adjacency) != 0)]


def to_networkx(adjacency: npt.ArrayLike, names: Sequence[str], strength: npt.ArrayLike | None = None) -> nx.DiGraph:
    """A networkx graph over names; with `strength`, each edge carries it."""
    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    matrix = np.asarray(adjacency)
    for i, j in np.argwhere(matrix != 0):
        value = float(np.asarray(strength)[i, j]) if strength is not None else float(matrix[i, j])
        graph.add_edge(names[i], names[j], strength=value)
    return graph


def parents(adjacency: npt.ArrayLike, node: int) -> list[int]:
    """Indices i with i → node, ascending."""
    return [int(i) for i in np.flatnonzero(np.asarray(adjacency)[:, node])]


def topological_order(adjacency: npt.ArrayLike) -> list[int]:
    """Causes before effects; among free nodes the smallest index first. Raises OptionError on a cycle."""
    matrix = np.asarray(adjacency) != 0
    waiting = matrix.sum(axis=0)
    done = np.zeros(len(matrix), dtype=bool)
    order: list[int] = []
    for _ in range(len(matrix)):
        free = np.flatnonzero(~done & (waiting == 0))
        if free.size == 0:
            raise OptionError("The graph has a cycle, so it has no topological order. Remove an edge of the cycle.")
        node = int(free[0])
        done[node] = True
        order.append(node)
        waiting = waiting - matrix[node]
    return order


def is_dag(adjacency: npt.ArrayLike) -> bool:
    """True when the edges admit a topological order."""
    try:
        topological_order(adjacency)
    except OptionError:
        return False
    return True


def find_cycle(adjacency: npt.ArrayLike) -> list[int]:
    """Nodes of one directed cycle in order, or an empty list."""
    graph = nx.from_numpy_array((np.asarray(adjacency) != 0).astype(int), create_using=nx.DiGraph)
    try:
        return [int(source) for source, _ in nx.find_cycle(graph)]
    except nx.NetworkXNoCycle:
        return []


def descendants(adjacency: npt.ArrayLike, node: int) -> npt.NDArray[np.bool_]:
    """(p,) True for every node reached from `node` along one or more edges."""
    matrix = np.asarray(adjacency) != 0
    reached: npt.NDArray[np.bool_] = matrix[node]
    while (grown := reached | matrix[reached].any(axis=0)).sum() > reached.sum():
        reached = grown
    return reached.copy()


def threshold_to_dag(
    strength: npt.ArrayLike, threshold: float, required: npt.ArrayLike | None = None
) -> tuple[Adjacency, list[tuple[int, int]]]:
    """Keep edges stronger than `threshold`; while a cycle is left, drop the weakest edge *on a cycle*.

    Returns the DAG and the edges dropped to break cycles (weakest first). Required edges are kept whatever their
    strength and never dropped.
    """
    matrix = np.asarray(strength, dtype=np.float64)
    must = np.zeros(matrix.shape, dtype=bool) if required is None else np.asarray(required, dtype=bool)
    keep = (matrix > threshold) | must
    np.fill_diagonal(keep, False)
    candidates = np.argwhere(keep & ~must)
    dropped: list[tuple[int, int]] = []
    # One pass suffices: dropping edges never puts an edge on a cycle that was on none.
    for i, j in candidates[np.argsort(matrix[tuple(candidates.T)], kind="stable")].tolist():
        if descendants(keep, j)[i]:
            keep[i, j] = False
            dropped.append((i, j))
    return keep.astype(np.int8), dropped
