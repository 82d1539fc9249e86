"""Meek's rules: what some known arrows force on the edges whose direction is still open.

A partially directed graph is one matrix: i → j is M[i, j] = 1, M[j, i] = 0; an open edge i — j is 1 both ways. Opening
no new collider and closing no cycle leaves an open edge a — b only one direction when

    rule 1   c → a — b,  c and b not adjacent           else c → a ← b would be a new collider
    rule 2   a → c → b  and  a — b                      else a → c → b → a would be a cycle
    rule 3   a — c → b, a — d → b, c and d not adjacent else both would point at a: a new collider
    rule 4   a — c → d → b, a — d, c and b not adjacent else both c and b would point at a: a new collider

Applied until nothing changes, the rules find *everything* that follows (Meek 1995, "Causal inference and causal
explanation with background knowledge"): each edge left open really occurs both ways. Rule 4 is only ever needed when
arrows were added by hand.

In a triangle A — B — C — A two arrows in a row decide the third edge:

>>> triangle = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
>>> matrix, (forced,) = close(triangle, [(0, 1), (1, 2)], names="ABC")
>>> print(forced.explanation)
Rule 2: A → B → C is known, so A — C must point to C; otherwise there would be a cycle.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from binotears_core.graph.dag import Adjacency

_BECAUSE = {
    1: "{0} → {a} is known and {0} is not adjacent to {b}, so {a} — {b} must point to {b}; "
    "otherwise {0} → {a} ← {b} would be a new collider.",
    2: "{a} → {0} → {b} is known, so {a} — {b} must point to {b}; otherwise there would be a cycle.",
    3: "{0} → {b} ← {1} is known and {0} is not adjacent to {1}, so {a} — {b} must point to {b}; "
    "otherwise, to avoid a cycle, {0} → {a} ← {1} would be a new collider.",
    4: "{0} → {1} → {b} is known and {0} is not adjacent to {b}, so {a} — {b} must point to {b}; "
    "otherwise, to avoid a cycle, {0} → {a} ← {b} would be a new collider.",
}


@dataclass(frozen=True)
class Consequence:
    """An arrow source → target that Meek's `rule` (1–4) forces; `via` names the other nodes of the rule's pattern."""

    source: str
    target: str
    rule: int
    via: tuple[str, ...]

    @property
    def explanation(self) -> str:
        """The rule in words, with the names in place."""
        return f"Rule {self.rule}: " + _BECAUSE[self.rule].format(*self.via, a=self.source, b=self.target)


def close(
    matrix: npt.ArrayLike, arrows: Iterable[tuple[int, int]], names: Sequence[str]
) -> tuple[Adjacency, tuple[Consequence, ...]]:
    """Orient `arrows` in a partially directed (p, p) graph, then all that follows from them by Meek's rules.

    Returns the new matrix and the consequences, each stated after what it rests on. The graph must have been closed
    before `arrows` came in (a skeleton without arrows is).
    """
    marks = _Marks(np.asarray(matrix))
    given = list(arrows)
    for a, b in given:
        marks.orient(a, b)
    queue = deque(edge for arrow in given for edge in marks.open_near(*arrow))
    forced: list[Consequence] = []
    while queue:
        pair = queue.popleft()
        for a, b in (pair, pair[::-1]):
            found = marks.rule_for(a, b)
            if found:
                rule, via = found
                marks.orient(a, b)
                queue.extend(marks.open_near(a, b))
                forced.append(Consequence(names[a], names[b], rule, tuple(names[v] for v in via)))
                break
    return marks.to_matrix(), tuple(forced)


class _Marks:
    """A partially directed graph as sets, one per node; changed in place while the rules run."""

    def __init__(self, matrix: npt.NDArray[np.generic]) -> None:
        edge = matrix != 0
        self.adjacent = _rows(edge | edge.T)
        self.open = _rows(edge & edge.T)
        self.children = _rows(edge & ~edge.T)
        self.parents = _rows(edge.T & ~edge)

    def orient(self, a: int, b: int) -> None:
        """Make the edge between a and b an arrow a → b."""
        self.open[a].discard(b)
        self.open[b].discard(a)
        self.children[a].add(b)
        self.parents[b].add(a)

    def open_near(self, a: int, b: int) -> list[tuple[int, int]]:
        """Open edges on which a new arrow a → b can matter: those at a, at b, or (for rule 4) at a child of b."""
        near = {(min(u, v), max(u, v)) for u in (a, b, *self.children[b]) for v in self.open[u]}
        return sorted(near)

    def rule_for(self, a: int, b: int) -> tuple[int, tuple[int, ...]] | None:
        """The first rule that turns the open edge a — b into a → b, with its witnesses; None when none does."""
        if b not in self.open[a]:
            return None
        if outside := self.parents[a] - self.adjacent[b]:
            return 1, (min(outside),)
        if between := self.children[a] & self.parents[b]:
            return 2, (min(between),)
        middle = self.open[a] & self.parents[b]
        for c, d in combinations(sorted(middle), 2):
            if d not in self.adjacent[c]:
                return 3, (c, d)
        for d in sorted(middle):
            if start := (self.open[a] & self.parents[d]) - self.adjacent[b]:
                return 4, (min(start), d)
        return None

    def to_matrix(self) -> Adjacency:
        """(p, p) matrix of 0/1."""
        matrix = np.zeros((len(self.open), len(self.open)), dtype=np.int8)
        for v, (out, undecided) in enumerate(zip(self.children, self.open, strict=True)):
            matrix[v, list(out | undecided)] = 1
        return matrix


def _rows(mask: npt.NDArray[np.bool_]) -> list[set[int]]:
    return [set(np.flatnonzero(row).tolist()) for row in mask]
