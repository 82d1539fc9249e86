"""Edge lists as CSV that a spreadsheet shows and does not execute.

A cell that begins with = + - @ (also their full-width twins), a tab or a line break could run as a formula; it gets an
apostrophe in front. `read_edge_list_csv` takes it off again.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

from binotears_core.errors import DataError
from binotears_core.graph.dag import Edge
from binotears_core.results import FitResult

# Apostrophes before the formula sign are counted in, so that escaping can be undone: '= becomes ''=, and back.
_FORMULA = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")
_ESCAPED = re.compile(r"'+[=+\-@＝＋－＠\t\r\n]")


def edge_list_csv(result: FitResult) -> str:
    """source,target,strength; one edge a line, strongest first."""
    lines = (f"{csv_cell(source)},{csv_cell(target)},{strength!r}\n" for source, target, strength in result.edges)
    return "source,target,strength\n" + "".join(lines)


def truth_csv(edges: Iterable[Edge]) -> str:
    """source,target; one edge a line."""
    return "source,target\n" + "".join(f"{csv_cell(source)},{csv_cell(target)}\n" for source, target in edges)


def read_edge_list_csv(text: str) -> list[Edge]:
    """(source, target) pairs of a CSV text with these two columns, others ignored."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")) if any(row)]
    except csv.Error as error:
        raise DataError(f"The edge list is not CSV ({error}). Write source,target and one edge a line.") from None
    if not rows:
        raise DataError("The edge list is empty. Write source,target and one edge a line.")
    header = [name.strip() for name in rows[0]]
    if not {"source", "target"} <= set(header):
        raise DataError(f"The edge list has the columns {', '.join(header)}. It needs source and target.")
    source, target = header.index("source"), header.index("target")
    short = next((number for number, row in enumerate(rows, 1) if len(row) <= max(source, target)), None)
    if short is not None:
        raise DataError(f"Row {short} of the edge list has too few cells. Write a source and a target on every line.")
    return [(_name(row[source]), _name(row[target])) for row in rows[1:]]


def csv_cell(text: str) -> str:
    """A text cell: no formula, and quoted where it must be (Python's csv leaves a lone carriage return bare)."""
    safe = f"'{text}" if _FORMULA.match(text) else text
    return '"' + safe.replace('"', '""') + '"' if re.search(r'[,"\r\n]|^\s|\s$', safe) else safe


def _name(cell: str) -> str:
    return cell[1:] if _ESCAPED.match(cell) else cell
