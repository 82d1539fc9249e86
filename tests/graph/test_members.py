"""The members of a class: all 185 classes on four nodes, and random ones, against filtering the list of members."""

import math
from itertools import permutations

import numpy as np
import pytest

from binotears_core.errors import OptionError
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.dag import from_edges, to_edges
from binotears_core.graph.equivalence import cpdag
from binotears_core.graph.members import EquivalenceClass, count_members, edge_shares, list_members, lock


def class_of(*edges, names="ABCD"):
    return EquivalenceClass.of_dag(from_edges([tuple(edge) for edge in edges], names), names)


def as_set(matrices):
    return {matrix.tobytes() for matrix in matrices}


def having(members, found, edge):
    i, j = (found.cpdag.position(name) for name in edge)
    return [member for member in members if member[i, j]]


def check(found, members):
    """A class with locks against the list of the members that have them."""
    assert found.count == len(members)
    assert as_set(found.members()) == as_set(members)
    assert np.array_equal(found.graph.matrix, np.maximum.reduce(members))
    assert set(found.explanations) == set(found.compelled)
    for share in found.shares:
        assert (share.count, share.total) == (len(having(members, found, (share.source, share.target))), len(members))


class TestNamedGraphs:
    def test_path(self):
        """A — B — C — D: one member for each place the arrows start from; A → B leaves one, B → A three"""
        path = class_of("AB", "BC", "CD")
        assert path.count == 4
        assert [share.count for share in path.shares] == [1, 2, 3]
        locked = path.lock("A", "B")
        assert locked.count == 1
        assert [(c.source, c.target, c.rule) for c in locked.steps[0].consequences] == [("B", "C", 1), ("C", "D", 1)]
        assert path.lock("B", "A").steps[0].consequences == ()

    def test_collider(self):
        """A → B ← C"""
        collider = class_of("AB", "CB")
        assert collider.count == 1
        assert collider.shares == []
        assert collider.share("A", "B").sentence == "A → B in every equivalent graph."
        assert collider.share("B", "A").sentence == "B → A in no equivalent graph."

    def test_rule_4_is_met_by_locking(self):
        """
        C ─→ D
        │  ╱ │      skeleton of the class; C → D is locked
        A ── B
        """
        kite = class_of("AB", "AC", "AD", "CD", "DB")
        locked = kite.lock("C", "D")
        assert {(c.source, c.target, c.rule) for c in locked.steps[0].consequences} == {("D", "B", 1), ("A", "B", 4)}

    def test_sentence(self):
        share = class_of("AB", "BC", "CD").share("B", "C")
        assert share.sentence == "B — C: the data cannot tell the direction; 2 of 4 equivalent graphs have B → C."


class TestAgainstBruteForce:
    def test_members_counts_and_shares(self, classes_on_4):
        for members in classes_on_4:
            check(EquivalenceClass.of_dag(members[0]), members)
            graph = cpdag(members[-1])
            assert count_members(graph) == len(members)
            assert edge_shares(graph) == EquivalenceClass(graph).shares

    def test_one_lock(self, classes_on_4):
        """What follows from a lock is what the members that have it agree on, and were not agreed on before."""
        for members in classes_on_4:
            free = EquivalenceClass.of_dag(members[0])
            for a, b in free.reversible:
                for edge in ((a, b), (b, a)):
                    locked = free.lock(*edge)
                    check(locked, having(members, free, edge))
                    then = {(c.source, c.target) for c in locked.steps[-1].consequences}
                    assert then == set(locked.compelled) - set(free.compelled) - {edge}

    def test_two_locks_in_any_order(self, classes_on_4):
        for members in classes_on_4:
            free = EquivalenceClass.of_dag(members[0])
            for member in members[:3]:
                edges = [edge for edge in to_edges(member, free.cpdag.names) if edge not in free.compelled]
                for first, second in permutations(edges, 2):
                    left = having(having(members, free, first), free, second)
                    assert np.array_equal(free.lock(*first).lock(*second).graph.matrix, np.maximum.reduce(left))

    def test_many_locks(self, random_dag):
        rng = np.random.default_rng(0)
        for _ in range(25):
            p = int(rng.integers(5, 8))
            found = EquivalenceClass.of_dag(random_dag(rng, p, int(rng.integers(p, 3 * p))))
            members = list(found.members())
            while found.reversible and len(members) < 400:
                a, b = found.reversible[rng.integers(len(found.reversible))]
                edge = (a, b) if rng.random() < 0.5 else (b, a)
                found, members = found.lock(*edge), having(members, found, edge)
                check(found, members)

    def test_rules(self, classes_on_4):
        """Random knowledge: the members that obey it, or an error when there is none."""
        rng = np.random.default_rng(0)
        names = ("X1", "X2", "X3", "X4")
        pairs = list(permutations(names, 2))
        refused = 0
        for members in classes_on_4[::2]:
            forbidden = [pairs[k] for k in rng.choice(12, size=2, replace=False)]
            required = [pair for pair in [pairs[rng.integers(12)]] if pair not in forbidden and rng.random() < 0.3]
            rules = Constraints(forbidden=forbidden, required=required).resolve(names)
            obedient = [member for member in members if rules.accepts(member)]
            free = EquivalenceClass.of_dag(members[0])
            if obedient:
                check(free.with_rules(rules), obedient)
            else:
                refused += 1
                with pytest.raises(OptionError, match="No member of this class obeys"):
                    free.with_rules(rules)
        assert 0 < refused < len(classes_on_4) // 2


class TestLocking:
    def test_undo(self):
        path = class_of("AB", "BC", "CD")
        both = path.lock("B", "A").lock("C", "D")
        assert both.locks == (("B", "A"), ("C", "D"))
        assert both.unlock("B", "A") == path.lock("C", "D")
        assert both.unlock("B", "A").unlock("C", "D") == path

    def test_lock_that_holds_already_is_kept_for_later(self):
        """B → C follows from A → B; locked as well, it stays when A → B is undone."""
        path = class_of("AB", "BC").lock("A", "B").lock("B", "C")
        assert path.steps[-1].consequences == ()
        assert path.unlock("A", "B").compelled == [("B", "C")]

    def test_plain_function_continues_from_an_earlier_graph(self):
        first = lock(cpdag(from_edges([("A", "B"), ("A", "C")], "ABC"), "ABC"), "A", "B")
        second = lock(first.graph, "A", "C")
        assert second.graph.directed == [("A", "B"), ("A", "C")]

    def test_against_a_compelled_arrow(self):
        with pytest.raises(OptionError, match=r"B → A is not possible: .* has A → B\. Collider: A → B ← C"):
            class_of("AB", "CB").lock("B", "A")

    def test_against_an_earlier_lock(self):
        with pytest.raises(OptionError, match=r"C → B is not possible: .* Rule 1: A → B is known"):
            class_of("AB", "BC").lock("A", "B").lock("C", "B")

    def test_not_adjacent(self):
        with pytest.raises(OptionError, match="A and D are not adjacent"):
            class_of("AB", "BC").lock("A", "D")

    def test_unknown_name(self):
        with pytest.raises(OptionError, match="'Z' is not a variable of this graph"):
            class_of("AB").lock("A", "Z")

    def test_nothing_to_undo(self):
        with pytest.raises(OptionError, match="A → B is not locked"):
            class_of("AB").unlock("A", "B")


class TestRules:
    def test_tiers_orient_and_say_why(self):
        """A in tier 0, B in tier 1: A → B, and then B → C"""
        rules = Constraints(tiers={"A": 0, "B": 1}).resolve(tuple("ABC"))
        found = class_of("AB", "BC", names="ABC").with_rules(rules)
        assert found.compelled == [("A", "B"), ("B", "C")]
        assert found.explanations["A", "B"] == "B → A is not allowed."
        assert found.locks == (("A", "B"),)

    def test_required_edge_that_is_not_there(self):
        rules = Constraints(required=[("A", "C")]).resolve(tuple("ABC"))
        with pytest.raises(OptionError, match=r"A → C is required\. But A and C are not adjacent"):
            class_of("AB", names="ABC").with_rules(rules)

    def test_knowledge_that_would_make_a_collider(self):
        """A — B — C with A → B and C → B required: each is possible, both are not"""
        rules = Constraints(required=[("A", "B"), ("C", "B")]).resolve(tuple("ABC"))
        with pytest.raises(OptionError, match=r"C → B is required\. But C → B is not possible"):
            class_of("AB", "BC", names="ABC").with_rules(rules)


class TestLarge:
    def test_listing_is_lazy(self):
        """The complete graph on 12 nodes has 12! members; the first five come at once."""
        complete = cpdag(np.triu(np.ones((12, 12)), 1))
        assert count_members(complete) == math.factorial(12)
        assert len(as_set(list_members(complete, limit=5))) == 5

    def test_members_are_the_callers_to_change(self):
        graph = cpdag(np.zeros((2, 2)))
        next(list_members(graph))[0, 1] = 1
        assert not graph.matrix.any()

    def test_star(self):
        star = np.zeros((40, 40))
        star[0, 1:] = 1
        found = EquivalenceClass.of_dag(star)
        assert {(share.count, share.total) for share in found.shares} == {(39, 40)}
