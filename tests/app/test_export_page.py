"""The Export page: files with previews, code, and the session as one file."""

import csv
import json
from io import StringIO

import numpy as np
import pytest

import binotears_core as bn
from binotears_core import archive
from binotears_core.archive import SavedData
from pages._ui import state
from pages._ui.examples import BY_KEY
from pages._ui.taking.files import BY_TITLE, FILES, Taken, coefficients_csv, slug

PAGE = "7_Export"


@pytest.fixture(scope="module")
def car():
    return BY_KEY["and"].load()


@pytest.fixture(scope="module")
def result(car):
    return bn.fit(car.data, orders=2, method="exact")


@pytest.fixture(scope="module")
def hostile(hostile_names):
    rows = np.random.default_rng(1).integers(0, 2, (300, len(hostile_names)))
    rows[:, 2] = rows[:, 0] ^ (np.arange(300) % 8 == 0)
    data = bn.BinaryData.from_array(rows, names=hostile_names)
    return Taken(SavedData("<b>data", data), "<u>run", bn.fit(data, orders=1, method="exact"))


def view(page, name):
    return page.segmented_control[0].set_value(name).run()


def test_empty_it_says_what_to_do(open_page, look):
    page = open_page(PAGE)
    assert not page.exception
    assert "First load a table" in look.words(page)
    page = view(page, "Session")
    assert not page.exception
    assert "Nothing is open yet" in look.words(page)


@pytest.mark.parametrize("title", [file.title for file in FILES])
def test_every_file_has_a_preview(open_page, look, car, result, title):
    page = open_page(PAGE, car, {"mine": result})
    page = page.pills[0].set_value(title).run()
    assert not page.exception
    assert not page.error
    file = BY_TITLE[title]
    if file.show not in ("page", "picture"):
        assert page.code[0].value.strip() == file.make(Taken(car, "mine", result))[:6000].strip()


@pytest.mark.parametrize("title", [file.title for file in FILES])
def test_hostile_names_in_every_file(open_page, look, hostile, title):
    page = open_page(PAGE, hostile.saved, {hostile.run: hostile.result})
    page = page.pills[0].set_value(title).run()
    assert not page.exception
    content = BY_TITLE[title].make(hostile)
    if BY_TITLE[title].show == "page":
        assert "<img" not in content
        assert "<script>alert" not in content
    if BY_TITLE[title].show == "csv":
        cells = [cell for row in csv.reader(StringIO(content)) for cell in row]
        assert not [cell for cell in cells if cell[:1] in "=@+\t\r" and cell], "a spreadsheet would run it"
        assert [cell for cell in cells if cell.startswith("'=HYPERLINK")]


def test_the_code_is_shown(open_page, look, car, result):
    page = view(open_page(PAGE, car, {"mine": result}), "Code")
    assert not page.exception
    python, shell = (block.value for block in page.code)
    assert "bn.fit(data, orders=2, method='exact')" in python
    assert "python -m binotears_core fit" in shell


def test_a_session_goes_out_and_comes_back(open_page, look, car, result):
    # Outside of any page, as the server makes the file when the button is pressed.
    blob = archive.dump_session(state.save_session(open_page(PAGE, car, {"mine": result}).session_state["binotears"]))
    page = view(open_page(PAGE), "Session")
    page = page.file_uploader[0].upload("s.binotears", blob, "application/octet-stream").run()
    assert not page.exception
    assert "Opened 1 data set and 1 run" in look.words(page)
    mine = page.session_state["binotears"]
    assert mine.data[mine.current_data].data.fingerprint == car.data.fingerprint
    page = view(page, "Files")
    assert json.loads(BY_TITLE["Result"].make(Taken(car, "mine", result)))["nodes"] == list(car.data.names)
    page = page.pills[0].set_value("Edges").run()
    assert page.code[0].value.strip() == BY_TITLE["Edges"].make(Taken(car, "mine", result)).strip()


@pytest.mark.parametrize("blob", [b"", b"PK\x03\x04 nonsense", b"a,b\n1,2\n"])
def test_a_bad_session_file_gets_one_sentence_and_loses_nothing(open_page, look, car, result, blob):
    page = view(open_page(PAGE, car, {"mine": result}), "Session")
    page = page.file_uploader[0].upload("s.binotears", blob, "application/octet-stream").run()
    assert not page.exception
    assert "Choose a file saved by the app" in page.error[0].value.replace("&#46;", ".")
    assert page.session_state["binotears"].current_data == "key"


# Without a page ------------------------------------------------------------------------------------------------------


def test_file_names_are_safe_everywhere():
    assert slug("sample_data/asia.csv") == "asia"
    assert slug("../../etc/passwd") == "passwd"
    assert slug("Übung 1: <b>.xlsx") == "ubung-1-b"
    assert slug("日本") == "data"
    assert len(slug("x" * 300)) <= 40


def test_coefficients_as_csv(car, result):
    rows = list(csv.DictReader(StringIO(coefficients_csv(result))))
    assert len(rows) == len(result.coefficients)
    assert [float(row["log_odds"]) for row in rows] == result.coefficients["log_odds"].tolist()
    assert any(row["term"] == "battery × key" for row in rows)
