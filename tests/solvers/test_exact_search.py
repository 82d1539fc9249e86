"""The exact search against brute force: over all 543 DAGs on 4 nodes, and over all orders of 5."""

from itertools import permutations

import numpy as np
import pytest

from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.fitting import fit
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.dag import from_edges, is_dag
from binotears_core.graph.equivalence import markov_equivalent
from binotears_core.results import Reporter
from binotears_core.solvers.certificate import of_exact
from binotears_core.solvers.exact_search import restrict, runner_up, score_graph, search, settle
from binotears_core.solvers.local_scores import KINDS, LocalScores, ScoreOptions

ALL = frozenset(range(1, 6))


def make(seed, p, n=600, shares=(0.35, 0.75)):
    """A noisy chain with one conjunction: enough structure that the optimum is not trivial."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, size=(n, p))
    for j in range(1, p):
        cause = x[:, j - 1] & x[:, j - 2] if j > 1 and j % 2 else x[:, j - 1]
        x[:, j] = rng.random(n) < np.where(cause, *shares[::-1])
    return BinaryData.from_array(x[:, rng.permutation(p)])


def forbid(a, b):
    return Constraints(forbidden=[(a, b)])


def free(data):
    return Constraints().resolve(data.names)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_no_dag_on_four_nodes_scores_higher(kind, seed, dags_on_4):
    data = make(seed, 4)
    scores = LocalScores(data, ALL, ScoreOptions(kind=kind))
    table = scores.table(3)
    found = search(table, free(data))
    values = np.array([score_graph(table, dag) for dag in dags_on_4])
    assert found.score == pytest.approx(values.max(), abs=1e-9)
    assert found.score == pytest.approx(scores.total(found.adjacency), abs=1e-3)
    best = {dag.tobytes() for dag, value in zip(dags_on_4, values, strict=True) if value > values.max() - 1e-7}
    assert {dag.tobytes() for dag in found.tied} == best


@pytest.mark.parametrize("kind", KINDS)
def test_no_order_of_five_leads_higher(kind):
    data = make(2, 5)
    table = LocalScores(data, ALL, ScoreOptions(kind=kind)).table(4)
    best = -np.inf
    for order in permutations(range(5)):
        before, total = 0, 0.0
        for node in order:
            total += max(table[node, mask] for mask in range(32) if mask & ~before == 0)
            before |= 1 << node
        best = max(best, total)
    assert search(table, free(data)).score == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("kind", ["interaction", "bic", "bdeu"])
@pytest.mark.parametrize("seed", [0, 3])
def test_the_runner_up_is_the_best_of_all_other_classes(kind, seed, dags_on_4):
    data = make(seed, 4)
    table = LocalScores(data, ALL, ScoreOptions(kind=kind)).table(3)
    found = search(table, free(data))
    second = runner_up(table, free(data), found.adjacency, found.score)
    others = [score_graph(table, dag) for dag in dags_on_4 if not markov_equivalent(dag, found.adjacency)]
    assert second.score == pytest.approx(max(others), abs=1e-9)
    assert not markov_equivalent(second.adjacency, found.adjacency)
    assert second.margin == pytest.approx(found.score - max(others), abs=1e-9)
    assert second.margin >= 0


def test_constraints_are_respected_and_the_best_under_them_is_found(dags_on_4):
    data = make(1, 4)
    table = LocalScores(data, ALL).table(3)
    a, b, c, d = data.names
    rules = Constraints(forbidden=[(a, b), (b, a)], required=[(c, a)], tiers={d: 0, b: 1}).resolve(data.names)
    found = search(table, rules)
    assert rules.accepts(found.adjacency)
    best = max(score_graph(table, dag) for dag in dags_on_4 if rules.accepts(dag))
    assert found.score == pytest.approx(best, abs=1e-9)
    second = runner_up(table, rules, found.adjacency, found.score)
    assert rules.accepts(second.adjacency)


def test_a_cap_on_parents_is_kept():
    data = make(4, 5)
    table = LocalScores(data, ALL).table(1)
    found = search(table, free(data))
    assert found.adjacency.sum(axis=0).max() <= 1
    assert is_dag(found.adjacency)


def test_restrict_rules_out_exactly_the_parent_sets_against_the_rules():
    rules = Constraints(forbidden=[("a", "c")], required=[("b", "c")]).resolve(("a", "b", "c"))
    table = restrict(np.zeros((3, 8)), rules)
    assert np.isfinite(table[2]).nonzero()[0].tolist() == [
        0b010
    ]  # b alone: a is forbidden, b required, and c cannot cause itself


def test_the_priors_are_settled_and_suit_the_optimum():
    data = make(6, 5, n=10_000, shares=(0.45, 0.55))
    scores, table, found = settle(LocalScores(data, ALL), free(data), 4)
    assert scores.effects != LocalScores(data, ALL).effects
    assert found.score == pytest.approx(scores.total(found.adjacency), abs=1e-3)
    assert np.array_equal(table, scores.table(4))
    again = scores.assuming(found.adjacency)
    assert (again.density, again.effects) == (scores.density, scores.effects)


def test_a_stop_keeps_the_optimum_of_the_priors_before():
    data = make(6, 5, n=10_000, shares=(0.45, 0.55))
    first = LocalScores(data, ALL)
    assert first.assuming(search(first.table(4), free(data)).adjacency).effects != first.effects  # so a second table
    in_the_second_table = Reporter(lambda progress: progress.fraction > 0.5)
    scores, _, found = settle(LocalScores(data, ALL), free(data), 4, in_the_second_table)
    assert scores.effects == first.effects
    assert found.score == pytest.approx(search(first.table(4), free(data)).score)
    assert settle(LocalScores(data, ALL), free(data), 4, Reporter(lambda progress: True)) is None


def test_rules_that_leave_no_graph_within_the_cap_are_an_error():
    data = make(5, 4)
    rules = Constraints(required=[(name, data.names[3]) for name in data.names[:3]]).resolve(data.names)
    with pytest.raises(OptionError):
        search(LocalScores(data, ALL).table(2), rules)


def test_what_was_ruled_out_beforehand_is_named_in_the_certificate():
    data = make(1, 4)
    a, b, *_ = data.names
    told = [fit(data, method="exact", constraints=rules).certificate.message for rules in (None, forbid(a, b))]
    assert told[0].startswith("Exact optimum: no graph scores higher.")
    assert told[1].startswith("Exact optimum: no graph within the constraints scores higher.")


def test_every_class_that_ties_is_in_the_certificate():
    """Of two copies of one column, the third may hang on either: x — y — c and y — x — c."""
    x = np.random.default_rng(0).integers(0, 2, 500)
    c = np.where(np.random.default_rng(1).random(500) < 0.2, 1 - x, x)
    data = BinaryData.from_array(np.stack([x, x, c], axis=1))
    scores = LocalScores(data, ALL)
    table = scores.table(1)
    found = search(table, free(data))
    second = runner_up(table, free(data), found.adjacency, found.score)
    stages = [("refinement", found.score)]
    said = of_exact(found, second, names=data.names, scores=scores, most_parents=1, stages=stages, paper=None)
    assert said.unique is False
    (other,) = (from_edges(edges, data.names) for edges in said.tied)
    assert not markov_equivalent(other, found.adjacency)
    assert score_graph(table, other) == pytest.approx(found.score, abs=1e-9)
    assert "Another equivalence class reaches the same score" in said.message
