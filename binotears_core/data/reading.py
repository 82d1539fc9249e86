"""Files and tables as pieces of columns.

A source has names and gives its rows as often as asked, piece by piece, so that a file larger than memory can be looked
at (which values are there?) and then counted (how often does each pattern occur?).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol
from zipfile import BadZipFile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from binotears_core.data.columns import Column, label_of
from binotears_core.data.sniffing import DELIMITER_NAMES, EMPTY, TextFormat, has_header, sniff
from binotears_core.data.table import check_names
from binotears_core.errors import DataError, OptionError

TEXT_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".dat", ".data")
PARQUET_SUFFIXES = (".parquet", ".pq")
EXCEL_SUFFIXES = (".xlsx", ".xlsm")

NESTED = "Column '{}' of {} holds lists or records, not single values. Drop it."

PIECE_ROWS = 1 << 17
PIECE_BYTES = 1 << 23

Opener = Callable[[], BinaryIO]
Readable = str | Path | IO[bytes] | IO[str]


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


def open_source(
    path: Readable, *, name: str | None = None, sheet: str | int | None = None, header: bool | None = None
) -> Source:
    """Find out what kind of file this is; `name` is the file name of an upload."""
    opener, title = _opener(path, name)
    suffix = Path(title).suffix.lower() or _suffix_by_content(opener)
    if sheet is not None and suffix not in EXCEL_SUFFIXES:
        raise OptionError(f"A sheet can only be chosen in an Excel file, and {title} is none. Leave out `sheet`.")
    if suffix in TEXT_SUFFIXES:
        return TextSource(title, opener, _sniff(opener, title, header))
    if suffix in PARQUET_SUFFIXES:
        return ParquetSource(title, opener)
    if suffix in EXCEL_SUFFIXES:
        return read_excel(opener, title, sheet, header)
    known = ", ".join((*TEXT_SUFFIXES, *PARQUET_SUFFIXES, *EXCEL_SUFFIXES))
    raise DataError(f"{title} is of an unknown file type. Save it as one of: {known}.")


def _opener(path: Readable, name: str | None) -> tuple[Opener, str]:
    """A function that opens the bytes anew each time, and what to call them in messages."""
    if isinstance(path, str | Path):
        file = Path(path)
        if not file.is_file():
            raise DataError(f"There is no file '{path}'. Check the path.")
        return (lambda: file.open("rb")), name or file.name
    if path.seekable():
        path.seek(0)  # an upload may have been read before
    content = path.read()
    data = content.encode() if isinstance(content, str) else content
    return (lambda: BytesIO(data)), name or Path(str(getattr(path, "name", ""))).name or "The file"


def _suffix_by_content(opener: Opener) -> str:
    with opener() as stream:
        start = stream.read(4)
    return {b"PAR1": ".parquet", b"PK\x03\x04": ".xlsx"}.get(start, ".csv")


def _sniff(opener: Opener, title: str, header: bool | None) -> TextFormat:
    with opener() as stream:
        return sniff(stream, title, header)


def _checked(names: Sequence[str]) -> tuple[str, ...]:
    """A column without a name is called after its place (as pandas' index column in a CSV file)."""
    filled = tuple(name or f"X{place + 1}" for place, name in enumerate(names))
    check_names(filled)
    return filled


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
            reader = csv.reader(lines, delimiter=self._layout.delimiter)
            for row in reader:
                if row and len(row) != len(self.names):
                    cells = f"{len(row)} cells where the first line has {len(self.names)}"
                    return DataError(f"Line {reader.line_num} of {self.title} has {cells}. Correct that line.")
        return DataError(f"{self.title} cannot be read as {encoding} text. Save it again as CSV in UTF-8.")


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
                for batch in file.iter_batches(batch_size=PIECE_ROWS, columns=list(names)):
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
        for start in range(0, len(self._frame), PIECE_ROWS):
            rows = self._frame.iloc[start : start + PIECE_ROWS]
            yield {name: self._column(name, rows.iloc[:, place]) for name, place in places.items()}

    def _column(self, name: str, cells: Any) -> Column:
        try:
            return Column.of_cells(cells)
        except TypeError:
            raise DataError(NESTED.format(name, self.title)) from None


def read_excel(opener: Opener, title: str, sheet: str | int | None, header: bool | None) -> FrameSource:
    """One sheet (the first unless chosen) as a table; empty rows and columns are no part of it."""
    import openpyxl  # slow to import, and few tables need it

    with opener() as stream:
        try:
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            chosen = _sheet_name(book.sheetnames, title, sheet)
            cells = pd.DataFrame(book[chosen].iter_rows(values_only=True), dtype=object)
        except (BadZipFile, OSError, KeyError, ValueError) as error:
            if isinstance(error, OptionError):
                raise
            raise DataError(f"{title} is not a readable Excel file. Save it again as .xlsx or CSV.") from None
    filled = cells.notna()
    cells = cells.loc[filled.any(axis=1), filled.any(axis=0)]
    if cells.empty:
        raise DataError(EMPTY.format(f"Sheet '{chosen}' of {title}"))
    head = [["" if cell is None else label_of(cell) for cell in row] for row in cells.head(200).to_numpy().tolist()]
    named = has_header(head) if header is None else header
    table = cells.iloc[1:] if named else cells
    table = table.set_axis(head[0] if named else [""] * cells.shape[1], axis=1)
    return FrameSource(table, title, f"Read {title}: sheet '{chosen}' of an Excel file.")


def _sheet_name(sheets: Sequence[str], title: str, sheet: str | int | None) -> str:
    if sheet is None:
        return sheets[0]
    if isinstance(sheet, int) and 0 <= sheet < len(sheets):
        return sheets[sheet]
    if sheet in sheets:
        return str(sheet)
    raise OptionError(f"{title} has no sheet '{sheet}'. Its sheets are: {', '.join(sheets)}.")


def first_row(source: Source, name: str, test: Callable[[str], bool]) -> tuple[int, str]:
    """Number of the first row (from 1) whose value in a column passes the test, and that value."""
    start = 1
    for piece in source.pieces([name]):
        column, labels = piece[name], piece[name].labels()
        found = np.array([label is not None and test(label) for label in labels])[column.codes]
        if found.any():
            row = int(found.argmax())
            return start + row, str(labels[column.codes[row]])
        start += len(column)
    raise LookupError(f"no such value in column '{name}'")  # only asked for values that were seen
