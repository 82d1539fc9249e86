"""From files and tables to BinaryData: known answers, round trips, pieces, weights, missing cells, recipes."""

import csv
import json
from datetime import date
from decimal import Decimal
from io import BytesIO, StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from binotears_core.data import patterns, sources
from binotears_core.data.columns import BIT_WORDS, MISSING_WORDS, number_of
from binotears_core.data.loading import from_frame, load
from binotears_core.data.reading import open_source
from binotears_core.data.recipe import Recipe
from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError, OptionError

MESSY = pd.DataFrame(
    {
        "smoker": ["yes", "No", "yes", "no", "YES", "no", "no", "yes"],
        "age": [31, 44, 52, 18, None, 60, 33, 47],
        "colour": ["red", "blue", "red", "green", "red", "?", "blue", "red"],
        "same": [5] * 8,
        "weight": [1, 2, 0, 1, 3, 1, 1, 4],
    }
)
MESSY_OPTIONS = {"binarise": {"age": 40, "colour": "indicators"}, "missing": "indicator", "weights": "weight"}


def read(text: str, **options: object) -> BinaryData:
    return load(BytesIO(text.encode()), **options)


def bits(data: BinaryData) -> list[list[int]]:
    """All rows again, in pattern order."""
    return data.to_frame().to_numpy().tolist()


def test_a_small_file_with_a_known_answer() -> None:
    data = read("a,b\n0,1\n1,1\n0,0\n0,1\n", name="small.csv")
    assert data.names == ("a", "b")
    assert bits(data) == [[0, 0], [0, 1], [0, 1], [1, 1]]
    assert data.rows == 4
    assert data.record == (
        "Read small.csv: utf-8 text separated by commas, names from the first line.",
        "It has 4 rows and 2 columns.",
        "Taken as they are (0/1, true/false or yes/no): a, b.",
    )


def test_a_file_without_names() -> None:
    assert read("0;1\n1;1\n0;0\n").names == ("X1", "X2")


# ---- round trips ---------------------------------------------------------------------------------------------------

ODD = st.text(st.sampled_from("aZ09 éß_-.=\"',;|\t\n#>\\/()[]"), min_size=1, max_size=8).map(str.strip)
PAIRS = [("0", "1"), ("no", "yes"), ("FALSE", "True"), ("3", "12.5"), ("female", "male"), ('"a"', 'b "c"')]


def is_value(name: str) -> bool:
    """Names that could be taken for values are told apart by `header=True` only."""
    word = name.lower()
    return not word or word in BIT_WORDS or word in MISSING_WORDS or np.isfinite(number_of(word.replace(",", ".")))


@st.composite
def written_tables(draw: st.DrawFn) -> tuple[bytes, list[str], np.ndarray]:
    """The bytes of a text file, its names, and the bits it stands for."""
    names = draw(st.lists(ODD.filter(lambda name: not is_value(name)), min_size=1, max_size=5, unique=True))
    assume(len(names) > 1 or "," not in names[0])  # `a,b` over single cells is more likely a torn file than one column
    rows = draw(st.lists(st.tuples(*[st.integers(0, 1)] * len(names)), min_size=2, max_size=12))
    pairs = [draw(st.sampled_from(PAIRS)) for _ in names]
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    text = StringIO()
    writer = csv.writer(
        text,
        delimiter=draw(st.sampled_from(",;\t|")),
        quoting=quoting,
        lineterminator=draw(st.sampled_from(["\n", "\r\n"])),
    )
    writer.writerow(names)
    writer.writerows([[pair[bit] for pair, bit in zip(pairs, row, strict=True)] for row in rows])
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    return text.getvalue().encode(encoding), names, np.array(rows)


@settings(max_examples=100, deadline=None)
@given(written_tables())
def test_what_is_written_is_read(table: tuple[bytes, list[str], np.ndarray]) -> None:
    content, names, rows = table
    varying = np.flatnonzero(rows.min(axis=0) != rows.max(axis=0))
    if not len(varying):
        with pytest.raises(DataError, match="constant"):
            load(BytesIO(content))
        return
    expected = BinaryData.from_array(rows[:, varying], [names[place] for place in varying])
    assert load(BytesIO(content)).fingerprint == expected.fingerprint


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "xlsx"])
def test_every_format_gives_the_same_table(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"table.{suffix}"
    if suffix == "parquet":
        MESSY.to_parquet(path)
    elif suffix == "xlsx":
        MESSY.to_excel(path, index=False)
    else:
        MESSY.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    expected = from_frame(MESSY, **MESSY_OPTIONS).fingerprint
    assert load(path, **MESSY_OPTIONS).fingerprint == expected
    assert load(str(path), **MESSY_OPTIONS).fingerprint == expected
    with path.open("rb") as file:
        file.read(3)  # an upload may have been read before
        assert load(file, name=path.name, **MESSY_OPTIONS).fingerprint == expected
    assert load(BytesIO(path.read_bytes()), **MESSY_OPTIONS).fingerprint == expected  # without any name


def test_excel_sheets(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as writer:
        pd.DataFrame({"a": [0, 1]}).to_excel(writer, sheet_name="first", index=False)
        pd.DataFrame({"b": [0, 1]}).to_excel(writer, sheet_name="second", index=False, startrow=2, startcol=1)
    assert load(path).names == ("a",)
    assert load(path, sheet="second").names == load(path, sheet=1).names == ("b",)
    with pytest.raises(OptionError, match=r"has no sheet 'third'. Its sheets are: first, second"):
        load(path, sheet="third")


def test_names_of_pandas_tables() -> None:
    assert from_frame(pd.DataFrame([[0, 1], [1, 0]])).names == ("0", "1")
    assert BinaryData.from_frame(pd.DataFrame({"a": [0, 1]})).names == ("a",)


def test_the_callers_table_is_not_changed() -> None:
    before = MESSY.copy(deep=True)
    from_frame(MESSY, **MESSY_OPTIONS)
    pd.testing.assert_frame_equal(MESSY, before)


# ---- pieces --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("weights", [None, "weight"])
def test_pieces_give_the_same_table_as_the_whole(
    suffix: str, weights: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.integers(0, 2, size=(150, 5)), columns=list("abcde"))
    frame["colour"] = generator.choice(["red", "green", "blue"], 150)
    frame["size"] = generator.normal(size=150).round(2)
    frame.loc[generator.choice(150, 10), "size"] = np.nan
    frame["weight"] = generator.random(150)
    path = tmp_path / f"table.{suffix}"
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path, row_group_size=37)
    options = {"binarise": {"colour": "indicators", "size": "median"}, "missing": "drop", "weights": weights}
    options["drop"] = [] if weights else ["weight"]
    whole = load(path, **options)
    monkeypatch.setattr(sources, "PIECE_CELLS", 80)
    monkeypatch.setattr(sources, "PIECE_BYTES", 300)
    monkeypatch.setattr(patterns, "BATCH_ROWS", 20)
    assert len(list(open_source(path).pieces(list("abcde")))) > 5
    pieces = load(path, **options)
    assert pieces.fingerprint == whole.fingerprint == from_frame(frame, **options).fingerprint
    assert pieces.record == whole.record


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_pieces_of_other_encodings(encoding: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "PIECE_BYTES", 64)
    text = f"größe,b{end}" + f"0,ä{end}1,ö{end}" * 30
    data = load(BytesIO(text.encode(encoding)))
    assert data.names == ("größe", "b")
    assert (data.patterns.tolist(), data.rows) == ([[0, 0], [1, 1]], 60)


def test_types_of_parquet(tmp_path: Path) -> None:
    table = pa.table(
        {
            "nothing": pa.nulls(2),
            "day": pa.array([date(2021, 1, 1), date(2020, 1, 1)]),
            "price": pa.array([Decimal("1.5"), Decimal("0.5")]),
            "text": pa.array(["v", "u"]).dictionary_encode(),
            "a": [True, False],
            "a.b": pa.array([1, 0], pa.float16()),
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    data = load(tmp_path / "t.parquet")
    assert data.names == ("day", "price", "text", "a", "a.b")
    assert data.patterns.tolist() == [[0] * 5, [1] * 5]


def test_many_columns() -> None:
    rows = np.random.default_rng(0).integers(0, 2, size=(300, 150))
    frame = pd.DataFrame(rows).add_prefix("v")
    assert from_frame(frame).fingerprint == BinaryData.from_array(rows, list(frame.columns)).fingerprint


# ---- missing cells, weights and constants --------------------------------------------------------------------------


def test_missing_cells_are_refused_with_counts() -> None:
    with pytest.raises(DataError, match=r"has 3 missing cells \(b 2, a 1\)"):
        read("a,b\n0,1\n?,NA\n1,\n", name="t.csv")


def test_rows_with_missing_cells_are_dropped_and_recorded() -> None:
    data = read("a,b\n0,1\n,1\n1,0\n1,?\n1,1\n", missing="drop")
    assert bits(data) == [[0, 1], [1, 0], [1, 1]]
    assert "2 of 5 rows with missing cells were dropped (rows 2, 4; missing cells: a 1, b 1)." in data.record


def test_values_that_occur_only_in_dropped_rows_play_no_part() -> None:
    data = read("a,b\n0,1\n9,\n1,0\n1,1\n", missing="drop")
    assert bits(data) == [[0, 1], [1, 0], [1, 1]]
    data = read("a,b\n1,1\n2,0\n3,1\n100,\n", missing="drop", binarise="median")
    assert data.recipe is not None
    assert data.recipe.rules[0].cut == 2


def test_missing_cells_as_an_indicator() -> None:
    data = read("a,b\n0,1\n,1\n1,0\n", missing="indicator")
    assert data.names == ("a", "a=missing", "b")
    assert data.groups == (("a", "a=missing"),)
    assert bits(data) == [[0, 0, 1], [0, 1, 1], [1, 0, 0]]


def test_missing_levels_join_the_group_of_a_categorical_column() -> None:
    data = from_frame(pd.DataFrame({"c": ["x", "x", "y", "z", None]}), binarise="indicators", missing="indicator")
    assert data.groups == (("c=y", "c=z", "c=missing"),)


def test_a_box_that_is_ticked_or_empty() -> None:
    """The ticks are constant; what remains is whether they are there."""
    data = read("a,b\n1,1\n,1\n1,0\n", missing="indicator")
    assert data.names == ("a=missing", "b")


def test_an_empty_column_is_kept_out() -> None:
    data = read("a,b,c\n0,,1\n1,,0\n", missing="refuse")
    assert data.names == ("a", "c")
    assert "Column 'b' has no values and was kept out." in data.record


def test_a_constant_column_is_kept_out_with_a_note() -> None:
    data = read("a,b,c\n0,5,no\n1,5,no\n")
    assert data.names == ("a",)
    assert "Column 'b' is the same in every row (5) and was kept out." in data.record
    assert "Column 'c' is the same in every row (no) and was kept out." in data.record


def test_a_cut_that_leaves_nothing_above_is_kept_out() -> None:
    data = read("a,b\n0,1\n1,2\n0,3\n1,3\n1,3\n", binarise="median")
    assert data.names == ("a",)
    assert "Column 'b' is the same in every row and was kept out." in data.record


def test_counts_stand_for_repeated_rows() -> None:
    counted = read("a,b,n\n0,1,3\n1,1,2\n1,0,0\n0,0,1\n", weights="n")
    repeated = read("a,b\n" + "0,1\n" * 3 + "1,1\n" * 2 + "0,0\n")
    assert counted.fingerprint == repeated.fingerprint
    assert counted.rows == 6
    assert "1 rows of weight 0 were left out." in counted.record
    assert "Row weights come from column 'n', taken as counts: 3 rows of the table stand for 6." in counted.record


def test_cuts_use_counts() -> None:
    counted = read("a,b,n\n1,0,5\n2,1,1\n3,1,1\n", weights="n", binarise="median")
    assert counted.recipe is not None
    assert counted.recipe.rules[0].cut == 1


def test_a_column_with_values_only_in_rows_of_weight_0() -> None:
    assert read("a,b,n\n0,1,0\n,0,1\n,1,2\n", weights="n", missing="indicator").names == ("b",)


def test_survey_weights() -> None:
    rows, weights = np.array([[0, 1], [1, 1], [1, 0], [0, 1]]), np.array([0.5, 1.5, 1.0, 2.0])
    frame = pd.DataFrame(rows, columns=["a", "b"]).assign(w=weights)
    data = from_frame(frame, weights="w")
    expected = BinaryData.from_array(rows, ["a", "b"], weights=weights)
    np.testing.assert_array_equal(data.patterns, expected.patterns)
    np.testing.assert_allclose(data.weights, expected.weights)
    assert data.sample_size == pytest.approx(expected.sample_size)
    assert data.rows == 4
    whole = from_frame(frame.assign(w=[1, 3, 2, 4]), weights="w", weights_kind="survey")
    assert whole.sample_size == pytest.approx(expected.sample_size)


# ---- recipes -------------------------------------------------------------------------------------------------------


def test_a_recipe_repeats_the_table(tmp_path: Path) -> None:
    path = tmp_path / "messy.csv"
    MESSY.to_csv(path, index=False)
    data = load(path, **MESSY_OPTIONS)
    assert data.recipe is not None
    stored = json.dumps(data.recipe.to_dict())
    recipe = Recipe.from_dict(json.loads(stored))
    assert recipe == data.recipe
    again = load(path, recipe=recipe)
    assert again.fingerprint == data.fingerprint
    assert again.recipe == recipe


def test_a_recipe_keeps_its_cut_on_other_rows() -> None:
    recipe = read("a,b\n1,0\n2,1\n3,1\n", binarise="median").recipe
    other = read("c,b,a\n7,0,10\n8,1,20\n9,1,1\n", recipe=recipe)
    assert other.names == ("a", "b")
    assert bits(other) == [[0, 1], [1, 0], [1, 1]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,0\n2,2\n", r"Column 'b' has a value the recipe does not know \(first at row 2: 2\)"),
        ("a,b\nx,0\n2,1\n", r"Column 'a' has text where numbers are meant \(first at row 1: 'x'\)"),
        ("a,c\n1,0\n2,1\n", "The recipe needs a column 'b', which The file does not have"),
        ("a,b\n1,\n2,\n", "The recipe needs a column 'b', which has no values"),
        ("a,b\n1,\n2,1\n", "1 missing cells"),
    ],
)
def test_a_recipe_that_does_not_fit(text: str, message: str) -> None:
    recipe = read("a,b\n1,0\n2,1\n3,1\n", binarise="median").recipe
    with pytest.raises(DataError, match=message):
        read(text, recipe=recipe)


def test_missing_cells_that_a_recipe_does_not_foresee() -> None:
    recipe = read("a,b\n1,0\n,1\n0,1\n", missing="indicator").recipe
    with pytest.raises(DataError, match="Column 'b' has 1 missing cells, which the recipe does not foresee"):
        read("a,b\n1,0\n0,\n0,1\n", recipe=recipe)


def test_a_recipe_stands_alone() -> None:
    recipe = read("a,b\n1,0\n0,1\n").recipe
    with pytest.raises(OptionError, match="Leave out the other options"):
        read("a,b\n1,0\n0,1\n", recipe=recipe, missing="drop")
