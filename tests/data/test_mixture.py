"""The cut between two normal heaps, against scikit-learn's mixture."""

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

from binotears_core.data.mixture import fit_two_normals, mixture_cut
from binotears_core.errors import DataError


def counted(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    distinct, counts = np.unique(values, return_counts=True)
    return distinct, counts.astype(float)


@pytest.mark.parametrize(
    ("low", "high", "share"), [((0, 1), (4, 1), 0.5), ((0, 0.5), (6, 2), 0.3), ((100, 9), (160, 5), 0.8)]
)
def test_against_scikit_learn(low: tuple[float, float], high: tuple[float, float], share: float) -> None:
    generator = np.random.default_rng(3)
    upper = generator.random(3000) < share
    values = np.where(upper, generator.normal(*high, 3000), generator.normal(*low, 3000)).round(2)
    distinct, counts = counted(values)
    peer = GaussianMixture(2, tol=1e-8, max_iter=1000, random_state=0).fit(values[:, None])
    order = np.argsort(peer.means_[:, 0])
    means, deviations, shares = fit_two_normals(distinct, counts / counts.sum())
    np.testing.assert_allclose(means, peer.means_[order, 0], rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(deviations, np.sqrt(peer.covariances_[order, 0, 0]), rtol=2e-3)
    np.testing.assert_allclose(shares, peer.weights_[order], atol=1e-3)
    grid = np.linspace(means[0], means[1], 20_001)
    border = grid[np.argmax(peer.predict(grid[:, None]) == order[1])]
    assert mixture_cut(distinct, counts) == pytest.approx(border, abs=2e-3 * (means[1] - means[0]))


def test_equal_heaps_are_cut_in_the_middle() -> None:
    values = np.array([-0.5, 0.0, 0.5, 9.5, 10.0, 10.5])
    assert mixture_cut(values, np.array([1.0, 2, 1, 1, 2, 1])) == pytest.approx(5.0)


def test_one_heap_is_refused() -> None:
    """A narrow heap inside a wide one has no border between the means."""
    generator = np.random.default_rng(0)
    values = np.concatenate([generator.normal(0, 5, 2000), generator.normal(0.0, 0.3, 4000)])
    values = np.concatenate([values, -values])
    with pytest.raises(DataError, match="two heaps"):
        mixture_cut(*counted(values.round(3)))
