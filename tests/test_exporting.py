"""Every format, with names nobody would choose: what a parser reads back is what was learned."""

import csv
import io
import json
import re
from dataclasses import dataclass, replace
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from binotears_core.errors import DataError, OptionError
from binotears_core.explain.coefficients import edge_strength, refit
from binotears_core.exporting import (
    bif,
    dagitty,
    dot,
    edge_list_csv,
    graphml,
    latex_table,
    read_edge_list_csv,
    read_result_json,
    result_json,
    truth_csv,
)
from binotears_core.graph.equivalence import cpdag
from binotears_core.results import FitResult, Status
from binotears_core.simulation import simulate

HOSTILE = (
    "plain",
    'double "quotes"',
    "it's",
    "</script><img onerror=alert(1)>",
    "two\nlines",
    "carriage\rreturn\ttab",
    "emoji 🙂",
    "back\\slash\\",
    '\\"',
    "100%_a&b#$~^{}",
    "&amp;",
    "long " * 60,
    "שלום עולם",
    "=1+1",
    "'=1+1",
    "@SUM(A1)",
    "-2",
    "[x]",
    "comma, and ; semicolon",
    "bell\x07",
    "bell ",
    "2nd",
    "//comment */ }",
)


@dataclass(frozen=True)
class Options:
    """Stand-in for a solver's options: a set, a nested value and an infinity."""

    orders: frozenset[int] = frozenset({2, 1})
    limit: float = float("inf")

    def as_dict(self):
        return {"orders": self.orders, "limit": self.limit, "edges": (("a", "b"),)}


def learned(names, edges, samples=500, seed=0, orders=2):
    """A result as `fit` would give it for this graph."""
    truth, data = simulate(edges, names=names, samples=samples, seed=seed)
    fit = refit(data, truth, orders)
    return FitResult(
        names=data.names,
        adjacency=truth.adjacency,
        strength=edge_strength(fit),
        cpdag=cpdag(truth.adjacency, data.names),
        coefficients=fit.coefficients,
        path=None,
        status=Status("done", "Found a graph."),
        certificate=None,
        stages=(),
        method="exact",
        options=Options(),
        seconds=0.5,
        data={"rows": data.rows, "variables": data.variables, "fingerprint": data.fingerprint, "more": 1},
    )


@pytest.fixture(scope="module")
def hostile():
    """A chain through all hostile names and a few colliders."""
    chain = list(pairwise(HOSTILE))
    return learned(HOSTILE, chain + list(zip(HOSTILE[:6], HOSTILE[2:8], strict=True)))


@pytest.fixture(scope="module")
def collider():
    return learned(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")], samples=2000)


def pairs(result):
    return {(a, b) for a, b, _ in result.edges}


def test_result_json_keeps_the_contract(collider):
    table = json.loads(json.dumps(result_json(collider), allow_nan=False))
    assert list(table) == [
        *("nodes", "edges", "cpdag", "coefficients", "status"),
        *("method", "options", "seconds", "certificate", "data"),
    ]
    assert table["nodes"] == ["rain", "sprinkler", "wet"]
    assert {tuple(edge) for edge in table["edges"]} == {("source", "target", "strength")}
    assert {(edge["source"], edge["target"]): edge["strength"] for edge in table["edges"]} == {
        (a, b): strength for a, b, strength in collider.edges
    }
    assert table["cpdag"] == {"directed": [["rain", "wet"], ["sprinkler", "wet"]], "undirected": []}
    last = collider.coefficients.iloc[-1]
    assert table["coefficients"][-1] == {
        "node": "wet",
        "term": ["rain", "sprinkler"],
        "order": 2,
        "log_odds": last.log_odds,
        "std_error": last.std_error,
    }
    assert table["coefficients"][0]["term"] == []
    assert table["status"] == {"code": "done", "message": "Found a graph."}
    assert table["options"] == {"orders": [1, 2], "limit": None, "edges": [["a", "b"]]}
    assert table["certificate"] is None
    assert table["data"] == {key: collider.data[key] for key in ("rows", "variables", "fingerprint")}


def test_nan_becomes_null_and_a_certificate_its_dict(collider):
    coefficients = collider.coefficients.assign(std_error=np.nan)
    table = result_json(replace(collider, coefficients=coefficients, certificate=Options(), seconds=np.float64(2)))
    assert [row["std_error"] for row in table["coefficients"]] == [None] * len(coefficients)
    assert table["certificate"]["orders"] == [1, 2]
    assert '"seconds": 2.0' in json.dumps(table, allow_nan=False)


def test_result_json_is_read_back(hostile):
    table = result_json(hostile)
    assert read_result_json(json.dumps(table, allow_nan=False)) == table
    assert table["nodes"] == list(HOSTILE)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        ("[]", "no nodes and edges"),
        ('{"nodes": []}', "no nodes and edges"),
        ('{"nodes": ["a", "a"], "edges": []}', "different names"),
        ('{"nodes": ["a", {}], "edges": []}', "different names"),
        ('{"nodes": ["a"], "edges": 3}', "does not join"),
        ('{"nodes": ["a"], "edges": [{"source": "a", "target": ["b"]}]}', "does not join"),
    ],
)
def test_a_broken_result_file_is_refused(text, sentence):
    with pytest.raises(DataError, match=sentence):
        read_result_json(text)


def test_edge_list_is_read_back(hostile):
    text = edge_list_csv(hostile)
    assert text.startswith("source,target,strength\n")
    assert read_edge_list_csv(text) == [(a, b) for a, b, _ in hostile.edges]
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [float(row["strength"]) for row in rows] == [strength for _, _, strength in hostile.edges]
    assert not any(row[end][0] in "=+-@\t\r" for row in rows for end in ("source", "target"))
    assert "'@SUM(A1)" in {row["source"] for row in rows}


@given(st.lists(st.tuples(*[st.text(st.characters(exclude_categories=["Cs"]), min_size=1)] * 2), max_size=5))
@settings(deadline=None)
def test_any_edge_list_survives_csv(edges):
    assert read_edge_list_csv(truth_csv(edges)) == edges


@given(st.text("'=+-@\t\r\n a", min_size=1, max_size=5))
@settings(deadline=None)
def test_no_cell_starts_a_formula(name):
    cell = next(csv.reader(io.StringIO(truth_csv([(name, "b")]).removeprefix("source,target\n"), newline="")))[0]
    assert cell[0] not in "=+-@\t\r\n"
    assert read_edge_list_csv(truth_csv([(name, "b")])) == [(name, "b")]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The edge list is empty"),
        ("a,b\n1,2\n", "columns a, b"),
        ("source,target\nx\n", "Row 2 of the edge list has too few cells"),
        ("source,target\n" + "x" * 200_000 + ",y\n", "not CSV"),
    ],
)
def test_a_broken_edge_list_is_refused(text, sentence):
    with pytest.raises(DataError, match=sentence):
        read_edge_list_csv(text)


def test_edge_list_with_other_columns_and_a_byte_order_mark():
    assert read_edge_list_csv("\ufeffwhy, target ,source\nq,b,a\n\n") == [("a", "b")]


def test_graphml_is_read_back(hostile):
    graph = nx.parse_graphml(graphml(hostile))
    clean = {name: name.replace("\x07", "\ufffd") for name in HOSTILE}
    assert list(graph.nodes) == list(clean.values())
    assert {(a, b): data["strength"] for a, b, data in graph.edges(data=True)} == {
        (clean[a], clean[b]): pytest.approx(strength) for a, b, strength in hostile.edges
    }


@pytest.mark.filterwarnings("ignore::DeprecationWarning:pydot")
def test_dot_is_read_back(hostile):
    pydot = pytest.importorskip("pydot")
    (graph,) = pydot.graph_from_dot_data(dot(hostile))

    def shown(quoted):  # what Graphviz shows for an id
        text = re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), quoted[1:-1])
        return text.replace("&amp;", "&")

    expected = {name: re.sub(r"[\x07\t]", " ", name.replace("\r", "\n")) for name in HOSTILE}
    expected["bell "] = "bell _2"  # the bell before it has become a space
    assert [shown(node.get_name()) for node in graph.get_nodes()] == list(expected.values())
    found = {(shown(edge.get_source()), shown(edge.get_destination())) for edge in graph.get_edges()}
    assert found == {(expected[a], expected[b]) for a, b in pairs(hostile)}


def dagitty_twin(text):
    """The grammar of DAGitty's parser for what we write: quoted strings and arrows."""
    character = r'(?:[^"\\\x00-\x1f\x7f]|\\"|\\)'
    token = re.compile(rf'\s*(?:"((?:{character})+?)(?<!\\)"|(->))')
    body, place, nodes, edges = text.removeprefix("dag {").removesuffix("}\n"), 0, [], []
    arrow = False
    while found := token.match(body, place):
        place = found.end()
        if found[2]:
            arrow = True
            continue
        name = found[1].replace('\\"', '"')
        if arrow:
            edges.append((nodes.pop(), name))
        else:
            nodes.append(name)
        arrow = False
    assert body[place:].strip() == ""
    return nodes, set(edges)


def test_dagitty_is_read_back(hostile):
    nodes, edges = dagitty_twin(dagitty(hostile))
    expected = {name: re.sub(r"[\x00-\x1f]", " ", name).replace("slash\\", "slash_") for name in HOSTILE}
    expected["bell "] = "bell _2"
    expected["back\\slash\\"] = "back\\slash_"
    assert nodes == list(expected.values())
    assert edges == {(expected[a], expected[b]) for a, b in pairs(hostile)}


def test_dagitty_of_a_collider(collider):
    lines = dagitty(collider).splitlines()
    assert lines[:4] == ["dag {", '"rain"', '"sprinkler"', '"wet"']
    assert set(lines[4:]) == {'"rain" -> "wet"', '"sprinkler" -> "wet"', "}"}


def bif_twin(text):
    """{variable: {parent configuration: P(1)}} of BIF text."""
    text = re.sub(r"//.*", "", text)
    tables = {}
    for name, causes, body in re.findall(r"probability \( (\w+)(?: \| ([\w, ]+))? \) \{(.*?)\}", text, re.S):
        rows = re.findall(r"\(([\d, ]+)\) ([\d.]+), ([\d.]+);", body) or re.findall(
            r"(table) ([\d.]+), ([\d.]+);", body
        )
        key = tuple(causes.split(", ")) if causes else ()
        tables[name] = (key, {where: (float(off), float(on)) for where, off, on in rows})
    return re.findall(r"variable (\w+) ", text), tables


def test_bif_holds_the_probabilities_of_the_refit(collider):
    variables, tables = bif_twin(bif(collider))
    assert variables == ["rain", "sprinkler", "wet"]
    h = dict(collider.coefficients.tail(4)[["term", "log_odds"]].itertuples(index=False))
    parents, rows = tables["wet"]
    assert parents == ("rain", "sprinkler")
    both = sum(h.values())
    assert rows["0, 1"][1] == pytest.approx(expit(h[()] + h[("sprinkler",)]), abs=1e-11)
    assert rows["1, 0"][1] == pytest.approx(expit(h[()] + h[("rain",)]), abs=1e-11)
    assert rows["1, 1"] == pytest.approx((1 - expit(both), expit(both)), abs=1e-11)
    assert tables["rain"][0] == ()


def test_bif_names_are_words_and_stay_apart(hostile):
    text = bif(hostile)
    variables, tables = bif_twin(text)
    assert len(set(variables)) == len(HOSTILE) == len(tables)
    assert all(re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) for name in variables)
    legend = dict(re.findall(r"^// (\w+) is (.*)$", text, re.M))
    assert [json.loads(legend[word]) if word in legend else word for word in variables] == list(HOSTILE)


def test_bif_is_read_by_pyagrum(hostile, tmp_path):
    pyagrum = pytest.importorskip("pyagrum")
    (tmp_path / "net.bif").write_text(bif(hostile), encoding="utf-8")
    network = pyagrum.loadBN(str(tmp_path / "net.bif"))
    assert network.size() == len(HOSTILE)
    assert network.sizeArcs() == len(hostile.edges)


def test_bif_refuses_a_huge_table():
    result = learned(None, [(f"x{k}", "y") for k in range(13)], samples=200, orders=1)
    with pytest.raises(OptionError, match="'y' has 13 parents"):
        bif(result)


def test_latex_table(collider):
    lines = latex_table(collider).splitlines()
    assert lines[0] == r"\begin{tabular}{llrrrr}"
    assert lines[-1] == r"\end{tabular}"
    rows = [line for line in lines if line.endswith(r"\\")][1:]
    assert len(rows) == len(collider.coefficients)
    assert all(line.count(" & ") == 5 for line in rows)
    assert rows[0].startswith("{rain} & constant & $")
    last = collider.coefficients.iloc[-1]
    assert rows[-1].startswith(rf" & rain $\times$ sprinkler & ${last.log_odds:.3f}$ & ${last.std_error:.3f}$ & $")


def test_latex_table_shows_what_is_not_known_and_what_is_huge(collider):
    coefficients = collider.coefficients.assign(std_error=np.nan, odds_ratio=2.3e7)
    last = latex_table(replace(collider, coefficients=coefficients)).splitlines()[-3]
    assert r" & -- & $2.3 \times 10^{7}$ & " in last


def test_latex_table_with_hostile_names(hostile):
    text = latex_table(hostile)
    bare = re.sub(r"\\[{}$&#%_\\ ]|\\[a-zA-Z]+(\{\})?", "", text)  # without escapes and commands
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert "#" not in bare
    assert "%" not in bare
    assert bare.count("$") % 2 == 0
    assert "{[x]} & constant" in text
