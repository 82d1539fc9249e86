"""Local scores against other implementations, and against themselves from another side."""

from itertools import combinations
from math import comb, lgamma, log

import numpy as np
import pytest
import statsmodels.api as sm

from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.graph.equivalence import cpdag
from binotears_core.model.evidence import Effects
from binotears_core.model.features import interaction_sets, products
from binotears_core.simulation import simulate
from binotears_core.solvers import local_scores
from binotears_core.solvers.local_scores import KINDS, LocalScores, ScoreOptions, interaction_models

ALL = frozenset(range(1, 6))


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    table = (rng.random((800, 5)) < [0.3, 0.5, 0.6, 0.4, 0.5]).astype(int)
    table[:, 3] = rng.random(800) < np.where(table[:, 0] & table[:, 1], 0.8, 0.3)
    table[:, 4] = rng.random(800) < np.where(table[:, 2] != table[:, 3], 0.7, 0.3)
    return table


@pytest.fixture(scope="module")
def data(rows):
    return BinaryData.from_array(rows)


def scores(data, kind, **options):
    return LocalScores(data, options.pop("orders", ALL), ScoreOptions(kind=kind, **options))


def test_interaction_bic_is_the_best_of_the_models_fitted_by_statsmodels(data, rows):
    node, parents = 4, (0, 2, 3)
    best = -np.inf
    for model in interaction_models(3, ALL):
        terms = interaction_sets(3, model)
        fit = sm.GLM(rows[:, node], products(rows[:, parents], terms), family=sm.families.Binomial()).fit()
        best = max(best, fit.llf - 0.5 * log(len(rows)) * len(terms))
    expected = best - log(comb(4, 2)) - 1.25 * 3
    assert scores(data, "interaction-bic").score(node, parents) == pytest.approx(expected, abs=0.02)


def test_bic_and_bdeu_by_their_formulas(data, rows):
    node, parents, ess = 3, (0, 1), 7.0
    loglik, bdeu = 0.0, 0.0
    a = ess / 8
    for values in [(0, 0), (0, 1), (1, 0), (1, 1)]:
        cell = rows[(rows[:, list(parents)] == values).all(axis=1), node]
        n, y = len(cell), int(cell.sum())
        loglik += y * log(y / n) + (n - y) * log(1 - y / n)
        bdeu += lgamma(2 * a) - lgamma(2 * a + n) + lgamma(a + y) + lgamma(a + n - y) - 2 * lgamma(a)
    assert scores(data, "bic").score(node, parents) == pytest.approx(loglik - 0.5 * log(len(rows)) * 4)
    assert scores(data, "bdeu", equivalent_sample_size=ess).score(node, parents) == pytest.approx(bdeu)
    paper = scores(data, "paper", edge_cost=0.01).score(node, parents)
    assert paper == pytest.approx(loglik - len(rows) * 0.01 * 2)


def test_bdeu_is_the_same_for_all_members_of_an_equivalence_class(data, dags_on_4):
    four = scores(data.select(data.names[:4]), "bdeu")
    by_class = {}
    for dag in dags_on_4:
        by_class.setdefault(cpdag(dag), []).append(four.total(dag))
    assert len(by_class) == 185
    assert max(np.ptp(values) for values in by_class.values()) < 1e-8


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_holds_what_single_calls_give(data, kind):
    table = scores(data, kind).table(4)
    assert np.isfinite(table).sum() == 5 * 2**4
    for node in range(5):
        others = [v for v in range(5) if v != node]
        for k in range(5):
            for parents in combinations(others, k):
                single = scores(data, kind).score(node, parents)  # a fresh object: nothing cached
                assert table[node, sum(1 << v for v in parents)] == pytest.approx(single, abs=1e-3)


def test_two_threads_fill_the_same_table(monkeypatch):
    monkeypatch.setattr(local_scores, "COUNTED_AT_A_TIME", 2000)  # so that there are many pieces to share
    _, data = simulate(nodes=7, samples=2000, seed=2)
    one, two = (LocalScores(data, ALL, threads=threads).table(6) for threads in (1, 2))
    assert np.array_equal(one, two)


@pytest.mark.parametrize("kind", KINDS)
def test_renaming_columns_changes_nothing_and_weights_stand_for_rows(data, rows, kind):
    turned = BinaryData.from_array(rows[:, ::-1])
    assert scores(turned, kind).score(4, (1, 3)) == pytest.approx(scores(data, kind).score(0, (1, 3)), abs=1e-4)
    counted = BinaryData.from_counts(data.patterns, data.counts, data.names)
    assert scores(counted, kind).score(3, (0, 1)) == pytest.approx(scores(data, kind).score(3, (0, 1)))


def test_the_orders_of_the_user_limit_the_models():
    assert interaction_models(3, frozenset({1})) == [{1}]
    assert interaction_models(3, frozenset({1, 2})) == [{1}, {2}, {1, 2}]
    assert interaction_models(1, frozenset({2})) == [{1}]  # a single parent keeps its own effect
    assert interaction_models(2, frozenset({3})) == []
    assert {3} in interaction_models(3, ALL)


def test_first_order_cannot_see_an_exclusive_or_but_interactions_can():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 2, size=(4000, 3))
    x[:, 2] = (x[:, 0] ^ x[:, 1]) ^ (rng.random(4000) < 0.2)
    data = BinaryData.from_array(x)
    first = LocalScores(data, frozenset({1}))
    every = LocalScores(data, frozenset({1, 2}))
    assert first.score(2, (0, 1)) < first.score(2, ())
    assert every.score(2, (0, 1)) > every.score(2, ()) + 500
    assert every.model(2, (0, 1))[0] == {1, 2}


def test_the_model_that_made_the_data_is_the_one_reported():
    rng = np.random.default_rng(4)
    x = rng.integers(0, 2, size=(5000, 4))
    x[:, 3] = rng.random(5000) < np.where(x[:, :3].all(axis=1), 0.9, 0.3)
    model, share = LocalScores(BinaryData.from_array(x), ALL).model(3, (0, 1, 2))
    assert model == {3}
    assert share > 0.9


def test_more_parents_never_have_a_higher_prior_and_the_weights_are_those_asked_for():
    chosen = ScoreOptions(extended=2.0, parent_cost=0.25)
    assert chosen.log_prior(1, 10) == pytest.approx(-2 * log(9) - 0.25)
    assert chosen.log_prior(9, 10) == pytest.approx(-2 * log(comb(9, 4)) - 0.25 * 9)
    for p in (2, 5, 16, 40):
        values = [ScoreOptions().log_prior(k, p) for k in range(p)]
        assert values[0] == 0
        assert max(np.diff(values)) < 0
    assert ScoreOptions(kind="bdeu").log_prior(3, 10) == 0


def test_a_denser_graph_makes_parents_cheaper_and_nothing_is_computed_again(data):
    sparse = scores(data, "interaction", prior_scale=2.0)
    chain = np.eye(5, k=1)  # 4 of 10 pairs
    denser = sparse.assuming(chain)
    assert (sparse.density, denser.density) == (0.0, 0.4)
    for parents in [(), (0,), (0, 1), (0, 1, 2)]:
        prior = sparse.options.log_prior(len(parents), 5)
        assert denser.score(4, parents) - sparse.score(4, parents) == pytest.approx(-0.4 * prior)
    assert denser.table(4)[4, 0b0011] == pytest.approx(denser.score(4, (0, 1)), abs=1e-3)
    bdeu = scores(data, "bdeu")
    assert bdeu.assuming(chain).total(chain) == bdeu.total(chain)


@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_the_effects_are_those_under_which_the_graph_has_the_highest_evidence(scale):
    truth = np.array([[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    effects = {"X3": {"X1": scale, "X2": -scale}, "X4": {"X3": scale}, "X1": {}, "X2": {}}
    _, data = simulate(truth, samples=20_000, seed=5, names=["X1", "X2", "X3", "X4"], coefficients=effects)
    blank = LocalScores(data, ALL)
    suited = blank.assuming(truth)
    evidence = {}
    for prior in local_scores.EFFECTS:
        fresh = LocalScores(data, ALL)
        fresh.effects = prior
        evidence[prior] = fresh.total(truth)
    assert suited.effects == max(evidence, key=evidence.__getitem__)
    assert suited.effects.moment
    assert (suited.effects.scale < blank.effects.scale) == (scale < 1)


def test_without_an_edge_or_with_a_scale_of_the_users_the_effects_stay(data):
    chain = np.eye(5, k=1)
    assert scores(data, "interaction").assuming(np.zeros((5, 5))).effects == local_scores.EFFECTS[0]
    assert scores(data, "interaction", prior_scale=0.7).assuming(chain).effects == Effects(0.7)
    assert scores(data, "bdeu").assuming(chain).effects is None


def test_wrong_options_are_named():
    with pytest.raises(OptionError, match="aic"):
        ScoreOptions(kind="aic")
    with pytest.raises(OptionError, match="prior_scale"):
        ScoreOptions(prior_scale=0.0)
