"""Graphs have the promised shape, data follow the stated law, wrong options are refused in one sentence."""

import pickle
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from binotears_core.errors import DataError, OptionError
from binotears_core.graph.dag import is_dag, topological_order
from binotears_core.simulation import GRAPHS, MECHANISMS, probabilities, random_graph, simulate


@given(st.sampled_from(GRAPHS), st.integers(1, 15), st.integers(1, 5), st.integers(0, 10_000))
@settings(max_examples=100, deadline=None)
def test_random_graph_is_a_dag_with_the_promised_number_of_edges(kind, nodes, degree, seed):
    adjacency = random_graph(kind, nodes, degree, seed)
    pairs = nodes * (nodes - 1) // 2
    expected = min(degree * nodes, pairs) if kind == "ER" else sum(min(degree, new) for new in range(nodes))
    assert adjacency.sum() == expected
    assert is_dag(adjacency)
    np.testing.assert_array_equal(adjacency, random_graph(kind, nodes, degree, seed))


def test_every_dag_of_a_kind_can_come_up():
    # ER1 on 3 nodes is complete: 6 orders. SF1 on 3 nodes: 6 labelled chains, 3 labelled sinks with two sources.
    assert len({random_graph("ER", 3, 1, seed).tobytes() for seed in range(100)}) == 6
    assert len({random_graph("SF", 3, 1, seed).tobytes() for seed in range(100)}) == 6 + 3


@pytest.mark.parametrize(("degree", "largest"), [(2, 20), (4, 28)])
def test_scale_free_hubs_are_sinks_of_the_known_size(degree, largest):
    graphs = [random_graph("SF", 40, degree, seed) for seed in range(60)]
    assert abs(np.mean([g.sum(axis=0).max() for g in graphs]) - largest) < 2
    assert max(g.sum(axis=1).max() for g in graphs) == degree


EXPECTED_ORDERS = {
    "1st": {1},
    "1st+2nd": {1, 2},
    "1st+pth": {1, 3},
    "1st+2nd+pth": {1, 2, 3},
    "2nd": {2},
    "pth": {3},
}


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_mechanism_gives_its_terms(mechanism):
    #  a   b   c        one parent of d
    #   ↘  ↓  ↙
    #      y → d
    edges = [("a", "y"), ("b", "y"), ("c", "y"), ("y", "d")]
    truth, _ = simulate(edges, mechanism=mechanism, samples=2)
    assert set(truth.coefficients["a"]) == {()}
    assert set(truth.coefficients["d"]) == {(), ("y",)}
    sizes = [len(term) for term in truth.coefficients["y"]]
    assert set(sizes) == {0} | EXPECTED_ORDERS[mechanism]
    assert len(sizes) == 1 + sum({1: 3, 2: 3, 3: 1}[order] for order in EXPECTED_ORDERS[mechanism])


def test_weights_are_uniform_on_both_intervals():
    truth, _ = simulate("ER", nodes=40, degree=4, samples=2, seed=3)
    weights = np.array([value for terms in truth.coefficients.values() for value in terms.values()])
    assert len(weights) > 500
    assert np.all((np.abs(weights) >= 1) & (np.abs(weights) <= 2))
    assert abs(np.mean(weights > 0) - 0.5) < 0.1
    assert abs(np.mean(np.abs(weights)) - 1.5) < 0.05


def test_probabilities_agree_with_the_obvious_loop():
    truth, _ = simulate("ER", nodes=4, degree=2, mechanism="1st+2nd+pth", samples=2, seed=5)
    expected = np.zeros(16)
    for row in product((0, 1), repeat=4):
        values, share = dict(zip(truth.names, row, strict=True)), 1.0
        for name, terms in truth.coefficients.items():
            z = sum(h for term, h in terms.items() if all(values[member] for member in term))
            share *= 1 / (1 + np.exp(-z)) if values[name] else 1 / (1 + np.exp(z))
        expected[sum(bit << j for j, bit in enumerate(row))] = share
    np.testing.assert_allclose(probabilities(truth), expected, rtol=1e-12)
    assert abs(expected.sum() - 1) < 1e-12


@pytest.mark.parametrize(("mechanism", "seed"), list(zip(MECHANISMS, range(6), strict=True)))
def test_samples_follow_the_law(mechanism, seed):
    truth, data = simulate("SF", nodes=6, degree=2, mechanism=mechanism, samples=200_000, seed=seed)
    expected = probabilities(truth) * data.rows
    statistic = np.sum((data.cells() * data.rows - expected) ** 2 / expected)
    assert statistic < chi2.ppf(1 - 1e-4, df=63)


def test_same_seed_same_result_and_the_model_ignores_the_sample_size():
    (first, small), (again, same), (_, large) = (simulate(samples=n, seed=7) for n in (1000, 1000, 10_000_000))
    assert first.coefficients == again.coefficients
    assert small.fingerprint == same.fingerprint
    assert large.rows == 10_000_000
    assert len(large.patterns) <= 2**9
    np.testing.assert_array_equal(np.asarray(simulate(samples=50, seed=7)[0]), np.asarray(first))
    assert simulate(samples=1000, seed=8)[1].fingerprint != small.fingerprint
    np.testing.assert_array_equal(random_graph("ER", 9, 2, 7), first.adjacency)


def test_a_hub_with_thirty_parents_is_sampled():
    edges = [(f"cause {k}", "hub") for k in range(30)]
    truth, data = simulate(edges, mechanism="1st+2nd+pth", samples=200, seed=1)
    assert len(truth.coefficients["hub"]) == 1 + 30 + 435 + 1
    assert data.variables == 31


def test_data_tell_how_they_were_made():
    truth, data = simulate("SF", nodes=5, degree=1, mechanism="pth", samples=10, seed=4)
    assert data.names == truth.names == ("X1", "X2", "X3", "X4", "X5")
    assert data.rows == 10
    assert "10 rows from an SF graph with 5 nodes and 4 edges (mechanism pth, seed 4)" in data.record[0]


def test_own_graph_in_three_forms_is_the_same_graph():
    edges = [("rain", "wet"), ("wet", "slip")]
    matrix = np.array([[0, 1, 0], [0, 0, 0.7], [0, 0, 0]])
    before = matrix.copy()
    forms = [
        simulate(graph, names=["rain", "wet", "slip"], samples=500, seed=2)
        for graph in (edges, matrix, nx.DiGraph(edges))
    ]
    assert len({data.fingerprint for _, data in forms}) == 1
    truth = forms[0][0]
    assert truth.edges == edges
    assert list(truth.graph.edges) == edges
    assert truth.kind == "own"
    np.testing.assert_array_equal(matrix, before)
    assert matrix.flags.writeable


def test_names_may_add_nodes_without_edges():
    truth, _ = simulate([], names=["a", "b"], samples=10)
    np.testing.assert_array_equal(np.asarray(truth), np.zeros((2, 2)))
    assert simulate([("a", "b")], names=["z", "b", "a"], samples=10)[0].edges == [("a", "b")]


def test_own_coefficients_noisy_and():
    # wet is on with probability σ(−3) unless both causes are on, then σ(3).
    own = {"wet": {(): -3.0, ("sprinkler", "rain"): 6.0}, "rain": {}}
    truth, _ = simulate([("rain", "wet"), ("sprinkler", "wet")], coefficients=own, samples=2)
    assert truth.names == ("rain", "wet", "sprinkler")
    assert truth.coefficients["wet"] == {(): -3.0, ("rain", "sprinkler"): 6.0}
    assert truth.coefficients["rain"] == {(): 0.0}
    assert abs(truth.coefficients["sprinkler"][()]) >= 1
    cells = probabilities(truth).reshape(2, 2, 2)  # axes: sprinkler, wet, rain
    wet = cells[:, 1] / cells.sum(axis=1)
    np.testing.assert_allclose(wet, 1 / (1 + np.exp([[3, 3], [3, -3]])))
    assert truth.mechanism == "1st+2nd"
    assert simulate([("a", "b")], coefficients={"a": {}, "b": {"a": 1.0}}, samples=2)[0].mechanism == "own"


def test_deterministic_coefficients_do_not_overflow():
    own = {"a": {(): 0.0}, "b": {(): -2000.0, ("a",): 4000.0}}
    _, data = simulate([("a", "b")], coefficients=own, samples=1000)
    assert data.patterns.tolist() == [[0, 0], [1, 1]]


def test_truth_can_be_pickled_and_is_read_only():
    truth, _ = simulate(samples=2)
    copy = pickle.loads(pickle.dumps(truth))
    assert copy.coefficients == truth.coefficients
    assert topological_order(truth) == topological_order(copy.adjacency)
    assert not truth.adjacency.flags.writeable


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"nodes": 0}, "nodes is 0"),
        ({"nodes": 2.5}, "nodes is 2.5"),
        ({"degree": 0}, "degree is 0"),
        ({"samples": 1}, "samples is 1"),
        ({"samples": True}, "samples is True"),
        ({"seed": -1}, "seed is -1"),
        ({"mechanism": "3rd"}, "1st, 1st\\+2nd, 1st\\+pth, 1st\\+2nd\\+pth, 2nd, pth"),
        ({"graph": "BA"}, "'BA'. Use ER or SF"),
        ({"graph": [("a", "b"), ("b", "c"), ("c", "a")]}, "cycle a → b → c → a"),
        ({"graph": [("a", "a")]}, "cycle a → a"),
        ({"graph": nx.Graph([("a", "b")])}, "no directions"),
        ({"graph": np.zeros((2, 3))}, "not understood"),
        ({"graph": 7}, "not understood"),
        ({"graph": [("a", "b"), 3]}, "not understood"),
        ({"graph": []}, "not understood"),
        ({"graph": [("a", "b")], "names": ["a"]}, "'b', which is not a variable"),
        ({"names": ["a", "b"]}, "2 names were given for 9 nodes"),
        ({"graph": [("a", "b")], "coefficients": {"c": {}}}, "'c', which is not a variable"),
        ({"graph": [("a", "b")], "coefficients": {"a": {("b",): 1.0}}}, "'b', not one of its parents"),
        ({"graph": [("a", "b")], "coefficients": {"b": {("a",): np.nan}}}, "is nan"),
        ({"graph": [("a", "c"), ("b", "c")], "coefficients": {"c": {("a", "b"): 1, ("b", "a"): 2}}}, "given twice"),
    ],
)
def test_wrong_options_are_refused(options, sentence):
    with pytest.raises(OptionError, match=sentence):
        simulate(**{"samples": 10, **options})


def test_repeated_names_are_refused():
    with pytest.raises(DataError, match="'a' occurs 2 times"):
        simulate(np.zeros((2, 2)), names=["a", "a"], samples=10)


def test_exact_probabilities_are_for_few_variables():
    truth, _ = simulate(nodes=21, degree=1, samples=2)
    with pytest.raises(OptionError, match="at most 20"):
        probabilities(truth)
