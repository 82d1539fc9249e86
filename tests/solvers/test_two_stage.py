"""The two-stage solver: the order, the regressions along it, rules, stops."""

from __future__ import annotations

import numpy as np
import pytest

from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.dag import from_edges, is_dag, topological_order
from binotears_core.graph.metrics import shd_cpdag, shd_dag
from binotears_core.results import Progress, Reporter
from binotears_core.simulation import simulate
from binotears_core.solvers.notears import any_dag
from binotears_core.solvers.two_stage import TwoStageOptions, causal_order, solve


def positions(order: tuple[int, ...]) -> list[int]:
    return [order.index(node) for node in range(len(order))]


@pytest.mark.parametrize("seed", range(10))
def test_the_order_is_topological(seed: int) -> None:
    generator = np.random.default_rng(seed)
    shuffle = generator.permutation(7)
    adjacency = np.triu(generator.random((7, 7)) < 0.4, 1)[np.ix_(shuffle, shuffle)].astype(np.int8)
    order = causal_order(adjacency, generator.random((7, 7)), any_dag(7), seed)
    place = positions(order)
    assert sorted(order) == list(range(7))
    assert all(place[i] < place[j] for i, j in np.argwhere(adjacency))


def test_ties_go_by_the_rules_then_by_weak_strength_then_by_seed() -> None:
    nothing, none = np.zeros((3, 3), dtype=np.int8), np.zeros((3, 3))
    weak = none.copy()
    weak[2, 0] = weak[0, 1] = 0.1  # pruned away, yet they say 2, 0, 1
    tiers = Constraints(tiers={"a": 1, "b": 0, "c": 2}).resolve(("a", "b", "c"))
    assert causal_order(nothing, weak, any_dag(3), 0) == (2, 0, 1)
    assert causal_order(nothing, weak, tiers, 0) == (1, 0, 2)
    orders = {causal_order(nothing, none, any_dag(3), seed) for seed in range(30)}
    assert len(orders) == 6
    assert causal_order(nothing, none, any_dag(3), 5) == causal_order(nothing, none, any_dag(3), 5)


def test_easy_graphs_are_recovered_far_better_than_by_the_empty_graph() -> None:
    # The empty graph is wrong on every edge: 68 of them in these four graphs.
    wrong, edges = 0, 0
    for seed in range(4):
        truth, data = simulate("SF", 10, 2, "2nd", 4000, seed)
        found = solve(data, TwoStageOptions(lambda1=0.003, lambda2=0.003))  # for graphs as small as these
        assert found.status.code == "done"
        assert is_dag(found.adjacency)
        wrong, edges = wrong + shd_cpdag(truth.adjacency, found.adjacency), edges + int(truth.adjacency.sum())
    assert wrong <= 0.6 * edges


def test_with_the_true_order_known_the_graph_is_recovered() -> None:
    truth, data = simulate("ER", 10, 2, "1st+2nd", 10_000, 1)
    tiers = {truth.names[node]: place for place, node in enumerate(topological_order(truth.adjacency))}
    found = solve(data, rules=Constraints(tiers=tiers).resolve(data.names))
    assert [truth.names[node] for node in found.order] == list(tiers)
    assert shd_dag(truth.adjacency, found.adjacency) <= 4


def test_an_exclusive_or_is_seen_by_the_second_stage() -> None:
    generator = np.random.default_rng(0)
    a, b, other = generator.integers(0, 2, (3, 2000))
    data = BinaryData.from_array(np.column_stack([a, b, a ^ b ^ (generator.random(2000) < 0.1), other]), list("abcd"))
    found = solve(data, rules=Constraints(tiers={"a": 0, "b": 0, "c": 1}).resolve(data.names))
    assert not found.first.adjacency.any()
    assert found.adjacency.tolist() == from_edges([("a", "c"), ("b", "c")], data.names).tolist()


def test_rules_are_honoured_and_required_edges_stay() -> None:
    _, data = simulate("ER", 6, 2, "1st+2nd", 1000, 2)
    rules = Constraints(
        forbidden=[("X1", "X2"), ("X3", "X1")], required=[("X6", "X1"), ("X5", "X4")], groups=[("X2", "X3")]
    ).resolve(data.names)
    found = solve(data, rules=rules)
    assert rules.accepts(found.adjacency)
    assert is_dag(found.adjacency)


def test_thresholds_prune() -> None:
    _, data = simulate("ER", 8, 2, "1st+2nd", 2000, 0)
    loose, tight = (solve(data, TwoStageOptions(final_threshold=size)) for size in (0.0, 2.0))
    np.testing.assert_array_equal(loose.strength, tight.strength)
    np.testing.assert_array_equal(loose.adjacency != 0, loose.strength > 0.0)
    np.testing.assert_array_equal(tight.adjacency != 0, tight.strength > 2.0)
    assert 0 < tight.adjacency.sum() < loose.adjacency.sum()


def test_same_seed_same_result() -> None:
    _, data = simulate("ER", 8, 2, "2nd", 500, 0)
    first, again = solve(data, seed=3), solve(data, seed=3)
    assert first.order == again.order
    np.testing.assert_array_equal(first.strength, again.strength)


@pytest.mark.parametrize("stage", ["NOTEARS-MLP", "Regressions"])
def test_a_stop_in_either_stage_gives_a_dag(stage: str) -> None:
    _, data = simulate("ER", 8, 2, "1st+2nd", 1000, 0)
    seen: list[Progress] = []

    def listener(progress: Progress) -> bool:
        seen.append(progress)
        return progress.stage == stage and progress.step >= 4

    found = solve(data, report=Reporter(listener))
    assert found.status.code == "stopped"
    assert is_dag(found.adjacency)
    assert [p.fraction for p in seen] == sorted(p.fraction for p in seen)
    if stage == "Regressions":
        rest = list(found.order[4:])
        np.testing.assert_array_equal(found.adjacency[:, rest], found.first.adjacency[:, rest])
        assert "4 of 8 nodes" in found.status.message


def test_tiny_tables_are_no_trouble() -> None:
    assert solve(BinaryData.from_array([[0], [1]])).adjacency.tolist() == [[0]]
    assert not solve(BinaryData.from_array([[0, 1, 0]])).adjacency.any()
    constant = BinaryData.from_array([[0, 1, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0]] * 20)
    assert not solve(constant).adjacency[0].any()


def test_options_out_of_bounds_are_refused() -> None:
    with pytest.raises(OptionError, match=r"'gamma' is 2\.0, which is outside"):
        TwoStageOptions(gamma=2.0)
