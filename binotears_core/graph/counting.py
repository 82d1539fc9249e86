"""How many ways there are to direct the open edges of a CPDAG, exactly, without listing them.

The open edges of a CPDAG form chordal pieces that do not influence one another. A piece may be directed in any way that
makes no cycle and no new collider, and the size of the class is the product over pieces. Each such orientation comes
from ordering the nodes; *Clique-Picking* (Wienöbst, Bannach & Liśkiewicz 2021, "Polynomial-time algorithms for counting
and sampling Markov equivalent DAGs") counts them by the maximal clique K that may come first in the order:

    #(G) = Σ_K  φ(K) · Π_{H ∈ rest(K)} #(H)

`rest(K)` are the pieces still open once all arrows out of K and what they force are drawn; φ(K) counts the orders of K
that do not start with a separator met on the way from the root of the clique tree to K: those orientations were
counted nearer to the root.

*Known arrows* enter without changing the sum: an orientation has them all exactly when the order of K has those inside
K, the drawn arrows agree, and the pieces left have theirs. Without known arrows the cost is polynomial; with them it
can grow as 2^(nodes they touch inside one clique).

A triangle has 3! orders; with one arrow known, half of them:

>>> triangle = ChordalCounter({0: {1, 2}, 1: {0, 2}, 2: {0, 1}})
>>> triangle.count(), triangle.count({(0, 1)})
(6, 3)
>>> ChordalCounter({v: set(range(30)) - {v} for v in range(30)}).count() == math.factorial(30)
True
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

Nodes = frozenset[int]
Arrows = frozenset[tuple[int, int]]


class _Pick(NamedTuple):
    """A clique that comes first: starts to avoid (nested, small to large), when each node follows, what is left."""

    clique: Nodes
    forbidden: tuple[Nodes, ...]
    turn: Mapping[int, int]
    rest: tuple[Nodes, ...]


class ChordalCounter:
    """Counts the orientations of an undirected chordal graph that have no cycle and no collider of non-adjacent nodes.

    neighbours: node → the nodes joined to it. Results of sub-problems are kept for the next call.
    """

    def __init__(self, neighbours: Mapping[int, Iterable[int]]) -> None:
        self._near: dict[int, Nodes] = {v: frozenset(near) for v, near in neighbours.items()}
        self._pieces = _components(frozenset(self._near), self._near)
        self._picks: dict[Nodes, list[_Pick]] = {}
        self._counts: dict[tuple[Nodes, Arrows], int] = {}
        self._orders: dict[tuple[Nodes, Arrows], int] = {}

    def count(self, known: Iterable[tuple[int, int]] = ()) -> int:
        """Number of orientations that contain every `known` arrow (a, b): a → b."""
        arrows = frozenset(known)
        return math.prod(self._orientations(piece, _inside(arrows, piece)) for piece in self._pieces)

    def _orientations(self, piece: Nodes, arrows: Arrows) -> int:
        """#(G) for a connected piece."""
        if (piece, arrows) not in self._counts:
            if piece not in self._picks:
                self._picks[piece] = [self._pick(piece, *choice) for choice in self._cliques(piece)]
            self._counts[piece, arrows] = sum(self._beginning(pick, arrows) for pick in self._picks[piece])
        return self._counts[piece, arrows]

    def _beginning(self, pick: _Pick, arrows: Arrows) -> int:
        """φ(K) · Π #(H): the orientations counted at one clique."""
        if any(pick.turn[a] > pick.turn[b] for a, b in arrows):
            return 0
        left = math.prod(self._orientations(piece, _inside(arrows, piece)) for piece in pick.rest)
        return left and left * self._clique_orders(pick.clique, pick.forbidden, arrows)

    def _clique_orders(self, clique: Nodes, forbidden: tuple[Nodes, ...], arrows: Arrows) -> int:
        """φ(K): orders of a clique in which no forbidden set comes first.

        φ(K; R₁ ⊂ R₂ ⊂ …) = orders(K) − Σᵢ φ(Rᵢ; R₁ … Rᵢ₋₁) · orders(K∖Rᵢ), by the smallest Rᵢ the order starts with.
        """
        total = self._linear_orders(clique, _inside(arrows, clique))
        for i, start in enumerate(forbidden):
            later = clique - start
            if not any(a in later and b in start for a, b in arrows):
                begun = self._clique_orders(start, forbidden[:i], arrows)
                total -= begun * self._linear_orders(later, _inside(arrows, later))
        return total

    def _linear_orders(self, nodes: Nodes, arrows: Arrows) -> int:
        """Orders of `nodes` that respect the arrows: n! · Π orders(part) / |part|! over the parts tied by arrows."""
        total = math.factorial(len(nodes))
        tied: dict[int, set[int]] = {v: set() for arrow in arrows for v in arrow}
        for a, b in arrows:
            tied[a].add(b)
            tied[b].add(a)
        for part in _components(frozenset(tied), tied):
            total = total // math.factorial(len(part)) * self._tied_orders(part, _inside(arrows, part))
        return total

    def _tied_orders(self, part: Nodes, arrows: Arrows) -> int:
        """Orders of a part tied together by arrows: the sum over the node that may come first."""
        if (part, arrows) not in self._orders:
            first = part - {b for _, b in arrows}
            remaining = (part - {v} for v in first)
            self._orders[part, arrows] = sum(self._linear_orders(nodes, _inside(arrows, nodes)) for nodes in remaining)
        return self._orders[part, arrows]

    def _cliques(self, piece: Nodes) -> list[tuple[Nodes, tuple[Nodes, ...]]]:
        """Maximal cliques of a connected chordal piece, each with its forbidden starts.

        Maximum cardinality search finds them as a tree (Blair & Peyton 1993): a node that sees no more visited nodes
        than the one before opens a clique, hung under the clique of the last visited node it sees.
        """
        cliques: list[set[int]] = []
        path: list[list[Nodes]] = []  # for each clique the separators from the root down to it
        home: dict[int, int] = {}  # visited node → clique that received it; keeps the order of visits
        seen: dict[int, list[int]] = {v: [] for v in sorted(piece)}
        before = -1
        while seen:
            v = max(seen, key=lambda u: len(seen[u]))
            earlier = seen.pop(v)
            if len(earlier) <= before or not cliques:
                path.append([*path[home[earlier[-1]]], frozenset(earlier)] if cliques else [])
                cliques.append(set(earlier))
            cliques[-1].add(v)
            before = len(earlier)
            home[v] = len(cliques) - 1
            for u in self._near[v] & seen.keys():
                seen[u].append(v)
        # A separator inside K lies in every clique between, so those kept are nested; a dict drops repeats, not order.
        return [
            (frozenset(clique), tuple(dict.fromkeys(start for start in starts if start <= clique)))
            for clique, starts in zip(cliques, path, strict=True)
        ]

    def _pick(self, piece: Nodes, clique: Nodes, forbidden: tuple[Nodes, ...]) -> _Pick:
        """What follows when `clique` comes first, by lexicographic search: nodes with the same label stay open."""
        turn = dict.fromkeys(clique, 0)
        rest: list[Nodes] = []
        blocks = [clique, piece - clique]
        while blocks:
            v = min(blocks[0])
            if v not in turn:
                turn.update(dict.fromkeys(blocks[0], len(turn)))
                rest.extend(_components(blocks[0], self._near))
            near = self._near[v]
            split = (part for block in blocks for part in (block & near, block - near - {v}))
            blocks = [part for part in split if part]
        return _Pick(clique, forbidden, turn, tuple(rest))


def _inside(arrows: Arrows, nodes: Nodes) -> Arrows:
    return frozenset((a, b) for a, b in arrows if a in nodes and b in nodes) if arrows else arrows


def _components(nodes: Nodes, near: Mapping[int, Iterable[int]]) -> list[Nodes]:
    """Connected components of the graph induced on `nodes`."""
    waiting = set(nodes)
    found = []
    while waiting:
        part: set[int] = set()
        frontier = {waiting.pop()}
        while frontier:
            part |= frontier
            frontier = {u for v in frontier for u in near[v]} & waiting
            waiting -= frontier
        found.append(frozenset(part))
    return found
