"""The examples load, their constraints fit, and the first page's four are there."""

import pytest

import binotears_core as bn
from binotears_core.graph.dag import to_edges
from pages._ui.edge_lists import parse_arrows
from pages._ui.examples import BY_KEY, EXAMPLES, named, truths_of


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.key)
def test_an_example_is_ready_to_run(example):
    saved = example.load()
    example.constraints.resolve(saved.data.names, saved.data.groups)
    assert saved is example.load(), "loaded once"
    assert named(saved.name) is example
    assert saved.data.record
    for truth in saved.truths.values():
        assert truth.shape == (saved.data.variables,) * 2


def test_the_first_page_has_the_four_of_the_plan():
    assert [example.key for example in EXAMPLES if example.featured] == ["sachs", "fertility", "asia", "and"]


@pytest.mark.parametrize("example", [one for one in EXAMPLES if one.featured], ids=lambda example: example.key)
def test_a_sketch_shows_variables_and_edges_of_its_example(example):
    saved = example.load()
    names, edges = parse_arrows(example.sketch)
    assert {*names, *example.together} <= set(saved.data.names)
    for truth in saved.truths.values():
        assert set(edges) <= set(to_edges(truth, saved.data.names))


def test_the_two_graphs_of_sachs():
    saved = BY_KEY["sachs"].load()
    assert [int(truth.sum()) for truth in saved.truths.values()] == [20, 17]
    assert truths_of(BY_KEY["sachs"].path, saved.data.names) == saved.truths
    assert truths_of(BY_KEY["sachs"].path, saved.data.names[1:]) == {}


def test_noisy_and_needs_the_second_order():
    saved = BY_KEY["and"].load()
    (truth,) = saved.truths.values()
    first, second = (bn.fit(saved.data, orders=orders, method="exact") for orders in (1, 2))
    assert bn.compare(truth, second.adjacency).shd_cpdag == 0
    assert bn.compare(truth, first.adjacency).shd_cpdag > 2
