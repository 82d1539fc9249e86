"""Tables as pieces of columns: text, Parquet, pandas.

A source has names and gives its rows as often as asked, piece by piece, so that a file larger than memory can be looked
at (which values are there?) and then counted (how often does each pattern occur?).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import Any, BinaryIO, Protocol

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from binotears_core.data.columns import Column, short
from binotears_core.data.sniffing import DELIMITER_NAMES, TextFormat
from binotears_core.data.table import check_names
from binotears_core.errors import DataError

NESTED = "Column '{}' of {} holds lists or records, not single values. Drop it."

# Size of a piece: large enough that pieces cost little, small enough for any memory.
PIECE_CELLS = 1 << 21
PIECE_BYTES = 1 << 23

Opener = Callable[[], BinaryIO]


class Source(Protocol):
    """A table that can be read again and again."""

    @property
    def title(self) -> str: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def note(self) -> str:
        """How the table was read, in one sentence."""
        ...

    def pieces(self, names: Sequence[str]) -> Iterator[dict[str, Column]]:
        """These columns, from the first row to the last."""
        ...


def _checked(names: Sequence[str]) -> tuple[str, ...]:
    """A column without a name is called after its place (as pandas' index column in a CSV file)."""
    filled = tuple(name or f"X{place + 1}" for place, name in enumerate(names))
    check_names(filled)
    return filled


def _piece_rows(names: Sequence[str]) -> int:
    return max(PIECE_CELLS // len(names), 1)


class TextSource:
    """CSV, TSV and their relatives, parsed by Arrow into distinct texts per column."""

    def __init__(self, title: str, opener: Opener, layout: TextFormat) -> None:
        self.title, self._opener, self._layout = title, opener, layout
        self.names = _checked(layout.names or [""] * layout.columns)

    @property
    def note(self) -> str:
        layout = self._layout
        marks = DELIMITER_NAMES[layout.delimiter] + (" (decimal commas accepted)" if layout.decimal_comma else "")
        where = "names from the first line" if layout.names else "no line of names"
        return f"Read {self.title}: {layout.encoding} text separated by {marks}, {where}."

    def pieces(self, names: Sequence[str]) -> Iterator[dict[str, Column]]:
        keys = {name: str(self.names.index(name)) for name in names}
        skip = self._layout.names is not None  # the names are read like a row, because they may span several lines
        with self._opener() as stream:
            try:
                for batch in self._reader(stream, list(keys.values())):
                    rows = batch.slice(1) if skip else batch
                    skip = False
                    yield {name: self._column(rows.column(key)) for name, key in keys.items()}
            except (pa.ArrowInvalid, UnicodeError):
                raise self._complaint() from None

    def _reader(self, stream: BinaryIO, keys: list[str]) -> Any:
        text = pa.dictionary(pa.int32(), pa.string())
        encoding = "utf8" if self._layout.encoding.startswith("utf-8") else self._layout.encoding
        return pyarrow.csv.open_csv(
            stream,
            read_options=pyarrow.csv.ReadOptions(
                column_names=[str(place) for place in range(len(self.names))], encoding=encoding, block_size=PIECE_BYTES
            ),
            parse_options=pyarrow.csv.ParseOptions(delimiter=self._layout.delimiter, newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(keys, text), include_columns=keys, strings_can_be_null=False
            ),
        )

    def _column(self, cells: Any) -> Column:
        codes = cells.indices.to_numpy(zero_copy_only=False)
        return Column.of_text(codes, cells.dictionary, decimal_comma=self._layout.decimal_comma)

    def _complaint(self) -> DataError:
        """What is wrong with this text; the file is read again, slowly, to name the line."""
        encoding = self._layout.encoding
        with TextIOWrapper(self._opener(), encoding=encoding, newline="") as lines:
            reader, line = csv.reader(lines, delimiter=self._layout.delimiter), 1
            with suppress(csv.Error):  # a cell without end
                for row in reader:
                    if row and len(row) != len(self.names):
                        cells = f"{len(row)} cells where the first line has {len(self.names)}"
                        return DataError(f"Line {line} of {self.title} has {cells}. Correct that line.")
                    line = reader.line_num + 1
        return DataError(
            f"{self.title} cannot be read from line {line} on. Look for a quotation mark that is not closed."
        )


class ParquetSource:
    """A Parquet file, read in batches of rows."""

    def __init__(self, title: str, opener: Opener) -> None:
        self.title, self._opener = title, opener
        with opener() as stream:
            try:
                schema = pyarrow.parquet.ParquetFile(stream).schema_arrow
            except (pa.ArrowException, OSError):
                raise DataError(f"{title} is not a readable Parquet file. Write it again, or save it as CSV.") from None
        # pandas keeps its row numbers in such a column
        self.names = _checked([name for name in schema.names if not name.startswith("__index_level_")])
        self.note = f"Read {title}: a Parquet file."

    def pieces(self, names: Sequence[str]) -> Iterator[dict[str, Column]]:
        with self._opener() as stream:
            try:
                file = pyarrow.parquet.ParquetFile(stream)
                for batch in file.iter_batches(batch_size=_piece_rows(names), columns=list(names)):
                    yield {name: self._column(name, batch.column(name)) for name in names}
            except (pa.ArrowException, OSError):
                raise DataError(f"{self.title} is a damaged Parquet file. Write it again, or save it as CSV.") from None

    def _column(self, name: str, cells: Any) -> Column:
        if pa.types.is_nested(cells.type):
            raise DataError(NESTED.format(name, self.title))
        if not pa.types.is_dictionary(cells.type):
            cells = cells.dictionary_encode()
        codes = cells.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return Column.of_values(codes, cells.dictionary.to_pandas())


class FrameSource:
    """A pandas table."""

    def __init__(self, frame: pd.DataFrame, title: str = "The table", note: str = "Read from a pandas table.") -> None:
        self.title, self.note, self._frame = title, note, frame
        self.names = _checked([str(name).strip() for name in frame.columns])

    def pieces(self, names: Sequence[str]) -> Iterator[dict[str, Column]]:
        places = {name: self.names.index(name) for name in names}
        size = _piece_rows(names)
        for start in range(0, len(self._frame), size):
            rows = self._frame.iloc[start : start + size]
            yield {name: self._column(name, rows.iloc[:, place]) for name, place in places.items()}

    def _column(self, name: str, cells: Any) -> Column:
        try:
            return Column.of_cells(cells)
        except TypeError:
            raise DataError(NESTED.format(name, self.title)) from None


def first_row(source: Source, name: str, test: Callable[[str], bool]) -> tuple[int, str]:
    """Number of the first row (from 1) whose value in a column passes the test, and that value for a message."""
    start = 1
    for piece in source.pieces([name]):
        column, labels = piece[name], piece[name].labels()
        found = np.array([label is not None and test(label) for label in labels])[column.codes]
        if found.any():
            row = int(found.argmax())
            return start + row, short(str(labels[column.codes[row]]))
        start += len(column)
    raise LookupError(f"no such value in column '{name}'")  # only asked for values that were seen
