"""The order search against the exact one, and what it promises when stopped or constrained."""

import numpy as np
import pytest

from binotears_core.data.table import BinaryData
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.dag import is_dag
from binotears_core.results import Reporter
from binotears_core.simulation import simulate
from binotears_core.solvers import exact_search
from binotears_core.solvers.local_scores import LocalScores
from binotears_core.solvers.order_search import consistent_order, search

ALL = frozenset(range(1, 20))


def starts(p, number, seed=0):
    rng = np.random.default_rng(seed)
    return [tuple(rng.permutation(p).tolist()) for _ in range(number)]


@pytest.mark.parametrize("seed", range(4))
def test_it_reaches_the_exact_optimum_on_small_graphs(seed):
    _, data = simulate(graph="ER", nodes=7, degree=1, mechanism="1st+2nd", samples=4000, seed=seed)
    rules = Constraints().resolve(data.names)
    scores = LocalScores(data, ALL)
    exact = exact_search.search(scores.table(6), rules).score
    found = search(data, scores, rules, starts=starts(7, 5), seed=0)
    assert found.score <= exact + 1e-3  # local scores are computed to about 1e-4
    assert found.score == pytest.approx(exact, abs=1e-2)
    assert scores.total(found.adjacency) == pytest.approx(found.score, abs=1e-6)


def test_a_pair_that_acts_only_together_is_found_among_twenty():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, size=(2000, 20))
    x[:, 7] = (x[:, 3] ^ x[:, 11]) ^ (rng.random(2000) < 0.2)
    data = BinaryData.from_array(x)
    order = (*[v for v in range(20) if v != 7], 7)
    found = search(data, LocalScores(data, ALL), Constraints().resolve(data.names), starts=[order], seed=0)
    skeleton = {frozenset(map(int, edge)) for edge in np.argwhere(found.adjacency)}
    assert len(skeleton & {frozenset({3, 7}), frozenset({7, 11}), frozenset({3, 11})}) == 2
    assert len(skeleton) == 2


def test_constraints_are_honoured():
    truth, data = simulate(graph="ER", nodes=8, degree=2, mechanism="1st", samples=3000, seed=5)
    a, b = truth.edges[0]
    c, d = truth.edges[1]
    rules = Constraints(forbidden=[(a, b), (b, a)], required=[(d, c)]).resolve(data.names)
    found = search(data, LocalScores(data, ALL), rules, starts=starts(8, 2), seed=0)
    assert rules.accepts(found.adjacency)
    assert is_dag(found.adjacency)


def test_a_required_cause_comes_first_in_a_consistent_order():
    rules = Constraints(required=[("c", "a"), ("b", "c")]).resolve(("a", "b", "c", "d"))
    assert consistent_order((0, 3, 2, 1), rules) == (3, 1, 2, 0)
    assert consistent_order((3, 1, 2, 0), rules) == (3, 1, 2, 0)


def test_a_stopped_search_returns_a_valid_dag_no_worse_than_its_start():
    _, data = simulate(graph="ER", nodes=12, degree=2, mechanism="1st+2nd", samples=1000, seed=0)
    rules = Constraints().resolve(data.names)
    scores = LocalScores(data, ALL)
    first = starts(12, 1)
    beginning = []

    def stop_at_third(progress):
        beginning.append(-progress.loss)
        return len(beginning) == 3

    found = search(data, scores, rules, starts=first * 4, seed=0, report=Reporter(stop_at_third))
    assert found.stopped
    assert len(beginning) == 3
    assert is_dag(found.adjacency)
    assert found.score >= max(beginning) - 1e-9
    full = search(data, scores, rules, starts=first, seed=0)
    assert full.score >= found.score


def test_same_seed_same_result_and_fractions_never_fall():
    _, data = simulate(graph="SF", nodes=10, degree=2, mechanism="2nd", samples=500, seed=1)
    rules = Constraints().resolve(data.names)
    seen = []
    runs = [
        search(data, LocalScores(data, ALL), rules, starts=starts(10, 2), seed=3, report=Reporter(seen.append))
        for _ in range(2)
    ]
    assert (runs[0].adjacency == runs[1].adjacency).all()
    assert runs[0].order == runs[1].order
    fractions = [p.fraction for p in seen[: len(seen) // 2]]
    assert fractions == sorted(fractions)
    assert 0 < fractions[0] <= fractions[-1] <= 1
