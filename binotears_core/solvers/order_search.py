"""Search over orders for graphs too large for the exact search, in the manner of BOSS and GRaSP.

An order π gives every node the candidates before it; grow–shrink picks its parents among them; the order's score is
the sum over nodes. One move takes a variable out and puts it back at its best position:

    score(v at position i) = Σ_{u before i} s(u | before u) + s(v | before i) + Σ_{u after i} s(u | before u, v)

so all positions of v together cost 3p grow–shrink runs. Sweeps over the variables go on until no move helps; then the
search starts again from another order.

Grow–shrink adds, one at a time, the candidate that raises the local score most. Parents that act only *together* (an
exclusive or) raise nothing alone; where no single candidate helps, the pairs whose product best explains what is left
of the node are tried as pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from binotears_core.data.table import BinaryData
from binotears_core.graph.constraints import EdgeRules
from binotears_core.graph.dag import Adjacency
from binotears_core.results import Progress, Reporter
from binotears_core.solvers.local_scores import LocalScores, Parents

Floats = npt.NDArray[np.float64]
Order = tuple[int, ...]
Step = tuple[int, Parents]  # (bitmask of the variables added, the parents reached)

MOST_PARENTS = 10
_PAIRS_TRIED = 3
_SMALLEST_GAIN = 1e-9


@dataclass(frozen=True, eq=False)
class OrderSearchResult:
    """The best graph, its order and score; the last order, score and graph of every start; whether it was stopped."""

    adjacency: Adjacency
    order: Order
    score: float
    orders: tuple[Order, ...]
    start_scores: tuple[float, ...]
    graphs: tuple[Adjacency, ...]
    stopped: bool


class GrowShrink:
    """Parents of a node among its predecessors, with every intermediate step cached.

    The candidates' ranking at (node, parents) does not depend on the predecessors: growing picks the first in the
    ranking that is allowed. So all orders share the same tree of steps.
    """

    def __init__(self, data: BinaryData, scores: LocalScores, rules: EdgeRules, most_parents: int) -> None:
        self._scores = scores
        self._most = most_parents
        self._candidates = [tuple(np.flatnonzero(rules.allowed[:, j]).tolist()) for j in range(data.variables)]
        self._required = [tuple(np.flatnonzero(rules.required[:, j]).tolist()) for j in range(data.variables)]
        self._pairs = _PairScreen(data)
        self._steps: dict[tuple[int, Parents], list[Step]] = {}
        self._found: dict[tuple[int, int], tuple[float, Parents]] = {}

    def parents(self, node: int, before: int) -> tuple[float, Parents]:
        """(score, parents) of a node whose predecessors are the bitmask `before`; −inf where a required one is not."""
        key = (node, before)
        if key not in self._found:
            self._found[key] = self._run(node, before)
        return self._found[key]

    def _run(self, node: int, before: int) -> tuple[float, Parents]:
        current = self._required[node]
        if any(not before >> parent & 1 for parent in current):
            return -np.inf, current
        while step := next((s for s in self._ranking(node, current) if s[0] & ~before == 0), None):
            current = step[1]
        return self._shrink(node, current)

    def _shrink(self, node: int, parents: Parents) -> tuple[float, Parents]:
        score = self._scores.score(node, parents)
        while removable := [v for v in parents if v not in self._required[node]]:
            smaller = [tuple(u for u in parents if u != v) for v in removable]
            values = self._scores.batch(node, smaller)
            best = int(values.argmax())
            if values[best] <= score:
                break
            score, parents = float(values[best]), smaller[best]
        return score, parents

    def _ranking(self, node: int, parents: Parents) -> list[Step]:
        """What may be added here with gain, best first: single variables, or pairs where no single one helps."""
        key = (node, parents)
        if key not in self._steps:
            free = [v for v in self._candidates[node] if v not in parents] if len(parents) < self._most else []
            steps = self._gains(node, parents, [(v,) for v in free])
            if not steps and len(parents) + 2 <= self._most:
                steps = self._gains(node, parents, self._pairs.most_telling(node, parents, free))
            self._steps[key] = steps
        return self._steps[key]

    def _gains(self, node: int, parents: Parents, additions: Sequence[Parents]) -> list[Step]:
        if not additions:
            return []
        larger = [tuple(sorted((*parents, *added))) for added in additions]
        values = self._scores.batch(node, larger)
        floor = self._scores.score(node, parents) + _SMALLEST_GAIN
        ranked = sorted(range(len(larger)), key=lambda i: (-values[i], larger[i]))
        return [(sum(1 << v for v in additions[i]), larger[i]) for i in ranked if values[i] > floor]


class _PairScreen:
    """Which pairs {a, b} may act on a node only together: a score test for the product of the centred columns.

    With r the residual of the node given its parents (cell means), z²_ab = (Σ w r x̃_a x̃_b)² / Σ w r² x̃_a² x̃_b².
    """

    def __init__(self, data: BinaryData) -> None:
        self._bits = data.patterns
        self._counts = data.counts
        self._centred = data.patterns - data.prevalence

    def most_telling(self, node: int, parents: Parents, free: Sequence[int]) -> list[Parents]:
        """The few pairs of `free` variables with the largest z²."""
        if len(free) < 2:
            return []
        residual = self._residual(node, parents)
        columns = self._centred[:, list(free)]
        first = columns.T @ (columns * (self._counts * residual)[:, None])
        second = np.square(columns).T @ (np.square(columns) * (self._counts * np.square(residual))[:, None])
        above = np.triu_indices(len(free), 1)
        statistic = np.square(first[above]) / np.maximum(second[above], 1e-12)
        top = np.argsort(-statistic, kind="stable")[:_PAIRS_TRIED]
        return [(free[above[0][i]], free[above[1][i]]) for i in top]

    def _residual(self, node: int, parents: Parents) -> Floats:
        powers = np.int64(1) << np.arange(len(parents), dtype=np.int64)
        codes = self._bits[:, list(parents)].astype(np.int64) @ powers
        totals = np.bincount(codes, weights=self._counts)
        ones = np.bincount(codes, weights=self._counts * self._bits[:, node])
        mean = np.divide(ones, totals, out=np.zeros_like(ones), where=totals > 0)
        residual: Floats = self._bits[:, node].astype(np.float64) - mean[codes]
        return residual


def search(
    data: BinaryData,
    scores: LocalScores,
    rules: EdgeRules,
    *,
    starts: Iterable[Order],
    seed: int,
    most_parents: int = MOST_PARENTS,
    report: Reporter | None = None,
) -> OrderSearchResult:
    """Improve every starting order to a local optimum and keep the best; a stop keeps the best so far."""
    grow = GrowShrink(data, scores, rules, most_parents)
    rng = np.random.default_rng(seed)
    beginnings = [consistent_order(start, rules) for start in starts]
    orders: list[Order] = []
    stopped = False
    for number, start in enumerate(beginnings):
        teller = _Teller(report, number, len(beginnings), grow)
        order, stopped = _climb(grow, start, rng, teller)
        orders.append(order)
        if stopped:
            break
    totals = [_total(grow, order) for order in orders]
    best = int(np.argmax(totals))
    graphs = tuple(_graph(grow, order) for order in orders)
    return OrderSearchResult(graphs[best], orders[best], totals[best], tuple(orders), tuple(totals), graphs, stopped)


def consistent_order(order: Sequence[int], rules: EdgeRules) -> Order:
    """The order nearest to `order` in which required causes come first (others keep their turn)."""
    waiting = list(order)
    result: list[int] = []
    while waiting:
        ready = next(v for v in waiting if not any(rules.required[u, v] for u in waiting if u != v))
        waiting.remove(ready)
        result.append(ready)
    return tuple(result)


class _Teller:
    """Progress of one start: sweeps take unknown numbers of rounds, so each round claims half of what is left."""

    def __init__(self, report: Reporter | None, start: int, starts: int, grow: GrowShrink) -> None:
        self._report, self._start, self._starts, self._grow = report, start, starts, grow
        self._done = 0.0

    def __call__(self, order: Order, score: float, share: float, last: bool) -> bool:
        """`share` of the present sweep is done; returns True when asked to stop."""
        if self._report is None:
            return False
        within = self._done + (1 - self._done) * 0.5 * share
        if last:
            self._done = within
        graph = _graph(self._grow, order)
        message = f"start {self._start + 1} of {self._starts}"
        fraction = (self._start + within) / self._starts
        return self._report(
            Progress(
                "order search",
                self._start + 1,
                self._starts,
                fraction,
                loss=-score,
                edges=int(graph.sum()),
                message=message,
                adjacency=graph,
            )
        )


def _climb(
    grow: GrowShrink, order: Order, rng: np.random.Generator, tell: Callable[[Order, float, float, bool], bool]
) -> tuple[Order, bool]:
    """Best-position moves until a whole sweep brings nothing; (order, stopped)."""
    score = _total(grow, order)
    improved = True
    while improved:
        improved = False
        for turn, node in enumerate(rng.permutation(len(order)).tolist()):
            moved, reached = _best_position(grow, order, node)
            if reached > score + _SMALLEST_GAIN:
                order, score, improved = moved, reached, True
            if tell(order, score, (turn + 1) / len(order), turn + 1 == len(order)):
                return order, True
    return order, False


def _best_position(grow: GrowShrink, order: Order, node: int) -> tuple[Order, float]:
    """The order with `node` at its best position, and its score."""
    rest = [v for v in order if v != node]
    prefixes = _prefixes(rest)
    without = [grow.parents(v, prefixes[i])[0] for i, v in enumerate(rest)]
    after = [grow.parents(v, prefixes[i] | 1 << node)[0] for i, v in enumerate(rest)]
    own = [grow.parents(node, prefix)[0] for prefix in prefixes]
    totals = np.concatenate([[0.0], np.cumsum(without)]) + own + np.concatenate([np.cumsum(after[::-1])[::-1], [0.0]])
    place = int(totals.argmax())
    return (*rest[:place], node, *rest[place:]), float(totals[place])


def _prefixes(order: Sequence[int]) -> list[int]:
    """Bitmasks of the predecessors at every position, the last holds all."""
    masks = [0]
    for node in order:
        masks.append(masks[-1] | 1 << node)
    return masks


def _total(grow: GrowShrink, order: Order) -> float:
    return float(sum(grow.parents(v, before)[0] for v, before in zip(order, _prefixes(order), strict=False)))


def _graph(grow: GrowShrink, order: Order) -> Adjacency:
    adjacency = np.zeros((len(order), len(order)), dtype=np.int8)
    for node, before in zip(order, _prefixes(order), strict=False):
        adjacency[list(grow.parents(node, before)[1]), node] = 1
    return adjacency
