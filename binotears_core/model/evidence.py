"""Many logistic regressions at once, and the evidence (marginal likelihood) of each.

N problems share one design Φ (C, K): row c is a cell, with n_c observations of which y_c are ones. Under independent
normal priors β_k ~ N(0, 1/r_k) the log evidence is taken by Laplace's method at the most probable β̂,

    log ∫ exp ℓ(β) N(β; 0, 1/r) dβ  ≈  ℓ(β̂) − ½ Σ r_k β̂_k² + ½ Σ log r_k − ½ log det( Φᵀ diag(n μ (1−μ)) Φ + diag r ).

Unlike BIC's ½·log(n) per coefficient, a coefficient that few rows speak of costs little: the determinant counts what
the data could have told about it. With r → 0 the same fit gives the maximum likelihood.

A normal prior holds "no effect" for the likeliest effect of all, also of a term that is in the model. The *moment*
prior β²/s² · N(β; 0, s²) is zero at zero and largest at ±√2·s: terms that the data do not ask for lose faster (Johnson
and Rossell 2012, doi:10.1080/01621459.2012.682536). It multiplies the evidence by the posterior mean of Π β_k²/s²,
taken as Π (β̂_k² + v_k)/s² with the posterior variances v_k. That leaves out how coefficients hang together: exact for
one, close where effects are clear, and some nats too low for many that are all near zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, expit, xlogy

Floats = npt.NDArray[np.float64]

INTERCEPT_SCALE = 3.0  # least prior standard deviation of a constant: log-odds of ±6 stay plausible
_MOST_STEPS = 50
_TOLERANCE = 1e-3  # Newton's decrement at which a step is the last; the evidence is then right to a thousandth of a nat


@dataclass(frozen=True)
class Effects:
    """The prior of every coefficient but the constant: N(0, scale²), or the moment prior of that scale."""

    scale: float
    moment: bool = False

    def precision(self, terms: int) -> Floats:
        """(K,) r: the constant first, which may be as large as it likes."""
        precision = np.full(terms, self.scale**-2.0)
        precision[0] = max(INTERCEPT_SCALE, self.scale) ** -2.0
        return precision


@dataclass(frozen=True, eq=False)
class BatchFit:
    """Per problem: β̂ (N, K), ℓ(β̂) (N,) and the log evidence (N,)."""

    coefficients: Floats
    log_likelihood: Floats
    log_evidence: Floats


class Design:
    """Φ (C, K) whose first column is the constant, with the products Newton's method needs again and again."""

    def __init__(self, phi: Floats) -> None:
        cells, terms = phi.shape
        self.phi = phi
        self.outer = (phi[:, :, None] * phi[:, None, :]).reshape(cells, terms * terms)

    def information(self, weights: Floats, precision: Floats) -> Floats:
        """(N, K, K) Φᵀ diag(w) Φ + diag(r) for weights (N, C)."""
        terms = self.phi.shape[1]
        matrix = (weights @ self.outer).reshape(-1, terms, terms)
        matrix[:, np.arange(terms), np.arange(terms)] += precision
        return matrix


def fit_batch(design: Design, effects: Effects, ones: Floats, totals: Floats) -> BatchFit:
    """The most probable coefficients of N problems with counts (N, C), by Newton's method with step halving.

    "Most probable" under the normal prior of that scale, also where the evidence is that of the moment prior.
    """
    precision = effects.precision(design.phi.shape[1])
    beta = _start(design, ones, totals)
    value: Floats = _log_posterior(design, precision, beta, ones, totals)
    active = np.arange(len(ones))
    for _ in range(_MOST_STEPS):
        y, n = ones[active], totals[active]
        mu = expit(beta[active] @ design.phi.T)
        gradient = (y - n * mu) @ design.phi - precision * beta[active]
        information = design.information(n * mu * (1 - mu), precision)
        step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0].astype(np.float64)
        decrement = np.einsum("nk,nk->n", gradient, step)
        moved, reached = _line_search(design, precision, beta[active], step, value[active], y, n)
        beta[active], value[active] = moved, reached
        active = active[decrement > _TOLERANCE]
        if active.size == 0:
            break
    evidence = _log_evidence(design, effects, beta, value, totals)
    return BatchFit(beta, _log_likelihood(design, beta, ones, totals), evidence)


def _log_evidence(design: Design, effects: Effects, beta: Floats, value: Floats, totals: Floats) -> Floats:
    """(N,) Laplace's approximation around β̂ with log posterior `value`; the moment prior adds Σ log((β̂² + v)/s²)."""
    precision = effects.precision(beta.shape[1])
    mu = expit(beta @ design.phi.T)
    information = design.information(totals * mu * (1 - mu), precision)
    evidence: Floats = value + 0.5 * np.log(precision).sum() - 0.5 * np.linalg.slogdet(information)[1]
    if effects.moment:
        variance = np.einsum("nkk->nk", np.linalg.inv(information))
        evidence += np.log((beta**2 + variance)[:, 1:] / effects.scale**2).sum(axis=1)
    return evidence


def _start(design: Design, ones: Floats, totals: Floats) -> Floats:
    """β = 0 but for the constant, which starts at the log-odds of the (slightly smoothed) overall share."""
    beta = np.zeros((len(ones), design.phi.shape[1]))
    share = (ones.sum(axis=1) + 0.5) / (totals.sum(axis=1) + 1.0)
    beta[:, 0] = np.log(share / (1 - share))
    return beta


def _log_likelihood(design: Design, beta: Floats, ones: Floats, totals: Floats) -> Floats:
    z = beta @ design.phi.T
    value: Floats = (ones * z - totals * np.logaddexp(0.0, z)).sum(axis=1)
    return value


def _log_posterior(design: Design, precision: Floats, beta: Floats, ones: Floats, totals: Floats) -> Floats:
    value: Floats = _log_likelihood(design, beta, ones, totals) - 0.5 * (beta * beta) @ precision
    return value


def _line_search(
    design: Design, precision: Floats, beta: Floats, step: Floats, value: Floats, ones: Floats, totals: Floats
) -> tuple[Floats, Floats]:
    """Halve the steps of those problems that got worse; a problem that never gets better stays where it was."""
    length = np.ones(len(beta))
    for _ in range(20):
        moved = beta + length[:, None] * step
        reached = _log_posterior(design, precision, moved, ones, totals)
        worse = reached < value - 1e-9
        if not worse.any():
            break
        length[worse] *= 0.5
    moved[worse], reached[worse] = beta[worse], value[worse]
    return moved, reached


def saturated_log_likelihood(ones: Floats, totals: Floats) -> Floats:
    """(N,) Σ_c [y log(y/n) + (n−y) log((n−y)/n)]: one free probability per cell; empty cells add nothing."""
    terms = xlogy(ones, ones) + xlogy(totals - ones, totals - ones) - xlogy(totals, totals)
    value: Floats = terms.sum(axis=1)
    return value


def saturated_log_evidence(ones: Floats, totals: Floats, pseudo: float) -> Floats:
    """(N,) log marginal likelihood with an independent Beta(a, a) prior in every cell, a = `pseudo`."""
    terms = betaln(ones + pseudo, totals - ones + pseudo) - betaln(pseudo, pseudo)
    value: Floats = terms.sum(axis=1)
    return value
