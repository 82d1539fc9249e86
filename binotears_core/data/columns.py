"""Cells, columns and what is known of a column after one look at it.

A table is read in pieces. In a piece, a column is its few *distinct values* and, for every row, which of them it holds;
so everything that is said about values (is it missing, is it a number, which bit does it become) costs once per value,
not once per row.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from binotears_core.data.table import Floats

Codes = npt.NDArray[np.integer[Any]]
Flags = npt.NDArray[np.bool_]

MISSING_WORDS = ("", "na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nan", "nat", "null", "?", ".")
BIT_WORDS = {"0": 0, "1": 1, "false": 0, "true": 1, "no": 0, "yes": 1}

# More different texts than this is an identifier or free text, never a variable: the rest is not kept.
MANY_TEXTS = 10_000
# More different numbers than this are summarised: neighbours share one value (their rank is then off by about 1e-5).
MANY_NUMBERS = 1 << 18


@dataclass(frozen=True, eq=False)
class Column:
    """One column of one piece.

    codes    (n,) which value each row holds; -1 where there is none
    numbers  (L + 1,) the values as numbers, nan where a value is text or missing
    texts    the values that are text, by their place among the values
    missing  (L + 1,) where a value means "no value"
    The last entry stands for "no value", so that code -1 finds it.
    """

    codes: Codes
    numbers: Floats
    texts: dict[int, str]
    missing: Flags

    @classmethod
    def of_text(cls, codes: Codes, values: pa.Array, *, decimal_comma: bool = False) -> Column:
        """Distinct texts, as from a CSV file: blank space is cut off, missing words and numbers are recognised."""
        trimmed = pc.utf8_trim_whitespace(values.cast(pa.string()))
        gone = pc.is_in(pc.utf8_lower(trimmed), value_set=pa.array(MISSING_WORDS))
        trimmed = pc.if_else(gone, None, trimmed)
        numbers = _numbers(trimmed, decimal_comma)
        places = np.flatnonzero(np.isnan(numbers))
        texts = zip(places.tolist(), trimmed.take(pa.array(places)).to_pylist(), strict=True)
        return cls._distinct(codes, numbers, {place: text for place, text in texts if text is not None})

    @classmethod
    def of_values(cls, codes: Codes, values: Any) -> Column:
        """Distinct values of any type: numpy or pandas arrays, or a mixture of Python objects."""
        array = np.asarray(values)
        if array.dtype.kind in "buif" and not np.isinf(array).any():
            return cls._distinct(codes, array.astype(np.float64), {})
        cells = pd.DatetimeIndex(array) if array.dtype.kind == "M" else array.tolist()
        return cls.of_text(codes, pa.array([None if cell is None else str(cell) for cell in cells], type=pa.string()))

    @classmethod
    def of_cells(cls, cells: Any) -> Column:
        """The cells of one column of a pandas table."""
        codes, values = pd.factorize(cells)
        return cls.of_values(codes, values)

    @classmethod
    def _distinct(cls, codes: Codes, numbers: Floats, texts: dict[int, str]) -> Column:
        """Merge values that are spelled differently but equal ("1", "1.0", " 1"), and add the entry for "no value"."""
        numbers = np.append(numbers, np.nan)
        target = np.arange(len(numbers))
        if (np.diff(np.sort(numbers)) == 0).any():
            _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True, equal_nan=False)
            target = first[inverse]
        places: dict[str, int] = {}
        for place, text in texts.items():
            target[place] = places.setdefault(text, place)
        repeated = target != np.arange(len(numbers))
        if repeated.any():
            codes, numbers = target[codes], np.where(repeated, np.nan, numbers)
        missing = np.isnan(numbers)
        missing[list(places.values())] = False
        return cls(codes, numbers, {place: text for text, place in places.items()}, missing)

    def __len__(self) -> int:
        return len(self.codes)

    def labels(self) -> list[str | None]:
        """(L + 1,) the values as a person would write them; None for "no value"."""
        labels = [None if number != number else label_of(number) for number in self.numbers.tolist()]
        return [self.texts.get(place, label) for place, label in enumerate(labels)]

    def rows(self, keep: Flags) -> Column:
        """The same column with only some rows."""
        return replace(self, codes=self.codes[keep])


def _numbers(texts: pa.Array, decimal_comma: bool) -> Floats:
    """Finite numbers; nan where a text is none. Arrow reads a whole array at once, Python what Arrow does not know."""
    if decimal_comma:
        texts = pc.replace_substring(texts, ",", ".")
    try:
        numbers = texts.cast(pa.float64()).to_numpy(zero_copy_only=False).astype(np.float64)
    except pa.ArrowInvalid:
        numbers = np.array([number_of(text) for text in texts.to_pylist()])
    return np.where(np.isfinite(numbers), numbers, np.nan)


def number_of(text: str | None) -> float:
    """The number a text spells, nan when it spells none."""
    try:
        return float(text) if text is not None and "_" not in text else np.nan
    except ValueError:
        return np.nan


def label_of(value: object) -> str:
    """A value as a person would write it: whole numbers without a point, text without blanks around it."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number | str):
        return str(value).strip()
    number = number_of(value.strip()) if isinstance(value, str) else float(value)
    if not np.isfinite(number):
        return str(value).strip()
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def short(label: str) -> str:
    """A value in a message: a long text is cut."""
    return label if len(label) <= 40 else label[:39] + "…"


@dataclass
class Summary:
    """What a column holds: its numbers in order and its texts, each with its total weight, and its missing cells."""

    numbers: Floats = field(default_factory=lambda: np.empty(0))
    mass: Floats = field(default_factory=lambda: np.empty(0))
    texts: dict[str, float] = field(default_factory=dict)
    missing: int = 0
    thinned: bool = False
    many_texts: bool = False

    def add(self, column: Column, weights: Floats) -> None:
        """Add the rows of a piece. Weights are added one row after the other, so pieces of any size give equal sums."""
        self.missing += int(np.count_nonzero(column.missing[column.codes]))
        order = np.argsort(column.numbers)  # nan comes last
        order = order[: np.count_nonzero(~np.isnan(column.numbers))]
        values = np.union1d(self.numbers, column.numbers[order])
        known, new = (np.searchsorted(values, numbers) for numbers in (self.numbers, column.numbers[order]))
        mass = np.zeros(len(values))
        mass[known] = self.mass
        totals = np.zeros(len(column.numbers))  # by place in the piece, starting from what was there before
        totals[order] = mass[new]
        for place, text in column.texts.items():
            totals[place] = self.texts.get(text, 0.0)
        np.add.at(totals, column.codes, weights)
        mass[new] = totals[order]
        self.numbers, self.mass = values[mass > 0], mass[mass > 0]
        self._add_texts(column.texts, totals)
        if len(self.numbers) > MANY_NUMBERS:
            self._thin()

    def _add_texts(self, texts: dict[int, str], totals: Floats) -> None:
        for place, text in texts.items():
            if totals[place] > 0 and (text in self.texts or len(self.texts) < MANY_TEXTS):
                self.texts[text] = float(totals[place])
            elif totals[place] > 0:
                self.many_texts = True

    def _thin(self) -> None:
        """Halve the numbers: of two neighbours the heavier one stands for both (so frequent values stay exact)."""
        even = len(self.numbers) // 2 * 2
        values, mass = self.numbers[:even].reshape(-1, 2), self.mass[:even].reshape(-1, 2)
        heavier = np.take_along_axis(values, mass.argmax(axis=1)[:, None], axis=1)[:, 0]
        self.numbers = np.concatenate([heavier, self.numbers[even:]])
        self.mass = np.concatenate([mass.sum(axis=1), self.mass[even:]])
        self.thinned = True

    @property
    def distinct(self) -> int:
        """Number of different values (missing not counted; a lower bound when there are very many)."""
        return len(self.numbers) + len(self.texts) + int(self.many_texts)

    def labels(self) -> dict[str, float]:
        """Every value as a person would write it, with its total weight; numbers first, in order."""
        numbers = {label_of(number): weight for number, weight in zip(self.numbers.tolist(), self.mass, strict=True)}
        return numbers | {text: self.texts[text] for text in sorted(self.texts)}
