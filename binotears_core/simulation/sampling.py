"""A model with known truth, rows drawn from it, and its exact cell probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
from scipy.special import expit

from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.graph.dag import Adjacency, Edge, to_edges, to_networkx, topological_order
from binotears_core.simulation.graphs import own_graph, random_graph
from binotears_core.simulation.mechanisms import Coefficients, NamedTerm, draw_coefficients, own_coefficients
from binotears_core.simulation.streams import check_at_least, stream

Bits = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Truth:
    """The model behind simulated data; `np.asarray(truth)` is its adjacency.

    names         p variable names
    adjacency     (p, p) 0/1, A[i, j] = 1 means i → j, read-only
    coefficients  node → {term: log-odds}; a term is a tuple of names in column order, () the constant
    mechanism     one of MECHANISMS, or "own" when the coefficients of every node were given
    kind          "ER", "SF" or "own"
    """

    names: tuple[str, ...]
    adjacency: Adjacency
    coefficients: Coefficients
    mechanism: str
    kind: str
    seed: int

    def __post_init__(self) -> None:
        self.adjacency.setflags(write=False)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.adjacency, dtype=dtype)

    @property
    def edges(self) -> list[Edge]:
        """(source, target) names."""
        return to_edges(self.adjacency, self.names)

    @property
    def graph(self) -> nx.DiGraph:
        """The DAG over names."""
        return to_networkx(self.adjacency, self.names)


def simulate(
    graph: Any = "ER",
    nodes: int = 9,
    degree: int = 2,
    mechanism: str = "1st+2nd",
    samples: int = 10_000,
    seed: int = 0,
    *,
    names: Sequence[str] | None = None,
    coefficients: Coefficients | None = None,
) -> tuple[Truth, BinaryData]:
    """A model and `samples` rows from it. Same arguments, same result; the model does not depend on `samples`.

    graph         "ER" or "SF" with `nodes` and `degree`; or your own: a matrix (A[i, j] != 0 means i → j), a
                  networkx.DiGraph or (source, target) pairs
    names         variable names; X1…Xp or those of your graph when left out
    coefficients  your own log-odds, node → {term: value}: terms left out are 0, nodes left out are drawn
    """
    kind = graph if isinstance(graph, str) else "own"
    drawn = random_graph(graph, nodes, degree, seed) if isinstance(graph, str) else graph
    adjacency, columns = own_graph(drawn, names)
    given = own_coefficients(coefficients or {}, adjacency, columns)
    used = {**draw_coefficients(adjacency, columns, mechanism, seed), **given}
    truth = Truth(columns, adjacency, used, "own" if len(given) == len(columns) else mechanism, kind, seed)
    return truth, sample(truth, samples, seed)


def sample(truth: Truth, samples: int, seed: int) -> BinaryData:
    """Draw rows from a model, straight into pattern counts.

    All rows start as one group; node by node in topological order, a group of n equal rows splits into Binomial(n, q)
    rows with a one and the rest with a zero. The law is that of drawing row by row; the cost is that of the *distinct*
    rows, so ten million rows of nine variables are as cheap as ten thousand.
    """
    check_at_least("samples", samples, 2)
    generator = stream(seed, "rows")
    position = {name: j for j, name in enumerate(truth.names)}
    columns = np.zeros((len(truth.names), 1), dtype=np.uint8)
    counts = np.array([samples], dtype=np.int64)
    for j in topological_order(truth.adjacency):
        ones = generator.binomial(counts, expit(_log_odds(truth.coefficients[truth.names[j]], columns, position)))
        zeros = counts - ones
        off, on = np.flatnonzero(zeros), np.flatnonzero(ones)
        columns = columns[:, np.concatenate([off, on])]
        columns[j, len(off) :] = 1
        counts = np.concatenate([zeros[off], ones[on]])
    return BinaryData.from_counts(columns.T, counts, truth.names, record=[_describe(truth, samples, seed)])


def probabilities(truth: Truth) -> Floats:
    """(2^p,) exact probability of every cell; bit j of a cell's number is the value of column j. For p ≤ 20."""
    p = len(truth.names)
    if p > 20:
        raise OptionError(
            f"{p} variables have 2^{p} cells. Exact probabilities are for at most 20 variables; use `sample`."
        )
    position = {name: j for j, name in enumerate(truth.names)}
    columns = ((np.arange(1 << p) >> np.arange(p)[:, None]) & 1).astype(np.uint8)
    share = np.ones(1 << p)
    for j, name in enumerate(truth.names):
        z = _log_odds(truth.coefficients[name], columns, position)
        share *= expit(np.where(columns[j] == 1, z, -z))
    return share


def _log_odds(coefficients: Mapping[NamedTerm, float], columns: Bits, position: Mapping[str, int]) -> Floats:
    """(m,) Σ_S h_S Π_{i∈S} x_i for (p, m) columns; term by term, so that memory stays at one number per row."""
    z = np.full(columns.shape[1], coefficients[()])
    for term, value in coefficients.items():
        if term:
            z += value * np.bitwise_and.reduce(columns[[position[name] for name in term]], axis=0)
    return z


def _describe(truth: Truth, samples: int, seed: int) -> str:
    kind = "a given" if truth.kind == "own" else f"an {truth.kind}"
    size = f"{len(truth.names)} nodes and {len(truth.edges)} edges"
    return f"Simulated {samples} rows from {kind} graph with {size} (mechanism {truth.mechanism}, seed {seed})."
