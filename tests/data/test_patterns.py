"""Patterns counted piece by piece against a plain count of all rows."""

from collections import Counter

import numpy as np
import pytest

from binotears_core.data import patterns as module
from binotears_core.data.patterns import PatternCounter


@pytest.mark.parametrize("width", [1, 7, 8, 20, 64, 65, 130])
@pytest.mark.parametrize("batch", [1, 50, 1 << 20])
def test_pieces_against_a_plain_count(width: int, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_ROWS", batch)
    generator = np.random.default_rng(width)
    kinds = generator.integers(0, 2, size=(30, width), dtype=np.uint8)
    kinds[0] = 0  # zeros at the end of a key must not be lost
    rows = kinds[generator.integers(0, 30, size=500)]
    counter = PatternCounter(width)
    for piece in np.array_split(rows, 13):
        counter.add(piece, np.ones(len(piece)))
    patterns, totals = counter.result()
    found = dict(zip(map(tuple, patterns.tolist()), totals.tolist(), strict=True))
    assert found == Counter(map(tuple, rows.tolist()))


def test_sums_of_weights_do_not_depend_on_the_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_ROWS", 10)
    generator = np.random.default_rng(1)
    rows, weights = generator.integers(0, 2, size=(300, 2), dtype=np.uint8), generator.random(300)
    totals = []
    for pieces in (1, 2, 37, 300):
        counter = PatternCounter(2)
        for piece, share in zip(np.array_split(rows, pieces), np.array_split(weights, pieces), strict=True):
            counter.add(piece, share)
        totals.append(counter.result()[1].tolist())
    assert all(total == totals[0] for total in totals)  # to the last digit
