"""Every peer on graphs whose class is known, and the sentences where one is missing.

causal-learn, pyAgrum and dagma are in requirements-test.txt, so they must run. Tetrad runs where Java and its packages
are; elsewhere the test is that it says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from binotears_core import baselines
from binotears_core.baselines import requirements
from binotears_core.baselines.requirements import Need
from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError, OptionError
from binotears_core.graph.dag import is_dag
from binotears_core.graph.equivalence import cpdag, skeleton
from binotears_core.graph.metrics import shd_cpdag
from binotears_core.simulation import simulate

DISCRETE = ["pc-chi2", "pc-g2", "hill-climbing", "tabu", "miic", "fges-tetrad", "boss-tetrad", "pc-tetrad"]
GRADIENT = ["dagma-package", "dagma-first-order", "notears", "notears-mlp"]
TETRAD = ["fges-tetrad", "boss-tetrad", "pc-tetrad"]

GRAPHS = {
    # a → b → c: any end may be the cause
    "chain": {"a": {(): 0.0}, "b": {(): -1.5, ("a",): 3.0}, "c": {(): -1.5, ("b",): 3.0}},
    # a → c ← b: both arrows are compelled
    "collider": {"a": {(): 0.0}, "b": {(): 0.0}, "c": {(): -2.0, ("a",): 2.0, ("b",): 2.0}},
    # a → c ← b, c → d: the third arrow is compelled by the other two
    "collider with a tail": {
        "a": {(): 0.0},
        "b": {(): 0.0},
        "c": {(): -2.0, ("a",): 2.0, ("b",): 2.0},
        "d": {(): -1.5, ("c",): 3.0},
    },
}


def drawn(name: str, samples: int = 4000) -> tuple[np.ndarray, BinaryData]:
    coefficients = GRAPHS[name]
    edges = [(term[0], node) for node, terms in coefficients.items() for term in terms if term]
    truth, data = simulate(graph=edges, samples=samples, seed=1, coefficients=coefficients)
    return truth.adjacency, data


def run_or_be_told(name: str, data: BinaryData, **settings: Any) -> baselines.PeerResult | None:
    """The result, or None after checking the sentence of a Tetrad that is not there."""
    ready, sentence = baselines.available()[name]
    if ready:
        return baselines.run(name, data, **settings)
    assert name in TETRAD, f"{name} must be installed for the tests: {sentence}"
    with pytest.raises(OptionError, match=r"requirements-peers\.txt|Java was not found"):
        baselines.run(name, data, **settings)
    return None


def test_the_lists_here_are_complete() -> None:
    assert set(DISCRETE + GRADIENT) == set(baselines.PEERS)


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("name", DISCRETE)
def test_a_discrete_peer_finds_the_class(name: str, graph: str) -> None:
    truth, data = drawn(graph)
    result = run_or_be_told(name, data)
    if result is None:
        return
    if name in ("hill-climbing", "tabu") and graph == "collider with a tail":
        # Their first edge is d → c, as good as c → d; from there no single change leads to the truth.
        assert (skeleton(result.matrix) >= skeleton(truth)).all()
        return
    assert result.status.code == "done"
    assert result.names == data.names
    found = result.matrix if result.is_cpdag else cpdag(result.matrix).matrix
    assert found.tolist() == cpdag(truth).matrix.tolist()
    assert shd_cpdag(truth, result.graph) == 0
    assert result.seconds > 0.0


@pytest.mark.parametrize("name", GRADIENT)
def test_a_gradient_peer_finds_what_depends(name: str) -> None:
    # Directions are beyond a gradient from zero, and the package, without intercepts, may add edges.
    truth, data = drawn("chain")
    quick = {"warm_iter": 1000, "max_iter": 2000} if name == "dagma-package" else {}
    result = baselines.run(name, data, **quick)
    assert result.status.code == "done"
    assert is_dag(result.matrix)
    assert not result.is_cpdag
    assert (skeleton(result.matrix) >= skeleton(truth)).all()


def test_a_conflict_or_an_open_edge_is_one_both_ways() -> None:
    _, data = drawn("chain")
    assert baselines.run("pc-chi2", data).matrix.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize("name", DISCRETE)
def test_a_constant_column_and_odd_names_are_no_trouble(name: str) -> None:
    bits = np.random.default_rng(0).integers(0, 2, (300, 3))
    bits[:, 1] = 0
    result = run_or_be_told(name, BinaryData.from_array(bits, ["ein Name, mit Komma", "ö → ü", "0"]))
    assert result is None or result.status.code == "done"


@pytest.mark.parametrize("name", ["hill-climbing", "notears-mlp"])
def test_same_seed_same_graph(name: str) -> None:
    _, data = simulate("ER", 6, 2, "1st+2nd", 500, 0)
    first, again = (baselines.run(name, data, seed=4) for _ in range(2))
    np.testing.assert_array_equal(first.matrix, again.matrix)


def test_settings_reach_the_peer() -> None:
    _, data = drawn("collider")
    assert baselines.run("hill-climbing", data, max_parents=1).matrix.sum(axis=0).max() == 1
    assert not baselines.run("notears", data, lambda1=0.9).matrix.any()
    assert baselines.run("pc-g2", data, alpha=1e-300).matrix.sum() < baselines.run("pc-g2", data).matrix.sum()


def test_wrong_names_and_settings_are_refused_in_a_sentence() -> None:
    _, data = drawn("chain")
    with pytest.raises(OptionError, match=r"no method 'ges' to compare with\. Choose one of: pc-chi2"):
        baselines.run("ges", data)
    with pytest.raises(OptionError, match=r"PC \(χ²\) has no setting 'depth'\. Its settings are: alpha\."):
        baselines.run("pc-chi2", data, depth=2)


def test_survey_weights_are_refused_by_peers_that_need_rows() -> None:
    weighted = BinaryData.from_array([[0, 1], [1, 0], [1, 1]], weights=[0.3, 0.5, 1.1])
    with pytest.raises(DataError, match="cannot be written as single rows"):
        baselines.run("pc-chi2", weighted)


@pytest.mark.parametrize(
    ("name", "package"),
    [("pc-chi2", "causal-learn"), ("tabu", "pyagrum"), ("dagma-package", "dagma"), ("boss-tetrad", "JPype1")],
)
def test_a_missing_package_is_named(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, data = drawn("chain", 100)
    monkeypatch.setattr(requirements, "find_spec", lambda _: None)
    ready, sentence = baselines.available()[name]
    assert not ready
    assert package in sentence
    assert "pip install -r requirements-peers.txt" in sentence
    with pytest.raises(OptionError, match="cannot run here: the package"):
        baselines.run(name, data)
    assert baselines.available()["notears"] == (True, "")


def test_a_missing_java_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements.shutil, "which", lambda _: None)
    assert requirements.missing([Need.JAVA]).startswith("Java was not found. Install Java 17 or newer")


def test_an_error_inside_a_package_is_a_status() -> None:
    _, data = drawn("chain", 200)
    result = baselines.run("hill-climbing", data, max_parents="many")
    assert result.status.code == "failed"
    assert not result.matrix.any()
