"""fit(): the textbook cases, the route it takes, what it promises when stopped, constrained or repeated."""

import numpy as np
import pandas as pd
import pytest

import binotears_core as bn
from binotears_core.graph.dag import from_edges, is_dag
from binotears_core.graph.equivalence import cpdag
from binotears_core.planning import exact_most_parents
from binotears_core.solvers import order_search


def noisy(rng, chance):
    return rng.random(len(chance)) < chance


def coefficient(result, node, term):
    """The row of one term."""
    table = result.coefficients
    (row,) = table[(table.node == node) & (table.term == term)].itertuples()
    return row


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def asia():
    return bn.load("sample_data/asia.csv")


def collider(rng, n=4000):
    x = rng.integers(0, 2, size=(n, 3))
    x[:, 2] = noisy(rng, 0.15 + 0.35 * x[:, 0] + 0.35 * x[:, 1])
    return bn.BinaryData.from_array(x, names=["left", "right", "middle"])


def test_a_collider_is_oriented(rng):
    result = bn.fit(collider(rng))
    assert set(result.cpdag.directed) == {("left", "middle"), ("right", "middle")}
    assert result.cpdag.undirected == []
    assert result.certificate.exact
    assert result.certificate.unique


def test_a_chain_keeps_its_edges_open(rng):
    x = rng.integers(0, 2, size=(4000, 3))
    for j in (1, 2):
        x[:, j] = noisy(rng, 0.2 + 0.6 * x[:, j - 1])
    result = bn.fit(bn.BinaryData.from_array(x, names=["a", "b", "c"]))
    assert result.cpdag.directed == []
    assert {frozenset(edge) for edge in result.cpdag.undirected} == {frozenset("ab"), frozenset("bc")}


def test_noisy_and_gives_the_product_as_the_reason(rng):
    x = rng.integers(0, 2, size=(5000, 3))
    x[:, 2] = noisy(rng, np.where(x[:, 0] & x[:, 1], 0.9, 0.2))
    result = bn.fit(bn.BinaryData.from_array(x, names=["a", "b", "and"]))
    assert set(result.cpdag.directed) == {("a", "and"), ("b", "and")}
    true = np.log(0.9 / 0.1) - np.log(0.2 / 0.8)
    row = coefficient(result, "and", ("a", "b"))
    assert abs(row.log_odds - true) < 3 * row.std_error


def test_exclusive_or_is_seen_with_second_order_and_not_with_first(rng):
    x = (rng.random((5000, 3)) < [0.4, 0.6, 0.5]).astype(int)
    x[:, 2] = noisy(rng, np.where(x[:, 0] != x[:, 1], 0.8, 0.2))
    data = bn.BinaryData.from_array(x, names=["a", "b", "xor"])
    blind = bn.fit(data, orders=1, constraints=bn.Constraints(tiers={"a": 0, "b": 0, "xor": 1}))
    seeing = bn.fit(data, orders=2, constraints=bn.Constraints(tiers={"a": 0, "b": 0, "xor": 1}))
    assert seeing.adjacency[:, 2].tolist() == [1, 1, 0]
    assert seeing.adjacency.sum() == 2
    assert blind.stages[-1].score < seeing.stages[-1].score - 100


def test_fertility_shows_its_pure_interaction():
    data = bn.load("sample_data/fertility.csv")
    tiers = dict.fromkeys(data.names, 0) | {"third_child": 1, "worked": 2}
    result = bn.fit(data, constraints=bn.Constraints(tiers=tiers), method="exact")
    assert {("boy_first", "third_child"), ("boy_second", "third_child")} <= set(result.cpdag.directed)
    together = coefficient(result, "third_child", ("boy_first", "boy_second"))
    assert together.log_odds > 5 * together.std_error
    first = bn.fit(data, orders=1, constraints=bn.Constraints(tiers=tiers), method="exact")
    sexes = [data.index("boy_first"), data.index("boy_second")]
    assert first.adjacency[sexes, data.index("third_child")].sum() == 0


def test_asia_with_its_deterministic_node_is_found_and_nothing_breaks(asia):
    result = bn.fit(asia)
    assert result.status.ok
    truth = pd.read_csv("sample_data/asia_edges.csv").itertuples(index=False, name=None)
    assert result.cpdag == cpdag(from_edges(truth, asia.names), asia.names)
    assert np.isfinite(result.strength).all()
    assert is_dag(result.adjacency)


def test_refinement_is_never_worse_than_the_gradient_and_gaps_are_not_negative():
    for seed in range(3):
        _, data = bn.simulate(graph="ER", nodes=6, degree=2, mechanism="pth", samples=3000, seed=seed)
        result = bn.fit(data)
        gradient, refined = result.stages
        assert refined.score >= gradient.score - 1e-6
        gaps = dict(result.certificate.gaps)
        assert gaps["gradient"] == pytest.approx(result.certificate.optimum - gradient.score, abs=1e-2)
        assert min(gaps.values()) >= 0
        assert gaps["refinement"] == pytest.approx(0, abs=1e-2)
        assert result.certificate.paper.gap >= 0
        assert result.certificate.margin >= 0


@pytest.mark.parametrize("method", ["dagma", "exact", "auto"])
def test_constraints_are_honoured_by_every_method(method):
    truth, data = bn.simulate(graph="ER", nodes=5, degree=1, mechanism="1st", samples=2000, seed=3)
    (a, b), (c, d) = truth.edges[:2]
    constraints = bn.Constraints(forbidden=[(a, b)], required=[(d, c)])
    for refine in (True, False):
        result = bn.fit(data, method=method, refine=refine, constraints=constraints)
        assert constraints.resolve(data.names).accepts(result.adjacency)
        assert is_dag(result.adjacency)


def test_edges_inside_a_group_do_not_exist():
    data = bn.load("sample_data/titanic.csv")
    group = ("first_class", "third_class", "crew")
    result = bn.fit(data, constraints=bn.Constraints(groups=[group]))
    inside = [data.index(name) for name in group]
    assert result.adjacency[np.ix_(inside, inside)].sum() == 0


def test_same_data_options_and_seed_give_the_same_result():
    _, data = bn.simulate(graph="SF", nodes=6, degree=2, mechanism="2nd", samples=1000, seed=0)
    first, second = bn.fit(data, seed=4), bn.fit(data, seed=4)
    assert (first.adjacency == second.adjacency).all()
    assert first.strength.tolist() == second.strength.tolist()
    assert first.certificate == second.certificate


def test_permuting_the_columns_permutes_the_result():
    _truth, data = bn.simulate(graph="ER", nodes=6, degree=1, mechanism="1st+2nd", samples=5000, seed=8)
    turned = data.select(data.names[::-1])
    first, second = bn.fit(data), bn.fit(turned)
    assert set(first.cpdag.directed) == set(second.cpdag.directed)
    assert {frozenset(e) for e in first.cpdag.undirected} == {frozenset(e) for e in second.cpdag.undirected}


def test_progress_reaches_the_end_and_never_falls():
    _, data = bn.simulate(nodes=6, degree=1, samples=1000, seed=0)
    seen = []
    bn.fit(data, on_progress=seen.append)
    fractions = [progress.fraction for progress in seen]
    assert fractions == sorted(fractions)
    assert fractions[-1] > 0.9
    assert {"gradient", "local scores", "runner-up"} <= {progress.stage for progress in seen}


@pytest.mark.parametrize("stage", ["gradient", "local scores", "runner-up"])
def test_a_run_stopped_in_any_stage_returns_a_dag_and_says_so(stage):
    _, data = bn.simulate(nodes=6, degree=2, samples=1000, seed=0)
    result = bn.fit(data, on_progress=lambda progress: progress.stage == stage)
    assert result.status.code == "stopped"
    assert "best graph so far" in result.status.message
    assert is_dag(result.adjacency)
    assert result.cpdag.matrix.shape == (6, 6)


def test_many_variables_take_the_two_stage_route_and_claim_no_proof():
    _, data = bn.simulate(graph="ER", nodes=17, degree=1, mechanism="1st+2nd", samples=500, seed=2)
    result = bn.fit(data, restarts=2)
    assert result.method == "two-stage"
    assert [stage.name for stage in result.stages] == ["gradient", "refinement"]
    assert not result.certificate.exact
    assert result.certificate.unique is None
    assert "Not proved optimal" in result.status.message
    assert result.certificate.starts == 2
    assert any("two-stage" in note for note in result.notes)


def eight_causes():
    """13 variables; the last has eight causes of equal strength, more than the exact search serves."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (2000, 13))
    x[:, 12] = rng.random(2000) < 1 / (1 + np.exp(8 - 2.0 * x[:, :8].sum(axis=1)))
    return bn.BinaryData.from_array(x)


def test_a_graph_beyond_the_cap_is_not_called_proved():
    result = bn.fit(eight_causes(), method="exact")
    found = result.certificate
    assert result.adjacency[:, 12].sum() == 8
    assert not found.exact
    assert found.margin is None
    assert found.optimum == pytest.approx(result.stages[-1].score)
    assert "Not proved optimal (a node has more than 5 causes" in result.status.message


def test_more_required_causes_than_the_exact_search_serves_go_to_the_order_search():
    data = eight_causes()
    constraints = bn.Constraints(required=[(name, data.names[12]) for name in data.names[:7]])
    result = bn.fit(data, constraints=constraints, restarts=2)
    assert constraints.resolve(data.names).accepts(result.adjacency)
    assert not result.certificate.exact
    assert "X13 has 7 required" in result.status.message
    with pytest.raises(bn.OptionError, match="serves 5 causes a node with 13 variables, X13 has 7 required"):
        bn.fit(data, method="exact", constraints=constraints)


def test_required_causes_that_cannot_be_scored_are_named():
    data = bn.BinaryData.from_array(np.random.default_rng(0).integers(0, 2, (200, 18)))
    last = data.names[-1]
    many = bn.Constraints(required=[(name, last) for name in data.names[:15]])
    with pytest.raises(bn.OptionError, match="X18 has 15 required causes, the refinement serves at most 14"):
        bn.fit(data, constraints=many)
    two = bn.Constraints(
        required=[(name, last) for name in data.names[:2]], forbidden=[(name, last) for name in data.names[2:-1]]
    )
    with pytest.raises(bn.OptionError, match="With interactions of order 3 alone, X18 cannot have its 2 required"):
        bn.fit(data, orders={3}, constraints=two)
    assert bn.estimate(data, orders={3}, constraints=two, score=bn.ScoreOptions(kind="bdeu")).seconds > 0


def test_a_gradient_that_no_search_reaches_is_kept_and_not_called_stopped(monkeypatch):
    _, data = bn.simulate(graph="ER", nodes=17, degree=1, mechanism="1st", samples=500, seed=2)
    blind = {"most_parents": 0, "report": None}  # a search that may draw no edge at all
    monkeypatch.setattr(order_search.search, "__kwdefaults__", blind)
    result = bn.fit(data, restarts=1)
    assert [stage.name for stage in result.stages] == ["gradient"]
    assert result.status.code == "done"
    assert "gradient's graph is kept" in result.status.message


def test_trouble_of_the_gradient_is_told_after_a_refinement_too():
    _, data = bn.simulate(nodes=5, samples=500, seed=0)
    solver = bn.DagmaOptions(max_iterations=2)
    alone, refined = (bn.fit(data, solver=solver, refine=refine) for refine in (False, True))
    assert alone.status.code == "iteration-limit"
    assert refined.status.code == "done"
    assert any("raise max_iterations" in note for note in refined.notes)
    assert not any("Gradient stage" in note for note in bn.fit(data).notes)


def test_one_variable_and_two_variables_work():
    one = bn.fit(bn.BinaryData.from_array([[0], [1], [1]], names=["only"]))
    assert one.adjacency.tolist() == [[0]]
    two = bn.fit(bn.BinaryData.from_array([[0, 0]] * 50 + [[1, 1]] * 50, names=["a", "copy"]))
    assert two.adjacency.sum() == 1
    assert two.cpdag.undirected == [("a", "copy")]


def test_the_cap_on_parents_of_the_exact_search_is_named():
    assert exact_most_parents(9) == 8
    assert exact_most_parents(15) == 5


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"orders": 0}, "start at 1"),
        ({"orders": 7}, "7 variables"),
        ({"orders": "some"}, "some"),
        ({"method": "magic"}, "magic"),
        ({"restarts": 0}, "restarts"),
        ({"constraints": bn.Constraints(forbidden=[("X1", "nobody")])}, "nobody"),
        ({"constraints": bn.Constraints(required=[("X1", "X2"), ("X2", "X1")])}, "cycle"),
    ],
)
def test_wrong_options_are_one_clear_sentence(options, word):
    _, data = bn.simulate(nodes=4, degree=1, samples=100, seed=0)
    with pytest.raises(bn.OptionError, match=word) as error:
        bn.fit(data, **options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("wrong", [{"lam": 0}, {"delta": -1}, {"gamma": 1}, {"gamma": 0}, {"steps": 0}])
def test_a_wrong_schedule_is_refused_on_construction(wrong):
    with pytest.raises(bn.OptionError, match=next(iter(wrong))):
        bn.Schedule(**wrong)


def test_exact_refuses_more_variables_than_it_can_serve():
    _, data = bn.simulate(nodes=18, degree=1, samples=100, seed=0)
    with pytest.raises(bn.OptionError, match="at most 16"):
        bn.fit(data, method="exact")


def test_fit_takes_binary_data_only(rng):
    with pytest.raises(bn.DataError, match="from_frame"):
        bn.fit(collider(rng).to_frame())
