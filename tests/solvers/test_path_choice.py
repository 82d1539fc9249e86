"""The two rules that choose a point of the path, and the BIC one of them reads."""

from dataclasses import replace

import numpy as np
import pytest

from binotears_core.data.table import BinaryData
from binotears_core.explain.coefficients import refit
from binotears_core.graph.dag import from_edges
from binotears_core.results import PathPoint
from binotears_core.solvers.path_choice import RefitScores, choose

NOTHING = np.zeros((2, 2))
POINT = PathPoint(0.1, 0.1, 1.0, 0.0, NOTHING, NOTHING, NOTHING.astype(np.int8), 10.0)


def points(losses: list[float], bics: list[float]) -> list[PathPoint]:
    return [replace(POINT, loss=loss, bic=bic) for loss, bic in zip(losses, bics, strict=True)]


def test_bic_takes_the_lowest_and_of_ties_the_sparsest_penalty() -> None:
    chosen, reason = choose(points([3.0, 2.0, 1.9, 1.8], [9.0, 5.0, 5.0, 7.0]), "bic")
    assert chosen == 1
    assert "lowest BIC (5.0)" in reason


@pytest.mark.parametrize(
    ("losses", "expected", "words"),
    [
        ([3.0, 2.0, 2.0], 1, "ceased to decrease"),
        ([3.0, 2.0, 2.1], 1, "ceased to decrease"),
        ([3.0, 2.0, 1.9999999], 1, "ceased to decrease"),
        ([3.0, 2.0, 1.5], 2, "still decreasing"),
        ([3.0], 0, "still decreasing"),
    ],
)
def test_likelihood_stops_where_the_loss_ceases_to_fall(losses: list[float], expected: int, words: str) -> None:
    chosen, reason = choose(points(losses, [1.0] * len(losses)), "likelihood")
    assert chosen == expected
    assert words in reason


@pytest.mark.parametrize("orders", [{1}, {1, 2}, {2}, {1, 2, 3}])
def test_bic_is_that_of_the_refit_people_see(orders: set[int]) -> None:
    rng = np.random.default_rng(0)
    data = BinaryData.from_array(rng.integers(0, 2, (400, 4)), names=list("abcd"))
    for edges in ([], [("a", "b")], [("a", "d"), ("b", "d")], [("a", "d"), ("b", "d"), ("c", "d"), ("a", "b")]):
        adjacency = from_edges(edges, data.names)
        fit = refit(data, adjacency, orders)
        expected = -2 * fit.loglik + np.log(400) * fit.parameters
        assert RefitScores(data, frozenset(orders)).bic(adjacency) == pytest.approx(expected)


def test_weighted_data_count_their_effective_rows() -> None:
    rows = np.random.default_rng(1).integers(0, 2, (300, 2))
    heavy = BinaryData.from_array(rows, weights=np.where(np.arange(300) < 10, 20.0, 1.0))
    empty = np.zeros((2, 2), dtype=np.int8)
    entropy = -(
        heavy.prevalence * np.log(heavy.prevalence) + (1 - heavy.prevalence) * np.log(1 - heavy.prevalence)
    ).sum()
    expected = 2 * heavy.sample_size * entropy + 2 * np.log(heavy.sample_size)
    assert heavy.sample_size < 200
    assert RefitScores(heavy, frozenset({1})).bic(empty) == pytest.approx(expected)
