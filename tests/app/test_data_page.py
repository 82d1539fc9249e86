"""The Data page: three ways to bring data in, and nothing dropped silently."""

import io

import numpy as np
import pandas as pd
import pytest

import binotears_core as bn
from binotears_core.errors import DataError, OptionError
from pages._ui.colours import LIGHT
from pages._ui.examples import BY_KEY
from pages._ui.tables import models, pictures, preparing, uploads

PAGE = "1_Data"
CITIES = ("Rome", "Oslo", "Bern")
MESSY = "id,age,city,smoker,score\n" + "".join(
    f"{i},{20 + (i * 7) % 50},{CITIES[i % 3]},{('no', 'yes')[i % 4 > 0]},{i % 2 if i % 10 else ''}\n" for i in range(60)
)


def current(page):
    mine = page.session_state["binotears"]
    return None if mine.current_data is None else mine.data[mine.current_data]


def view(page, name):
    return page.segmented_control[0].set_value(name).run()


def upload(page, name, content):
    return page.file_uploader[0].upload(name, content, "text/csv").run()


def edit(page, changes, table="rules"):
    """Change cells of the newest table of its kind, as the browser would report it."""
    choices = page.session_state["binotears"].choices
    name = [key for key in choices if key.startswith(table) and not key.endswith("at first")][-1]
    page.session_state[f"{name}-0"] = {"edited_rows": changes, "added_rows": [], "deleted_rows": []}
    return page.run()


def test_empty_it_offers_the_three_ways(open_page, look):
    page = open_page(PAGE)
    assert not page.exception
    assert page.segmented_control[0].options == ["Load", "Samples", "Simulate"]


@pytest.mark.parametrize("key", list(BY_KEY))
def test_a_sample_is_one_click(open_page, look, key):
    page = view(open_page(PAGE), "Samples")
    page = look.keyed(page.button, f"use {key}").click().run()
    assert not page.exception
    assert current(page).data.fingerprint == BY_KEY[key].load().data.fingerprint
    assert page.segmented_control[0].value == "This data"
    words = look.words(page)
    assert "distinct patterns" in words
    assert len(page.get("plotly_chart")) == 2


def test_a_messy_survey(open_page, look):
    page = upload(open_page(PAGE), "survey.csv", MESSY.encode())
    assert not page.exception
    question = look.named(page.radio, "6 cells in 1 column are missing. Choose:")
    assert question.options[0] == "leave such rows out: 60 → 54 rows"
    assert current(page) is None
    assert not [button for button in page.button if button.label == "Use this table"], "nobody has decided yet"
    page = question.set_value("drop").run()
    page = edit(
        page, {1: {preparing.RULE: "above a number", preparing.OPERAND: "40"}, 3: {preparing.RULE: "leave out"}}
    )
    assert not page.exception
    page = look.named(page.button, "Use this table").click().run()
    saved = current(page)
    assert saved.name == "survey.csv"
    assert saved.data.rows == 54
    assert saved.data.names == ("age", "city=Oslo", "city=Rome", "score")
    assert saved.data.groups == (("city=Oslo", "city=Rome"),)
    words = look.words(page).replace("&#39;", "'").replace("&#46;", ".").replace("&#58;", ":")
    assert "Column 'id' was dropped as asked." in words
    assert "Column 'smoker' was dropped as asked." in words
    assert "values above 40" in words


def test_missing_cells_can_be_marked_instead(open_page, look):
    page = upload(open_page(PAGE), "survey.csv", MESSY.encode())
    page = look.named(page.radio, "6 cells in 1 column are missing. Choose:").set_value("indicator").run()
    page = look.named(page.button, "Use this table").click().run()
    assert current(page).data.rows == 60
    assert "score=missing" in current(page).data.names


def test_weights(open_page, look):
    table = b"a,b,times\n0,0,5\n0,1,7\n1,1,8\n1,0,2\n"
    page = upload(open_page(PAGE), "counts.csv", table)
    page = look.named(page.selectbox, "Row weights").set_value("times").run()
    page = look.named(page.button, "Use this table").click().run()
    assert not page.exception
    assert current(page).data.rows == 22
    assert current(page).data.names == ("a", "b")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("broken.xlsx", b"PK\x03\x04 no excel at all"),
        ("broken.parquet", b"PAR1 but not really PAR1"),
        ("empty.csv", b""),
        ("ragged.csv", b"a,b\n0,1\n0,1,1\n1,0\n"),
        ("binary.csv", bytes(range(256)) * 20),
        ("header.csv", b"a,b\n"),
        ("twice.csv", b"a,a\n0,1\n1,0\n"),
    ],
)
def test_a_bad_file_gets_one_sentence_and_loses_nothing(open_page, look, name, content):
    page = open_page(PAGE, BY_KEY["asia"].load())
    page = upload(view(page, "Load"), name, content)
    assert not page.exception
    (said,) = [*page.error, *page.warning]
    assert said.value.count("\n") == 0
    assert current(page).name == "Asia"


def test_choices_that_do_not_fit_are_explained(open_page, look):
    page = upload(open_page(PAGE), "survey.csv", MESSY.encode())
    page = look.named(page.radio, "6 cells in 1 column are missing. Choose:").set_value("drop").run()
    page = edit(page, {2: {preparing.RULE: "median"}})
    assert "text where numbers are meant" in page.warning[0].value
    page = edit(page, {1: {preparing.RULE: "above a number"}})
    assert "none is given" in page.warning[0].value


def test_a_sample_can_be_prepared_by_hand(open_page, look):
    page = view(open_page(PAGE), "Samples")
    page = look.keyed(page.button, "prepare asia").click().run()
    page = look.named(page.button, "Use this table").click().run()
    assert not page.exception
    assert current(page).name == "sample_data/asia.csv"
    assert list(current(page).truths) == ["true graph"], "the truth comes along as long as the variables are the same"


def test_simulate_at_random(open_page, look):
    page = view(open_page(PAGE), "Simulate")
    assert not page.exception
    look.named(page.slider, "Nodes").set_value(5)
    look.named(page.number_input, "Rows").set_value(300)
    look.named(page.selectbox, "How causes act").set_value("pth")
    look.named(page.button, "Simulate").click()
    page = page.run()
    assert not page.exception
    truth, data = bn.simulate(nodes=5, degree=2, mechanism="pth", samples=300, seed=0)
    assert current(page).data.fingerprint == data.fingerprint
    assert np.array_equal(current(page).truths["true graph"], truth.adjacency)


def test_simulate_an_own_graph_with_own_coefficients(open_page, look):
    page = view(open_page(PAGE), "Simulate")
    page = look.named(page.segmented_control, "Graph").set_value("own").run()
    page = page.text_area[0].set_value("a > c\nb > c").run()
    assert not page.exception
    page = edit(page, {0: {models.LOG_ODDS: 3.0}}, "coefficients")
    page = look.named(page.button, "Simulate").click().run()
    model = current(page).simulated
    assert model.edges == [("a", "c"), ("b", "c")]
    assert model.coefficients["a"][()] == 3.0
    assert model.mechanism == "own"


def test_an_own_graph_with_a_cycle_is_refused_by_name(open_page, look):
    page = view(open_page(PAGE), "Simulate")
    page = look.named(page.segmented_control, "Graph").set_value("own").run()
    page = page.text_area[0].set_value("a > b\nb > a").run()
    assert not page.exception
    assert "cycle" in page.error[0].value
    assert not [button for button in page.button if button.label == "Simulate"]


def test_hostile_names_are_text(open_page, look, hostile_names):
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (50, len(hostile_names))), columns=list(hostile_names))
    page = upload(open_page(PAGE), "<b>x.csv", frame.to_csv(index=False).encode())
    page = look.named(page.button, "Use this table").click().run()
    assert not page.exception
    assert "<img" not in look.words(page)
    assert "<b>" not in look.words(page)
    for chart in page.get("plotly_chart"):
        assert "<img" not in chart.proto.spec


def test_a_view_survives_a_change_of_page(open_page, look):
    page = upload(open_page(PAGE), "survey.csv", MESSY.encode())
    page = edit(page, {3: {preparing.RULE: "leave out"}})
    page = page.switch_page("pages/6_Compare.py").run().switch_page("pages/1_Data.py").run()
    assert not page.exception
    page = look.named(page.radio, "6 cells in 1 column are missing. Choose:").set_value("drop").run()
    page = look.named(page.button, "Use this table").click().run()
    assert "smoker" not in current(page).data.names


# Without a page ------------------------------------------------------------------------------------------------------


def test_a_large_upload_is_refused_in_python_too(app_server):
    with pytest.raises(DataError, match="limit"):
        uploads.take("large.csv", bytes(uploads.MOST_BYTES + 1))


def test_old_uploads_make_room_for_new_ones(app_server, monkeypatch):
    monkeypatch.setattr(uploads, "SHELF_BYTES", 10)
    first, second = uploads.take("a.csv", b"123456"), uploads.take("b.csv", b"abcdef")
    assert uploads.content(second) == b"abcdef"
    with pytest.raises(DataError, match=r"Choose the file again"):
        uploads.content(first)


def test_phi_is_the_correlation_of_the_rows():
    data = BY_KEY["titanic"].load().data
    rows = data.to_frame().to_numpy(dtype=float)
    np.testing.assert_allclose(pictures.phi(data), np.corrcoef(rows.T), atol=1e-12)


def test_the_odds_ratio_of_a_table():
    data = bn.BinaryData.from_counts([[0, 0], [0, 1], [1, 0], [1, 1]], [10, 20, 30, 40], ["a", "b"])
    assert np.exp(pictures.log_odds_ratio(data))[0, 1] == pytest.approx(40.5 * 10.5 / (20.5 * 30.5))


def test_pictures_of_names_that_are_markup(hostile_names):
    data = bn.BinaryData.from_array(np.eye(len(hostile_names), dtype=int), names=hostile_names)
    for figure in (pictures.prevalence_figure(data, LIGHT), pictures.association_figure(data, "odds ratio", LIGHT)):
        assert "<img" not in figure.to_json()
    assert len(pictures.label("x" * 300)) < 40


def test_columns_get_sensible_suggestions():
    look = preparing.first_look(MESSY.encode(), "survey.csv", None, None)
    table = preparing.editor_frame(look)
    assert dict(zip(table[preparing.COLUMN], table[preparing.RULE], strict=True)) == {
        "id": "leave out", "age": "median", "city": "indicators", "smoker": "as it is", "score": "as it is",
    }  # fmt: skip
    assert look.rows == 60
    assert look.head.shape == (50, 5)
    choices = preparing.Choices(rules=preparing.rules_of(table), missing="drop")
    assert preparing.complete_rows(MESSY.encode(), "survey.csv", look, choices) == 54
    assert choices.options() == {
        "binarise": {"age": "median", "city": "indicators"}, "drop": ["id"], "missing": "drop",
    }  # fmt: skip


def test_the_outcome_says_what_one_means():
    rules = {"id": ("leave out", ""), "age": ("mean", ""), "city": ("indicators", ""), "smoker": ("one value", "no")}
    choices = preparing.Choices(rules=rules, missing="indicator")
    table = preparing.variables_table(preparing.prepare(MESSY.encode(), "survey.csv", choices))
    meaning = dict(zip(table["Variable"], table["1 means"], strict=True))
    assert meaning["smoker"] == "no"
    assert meaning["city=Rome"] == "Rome"
    assert meaning["age"].startswith("above ")
    assert meaning["score=missing"] == "missing"


def test_of_several_sheets_one_is_chosen_in_plain_view(open_page, look):
    file = io.BytesIO()
    with pd.ExcelWriter(file) as book:
        pd.DataFrame({"note": ["read", "me"]}).to_excel(book, sheet_name="notes", index=False)
        pd.DataFrame({"a": [0, 1, 1], "b": [0, 0, 1]}).to_excel(book, sheet_name="table", index=False)
    page = upload(open_page(PAGE), "book.xlsx", file.getvalue())
    page = look.named(page.selectbox, "Sheet").set_value("table").run()
    page = look.named(page.button, "Use this table").click().run()
    assert not page.exception
    assert current(page).data.names == ("a", "b")


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (b"a,b\n", "has column names but no rows"),
        (b"a,b\n0,1\n", "has a single row"),
        (b"a,b\n0,1\n0,1\n", "Keep columns that have at least two values"),
    ],
)
def test_a_table_without_two_different_rows_says_so(open_page, look, table, sentence):
    page = upload(open_page(PAGE), "small.csv", table)
    assert not page.exception
    assert sentence in look.words(page)


def test_excel_sheets():
    file = io.BytesIO()
    with pd.ExcelWriter(file) as book:
        pd.DataFrame({"a": [0, 1]}).to_excel(book, sheet_name="one", index=False)
        pd.DataFrame({"b": [0, 1, 1]}).to_excel(book, sheet_name="two", index=False)
    assert preparing.sheets(file.getvalue()) == ("one", "two")
    assert preparing.first_look(file.getvalue(), "book.xlsx", "two", None).rows == 3


def test_coefficients_come_back_from_the_table():
    truth = models.preview(models.Settings(nodes=5, mechanism="1st+2nd", seed=1))
    table = models.coefficient_table(truth)
    assert models.read_coefficients(truth, table) is None
    table.loc[0, models.LOG_ODDS] = None
    changed = models.read_coefficients(truth, table)
    assert changed[truth.names[0]][()] == 0.0
    assert sum(map(len, changed.values())) == len(table)


def test_too_much_for_a_page_is_refused_before_it_begins():
    models.check_size(models.Settings(nodes=9, samples=10_000_000))
    with pytest.raises(OptionError, match="at most 100000 rows"):
        models.check_size(models.Settings(nodes=60, samples=1_000_000))


def test_an_own_graph_needs_an_edge():
    with pytest.raises(OptionError, match="at least one edge"):
        models.preview(models.Settings(kind="own"))
