"""Graphs that people write."""

import numpy as np
import pytest

from binotears_core.errors import DataError, OptionError
from binotears_core.exporting import truth_csv
from pages._ui.edge_lists import parse_arrows, read_edge_list


def test_arrows_in_every_spelling():
    names, edges = parse_arrows("A > B\nB->C ; \n  C → D => E # a remark\n\n# only a remark\nalone\nA > B")
    assert names == ("A", "B", "C", "D", "E", "alone")
    assert edges == [("A", "B"), ("B", "C"), ("C", "D"), ("D", "E")]


@pytest.mark.parametrize("text", ["A >", "> B", "A > > B"])
def test_a_missing_name_is_pointed_at(text):
    with pytest.raises(OptionError, match="Line 2"):
        parse_arrows(f"X > Y\n{text}")


def test_a_file_of_edges_comes_back(hostile_names):
    edges = [(hostile_names[0], hostile_names[1]), (hostile_names[2], hostile_names[3])]
    read = read_edge_list(truth_csv(edges).encode(), hostile_names)
    assert {(hostile_names[i], hostile_names[j]) for i, j in np.argwhere(read)} == set(edges)


def test_semicolons_and_a_byte_order_mark():
    assert read_edge_list("\ufeffsource;target\na;b\n".encode(), ("a", "b")).tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"a,b\n", "source and target"),
        (b"source,target\na,z\n", "'z'"),
        (b"source,target\na,b\nb,a\n", "cycle a → b → a"),
        (b"source,target\na\n", "too few cells"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"", "empty"),
    ],
)
def test_a_bad_file_gets_one_sentence(content, complaint):
    with pytest.raises(DataError, match=complaint):
        read_edge_list(content, ("a", "b"), "edges.csv")
