"""Logistic regression on counts, unpenalised, that also knows when there is nothing finite to find.

Row c of the design Φ stands for n_c observations of which y_c are ones. We maximise

    ℓ(β) = Σ_c [ y_c z_c − n_c log(1 + exp z_c) ],   z = Φβ.

The data *separate* when some coefficients fit ever better as they run to infinity: there is a direction d with
Φ_c d > 0 on some rows that are all ones, or < 0 on rows that are all zeros, never the wrong way on such rows, and
Φ_c d = 0 on all others. Then, or when columns of Φ depend on each other, ℓ has no unique finite maximiser, and only
then a small ridge −κ/2·‖β‖² is added. A coefficient is still determined by the data, with its usual standard error,
when it is a combination of the rows that are not separated (Geyer 2009, doi:10.1214/08-EJS349).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import linprog
from scipy.special import expit

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

RIDGE = 1e-2  # κ: a prior with standard deviation 10 on every log-odds
_SETTLED = 1e-6  # largest change of a log-odds in the last step; steps shrink quadratically, so the error is its square


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """β (K,), its standard errors (NaN where the data do not determine it), fitted probabilities (m,), and ℓ(β)."""

    log_odds: Floats
    std_error: Floats
    probability: Floats
    loglik: float
    ridge: bool


@dataclass(frozen=True, eq=False)
class _Counts:
    """Φ (m, K), y (m,) and n (m,) of the module's formula."""

    features: Floats
    ones: Floats
    counts: Floats

    def loglik(self, beta: Floats) -> float:
        z = self.features @ beta
        return float(self.ones @ z - self.counts @ np.logaddexp(0.0, z))

    def score(self, beta: Floats) -> Floats:
        return self.features.T @ (self.ones - self.counts * expit(self.features @ beta))

    def information(self, beta: Floats) -> Floats:
        """Fisher information Φᵀ diag(n q (1 − q)) Φ with q = σ(z)."""
        z = self.features @ beta
        return (self.features.T * (self.counts * expit(z) * expit(-z))) @ self.features


def fit_logistic(features: Floats, ones: Floats, counts: Floats) -> LogisticFit:
    """Fit `ones` (m,) out of `counts` (m,) > 0 on `features` (m, K)."""
    problem = _Counts(features, ones, counts)
    seen, _ = _split_space(features)
    full_rank = seen.shape[1] == features.shape[1]
    basis = np.eye(features.shape[1]) if full_rank else seen
    beta, moved = _newton(_Counts(features @ basis, ones, counts), 0.0, np.zeros(basis.shape[1]), steps=30)
    resting = ~_separated(problem, moved)
    if full_rank and resting.all() and moved.max() >= _SETTLED:
        beta, moved = _newton(problem, 0.0, beta, steps=200)  # a finite maximiser, only far away
    ridge = not full_rank or moved.max() >= _SETTLED
    if ridge:
        # With 10^9 rows κ itself would drown in rounding.
        beta, _ = _newton(problem, max(RIDGE, 1e-10 * counts.sum()), np.zeros(features.shape[1]), steps=200)
        basis, _ = _split_space(features[resting])
    at_rest = _Counts(features[resting], ones[resting], counts[resting])
    errors = _standard_errors(at_rest.information(beta), basis)
    return LogisticFit(beta, errors, expit(features @ beta), problem.loglik(beta), ridge)


def _newton(problem: _Counts, ridge: float, beta: Floats, steps: int) -> tuple[Floats, Floats]:
    """Maximise ℓ(β) − ridge/2·‖β‖² from `beta`; returns β and how far the last step moved each log-odds (m,).

    Under separation the moves do not shrink: a separated row gains about 1 in every step while the others come to rest.
    """

    def objective(point: Floats) -> float:
        return problem.loglik(point) - 0.5 * ridge * float(point @ point)

    value, moved = objective(beta), np.full(len(problem.ones), np.inf)
    for _ in range(steps):
        try:
            hessian = _Factor(problem.information(beta) + ridge * np.eye(len(beta)))
        except LinAlgError:
            break
        step = hessian.solve(problem.score(beta) - ridge * beta)
        length = 1.0
        while (reached := objective(beta + length * step)) < value - 1e-10 * (1.0 + abs(value)) and length > 1e-10:
            length /= 2.0
        beta, value, moved = beta + length * step, reached, np.abs(problem.features @ step)
        if moved.max() < _SETTLED:
            break
    return beta, moved


class _Factor:
    """Cholesky factor of a matrix brought to unit diagonal, so that a rare term does not count as singular."""

    def __init__(self, matrix: Floats) -> None:
        self._scale = np.sqrt(np.diag(matrix))
        if not np.all(self._scale > 0):
            raise LinAlgError("A column is zero.")
        self._factor = cho_factor(matrix / np.outer(self._scale, self._scale))
        # A squared pivot is the share of a column that the columns before it leave unexplained.
        if np.diag(self._factor[0]).min() ** 2 < 1e-11:
            raise LinAlgError("A column depends on others.")

    def solve(self, right: Floats) -> Floats:
        """x (K,) with matrix · x = right."""
        solution: Floats = cho_solve(self._factor, right / self._scale) / self._scale
        return solution


def _separated(problem: _Counts, moved: Floats) -> Mask:
    """(m,) rows whose probability tends to 0 or 1, by linear programmes over the directions d of the module's text.

    Only rows that Newton left moving are candidates; all others must keep Φ_c d = 0, which leaves few directions. A row
    once found can be pushed as far as one likes, so it does not constrain the search for more.
    """
    all_ones, all_zeros = problem.ones >= problem.counts, problem.ones <= 0
    candidates = (all_ones | all_zeros) & (moved > 1e-3)
    found = np.zeros(len(candidates), dtype=bool)
    _, free = _split_space(problem.features[~candidates])
    outward = np.where(all_ones, 1.0, -1.0)[:, None] * (problem.features @ free)
    while free.shape[1] and (left := candidates & ~found).any():
        best = linprog(-outward[left].sum(axis=0), A_ub=-outward[left], b_ub=np.zeros(left.sum()), bounds=(-1, 1))
        if best.x is None or not (new := left & (outward @ best.x > 1e-6)).any():
            break
        found |= new
    return found


def _split_space(rows: Floats) -> tuple[Floats, Floats]:
    """Orthonormal bases (K, r) of the span of the rows and (K, K − r) of the directions they do not see."""
    _, sizes, directions = np.linalg.svd(np.linalg.qr(rows, mode="r"))
    rank = int(np.sum(sizes > 1e-9 * sizes.max(initial=0.0)))
    return directions[:rank].T, directions[rank:].T


def _standard_errors(information: Floats, basis: Floats) -> Floats:
    """(K,) from V (Vᵀ I V)⁻¹ Vᵀ, where V (K, r) spans what is determined; NaN for a coefficient outside that span."""
    try:
        half = np.linalg.cholesky(basis.T @ information @ basis)
    except np.linalg.LinAlgError:
        return np.full(len(basis), np.nan)
    errors = np.sqrt(np.square(np.linalg.solve(half, basis.T)).sum(axis=0))
    inside = np.square(basis).sum(axis=1) > 1.0 - 1e-6
    return np.where(inside, errors, np.nan)
