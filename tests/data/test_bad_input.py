"""Bad input: one sentence that names the place, and what to do."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from binotears_core.data.loading import from_frame, load
from binotears_core.errors import DataError, OptionError


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.csv is empty"),
        ("\n\n", "t.csv is empty"),
        ("a,b\n", "t.csv has column names but no rows"),
        ("a,b\n0,1\n", "t.csv has a single row"),
        ("a,b,a\n0,1,1\n1,0,0\n", "The column name 'a' occurs 2 times"),
        ("a,b\n0,1\n1\n", "Line 3 of t.csv has 1 cells where the first line has 2"),
        ("a,b\n0,1\n1,1,1\n0,0\n", "Line 3 of t.csv has 3 cells"),
        ('a,b\n"0\n",1\n0,1\n0,1,1\n', "Line 5 of t.csv has 3 cells"),
        ("a,b\n0,1\n1,\0\n", "t.csv has a NUL byte on line 3"),
        (
            "a,b\n0,1\n1,7\n0,3\n",
            r"Column 'b' has values other than 0 and 1 \(first at row 2: 7\). Binarise it or drop it.",
        ),
        ("a,b\n0,1\n1,\n", r"t.csv has 1 missing cells \(b 1\)"),
        ("a,b\n1,1\n1,1\n", "Every column of t.csv is constant"),
        ("a,b\n,\n,\n", "No column of t.csv has any value"),
    ],
)
def test_bad_text(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load(BytesIO(text.encode()), name="t.csv")


def test_a_quotation_mark_that_is_not_closed() -> None:
    with pytest.raises(DataError, match="Line 3 of The file has 1 cells"):
        load(BytesIO(b'a,b\n0,1\n"0,1\n1,0\n'))
    with pytest.raises(DataError, match=r"cannot be read from line 3 on. Look for a quotation mark that is not closed"):
        load(BytesIO(b'a,b\n0,1\n"0,1\n' + b"1,0\n" * 400_000))


def test_a_long_text_is_cut_in_messages() -> None:
    with pytest.raises(DataError, match=r"first at row 2: x{39}…\)"):
        load(BytesIO(b"a,b\n0,1\n" + b"x" * 1000 + b",1\n1,0\n"))


def test_all_rows_dropped() -> None:
    with pytest.raises(DataError, match="Only 1 of 3 rows"):
        load(BytesIO(b"a,b\n0,1\n1,\n,0\n"), missing="drop")


@pytest.mark.parametrize("name", ["t.parquet", "t.xlsx"])
@pytest.mark.parametrize("content", [b"", b"not what it says", b"PAR1 PAR1", b"PK\x03\x04 torn"])
def test_broken_files(name: str, content: bytes) -> None:
    with pytest.raises(DataError, match=f"{name} is not a readable (Parquet|Excel) file"):
        load(BytesIO(content), name=name)


def test_a_torn_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": np.arange(1000) % 2}).to_parquet(path)
    content = bytearray(path.read_bytes())
    content[10:30] = b"\xff" * 20
    with pytest.raises(DataError, match=r"t.parquet is a damaged Parquet file"):
        load(BytesIO(bytes(content)), name="t.parquet")


def test_an_empty_sheet_and_a_sheet_of_names(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    pd.DataFrame().to_excel(path, index=False)
    with pytest.raises(DataError, match=r"Sheet 'Sheet1' of t.xlsx is empty"):
        load(path)
    pd.DataFrame(columns=["a", "b"]).to_excel(path, index=False)
    with pytest.raises(DataError, match="column names but no rows"):
        load(path)


def test_unknown_files(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no file"):
        load(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match="There is no file"):
        load(tmp_path)
    with pytest.raises(DataError, match=r"t.pdf is of an unknown file type. Save it as one of: .csv"):
        load(BytesIO(b"x"), name="t.pdf")


def test_cells_that_hold_lists(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [[0], [1]], "b": [0, 1]})
    with pytest.raises(DataError, match="Column 'a' of The table holds lists or records"):
        from_frame(frame)
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"Column 'a' of t.parquet holds lists or records"):
        load(tmp_path / "t.parquet")


def test_tables_without_rows_or_columns() -> None:
    for frame in (pd.DataFrame(), pd.DataFrame(index=[1, 2]), pd.DataFrame({"a": []})):
        with pytest.raises(DataError):
            from_frame(frame)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"binarise": {"z": "median"}}, "Option binarise names 'z', which is no column. The columns are: a, b, w."),
        ({"drop": ["z"]}, "Option drop names 'z'"),
        ({"drop": "z"}, "Option drop names 'z'"),
        ({"positive": {"z": 1}}, "Option positive names 'z'"),
        ({"weights": "z"}, "Option weights names 'z'"),
        ({"binarise": "middle"}, "'middle' is no way to binarise. Use a number"),
        ({"binarise": "drop"}, "'drop' is a rule for single columns, not for all"),
        ({"binarise": True}, "True is no way to binarise"),
        ({"binarise": float("nan")}, "nan is no way to binarise"),
        ({"missing": "ignore"}, "'ignore' is no choice for missing"),
        ({"weights_kind": "heavy"}, "'heavy' is no choice for weights_kind"),
        ({"positive": {"a": 1}, "binarise": {"a": 0.5}}, "Column 'a' is named in several options"),
        ({"positive": {"a": 1}, "drop": ["a"]}, "Column 'a' is named in several options"),
        ({"weights": "w", "drop": ["w"]}, "Column 'w' is named in several options"),
        ({"weights": "w", "positive": {"w": 1}}, "Column 'w' is named in several options"),
        ({"sheet": "one"}, "A sheet can only be chosen in an Excel file"),
    ],
)
def test_options_that_do_not_fit(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        load(BytesIO(b"a,b,w\n0,1,1\n1,0,2\n1,1,1\n"), **options)


def test_no_column_left() -> None:
    with pytest.raises(DataError, match="No column of The file is left"):
        load(BytesIO(b"a,b\n0,1\n1,0\n"), drop=["a", "b"])


@pytest.mark.parametrize(
    ("weights", "options", "message"),
    [
        (["1", "x", "2"], {}, r"The weights column 'w' has text \(first at row 2: 'x'\)"),
        ([1, -1, 2], {}, "must be numbers from 0 up"),
        ([0, 0, 0], {}, "not all 0"),
        ([None, None, None], {}, "not all 0"),
        ([1, 1.5, 2], {"weights_kind": "counts"}, "are not all whole numbers. Use weights_kind='survey'"),
        ([1, None, 2], {}, "1 missing cells"),
        ([1, None, 2], {"missing": "indicator"}, "The weights in column 'w' have gaps"),
    ],
)
def test_bad_weights(weights: list[object], options: dict[str, object], message: str) -> None:
    frame = pd.DataFrame({"a": [0, 1, 1], "b": [1, 0, 1], "w": weights})
    with pytest.raises(DataError, match=message):
        from_frame(frame, weights="w", **options)


def test_an_indicator_that_has_the_name_of_a_column() -> None:
    with pytest.raises(DataError, match="The column name 'a=missing' occurs 2 times"):
        load(BytesIO(b"a,a=missing\n0,1\n1,0\n,1\n"), missing="indicator")
