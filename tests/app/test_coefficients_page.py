"""The Coefficients page: table, plots, comparison without interactions, formula."""

import numpy as np
import pytest
from scipy.special import expit
from statsmodels.stats.proportion import proportion_confint

import binotears_core as bn
from binotears_core.archive import SavedData
from binotears_core.explain.coefficients import fit_node
from pages._ui.colours import DARK, LIGHT
from pages._ui.explore.coefpage import coefficient_table, constant_words, loss_words
from pages._ui.explore.coefplots import MOST_SETTINGS, coefficient_figure, label, observed_interval, prediction_figure

BOTH = frozenset({1, 2})


def engine(names=("battery", "key", "engine"), rows=4000, seed=0):
    """The engine runs only with battery and key."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, (2, rows))
    runs = rng.random(rows) < np.where(a & b, 0.9, 0.1)
    return bn.BinaryData.from_array(np.stack([a, b, runs], axis=1), list(names))


@pytest.fixture(scope="module")
def found():
    return bn.fit(engine(), method="exact")


@pytest.fixture
def page(open_page, found, look):
    page = open_page("5_Coefficients", SavedData("Car", engine()), {"exact": found})
    look.named(page.selectbox, "Variable").select("engine").run()
    return page


def test_without_data_it_says_what_to_do(open_page, look):
    page = open_page("5_Coefficients")
    assert not page.exception
    assert "First load a table" in look.words(page)


def test_it_opens_with_the_variable_that_has_most_to_show(open_page, found, look):
    page = open_page("5_Coefficients", SavedData("Car", engine()), {"exact": found})
    assert look.named(page.selectbox, "Variable").value == "engine"


def test_the_table_has_the_coefficients_of_the_result(page, found):
    assert not page.exception
    mine = found.coefficients[(found.coefficients["node"] == "engine") & (found.coefficients["order"] > 0)]
    table = page.dataframe[0].value
    assert list(table["term"]) == [" × ".join(term) for term in mine["term"]]
    np.testing.assert_allclose(table["log-odds"], mine["log_odds"])
    np.testing.assert_allclose(table["odds ratio"], np.exp(mine["log_odds"]))
    np.testing.assert_allclose(table["to"] - table["from"], 2 * 1.96 * mine["std_error"])


def test_the_comparison_says_what_the_fit_loses(page, look):
    data = engine()
    full = fit_node(data, 2, [0, 1], frozenset({2}))
    alone = fit_node(data, 2, [0, 1], frozenset({1}))
    assert f"loses **{full.loglik - alone.loglik:.1f} nats**" in look.words(page)
    page.toggle[0].set_value(False).run()
    assert "nats**" not in look.words(page)


def test_there_are_two_charts_and_a_formula(page):
    assert len(page.get("plotly_chart")) == 2
    assert r"\text{battery} \cdot \text{key}" in page.latex[0].value


def test_a_variable_without_causes_names_its_effects(page, look):
    look.named(page.selectbox, "Variable").select("key").run()
    assert not page.exception
    assert "has no causes in this graph" in look.words(page)
    assert "It acts on **engine**" in look.words(page)


def test_undetermined_coefficients_are_said_to_be(open_page, look):
    rows = np.array([[0, 0], [0, 0], [1, 1], [1, 1]] * 100)
    data = bn.BinaryData.from_array(rows, ["cause", "copy"])
    page = open_page("5_Coefficients", SavedData("Copy", data), {"exact": bn.fit(data, method="exact")})
    shown = [look.words(page)]
    for name in data.names:
        look.named(page.selectbox, "Variable").select(name).run()
        assert not page.exception
        shown.append(look.words(page))
    assert any("not determined by the data" in words for words in shown)


def test_hostile_names_are_text(open_page, look, hostile_names):
    for start in (0, 3):
        data = engine(hostile_names[start : start + 3])
        page = open_page("5_Coefficients", SavedData("x", data), {"x": bn.fit(data, method="exact")})
        look.named(page.selectbox, "Variable").select(data.names[2]).run()
        assert not page.exception
        assert not any(mark in look.words(page) for mark in ("<img", "<script", "**bold**", "$x$", ":smile:"))
        for chart in page.get("plotly_chart"):
            assert not any(mark in chart.proto.spec for mark in ("<img", "<script"))
        assert "$" not in page.latex[0].value.replace(r"\$", "").strip("$\n")


# Words and numbers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "spared", "penalty", "needed"),
    [
        (50.0, 3, 12.0, True),
        (2.0, 3, 12.0, False),
        (50.0, -1, -4.0, True),
        (-20.0, -1, -4.0, False),
        (9.0, 0, 0.0, True),
    ],
)
def test_whether_interactions_are_needed(loss, spared, penalty, needed):
    words = loss_words(loss, spared, penalty)
    assert ("interactions are needed" in words) == needed
    assert f"{abs(loss):.1f} nats" in words


def test_nothing_lost_is_said_so():
    assert "loses **nothing** of log-likelihood, less than the 4.3 nats" in loss_words(-1e-9, 1, 4.3)


def test_the_constant_is_told_apart():
    fit = fit_node(engine(), 2, [0, 1], BOTH)
    assert "(constant)" not in list(coefficient_table(fit)["term"])
    assert f"a probability of {expit(fit.log_odds[0]):.0%}" in constant_words(fit)


def test_observed_intervals_are_wilsons():
    ones, counts = np.array([0.0, 3.0, 50.0, 10.0]), np.array([10.0, 10.0, 100.0, 10.0])
    low, high = observed_interval(ones, counts)
    theirs = proportion_confint(ones, counts, alpha=0.05, method="wilson")
    np.testing.assert_allclose(low, theirs[0], atol=1e-4)
    np.testing.assert_allclose(high, theirs[1], atol=1e-4)


# Plots ---------------------------------------------------------------------------------------------------------------


def series(figure, name):
    return next(trace for trace in figure.data if trace.name == name)


def test_coefficients_are_drawn_with_their_intervals():
    fit = fit_node(engine(), 2, [0, 1], BOTH)
    figure = coefficient_figure(fit, None, LIGHT)
    pair = series(figure, "in pairs")
    assert list(pair.x) == [pytest.approx(fit.log_odds[3])]
    assert list(pair.error_x.array) == [pytest.approx(1.96 * fit.std_error[3])]
    assert len(series(figure, "alone").x) == 2


def test_terms_that_only_the_simpler_model_has_are_drawn_too():
    data = engine()
    fit, alone = fit_node(data, 2, [0, 1], frozenset({2})), fit_node(data, 2, [0, 1], frozenset({1}))
    figure = coefficient_figure(fit, alone, DARK)
    assert list(figure.layout.yaxis.ticktext) == ["battery", "key", "battery × key"]
    assert len(series(figure, "without interactions").x) == 2


def test_every_setting_is_drawn_predicted_and_observed():
    data = engine()
    fit, alone = fit_node(data, 2, [0, 1], BOTH), fit_node(data, 2, [0, 1], frozenset({1}))
    figure = prediction_figure(fit, alone, LIGHT)
    predicted, observed = series(figure, "predicted"), series(figure, "observed, with 95 % interval")
    assert list(predicted.x) == sorted(fit.predicted)
    np.testing.assert_allclose(predicted.x, observed.x, atol=1e-6)  # the saturated model meets every frequency
    assert not np.allclose(series(figure, "without interactions").x, observed.x, atol=0.02)


def test_many_settings_are_limited_to_the_frequent_ones():
    rng = np.random.default_rng(0)
    data = bn.BinaryData.from_array(rng.integers(0, 2, (2000, 8)))
    fit = fit_node(data, 7, list(range(7)), frozenset({1}))
    figure = prediction_figure(fit, None, LIGHT)
    assert len(fit.counts) > MOST_SETTINGS == len(series(figure, "predicted").x)


def test_labels_cannot_be_markup():
    assert label("<b>x</b> & y") == "&lt;b&gt;x&lt;/b&gt; &amp; y"
    assert len(label("y" * 300)) < 40
