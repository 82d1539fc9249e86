"""The members of a Markov equivalence class: how many, which, and what is left when an edge is known.

An `EquivalenceClass` is a CPDAG and the edges a user has *locked*. Locking an open edge keeps the members that have it;
Meek's rules say what else those members agree on. Classes are values: `lock` and `unlock` return new ones.

A chain A — B — C with no collider at B stands for three DAGs: A → B → C, A ← B → C, A ← B ← C.

>>> chain = EquivalenceClass.of_dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], names="ABC")
>>> chain.count
3
>>> print(chain.share("A", "B").sentence)
A — B: the data cannot tell the direction; 1 of 3 equivalent graphs has A → B.
>>> locked = chain.lock("A", "B")
>>> locked.count, locked.compelled
(1, [('A', 'B'), ('B', 'C')])
>>> [(then.source, then.target, then.rule) for then in locked.steps[-1].consequences]
[('B', 'C', 1)]
>>> locked.unlock("A", "B") == chain
True
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt

from binotears_core.errors import OptionError
from binotears_core.graph.constraints import EdgeRules
from binotears_core.graph.counting import ChordalCounter
from binotears_core.graph.dag import Adjacency, Edge
from binotears_core.graph.equivalence import CPDAG, PDAG, cpdag, explain_compelled
from binotears_core.graph.meek import Consequence, close


@dataclass(frozen=True)
class Share:
    """source → target in `count` of the `total` members."""

    source: str
    target: str
    count: int
    total: int

    @property
    def sentence(self) -> str:
        """The share in words, for an edge or for a pair that has none."""
        a, b = self.source, self.target
        if self.count in (0, self.total):
            return f"{a} → {b} in {'every' if self.count else 'no'} equivalent graph."
        verb = "has" if self.count == 1 else "have"
        counts = f"{self.count} of {self.total} equivalent graphs {verb} {a} → {b}"
        return f"{a} — {b}: the data cannot tell the direction; {counts}."


@dataclass(frozen=True)
class LockResult:
    """One lock: the arrow, why it was set, the graph after it, and what followed from it (not the arrow itself)."""

    source: str
    target: str
    why: str
    graph: PDAG
    consequences: tuple[Consequence, ...]


def lock(graph: PDAG, source: str, target: str, why: str = "You locked it.") -> LockResult:
    """Set source → target in a graph closed under Meek's rules (a CPDAG, or the graph of an earlier lock)."""
    a, b = graph.position(source), graph.position(target)
    if not graph.matrix[a, b]:
        if graph.matrix[b, a]:
            raise OptionError(f"{source} → {target} is not possible: every graph that is left has {target} → {source}.")
        raise OptionError(
            f"{source} and {target} are not adjacent, so {source} → {target} is in no graph of the class."
        )
    matrix, consequences = close(graph.matrix, [(a, b)], graph.names)
    return LockResult(source, target, why, PDAG(matrix, graph.names), consequences)


def list_members(graph: PDAG, limit: int | None = None) -> Iterator[Adjacency]:
    """Lazily the (p, p) DAGs of a CPDAG or locked graph, each once, at most `limit`.

    An open edge of a graph closed under Meek's rules occurs both ways, so no branch of this search is in vain.
    """
    return islice(_search(graph.matrix, graph.names), limit)


def _search(start: Adjacency, names: tuple[str, ...]) -> Iterator[Adjacency]:
    waiting = [start]
    while waiting:
        matrix = waiting.pop()
        undecided = np.argwhere(np.triu(matrix & matrix.T))
        if len(undecided) == 0:
            yield matrix.copy()
        else:
            a, b = undecided[0].tolist()
            waiting += [close(matrix, [arrow], names)[0] for arrow in ((b, a), (a, b))]


@dataclass(frozen=True)
class EquivalenceClass:
    """A CPDAG and the locks set on it, in order."""

    cpdag: CPDAG
    steps: tuple[LockResult, ...] = ()

    @classmethod
    def of_dag(cls, adjacency: npt.ArrayLike, names: Sequence[str] | None = None) -> EquivalenceClass:
        """The class a DAG belongs to, nothing locked."""
        return cls(cpdag(adjacency, names))

    @property
    def locks(self) -> tuple[Edge, ...]:
        """The locked arrows, in order."""
        return tuple((step.source, step.target) for step in self.steps)

    @property
    def graph(self) -> PDAG:
        """What is known: the CPDAG with the locks and all that follows from them."""
        return self.steps[-1].graph if self.steps else self.cpdag

    @property
    def compelled(self) -> list[Edge]:
        """Arrows all members that are left agree on."""
        return self.graph.directed

    @property
    def reversible(self) -> list[Edge]:
        """Edges that occur both ways among the members that are left."""
        return self.graph.undirected

    def lock(self, source: str, target: str, why: str = "You locked it.") -> EquivalenceClass:
        """The members that have source → target; OptionError with the reason when there is none."""
        reason = self.explanations.get((target, source), "")
        try:
            step = lock(self.graph, source, target, why)
        except OptionError as error:
            raise OptionError(f"{error} {reason}".strip()) from None
        return EquivalenceClass(self.cpdag, (*self.steps, step))

    def unlock(self, source: str, target: str) -> EquivalenceClass:
        """The same class without one of its locks."""
        if (source, target) not in self.locks:
            raise OptionError(f"{source} → {target} is not locked, so there is nothing to undo.")
        kept = EquivalenceClass(self.cpdag)
        for step in self.steps:
            if (step.source, step.target) != (source, target):
                kept = kept.lock(step.source, step.target, step.why)
        return kept

    def with_rules(self, rules: EdgeRules) -> EquivalenceClass:
        """Lock what forbidden, required and tiers decide; OptionError when no member obeys them."""
        found = self
        for source, target, why in self._demands(rules):
            if (source, target) not in found.compelled:
                try:
                    found = found.lock(source, target, why)
                except OptionError as error:
                    raise OptionError(
                        f"No member of this class obeys the constraints. {why} But {error} "
                        "Drop that constraint, or learn the graph again with it."
                    ) from None
        return found

    def _demands(self, rules: EdgeRules) -> Iterator[tuple[str, str, str]]:
        """Every arrow the rules ask for, with the reason."""
        names = self.cpdag.names
        joined = (self.cpdag.matrix | self.cpdag.matrix.T) != 0
        for i, j in np.argwhere(rules.required | (joined & ~rules.allowed.T)):
            a, b = names[i], names[j]
            yield a, b, f"{a} → {b} is required." if rules.required[i, j] else f"{b} → {a} is not allowed."

    @cached_property
    def explanations(self) -> dict[Edge, str]:
        """For every compelled arrow why it is so: a collider, a Meek rule, or a lock."""
        why = explain_compelled(self.cpdag)
        for step in self.steps:
            why.setdefault((step.source, step.target), step.why)
            why.update({(then.source, then.target): then.explanation for then in step.consequences})
        return why

    @cached_property
    def count(self) -> int:
        """Exact number of members that have every lock."""
        return self._counter.count(self._known)

    def share(self, source: str, target: str) -> Share:
        """How many members have source → target, exactly."""
        a, b = self.graph.position(source), self.graph.position(target)
        if not self.graph.matrix[a, b]:
            return Share(source, target, 0, self.count)
        return Share(source, target, self._counter.count(self._known | {(a, b)}), self.count)

    @property
    def shares(self) -> list[Share]:
        """One share per reversible edge, in the order of `reversible`; the other direction has the rest."""
        return [self.share(a, b) for a, b in self.reversible]

    def members(self, limit: int | None = None) -> Iterator[Adjacency]:
        """Lazily the DAGs that have every lock, at most `limit`."""
        return list_members(self.graph, limit)

    @cached_property
    def _counter(self) -> ChordalCounter:
        undecided = self.cpdag.matrix & self.cpdag.matrix.T
        return ChordalCounter({v: np.flatnonzero(row).tolist() for v, row in enumerate(undecided)})

    @property
    def _known(self) -> frozenset[tuple[int, int]]:
        """Locks as index pairs. What follows from them needs no mention: it holds in every member that has them."""
        at = self.cpdag.position
        return frozenset((at(a), at(b)) for a, b in self.locks)


def count_members(graph: CPDAG) -> int:
    """Exact number of DAGs in a Markov equivalence class."""
    return EquivalenceClass(graph).count


def edge_shares(graph: CPDAG) -> list[Share]:
    """For each reversible edge of a class, "A → B in k of N members"."""
    return EquivalenceClass(graph).shares
