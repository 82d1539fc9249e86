"""Counting patterns of bits, piece by piece."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from binotears_core.data.table import Bits, Floats

BATCH_ROWS = 1 << 20


class PatternCounter:
    """Distinct rows of `width` bits and their total weights.

    Rows wait until there are as many as there are patterns, then are merged in one sort: each row is sorted only a few
    times however many pieces there are. Weights are added in the order of rows, so the size of pieces changes nothing.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._words = -(-width // 64)
        self._keys = self._pack(np.empty((0, width), dtype=np.uint8))
        self._totals: Floats = np.empty(0)
        self._waiting: list[tuple[npt.NDArray[Any], Floats]] = []

    def add(self, bits: Bits, weights: Floats) -> None:
        """Add n rows: (n, width) bits and (n,) weights."""
        self._waiting.append((self._pack(bits), weights))
        if sum(len(waiting) for _, waiting in self._waiting) >= max(BATCH_ROWS, len(self._totals)):
            self._merge()

    def result(self) -> tuple[Bits, Floats]:
        """(m, width) distinct rows and (m,) their weights."""
        self._merge()
        packed = self._keys.view(np.uint8).reshape(len(self._keys), 8 * self._words)
        return np.unpackbits(packed, axis=1, count=self.width), self._totals

    def _pack(self, bits: Bits) -> npt.NDArray[Any]:
        """One sortable key per row: a whole number up to 64 bits, a string of bytes beyond."""
        packed = np.zeros((len(bits), 8 * self._words), dtype=np.uint8)
        packed[:, : -(-self.width // 8)] = np.packbits(bits, axis=1)
        return packed.view(np.uint64 if self._words == 1 else f"S{8 * self._words}")[:, 0]

    def _merge(self) -> None:
        keys = np.concatenate([self._keys, *(keys for keys, _ in self._waiting)])
        weights = np.concatenate([self._totals, *(weights for _, weights in self._waiting)])
        self._waiting = []
        self._keys, inverse = np.unique(keys, return_inverse=True)
        self._totals = np.bincount(inverse, weights=weights, minlength=len(self._keys)).astype(np.float64)
