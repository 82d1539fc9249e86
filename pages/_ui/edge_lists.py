"""Graphs that people write: arrows line by line, or a CSV file with the columns source,target. No Streamlit here.

>>> parse_arrows("rain > wet\\nsprinkler -> wet -> slippery\\nmoon")
(('rain', 'wet', 'sprinkler', 'slippery', 'moon'), [('rain', 'wet'), ('sprinkler', 'wet'), ('wet', 'slippery')])
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from io import StringIO

from binotears_core.errors import DataError, OptionError
from binotears_core.graph.dag import Adjacency, Edge, find_cycle, from_edges

_ARROW = re.compile(r"\s*(?:-+>|=+>|>|→)\s*")
_COLUMNS = {"source": ("source", "from", "cause", "parent"), "target": ("target", "to", "effect", "child")}
MOST_BYTES = 5 << 20


def parse_arrows(text: str) -> tuple[tuple[str, ...], list[Edge]]:
    """Names in order of appearance and edges of lines such as "A > B", "A -> B -> C" or "A" (a node without edges)."""
    names: dict[str, None] = {}
    edges: dict[Edge, None] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.split("#")[0].strip().rstrip(";,")
        if not content:
            continue
        chain = _ARROW.split(content)
        if not all(chain):
            raise OptionError(f"Line {number} of the graph, '{content}', lacks a name. Write it as: A > B")
        names.update(dict.fromkeys(chain))
        edges.update(dict.fromkeys(zip(chain[:-1], chain[1:], strict=True)))
    return tuple(names), list(edges)


def read_edge_list(content: bytes, names: Sequence[str], title: str = "The file") -> Adjacency:
    """(p, p) graph over `names` from a CSV file of edges; says what is wrong and where."""
    if len(content) > MOST_BYTES:
        raise DataError(f"{title} has {len(content) >> 20} MB, too much for a list of edges. Choose another file.")
    adjacency = from_edges(_read(content, title, names), names)
    if cycle := find_cycle(adjacency):
        path = " → ".join(names[i] for i in [*cycle, cycle[0]])
        raise DataError(f"The edges of {title} form the cycle {path}. Remove one of them.")
    return adjacency


def _read(content: bytes, title: str, names: Sequence[str]) -> list[Edge]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{title} is not UTF-8 text. Save the edges as CSV in UTF-8.") from None
    lines = StringIO(text, newline="")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter) if any(row)]
    places = _places(rows, title)
    edges = []
    for number, row in enumerate(rows[1:], start=2):
        if len(row) <= max(places):
            raise DataError(f"Row {number} of {title} has too few cells. Write source,target on every line.")
        edges.append((row[places[0]], row[places[1]]))
        for name in edges[-1]:
            if name not in names:
                raise DataError(
                    f"Row {number} of {title} names '{name}', which is no variable of these data. "
                    f"The variables are: {', '.join(names)}."
                )
    return edges


def _places(rows: list[list[str]], title: str) -> tuple[int, int]:
    """Which columns hold the source and the target."""
    header = [cell.lower() for cell in rows[0]] if rows else []
    found = [next((header.index(word) for word in words if word in header), None) for words in _COLUMNS.values()]
    if found[0] is None or found[1] is None:
        raise DataError(f"{title} has no columns source and target. Begin it with the line: source,target")
    return found[0], found[1]
