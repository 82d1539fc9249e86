"""The rows of a source that are used, and one look at all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from binotears_core.data.columns import Column, Summary
from binotears_core.data.sources import Source
from binotears_core.data.table import Floats


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Some columns of a source; without rows of weight 0 and, if `complete`, without rows that miss a cell."""

    source: Source
    names: tuple[str, ...]
    weights: str | None = None
    complete: bool = False

    def pieces(self) -> Iterator[tuple[dict[str, Column], Floats]]:
        """The columns and (n,) weights of each piece."""
        read = self.names if self.weights is None else (*self.names, self.weights)
        for piece in self.source.pieces(read):
            keep = np.ones(len(piece[read[0]]), dtype=np.bool_)
            weights = np.ones(len(keep))
            if self.complete:
                keep = ~np.logical_or.reduce([column.missing[column.codes] for column in piece.values()])
            if self.weights is not None:
                column = piece.pop(self.weights)
                weights = column.numbers[column.codes]
                keep &= weights > 0
            if keep.all():
                yield piece, weights
            else:
                yield {name: column.rows(keep) for name, column in piece.items()}, weights[keep]


@dataclass(frozen=True)
class Look:
    """What each column holds, and the number of rows."""

    summaries: dict[str, Summary]
    rows: int

    @property
    def missing(self) -> dict[str, int]:
        """Missing cells of the columns that have any."""
        return {name: summary.missing for name, summary in self.summaries.items() if summary.missing}


def look(rows: Rows) -> Look:
    """Read all rows once."""
    summaries = {name: Summary() for name in rows.names}
    number = 0
    for piece, weights in rows.pieces():
        number += len(weights)
        for name, column in piece.items():
            summaries[name].add(column, weights)
    return Look(summaries, number)


def incomplete(source: Source, names: tuple[str, ...], shown: int) -> tuple[int, list[int]]:
    """How many rows miss a cell, and the numbers (from 1) of the first `shown` of them."""
    number, start = 0, 1
    first: list[int] = []
    for piece in source.pieces(names):
        gone = np.flatnonzero(np.logical_or.reduce([column.missing[column.codes] for column in piece.values()]))
        number += len(gone)
        first += (start + gone[: shown - len(first)]).tolist()
        start += len(piece[names[0]])
    return number, first
