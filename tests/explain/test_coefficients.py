"""The refit against statsmodels, textbook gates with known coefficients, and data that separate."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.explain.coefficients import edge_strength, log_likelihood, predicted, refit
from binotears_core.graph.dag import from_edges
from binotears_core.simulation import probabilities, simulate

GATE = from_edges([("a", "y"), ("b", "y")], ["a", "b", "y"])


def gate(on, rows=4000):
    """Counts in which a and b are fair coins and P(y = 1 | a, b) = on[a][b]."""
    cells = [(a, b, y) for a in (0, 1) for b in (0, 1) for y in (0, 1)]
    counts = [rows / 4 * (on[a][b] if y else 1 - on[a][b]) for a, b, y in cells]
    return BinaryData.from_counts(cells, counts, ["a", "b", "y"])


def values(fit, node, column="log_odds"):
    table = fit.coefficients
    return dict(zip(table.term[table.node == node], table.loc[table.node == node, column], strict=True))


@pytest.mark.parametrize("orders", [1, 2, {2}, {1, 3}])
def test_every_node_agrees_with_statsmodels(orders):
    truth, data = simulate("ER", nodes=6, degree=2, samples=20_000, seed=14)
    fit, frame = refit(data, truth, orders), data.to_frame()
    for node in fit.nodes:
        assert not node.notes
        design = np.column_stack([frame[list(term)].prod(axis=1) for term in node.terms]).astype(float)
        theirs = sm.Logit(frame[node.node].astype(float), design).fit(disp=0)
        np.testing.assert_allclose(node.log_odds, theirs.params, atol=1e-5)
        np.testing.assert_allclose(node.std_error, theirs.bse, atol=1e-5)
        assert node.loglik == pytest.approx(theirs.llf, abs=1e-6)
    assert log_likelihood(data, truth, orders) == pytest.approx(sum(node.loglik for node in fit.nodes))


def test_population_coefficients_come_back():
    truth, _ = simulate("SF", nodes=6, degree=2, mechanism="1st+2nd", samples=2, seed=4)
    cells = (np.arange(64)[:, None] >> np.arange(6)) & 1
    fit = refit(BinaryData.from_counts(cells, probabilities(truth), truth.names, rows=1000), truth, 2)
    assert {node: values(fit, node) for node in truth.names} == {
        node: pytest.approx(dict(terms), abs=1e-6) for node, terms in truth.coefficients.items()
    }


def test_noisy_and():
    fit = refit(gate([[0.1, 0.1], [0.1, 0.9]]), GATE, "all")
    expected = {(): -np.log(9), ("a",): 0.0, ("b",): 0.0, ("a", "b"): 2 * np.log(9)}
    assert values(fit, "y") == pytest.approx(expected, abs=1e-8)
    assert values(fit, "y", "odds_ratio")[("a", "b")] == pytest.approx(81)
    # Where both are on, the product lifts the probability from 0.1 to 0.9; a and b by themselves change nothing.
    change = values(fit, "y", "probability_change")
    assert change[("a", "b")] == pytest.approx(0.8)
    assert change[("a",)] == pytest.approx(0.0, abs=1e-8)
    assert np.isnan(change[()])
    # Saturated model: the variance of a coefficient is the sum of 1/(n q (1 − q)) over the cells below it.
    cell = 1 / (1000 * 0.1 * 0.9)
    errors = values(fit, "y", "std_error")
    assert errors == pytest.approx({term: np.sqrt(cell * 2 ** len(term)) for term in errors})


def test_xor_needs_the_second_order():
    data = gate([[0.1, 0.9], [0.9, 0.1]])
    lift = 2 * np.log(9)
    expected = {(): -np.log(9), ("a",): lift, ("b",): lift, ("a", "b"): -2 * lift}
    assert values(refit(data, GATE, 2), "y") == pytest.approx(expected, abs=1e-8)
    assert values(refit(data, GATE, 1), "y") == pytest.approx({(): 0.0, ("a",): 0.0, ("b",): 0.0}, abs=1e-8)
    np.testing.assert_allclose(edge_strength(refit(data, GATE, 2))[:2, 2], np.sqrt(5) * lift)
    assert edge_strength(refit(data, GATE, 2))[2].sum() == 0


def test_probability_change_of_a_lone_parent_is_the_risk_difference():
    data = BinaryData.from_counts([[0, 0], [0, 1], [1, 0], [1, 1]], [70, 30, 40, 60], ["x", "y"])
    assert values(refit(data, [[0, 1], [0, 0]], 1), "y", "probability_change")[("x",)] == pytest.approx(0.3)


def test_probability_change_is_the_mean_over_exposed_rows():
    truth, data = simulate("ER", nodes=5, degree=2, mechanism="1st+2nd", samples=3000, seed=2)
    fit, frame = refit(data, truth, 2), data.to_frame()
    for node in fit.nodes:
        design = np.column_stack([frame[list(term)].prod(axis=1) for term in node.terms]).astype(float)
        z = design @ node.log_odds
        for k, h in enumerate(node.log_odds[1:], start=1):
            on = design[:, k] == 1
            expected = np.mean(1 / (1 + np.exp(-z[on])) - 1 / (1 + np.exp(h - z[on]))) if on.any() else np.nan
            assert node.probability_change[k] == pytest.approx(expected, nan_ok=True)


def test_predicted_of_a_saturated_node_is_the_observed_frequency():
    truth, data = simulate([("a", "y"), ("b", "y"), ("c", "y")], samples=5000, seed=3)
    table = predicted(refit(data, truth, "all"), "y")
    assert table.configuration.tolist() == [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    np.testing.assert_allclose(table.predicted, table.observed, atol=1e-9)
    assert table["count"].sum() == pytest.approx(5000)
    assert predicted(refit(data, truth, "all"), "a").configuration.tolist() == [()]


def test_an_edge_always_has_a_term():
    truth, data = simulate([("a", "y"), ("b", "y"), ("y", "z")], samples=1000, seed=1)
    fit = refit(data, truth, {3})
    assert fit["z"].terms == ((), ("y",))
    assert fit["y"].terms == ((), ("a", "b"))
    assert ((edge_strength(fit) > 0) == (np.asarray(truth) != 0)).all()


def test_asia_with_its_deterministic_node():
    frame = pd.read_csv("sample_data/asia.csv")
    edges = pd.read_csv("sample_data/asia_edges.csv")
    data = BinaryData.from_array(frame.to_numpy(), list(frame.columns))
    fit = refit(data, from_edges(edges.itertuples(index=False, name=None), data.names), "all")
    either = fit["either"]
    assert np.isnan(either.std_error).all()
    assert np.isfinite(either.log_odds).all()
    np.testing.assert_allclose(either.predicted, either.observed, atol=0.01)
    assert [note for note in fit.notes if "'either'" in note and "ridge" in note] == list(fit.notes)
    others = fit.coefficients[fit.coefficients.node != "either"]
    assert (others.note == "").all()
    assert others.std_error.notna().all()


def test_too_many_terms_fall_back_to_second_order():
    edges = [(f"x{k}", "y") for k in range(12)]
    truth, data = simulate(edges, mechanism="1st", samples=20_000, seed=5)
    fit = refit(data, truth, "all")
    assert len(fit["y"].terms) == 1 + 12 + 66
    assert any("'y': 4096 terms" in note and "first and second order were fitted" in note for note in fit.notes)
    wide, data = simulate([(f"x{k}", "y") for k in range(50)], mechanism="1st", samples=2000, seed=5)
    assert len(refit(data, wide, 2)["y"].terms) == 51


def test_a_thirty_parent_hub_with_few_rows_ends_in_a_note():
    truth, data = simulate([(f"x{k}", "y") for k in range(30)], mechanism="1st", samples=60, seed=5)
    fit = refit(data, truth, 2)
    assert np.isfinite(fit["y"].log_odds).all()
    assert "ridge" in fit.notes[-1]


def test_survey_weights_set_the_scale_of_the_errors():
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    plain = BinaryData.from_array(np.repeat(rows, [40, 10, 10, 40], axis=0), ["x", "y"])
    weighted = BinaryData.from_counts(rows, [40, 10, 10, 40], ["x", "y"], rows=100, sample_size=25)
    one, other = (refit(data, [[0, 1], [0, 0]], 1)["y"] for data in (plain, weighted))
    np.testing.assert_allclose(one.log_odds, other.log_odds, atol=1e-8)
    np.testing.assert_allclose(2 * one.std_error, other.std_error)


def test_columns_can_be_permuted():
    truth, data = simulate("ER", nodes=5, degree=2, samples=2000, seed=9)
    order = [3, 0, 4, 1, 2]
    moved = refit(data.select([data.names[i] for i in order]), np.asarray(truth)[np.ix_(order, order)], 2)
    original = refit(data, truth, 2)
    for name in data.names:
        ours = {frozenset(term): h for term, h in values(original, name).items()}
        assert {frozenset(term): h for term, h in values(moved, name).items()} == pytest.approx(ours, abs=1e-7)


def test_wrong_graphs_are_refused():
    data = gate([[0.2, 0.4], [0.6, 0.8]])
    with pytest.raises(OptionError, match=r"shape \(2, 2\), the data have 3 variables"):
        refit(data, np.zeros((2, 2)), 1)
    with pytest.raises(OptionError, match="cycle"):
        refit(data, from_edges([("a", "b"), ("b", "a")], data.names), 1)
    with pytest.raises(OptionError, match=r"no variable 'c'\. The variables are: a, b, y"):
        predicted(refit(data, GATE, 1), "c")
