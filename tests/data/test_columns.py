"""Cells and columns: what is missing, what is a number, what is text, and how often each occurs."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binotears_core.data import columns
from binotears_core.data.columns import Column, Summary, label_of


def column(*cells: object) -> Column:
    return Column.of_cells(pd.Series(list(cells), dtype=object))


def seen(*cells: object) -> list[str | None]:
    """The cells of a column as labels, row by row."""
    made = column(*cells)
    return [made.labels()[code] for code in made.codes]


@pytest.mark.parametrize(
    "blank", ["", "  ", "NA", "n/a", "NaN", "null", "?", ".", "#N/A", None, float("nan"), pd.NA, pd.NaT]
)
def test_missing_words_of_every_kind(blank: object) -> None:
    assert seen("1", blank, "0") == ["1", None, "0"]


@pytest.mark.parametrize("cell", ["none", "-", "missing", "inf", "1_000", "nano"])
def test_words_that_only_look_missing_or_numeric_stay_text(cell: str) -> None:
    assert seen("1", cell) == ["1", cell]


def test_different_spellings_of_one_number_are_one_value() -> None:
    made = column("1", "1.0", " 1 ", 1, "+1", "1e0", "2")
    assert [made.labels()[code] for code in made.codes] == ["1"] * 6 + ["2"]
    summary = Summary()
    summary.add(made, np.ones(7))
    assert summary.labels() == {"1": 6.0, "2": 1.0}


def test_decimal_commas() -> None:
    made = Column.of_text(np.array([0, 1]), pa.array(["1,5", "a,b"]), decimal_comma=True)
    assert made.labels() == ["1.5", "a,b", None]


def test_types_of_pandas() -> None:
    for cells, labels in [
        (pd.Series([True, False]), ["1", "0"]),
        (pd.Series([1, None], dtype="Int64"), ["1", None]),
        (pd.Series(["a", None, "b"], dtype="category"), ["a", None, "b"]),
        (pd.Series(pd.to_datetime(["2020-01-01", None])), ["2020-01-01 00:00:00", None]),
        (pd.Series([np.inf, 1.0]), ["inf", "1"]),
    ]:
        made = Column.of_cells(cells)
        assert [made.labels()[code] for code in made.codes] == labels


def test_labels_read_as_a_person_writes_them() -> None:
    assert [label_of(value) for value in (1.0, 0.1, "2.50", " a ", True, 1e20, -0.0)] == [
        "1", "0.1", "2.5", "a", "True", "1e+20", "0",
    ]  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(["0", "1", "7.5", "", "x", "y"]), max_size=8), max_size=6))
def test_a_summary_of_pieces_is_the_summary_of_all(pieces: list[list[str]]) -> None:
    summary = Summary()
    for piece in pieces:
        summary.add(column(*piece), np.ones(len(piece)))
    cells = pd.Series([cell for piece in pieces for cell in piece], dtype=object)
    expected = cells[cells != ""].value_counts().to_dict()
    assert summary.labels() == expected
    assert (summary.missing, summary.distinct) == (int((cells == "").sum()), len(expected))


def test_very_many_numbers_are_thinned_and_frequent_ones_stay_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MANY_NUMBERS", 1000)
    values = np.random.default_rng(0).normal(size=20_000)
    values[::4] = 0.25
    summary = Summary()
    for piece in np.split(values, 40):
        summary.add(Column.of_cells(piece), np.ones(len(piece)))
    assert summary.thinned
    assert len(summary.numbers) <= 1000
    assert summary.mass.sum() == 20_000
    assert summary.mass[summary.numbers == 0.25] >= 5000
    middle = summary.numbers[np.searchsorted(np.cumsum(summary.mass), 10_000)]
    assert abs(np.mean(values <= middle) - 0.5) < 0.01 or middle == 0.25


def test_very_many_texts_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MANY_TEXTS", 5)
    summary = Summary()
    summary.add(column(*"abcdefgh"), np.ones(8))
    assert summary.distinct == 6
    assert summary.many_texts
