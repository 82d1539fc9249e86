"""Graphs side by side: the scoreboard, and what is right and wrong edge by edge. No Streamlit here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from binotears_core.graph.dag import Adjacency
from binotears_core.graph.equivalence import PDAG, cpdag
from binotears_core.graph.metrics import Comparison, compare, yardsticks
from pages._ui.graphview.drawing import difference_picture
from pages._ui.graphview.picture import Key, Picture

Graph = Adjacency | PDAG

ARROWS, CLASSES = "arrows", "what data can tell"
LEVELS = {
    ARROWS: "Every arrow counts, also those that no data could tell.",
    CLASSES: "Equivalence classes (CPDAGs): an open line stands for both directions.",
}
OPEN = Key("no arrowhead: either direction", head="none")
COLUMNS = ("Graph", "SHD class", "SHD arrows", "Edges", "Precision", "Recall", "F1", "Seconds")
EMPTY = "no edges"
HELP = {
    "SHD class": "Node pairs on which the equivalence classes (CPDAGs) differ. Smaller is better.",
    "SHD arrows": "Node pairs on which the graphs differ, arrow by arrow.",
    "Precision": "Share of the edges found that are in the reference, whatever their direction.",
    "Recall": "Share of the edges of the reference that were found.",
    "F1": "Harmonic mean of precision and recall.",
}


@dataclass(frozen=True, eq=False)
class Candidate:
    """A graph that can be compared: a truth, a run or another method."""

    key: str
    title: str
    graph: Graph
    seconds: float | None = None
    known: bool = False  # a truth


def as_class(graph: Graph, names: Sequence[str]) -> PDAG:
    """The CPDAG of a DAG; a graph that speaks of a class already stays as it is."""
    return graph if isinstance(graph, PDAG) else cpdag(graph, names)


def contrast(reference: Graph, estimate: Graph, names: Sequence[str], level: str) -> Comparison:
    """The comparison behind picture and table."""
    if level == CLASSES:
        return compare(as_class(reference, names), as_class(estimate, names), names)
    return compare(reference, estimate, names)


def contrast_picture(reference: Candidate, estimate: Candidate, names: Sequence[str], level: str) -> Picture:
    """The coloured difference; an edge that is open in the graph it is drawn from has no arrowhead."""
    found = contrast(reference.graph, estimate.graph, names, level)
    shown, true = _marks(estimate.graph, names, level), _marks(reference.graph, names, level)
    word = "truth" if reference.known else "reference"
    return difference_picture(found.edges, names).redrawn(lambda picture: _opened(picture, shown, true, word))


def _opened(picture: Picture, shown: Adjacency, true: Adjacency, word: str) -> Picture:
    """Open edges without arrowheads, and what the reference is called."""
    lines = []
    for line in picture.lines:
        marks = true if line.colour == "missing" else shown
        is_open = line.edge is not None and bool(marks[line.edge] and marks[line.edge[::-1]])
        lines.append(replace(line, head="none") if is_open else line)
    keys = [replace(key, text=key.text.replace("truth", word)) for key in picture.legend]
    keys += [OPEN] if any(line.head == "none" for line in lines) else []
    return replace(picture, lines=tuple(lines), legend=tuple(keys))


def edge_table(reference: Graph, estimate: Graph, names: Sequence[str], level: str) -> pd.DataFrame:
    """One row per edge of either graph, what is wrong first; an open edge is written A — B."""
    rank = {"reversed": 0, "extra": 1, "missing": 2, "right": 3}
    at = {name: k for k, name in enumerate(names)}
    shown, true = _marks(estimate, names, level), _marks(reference, names, level)
    rows = []
    for one in sorted(contrast(reference, estimate, names, level).edges, key=lambda one: rank[one.verdict]):
        marks, (i, j) = true if one.verdict == "missing" else shown, (at[one.source], at[one.target])
        edge = f"{one.source} {'—' if marks[i, j] and marks[j, i] else '→'} {one.target}"
        rows.append((one.verdict, edge, "no data could tell" if one.same_class and one.verdict != "right" else ""))
    return pd.DataFrame(rows, columns=["Verdict", "Edge", "Note"])


def scoreboard(reference: Graph, candidates: Sequence[Candidate], names: Sequence[str]) -> pd.DataFrame:
    """One row per graph, in the order given."""
    rows: list[tuple[Any, ...]] = []
    for one in candidates:
        found = compare(reference, one.graph, names)
        partial = isinstance(one.graph, PDAG) or isinstance(reference, PDAG)  # a class has no arrows of its own
        distances = (found.shd_cpdag, np.nan if partial else found.shd_dag)
        shares = (found.precision, found.recall, found.f1)
        rows.append((one.title, *distances, found.edges_estimated, *shares, one.seconds))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"Seconds": "float64"})


def no_skill(reference: Graph, edges: int) -> pd.DataFrame:
    """The rows to beat: no edges at all, and as many at random."""
    found = yardsticks(reference, edges, seed=0)
    nothing = (np.nan, np.nan, np.nan, np.nan)
    rows = [
        (EMPTY, found.empty_cpdag, found.empty_dag, 0, *nothing),
        (f"{edges} random edges", found.random_cpdag, found.random_dag, edges, *nothing),
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _marks(graph: Graph, names: Sequence[str], level: str) -> Adjacency:
    marks: Adjacency = np.asarray(as_class(graph, names) if level == CLASSES else graph)
    return marks
