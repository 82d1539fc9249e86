"""L-BFGS and Adam: known minima, an open domain, a request to stop, the iteration limit."""

import numpy as np
import pytest

from binotears_core.solvers.descent import OPTIMISERS, lbfgs


def valley(x: np.ndarray) -> tuple[float, np.ndarray]:
    """Rosenbrock's banana; minimum 0 at (1, 1)."""
    a, b = 1 - x[0], x[1] - x[0] ** 2
    return float(a**2 + 100 * b**2), np.array([-2 * a - 400 * x[0] * b, 200 * b])


def barrier(x: np.ndarray) -> tuple[float, np.ndarray]:
    """Σ x − log x, infinite outside x > 0; minimum at 1."""
    if (x <= 0).any():
        return np.inf, np.zeros_like(x)
    return float((x - np.log(x)).sum()), 1 - 1 / x


def bowl(x: np.ndarray) -> tuple[float, np.ndarray]:
    scales = np.arange(1, len(x) + 1)
    return float(0.5 * (scales * x**2).sum()), scales * x


def test_lbfgs_walks_a_curved_valley() -> None:
    found = lbfgs(valley, np.array([-1.2, 1.0]), tolerance=1e-12, max_iterations=200)
    assert found.converged
    assert found.x == pytest.approx([1.0, 1.0], abs=1e-5)
    assert found.iterations < 100


@pytest.mark.parametrize(
    ("name", "start"), [("lbfgs", [0.01, 8.0]), ("lbfgs", [1e-6, 1e-6]), ("adam", [0.01, 8.0]), ("adam", [0.3, 0.3])]
)
def test_an_open_domain_is_never_left(name: str, start: list[float]) -> None:
    visited = []

    def watch(x: np.ndarray, _iteration: int) -> bool:
        visited.append(x)
        return False

    found = OPTIMISERS[name](barrier, np.array(start), tolerance=1e-9, max_iterations=5000, watch=watch)
    assert all((x > 0).all() for x in visited)
    assert found.x == pytest.approx([1.0, 1.0], abs=1e-2)


@pytest.mark.parametrize("name", OPTIMISERS)
def test_start_is_not_changed_and_a_minimum_is_recognised(name: str) -> None:
    start = np.full(5, 2.0)
    found = OPTIMISERS[name](bowl, start, tolerance=1e-9, max_iterations=5000)
    assert np.array_equal(start, np.full(5, 2.0))
    assert found.converged
    assert found.value < 1e-6
    again = OPTIMISERS[name](bowl, np.zeros(5), tolerance=1e-9, max_iterations=10)
    assert again.converged
    assert again.iterations == 0


@pytest.mark.parametrize("name", OPTIMISERS)
def test_stops_when_asked_and_at_the_limit(name: str) -> None:
    asked = OPTIMISERS[name](
        valley, np.array([-1.2, 1.0]), tolerance=1e-12, max_iterations=99, watch=lambda _x, done: done == 3
    )
    assert (asked.stopped, asked.converged, asked.iterations) == (True, False, 3)
    limited = OPTIMISERS[name](valley, np.array([-1.2, 1.0]), tolerance=1e-12, max_iterations=5)
    assert (limited.stopped, limited.converged, limited.iterations) == (False, False, 5)
    assert limited.value < valley(np.array([-1.2, 1.0]))[0]


def test_a_function_that_never_falls_ends_the_descent() -> None:
    found = lbfgs(lambda x: (0.0, np.ones_like(x)), np.zeros(2), tolerance=1e-9, max_iterations=100)
    assert found.iterations <= 2
    assert found.converged
