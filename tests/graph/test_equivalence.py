"""CPDAGs: named graphs, every DAG on four nodes against brute force, random ones against causal-learn."""

import csv
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from binotears_core.errors import OptionError
from binotears_core.graph.dag import from_edges
from binotears_core.graph.equivalence import (
    CPDAG,
    PDAG,
    cpdag,
    explain_compelled,
    markov_equivalent,
    skeleton,
    v_structures,
)

SAMPLES = Path(__file__).parents[2] / "sample_data"


def graph(*edges, names="ABCD"):
    return from_edges([tuple(edge) for edge in edges], names)


def known_network(file):
    with (SAMPLES / file).open() as lines:
        edges = [(row["source"], row["target"]) for row in csv.DictReader(lines)]
    names = sorted({name for edge in edges for name in edge})
    return from_edges(edges, names), names


class TestNamedGraphs:
    def test_path(self):
        """A → B → C → D   can be read from either end:   A — B — C — D"""
        found = cpdag(graph("AB", "BC", "CD"), "ABCD")
        assert found.directed == []
        assert found.undirected == [("A", "B"), ("B", "C"), ("C", "D")]

    def test_fork(self):
        """A ← B → C   is the path again"""
        assert cpdag(graph("BA", "BC")) == cpdag(graph("AB", "BC"))

    def test_collider(self):
        """A → B ← C   stands alone"""
        found = cpdag(graph("AB", "CB"), "ABCD")
        assert found.directed == [("A", "B"), ("C", "B")]
        assert found.undirected == []
        assert v_structures(graph("AB", "CB")) == {(0, 1, 2)}

    def test_shielded_collider_is_free(self):
        """
        A ─→ B ←─ C      A and C are joined, so the triangle has no v-structure
        └─────────↑
        """
        assert v_structures(graph("AB", "CB", "AC")) == set()
        assert cpdag(graph("AB", "CB", "AC")).directed == []

    def test_arrow_below_a_collider_is_compelled(self):
        """A → B ← C, B → D   (were it B ← D, A → B ← D would be a collider too)"""
        found = cpdag(graph("AB", "CB", "BD"), "ABCD")
        assert found.directed == [("A", "B"), ("B", "D"), ("C", "B")]
        why = explain_compelled(found)
        assert why["A", "B"] == "Collider: A → B ← C, and A is not adjacent to C."
        assert why["B", "D"].startswith("Rule 1: A → B is known and A is not adjacent to D")

    def test_asia(self):
        """
        asia   smoke
         │     │   │
        tub  lung  bronc       only  asia — tub,  smoke — lung  and  smoke — bronc  are open
          └─→ ← ┘    │
          either ─→ dysp
            └→ xray
        """
        matrix, names = known_network("asia_edges.csv")
        found = cpdag(matrix, names)
        assert {frozenset(edge) for edge in found.undirected} == {
            frozenset(edge) for edge in (("asia", "tub"), ("smoke", "lung"), ("smoke", "bronc"))
        }
        assert len(found.directed) == 5

    @pytest.mark.parametrize(
        ("file", "edges", "compelled"), [("sachs_edges_17.csv", 17, 0), ("sachs_edges_20.csv", 20, 3)]
    )
    def test_sachs(self, file, edges, compelled):
        matrix, names = known_network(file)
        found = cpdag(matrix, names)
        assert len(found.directed) == compelled
        assert len(found.directed) + len(found.undirected) == edges


class TestAgainstBruteForce:
    def test_counts_of_graphs_and_classes(self, dags_on_4, classes_on_4):
        assert (len(dags_on_4), len(classes_on_4)) == (543, 185)

    def test_cpdag_is_the_union_of_its_members(self, classes_on_4):
        for members in classes_on_4:
            union = np.maximum.reduce(members)
            for member in members:
                assert np.array_equal(cpdag(member).matrix, union)

    def test_markov_equivalent(self, classes_on_4):
        for members in classes_on_4:
            assert all(markov_equivalent(members[0], member) for member in members)
        for first, second in combinations(classes_on_4[::3], 2):
            assert not markov_equivalent(first[0], second[-1])

    def test_every_compelled_arrow_is_explained(self, classes_on_4):
        for members in classes_on_4:
            found = cpdag(members[0])
            assert set(explain_compelled(found)) == set(found.directed)


@pytest.mark.parametrize("p", [6, 7, 8, 9, 10])
def test_agrees_with_causal_learn(p, random_dag, causal_learn_cpdag):
    rng = np.random.default_rng(p)
    for _ in range(20):
        matrix = random_dag(rng, p, int(rng.integers(0, 3 * p)))
        # causal-learn marks both ends, -1 a tail and +1 an arrowhead; its graph[i, j] is the mark at i.
        theirs = causal_learn_cpdag(matrix).graph == -1
        assert np.array_equal(cpdag(matrix).matrix, theirs)


def test_relabelling_relabels_the_class(random_dag):
    rng = np.random.default_rng(0)
    for _ in range(20):
        matrix, order = random_dag(rng, 12, 20), rng.permutation(12)
        shuffled = cpdag(matrix[np.ix_(order, order)]).matrix
        assert np.array_equal(shuffled, cpdag(matrix).matrix[np.ix_(order, order)])


class TestValues:
    def test_array_protocol(self):
        found = cpdag(graph("AB", "CB", names="ABC"))
        assert np.array_equal(np.asarray(found), [[0, 1, 0], [0, 0, 0], [0, 1, 0]])
        assert np.asarray(found, dtype=float).dtype == np.float64
        copy = np.array(found, copy=True)
        copy[0, 0] = 1
        assert found.matrix[0, 0] == 0

    def test_immutable_and_leaves_its_input_alone(self):
        matrix = np.array([[0, 0.7], [0, 0]])
        found = cpdag(matrix)
        assert np.array_equal(matrix, [[0, 0.7], [0, 0]])
        with pytest.raises(ValueError, match="read-only"):
            found.matrix[0, 1] = 0

    def test_equality_is_by_content(self):
        one, two = cpdag(graph("AB"), "ABCD"), cpdag(graph("BA"), "ABCD")
        assert one == two
        assert hash(one) == hash(two)
        assert one != cpdag(graph("AB"), "WXYZ")
        assert one != PDAG(one.matrix, one.names)

    def test_skeleton_of_weights(self):
        assert skeleton([[0, -0.5], [0, 0]]).tolist() == [[0, 1], [1, 0]]

    def test_cycle_is_named(self):
        with pytest.raises(OptionError, match=r"A → B → A|B → A → B"):
            cpdag(graph("AB", "BA"), "ABCD")

    def test_wrong_number_of_names(self):
        with pytest.raises(OptionError, match="2 names"):
            CPDAG(np.zeros((3, 3)), ("A", "B"))
        with pytest.raises(OptionError, match="2 names"):
            cpdag(np.triu(np.ones((3, 3)), 1), ("A", "B"))

    def test_no_nodes(self):
        assert cpdag(np.zeros((0, 0))).undirected == []
