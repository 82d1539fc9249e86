"""The multivariate Bernoulli distribution: all joint laws of p binary variables (paper, Def. "Multivariate Bernoulli").

    P(X = x) = exp( Σ_{S⊆[p]} f^S B^S(x) ),   B^S(x) = Π_{j∈S} x_j.

A law is kept as its 2^p cell probabilities ("general parameters"); bit j of a cell's number is the value of column j.
Its natural parameters f are indexed by the bitmask of S; with positive cells the two are one-to-one (paper, Lemma
"Parameter transformation"): log p = zeta(f) and f = mobius(log p).

>>> coins = MultivariateBernoulli.from_natural([0.0, 1.0, -1.0, 0.0])  # no interaction: two independent coins
>>> coins.conditional(0, [1]).round(12).tolist()
[1.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError, OptionError
from binotears_core.model.features import Floats, Ints, mobius, subset_layers, zeta


@dataclass(frozen=True, eq=False)
class MultivariateBernoulli:
    """A law on {0, 1}^p. `cells` is (2^p,), not negative, sums to 1, read-only."""

    cells: Floats

    def __post_init__(self) -> None:
        cells = np.array(self.cells, dtype=np.float64)
        if cells.ndim != 1 or cells.size < 2 or cells.size & (cells.size - 1):
            raise DataError(
                f"A law of p binary variables has 2^p cells, got shape {cells.shape}. Give one probability per cell."
            )
        if not np.all(np.isfinite(cells)) or cells.min() < 0 or abs(cells.sum() - 1) > 1e-6:
            raise DataError(
                "Cell probabilities must be finite, not negative and sum to 1. Divide counts by their total."
            )
        cells /= cells.sum()
        cells.setflags(write=False)
        object.__setattr__(self, "cells", cells)

    @classmethod
    def from_natural(cls, natural: npt.ArrayLike) -> MultivariateBernoulli:
        """p(1_S) = exp(Σ_{∅≠T⊆S} f^T − b(f)); f[0] is determined by the others and not read."""
        sums = _sums(natural)
        return cls(np.exp(sums - logsumexp(sums)))

    @property
    def variables(self) -> int:
        """p, the number of variables."""
        return self.cells.size.bit_length() - 1

    def natural(self) -> Floats:
        """(2^p,) f^S = Σ_{T⊆S} (−1)^{|S∖T|} log p(1_T), by bitmask; f[0] = log p(0…0) = −b(f). Needs positive cells."""
        check_positive(self.cells)
        return mobius(np.log(self.cells), self.variables)

    def marginal(self, columns: Sequence[int]) -> MultivariateBernoulli:
        """The law of these columns, in this order: columns[k] becomes variable k."""
        return MultivariateBernoulli(marginal_cells(self.cells, columns))

    def conditional(self, node: int, given: Sequence[int]) -> Floats:
        """(2^|given|,) coefficients h with P(X_node = 1 | X_given = x) = σ(Σ_T h_T B^T(x)).

        Bit k of the number of T says whether given[k] ∈ T. Needs positive cells in the marginal of node and given.
        """
        table = marginal_cells(self.cells, [*given, node])
        check_positive(table)
        return log_odds_coefficients(*table.reshape(2, -1))

    def smoothed(self, share: float) -> MultivariateBernoulli:
        """(1 − share)·p + share·uniform: a law with positive cells near this one."""
        if not 0 < share <= 1:
            raise OptionError(f"The share of the uniform law is {share}. Choose it above 0 and at most 1.")
        return MultivariateBernoulli((1 - share) * self.cells + share / self.cells.size)

    def sample(self, rows: int, seed: int | np.random.Generator, names: Sequence[str] | None = None) -> BinaryData:
        """`rows` independent draws; only their counts per cell are drawn, so a million rows cost no more than ten."""
        if rows < 1:
            raise OptionError(f"A sample of {rows} rows was asked for. Ask for at least 1.")
        counts = np.random.default_rng(seed).multinomial(rows, self.cells)
        seen = np.flatnonzero(counts)
        patterns = (seen[:, None] >> np.arange(self.variables)) & 1
        columns = tuple(names) if names is not None else tuple(f"X{j + 1}" for j in range(self.variables))
        return BinaryData.from_counts(patterns, counts[seen], columns)


def log_partition(natural: npt.ArrayLike) -> float:
    """b(f) = log(1 + Σ_{S≠∅} exp(Σ_{∅≠T⊆S} f^T)), the largest term taken out so that it cannot overflow."""
    return float(logsumexp(_sums(natural)))


def marginal_cells(cells: Floats, columns: Sequence[int]) -> Floats:
    """(2^k,) sums over all other columns; columns[k] becomes bit k. Works on probabilities and on counts."""
    variables = cells.size.bit_length() - 1
    kept = [int(column) for column in columns]
    if len(set(kept)) != len(kept) or any(not 0 <= column < variables for column in kept):
        raise OptionError(f"Columns {kept} are not distinct numbers from 0 to {variables - 1}. Correct the list.")
    # Axis 0 of the reshaped table is the highest bit, hence the mirrored axis numbers.
    cube = cells.reshape((2,) * variables)
    others = tuple(variables - 1 - j for j in range(variables) if j not in kept)
    ranks = [sorted(kept).index(column) for column in kept]
    axes = [len(kept) - 1 - rank for rank in reversed(ranks)]
    return np.ascontiguousarray(cube.sum(axis=others).transpose(axes)).reshape(-1)


def marginal_layers(cells: Floats) -> Iterator[tuple[Ints, Ints, Floats]]:
    """Every marginal table, from all p variables down to none, one yield per number k of variables.

    Yields (m,) bitmasks, (m, k) members ascending, and (m, 2^k) tables whose bit b is the b-th member. All tables
    together have 3^p cells, each made by one addition from the layer above.
    """
    variables = cells.size.bit_length() - 1
    layers = list(subset_layers(variables))
    above, tables = layers[-1][0], cells.reshape(1, -1)
    yield *layers[-1], tables
    for size in range(variables - 1, -1, -1):
        sets, members = layers[size]
        smaller = np.empty((len(sets), 1 << size))
        # Sum out the smallest variable that is missing: all below it are present, so it sits at its own number.
        missing = np.bitwise_count(sets & ~(sets + 1)).astype(np.int64)
        for column in range(size + 1):
            rows = np.flatnonzero(missing == column)
            source = tables[np.searchsorted(above, sets[rows] | (1 << column))]
            smaller[rows] = source.reshape(len(rows), -1, 2, 1 << column).sum(axis=2).reshape(len(rows), -1)
        above, tables = sets, smaller
        yield sets, members, tables


def log_odds_coefficients(zeros: Floats, ones: Floats) -> Floats:
    """(2^k,) Möbius coefficients of log(ones / zeros), two positive tables over the same k variables."""
    return mobius(np.log(ones) - np.log(zeros), ones.size.bit_length() - 1)


def check_positive(cells: Floats) -> None:
    """Raise DataError naming the first empty cell: its natural parameters would be infinite."""
    empty = np.flatnonzero(cells <= 0)
    if empty.size:
        variables = cells.size.bit_length() - 1
        pattern = "".join(str((int(empty[0]) >> j) & 1) for j in range(variables))
        raise DataError(
            f"{empty.size} of {cells.size} cells have probability 0 (first: {pattern}), "
            "so natural parameters are infinite. Use `smoothed`, or give the data themselves."
        )


def _sums(natural: npt.ArrayLike) -> Floats:
    """(2^p,) Σ_{∅≠T⊆S} f^T for every S."""
    f = np.array(natural, dtype=np.float64)
    if f.ndim != 1 or f.size < 2 or f.size & (f.size - 1) or not np.all(np.isfinite(f[1:])):
        raise DataError(f"Natural parameters must be 2^p finite numbers, got shape {f.shape}. Give one per subset.")
    f[0] = 0.0
    return zeta(f, f.size.bit_length() - 1)
