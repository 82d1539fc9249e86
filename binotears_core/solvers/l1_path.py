"""One node's logistic regression on first- and second-order terms, with an ℓ1 penalty chosen by extended BIC.

    minimise  ℓ(β) + λ Σ_t |β_t|,   ℓ(β) = Σ_x w_x [log(1 + e^z) − y z],   z = β_∅ + Σ_i β_i x_i + Σ_{i<k} β_ik x_i x_k

λ falls geometrically from where the first term enters. Every set of terms met on the way is refitted without the
penalty and judged by (lower is better)

    EBIC = 2nℓ + log(n)·k + 2γ·log C(T, k),     k terms out of T

so λ proposes, EBIC decides, and the coefficients are on the scale of log-odds, not shrunk. No (n, T) table is built:
the slopes of all terms at once are the (q, q) matrix Xᵀ diag(r) X, because x_i² = x_i for bits.

>>> X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
>>> both = choose_terms(X, X[:, 0] * X[:, 1], np.full(4, 0.25), samples=400, gamma=0.5)
>>> both.terms, both.coefficients[0] > 1.0
(((0, 1),), np.True_)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit, gammaln

from binotears_core.model.objective import logistic_loss

Floats = npt.NDArray[np.float64]
Pair = tuple[int, int]  # i ≤ k; (i, i) is the first-order term of i

# λ falls to SMALLEST of its first value in STEPS steps, or until EBIC has not improved for PATIENCE sets of terms.
SMALLEST, STEPS, PATIENCE = 0.02, 40, 8
# A term enters when its slope exceeds λ by the share SLACK; Newton's steps end when they promise less than ACCURACY.
SLACK, ACCURACY, ROUNDING, ROUNDS = 1e-3, 1e-14, 1e-15, 1000
# Standard deviation of a normal prior on log-odds in the refit: nothing to real effects, an end for separated data.
PRIOR = 5.0


@dataclass(frozen=True, eq=False)
class Choice:
    """Chosen terms with their refitted coefficients, and the λ that proposed them."""

    terms: tuple[Pair, ...]
    coefficients: Floats
    intercept: float
    loss: float
    ebic: float
    lam: float

    def strength(self, variables: int) -> Floats:
        """(q,) largest |coefficient| among the terms a variable is in; 0 when it is in none."""
        largest = np.zeros(variables)
        for term, size in zip(self.terms, np.abs(self.coefficients), strict=True):
            for i in term:
                largest[i] = max(largest[i], size)
        return largest


def choose_terms(
    X: Floats,
    y: Floats,
    weights: Floats,
    *,
    samples: float,
    gamma: float,
    forced: Iterable[int] = (),
    stop: Callable[[], bool] = lambda: False,
) -> Choice:
    """The best set of terms on the λ path. X is (m, q) of 0/1, y and weights (m,).

    forced  variables whose first-order term is always in, without penalty
    stop    asked at every λ; when True the best choice so far is returned
    """
    fit = _LassoFit(X, y, weights, forced)
    total = X.shape[1] * (X.shape[1] + 1) // 2
    largest = fit.largest_slope()
    best = _refit(fit, largest, samples, gamma, total)
    seen, idle = {frozenset(fit.terms)}, 0
    for lam in largest * np.geomspace(1.0, SMALLEST, STEPS)[1:]:
        if largest < 1e-9 or idle == PATIENCE or stop():
            break
        fit.descend(float(lam))
        if frozenset(fit.terms) in seen:
            continue
        seen.add(frozenset(fit.terms))
        choice = _refit(fit, float(lam), samples, gamma, total)
        best, idle = (choice, 0) if choice.ebic < best.ebic else (best, idle + 1)
    return best


def _refit(fit: _LassoFit, lam: float, samples: float, gamma: float, total: int) -> Choice:
    """Drop the penalty, keep the terms, and judge."""
    k = len(fit.terms)
    ridge = np.full(k + 1, 1.0 / (PRIOR * PRIOR * samples))
    ridge[0] = 0.0
    beta, _ = _newton(fit.columns, fit.y, fit.weights, fit.beta, np.zeros(k + 1), ridge)
    loss = logistic_loss((fit.columns @ beta)[:, None], fit.y[:, None], fit.weights)[0]
    subsets = gammaln(total + 1) - gammaln(k + 1) - gammaln(total - k + 1)
    ebic = 2.0 * samples * loss + k * np.log(samples) + 2.0 * gamma * subsets
    return Choice(tuple(fit.terms), beta[1:], float(beta[0]), loss, float(ebic), lam)


class _LassoFit:
    """The penalised fit at the present λ: `terms`, their `columns` (the constant first) and coefficients `beta`."""

    def __init__(self, X: Floats, y: Floats, weights: Floats, forced: Iterable[int]) -> None:
        self.X, self.y, self.weights = X, y, weights
        self.terms: list[Pair] = [(i, i) for i in sorted(forced)]
        self._forced = frozenset(self.terms)
        self.columns = np.column_stack([np.ones(len(X)), *(X[:, i] for i, _ in self.terms)])
        nothing = np.zeros(len(self.terms) + 1)
        self.beta, _ = _newton(self.columns, y, weights, nothing, nothing, np.full(len(nothing), 1e-6))

    def largest_slope(self) -> float:
        """The λ at which the first term enters."""
        return float(np.abs(self._slopes()).max(initial=0.0))

    def descend(self, lam: float) -> None:
        """Minimise at λ: Newton within the present signs; what reaches zero leaves, the steepest term outside enters.

        One term enters at a time and starts downhill, so every round lowers the objective. The slack for entering lies
        far above the accuracy of Newton's steps, or a term could leave and enter for ever; ROUNDS is a belt besides.
        """
        signs = self._signs()
        for _ in range(ROUNDS):
            self.beta, crossed = _newton(
                self.columns, self.y, self.weights, self.beta, lam * signs, np.zeros(len(signs))
            )
            if crossed is not None:
                self._drop(crossed)
                signs = self._signs()
                continue
            slopes = self._slopes()
            i, k = divmod(int(np.abs(slopes).argmax()), len(slopes)) if slopes.size else (0, 0)
            if not slopes.size or np.abs(slopes[i, k]) <= lam * (1.0 + SLACK):
                return
            self._add((i, k))
            signs = np.append(self._signs()[:-1], -np.sign(slopes[i, k]))

    def _slopes(self) -> Floats:
        """(q, q) upper triangle: ∂ℓ/∂β of each term that is not in yet, 0 elsewhere."""
        residual = self.weights * (expit(self.columns @ self.beta) - self.y)
        slopes: Floats = np.triu(self.X.T @ (residual[:, None] * self.X))
        for term in self.terms:
            slopes[term] = 0.0
        return slopes

    def _signs(self) -> Floats:
        """Signs of the penalised coefficients; 0 for the constant and forced terms."""
        signs = np.sign(self.beta)
        signs[[0, *(1 + self.terms.index(term) for term in self._forced)]] = 0.0
        return signs

    def _add(self, term: Pair) -> None:
        self.terms.append(term)
        self.columns = np.column_stack([self.columns, self.X[:, term[0]] * self.X[:, term[1]]])
        self.beta = np.append(self.beta, 0.0)

    def _drop(self, position: int) -> None:
        del self.terms[position - 1]
        self.columns = np.delete(self.columns, position, axis=1)
        self.beta = np.delete(self.beta, position)


def _newton(
    columns: Floats, y: Floats, weights: Floats, beta: Floats, linear: Floats, ridge: Floats
) -> tuple[Floats, int | None]:
    """Minimise ℓ(β) + linear·β + ½ Σ ridge·β² by damped Newton steps.

    A coefficient with linear ≠ 0 may not change sign: at the first that would, stop there and return its position.
    """

    def value(b: Floats) -> float:
        z = columns @ b
        return float(weights @ (np.logaddexp(0.0, z) - y * z) + linear @ b + 0.5 * ridge @ (b * b))

    for _ in range(50):
        chance = expit(columns @ beta)
        gradient = columns.T @ (weights * (chance - y)) + linear + ridge * beta
        curvature = columns.T @ ((weights * chance * (1.0 - chance))[:, None] * columns)
        curvature[np.diag_indices_from(curvature)] += ridge + 1e-10
        direction: Floats = -np.linalg.solve(curvature, gradient).astype(np.float64)
        decrease = -float(gradient @ direction)
        if decrease < ACCURACY:
            break
        step, crossed = _first_crossing(beta, direction, linear)
        before = value(beta)
        while value(beta + step * direction) > before - 1e-4 * step * decrease + ROUNDING:
            step, crossed = step / 2.0, None
            if step < 1e-6:
                return beta, None
        beta = beta + step * direction
        if crossed is not None:
            return beta, crossed
    return beta, None


def _first_crossing(beta: Floats, direction: Floats, linear: Floats) -> tuple[float, int | None]:
    """Longest step ≤ 1 that lets no penalised coefficient change sign, and the coefficient that limits it."""
    turned = np.flatnonzero((linear != 0.0) & (beta * (beta + direction) < 0.0))
    if not turned.size:
        return 1.0, None
    steps = -beta[turned] / direction[turned]
    first = int(steps.argmin())
    return float(steps[first]), int(turned[first])
