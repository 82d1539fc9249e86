"""Clique-Picking against known formulas, against listing every orientation, and against the recursion by roots."""

import math
from functools import cache
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest

from binotears_core.graph.counting import ChordalCounter


def counter(graph):
    return ChordalCounter({v: list(graph[v]) for v in graph})


def orientations(graph):
    """Every acyclic orientation without a collider of non-adjacent nodes, as sets of arrows. Slow and obvious."""
    edges = list(graph.edges)
    for flips in product((False, True), repeat=len(edges)):
        arrows = {(b, a) if flip else (a, b) for (a, b), flip in zip(edges, flips, strict=True)}
        into = {v: [a for a, b in arrows if b == v] for v in graph}
        moral = all(graph.has_edge(a, c) for v in graph for a, c in combinations(into[v], 2))
        if moral and nx.is_directed_acyclic_graph(nx.DiGraph(list(arrows))):
            yield arrows


def count_by_roots(graph):
    """He, Jia & Yu 2015: an orientation has one root; orient outward from it and count the pieces left open."""

    @cache
    def count(nodes):
        return sum(math.prod(count(piece) for piece in pieces_left(nodes, root)) for root in nodes)

    def pieces_left(nodes, root):
        part = graph.subgraph(nodes)
        far = nx.single_source_shortest_path_length(part, root)
        arrows = {(a, b) for a, b in part.edges if far[a] < far[b]} | {(b, a) for a, b in part.edges if far[b] < far[a]}
        still_open = {frozenset(edge) for edge in part.edges if far[edge[0]] == far[edge[1]]}
        while forced := {
            (y, z)
            for y, z in (pair for edge in still_open for pair in (tuple(edge), tuple(edge)[::-1]))
            if any(b == y and not part.has_edge(x, z) for x, b in arrows)
        }:
            arrows |= forced
            still_open -= {frozenset(arrow) for arrow in forced}
        left = nx.Graph([tuple(edge) for edge in still_open])
        return [frozenset(piece) for piece in nx.connected_components(left)]

    return math.prod(count(frozenset(piece)) for piece in nx.connected_components(graph))


def random_chordal(rng, nodes, width):
    """Each new node joins part of a clique that is there already (or nothing, now and then)."""
    graph = nx.Graph()
    graph.add_node(0)
    for v in range(1, nodes):
        home = int(rng.integers(v))
        clique = next(c for c in nx.find_cliques(graph) if home in c)
        size = int(rng.integers(0 if rng.random() < 0.1 else 1, min(width, len(clique)) + 1))
        graph.add_node(v)
        graph.add_edges_from((u, v) for u in rng.choice(clique, size=size, replace=False).tolist())
    return graph


class TestKnownSizes:
    """Formulas of He, Jia & Yu 2015 by number of edges."""

    def test_tree_has_as_many_as_nodes(self):
        assert counter(nx.star_graph(39)).count() == 40
        assert counter(nx.path_graph(40)).count() == 40
        assert counter(nx.random_labeled_tree(40, seed=0)).count() == 40

    def test_tree_and_one_edge(self):
        """A triangle with a tail: 2 n"""
        tail = nx.path_graph(20)
        tail.add_edge(0, 2)
        assert counter(tail).count() == 40

    @pytest.mark.parametrize("n", [1, 2, 12, 30])
    def test_clique(self, n):
        assert counter(nx.complete_graph(n)).count() == math.factorial(n)

    def test_clique_but_one_edge(self):
        nearly = nx.complete_graph(30)
        nearly.remove_edge(0, 1)
        assert counter(nearly).count() == 2 * math.factorial(29) - math.factorial(28)

    def test_pieces_multiply(self):
        both = nx.disjoint_union(nx.complete_graph(4), nx.path_graph(3))
        both.add_node(99)
        assert counter(both).count() == 24 * 3

    def test_nothing_to_direct(self):
        assert ChordalCounter({}).count() == 1


def test_against_listing_with_and_without_known_arrows():
    rng = np.random.default_rng(1)
    for _ in range(40):
        graph = random_chordal(rng, int(rng.integers(3, 8)), 3)
        if graph.number_of_edges() > 11:
            continue
        found = list(orientations(graph))
        sums = counter(graph)
        assert sums.count() == len(found)
        for _ in range(5):
            pairs = [edge if rng.random() < 0.5 else edge[::-1] for edge in graph.edges if rng.random() < 0.3]
            assert sums.count(pairs) == sum(arrows >= set(pairs) for arrows in found)


def test_against_the_recursion_by_roots():
    rng = np.random.default_rng(2)
    for width in (2, 3, 4, 5):
        for _ in range(4):
            graph = random_chordal(rng, 14, width)
            assert counter(graph).count() == count_by_roots(graph)


def test_both_directions_of_an_edge_share_the_class():
    graph = random_chordal(np.random.default_rng(3), 40, 4)
    sums = counter(graph)
    for a, b in graph.edges:
        assert sums.count([(a, b)]) + sums.count([(b, a)]) == sums.count()


def test_known_arrows_in_a_large_clique():
    """Ten separate arrows halve 25! ten times; three tiers leave the orders within tiers; a cycle leaves nothing."""
    clique = counter(nx.complete_graph(25))
    assert clique.count((2 * i, 2 * i + 1) for i in range(10)) == math.factorial(25) // 2**10
    tiers = [(a, b) for a, b in combinations(range(25), 2) if a // 9 < b // 9]
    assert clique.count(tiers) == math.factorial(9) ** 2 * math.factorial(7)
    assert clique.count([(0, 1), (1, 2), (2, 0)]) == 0
