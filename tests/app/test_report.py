"""The report: one file, complete, and nothing in it but text and pictures."""

from datetime import datetime
from html.parser import HTMLParser

import numpy as np
import pytest

import binotears_core as bn
from binotears_core.archive import SavedData
from pages._ui.examples import BY_KEY
from pages._ui.report import report_html

WHEN = datetime(2026, 1, 2, 3, 4)


class Reader(HTMLParser):
    """What a browser would see: elements, attributes and text."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.words, self.open = set(), [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in {"meta"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    return reader, " ".join(" ".join(reader.words).split())


@pytest.fixture(scope="module")
def car():
    saved = BY_KEY["and"].load()
    return saved, bn.fit(saved.data, orders=2, method="exact")


def test_it_has_everything(car):
    saved, result = car
    _, words = read(report_html(saved, "my run", result, WHEN))
    for title in ("my run", "Graph", "Equivalence class", "Coefficients", "Data", "Choices", "The same again"):
        assert title in words
    assert "2026-01-02 03:04" in words
    assert result.status.message in words
    assert saved.data.record[0] in words
    assert "battery × key" in words
    assert "orders = 2" in words
    assert "bn.fit(" in words
    assert bn.EquivalenceClass(result.cpdag).shares[0].sentence in words
    assert "true graph" in words


def test_it_loads_and_runs_nothing(car, hostile_names):
    rows = np.random.default_rng(1).integers(0, 2, (300, len(hostile_names)))
    rows[:, 1] = rows[:, 0] ^ (np.arange(300) % 8 == 0)
    data = bn.BinaryData.from_array(rows, names=hostile_names, record=["<script>alert(1)</script>"])
    result = bn.fit(data, orders=1, method="exact", constraints=bn.Constraints(forbidden=[hostile_names[:2]]))
    page = report_html(SavedData("</title><script>", data), "<img src=x>", result, WHEN)
    reader, words = read(page)
    assert not reader.tags & {
        "script",
        "img",
        "iframe",
        "link",
        "object",
        "embed",
        "a",
        "form",
        "base",
        "foreignobject",
    }
    names = {name for name, _ in reader.attributes}
    assert not [name for name in names if name.startswith("on") or name in {"src", "href", "xlink:href", "action"}]
    addresses = {
        value for _, value in reader.attributes if value and "://" in value and not value.startswith("Graph of")
    }
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert "url(" not in page
    assert "@import" not in page
    for name in hostile_names[:5]:
        assert " ".join(name.replace("\u202e", "").split()) in words, "shown as text"


def test_a_graph_without_edges_and_a_run_without_options():
    data = bn.BinaryData.from_array([[0, 1], [1, 0], [1, 1], [0, 0]] * 5, names=["a", "b"])
    result = bn.fit(data, method="exact")
    assert not result.edges
    _, words = read(report_html(SavedData("flat", data), "run", result, WHEN))
    assert "1 graph is equally compatible" in words
