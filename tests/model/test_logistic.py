"""Newton against statsmodels; separation against the textbook definition by linear programming."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import linprog

from binotears_core.model.features import interaction_sets, products
from binotears_core.model.logistic import fit_logistic


def random_counts(seed, rows=8, terms=3, most=40):
    """A design of products of bits with a constant, and counts that may leave rows all ones or all zeros."""
    generator = np.random.default_rng(seed)
    bits = np.unique(generator.integers(0, 2, (rows, 4)), axis=0)
    features = products(bits, interaction_sets(4, {1, 2}))[:, : terms + 1]
    counts = generator.integers(1, most, len(bits)).astype(float)
    ones = generator.binomial(counts.astype(int), generator.uniform(0, 1, len(bits))).astype(float)
    return features, ones, counts


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_statsmodels(seed):
    features, ones, counts = random_counts(seed, rows=30, most=200)
    ours = fit_logistic(features, ones, counts)
    theirs = sm.GLM(np.column_stack([ones, counts - ones]), features, family=sm.families.Binomial()).fit(tol=1e-12)
    assert not ours.ridge
    np.testing.assert_allclose(ours.log_odds, theirs.params, atol=1e-7)
    np.testing.assert_allclose(ours.std_error, theirs.bse, rtol=1e-6)
    np.testing.assert_allclose(ours.probability, theirs.fittedvalues, atol=1e-8)


def separated_twin(features, ones, counts):
    """Rows that some direction separates: one linear programme with a slack of at most 1 for every row."""
    (m, k), sign = features.shape, np.where(ones >= counts, 1.0, -1.0)
    pure = (ones <= 0) | (ones >= counts)
    limits = linprog(
        np.r_[np.zeros(k), -np.ones(m)],
        A_ub=np.hstack([-sign[:, None] * features, np.eye(m)])[pure],
        b_ub=np.zeros(pure.sum()),
        A_eq=np.vstack(
            [np.hstack([features, np.zeros((m, m))])[~pure], np.hstack([np.zeros((m, k)), np.eye(m)])[~pure]]
        ),
        b_eq=np.zeros(2 * (~pure).sum()),
        bounds=[(None, None)] * k + [(0, 1)] * m,
    )
    return limits.x[k:] > 0.5


def determined_twin(features, ones, counts):
    """Coefficients whose unit vector depends linearly on the rows that are not separated."""
    rows = features[~separated_twin(features, ones, counts)]
    rank = np.linalg.matrix_rank(rows) if len(rows) else 0
    units = np.eye(features.shape[1])
    return np.array([np.linalg.matrix_rank(np.vstack([rows, unit])) == rank for unit in units])


def test_separation_is_found_exactly():
    kinds = set()
    for seed in range(150):
        problem = random_counts(seed, terms=2 + seed % 5, most=4)
        fit, determined = fit_logistic(*problem), determined_twin(*problem)
        np.testing.assert_array_equal(~np.isnan(fit.std_error), determined, err_msg=f"seed {seed}")
        assert fit.ridge == (not determined.all())
        assert np.abs(fit.log_odds).max() < 30
        kinds.add((bool(determined.any()), bool(determined.all())))
    assert kinds == {(False, False), (True, False), (True, True)}  # the seeds cover all three situations


def test_a_determined_coefficient_beside_a_separated_one_is_the_limit():
    # Rows: x = 0 mixed (30 of 100), x = 1 all ones. The constant is determined by the first row alone.
    fit = fit_logistic(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([30.0, 50.0]), np.array([100.0, 50.0]))
    assert fit.log_odds[0] == pytest.approx(np.log(3 / 7), abs=1e-2)
    assert fit.std_error[0] == pytest.approx(1 / np.sqrt(100 * 0.3 * 0.7), rel=1e-2)
    assert np.isnan(fit.std_error[1])
    assert fit.log_odds[1] > 5


def test_dependent_columns_share_the_effect():
    features = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    fit = fit_logistic(features, np.array([20.0, 80.0]), np.array([100.0, 100.0]))
    assert fit.ridge
    np.testing.assert_array_equal(np.isnan(fit.std_error), [False, True, True])
    assert fit.log_odds[1] == pytest.approx(fit.log_odds[2])
    assert fit.log_odds[1:].sum() == pytest.approx(2 * np.log(4), abs=0.01)


@pytest.mark.parametrize("total", [10.0, 1e4, 1e9])
def test_a_constant_outcome_stays_finite(total):
    fit = fit_logistic(np.ones((1, 1)), np.zeros(1), np.array([total]))
    assert fit.ridge
    assert np.isnan(fit.std_error[0])
    assert -30 < fit.log_odds[0] < -3


def test_a_far_maximum_is_not_taken_for_separation():
    # 3 of 10^9 ones: a finite, extreme log-odds.
    fit = fit_logistic(np.ones((1, 1)), np.array([3.0]), np.array([1e9]))
    assert not fit.ridge
    assert fit.log_odds[0] == pytest.approx(np.log(3 / (1e9 - 3)), rel=1e-8)
