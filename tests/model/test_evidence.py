"""Batched logistic fits: against statsmodels, and their evidence against numerical integration."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.integrate import dblquad, quad
from scipy.special import logsumexp
from scipy.stats import beta, multivariate_t, norm

from binotears_core.model.evidence import (
    INTERCEPT_SCALE,
    Design,
    Effects,
    fit_batch,
    saturated_log_evidence,
    saturated_log_likelihood,
)

PHI = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]], dtype=float)


@pytest.fixture
def counts():
    rng = np.random.default_rng(0)
    totals = rng.integers(20, 60, size=(7, 4)).astype(float)
    return rng.binomial(totals.astype(int), rng.uniform(0.2, 0.8, size=(7, 4))).astype(float), totals


def test_with_a_flat_prior_each_problem_is_the_maximum_likelihood_fit(counts):
    ones, totals = counts
    fit = fit_batch(Design(PHI), Effects(1e6), ones, totals)
    for k in range(len(ones)):
        pairs = np.stack([ones[k], totals[k] - ones[k]], axis=1)
        reference = sm.GLM(pairs, PHI, family=sm.families.Binomial()).fit()
        assert fit.coefficients[k] == pytest.approx(reference.params, abs=1e-4)


@pytest.mark.parametrize(
    ("effects", "error"), [(Effects(2.0), 0.03), (Effects(1.0, moment=True), 0.08), (Effects(0.35, moment=True), 0.08)]
)
@pytest.mark.parametrize("ones", [(7.0, 21.0), (14.0, 16.0)])  # an effect, and hardly any
def test_evidence_is_the_integral_of_likelihood_times_prior(effects, error, ones):
    phi = np.array([[1.0, 0.0], [1.0, 1.0]])
    ones, totals = np.array([ones]), np.array([[30.0, 34.0]])

    def integrand(b, a):
        z = phi @ np.array([a, b])
        likelihood = np.exp(float(ones[0] @ z - totals[0] @ np.logaddexp(0, z)) + 40.0)
        prior = norm.pdf(b, scale=effects.scale) * (b**2 / effects.scale**2 if effects.moment else 1.0)
        return likelihood * norm.pdf(a, scale=INTERCEPT_SCALE) * prior

    exact = np.log(dblquad(integrand, -6, 6, -8, 8, epsabs=1e-10)[0]) - 40.0
    assert fit_batch(Design(phi), effects, ones, totals).log_evidence[0] == pytest.approx(exact, abs=error)


@pytest.mark.parametrize(("effect", "error"), [(1.5, 0.15), (0.0, 2.0)])
def test_moments_of_correlated_coefficients_are_close_where_effects_are_clear(effect, error):
    """Two causes and their product, by sampling from a t distribution around the Laplace fit."""
    phi = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]], dtype=float)
    totals = np.full((1, 4), 500.0)
    ones = np.round(totals / (1 + np.exp(-phi @ [-1.0, effect, effect, -effect])))
    effects = Effects(1.0, moment=True)
    fit = fit_batch(Design(phi), effects, ones, totals)
    mu = ones[0] / totals[0]
    spread = np.linalg.inv(phi.T @ np.diag(totals[0] * mu * (1 - mu)) @ phi)
    around = multivariate_t(fit.coefficients[0], spread, df=5, seed=0)
    beta_ = around.rvs(200_000)
    z = beta_ @ phi.T
    log_prior = norm.logpdf(beta_, scale=[INTERCEPT_SCALE, 1, 1, 1]).sum(axis=1)
    log_prior += np.log(np.square(beta_[:, 1:])).sum(axis=1)
    weights = z @ ones[0] - np.logaddexp(0, z) @ totals[0] + log_prior - around.logpdf(beta_)
    exact = logsumexp(weights) - np.log(len(weights))
    assert fit.log_evidence[0] == pytest.approx(exact, abs=error)


def test_a_needless_term_loses_faster_under_the_moment_prior():
    """The price of a coefficient estimated as 0: ½·log n under the normal prior, 3/2·log n under the moment prior."""
    without, with_term = Design(np.ones((2, 1))), Design(np.array([[1.0, 0.0], [1.0, 1.0]]))

    def price(effects, n):
        ones, totals = np.array([[0.3 * n, 0.3 * n]]), np.array([[n, n]])
        fits = [fit_batch(design, effects, ones, totals).log_evidence[0] for design in (without, with_term)]
        return fits[0] - fits[1]

    for effects, rate in ((Effects(1.0), 0.5), (Effects(1.0, moment=True), 1.5)):
        gained = price(effects, 1e6) - price(effects, 1e4)
        assert gained == pytest.approx(rate * np.log(100), rel=0.02)


def test_saturated_forms_against_their_definitions():
    ones, totals = np.array([[3.0, 0.0, 4.0]]), np.array([[10.0, 5.0, 4.0]])
    by_hand = 3 * np.log(0.3) + 7 * np.log(0.7)
    assert saturated_log_likelihood(ones, totals)[0] == pytest.approx(by_hand)
    cells = [quad(lambda q, y=y, n=n: q**y * (1 - q) ** (n - y) * beta.pdf(q, 0.7, 0.7), 0, 1)[0] for y, n in
             zip(ones[0], totals[0], strict=True)]  # fmt: skip
    assert saturated_log_evidence(ones, totals, 0.7)[0] == pytest.approx(np.log(cells).sum(), rel=1e-6)


def test_perfect_separation_and_empty_cells_stay_finite():
    ones, totals = np.array([[0.0, 50.0, 0.0, 0.0]]), np.array([[50.0, 50.0, 0.0, 0.0]])
    fit = fit_batch(Design(PHI), Effects(2.0), ones, totals)
    assert np.isfinite(fit.coefficients).all()
    assert np.isfinite(fit.log_evidence).all()
    assert fit.coefficients[0, 1] > 3
    assert fit.coefficients[0, 2] == pytest.approx(0.0, abs=1e-6)  # nothing speaks of it: the prior's mean


def test_problems_of_a_batch_do_not_see_each_other(counts):
    ones, totals = counts
    design = Design(PHI)
    together = fit_batch(design, Effects(2.0), ones, totals).log_evidence
    alone = [fit_batch(design, Effects(2.0), ones[[k]], totals[[k]]).log_evidence[0] for k in range(len(ones))]
    assert together == pytest.approx(alone, abs=1e-4)
