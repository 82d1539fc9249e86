"""Graphs that people write: arrows line by line, or a CSV file with the columns source,target. No Streamlit here.

>>> parse_arrows("rain > wet\\nsprinkler -> wet -> slippery\\nmoon")
(('rain', 'wet', 'sprinkler', 'slippery', 'moon'), [('rain', 'wet'), ('sprinkler', 'wet'), ('wet', 'slippery')])
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from binotears_core.errors import DataError, OptionError
from binotears_core.exporting import read_edge_list_csv
from binotears_core.graph.dag import Adjacency, Edge, find_cycle, from_edges

_ARROW = re.compile(r"\s*(?:-+>|=+>|>|→)\s*")
MOST_BYTES = 5 << 20


def parse_arrows(text: str) -> tuple[tuple[str, ...], list[Edge]]:
    """Names in order of appearance and edges of lines such as "A > B", "A -> B -> C" or "A" (a node without edges)."""
    names: dict[str, None] = {}
    edges: dict[Edge, None] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.split("#")[0].strip(" \t;,")
        if not content:
            continue
        chain = _ARROW.split(content)
        if not all(chain):
            raise OptionError(f"Line {number} of the graph, '{content}', lacks a name. Write it as: A > B")
        names.update(dict.fromkeys(chain))
        edges.update(dict.fromkeys(itertools.pairwise(chain)))
    return tuple(names), list(edges)


def read_edge_list(content: bytes, names: Sequence[str], title: str = "The file") -> Adjacency:
    """(p, p) graph over `names` from a CSV file of edges; says what is wrong and where."""
    if len(content) > MOST_BYTES:
        raise DataError(f"{title} has {len(content) >> 20} MB, too much for a list of edges. Choose another file.")
    edges = _read(content, title)
    stranger = next((name for edge in edges for name in edge if name not in names), None)
    if stranger is not None:
        raise DataError(
            f"{title} names '{stranger}', which is no variable of these data. The variables are: {', '.join(names)}."
        )
    adjacency = from_edges(edges, names)
    if cycle := find_cycle(adjacency):
        path = " → ".join(names[i] for i in [*cycle, cycle[0]])
        raise DataError(f"The edges of {title} form the cycle {path}. Remove one of them.")
    return adjacency


def _read(content: bytes, title: str) -> list[Edge]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{title} is not UTF-8 text. Save the edges as CSV in UTF-8.") from None
    head = text.partition("\n")[0]
    if ";" in head and "," not in head:  # what a spreadsheet in a country of decimal commas writes
        text = text.replace(";", ",")
    return read_edge_list_csv(text)
