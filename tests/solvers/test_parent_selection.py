"""The two ways to select parents: one set at a time equals all sets at once, and the cases that are easy to get wrong.

Their answers as such are held against brute force in test_exact.
"""

import numpy as np
import pytest

from binotears_core.data.table import BinaryData
from binotears_core.model.bernoulli import MultivariateBernoulli
from binotears_core.results import Reporter
from binotears_core.solvers.parent_selection import LikelihoodSelection, PopulationSelection, members

P = 6
RNG = np.random.default_rng(0)
NATURAL = RNG.normal(size=1 << P) * (RNG.random(1 << P) < 0.2)
LAW = MultivariateBernoulli.from_natural(NATURAL)
DATA = LAW.sample(500, seed=0)


@pytest.mark.parametrize(
    "selection",
    [PopulationSelection(LAW, 1e-8), LikelihoodSelection(DATA, None), LikelihoodSelection(DATA, 0.05)],
    ids=["law", "data, BIC", "data, level"],
)
def test_all_sets_at_once_equal_one_set_at_a_time(selection):
    required = [0, 0, 0b1, 0, 0, 0b11]
    table = selection.table(required, Reporter())
    for node in range(P):
        for before in range(1 << P):
            if not (before >> node) & 1 and required[node] & ~before == 0:
                found = selection.parents(node, before, required[node])
                assert table[node, before] == found
                assert required[node] & ~found == 0
                assert found & ~before == 0
    assert len({int(mask).bit_count() for mask in table.ravel()}) > 2, (
        "the example should have small and large parent sets"
    )


def test_rare_cells_do_not_create_parents_but_their_effects_are_seen():
    """X2 has probability 1e-12, so its cells are known to four digits; ± 1e-4 is rounding there, 0.5 is not."""
    rare = np.array([1 - 1e-12, 1e-12])
    cells = np.outer(rare, [0.3, 0.7])
    cells[1, 1] *= 1 + 1e-4
    assert PopulationSelection(MultivariateBernoulli(cells.reshape(-1)), 1e-8).parents(0, 0b10, 0) == 0
    cells[1, 1] *= 1.5
    assert PopulationSelection(MultivariateBernoulli(cells.reshape(-1)), 1e-8).parents(0, 0b10, 0) == 0b10


def test_small_effects_in_common_cells_are_seen_down_to_the_tolerance():
    for effect, parents in ((1e-7, 0b10), (1e-9, 0)):
        law = MultivariateBernoulli.from_natural([0, 0.3, 0.2, effect])
        assert PopulationSelection(law, 1e-8).parents(0, 0b10, 0) == parents


def test_parents_survive_many_irrelevant_predecessors():
    """Against the saturated table of nine predecessors each parent would have to pay for 256 coefficients, and fail."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (2_000, 10))
    rows[:, 9] = rng.random(2_000) < np.where(rows[:, 2] & rows[:, 5], 0.7, 0.3)
    selection = LikelihoodSelection(BinaryData.from_array(rows), None)
    assert members(selection.parents(9, (1 << 9) - 1, 0)) == [2, 5]


def test_of_two_equal_columns_the_first_is_kept():
    rng = np.random.default_rng(1)
    cause = rng.integers(0, 2, 1_000)
    effect = cause ^ (rng.random(1_000) < 0.1)
    selection = LikelihoodSelection(BinaryData.from_array(np.stack([cause, cause, effect], axis=1)), None)
    assert selection.parents(2, 0b011, 0) == 0b001
    assert selection.table([0, 0, 0], Reporter())[2, 0b011] == 0b001
    assert selection.parents(2, 0b011, 0b010) == 0b010, "unless the second is required"
