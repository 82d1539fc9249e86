"""Linear NOTEARS (Zheng et al. 2018): every node is a linear, or logistic, function of its parents.

    squared    ℓ = ½ Σ_x w_x ‖x − c − Bᵀx‖²            for numbers of any kind
    logistic   ℓ = Σ_x w_x Σ_j [log(1 + e^z) − x_j z],  z = c + Bᵀx,   for 0/1

B[i, j] is the weight of i → j, W = B², and c the intercepts, which the original leaves out: on binary data they decide.

>>> chain = np.random.default_rng(0).standard_normal((500, 1)) @ np.ones((1, 2)) + [[0.0, 1.0]]
>>> chain[:, 1] += np.random.default_rng(1).standard_normal(500)
>>> solve(chain, NotearsOptions(loss="squared")).adjacency.tolist()
[[0, 1], [0, 0]]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError
from binotears_core.graph.constraints import EdgeRules
from binotears_core.model.objective import logistic_loss
from binotears_core.options import check, one_of, within
from binotears_core.results import Reporter
from binotears_core.solvers.augmented_lagrangian import Schedule, Solution, solve_acyclic

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class NotearsOptions:
    """Options of linear NOTEARS.

    loss         "logistic" (0/1 data) or "squared" (any numbers)
    lambda1      ℓ1 penalty on B
    threshold    an edge is kept when |B_ij| is above
    h_tolerance  acyclicity left at the end of the search
    max_steps    most steps of the augmented Lagrangian
    """

    loss: str = one_of("logistic", "squared")
    lambda1: float = within(0.01, 0.0, 1.0)
    threshold: float = within(0.3, 0.0, 10.0)
    h_tolerance: float = within(1e-3, 1e-12, 1.0)
    max_steps: int = within(40, 1, 1000)

    def __post_init__(self) -> None:
        check(self)


def solve(
    data: BinaryData | npt.ArrayLike,
    options: NotearsOptions | None = None,
    rules: EdgeRules | None = None,
    seed: int = 0,
    report: Reporter | None = None,
) -> Solution:
    """Learn a DAG from binary data or, with the squared loss, from an (n, p) matrix. Nothing is random here: `seed` is
    taken so that all solvers are called alike."""
    options = options or NotearsOptions()
    rows, weights = rows_and_weights(data, binary=options.loss == "logistic")
    rules = rules or any_dag(rows.shape[1])
    kind = LogisticModel if options.loss == "logistic" else LinearModel
    schedule = Schedule(
        name="NOTEARS", threshold=options.threshold, h_tolerance=options.h_tolerance, max_steps=options.max_steps
    )
    model = kind(rows, weights, options.lambda1, rules.required)
    with threadpool_limits(1):  # matrices here are too small to share among threads
        return solve_acyclic(model, schedule, rules, report or Reporter())


class _Edges:
    """What both models share: θ begins with B, row by row, and W = B² elementwise."""

    def __init__(self, rows: Floats, extra: int, lambda1: float, required: Mask) -> None:
        self._p = rows.shape[1]
        size = self._p * self._p
        self.start = np.zeros(size + extra)
        self.ridge = np.zeros(size + extra)
        self.lasso = np.concatenate([lambda1 * (~required).reshape(-1), np.zeros(extra)])

    def matrix(self, theta: Floats) -> Floats:
        """B, a (p, p) view into θ."""
        return theta[: self._p * self._p].reshape(self._p, self._p)

    def weights(self, theta: Floats) -> Floats:
        """W = B²."""
        B = self.matrix(theta)
        return B * B

    def pull_back(self, theta: Floats, slope: Floats) -> Floats:
        """2 B · slope; intercepts make no edges."""
        gradient = np.zeros_like(theta)
        self.matrix(gradient)[:] = 2.0 * self.matrix(theta) * slope
        return gradient

    def free(self, allowed: Mask) -> Mask:
        """Weights of allowed edges, and intercepts."""
        return np.concatenate([allowed.reshape(-1), np.ones(len(self.start) - allowed.size, dtype=bool)])


class LinearModel(_Edges):
    """½ tr((I − B)ᵀ S (I − B)) with S the covariance: the best intercept is built in, and rows are needed only once."""

    def __init__(self, rows: Floats, weights: Floats, lambda1: float, required: Mask) -> None:
        super().__init__(rows, 0, lambda1, required)
        centred = rows - weights @ rows
        with np.errstate(over="ignore", invalid="ignore"):
            self._covariance = centred.T @ (weights[:, None] * centred)

    def loss(self, theta: Floats) -> tuple[float, Floats]:
        gap = np.eye(self._p) - self.matrix(theta)
        pulled = self._covariance @ gap
        return 0.5 * float((gap * pulled).sum()), -pulled.reshape(-1)


class LogisticModel(_Edges):
    """Cross-entropy of z = c + XB."""

    def __init__(self, rows: Floats, weights: Floats, lambda1: float, required: Mask) -> None:
        super().__init__(rows, rows.shape[1], lambda1, required)
        self._rows, self._weights = rows, weights

    def loss(self, theta: Floats) -> tuple[float, Floats]:
        z = self._rows @ self.matrix(theta) + theta[self._p * self._p :]
        value, slope = logistic_loss(z, self._rows, self._weights)
        return value, np.concatenate([(self._rows.T @ slope).reshape(-1), slope.sum(axis=0)])


def rows_and_weights(data: BinaryData | npt.ArrayLike, *, binary: bool) -> tuple[Floats, Floats]:
    """(m, p) rows and (m,) weights summing to 1: distinct rows of binary data, or every row of a matrix."""
    if not isinstance(data, BinaryData):
        matrix = np.array(data, dtype=np.float64)
        if matrix.ndim != 2 or 0 in matrix.shape:
            raise DataError(f"Expected a table with rows and columns, got shape {matrix.shape}. Give an (n, p) array.")
        if not np.isfinite(matrix).all():
            row, column = np.argwhere(~np.isfinite(matrix))[0]
            raise DataError(
                f"Column {column + 1} has no finite number at row {row + 1}. Drop such rows or fill them in."
            )
        if not binary:
            return matrix, np.full(len(matrix), 1.0 / len(matrix))
        data = BinaryData.from_array(matrix)
    return data.patterns.astype(np.float64), data.weights


def any_dag(variables: int) -> EdgeRules:
    """No rules but that a node does not cause itself."""
    return EdgeRules(~np.eye(variables, dtype=bool), np.zeros((variables, variables), dtype=bool))
