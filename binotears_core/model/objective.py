"""The score of the paper, ℓ(H) + Σ_{i≠j} p_{λ,δ}(W(H)_ij), each smooth term as (value, gradient).

Shapes: m rows (distinct patterns or all cells) with weights summing to 1, K interaction sets, p variables; H is (K, p).
The loss is a *sum* over nodes and a *mean* over rows. Not included here: acyclicity (`model/acyclicity.py`).

>>> logistic_loss(np.array([[0.0]]), np.array([[1.0]]), np.array([1.0]))[0]  # a fair coin costs log 2
0.6931471805599453
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from binotears_core.model.features import FeatureMap, Term, membership

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Size = Callable[[Floats], tuple[Floats, Floats]]

# Half-width of the rounded corner of |h| at 0: far below every threshold, yet wide enough for a quasi-Newton step.
CORNER = 1e-3


def logistic_loss(z: Floats, targets: Floats, weights: Floats) -> tuple[float, Floats]:
    """ℓ = Σ_x w_x Σ_j [log(1 + e^{z_xj}) − x_j z_xj] and ∂ℓ/∂z = w·(σ(z) − x). z and targets are (m, p)."""
    # e^{−|z|} ≤ 1 serves both: log(1 + e^z) = max(z, 0) + log(1 + e^{−|z|}), and σ(z) without overflow at any z.
    small = np.exp(-np.abs(z))
    values = np.maximum(z, 0.0) + np.log1p(small) - targets * z
    sigmoid = np.where(z >= 0, 1.0, small) / (1.0 + small)
    return float(weights @ values.sum(axis=1)), weights[:, None] * (sigmoid - targets)


@dataclass(frozen=True)
class QuasiMCP:
    """p_{λ,δ}(t) = λ(t − t²/2δ) for t < δ, else λδ/2 (paper, "quasi-MCP"), for t ≥ 0: an ℓ0 count that has a slope."""

    lam: float
    delta: float

    def __call__(self, t: Floats) -> tuple[Floats, Floats]:
        """Elementwise value and derivative λ(1 − t/δ)₊."""
        inside = np.minimum(t, self.delta)
        slope = 1.0 - inside / self.delta
        return self.lam * inside * (1.0 + slope) / 2.0, self.lam * slope


def squares(H: Floats) -> tuple[Floats, Floats]:
    """h² and 2h, elementwise (paper, W(H))."""
    return H * H, 2.0 * H


def absolute(H: Floats) -> tuple[Floats, Floats]:
    """sqrt(h² + ε²) − ε and its derivative: |h| (paper, proof of Theorem 2) with a rounded corner."""
    root = np.sqrt(H * H + CORNER * CORNER)
    return root - CORNER, H / root


NORMS: Mapping[str, Size] = MappingProxyType({"squares": squares, "absolute": absolute})


def free_coefficients(terms: Iterable[Term], allowed: Mask) -> Mask:
    """(K, p) True where H[S, j] may differ from 0: j ∉ S and i → j is allowed for every i ∈ S."""
    blocked = membership(terms, len(allowed)) @ (~allowed | np.eye(len(allowed), dtype=bool))
    return np.asarray(blocked == 0)


class Objective:
    """ℓ(H) + Σ p_{λ,δ}(W(H)_ij) on one feature map.

    allowed   (p, p) True where i → j may exist; H[S, j] is held at 0 when any i ∈ S may not cause j
    required  (p, p) True where i → j is given; it is left out of the penalty
    norm      what the penalty measures: "squares" Σ h² or "absolute" Σ |h|
    intercept False holds the constants at 0 too, only to compare with methods that have none

    The acyclicity term needs W(H) = Σ h² and the chain rule through it: `weights` and `pull_back`. It always uses
    squares: they encode the same graph as absolute values and are smooth.
    """

    def __init__(
        self,
        features: FeatureMap,
        penalty: QuasiMCP,
        *,
        norm: str = "squares",
        allowed: Mask,
        required: Mask,
        intercept: bool = True,
    ) -> None:
        self.features, self.penalty = features, penalty
        self.free = free_coefficients(features.terms, allowed)
        self.free[0] &= intercept
        self._places = np.flatnonzero(self.free)
        self._members = membership(features.terms, len(allowed))
        self._counted = ~required
        self._size = NORMS[norm]

    def with_penalty(self, penalty: QuasiMCP) -> Objective:
        """The same objective at another (λ, δ)."""
        other = copy(self)
        other.penalty = penalty
        return other

    def pack(self, H: Floats) -> Floats:
        """The coefficients that are free, as a vector."""
        return H.ravel()[self._places]

    def unpack(self, free: Floats) -> Floats:
        """H (K, p) from its free coefficients."""
        H = np.zeros(self.free.size)
        H[self._places] = free
        return H.reshape(self.free.shape)

    def loss(self, H: Floats) -> tuple[float, Floats]:
        """ℓ(H) and its gradient, zero where H is fixed at zero."""
        value, slope = logistic_loss(self.features.apply(H), self.features.targets, self.features.weights)
        return value, self.features.transpose(slope) * self.free

    def penalised(self, H: Floats) -> tuple[float, Floats]:
        """Σ p_{λ,δ}(W_ij) over edges that are not required, and its gradient."""
        sizes, slopes = self._size(H)
        values, derivatives = self.penalty(self._members.T @ sizes)
        return float(values[self._counted].sum()), slopes * (self._members @ (derivatives * self._counted))

    def value_and_gradient(self, H: Floats) -> tuple[float, Floats]:
        """Loss plus penalty, (K, p) gradient."""
        loss, loss_gradient = self.loss(H)
        penalty, penalty_gradient = self.penalised(H)
        return loss + penalty, loss_gradient + penalty_gradient

    def weights(self, H: Floats) -> Floats:
        """W(H)_ij = Σ_{S∋i} H[S, j]², (p, p)."""
        return self._members.T @ (H * H)

    def strength(self, H: Floats) -> Floats:
        """(p, p) sqrt(W(H)), on the scale of a coefficient: what we show, threshold and export."""
        strength: Floats = np.sqrt(self.weights(H))
        return strength

    def pull_back(self, H: Floats, slope: Floats) -> Floats:
        """Gradient in H of a function of W(H) whose gradient in W is `slope`."""
        return 2.0 * H * (self._members @ slope)
