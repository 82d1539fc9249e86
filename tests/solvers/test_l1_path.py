"""The ℓ1 path with EBIC: optimality by its own definition, known answers, awkward data."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.special import comb, expit

from binotears_core.solvers.l1_path import SLACK, _LassoFit, choose_terms


def draw(rows: int, variables: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random bits, a target with effects 2·x₀ − 1.5·x₁x₂, and uneven weights."""
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 2, (rows, variables)).astype(float)
    y = (generator.random(rows) < expit(-0.5 + 2 * X[:, 0] - 1.5 * X[:, 1] * X[:, 2])).astype(float)
    weights = generator.uniform(0.5, 1.5, rows)
    return X, y, weights / weights.sum()


def all_pairs(variables: int) -> list[tuple[int, int]]:
    return [(i, i) for i in range(variables)] + list(combinations(range(variables), 2))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("lam", [0.05, 0.01, 0.002])
def test_the_lasso_fit_satisfies_the_optimality_conditions(seed: int, lam: float) -> None:
    # A convex problem is solved exactly where its subgradient holds 0: slopes of −λ·sign inside, at most λ outside.
    X, y, weights = draw(300, 6, seed)
    fit = _LassoFit(X, y, weights, [4])
    for step in (0.1, 0.05, 0.02, 0.01, 0.005, 0.002):
        if step >= lam:
            fit.descend(step)
    coefficient = dict(zip(fit.terms, fit.beta[1:], strict=True))
    z = fit.beta[0] + sum(value * X[:, i] * X[:, k] for (i, k), value in coefficient.items())
    residual = weights * (expit(z) - y)
    assert residual.sum() == pytest.approx(0.0, abs=1e-6)
    for i, k in all_pairs(6):
        slope = float(residual @ (X[:, i] * X[:, k]))
        if (i, k) == (4, 4):
            assert slope == pytest.approx(0.0, abs=1e-6)
        elif (i, k) in coefficient:
            assert slope == pytest.approx(-lam * np.sign(coefficient[i, k]), abs=1e-6)
        else:
            assert abs(slope) <= lam * (1 + SLACK)


def test_ebic_and_loss_are_those_of_their_formulas() -> None:
    X, y, weights = draw(400, 5, 0)
    choice = choose_terms(X, y, weights, samples=400, gamma=0.5)
    z = choice.intercept + sum(
        c * X[:, i] * X[:, k] for (i, k), c in zip(choice.terms, choice.coefficients, strict=True)
    )
    loss = float(weights @ (np.log1p(np.exp(z)) - y * z))
    k = len(choice.terms)
    assert choice.loss == pytest.approx(loss)
    assert choice.ebic == pytest.approx(800 * loss + k * np.log(400) + np.log(comb(15, k)))


def test_true_terms_are_found_with_their_size() -> None:
    X, y, weights = draw(5000, 8, 1)
    choice = choose_terms(X, y, weights, samples=5000, gamma=0.5)
    assert set(choice.terms) == {(0, 0), (1, 2)}
    found = dict(zip(choice.terms, choice.coefficients, strict=True))
    assert found[0, 0] == pytest.approx(2.0, abs=0.3)
    assert found[1, 2] == pytest.approx(-1.5, abs=0.3)
    np.testing.assert_allclose(choice.strength(8)[:4], [abs(found[0, 0]), abs(found[1, 2]), abs(found[1, 2]), 0.0])


def test_noise_gives_no_terms_and_a_larger_gamma_gives_no_more() -> None:
    X, _, weights = draw(500, 10, 2)
    y = np.random.default_rng(9).integers(0, 2, 500).astype(float)
    assert choose_terms(X, y, weights, samples=500, gamma=1.0).terms == ()
    X, y, weights = draw(300, 10, 3)
    counts = [len(choose_terms(X, y, weights, samples=300, gamma=gamma).terms) for gamma in (0.0, 0.5, 1.0)]
    assert counts == sorted(counts, reverse=True)


def test_weights_stand_for_repeated_rows() -> None:
    X, y, _ = draw(200, 4, 4)
    times = np.random.default_rng(0).integers(1, 4, 200)
    n = float(times.sum())
    weighted = choose_terms(X, y, times / n, samples=n, gamma=0.5)
    repeated = choose_terms(
        np.repeat(X, times, axis=0), np.repeat(y, times), np.full(int(n), 1 / n), samples=n, gamma=0.5
    )
    assert weighted.terms == repeated.terms
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, atol=1e-5)


def test_forced_terms_are_always_in() -> None:
    X, _, weights = draw(200, 5, 5)
    y = np.random.default_rng(9).integers(0, 2, 200).astype(float)
    assert {(1, 1), (3, 3)} <= set(choose_terms(X, y, weights, samples=200, gamma=1.0, forced=[3, 1]).terms)


def test_awkward_targets_end_in_finite_numbers() -> None:
    X, _, weights = draw(100, 4, 6)
    separated = choose_terms(X, X[:, 0] * X[:, 1], weights, samples=100, gamma=0.5)
    assert (0, 1) in separated.terms
    assert np.isfinite(separated.coefficients).all()
    for y in (np.zeros(100), np.ones(100)):
        constant = choose_terms(X, y, weights, samples=100, gamma=0.5)
        assert constant.terms == ()
        assert np.isfinite(constant.intercept)
    alone = choose_terms(np.zeros((100, 0)), X[:, 0], weights, samples=100, gamma=0.5)
    assert expit(alone.intercept) == pytest.approx(weights @ X[:, 0], abs=1e-4)


def test_equal_columns_do_not_hurt() -> None:
    X, y, weights = draw(400, 3, 7)
    choice = choose_terms(np.column_stack([X, X]), y, weights, samples=400, gamma=0.5)
    assert np.isfinite(choice.coefficients).all()
    assert len(choice.terms) <= 3


def test_a_stop_returns_the_best_so_far() -> None:
    X, y, weights = draw(400, 5, 8)
    assert choose_terms(X, y, weights, samples=400, gamma=0.5, stop=lambda: True).terms == ()
