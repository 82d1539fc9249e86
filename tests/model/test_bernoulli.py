"""The multivariate Bernoulli law: p ↔ f, marginals, conditionals, sampling."""

from itertools import combinations, product

import numpy as np
import pytest

from binotears_core.errors import DataError, OptionError
from binotears_core.model.bernoulli import MultivariateBernoulli, log_partition, marginal_cells, marginal_layers


def random_law(p: int, seed: int) -> MultivariateBernoulli:
    return MultivariateBernoulli(np.random.default_rng(seed).dirichlet(np.ones(1 << p)))


def probability(law: MultivariateBernoulli, values: dict[int, int]) -> float:
    """P(X_j = values[j] for all j given), by adding up cells one at a time."""
    cells = product((0, 1), repeat=law.variables)
    agreeing = [x for x in cells if all(x[j] == value for j, value in values.items())]
    return sum(law.cells[sum(bit << j for j, bit in enumerate(x))] for x in agreeing)


@pytest.mark.parametrize("p", range(1, 9))
def test_probabilities_to_natural_parameters_and_back(p):
    law = random_law(p, seed=p)
    f = law.natural()
    np.testing.assert_allclose(MultivariateBernoulli.from_natural(f).cells, law.cells, rtol=1e-10)
    assert f[0] == pytest.approx(np.log(law.cells[0]))
    assert log_partition(f) == pytest.approx(-f[0])


@pytest.mark.parametrize("p", range(1, 9))
def test_natural_parameters_to_probabilities_and_back(p):
    f = np.random.default_rng(p).normal(size=1 << p)
    found = MultivariateBernoulli.from_natural(f).natural()
    np.testing.assert_allclose(found[1:], f[1:], atol=1e-9)


def test_natural_parameters_are_the_log_ratios_of_the_lemma():
    """exp(f^S) = Π p(even number of zeros inside S, zeros outside) / Π p(odd number)."""
    law = random_law(3, seed=0)
    f = law.natural()
    assert f[0b011] == pytest.approx(np.log(law.cells[0b011] * law.cells[0] / (law.cells[0b001] * law.cells[0b010])))
    even = law.cells[[0b111, 0b001, 0b010, 0b100]].prod()
    odd = law.cells[[0b110, 0b101, 0b011, 0b000]].prod()
    assert f[0b111] == pytest.approx(np.log(even / odd))


def test_log_partition_is_the_plain_formula_and_does_not_overflow():
    f = np.array([0.0, 0.5, -1.0, 2.0])
    assert log_partition(f) == pytest.approx(np.log(1 + np.exp(0.5) + np.exp(-1.0) + np.exp(0.5 - 1.0 + 2.0)))
    assert log_partition([0.0, 2000.0, 1000.0, 0.0]) == pytest.approx(3000.0)
    np.testing.assert_allclose(MultivariateBernoulli.from_natural([0.0, 2000.0, 1000.0, 0.0]).cells, [0, 0, 0, 1])


def test_marginal_equals_brute_force_in_any_column_order():
    law = random_law(4, seed=1)
    for columns in ([2], [0, 3], [3, 0], [2, 0, 1], [3, 2, 1, 0], []):
        cells = marginal_cells(law.cells, columns)
        for values in product((0, 1), repeat=len(columns)):
            cell = sum(bit << k for k, bit in enumerate(values))
            assert cells[cell] == pytest.approx(probability(law, dict(zip(columns, values, strict=True))))


def test_marginal_layers_give_every_marginal_once():
    law = random_law(5, seed=2)
    seen = []
    for sets, members, tables in marginal_layers(law.cells):
        for mask, columns, table in zip(sets, members, tables, strict=True):
            assert mask == sum(1 << int(j) for j in columns)
            np.testing.assert_allclose(table, marginal_cells(law.cells, columns), rtol=1e-12)
            seen.append(int(mask))
    assert sorted(seen) == list(range(32))


@pytest.mark.parametrize("node", range(4))
def test_conditional_equals_brute_force_marginalisation(node):
    law = random_law(4, seed=3)
    others = [j for j in range(4) if j != node]
    for size in range(4):
        for given in combinations(others[::-1], size):
            h = law.conditional(node, given)
            for x in product((0, 1), repeat=size):
                subsets = [T for T in range(1 << size) if all(x[k] for k in range(size) if (T >> k) & 1)]
                known = dict(zip(given, x, strict=True))
                share = probability(law, {**known, node: 1}) / probability(law, known)
                assert 1 / (1 + np.exp(-h[subsets].sum())) == pytest.approx(share)


def test_conditional_on_all_others_reads_off_the_natural_parameters():
    """Paper, Eq. (cond_prob): the coefficient of B^S in the log-odds of X_p is f^{S ∪ p}."""
    law = random_law(4, seed=4)
    np.testing.assert_allclose(law.conditional(3, [0, 1, 2]), law.natural()[0b1000:], atol=1e-10)


def test_sample_has_the_law_and_the_seed_decides():
    law = random_law(3, seed=5)
    data = law.sample(200_000, seed=0, names=["a", "b", "c"])
    assert (data.rows, data.names) == (200_000, ("a", "b", "c"))
    np.testing.assert_allclose(data.cells(), law.cells, atol=5 * np.sqrt(0.25 / 200_000))
    assert data.fingerprint == law.sample(200_000, seed=0, names=["a", "b", "c"]).fingerprint
    assert data.fingerprint != law.sample(200_000, seed=1, names=["a", "b", "c"]).fingerprint


def test_empty_cells_have_no_natural_parameters():
    law = MultivariateBernoulli(np.array([0.5, 0.0, 0.0, 0.5]))
    with pytest.raises(DataError, match=r"2 of 4 cells have probability 0 \(first: 10\)"):
        law.natural()
    with pytest.raises(DataError, match="probability 0"):
        law.conditional(0, [1])
    np.testing.assert_allclose(law.conditional(0, []), [0.0])
    np.testing.assert_allclose(law.smoothed(0.1).cells, [0.475, 0.025, 0.025, 0.475])


def test_wrong_input_is_refused_and_input_is_left_alone():
    with pytest.raises(DataError, match="2\\^p cells"):
        MultivariateBernoulli(np.ones(3) / 3)
    for cells in ([0.5, 0.6], [1.5, -0.5], [np.nan, 1.0]):
        with pytest.raises(DataError, match="sum to 1"):
            MultivariateBernoulli(np.array(cells))
    for f in ([0.0, np.inf], [0.0, 1.0, 2.0]):
        with pytest.raises(DataError, match="finite numbers"):
            MultivariateBernoulli.from_natural(f)
    law = random_law(2, seed=6)
    for columns in ([0, 0], [2], [-1]):
        with pytest.raises(OptionError, match="not distinct numbers"):
            law.marginal(columns)
    with pytest.raises(OptionError, match="at least 1"):
        law.sample(0, seed=0)
    with pytest.raises(OptionError, match="share"):
        law.smoothed(0.0)
    cells = np.array([1, 3]) / 4
    kept = MultivariateBernoulli(cells)
    cells[0] = 9.0
    assert kept.cells.tolist() == [0.25, 0.75]
    with pytest.raises(ValueError, match="read-only"):
        kept.cells[0] = 1.0
