"""The Compare page: against a truth, between runs, and other methods in the background."""

import threading

import numpy as np
import pytest

import binotears_core as bn
from binotears_core.archive import SavedData
from binotears_core.baselines import PeerResult
from binotears_core.graph.dag import from_edges
from binotears_core.graph.equivalence import PDAG
from pages._ui.comparing import sachs, scores
from pages._ui.comparing.scores import ARROWS, CLASSES, Candidate
from pages._ui.examples import BY_KEY
from pages._ui.running import Setup, runs

PAGE = "6_Compare"


@pytest.fixture(scope="module")
def saved():
    truth, data = bn.simulate(nodes=4, degree=1, samples=800, seed=3)
    return SavedData("small", data, {"true graph": truth.adjacency}, truth)


@pytest.fixture(scope="module")
def result(saved):
    return bn.fit(saved.data, method="exact")


def board(page):
    return next(table.value for table in page.dataframe if "SHD class" in table.value.columns).set_index("Graph")


def test_empty_it_says_what_to_do(open_page, look):
    page = open_page(PAGE)
    assert not page.exception
    assert "First load a table" in look.words(page)


def test_with_data_alone_it_points_to_learn(open_page, look, saved):
    page = open_page(PAGE, saved)
    assert not page.exception
    assert "Learn its graph" in look.words(page)
    assert look.keyed(page.button, "peer notears")


def test_against_the_truth(open_page, look, saved, result):
    page = open_page(PAGE, saved, {"mine": result})
    assert not page.exception
    expected = bn.compare(saved.truths["true graph"], result.adjacency)
    row = board(page).loc["mine"]
    assert (row["SHD class"], row["SHD arrows"], row["Recall"]) == (
        expected.shd_cpdag, expected.shd_dag, expected.recall,
    )  # fmt: skip
    assert board(page).loc["no edges", "SHD class"] == saved.truths["true graph"].sum()
    edges = next(table.value for table in page.dataframe if "Verdict" in table.value.columns)
    assert (edges["Verdict"] == "right").sum() == sum(one.verdict == "right" for one in expected.edges)
    page = look.named(page.segmented_control, "Compare").set_value(CLASSES).run()
    assert not page.exception
    assert "between the equivalence classes" in look.words(page)


def test_between_two_runs_without_any_truth(open_page, look, saved, result):
    bare = SavedData("bare", saved.data)
    other = bn.fit(saved.data, orders=1, method="exact")
    page = open_page(PAGE, bare, {"first": other, "second": result})
    assert not page.exception
    assert look.named(page.selectbox, "Graph").options == ["second", "first"], "the current run comes first"
    assert look.named(page.selectbox, "Held against").options == ["first"]
    page = (
        look.named(page.selectbox, "Graph").set_value(f"run {next(iter(page.session_state['binotears'].runs))}").run()
    )
    assert not page.exception
    assert look.named(page.selectbox, "Held against").options == ["second"]


def test_two_runs_of_the_same_name_can_be_told_apart(open_page, look, saved, result):
    page = open_page(PAGE, saved, {"mine": result})
    mine = page.session_state["binotears"]
    again = runs().keep(Setup(name="mine", data=saved), bn.fit(saved.data, orders=1, method="exact"))
    mine.runs[again] = "key"
    page = page.run()
    assert look.named(page.selectbox, "Graph").options == ["mine", "mine_2"]


def test_one_graph_and_nothing_to_hold_it_against(open_page, look, saved, result):
    page = open_page(PAGE, SavedData("bare", saved.data), {"only": result})
    assert not page.exception
    assert "nothing to hold it against" in look.words(page)


def test_a_truth_can_be_uploaded(open_page, look, saved, result):
    page = open_page(PAGE, SavedData("bare", saved.data), {"only": result})
    names = saved.data.names
    page = page.file_uploader[0].upload("truth.csv", f"source,target\n{names[0]},nobody\n".encode(), "text/csv").run()
    assert "nobody" in page.error[0].value
    page = (
        page.file_uploader[0].upload("truth.csv", f"source,target\n{names[0]},{names[1]}\n".encode(), "text/csv").run()
    )
    assert not page.exception
    assert look.named(page.selectbox, "Held against").value == "truth truth.csv"
    kept = page.session_state["binotears"].data["key"].truths
    assert kept["truth.csv"].sum() == 1


def test_another_method_runs_in_the_background(open_page, look, saved, result):
    page = open_page(PAGE, saved, {"mine": result})
    page = look.keyed(page.button, "peer notears").click().run()
    assert not page.exception
    mine = page.session_state["binotears"]
    (peer,) = mine.peers
    while runs().snapshot(peer).active:
        threading.Event().wait(0.02)
    page = page.run()
    assert isinstance(runs().result(peer), PeerResult)
    assert "NOTEARS" in board(page).index
    assert mine.current_run != peer, "other pages go on showing our own run"
    assert look.named(page.selectbox, "Held against").options == ["true graph", "NOTEARS"]


def test_hostile_names(open_page, look, hostile_names):
    rows = np.random.default_rng(1).integers(0, 2, (200, len(hostile_names)))
    rows[:, 1] = rows[:, 0] ^ (np.arange(200) % 10 == 0)
    data = bn.BinaryData.from_array(rows, names=hostile_names)
    truth = from_edges([(hostile_names[0], hostile_names[1])], hostile_names)
    found = bn.fit(data, orders=1, method="exact")
    page = open_page(PAGE, SavedData("<b>data", data, {"<i>truth": truth}), {"<u>run": found})
    assert not page.exception
    assert "<img" not in look.words(page)
    assert "<u>" not in look.words(page)


def test_the_paper_s_table_beside_ours(open_page, look):
    example = BY_KEY["sachs"].load()
    found = bn.fit(example.data, orders=1, method="dagma", refine=False)
    page = open_page(PAGE, example, {"first order": found})
    assert not page.exception
    table = next(one.value for one in page.dataframe if sachs.PRINTED in one.value.columns).set_index("Graph")
    assert table.loc["paper: BiNOTEARS", ["Edges", sachs.PRINTED]].tolist() == [15, 13]
    assert table.loc["no edges", ["arrows, 20", "arrows, 17"]].tolist() == [20, 17]
    (twenty, seventeen) = example.truths.values()
    ours = [bn.compare(truth, found.adjacency) for truth in (twenty, seventeen)]
    expected = [number for one in ours for number in (one.shd_dag, one.shd_cpdag)]
    assert table.loc["first order"].tolist()[2:] == expected
    assert look.named(page.button, "Run the paper's recipe")


# Without a page ------------------------------------------------------------------------------------------------------


def test_random_graphs_of_sachs_score_as_was_measured_before():
    table = sachs.table([]).set_index("Graph")
    assert table.loc["15 random edges", "arrows, 20"] == pytest.approx(26.7, abs=1.5)


def test_a_class_is_drawn_without_arrowheads_where_it_is_open():
    names = ("a", "b", "c")
    chain, fork = from_edges([("a", "b"), ("b", "c")], names), from_edges([("b", "a"), ("b", "c")], names)
    truth, found = Candidate("t", "t", chain, known=True), Candidate("f", "f", fork)
    arrows = scores.contrast_picture(truth, found, names, ARROWS)
    assert sorted(line.colour for line in arrows.lines) == ["reversed", "right"]
    classes = scores.contrast_picture(truth, found, names, CLASSES)
    assert {(line.colour, line.head) for line in classes.lines} == {("right", "none")}
    assert scores.edge_table(chain, fork, names, CLASSES)["Edge"].tolist() == ["a — b", "b — c"]


def test_a_partial_graph_has_no_distance_between_arrows():
    names = ("a", "b")
    table = scores.scoreboard(
        from_edges([("a", "b")], names), [Candidate("p", "p", PDAG(np.array([[0, 1], [1, 0]]), names))], names
    )
    assert table["SHD class"].tolist() == [0]
    assert np.isnan(table["SHD arrows"][0])
