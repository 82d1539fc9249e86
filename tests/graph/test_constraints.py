"""What the user knows: masks for the solvers, and contradictions named before the run."""

import numpy as np
import pytest

from binotears_core.errors import OptionError
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.dag import from_edges, to_edges

NAMES = tuple("ABCD")


def ruled_out(rules):
    return {a + b for a, b in to_edges(~rules.allowed & ~np.eye(4, dtype=bool), NAMES)}


class TestResolve:
    def test_nothing_known(self):
        rules = Constraints().resolve(NAMES)
        assert rules.free
        assert ruled_out(rules) == set()
        assert not rules.allowed.diagonal().any()

    def test_forbidden(self):
        rules = Constraints(forbidden=[("A", "B")]).resolve(NAMES)
        assert ruled_out(rules) == {"AB"}
        assert not rules.free

    def test_required(self):
        rules = Constraints(required=[("A", "B")]).resolve(NAMES)
        assert to_edges(rules.required, NAMES) == [("A", "B")]
        assert not rules.free

    def test_tiers_forbid_going_back_in_time(self):
        """A | B C ; D is in no tier and free"""
        rules = Constraints(tiers={"A": 0, "B": 1, "C": 1}).resolve(NAMES)
        assert ruled_out(rules) == {"BA", "CA"}

    def test_groups_of_the_user_and_of_the_data(self):
        rules = Constraints(groups=[("A", "B")]).resolve(NAMES, groups=[("C", "D")])
        assert ruled_out(rules) == {"AB", "BA", "CD", "DC"}

    def test_data_groups_may_name_columns_left_out(self):
        assert Constraints().resolve(NAMES, groups=[("A", "gone")]).free

    def test_iterables_are_read_once_and_kept(self):
        knowledge = Constraints(forbidden=(pair for pair in [("A", "B")]), groups=(iter("AB"),))
        assert knowledge == Constraints(forbidden=[("A", "B")], groups=[("A", "B")])


class TestAccepts:
    def test_every_required_and_none_forbidden(self):
        rules = Constraints(forbidden=[("C", "D")], required=[("A", "B")]).resolve(NAMES)
        assert rules.accepts(from_edges([("A", "B"), ("D", "C")], NAMES))
        assert not rules.accepts(from_edges([("D", "C")], NAMES))
        assert not rules.accepts(from_edges([("A", "B"), ("C", "D")], NAMES))
        assert not rules.accepts(from_edges([("B", "A")], NAMES))


@pytest.mark.parametrize(
    ("knowledge", "message"),
    [
        ({"forbidden": [("A", "Z")]}, "forbidden edge A → Z names 'Z'"),
        ({"required": [("Z", "A")]}, "required edge Z → A names 'Z'"),
        ({"required": [("A", "A")]}, "A → A is a self-loop"),
        ({"tiers": {"Z": 1}}, "tiers name 'Z'"),
        ({"groups": [("A", "Z")]}, "groups name 'Z'"),
        ({"tiers": [("A", 0), ("A", 1)]}, "'A' is in tier 0 and in tier 1"),
        (
            {"forbidden": [("A", "B")], "required": [("A", "B")]},
            "A → B contradicts the forbidden edge A → B",
        ),
        (
            {"required": [("B", "A")], "tiers": {"A": 0, "B": 1}},
            r"contradicts the tiers \(B is in tier 1, A in tier 0\)",
        ),
        ({"required": [("A", "B")], "groups": [("A", "B")]}, r"contradicts the group \{A, B\}"),
        ({"required": [("A", "B"), ("B", "C"), ("C", "A")]}, "form a cycle: .*A → B"),
        (
            {"required": [("B", "D"), ("D", "A")], "tiers": {"A": 0, "B": 1}},
            r"lead from B \(tier 1\) to A \(tier 0\)",
        ),
    ],
)
def test_contradictions_are_named(knowledge, message):
    with pytest.raises(OptionError, match=message):
        Constraints(**knowledge).resolve(NAMES)
