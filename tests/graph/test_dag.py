"""The edge convention, orders and cycles, and the way from edge strengths to a DAG."""

from itertools import permutations, product

import numpy as np
import pytest

from binotears_core.errors import OptionError
from binotears_core.graph.dag import (
    find_cycle,
    from_edges,
    is_dag,
    parents,
    threshold_to_dag,
    to_edges,
    to_networkx,
    topological_order,
)

PAIRS = list(permutations(range(4), 2))


def all_graphs_on_4():
    """Every directed graph on four nodes, cyclic ones too: 4096."""
    for bits in product((0, 1), repeat=12):
        matrix = np.zeros((4, 4), dtype=np.int8)
        for pair, bit in zip(PAIRS, bits, strict=True):
            matrix[pair] = bit
        yield matrix


class TestConvention:
    def test_row_is_cause_and_column_is_effect(self):
        """rain → wet ← sprinkler"""
        names = ("rain", "sprinkler", "wet")
        matrix = from_edges([("rain", "wet"), ("sprinkler", "wet")], names)
        assert matrix[0, 2] == matrix[1, 2] == 1
        assert matrix.sum() == 2
        assert parents(matrix, 2) == [0, 1]
        assert parents(matrix, 0) == []

    def test_edges_there_and_back(self, dags_on_4):
        for matrix in dags_on_4[::17]:
            assert np.array_equal(from_edges(to_edges(matrix, "ABCD"), "ABCD"), matrix)

    def test_networkx_keeps_direction_strength_and_lonely_nodes(self):
        graph = to_networkx([[0, 1, 0], [0, 0, 0], [0, 0, 0]], "ABC", strength=np.full((3, 3), 0.7))
        assert list(graph.nodes) == ["A", "B", "C"]
        assert list(graph.edges(data="strength")) == [("A", "B", 0.7)]

    def test_unknown_name(self):
        with pytest.raises(OptionError, match="A → Z names 'Z'"):
            from_edges([("A", "Z")], "AB")


class TestOrder:
    def test_path_written_backwards(self):
        """D → C → B → A"""
        assert topological_order(from_edges([("D", "C"), ("C", "B"), ("B", "A")], "ABCD")) == [3, 2, 1, 0]

    def test_smallest_free_node_first(self):
        assert topological_order(np.zeros((3, 3))) == [0, 1, 2]

    def test_cycle_has_none(self):
        with pytest.raises(OptionError, match="has a cycle"):
            topological_order([[0, 1], [1, 0]])

    def test_543_of_4096_graphs_are_acyclic(self):
        acyclic = 0
        for matrix in all_graphs_on_4():
            nilpotent = not np.linalg.matrix_power(matrix.astype(int), 4).any()
            assert is_dag(matrix) == nilpotent
            acyclic += nilpotent
        assert acyclic == 543

    def test_causes_come_first(self, dags_on_4):
        for matrix in dags_on_4:
            place = np.argsort(topological_order(matrix))
            assert all(place[i] < place[j] for i, j in np.argwhere(matrix))

    def test_find_cycle_returns_a_cycle_or_nothing(self):
        for matrix in list(all_graphs_on_4())[::7]:
            cycle = find_cycle(matrix)
            assert bool(cycle) != is_dag(matrix)
            assert all(matrix[a, b] for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True))

    def test_self_loop_is_a_cycle(self):
        assert not is_dag([[1]])
        assert find_cycle([[1]]) == [0]


class TestThreshold:
    def test_weakest_edge_on_the_cycle_is_dropped(self):
        """
        A ─0.9→ B ─0.5→ C ─0.8→ A      B → C breaks the cycle; D → A is weaker, but on no cycle
        D ─0.4→ A
        """
        strength = np.zeros((4, 4))
        for (i, j), value in {(0, 1): 0.9, (1, 2): 0.5, (2, 0): 0.8, (3, 0): 0.4}.items():
            strength[i, j] = value
        matrix, dropped = threshold_to_dag(strength, 0.3)
        assert dropped == [(1, 2)]
        assert to_edges(matrix, "ABCD") == [("A", "B"), ("C", "A"), ("D", "A")]

    def test_threshold_is_exclusive_and_the_diagonal_ignored(self):
        matrix, dropped = threshold_to_dag([[5.0, 0.3], [0.0, 5.0]], 0.3)
        assert not matrix.any()
        assert dropped == []

    @pytest.mark.parametrize("threshold", [0.0, 0.3, 0.9, 2.0])
    def test_always_a_dag_that_explains_its_losses(self, threshold):
        rng = np.random.default_rng(0)
        for _ in range(20):
            strength = rng.random((8, 8))
            before = strength.copy()
            matrix, dropped = threshold_to_dag(strength, threshold)
            assert is_dag(matrix)
            assert np.array_equal(strength, before)
            lost = {(i, j) for i, j in np.argwhere(strength > threshold).tolist() if i != j and not matrix[i, j]}
            assert lost == set(dropped)
            weakness = [strength[edge] for edge in dropped]
            assert weakness == sorted(weakness)

    def test_required_edges_stay_however_weak(self):
        """A → B is required with strength 0, so the strong B → A must go"""
        matrix, dropped = threshold_to_dag([[0.0, 0.0], [0.9, 0.0]], 0.3, required=[[0, 1], [0, 0]])
        assert to_edges(matrix, "AB") == [("A", "B")]
        assert dropped == [(1, 0)]
