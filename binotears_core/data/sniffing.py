"""How a text file is written: its encoding, its delimiter, and whether its first line holds names.

Nothing is asked of the user; what was found goes into the record.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from typing import BinaryIO

import numpy as np

from binotears_core.data.columns import BIT_WORDS, MISSING_WORDS, number_of
from binotears_core.errors import DataError

# Where several delimiters fit, the first of these wins: commas also occur inside numbers, the others hardly ever.
DELIMITERS = ("\t", ";", "|", ",")
DELIMITER_NAMES = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas"}
HEAD_BYTES = 1 << 20
HEAD_ROWS = 200
EMPTY = "{} is empty. Give a table with a header line and rows of 0/1."

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class TextFormat:
    """What a text file looks like. `names` are those of the first line, or None when there is no such line."""

    encoding: str
    delimiter: str
    columns: int
    names: tuple[str, ...] | None

    @property
    def decimal_comma(self) -> bool:
        """Semicolons part the cells where commas part whole numbers from decimals."""
        return self.delimiter == ";"


def sniff(stream: BinaryIO, title: str, header: bool | None = None) -> TextFormat:
    """Look at a text file; `header` overrides the guess whether the first line holds names."""
    head = stream.read(HEAD_BYTES)
    if not head.strip():
        raise DataError(EMPTY.format(title))
    encoding = find_encoding(stream, title)
    text = codecs.getincrementaldecoder(encoding)().decode(head)
    whole = len(head) < HEAD_BYTES
    delimiter = find_delimiter(text, whole)
    rows = first_rows(text, delimiter, whole)
    if not rows:
        raise DataError(EMPTY.format(title))
    named = has_header(rows, decimal_comma=delimiter == ";") if header is None else header
    return TextFormat(encoding, delimiter, len(rows[0]), tuple(cell.strip() for cell in rows[0]) if named else None)


def find_encoding(stream: BinaryIO, title: str) -> str:
    """UTF-8 when the whole file is; by its byte-order mark; UTF-16 by its zero bytes; else Windows or Latin-1."""
    stream.seek(0)
    head = stream.read(HEAD_BYTES)
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), None) or _unmarked_utf16(head)
    if marked is not None:
        if (line := _first_undecodable(stream, marked)) is not None:
            raise DataError(f"{title} begins as {marked} text but line {line} is not. Save the file again as UTF-8.")
        return marked
    if (line := _first_nul(stream)) is not None:
        raise DataError(f"{title} has a NUL byte on line {line}, so it is no text file. Save it again as CSV in UTF-8.")
    return next(name for name in ("utf-8", "cp1252", "latin-1") if _first_undecodable(stream, name) is None)


def _unmarked_utf16(head: bytes) -> str | None:
    """In UTF-16 without a mark, nearly every second byte of plain text is zero."""
    zeros = [np.mean(np.frombuffer(head[k : len(head) // 2 * 2 : 2], dtype=np.uint8) == 0) for k in (0, 1)]
    if len(head) < 4 or max(zeros) < 0.9 or min(zeros) > 0.1:
        return None
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"


def _first_undecodable(stream: BinaryIO, encoding: str) -> int | None:
    """Number of the first line that is not text of this encoding; None when the whole file is."""
    stream.seek(0)
    decoder, line = codecs.getincrementaldecoder(encoding)(), 1
    while True:
        block = stream.read(HEAD_BYTES)
        try:
            line += decoder.decode(block, final=not block).count("\n")
        except UnicodeDecodeError as error:
            good = error.object[: error.start].decode(encoding, errors="ignore")
            return line + good.count("\n")
        if not block:
            return None


def _first_nul(stream: BinaryIO) -> int | None:
    """Number of the first line with a NUL byte, or None."""
    stream.seek(0)
    line = 1
    while block := stream.read(HEAD_BYTES):
        if (position := block.find(b"\0")) >= 0:
            return line + block.count(b"\n", 0, position)
        line += block.count(b"\n")
    return None


def first_rows(text: str, delimiter: str, whole: bool) -> list[list[str]]:
    """The first rows that are not blank; a last one that may be cut in the middle is left out."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    rows: list[list[str]] = []
    # A quotation mark that is never closed makes an endless cell; what comes before it is enough to judge by.
    with suppress(csv.Error):
        rows.extend(row for row in islice(reader, HEAD_ROWS) if row)
    return rows if whole or len(rows) < 2 else rows[:-1]


def find_delimiter(text: str, whole: bool) -> str:
    """The delimiter under which most rows have as many cells as the first one (at least two)."""

    def agreement(delimiter: str) -> float:
        widths = [len(row) for row in first_rows(text, delimiter, whole)]
        if not widths or widths[0] < 2:
            return 0.0
        return float(np.mean([width == widths[0] for width in widths[1:]])) if len(widths) > 1 else 0.5

    best = max(DELIMITERS, key=agreement)  # ties: the first
    return best if agreement(best) > 0 else ","


def has_header(rows: Sequence[Sequence[str]], *, decimal_comma: bool = False) -> bool:
    """Whether the first row holds names: some cell of it does not look like the values below it."""
    if decimal_comma:
        rows = [[cell.replace(",", ".") for cell in row] for row in rows]
    first, below = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    return any(_is_name(cell, [row[place] for row in below]) for place, cell in enumerate(first))


def _is_name(cell: str, below: Sequence[str]) -> bool:
    """0/1 (yes/no, …) over 0/1 is a value, a number over numbers is a value, a text that comes again is a value."""
    word = cell.strip().lower()
    others = {text.strip().lower() for text in below} - set(MISSING_WORDS)
    if word in MISSING_WORDS or word in others:
        return False
    if others and others <= BIT_WORDS.keys():
        return word not in BIT_WORDS
    if all(np.isfinite(number_of(text)) for text in others):
        return not np.isfinite(number_of(word)) and word not in BIT_WORDS
    return True
