"""Which DAGs no data can tell apart.

Two DAGs imply the same independences exactly when they have the same edges without arrowheads (*skeleton*) and the same
colliders a → b ← c with a and c not adjacent (*v-structures*); Verma & Pearl 1990. Such DAGs form a Markov equivalence
class. It is drawn as one graph, the CPDAG: an arrow where every member agrees (*compelled*), a plain line where members
differ (*reversible*).

A chain can be read from either end, a collider cannot:

    rain → wet → slip    ≡    rain ← wet → slip    ≢    rain → wet ← slip

>>> from binotears_core.graph.dag import from_edges
>>> names = ("rain", "wet", "slip")
>>> chain = from_edges([("rain", "wet"), ("wet", "slip")], names)
>>> fork = from_edges([("wet", "rain"), ("wet", "slip")], names)
>>> collider = from_edges([("rain", "wet"), ("slip", "wet")], names)
>>> markov_equivalent(chain, fork), markov_equivalent(chain, collider)
(True, False)
>>> cpdag(chain, names).undirected
[('rain', 'wet'), ('wet', 'slip')]
>>> cpdag(collider, names).directed
[('rain', 'wet'), ('slip', 'wet')]

How many members a class has, which they are and what follows when one edge is known: see `members`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from binotears_core.errors import OptionError
from binotears_core.graph.dag import Adjacency, Edge, find_cycle, is_dag, to_edges
from binotears_core.graph.meek import close


@dataclass(frozen=True, eq=False)
class PDAG:
    """A partially directed graph over names; equal when class, names and matrix are.

    matrix   (p, p) 0/1, read-only: i → j is M[i, j] = 1, M[j, i] = 0; i — j (open) is 1 both ways
    """

    matrix: Adjacency
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        matrix = (np.asarray(self.matrix) != 0).astype(np.int8)
        if matrix.shape != (len(self.names), len(self.names)):
            raise OptionError(f"A graph over {len(self.names)} names needs a square matrix, not {matrix.shape}.")
        matrix.setflags(write=False)
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "names", tuple(self.names))

    @property
    def directed(self) -> list[Edge]:
        """(source, target) of every arrow, row by row."""
        return to_edges(self.matrix > self.matrix.T, self.names)

    @property
    def undirected(self) -> list[Edge]:
        """The two ends of every open edge, each edge once."""
        return to_edges(np.triu(self.matrix & self.matrix.T), self.names)

    def position(self, name: str) -> int:
        """Row of a name; OptionError when there is none."""
        if name not in self.names:
            raise OptionError(f"'{name}' is not a variable of this graph. The variables are: {', '.join(self.names)}.")
        return self.names.index(name)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.matrix, dtype=dtype, copy=copy)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, PDAG):
            return NotImplemented
        return self.names == other.names and bool(np.array_equal(self.matrix, other.matrix))

    def __hash__(self) -> int:
        return hash((self.names, self.matrix.tobytes()))


class CPDAG(PDAG):
    """The PDAG of a whole Markov equivalence class: arrows are compelled, open edges are reversible. See `cpdag`."""


def skeleton(adjacency: npt.ArrayLike) -> Adjacency:
    """(p, p) symmetric 0/1: which nodes are joined, whatever the direction."""
    edge = np.asarray(adjacency) != 0
    joined: Adjacency = (edge | edge.T).astype(np.int8)
    return joined


def v_structures(adjacency: npt.ArrayLike) -> set[tuple[int, int, int]]:
    """All (a, b, c) with a → b ← c, a < c, and a, c not adjacent."""
    arrow, apart = _arrows_and_strangers(adjacency)
    triples = arrow[:, :, None] & arrow.T[None, :, :] & np.triu(apart)[:, None, :]
    return {(a, b, c) for a, b, c in np.argwhere(triples).tolist()}


def cpdag(adjacency: npt.ArrayLike, names: Sequence[str] | None = None) -> CPDAG:
    """The CPDAG of a DAG: its skeleton, the arrows of its v-structures, and what they force by Meek's rules."""
    labels = tuple(names) if names is not None else tuple(f"X{j + 1}" for j in range(len(np.asarray(adjacency))))
    matrix = PDAG(np.asarray(adjacency), labels).matrix
    if not is_dag(matrix):
        cycle = find_cycle(matrix)
        loop = " → ".join(labels[i] for i in [*cycle, cycle[0]])
        raise OptionError(f"The graph has the cycle {loop}, so it has no equivalence class. Remove one of these edges.")
    return CPDAG(close(skeleton(matrix), _collider_arrows(matrix), labels)[0], labels)


def markov_equivalent(first: npt.ArrayLike, second: npt.ArrayLike) -> bool:
    """True when two DAGs have the same skeleton and the same v-structures."""
    return bool(np.array_equal(skeleton(first), skeleton(second))) and v_structures(first) == v_structures(second)


def _arrows_and_strangers(adjacency: npt.ArrayLike) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """(p, p) masks: [a, b] with a → b, and [a, c] of different nodes that are not adjacent."""
    edge = np.asarray(adjacency) != 0
    return edge & ~edge.T, ~(edge | edge.T | np.eye(len(edge), dtype=bool))


def _collider_arrows(adjacency: npt.ArrayLike) -> list[tuple[int, int]]:
    """Every a → b that is half of a v-structure: some c → b has c not adjacent to a."""
    arrow, apart = _arrows_and_strangers(adjacency)
    return [(a, b) for a, b in np.argwhere(arrow & (apart @ arrow)).tolist()]


def explain_compelled(graph: CPDAG) -> dict[Edge, str]:
    """For every arrow of a CPDAG the reason why all members have it: a collider, or the Meek rule that forces it."""
    names = graph.names
    why: dict[Edge, str] = {}
    for a, b, c in sorted(v_structures(graph.matrix)):
        for tail in (a, c):
            sentence = f"Collider: {names[a]} → {names[b]} ← {names[c]}, and {names[a]} is not adjacent to {names[c]}."
            why.setdefault((names[tail], names[b]), sentence)
    for forced in close(skeleton(graph.matrix), _collider_arrows(graph.matrix), names)[1]:
        why[forced.source, forced.target] = forced.explanation
    return why
