"""A cut between two overlapping heaps of numbers."""

from __future__ import annotations

import numpy as np

from binotears_core.data.table import Floats
from binotears_core.errors import DataError

# Means, standard deviations and shares of the lower and the upper component.
Components = tuple[Floats, Floats, Floats]


def mixture_cut(values: Floats, mass: Floats) -> float:
    """Where the upper of two normal components becomes the likelier one.

    x ~ π₁ N(m₁, s₁²) + π₂ N(m₂, s₂²), m₁ < m₂, fitted by EM to distinct `values` (L,) with weights `mass` (L,);
    the cut solves π₁ φ(x; m₁, s₁) = π₂ φ(x; m₂, s₂) between the two means.
    """
    components = fit_two_normals(values, mass / mass.sum())
    low, high = (float(mean) for mean in components[0])
    if not _log_odds(low, components) < 0 < _log_odds(high, components):
        raise DataError("its values do not fall into two heaps")
    for _ in range(200):
        middle = (low + high) / 2
        if _log_odds(middle, components) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def fit_two_normals(values: Floats, share: Floats, *, steps: int = 1000, tolerance: float = 1e-10) -> Components:
    """EM for two normal components, started from the values below and above the mean; the lower one comes first."""
    centre = float(share @ values)
    spread = float(np.sqrt(share @ (values - centre) ** 2))
    upper = (values > centre).astype(np.float64)
    before = -np.inf
    for _ in range(steps):
        components = _maximise(values, share, upper, floor=1e-3 * spread)
        densities = _log_densities(values, components)
        total = np.logaddexp(densities[0], densities[1])
        upper = np.exp(densities[1] - total)
        fit = float(share @ total)
        if fit - before < tolerance:
            break
        before = fit
    order = np.argsort(components[0])
    means, deviations, shares = (part[order] for part in components)
    return means, deviations, shares


def _maximise(values: Floats, share: Floats, upper: Floats, floor: float) -> Components:
    """Weighted means and deviations; the floor keeps a component from collapsing onto a single value."""
    weights = np.stack([share * (1 - upper), share * upper]) + 1e-300
    shares = weights.sum(axis=1)
    means = weights @ values / shares
    variances = (weights * (values - means[:, None]) ** 2).sum(axis=1) / shares
    return means, np.sqrt(np.maximum(variances, floor**2)), shares


def _log_densities(values: Floats, components: Components) -> Floats:
    """(2, L) log π_k φ(x; m_k, s_k), without the constant."""
    means, deviations, shares = (part[:, None] for part in components)
    densities: Floats = np.log(shares) - np.log(deviations) - ((values - means) / deviations) ** 2 / 2
    return densities


def _log_odds(value: float, components: Components) -> float:
    densities = _log_densities(np.array([value]), components)
    return float(densities[1, 0] - densities[0, 0])
