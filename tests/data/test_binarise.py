"""One rule per column: cuts, two values and indicators with known answers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binotears_core.data.binarise import Rule, log_mean, mean, median
from binotears_core.data.loading import from_frame
from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError, OptionError

BITS = [0, 1, 1, 0, 1, 0]


def prepared(cells: list[object], **options: object) -> BinaryData:
    """A column 'c' beside a plain column 'other'."""
    return from_frame(pd.DataFrame({"c": cells, "other": BITS[: len(cells)]}), **options)


def ones(data: BinaryData, name: str) -> float:
    """How many rows have a 1 in a column."""
    return float(data.counts @ data.patterns[:, data.index(name)])


@given(st.dictionaries(st.integers(-50, 50), st.integers(1, 5), min_size=1, max_size=12))
def test_weighted_cuts_are_those_of_the_repeated_values(counted: dict[int, int]) -> None:
    values = np.array(sorted(counted), dtype=float)
    mass = np.array([counted[int(value)] for value in values], dtype=float)
    repeated = np.repeat(values, mass.astype(int))
    assert median(values, mass) == np.median(repeated)
    assert mean(values, mass) == pytest.approx(repeated.mean())
    assert log_mean(values + 51, mass) == pytest.approx(np.exp(np.log(repeated + 51).mean()))


@pytest.mark.parametrize(
    ("rule", "cut", "above"),
    [("median", 2.5, 2), ("mean", 7.5, 1), ("log-mean", 144**0.25, 1), (2, 2.0, 2), (1.5, 1.5, 3)],
)
def test_cuts(rule: str | float, cut: float, above: int) -> None:
    data = prepared([1, 2, 3, 24], binarise=rule)
    assert data.recipe is not None
    assert data.recipe.rules[0].cut == pytest.approx(cut)
    assert ones(data, "c") == above


def test_a_value_on_the_cut_becomes_0() -> None:
    assert ones(prepared([1, 2, 3], binarise=2), "c") == 1


@pytest.mark.parametrize(
    ("one", "zero"),
    [
        ("2", "1"),
        ("1", "-1"),
        ("10", "9"),  # numbers, not letters
        ("male", "female"),
        ("Y", "N"),
        ("Ja", "Nein"),
        ("sí", "no"),
        ("positive", "unknown"),
        ("+", "-"),
        ("1", "zero"),
    ],
)
def test_which_of_two_values_becomes_1(one: str, zero: str) -> None:
    for cells in ([one, zero], [zero, one]):
        assert f"Column 'c': '{one}' became 1, '{zero}' became 0." in prepared(list(cells)).record


@pytest.mark.parametrize("cells", [["yes", "No", "NO", "YES"], ["true", "FALSE", 0, 1], [True, False, False, True]])
def test_bit_words_are_taken_as_they_are(cells: list[object]) -> None:
    data = prepared(cells)
    assert ones(data, "c") == 2
    assert "Taken as they are (0/1, true/false or yes/no): c, other." in data.record


def test_positive_chooses_the_value_that_becomes_1() -> None:
    assert ones(prepared([1, 1, 2], positive={"c": 1}), "c") == 2
    assert ones(prepared(["no", "no", "yes"], positive={"c": "NO"}), "c") == 2
    assert ones(prepared(["red", "blue", "green", "red"], positive={"c": "red"}), "c") == 2
    assert ones(prepared(["no", "no", "yes"], positive={"c": False}), "c") == 2
    with pytest.raises(OptionError, match=r"Column 'c' has no value 'pink' to become 1. Its values are: blue, red."):
        prepared(["red", "blue"], positive={"c": "pink"})


def test_indicators_leave_out_the_most_frequent_level_and_form_a_group() -> None:
    data = prepared(["red", "blue", "red", "green", "red", "blue"], binarise="indicators")
    assert data.names == ("c=blue", "c=green", "other")
    assert data.groups == (("c=blue", "c=green"),)
    assert (ones(data, "c=blue"), ones(data, "c=green")) == (2, 1)
    assert (
        "Column 'c' became the indicators c=blue, c=green; the reference level is 'red' (the most frequent)."
        in data.record
    )


def test_indicators_of_numbers() -> None:
    assert prepared([3, 1, 2, 1.0, 1, 1], binarise={"c": "indicators"}).names == ("c=2", "c=3", "other")


def test_one_rule_for_all_leaves_two_valued_columns_alone_and_star_is_the_rest() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, 2, 3, 4], "c": [0, 1, 0, 1], "d": [5, 7, 5, 7]})
    data = from_frame(frame, binarise={"a": 3, "*": "median"})
    assert data.recipe is not None
    assert [(rule.how, rule.cut) for rule in data.recipe.rules] == [
        ("threshold", 3.0), ("median", 2.5), ("as it is", None), ("two values", None),
    ]  # fmt: skip


def test_drop_as_a_rule_and_as_an_option() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [0, 1, 0, 1], "c": ["x", "y", "z", None]})
    data = from_frame(frame, binarise={"a": "drop"}, drop=["c"])
    assert data.names == ("b",)
    assert "Column 'a' was dropped as asked." in data.record


@pytest.mark.parametrize(
    ("cells", "options", "message"),
    [
        ([0, 1, 37], {}, r"Column 'c' has values other than 0 and 1 \(first at row 3: 37\). Binarise it or drop it."),
        (["yes", "no", "maybe"], {}, r"first at row 3: maybe"),
        ([1, 2, "x"], {"binarise": "median"}, r"Column 'c' has text where numbers are meant \(first at row 3: 'x'\)"),
        (
            [0, 2, 3],
            {"binarise": "log-mean"},
            "Column 'c' cannot be cut by 'log-mean': it has numbers that are not above 0",
        ),
    ],
)
def test_columns_that_do_not_fit(cells: list[object], options: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        prepared(cells, **options)


def test_too_many_levels() -> None:
    frame = pd.DataFrame({"id": [f"p{k}" for k in range(60)], "b": [0, 1] * 30})
    with pytest.raises(DataError, match="Column 'id' has 60 different values"):
        from_frame(frame, binarise="indicators")


def test_rules_survive_json() -> None:
    rule = Rule(column="c", how="indicators", outputs=("c=a",), values=(("a", "c=a"), ("b", None)), missing=None)
    assert Rule.from_dict(rule.to_dict()) == rule
