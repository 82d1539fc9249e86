"""The best DAG of all, for any score that is a sum over nodes, and a certificate of how clearly it wins.

There are more DAGs on 10 nodes than grains of sand, but the best parents of a node depend only on the *set* U of the
nodes before it, so

    best(U ∪ {j}) = max_j best(U) + max_{P ⊆ U} score(j, P)

is a longest path over 2^p sets (solvers/subset_dp.py). The optimum is exact within the parent sets that were scored
(`most_parents`).

Is the winner's Markov equivalence class the only good one? A DAG of another class lacks one of the winner's
adjacencies, or has an adjacency more, or turns a collider of the winner into something else, or has a collider the
winner lacks. Each of these is a constraint on one or two nodes; the best DAG under each is again a shortest path, and
the best of them all is the best DAG outside the class: the *runner-up*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from binotears_core.errors import OptionError
from binotears_core.graph.constraints import EdgeRules
from binotears_core.graph.dag import Adjacency
from binotears_core.results import Progress, Reporter
from binotears_core.solvers.local_scores import LocalScores
from binotears_core.solvers.subset_dp import shortest_order

Floats = npt.NDArray[np.float64]

MOST_VARIABLES = 16
_ROUNDS = 2
TIE = 1e-6  # nats: two graphs closer than this tie


@dataclass(frozen=True, eq=False)
class ExactOptimum:
    """The best graph, its score, and the best graphs that tie with it (`tied` includes `adjacency`)."""

    adjacency: Adjacency
    score: float
    tied: tuple[Adjacency, ...]


@dataclass(frozen=True, eq=False)
class RunnerUp:
    """The best graph outside the winner's equivalence class, and by how many nats it loses (0 when it ties)."""

    adjacency: Adjacency
    score: float
    margin: float


def search(scores: Floats, rules: EdgeRules, *, tied_limit: int = 100) -> ExactOptimum:
    """Maximise Σ_j scores[j, parents of j] over all DAGs that `rules` accept; scores as from LocalScores.table."""
    allowed = restrict(scores, rules)
    best = _best_within(allowed)
    orders = shortest_order(-best, tolerance=TIE / len(scores))
    tied = tuple(_graph(parents) for parents, _ in orders.graphs(_ties(allowed, best), tied_limit))
    return ExactOptimum(tied[0], -orders.total, tied)


def settle(
    scores: LocalScores, rules: EdgeRules, most_parents: int, report: Reporter | None = None
) -> tuple[LocalScores, Floats, ExactOptimum] | None:
    """The optimum under priors that suit it: (those scores, their table, the optimum).

    The priors (density, size of effects) are those of the optimum found before; searched again until they stay,
    `_ROUNDS` times at most. A listener who asks to stop gets the optimum of the priors before, or None in the first.
    """
    report = report or Reporter(None)
    first = 0.5 if scores.options.learns_effects else 1.0  # other effects need another table, another density none
    table = scores.table(most_parents, report.part(0.0, first))
    if table is None:
        return None
    found = search(table, rules)
    for number in range(_ROUNDS):
        suited = scores.assuming(found.adjacency)
        if (suited.density, suited.effects) == (scores.density, scores.effects):
            break
        done = 1.0 - 0.5 ** (number + 1)
        again = suited.table(most_parents, report.part(done, (1.0 + done) / 2))
        if again is None:
            break
        scores, table, found = suited, again, search(again, rules)
    return scores, table, found


def runner_up(
    scores: Floats, rules: EdgeRules, winner: Adjacency, best_score: float, report: Reporter | None = None
) -> RunnerUp | None:
    """The best DAG of another Markov equivalence class; None when there is none, or when the listener stopped us."""
    allowed = restrict(scores, rules)
    best = _best_within(allowed)
    changes = list(_ways_out_of_the_class(winner))
    found: RunnerUp | None = None
    for number, change in enumerate(changes):
        if report and report(Progress("runner-up", number, len(changes), number / len(changes))):
            return None
        altered, table = allowed.copy(), best.copy()
        for node, keep in change:
            altered[node] = np.where(keep(_masks(len(scores))), altered[node], -np.inf)
            table[node] = _best_within(altered[[node]])[0]
        try:
            orders = shortest_order(-table, tolerance=TIE / len(scores))
        except OptionError:
            continue  # the constraint leaves no DAG
        if found is None or -orders.total > found.score:
            graph = _graph(orders.graphs(_ties(altered, table), 1)[0][0])
            found = RunnerUp(graph, -orders.total, max(0.0, best_score + orders.total))
    return found


def restrict(scores: Floats, rules: EdgeRules) -> Floats:
    """−inf for every parent set that has a forbidden parent or lacks a required one."""
    masks = _masks(len(scores))
    bits = np.int64(1) << np.arange(len(scores))
    out = scores.copy()
    for node in range(len(scores)):
        forbidden = int(bits[~rules.allowed[:, node]].sum())
        required = int(bits[rules.required[:, node]].sum())
        out[node, ((masks & forbidden) != 0) | ((masks & required) != required)] = -np.inf
    return out


def score_graph(scores: Floats, adjacency: npt.ArrayLike) -> float:
    """Σ_j scores[j, parents of j]; −inf when a parent set was not scored."""
    masks = (np.asarray(adjacency) != 0).T @ (np.int64(1) << np.arange(len(scores)))
    return float(sum(scores[node, mask] for node, mask in enumerate(masks)))


def _masks(p: int) -> npt.NDArray[np.int64]:
    return np.arange(1 << p, dtype=np.int64)


def _best_within(scores: Floats) -> Floats:
    """out[j, U] = max_{P ⊆ U} scores[j, P]: one pass per variable."""
    best = scores.copy()
    rows, cells = best.shape
    for bit in range(cells.bit_length() - 1):
        halves = best.reshape(rows, cells >> (bit + 1), 2, 1 << bit)
        np.maximum(halves[:, :, 1], halves[:, :, 0], out=halves[:, :, 1])
    return best


def _ties(scores: Floats, best: Floats) -> _TiedParents:
    return _TiedParents(scores, best)


class _TiedParents:
    """(j, U) → all parent sets within U that reach best[j, U]."""

    def __init__(self, scores: Floats, best: Floats) -> None:
        self._scores, self._best = scores, best
        self._masks = _masks(len(scores))

    def __call__(self, node: int, before: int) -> list[int]:
        reaches = self._scores[node] >= self._best[node, before] - TIE / len(self._scores)
        return [int(mask) for mask in self._masks[reaches & ((self._masks & ~before) == 0)]]


def _graph(parents: tuple[int, ...]) -> Adjacency:
    """Adjacency from one bitmask of parents per node."""
    p = len(parents)
    bits = (np.array(parents, dtype=np.int64)[None, :] >> np.arange(p)[:, None]) & 1
    return bits.astype(np.int8)


class _With:
    """Keeps the parent sets in which `parent` is (or is not)."""

    def __init__(self, parent: int, present: bool) -> None:
        self._bit, self._present = np.int64(1) << np.int64(parent), present

    def __call__(self, masks: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        kept: npt.NDArray[np.bool_] = ((masks & self._bit) != 0) == self._present
        return kept


Change = list[tuple[int, _With]]


def _ways_out_of_the_class(winner: Adjacency) -> Iterator[Change]:
    """Constraints of which every DAG of another class meets at least one, and no member of the class any."""
    directed = np.asarray(winner) != 0
    adjacent = directed | directed.T
    for a, b in combinations(range(len(directed)), 2):
        if adjacent[a, b]:
            yield [(a, _With(b, False)), (b, _With(a, False))]
        else:
            yield [(b, _With(a, True))]
            yield [(a, _With(b, True))]
    for middle in range(len(directed)):
        for a, b in combinations(np.flatnonzero(adjacent[middle]).tolist(), 2):
            if adjacent[a, b]:
                continue
            if directed[a, middle] and directed[b, middle]:
                yield [(a, _With(middle, True))]
                yield [(b, _With(middle, True))]
            else:
                yield [(middle, _With(a, True)), (middle, _With(b, True))]
