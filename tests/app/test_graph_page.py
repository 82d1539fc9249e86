"""The Graph page, and what it says in words."""

import numpy as np
import pytest

import binotears_core as bn
from binotears_core.archive import SavedData
from binotears_core.explain.coefficients import fit_node
from binotears_core.graph.members import EquivalenceClass
from pages._ui.examples import BY_KEY
from pages._ui.explore.graphpage import edge_table
from pages._ui.explore.nodewords import extremes, sentence
from pages._ui.graphview import effects
from pages._ui.graphview.drawing import DECIDED, KNOWN, dag_picture
from pages._ui.graphview.known import known_class

ORDERS = frozenset({1, 2})


def lamp(names=("switch", "other switch", "lamp", "moth"), rows=4000, seed=0):
    """Two switches on one lamp (it burns when they differ), and a moth that comes to the light.

    The switches are not fair coins: with fair ones any of the three could be the one that depends on the others.
    """
    rng = np.random.default_rng(seed)
    a, b = (rng.random((2, rows)) < [[0.3], [0.65]]).astype(int)
    light = (a ^ b) ^ (rng.random(rows) < 0.1)
    moth = light ^ (rng.random(rows) < 0.2)
    return bn.BinaryData.from_array(np.stack([a, b, light, moth], axis=1), list(names))


@pytest.fixture(scope="module")
def found():
    return bn.fit(lamp())


@pytest.fixture
def page(open_page, found):
    return open_page("3_Graph", SavedData("Lamp", lamp()), {"all orders": found})


# The page ------------------------------------------------------------------------------------------------------------


def test_without_data_it_says_what_to_do(open_page, look):
    page = open_page("3_Graph")
    assert not page.exception
    assert "First load a table" in look.words(page)


def test_with_data_but_no_run_it_leads_to_learn(open_page, look):
    page = open_page("3_Graph", SavedData("Lamp", lamp()))
    assert not page.exception
    assert "Learn its graph" in look.words(page)


def test_the_whole_graph_is_told_and_listed(page, look, found):
    assert not page.exception
    assert f"**{len(found.edges)} edges** among 4 variables" in look.words(page)
    table = page.dataframe[0].value
    assert {tuple(edge) for edge in table[["cause", "effect"]].to_numpy()} == {(a, b) for a, b, _ in found.edges}


def test_a_variable_is_explained(page, look):
    look.named(page.selectbox, "Variable").select("lamp").run()
    words = look.words(page)
    assert not page.exception
    assert "**lamp** is more likely when **switch** and **other switch** differ, and neither matters alone" in words
    assert "It acts on **moth**" in words


def test_the_variable_stays_chosen_on_the_next_page(page, look):
    look.named(page.selectbox, "Variable").select("lamp").run()
    page.switch_page("pages/5_Coefficients.py").run()
    assert look.named(page.selectbox, "Variable").value == "lamp"


def test_the_threshold_hides_edges_without_fitting_again(page, look, found):
    strengths = sorted(strength for _, _, strength in found.edges)
    look.named(page.slider, "Hide edges weaker than").set_value(float(np.round(strengths[0] + 0.05, 2))).run()
    assert not page.exception
    assert len(page.dataframe[0].value) < len(found.edges)


def test_a_variable_whose_causes_are_hidden_says_so(page, look, found):
    look.named(page.selectbox, "Variable").select("lamp").run()
    assert "weaker than the slider allows" not in look.words(page)
    slider = look.named(page.slider, "Hide edges weaker than")
    slider.set_value(slider.max).run()
    assert "weaker than the slider allows: **switch**, **other switch**" in look.words(page)


def test_the_path_is_shown_point_by_point(page, look, found):
    stage = page.segmented_control[0]
    stage.set_value("Gradient").run()
    counts = []
    for number in range(len(found.path)):
        next(one for one in page.select_slider if one.label.startswith("λ")).set_value(number).run()
        assert not page.exception
        counts.append(len(page.dataframe[0].value) if page.dataframe else 0)
    assert counts == [point.edges for point in found.path.points]


@pytest.mark.parametrize("part", ["Free view", "Save the picture", "Edges as a table"])
def test_every_part_below_the_graph_opens(page, part):
    next(one for one in page.segmented_control if part in one.options).set_value(part).run()
    assert not page.exception


def test_hostile_names_are_text(open_page, look, hostile_names):
    data = lamp(hostile_names[:4])
    result = bn.fit(data, method="exact")
    page = open_page("3_Graph", SavedData(hostile_names[0], data), {hostile_names[1]: result})
    for name in data.names:
        look.named(page.selectbox, "Variable").select(name).run()
        assert not page.exception
        words = look.words(page)
        assert not any(mark in words for mark in ("<img", "<script", "**bold**", "$x$", ":smile:"))


def test_a_group_can_be_shown_as_one_node(open_page, look):
    saved = BY_KEY["titanic"].load()
    result = bn.fit(saved.data, orders=2, constraints=BY_KEY["titanic"].constraints)
    page = open_page("3_Graph", saved, {"second order": result})
    look.named(page.toggle, "Groups as one node").set_value(True).run()
    assert not page.exception
    table = page.dataframe[0].value
    group = "first_class / third_class / crew"
    assert group in {*table["cause"], *table["effect"]}
    assert not {"first_class", "third_class", "crew"} & {*table["cause"], *table["effect"]}
    listed = ", ".join(table["edges"]).split(", ")
    assert sorted(listed) == sorted(f"{a} → {b}" for a, b, _ in result.edges)


def test_without_groups_there_is_no_such_switch(page):
    assert not any(one.label == "Groups as one node" for one in page.toggle)


# Words ---------------------------------------------------------------------------------------------------------------


def said(table, names=("A", "B", "X"), orders=ORDERS):
    """The sentence about the last column, given P(X = 1) for every setting of the columns before it."""
    settings, shares = list(table), np.array(list(table.values()))
    patterns = [(*setting, value) for setting in settings for value in (0, 1)]
    counts = [1000 * part for share in shares for part in (1 - share, share)]
    data = bn.BinaryData.from_counts(patterns, counts, names)
    return fit_node(data, len(names) - 1, list(range(len(names) - 1)), orders)


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ((0.8, 0.2, 0.2, 0.8), "more likely when A and B agree, and neither matters alone"),
        ((0.2, 0.8, 0.8, 0.2), "more likely when A and B differ, and neither matters alone"),
        ((0.1, 0.1, 0.1, 0.9), "more likely only when A and B are both 1"),
        ((0.9, 0.9, 0.9, 0.1), "less likely only when A and B are both 1"),
        ((0.1, 0.9, 0.9, 0.9), "more likely as soon as A or B is 1"),
        ((0.9, 0.1, 0.1, 0.1), "less likely as soon as A or B is 1"),
        ((0.1, 0.9, 0.1, 0.1), "more likely only when B is 1 and A is 0"),
        ((0.1, 0.1, 0.9, 0.1), "more likely only when A is 1 and B is 0"),
        ((0.2, 0.4, 0.8, 0.1), "more likely with A when B is 0, but less likely when B is 1"),
        (
            (0.1, 0.8, 0.3, 0.6),
            "more likely with A when B is 0, but less likely when B is 1; more likely with B in both cases",
        ),
    ],
)
def test_two_causes_in_words(levels, words):
    table = dict(zip([(0, 0), (0, 1), (1, 0), (1, 1)], levels, strict=True))
    assert sentence(said(table)) == f"X is {words}."


def test_causes_that_only_add_up():
    odds = lambda z: 1 / (1 + np.exp(-z))  # noqa: E731
    table = {(a, b): odds(-0.5 + 1.5 * a - 1.2 * b) for a in (0, 1) for b in (0, 1)}
    assert sentence(said(table)) == "X is more likely with A; less likely with B."
    assert extremes(said(table)) == "Its causes move its probability between 15% and 73%."


def test_a_pair_is_found_among_other_causes():
    table = {(a, b, c): 0.2 + 0.4 * (a == b) + 0.2 * c for a in (0, 1) for b in (0, 1) for c in (0, 1)}
    words = sentence(said(table, ("A", "B", "C", "X"), frozenset({1, 2, 3})))
    assert words.startswith("X is more likely when A and B agree, and neither matters alone; more likely with C.")


def test_no_causes():
    data = bn.BinaryData.from_counts([[0], [1]], [3, 1], ["X"])
    fit = fit_node(data, 0, [], ORDERS)
    assert sentence(fit) == "X has no causes in this graph. It is 1 in 25% of rows."
    assert extremes(fit) == ""


def test_many_causes_are_still_a_sentence():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (3000, 13))
    rows[:, 12] = rng.random(3000) < 1 / (1 + np.exp(-(rows[:, 0] * 2.0 - rows[:, 1] * 2.0)))
    data = bn.BinaryData.from_array(rows)
    words = sentence(fit_node(data, 12, list(range(12)), frozenset({1})))
    more, less = words.split("; ")
    assert "X1" in more
    assert "X2" in less


def test_a_direction_from_what_is_known_is_told_apart_from_one_in_the_data(open_page, look):
    """A chain: the data tell none of its directions. That A comes first decides A → B, and with it B → C."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (3000, 3))
    for child in (1, 2):
        bits[:, child] = rng.random(3000) < np.where(bits[:, child - 1], 0.85, 0.2)
    data = bn.BinaryData.from_array(bits, list("ABC"))
    result = bn.fit(data, method="exact", constraints=bn.Constraints(tiers={"A": 0, "B": 1}))
    members = known_class(result.adjacency, data, result)
    picture = dag_picture(effects.of_result(result), members=members)
    assert [(line.dashed, line.head) for line in picture.lines] == [(True, "solid")] * 2
    assert all(DECIDED in line.note for line in picture.lines)
    assert KNOWN in picture.legend
    assert list(edge_table(effects.of_result(result), members)["direction"]) == ["known beforehand"] * 2
    page = open_page("3_Graph", SavedData("Chain", data), {"exact": result})
    assert "direction of none of them; what is known beforehand decides all." in look.words(page)


def test_the_edge_table_tells_what_the_picture_shows(found):
    table = edge_table(effects.of_result(found), EquivalenceClass(found.cpdag)).set_index(["cause", "effect"])
    assert list(table["strength"]) == sorted(table["strength"], reverse=True)
    assert table.loc[("switch", "lamp"), "what it does"] == "depends on the other causes"
    assert table.loc[("switch", "lamp"), "with others"] == "yes"
    assert table.loc[("lamp", "moth"), "what it does"] == "raises the odds"
