"""Interaction features B^S(x) = Π_{j∈S} x_j and the map Φ, applied without ever building an n × 2^p array.

Sets S are kept in graded-lexicographic order (paper, app. "Graded-lexicographic order"): by size, then
lexicographically. For p = 3 and all orders: ∅, 1, 2, 3, 12, 13, 23, 123.

Two implementations of one contract — z = Φ H and its transpose Φᵀ R:
* `DenseMap`: the (m, K) matrix on the m distinct rows, for few terms;
* `ZetaMap`: many terms. ΦH on all 2^p cells is a zeta transform over subsets (z_x = Σ_{S⊆x} H_S), and Φᵀ the
  transposed one, O(p·2^p) per column.

>>> interaction_sets(3, frozenset({1, 2}))
((), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb
from typing import Protocol

import numpy as np
import numpy.typing as npt

from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Term = tuple[int, ...]


def resolve_orders(orders: str | int | Iterable[int], variables: int, *, all_up_to: int = 12) -> frozenset[int]:
    """The set of interaction orders meant by "auto", "all", an integer m (1…m) or an iterable such as {1, 2}.

    "auto" is all orders up to `all_up_to` variables and {1, 2} beyond. A node has at most p − 1 parents, so order p
    names no term; it is accepted, because the paper calls the highest product "p-th order", and means order p − 1.
    """
    highest = max(variables - 1, 1)
    if orders == "auto":
        orders = "all" if variables <= all_up_to else 2
    if orders == "all":
        return frozenset(range(1, highest + 1))
    if isinstance(orders, str):
        raise OptionError(
            f"Orders '{orders}' are not understood. Use auto, all, a number such as 2, or a set such as 1,2."
        )
    wanted = list(range(1, orders + 1)) if isinstance(orders, int) else sorted({int(order) for order in orders})
    if not wanted or wanted[0] < 1:
        raise OptionError("Interaction orders start at 1 (the constant is always in). Use auto, all, 2 or {1, 2}.")
    if wanted[-1] > variables:
        raise OptionError(
            f"Order {wanted[-1]} needs {wanted[-1]} variables, the data have {variables}. "
            f"Use orders 1 to {variables} or 'all'."
        )
    return frozenset(min(order, highest) for order in wanted)


def count_terms(variables: int, orders: frozenset[int]) -> int:
    """Number of interaction sets including the constant."""
    return 1 + sum(comb(variables, order) for order in orders)


def interaction_sets(variables: int, orders: Iterable[int]) -> tuple[Term, ...]:
    """All S with |S| in `orders`, and ∅, in graded-lexicographic order."""
    sizes = sorted({0, *orders})
    return tuple(term for size in sizes for term in combinations(range(variables), size))


def subset_layers(variables: int) -> Iterator[tuple[Ints, Ints]]:
    """All subsets of {0…p−1} by size k = 0…p: (m,) bitmasks, ascending, and (m, k) their members, ascending."""
    sets = np.arange(1 << variables, dtype=np.int64)
    sizes = np.bitwise_count(sets)
    for size in range(variables + 1):
        layer = sets[sizes == size]
        members = np.nonzero((layer[:, None] >> np.arange(variables)) & 1)[1]
        yield layer, members.reshape(len(layer), size)


def membership(terms: Iterable[Term], variables: int) -> Floats:
    """(K, p) matrix M with M[S, i] = 1 when i ∈ S."""
    sets = list(terms)
    matrix = np.zeros((len(sets), variables))
    for row, term in enumerate(sets):
        matrix[row, list(term)] = 1.0
    return matrix


def products(rows: npt.ArrayLike, terms: Iterable[Term]) -> Floats:
    """(m, K) dense Φ: column S is Π_{j∈S} x_j."""
    bits = np.asarray(rows, dtype=np.float64)
    return np.stack([bits[:, list(term)].prod(axis=1) for term in terms], axis=1)


def zeta(values: npt.ArrayLike, variables: int) -> Floats:
    """out[x] = Σ_{S⊆x} values[S]; the first axis has 2^p cells, bit j of a cell's number says whether j ∈ S."""
    return _butterfly(values, variables, low_to_high=True, sign=1.0)


def mobius(values: npt.ArrayLike, variables: int) -> Floats:
    """Inverse of `zeta`: out[S] = Σ_{T⊆S} (−1)^{|S∖T|} values[T]."""
    return _butterfly(values, variables, low_to_high=True, sign=-1.0)


def zeta_transposed(values: npt.ArrayLike, variables: int) -> Floats:
    """out[S] = Σ_{x⊇S} values[x]."""
    return _butterfly(values, variables, low_to_high=False, sign=1.0)


def _butterfly(values: npt.ArrayLike, variables: int, *, low_to_high: bool, sign: float) -> Floats:
    out = np.array(values, dtype=np.float64)
    tail = out.size >> variables
    for j in range(variables):
        block = out.reshape(1 << (variables - 1 - j), 2, (1 << j) * tail)
        target, source = (1, 0) if low_to_high else (0, 1)
        if sign > 0:
            block[:, target] += block[:, source]
        else:
            block[:, target] -= block[:, source]
    return out


class FeatureMap(Protocol):
    """z = Φ H on `points` rows, and its transpose."""

    terms: tuple[Term, ...]
    weights: Floats  # (points,) share of each row on which Φ acts
    targets: Floats  # (points, p) the rows themselves

    def apply(self, H: Floats) -> Floats:
        """(K, p) → (points, p)."""
        ...

    def transpose(self, R: Floats) -> Floats:
        """(points, p) → (K, p)."""
        ...


class DenseMap:
    """Φ as a matrix on the distinct rows."""

    def __init__(self, data: BinaryData, terms: tuple[Term, ...]) -> None:
        self.terms = terms
        self.weights = data.weights
        self.targets = data.patterns.astype(np.float64)
        self._phi = products(data.patterns, terms)

    def apply(self, H: Floats) -> Floats:
        return self._phi @ H

    def transpose(self, R: Floats) -> Floats:
        return self._phi.T @ R


class ZetaMap:
    """Φ on all 2^p cells by subset transforms, whatever the orders; empty cells have weight 0."""

    def __init__(self, data: BinaryData, terms: tuple[Term, ...]) -> None:
        p = data.variables
        self.terms = terms
        self._p = p
        self._codes = np.array([sum(1 << j for j in term) for term in terms], dtype=np.int64)
        cells = np.arange(1 << p)
        self.weights = data.cells()
        self.targets = ((cells[:, None] >> np.arange(p)) & 1).astype(np.float64)

    def apply(self, H: Floats) -> Floats:
        by_cell = np.zeros((1 << self._p, H.shape[1]))
        by_cell[self._codes] = H
        return zeta(by_cell, self._p)

    def transpose(self, R: Floats) -> Floats:
        return zeta_transposed(R, self._p)[self._codes]


def feature_map(data: BinaryData, orders: frozenset[int]) -> FeatureMap:
    """The cheaper of the two maps for these data and orders."""
    terms = interaction_sets(data.variables, orders)
    transforms = by_transform(data.variables, len(data.patterns), len(terms))
    return ZetaMap(data, terms) if transforms else DenseMap(data, terms)


def by_transform(variables: int, patterns: int, terms: int) -> bool:
    """Whether subset transforms, p·2^p additions a column, are cheaper than the product with the (m, K) matrix.

    One of their additions takes as long as six of a matrix product (p = 8 … 14; the two broke even at 5 to 6).
    """
    return variables <= 20 and 6 * variables * (1 << variables) < patterns * terms
