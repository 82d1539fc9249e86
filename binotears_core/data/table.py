"""Binary data as distinct rows with weights.

n rows of p bits are at most min(n, 2^p) distinct rows. Everything downstream works on *patterns* (distinct rows) and
*weights* (their shares, summing to 1), so the cost of a gradient does not grow with n once the data are loaded.

>>> data = BinaryData.from_array([[0, 1], [0, 1], [1, 1]], names=["a", "b"])
>>> data.patterns.tolist(), data.counts.tolist()
([[0, 1], [1, 1]], [2.0, 1.0])
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from binotears_core.errors import DataError

if TYPE_CHECKING:
    from binotears_core.data.recipe import Recipe

Bits = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BinaryData:
    """An immutable binary table.

    names     p column names, unique
    patterns  (m, p) distinct rows in lexicographic order, 0/1, read-only
    weights   (m,) share of each pattern, positive, sums to 1, read-only
    rows      number of rows behind the patterns
    sample_size  what a penalty such as BIC should call n: `rows`, or Kish's effective size under survey weights
    groups    names of columns that are indicators of one categorical variable (no edges inside a group)
    record    how the table came about, one plain sentence per step
    recipe    the same for the machine: `load(path, recipe=data.recipe)` repeats it (None when not made by `load`)
    """

    names: tuple[str, ...]
    patterns: Bits
    weights: Floats
    rows: int
    sample_size: float
    groups: tuple[tuple[str, ...], ...] = ()
    record: tuple[str, ...] = ()
    recipe: Recipe | None = None
    fingerprint: str = field(init=False)

    def __post_init__(self) -> None:
        check_names(self.names)
        for array in (self.patterns, self.weights):
            array.setflags(write=False)
        object.__setattr__(self, "fingerprint", self._fingerprint())

    @classmethod
    def from_array(
        cls,
        rows: npt.ArrayLike,
        names: Sequence[str] | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        groups: Iterable[Iterable[str]] = (),
        record: Iterable[str] = (),
    ) -> BinaryData:
        """Compress an (n, p) array of 0/1. `weights` are survey weights, one per row; their scale does not matter."""
        table = np.asarray(rows)
        if table.ndim != 2 or table.shape[0] == 0 or table.shape[1] == 0:
            raise DataError(
                f"Expected a table with rows and columns, got shape {table.shape}. Give an (n, p) array of 0/1."
            )
        columns = tuple(names) if names is not None else tuple(f"X{j + 1}" for j in range(table.shape[1]))
        if len(columns) != table.shape[1]:
            raise DataError(f"{len(columns)} names were given for {table.shape[1]} columns. Give one name per column.")
        check_names(columns)
        bits = _as_bits(table, columns)
        patterns, counts, sample_size = _compress(bits, weights)
        return cls.from_counts(
            patterns, counts, columns, rows=table.shape[0], sample_size=sample_size, groups=groups, record=record
        )

    @classmethod
    def from_counts(
        cls,
        patterns: npt.ArrayLike,
        counts: npt.ArrayLike,
        names: Sequence[str],
        *,
        rows: int | None = None,
        sample_size: float | None = None,
        groups: Iterable[Iterable[str]] = (),
        record: Iterable[str] = (),
    ) -> BinaryData:
        """Build from distinct rows and how often (or with what total weight) each occurs."""
        bits = _as_bits(np.asarray(patterns), names)
        shares = np.asarray(counts, dtype=np.float64)
        if shares.shape != (len(bits),) or not np.all(np.isfinite(shares)) or shares.min() < 0 or shares.sum() <= 0:
            raise DataError("Counts must be finite, not negative, not all zero, and one per pattern.")
        number = round(float(shares.sum())) if rows is None else rows
        keep = shares > 0
        bits, shares = bits[keep], shares[keep]
        order = np.lexsort(bits.T[::-1])
        return cls(
            names=tuple(names),
            patterns=np.ascontiguousarray(bits[order]),
            weights=shares[order] / shares.sum(),
            rows=number,
            sample_size=float(number if sample_size is None else sample_size),
            groups=tuple(tuple(group) for group in groups),
            record=tuple(record),
        )

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, **options: Any) -> BinaryData:
        """Prepare a pandas table; `options` are those of `load` (binarise, missing, weights, …)."""
        from binotears_core.data.loading import from_frame

        return from_frame(frame, **options)

    @property
    def variables(self) -> int:
        """p, the number of columns."""
        return len(self.names)

    @property
    def counts(self) -> Floats:
        """Weights on the scale of rows (not always whole numbers under survey weights)."""
        return self.weights * self.sample_size

    @property
    def prevalence(self) -> Floats:
        """(p,) share of ones in each column."""
        return self.weights @ self.patterns

    def index(self, name: str) -> int:
        """Column number of a name; the error lists what there is."""
        try:
            return self.names.index(name)
        except ValueError:
            raise DataError(f"There is no column '{name}'. The columns are: {', '.join(self.names)}.") from None

    def select(self, names: Sequence[str]) -> BinaryData:
        """The same rows with only these columns, in this order (patterns are merged again)."""
        columns = [self.index(name) for name in names]
        kept = set(names)
        patterns, inverse = np.unique(self.patterns[:, columns], axis=0, return_inverse=True)
        weights = np.bincount(inverse.reshape(-1), weights=self.weights, minlength=len(patterns)).astype(np.float64)
        groups = tuple(rest for group in self.groups if len(rest := tuple(n for n in group if n in kept)) > 1)
        return replace(self, names=tuple(names), patterns=patterns, weights=weights, groups=groups, recipe=None)

    def cells(self) -> Floats:
        """(2^p,) share of every cell, also the empty ones; bit j of a cell's number is the value of column j."""
        if self.variables > 24:
            raise DataError(
                f"A full table of {self.variables} columns has 2^{self.variables} cells. Select at most 24 columns."
            )
        codes = self.patterns.astype(np.int64) @ (1 << np.arange(self.variables, dtype=np.int64))
        return np.bincount(codes, weights=self.weights, minlength=1 << self.variables).astype(np.float64)

    def to_frame(self) -> pd.DataFrame:
        """All rows again (only when every count is a whole number), in pattern order."""
        counts = self.weights * self.rows
        whole = np.rint(counts).astype(np.int64)
        if not np.allclose(counts, whole, atol=1e-6):
            raise DataError("Weighted data cannot be written as single rows. Use `patterns` and `weights`.")
        return pd.DataFrame(np.repeat(self.patterns, whole, axis=0), columns=list(self.names))

    def _fingerprint(self) -> str:
        """SHA-256 over what a fit can see: names, patterns, weights, sample size and groups."""
        digest = hashlib.sha256()
        digest.update("\x1f".join(self.names).encode())
        digest.update(np.ascontiguousarray(self.patterns).tobytes())
        digest.update(np.ascontiguousarray(self.weights).tobytes())
        digest.update(np.float64(self.sample_size).tobytes())
        digest.update(repr(self.groups).encode())
        return digest.hexdigest()


def check_names(names: Sequence[str]) -> None:
    """Column names must be there, be unique and not empty."""
    if not names:
        raise DataError("The table has no columns. Give at least one column of 0/1.")
    if any(not str(name).strip() for name in names):
        place = [bool(str(name).strip()) for name in names].index(False) + 1
        raise DataError(f"Column {place} has no name. Name every column.")
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        times = Counter(names)[repeated[0]]
        raise DataError(f"The column name '{repeated[0]}' occurs {times} times. Make names unique.")


def _as_bits(table: npt.NDArray[Any], names: Sequence[str]) -> Bits:
    """A fresh uint8 copy; anything but 0 and 1 is an error that names the first offending cell."""
    if table.dtype.kind not in "buif":
        raise DataError(
            f"Expected numbers, got values of type {table.dtype}. Use bn.load or BinaryData.from_frame for text."
        )
    wrong = ~((table == 0) | (table == 1))
    if wrong.any():
        row, column = (int(k) for k in np.argwhere(wrong)[0])
        raise DataError(
            f"Column '{names[column]}' has values other than 0 and 1 (first at row {row + 1}: {table[row, column]}). "
            "Binarise it or drop it."
        )
    return table.astype(np.uint8)


def _compress(bits: Bits, weights: npt.ArrayLike | None) -> tuple[Bits, Floats, float]:
    """Distinct rows, their total weights, and the sample size (Kish's (Σw)²/Σw² when weights are given)."""
    # Rows are packed to bytes first: sorting a few bytes per row is much faster than sorting p columns.
    packed = np.ascontiguousarray(np.packbits(bits, axis=1))
    keys = packed.view([("", packed.dtype)] * packed.shape[1]).reshape(-1)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    if weights is None:
        return bits[first], np.bincount(inverse.reshape(-1)).astype(np.float64), float(len(bits))
    share = np.asarray(weights, dtype=np.float64)
    if share.shape != (len(bits),) or not np.all(np.isfinite(share)) or share.min() < 0 or share.sum() <= 0:
        raise DataError("Weights must be finite, not negative, not all zero, and one per row.")
    totals = np.bincount(inverse.reshape(-1), weights=share).astype(np.float64)
    return bits[first], totals, float(share.sum() ** 2 / np.square(share).sum())
