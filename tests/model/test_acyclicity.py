"""h is zero exactly on DAGs, and log-det knows its domain. Gradients are checked in test_objective.py."""

from itertools import product

import numpy as np
import pytest

from binotears_core.graph.dag import is_dag
from binotears_core.model.acyclicity import ACYCLICITIES, log_det, trace_exponential


@pytest.mark.parametrize("name", ACYCLICITIES)
def test_zero_exactly_on_dags(name: str) -> None:
    """All 64 directed graphs on 3 nodes: 25 of them are DAGs."""
    rng = np.random.default_rng(0)
    dags = 0
    for bits in product((0.0, 1.0), repeat=6):
        W = np.zeros((3, 3))
        W[~np.eye(3, dtype=bool)] = bits
        W *= 0.1 + 0.5 * rng.random((3, 3))
        value, _ = ACYCLICITIES[name](W, 2.0)
        dags += is_dag(W)
        assert (value < 1e-12) == is_dag(W)
    assert dags == 25


def test_log_det_agrees_with_numpy_and_its_domain_is_the_spectral_radius() -> None:
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(300):
        W = rng.random((5, 5)) * rng.random() * 0.6
        s = 0.5 + rng.random()
        value, gradient = log_det(W, s)
        if np.abs(np.linalg.eigvals(W)).max() < s:
            inside += 1
            assert value == pytest.approx(-np.linalg.slogdet(s * np.eye(5) - W)[1] + 5 * np.log(s))
            assert gradient == pytest.approx(np.linalg.inv(s * np.eye(5) - W).T)
        else:
            assert value == np.inf
    assert 50 < inside < 250


def test_the_domain_is_open() -> None:
    """a ⇄ b with weights 4 and 1/4 has spectral radius exactly 1."""
    W = np.array([[0.0, 4.0], [0.25, 0.0]])
    assert log_det(W, 1.0)[0] == np.inf
    assert np.isfinite(log_det(W, 1.0001)[0])


def test_a_region_with_positive_determinant_outside_the_domain_is_refused() -> None:
    """Two 2-cycles, both too strong: the determinant is positive, the matrix is not an M-matrix."""
    W = np.zeros((4, 4))
    W[0, 1] = W[1, 0] = W[2, 3] = W[3, 2] = 2.0
    assert np.linalg.det(np.eye(4) - W) > 0
    assert log_det(W, 1.0)[0] == np.inf


@pytest.mark.parametrize("size", [1e2, 1e4, 1e8])
def test_heavy_dags_stay_exactly_at_zero(size: float) -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        order = rng.permutation(12)
        W = np.triu(size * rng.random((12, 12)), 1)[np.ix_(order, order)]
        value, gradient = log_det(W, 1.0)
        assert value == 0.0
        assert (gradient >= 0).all()


def test_not_a_number_is_outside() -> None:
    assert log_det(np.full((2, 2), np.nan), 1.0)[0] == np.inf


def test_trace_exponential_overflows_to_infinity_in_silence() -> None:
    assert trace_exponential(np.full((3, 3), 1e6), 1.0)[0] == np.inf
