"""What a run says while it goes on (`Progress`) and when it ends (`FitResult`).

Everything here is a frozen value. A `Status` *is* the sentence the user reads; numerical trouble is a status, not an
exception. A progress callback may ask the run to stop by returning True (or by raising StopIteration).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import pandas as pd

from binotears_core.graph.dag import Adjacency, to_networkx

if TYPE_CHECKING:
    from binotears_core.graph.equivalence import CPDAG

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Progress:
    """A snapshot of a running fit. `fraction` is the share of the work done, 0…1, never decreasing."""

    stage: str
    step: int
    steps: int
    fraction: float
    loss: float = np.nan
    h: float = np.nan
    edges: int = 0
    lam: float = np.nan
    delta: float = np.nan
    message: str = ""
    adjacency: Adjacency | None = None


ProgressCallback = Callable[[Progress], Any]


class Reporter:
    """Calls the listener, remembers whether it asked to stop, and keeps `fraction` inside [start, end].

    `part(a, b)` gives a reporter for a sub-stage that fills only that share of the bar.
    """

    def __init__(self, listener: ProgressCallback | None = None, start: float = 0.0, end: float = 1.0) -> None:
        self._listener, self._start, self._end = listener, start, end
        self._parent: Reporter | None = None
        self._stopped = False
        self._highest = 0.0

    def part(self, start: float, end: float) -> Reporter:
        """A reporter whose 0…1 is [start, end] of ours; a stop asked there is a stop here."""
        child = Reporter(None, start, end)
        child._parent = self
        return child

    @property
    def stopped(self) -> bool:
        """True once the listener has asked to stop."""
        return self._parent.stopped if self._parent else self._stopped

    def __call__(self, progress: Progress) -> bool:
        """Report; returns True when the run should stop."""
        fraction = self._start + (self._end - self._start) * min(max(progress.fraction, 0.0), 1.0)
        scaled = _with_fraction(progress, fraction)
        if self._parent:
            return self._parent(scaled)
        if self._listener is not None and not self._stopped:
            self._highest = max(self._highest, fraction)
            try:
                self._stopped = self._listener(_with_fraction(scaled, self._highest)) is True
            except StopIteration:
                self._stopped = True
        return self._stopped


def _with_fraction(progress: Progress, fraction: float) -> Progress:
    return Progress(**{**progress.__dict__, "fraction": fraction})


@dataclass(frozen=True)
class Status:
    """How a run ended: a short code for programs and the sentence for people."""

    code: str
    message: str

    @property
    def ok(self) -> bool:
        """True when the run came to its own end."""
        return self.code == "done"


@dataclass(frozen=True, eq=False)
class PathPoint:
    """One solution on the λ/δ path.

    loss is ℓ(H), the negative log-likelihood per row; h the acyclicity that was left; `H` is (K, p) in the row order of
    `Path.terms`; strength is sqrt(W(H)); adjacency the thresholded DAG; bic = 2 n ℓ_refit + log(n)·#coefficients of the
    unpenalised refit along that DAG (lower is better).
    """

    lam: float
    delta: float
    loss: float
    h: float
    H: Floats
    strength: Floats
    adjacency: Adjacency
    bic: float
    converged: bool = True

    @property
    def edges(self) -> int:
        """Number of edges of the thresholded DAG."""
        return int(np.count_nonzero(self.adjacency))


@dataclass(frozen=True, eq=False)
class Path:
    """All points of the continuation, the one that was chosen, and why.

    terms: the interaction sets S (tuples of column indices, graded-lexicographic) that the rows of H belong to.
    """

    points: tuple[PathPoint, ...]
    chosen: int
    reason: str
    terms: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, index: int) -> PathPoint:
        return self.points[index]

    @property
    def point(self) -> PathPoint:
        """The chosen point."""
        return self.points[self.chosen]

    def table(self) -> pd.DataFrame:
        """One row per point: lam, delta, loss, h, edges, bic, chosen."""
        rows = [(q.lam, q.delta, q.loss, q.h, q.edges, q.bic, k == self.chosen) for k, q in enumerate(self.points)]
        return pd.DataFrame(rows, columns=["lam", "delta", "loss", "h", "edges", "bic", "chosen"])


@dataclass(frozen=True, eq=False)
class Stage:
    """What one step of a run contributed: its graph, the common score of that graph (higher is better) and its time."""

    name: str
    adjacency: Adjacency
    score: float
    seconds: float
    message: str


@dataclass(frozen=True, eq=False)
class FitResult:
    """A learned structure and everything needed to explain and to repeat it.

    adjacency     (p, p) 0/1, A[i, j] = 1 means i → j
    strength      (p, p) edge strength, 0 where there is no edge
    cpdag         the Markov equivalence class (see `graph.equivalence`)
    coefficients  one row per node and term: node, term, order, log_odds, std_error, odds_ratio, probability_change
    path          the λ/δ path, or None when the method has none
    certificate   what is known about optimality, or None
    """

    names: tuple[str, ...]
    adjacency: Adjacency
    strength: Floats
    cpdag: CPDAG
    coefficients: pd.DataFrame
    path: Path | None
    status: Status
    certificate: Any | None
    stages: tuple[Stage, ...]
    method: str
    options: Any
    seconds: float
    data: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def graph(self) -> nx.DiGraph:
        """The DAG over names; every edge carries `strength`."""
        return to_networkx(self.adjacency, self.names, self.strength)

    @property
    def edges(self) -> list[tuple[str, str, float]]:
        """(source, target, strength), strongest first."""
        found = [
            (self.names[i], self.names[j], float(self.strength[i, j])) for i, j in np.argwhere(self.adjacency != 0)
        ]
        return sorted(found, key=lambda edge: (-edge[2], edge[0], edge[1]))
