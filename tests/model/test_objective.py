"""Loss, penalty and W(H): every smooth term against finite differences, and known answers."""

from collections.abc import Callable

import numpy as np
import pytest

from binotears_core.data.table import BinaryData
from binotears_core.model.acyclicity import log_det, trace_exponential
from binotears_core.model.features import DenseMap, ZetaMap, interaction_sets
from binotears_core.model.objective import Objective, QuasiMCP, absolute, free_coefficients, logistic_loss, squares

P = 4
TERMS = interaction_sets(P, {1, 2, 3})
ANY = ~np.eye(P, dtype=bool)
NONE = np.zeros((P, P), dtype=bool)


def table() -> BinaryData:
    rng = np.random.default_rng(0)
    return BinaryData.from_array(rng.integers(0, 2, (60, P)))


def objective(norm: str = "squares", kind: type = ZetaMap, allowed=ANY, required=NONE, delta: float = 0.7) -> Objective:
    return Objective(kind(table(), TERMS), QuasiMCP(0.3, delta), norm=norm, allowed=allowed, required=required)


def some_coefficients(scale: float = 0.4) -> np.ndarray:
    return scale * np.random.default_rng(1).standard_normal((len(TERMS), P)) * free_coefficients(TERMS, ANY)


def summed(elementwise: Callable) -> Callable:
    return lambda x: (elementwise(x)[0].sum(), elementwise(x)[1])


def through_weights(acyclicity: Callable, s: float) -> Callable:
    term = objective()

    def evaluate(H: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = acyclicity(term.weights(H), s)
        return value, term.pull_back(H, slope)

    return evaluate


BITS = np.random.default_rng(2).integers(0, 2, (6, 3)).astype(float)
SHARES = np.array([0.3, 0.1, 0.2, 0.15, 0.05, 0.2])
Z = 3 * np.random.default_rng(3).standard_normal((6, 3))
POSITIVE = np.random.default_rng(4).random((P, P))
SMOOTH = {
    "logistic loss": (lambda z: logistic_loss(z, BITS, SHARES), Z),
    "quasi-MCP": (summed(QuasiMCP(0.3, 0.5)), POSITIVE),
    "squares": (summed(squares), Z),
    "absolute": (summed(absolute), Z),
    "loss, zeta map": (objective(kind=ZetaMap).loss, some_coefficients()),
    "loss, dense map": (objective(kind=DenseMap).loss, some_coefficients()),
    "penalty on squares": (objective("squares").penalised, some_coefficients()),
    "penalty on absolute": (objective("absolute", delta=3.0).penalised, some_coefficients()),
    "objective": (objective().value_and_gradient, some_coefficients()),
    "objective with required edges": (objective(required=np.triu(ANY)).value_and_gradient, some_coefficients()),
    "log-det": (lambda W: log_det(W, 5.0), POSITIVE),
    "log-det, s = 3": (lambda W: log_det(W, 3.0), POSITIVE),
    "trace-exponential": (lambda W: trace_exponential(W, 1.0), POSITIVE),
    "trace-exponential, s = 3": (lambda W: trace_exponential(W, 3.0), POSITIVE),
    "log-det of W(H)": (through_weights(log_det, 9.0), some_coefficients()),
    "trace-exponential of W(H)": (through_weights(trace_exponential, 1.0), some_coefficients()),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_gradient_is_the_finite_difference(name: str) -> None:
    function, point = SMOOTH[name]
    before = point.copy()
    _, gradient = function(point)
    assert np.array_equal(point, before), "the argument was changed"
    step = 1e-6
    free = free_coefficients(TERMS, ANY) if point.shape == (len(TERMS), P) else np.ones(point.shape, dtype=bool)
    for where in np.argwhere(free):
        shift = np.zeros_like(point)
        shift[tuple(where)] = step
        difference = (function(point + shift)[0] - function(point - shift)[0]) / (2 * step)
        assert gradient[tuple(where)] == pytest.approx(difference, rel=1e-5, abs=1e-7)
    assert not gradient[~free].any()


class TestLogisticLoss:
    def test_far_log_odds_do_not_overflow(self) -> None:
        value, gradient = logistic_loss(np.array([[1000.0, -1000.0]]), np.array([[1.0, 0.0]]), np.ones(1))
        assert value == 0.0
        assert np.array_equal(gradient, [[0.0, 0.0]])
        value, gradient = logistic_loss(np.array([[1000.0, -1000.0]]), np.array([[0.0, 1.0]]), np.ones(1))
        assert value == 2000.0
        assert np.array_equal(gradient, [[1.0, -1.0]])

    def test_sums_over_nodes_and_averages_over_rows(self) -> None:
        assert objective().loss(np.zeros((len(TERMS), P)))[0] == pytest.approx(P * np.log(2))

    def test_is_the_negative_log_likelihood_of_every_row(self) -> None:
        H, data = some_coefficients(), table()
        total = 0.0
        for row, weight in zip(data.patterns, data.weights, strict=True):
            for j in range(P):
                log_odds = sum(H[k, j] * np.prod(row[list(term)]) for k, term in enumerate(TERMS))
                probability = 1 / (1 + np.exp(-log_odds))
                total -= weight * np.log(probability if row[j] else 1 - probability)
        assert objective(kind=ZetaMap).loss(H)[0] == pytest.approx(total)
        assert objective(kind=DenseMap).loss(H)[0] == pytest.approx(total)


class TestQuasiMCP:
    def test_known_values(self) -> None:
        values, slopes = QuasiMCP(0.05, 0.2)(np.array([0.0, 0.1, 0.2, 7.0]))
        assert values == pytest.approx([0.0, 0.05 * (0.1 - 0.1**2 / 0.4), 0.005, 0.005])
        assert slopes == pytest.approx([0.05, 0.025, 0.0, 0.0])

    def test_wide_delta_is_the_absolute_value(self) -> None:
        values, _ = QuasiMCP(0.05, 1e9)(np.array([0.5, 3.0]))
        assert values == pytest.approx([0.025, 0.15])


class TestObjective:
    def test_weights_are_sums_of_squares_over_sets_with_the_cause(self) -> None:
        H = some_coefficients()
        W = objective().weights(H)
        for i in range(P):
            for j in range(P):
                expected = sum(H[k, j] ** 2 for k, term in enumerate(TERMS) if i in term)
                assert W[i, j] == pytest.approx(expected)
        assert objective().strength(H) ** 2 == pytest.approx(W)

    def test_absolute_values_have_a_corner_too_small_to_see(self) -> None:
        sizes, slopes = absolute(np.array([-2.0, 0.0, 0.3]))
        assert sizes == pytest.approx([2.0, 0.0, 0.3], abs=2e-3)
        assert slopes == pytest.approx([-1.0, 0.0, 1.0], abs=1e-4)

    def test_one_forbidden_cause_forbids_the_whole_product(self) -> None:
        allowed = ANY.copy()
        allowed[0, 3] = False
        free = free_coefficients(TERMS, allowed)
        for k, term in enumerate(TERMS):
            for j in range(P):
                assert free[k, j] == (j not in term and not (j == 3 and 0 in term))

    def test_required_edges_are_not_penalised(self) -> None:
        H = np.zeros((len(TERMS), P))
        H[TERMS.index((0,)), 1] = 5.0
        required = NONE.copy()
        required[0, 1] = True
        assert objective().penalised(H)[0] == pytest.approx(0.3 * 0.7 / 2)
        assert objective(required=required).penalised(H)[0] == 0.0

    def test_packing_keeps_free_coefficients_only(self) -> None:
        term, H = objective(), some_coefficients()
        assert np.array_equal(term.pack(H), H[term.free])
        assert np.array_equal(term.unpack(term.pack(H)), H)
