"""The graph of a simulation: random (Erdős–Rényi, scale-free) or the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import networkx as nx
import numpy as np

from binotears_core.data.table import check_names
from binotears_core.errors import OptionError
from binotears_core.graph.dag import Adjacency, find_cycle, from_edges
from binotears_core.simulation.streams import check_at_least, stream

GRAPHS = ("ER", "SF")


def random_graph(kind: str, nodes: int, degree: int, seed: int) -> Adjacency:
    """(p, p) random DAG with permuted labels.

    "ER": exactly min(k·p, p(p−1)/2) edges, uniform among the pairs of a random order.
    "SF": preferential attachment with exponent 1: each new node sends k edges to old ones (to all of them while there
    are fewer), chosen with probability ∝ in-degree + 1. Its hubs are sinks.
    """
    check_at_least("nodes", nodes, 1)
    check_at_least("degree", degree, 1)
    if kind not in GRAPHS:
        raise OptionError(f"There is no random graph '{kind}'. Use {' or '.join(GRAPHS)}, or give your own graph.")
    generator = stream(seed, "graph")
    ordered = (_erdos_renyi if kind == "ER" else _scale_free)(nodes, degree, generator)
    shuffle = generator.permutation(nodes)
    return np.ascontiguousarray(ordered[np.ix_(shuffle, shuffle)])


def own_graph(graph: Any, names: Sequence[str] | None) -> tuple[Adjacency, tuple[str, ...]]:
    """Adjacency and names of a matrix, a networkx.DiGraph or (source, target) pairs; refuses a cycle by naming it.

    `names` label the columns of a matrix; else they fix the order of the nodes and may add some without edges.
    """
    adjacency, found = _read_graph(graph, names)
    columns = tuple(names or found)
    if len(columns) != len(adjacency):
        raise OptionError(f"{len(columns)} names were given for {len(adjacency)} nodes. Give one name per node.")
    check_names(columns)
    cycle = find_cycle(adjacency)
    if cycle:
        path = " → ".join(columns[i] for i in [*cycle, cycle[0]])
        raise OptionError(f"The graph has the cycle {path}. Remove one of its edges.")
    return adjacency, columns


def _erdos_renyi(nodes: int, degree: int, generator: np.random.Generator) -> Adjacency:
    sources, targets = np.triu_indices(nodes, 1)
    chosen = generator.choice(len(sources), min(degree * nodes, len(sources)), replace=False)
    adjacency = np.zeros((nodes, nodes), dtype=np.int8)
    adjacency[sources[chosen], targets[chosen]] = 1
    return adjacency


def _scale_free(nodes: int, degree: int, generator: np.random.Generator) -> Adjacency:
    adjacency = np.zeros((nodes, nodes), dtype=np.int8)
    for new in range(1, nodes):
        # In-degree + 1, not total degree: this is what gives the in-degrees of 20 and 29 at p = 40 for k = 2 and 4.
        appeal = 1.0 + adjacency[:, :new].sum(axis=0)
        old = generator.choice(new, min(degree, new), replace=False, p=appeal / appeal.sum())
        adjacency[new, old] = 1
    return adjacency


def _read_graph(graph: Any, names: Sequence[str] | None) -> tuple[Adjacency, tuple[str, ...]]:
    """Adjacency of the user's graph and the names it brings along."""
    if isinstance(graph, nx.Graph):
        if not graph.is_directed():
            raise OptionError("The graph has no directions. Give a networkx.DiGraph.")
        found = tuple(str(node) for node in graph.nodes)
        check_names(found)
        return from_edges([(str(source), str(target)) for source, target in graph.edges], names or found), found
    pairs = list(graph) if isinstance(graph, Iterable) else []
    if (pairs or names) and all(_is_edge(pair) for pair in pairs):
        found = tuple(dict.fromkeys(name for pair in pairs for name in pair))
        return from_edges([(source, target) for source, target in pairs], names or found), found
    try:
        matrix = np.asarray(graph, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        raise OptionError(
            "The graph is not understood. Give a square matrix, a networkx.DiGraph or (source, target) pairs."
        )
    return (matrix != 0).astype(np.int8), tuple(f"X{j + 1}" for j in range(len(matrix)))


def _is_edge(pair: Any) -> bool:
    return isinstance(pair, (tuple, list)) and len(pair) == 2 and all(isinstance(name, str) for name in pair)
