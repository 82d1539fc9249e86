"""Distances: hand-made cases, a slow twin on the DAGs with four nodes, causal-learn on random graphs."""

from itertools import combinations

import numpy as np
import pytest
from causallearn.graph.SHD import SHD

from binotears_core.errors import OptionError
from binotears_core.graph.dag import from_edges
from binotears_core.graph.equivalence import cpdag
from binotears_core.graph.metrics import compare, shd_cpdag, shd_dag, yardsticks


def graph(*edges, names="ABCD"):
    return from_edges([tuple(edge) for edge in edges], names)


def verdicts(comparison):
    return {edge.source + edge.target: edge.verdict for edge in comparison.edges}


class TestByHand:
    def test_equivalent_graphs_have_cpdag_distance_0(self):
        """A → B → C → D  against  A ← B → C → D"""
        truth, found = graph("AB", "BC", "CD"), graph("BA", "BC", "CD")
        assert (shd_dag(truth, found), shd_cpdag(truth, found)) == (1, 0)
        edge = next(edge for edge in compare(truth, found, "ABCD").edges if edge.verdict == "reversed")
        assert (edge.source, edge.target, edge.same_class) == ("B", "A", True)

    def test_a_collider_against_a_chain(self):
        """A → B ← C  against  A → B → C: one arrow turned, but both pairs change from arrow to open edge"""
        truth, found = graph("AB", "CB"), graph("AB", "BC")
        assert (shd_dag(truth, found), shd_cpdag(truth, found)) == (1, 2)

    def test_all_measures(self):
        """
        truth     A → B ← C        B → D
        estimate  A → B ← C   and  A → D,  nothing between B and D
        """
        result = compare(graph("AB", "CB", "BD"), graph("AB", "CB", "AD"), "ABCD")
        assert verdicts(result) == {"AB": "right", "CB": "right", "AD": "extra", "BD": "missing"}
        assert result.as_dict() == {
            "shd_cpdag": 2,
            "shd_dag": 2,
            "precision": pytest.approx(2 / 3),
            "recall": pytest.approx(2 / 3),
            "f1": pytest.approx(2 / 3),
            "arrow_precision": 1.0,
            "arrow_recall": pytest.approx(2 / 3),
            "edges_true": 3,
            "edges_estimated": 3,
        }

    def test_precision_is_the_estimates_and_recall_the_truths(self):
        result = compare(graph("AB", "BC", "CD"), graph("AB"))
        assert (result.precision, result.recall, result.f1) == (1.0, pytest.approx(1 / 3), 0.5)

    def test_nothing_claimed_and_nothing_to_find(self):
        truth, empty = graph("AB", "CB"), graph()
        nothing_claimed = compare(truth, empty)
        assert (nothing_claimed.precision, nothing_claimed.recall, nothing_claimed.f1) == (1.0, 0.0, 0.0)
        assert (nothing_claimed.arrow_precision, nothing_claimed.arrow_recall) == (1.0, 0.0)
        nothing_to_find = compare(empty, empty)
        assert (nothing_to_find.precision, nothing_to_find.recall, nothing_to_find.f1) == (1.0, 1.0, 1.0)

    def test_an_estimated_class(self):
        """A method that stops at the CPDAG is compared as it is; an open edge is not the true arrow."""
        truth = graph("AB", "BC")
        found = cpdag(truth, "ABCD")
        assert (shd_cpdag(truth, found), shd_dag(truth, found)) == (0, 2)
        assert verdicts(compare(truth, found, "ABCD")) == {"AB": "reversed", "BC": "reversed"}

    def test_different_sizes(self):
        with pytest.raises(OptionError, match="4 and 3 nodes"):
            compare(graph("AB"), graph("AB", names="ABC"))

    def test_inputs_are_left_alone(self):
        weights = np.array([[0.0, -0.3], [0.0, 0.0]])
        compare(weights, weights)
        assert np.array_equal(weights, [[0.0, -0.3], [0.0, 0.0]])


def slow_distance(first, second):
    """Pair by pair, by name of the relation."""

    def relation(matrix, i, j):
        return {(0, 0): "none", (1, 0): "to", (0, 1): "from", (1, 1): "open"}[int(matrix[i, j]), int(matrix[j, i])]

    return sum(relation(first, i, j) != relation(second, i, j) for i, j in combinations(range(len(first)), 2))


def test_against_the_slow_twin(dags_on_4, classes_on_4):
    union = {member.tobytes(): np.maximum.reduce(members) for members in classes_on_4 for member in members}
    for first in dags_on_4[::23]:
        for second in dags_on_4[::11]:
            result = compare(first, second)
            assert result.shd_dag == shd_dag(first, second) == slow_distance(first, second)
            assert shd_cpdag(first, second) == slow_distance(union[first.tobytes()], union[second.tobytes()])
            assert result.shd_cpdag == shd_cpdag(first, second)
            assert sum(edge.verdict != "right" for edge in result.edges) == result.shd_dag
            assert sum(not edge.same_class for edge in result.edges) == result.shd_cpdag


def test_distance_is_a_metric(dags_on_4):
    rng = np.random.default_rng(0)
    for _ in range(200):
        a, b, c = (dags_on_4[k] for k in rng.integers(543, size=3))
        assert shd_cpdag(a, b) == shd_cpdag(b, a)
        assert shd_cpdag(a, c) <= shd_cpdag(a, b) + shd_cpdag(b, c)


@pytest.mark.parametrize("p", [6, 8, 10])
def test_agrees_with_causal_learn(p, random_dag, causal_learn_cpdag):
    rng = np.random.default_rng(p)
    for _ in range(15):
        truth, found = (random_dag(rng, p, int(rng.integers(p, 2 * p))) for _ in range(2))
        theirs = SHD(causal_learn_cpdag(truth), causal_learn_cpdag(found))
        assert shd_cpdag(truth, found) == theirs.get_shd()


class TestYardsticks:
    def test_empty_graph_misses_every_edge(self, random_dag):
        truth = random_dag(np.random.default_rng(0), 9, 18)
        marks = yardsticks(truth, edges=18, seed=0, draws=5)
        assert (marks.empty_cpdag, marks.empty_dag) == (18, 18)

    def test_no_edges_at_random_is_the_empty_graph(self, random_dag):
        marks = yardsticks(random_dag(np.random.default_rng(0), 6, 7), edges=0, seed=0, draws=3)
        assert (marks.random_cpdag, marks.random_dag) == (7.0, 7.0)

    def test_complete_graphs_are_one_class(self):
        """Three edges on three nodes: always the true class, each arrow right half of the time"""
        marks = yardsticks(np.triu(np.ones((3, 3)), 1), edges=3, seed=0, draws=400)
        assert marks.random_cpdag == 0.0
        assert marks.random_dag == pytest.approx(1.5, abs=0.2)

    def test_one_edge_at_random(self):
        """Against A → B on three nodes a random edge is the right pair 1 time in 3, else two pairs differ: mean 4/3."""
        marks = yardsticks(graph("AB", names="ABC"), edges=1, seed=1, draws=600)
        assert marks.random_cpdag == pytest.approx(4 / 3, abs=0.15)

    def test_same_seed_same_answer(self, random_dag):
        truth = random_dag(np.random.default_rng(0), 8, 10)
        assert yardsticks(truth, 10, seed=3, draws=10) == yardsticks(truth, 10, seed=3, draws=10)
        assert yardsticks(truth, 10, seed=3, draws=10) != yardsticks(truth, 10, seed=4, draws=10)

    def test_impossible_requests(self):
        with pytest.raises(OptionError, match="0 to 3 edges, not 4"):
            yardsticks(np.zeros((3, 3)), edges=4, seed=0)
        with pytest.raises(OptionError, match="at least one"):
            yardsticks(np.zeros((3, 3)), edges=1, seed=0, draws=0)
