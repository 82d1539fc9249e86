"""What a simulation is made of: the user's settings, and the table of coefficients they may edit. No Streamlit here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from binotears_core.archive import SavedData
from binotears_core.errors import OptionError
from binotears_core.graph.dag import Edge
from binotears_core.simulation import MECHANISMS, Truth, simulate

KINDS = {"ER": "random", "SF": "scale-free", "own": "my own"}
MECHANISM_WORDS = {
    "1st": "every cause acts alone",
    "1st+2nd": "causes act alone and in pairs",
    "1st+pth": "causes act alone and all together",
    "1st+2nd+pth": "alone, in pairs and all together",
    "2nd": "causes act only in pairs",
    "pth": "causes act only all together (noisy AND)",
}
assert tuple(MECHANISM_WORDS) == MECHANISMS
EXAMPLE = "rain > wet\nsprinkler > wet\nwet > slippery"
CONSTANT = "constant"
FEW_NODES = 16
MOST_CELLS = 6_000_000
NODE, TERM, LOG_ODDS = "Variable", "Causes", "Log-odds"


Own = dict[str, dict[tuple[str, ...], float]]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A simulation before its coefficients: `names` and `edges` only when the graph is the user's own."""

    kind: str = "ER"
    nodes: int = 9
    degree: int = 2
    mechanism: str = "1st+2nd"
    samples: int = 10_000
    seed: int = 0
    names: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()

    def arguments(self) -> dict[str, Any]:
        """Keyword arguments of `bn.simulate`."""
        common = {"mechanism": self.mechanism, "samples": self.samples, "seed": self.seed}
        if self.kind == "own":
            if len(self.names) < 2:
                raise OptionError("Write at least one edge, such as: rain > wet")
            return {"graph": list(self.edges), "names": list(self.names), **common}
        return {"graph": self.kind, "nodes": self.nodes, "degree": self.degree, **common}

    def title(self) -> str:
        """A name for the data."""
        graph = f"own graph, {len(self.names)}" if self.kind == "own" else f"{self.kind}{self.degree}, {self.nodes}"
        return f"simulated {graph} nodes, {self.mechanism}, seed {self.seed}"


def check_size(settings: Settings) -> None:
    """Refuse what would hold the page up: beyond a few variables almost every row is a pattern of its own."""
    nodes = len(settings.names) or settings.nodes
    most = MOST_CELLS // nodes
    if nodes > FEW_NODES and settings.samples > most:
        raise OptionError(
            f"{settings.samples} rows of {nodes} variables take too long for a page. Draw at most {most} rows here, "
            "or more with: python -m binotears_core simulate"
        )


def preview(settings: Settings) -> Truth:
    """The model alone; it does not depend on the number of rows."""
    return simulate(**{**settings.arguments(), "samples": 2})[0]


def draw(settings: Settings, coefficients: Own | None) -> SavedData:
    """Data with their true graph."""
    truth, data = simulate(**settings.arguments(), coefficients=coefficients)
    return SavedData(settings.title(), data, {"true graph": truth.adjacency}, truth)


def coefficient_table(truth: Truth) -> pd.DataFrame:
    """One row per variable and term; `read_coefficients` relies on the order of the rows."""
    rows = [
        (node, " × ".join(term) or CONSTANT, value)
        for node in truth.names
        for term, value in truth.coefficients[node].items()
    ]
    return pd.DataFrame(rows, columns=[NODE, TERM, LOG_ODDS])


def read_coefficients(truth: Truth, table: pd.DataFrame) -> Own | None:
    """The log-odds of an edited table, or None when nothing was changed. An empty cell is 0."""
    values = iter(pd.to_numeric(table[LOG_ODDS], errors="coerce").fillna(0.0).tolist())
    read = {node: {term: next(values) for term in truth.coefficients[node]} for node in truth.names}
    return None if read == {node: dict(truth.coefficients[node]) for node in truth.names} else read
