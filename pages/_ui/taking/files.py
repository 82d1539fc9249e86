"""Everything that can be taken away as a file. No Streamlit here."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from binotears_core import exporting
from binotears_core.archive import SavedData
from binotears_core.exporting.csv_text import csv_cell
from binotears_core.results import FitResult
from pages._ui.graphview.drawing import dag_picture
from pages._ui.graphview.effects import of_result
from pages._ui.graphview.free import free_html
from pages._ui.graphview.known import known_class
from pages._ui.graphview.picture import Picture
from pages._ui.repeating import data_csv
from pages._ui.report import report_html


@dataclass(frozen=True, eq=False)
class Taken:
    """A finished run with everything a file may need."""

    saved: SavedData
    run: str
    result: FitResult
    when: datetime = field(default_factory=datetime.now)
    dark: bool = False  # the theme in which a picture is looked at now

    def name(self, ending: str) -> str:
        """A file name after the data: "sachs-edges.csv"."""
        return f"{slug(self.saved.name)}-{ending}"

    def picture(self) -> Picture:
        """The graph with its legend."""
        shares = [float(share) for share in self.saved.data.prevalence]
        members = known_class(self.result.adjacency, self.saved.data, self.result)
        return dag_picture(of_result(self.result), shares=shares, members=members)


@dataclass(frozen=True, eq=False)
class File:
    """One kind of file; `show` is how its preview is drawn: code in a language, "picture" or "page"."""

    title: str
    purpose: str
    ending: str
    show: str
    make: Callable[[Taken], str]

    @property
    def mime(self) -> str:
        """What the browser calls it."""
        return MIME.get(self.ending.rpartition(".")[2], "text/plain")


def slug(name: str) -> str:
    """A name as the start of a file name, safe on every system."""
    plain = unicodedata.normalize("NFKD", name.rpartition("/")[2]).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"\.(csv|tsv|txt|xlsx|xlsm|parquet|pq)\b", "", plain)
    return re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:40] or "data"


def coefficients_csv(result: FitResult) -> str:
    """One line per node and term; text cells cannot run as formulas."""
    columns = ["order", "log_odds", "std_error", "odds_ratio", "probability_change"]
    lines = [",".join(["node", "term", *columns])]
    for row in result.coefficients.to_dict("records"):
        term = " × ".join(row["term"]) or "constant"
        lines.append(",".join([csv_cell(row["node"]), csv_cell(term), *(repr(row[name]) for name in columns)]))
    return "\n".join(lines) + "\n"


def _report(taken: Taken) -> str:
    return report_html(taken.saved, taken.run, taken.result, taken.when)


def _free(taken: Taken) -> str:
    return free_html(taken.picture(), dark=taken.dark)


def _json(taken: Taken) -> str:
    return json.dumps(exporting.result_json(taken.result), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _of(write: Callable[[FitResult], str]) -> Callable[[Taken], str]:
    return lambda taken: write(taken.result)


MIME = {
    "html": "text/html",
    "svg": "image/svg+xml",
    "json": "application/json",
    "csv": "text/csv",
    "tex": "text/x-tex",
    "graphml": "application/xml",
    "dot": "text/vnd.graphviz",
}
FILES = (
    File("Report", "data, choices, graph, class, tables and code on one page", "report.html", "page", _report),
    File("Picture", "SVG or PNG with its legend", "graph.svg", "picture", lambda _: ""),
    File("Interactive graph", "a page to drag and zoom, offline", "graph.html", "page", _free),
    File("Result", "JSON with everything, for programs", "result.json", "json", _json),
    File("Edges", "CSV: source, target, strength", "edges.csv", "csv", _of(exporting.edge_list_csv)),
    File("Coefficients", "CSV, one line per variable and term", "coefficients.csv", "csv", _of(coefficients_csv)),
    File("LaTeX", "the table of coefficients", "coefficients.tex", "latex", _of(exporting.latex_table)),
    File("GraphML", "for yEd, Gephi, igraph, networkx", "graph.graphml", "xml", _of(exporting.graphml)),
    File("DOT", "for Graphviz", "graph.dot", "dot", _of(exporting.dot)),
    File("DAGitty", "for dagitty.net and its R package", "graph.dagitty.txt", "text", _of(exporting.dagitty)),
    File("BIF", "graph and probabilities, for Bayesian networks", "network.bif", "text", _of(exporting.bif)),
    File("0/1 table", "CSV, every distinct row and its count", "data.csv", "csv", lambda t: data_csv(t.saved.data)),
)
BY_TITLE = {file.title: file for file in FILES}
