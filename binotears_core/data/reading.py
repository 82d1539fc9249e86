"""Opening a file: what kind is it, and where are its bytes."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import IO

from binotears_core.data.excel import read_excel
from binotears_core.data.sniffing import TextFormat, sniff
from binotears_core.data.sources import Opener, ParquetSource, Source, TextSource
from binotears_core.errors import DataError, OptionError

TEXT_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".dat", ".data")
PARQUET_SUFFIXES = (".parquet", ".pq")
EXCEL_SUFFIXES = (".xlsx", ".xlsm")

Readable = str | Path | IO[bytes] | IO[str]


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
