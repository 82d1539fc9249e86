"""What tests of several rooms share."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import settings

# A busy machine must not turn a test red: how long an example takes says nothing about the code.
settings.register_profile("house", deadline=None)
settings.load_profile("house")


def _all_dags(p):
    """Slow and obvious: every way to join or not join each pair, kept when the powers of the matrix die out."""
    pairs = list(combinations(range(p), 2))
    for choice in product((None, False, True), repeat=len(pairs)):
        matrix = np.zeros((p, p), dtype=np.int8)
        for (i, j), forward in zip(pairs, choice, strict=True):
            if forward is not None:
                matrix[(i, j) if forward else (j, i)] = 1
        if not np.linalg.matrix_power(matrix.astype(int), p).any():
            yield matrix


@pytest.fixture(scope="session")
def dags_on_4():
    """The 543 DAGs on four nodes."""
    return list(_all_dags(4))
