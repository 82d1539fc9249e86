"""Interaction sets, subset transforms and the two feature maps, against the dense definition."""

from itertools import combinations

import numpy as np
import pytest

from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.model.features import (
    DenseMap,
    ZetaMap,
    count_terms,
    feature_map,
    interaction_sets,
    membership,
    mobius,
    products,
    resolve_orders,
    subset_layers,
    zeta,
    zeta_transposed,
)


def all_cells(p: int) -> np.ndarray:
    return (np.arange(1 << p)[:, None] >> np.arange(p)) & 1


def dense_by_bitmask(p: int) -> np.ndarray:
    """(2^p, 2^p) Φ on all cells, columns by the bitmask of S."""
    return products(all_cells(p), [tuple(j for j in range(p) if (S >> j) & 1) for S in range(1 << p)])


def random_data(p: int, rows: int, seed: int) -> BinaryData:
    return BinaryData.from_array(np.random.default_rng(seed).integers(0, 2, (rows, p)))


def test_graded_lexicographic_order_is_the_papers_example():
    assert interaction_sets(3, [1, 2, 3]) == ((), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))


def test_interaction_sets_of_chosen_orders():
    assert interaction_sets(4, {3}) == ((), (0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))
    for orders in ({1}, {1, 2}, {2, 4}, {1, 2, 3, 4, 5}):
        assert len(interaction_sets(5, orders)) == count_terms(5, frozenset(orders))


def test_products_and_membership_by_hand():
    terms = ((), (1,), (0, 2))
    assert products([[1, 0, 1], [1, 1, 0]], terms).tolist() == [[1, 0, 1], [1, 1, 0]]
    assert membership(terms, 3).tolist() == [[0, 0, 0], [0, 1, 0], [1, 0, 1]]


@pytest.mark.parametrize("p", range(1, 7))
@pytest.mark.parametrize("shape", [(), (3,)])
def test_transforms_equal_the_dense_map(p, shape):
    phi = dense_by_bitmask(p)
    values = np.random.default_rng(p).normal(size=(1 << p, *shape))
    before = values.copy()
    np.testing.assert_allclose(zeta(values, p), np.tensordot(phi, values, 1), atol=1e-12)
    np.testing.assert_allclose(zeta_transposed(values, p), np.tensordot(phi.T, values, 1), atol=1e-12)
    np.testing.assert_allclose(mobius(values, p), np.linalg.solve(phi, values), atol=1e-9)
    np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize("orders", [{1}, {1, 2}, {3}, {1, 2, 3, 4}])
@pytest.mark.parametrize("rows", [6, 500])
def test_dense_map_equals_zeta_map(orders, rows):
    data = random_data(5, rows, seed=rows)
    terms = interaction_sets(5, orders)
    dense, fast = DenseMap(data, terms), ZetaMap(data, terms)
    H = np.random.default_rng(0).normal(size=(len(terms), 5))
    codes = data.patterns.astype(int) @ (1 << np.arange(5))
    np.testing.assert_allclose(fast.apply(H)[codes], dense.apply(H), atol=1e-12)
    np.testing.assert_array_equal(fast.targets[codes], dense.targets)
    np.testing.assert_allclose(fast.weights[codes], dense.weights)
    assert fast.weights.sum() == pytest.approx(1.0)
    on_rows = np.random.default_rng(1).normal(size=(len(codes), 5))
    on_cells = np.zeros((32, 5))
    on_cells[codes] = on_rows
    np.testing.assert_allclose(fast.transpose(on_cells), dense.transpose(on_rows), atol=1e-12)


def test_feature_map_takes_the_cheaper_of_the_two():
    assert isinstance(feature_map(random_data(6, 1000, 0), frozenset(range(1, 6))), ZetaMap)
    assert isinstance(feature_map(random_data(6, 3, 0), frozenset({1})), DenseMap)
    assert isinstance(feature_map(random_data(30, 50, 0), frozenset({1, 2})), DenseMap)


@pytest.mark.parametrize("p", range(1, 7))
def test_subset_layers_list_all_subsets_by_size(p):
    for size, (sets, members) in enumerate(subset_layers(p)):
        expected = sorted((sum(1 << j for j in chosen), chosen) for chosen in combinations(range(p), size))
        assert sets.tolist() == [mask for mask, _ in expected]
        assert members.tolist() == [list(chosen) for _, chosen in expected]
    assert size == p


def test_orders_in_all_their_spellings():
    assert resolve_orders("auto", 9) == frozenset(range(1, 9))
    assert resolve_orders("auto", 13) == frozenset({1, 2})
    assert resolve_orders("auto", 13, all_up_to=13) == frozenset(range(1, 13))
    assert resolve_orders("all", 4) == frozenset({1, 2, 3})
    assert resolve_orders(2, 4) == frozenset({1, 2})
    assert resolve_orders([2, 1, 2], 4) == frozenset({1, 2})
    assert resolve_orders({1, 4}, 4) == frozenset({1, 3}), "order p means the highest product, p − 1 parents"
    assert resolve_orders("all", 1) == frozenset({1})


@pytest.mark.parametrize(
    ("orders", "message"),
    [
        ("some", "'some' are not understood"),
        (0, "start at 1"),
        (-1, "start at 1"),
        ([], "start at 1"),
        ({0, 1}, "start at 1"),
        (5, "Order 5 needs 5 variables, the data have 4"),
        ({1, 9}, "Order 9 needs 9 variables"),
    ],
)
def test_orders_that_cannot_be_used(orders, message):
    with pytest.raises(OptionError, match=message):
        resolve_orders(orders, 4)
