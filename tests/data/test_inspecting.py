"""One look at a table, for the page that asks what to do with each column."""

import numpy as np
import pandas as pd

from binotears_core.data.loading import from_frame, inspect

FRAME = pd.DataFrame(
    {
        "bit": [0, 1, 0, None],
        "word": ["Yes", "no", "YES", "no"],
        "sex": ["f", "m", "f", "m"],
        "age": [10, 20, 30, 41],
        "colour": ["red", "red", "blue", "green"],
        "same": [3, 3, 3, 3],
        "empty": [None, np.nan, "", "?"],
    }
)


def test_every_kind_of_column() -> None:
    seen = inspect(FRAME)
    assert seen.values.tolist() == [
        ["bit", "binary", 2, 1, "1", ""],
        ["word", "binary", 3, 0, "YES, Yes", ""],
        ["sex", "two-valued", 2, 0, "m", ""],
        ["age", "numeric", 4, 0, "above 25", "median"],
        ["colour", "categorical", 3, 0, "blue, green", "indicators"],
        ["same", "constant", 1, 0, "", "drop"],
        ["empty", "empty", 0, 4, "", "drop"],
    ]


def test_the_suggestions_can_be_used() -> None:
    seen = inspect(FRAME)
    rules = {name: rule for name, rule in zip(seen["name"], seen["suggested"], strict=True) if rule}
    data = from_frame(FRAME, binarise=rules, missing="indicator")
    assert data.names == ("bit", "bit=missing", "word", "sex", "age", "colour=blue", "colour=green")


def test_a_column_of_identifiers_is_to_be_dropped() -> None:
    frame = pd.DataFrame({"id": [f"person {k}" for k in range(100)]})
    assert inspect(frame)["suggested"].tolist() == ["drop"]
