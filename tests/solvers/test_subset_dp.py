"""The shortest path over subsets against all p! orders."""

from itertools import permutations

import numpy as np
import pytest

from binotears_core.errors import OptionError
from binotears_core.solvers.subset_dp import shortest_order


def predecessors(order):
    """(node, bitmask of the nodes before it) along an order."""
    return [(node, sum(1 << i for i in order[:position])) for position, node in enumerate(order)]


def all_totals(cost):
    """The total cost of every order, in lexicographic order of the orders."""
    return {order: sum(cost[step] for step in predecessors(order)) for order in permutations(range(len(cost)))}


def random_cost(p, seed, ties):
    rng = np.random.default_rng(seed)
    cost = rng.integers(0, 3, (p, 1 << p)).astype(float) if ties else rng.normal(size=(p, 1 << p))
    cost[rng.random(cost.shape) < 0.15] = np.inf
    return cost


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("p", range(1, 7))
def test_total_count_and_orders_equal_brute_force(p, ties):
    feasible = 0
    for seed in range(12):
        cost = random_cost(p, seed, ties)
        totals = all_totals(cost)
        best = min(totals.values())
        if not np.isfinite(best):
            with pytest.raises(OptionError, match="No order"):
                shortest_order(cost)
            continue
        feasible += 1
        expected = [order for order, total in totals.items() if total <= best + 1e-9]
        found = shortest_order(cost)
        assert found.total == pytest.approx(best)
        assert found.count == len(expected)
        assert list(found.orders()) == expected
        assert found.order == expected[0]
        steps = {(int(node), int(before)) for node, before in np.argwhere(found.steps)}
        assert steps == {step for order in expected for step in predecessors(order)}
    assert feasible >= 4


@pytest.mark.parametrize("choices", [1, 2])
def test_distinct_graphs_equal_brute_force(choices):
    p = 5
    for seed in range(10):
        rng = np.random.default_rng(seed)
        tables = [rng.integers(0, 1 << p, (p, 1 << p)) & np.arange(1 << p) for _ in range(choices)]
        found = shortest_order(rng.integers(0, 2, (p, 1 << p)))

        def allowed(node, before, tables=tables):
            return [int(table[node, before]) for table in tables]

        expected = set()
        for order in found.orders():
            partial = {()}
            for step in predecessors(order):
                partial = {(*graph, (step[0], parents)) for graph in partial for parents in allowed(*step)}
            expected |= {tuple(parents for _, parents in sorted(graph)) for graph in partial}
        listed = found.graphs(allowed, limit=10**6)
        assert {graph for graph, _ in listed} == expected
        assert len(listed) == len(expected)
        for graph, order in listed:
            assert order in set(found.orders())
            assert all(graph[node] in allowed(node, before) for node, before in predecessors(order))
        capped = found.graphs(allowed, limit=3)
        assert len({graph for graph, _ in capped}) == min(3, len(expected))
        assert {graph for graph, _ in capped} <= expected


def test_entries_of_a_node_after_itself_are_not_read_and_the_input_is_left_alone():
    cost = np.zeros((3, 8))
    for node in range(3):
        cost[node, [U for U in range(8) if (U >> node) & 1]] = -100.0
    before = cost.copy()
    assert shortest_order(cost).total == 0.0
    np.testing.assert_array_equal(cost, before)


def test_counting_stays_exact_when_all_orders_tie():
    assert shortest_order(np.zeros((13, 1 << 13))).count == 6_227_020_800


def test_tolerance_decides_what_is_a_tie():
    cost = np.zeros((2, 4))
    cost[0, 0b10] = 1e-3
    assert shortest_order(cost).count == 1
    assert shortest_order(cost, tolerance=1e-2).count == 2


@pytest.mark.parametrize("cost", [np.zeros((2, 3)), np.zeros(4), np.zeros((0, 1)), np.full((1, 2), np.nan)])
def test_costs_that_cannot_be_used(cost):
    with pytest.raises(OptionError, match="Costs must"):
        shortest_order(cost)
