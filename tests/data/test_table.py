"""BinaryData: patterns and weights, fingerprint, selection, immutability."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError

TABLES = arrays(np.uint8, st.tuples(st.integers(1, 30), st.integers(1, 10)), elements=st.integers(0, 1))


@given(TABLES)
def test_patterns_are_the_distinct_rows_in_order(rows: np.ndarray) -> None:
    data = BinaryData.from_array(rows)
    patterns, counts = np.unique(rows, axis=0, return_counts=True)
    np.testing.assert_array_equal(data.patterns, patterns)
    np.testing.assert_allclose(data.counts, counts)
    np.testing.assert_allclose(data.prevalence, rows.mean(axis=0))


@given(TABLES)
def test_the_order_of_rows_does_not_matter(rows: np.ndarray) -> None:
    shuffled = np.random.default_rng(0).permutation(rows)
    assert BinaryData.from_array(shuffled).fingerprint == BinaryData.from_array(rows).fingerprint


def test_the_fingerprint_sees_what_a_fit_sees() -> None:
    rows = [[0, 1], [1, 1], [0, 0]]
    base = BinaryData.from_array(rows)
    assert BinaryData.from_array(rows, record=["another story"]).fingerprint == base.fingerprint
    others = [
        BinaryData.from_array(rows, names=["a", "b"]),
        BinaryData.from_array([[0, 1], [1, 1], [0, 1]]),
        BinaryData.from_array(rows * 2),
        BinaryData.from_array(rows, weights=[1, 2, 1]),
        BinaryData.from_array(rows, groups=[["X1", "X2"]]),
    ]
    assert len({base.fingerprint, *(other.fingerprint for other in others)}) == 6


def test_cells_by_brute_force() -> None:
    rows = np.random.default_rng(0).integers(0, 2, size=(40, 3))
    cells = BinaryData.from_array(rows).cells()
    for x in product((0, 1), repeat=3):
        assert cells[x[0] + 2 * x[1] + 4 * x[2]] == pytest.approx(np.mean((rows == x).all(axis=1)))


def test_select_merges_patterns_and_forgets_the_recipe() -> None:
    data = BinaryData.from_array([[0, 0, 1], [0, 1, 1], [1, 1, 0]], ["a", "b", "c"], groups=[["a", "b"]])
    part = data.select(["c", "a"])
    assert (part.names, part.patterns.tolist(), part.groups) == (("c", "a"), [[0, 1], [1, 0]], ())
    np.testing.assert_allclose(part.weights, [1 / 3, 2 / 3])
    assert part.rows == 3
    assert part.recipe is None


def test_it_cannot_be_changed_and_does_not_change_its_input() -> None:
    rows = np.array([[0, 1], [1, 0]])
    data = BinaryData.from_array(rows)
    with pytest.raises(ValueError, match="read-only"):
        data.patterns[0, 0] = 1
    with pytest.raises(AttributeError):
        data.rows = 3  # type: ignore[misc]
    rows[0, 0] = 1
    assert data.patterns.tolist() == [[0, 1], [1, 0]]


def test_rows_come_back() -> None:
    rows = np.random.default_rng(0).integers(0, 2, size=(25, 4))
    frame = BinaryData.from_array(rows).to_frame()
    assert sorted(frame.to_numpy().tolist()) == sorted(rows.tolist())
    with pytest.raises(DataError, match="Weighted data"):
        BinaryData.from_array([[0], [1]], weights=[1, 2]).to_frame()


@pytest.mark.parametrize(
    ("rows", "names", "message"),
    [
        ([], None, "rows and columns"),
        ([[0, 2]], None, r"Column 'X2' has values other than 0 and 1 \(first at row 1: 2\)"),
        ([[0, 1]], ["a"], "1 names were given for 2 columns"),
        ([[0, 1]], ["a", "a"], "The column name 'a' occurs 2 times"),
        ([[0, 1]], ["a", " "], "Column 2 has no name"),
        ([["yes", "no"]], None, "Expected numbers"),
    ],
)
def test_bad_arrays(rows: list[object], names: list[str] | None, message: str) -> None:
    with pytest.raises(DataError, match=message):
        BinaryData.from_array(rows, names)


def test_an_unknown_name_lists_the_columns() -> None:
    with pytest.raises(DataError, match=r"There is no column 'c'. The columns are: X1, X2"):
        BinaryData.from_array([[0, 1]]).index("c")
