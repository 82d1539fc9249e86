"""Each of Meek's rules on its own pattern. That together they find everything is shown in test_members.py."""

import numpy as np

from binotears_core.graph.meek import close


def pdag(*edges, names="ABCD"):
    """Matrix from "A>B" (arrow) and "A-B" (open)."""
    matrix = np.zeros((len(names), len(names)), dtype=np.int8)
    for a, kind, b in edges:
        matrix[names.index(a), names.index(b)] = 1
        if kind == "-":
            matrix[names.index(b), names.index(a)] = 1
    return matrix


def rules(matrix, *arrows, names="ABCD"):
    pairs = [(names.index(a), names.index(b)) for a, b in arrows]
    closed, forced = close(matrix, pairs, names)
    return closed, [(f.source + f.target, f.rule) for f in forced], [f.explanation for f in forced]


def test_rule_1():
    """C → A — B"""
    closed, forced, (why,) = rules(pdag("C-A", "A-B"), "CA")
    assert forced == [("AB", 1)]
    assert np.array_equal(closed, pdag("C>A", "A>B"))
    assert why == (
        "Rule 1: C → A is known and C is not adjacent to B, so A — B must point to B; "
        "otherwise C → A ← B would be a new collider."
    )


def test_rule_2():
    """
    A ──── B
    └→ C ─→┘
    """
    _, forced, (why,) = rules(pdag("A-B", "A-C", "C-B"), "AC", "CB")
    assert forced == [("AB", 2)]
    assert "A → C → B is known" in why


def test_rule_3():
    """
      C
     / ↘
    A ── B      C and D are not joined
     \\ ↗
      D
    """
    _, forced, (why,) = rules(pdag("A-B", "A-C", "A-D", "C-B", "D-B"), "CB", "DB")
    assert forced == [("AB", 3)]
    assert "C → B ← D is known and C is not adjacent to D" in why
    assert why.endswith("C → A ← D would be a new collider.")


def test_rule_4():
    """
    C ─→ D
    │  ╱ ↓      C and B are not joined; D → B comes first by rule 1, A → B by rule 4
    A ── B
    """
    closed, forced, whys = rules(pdag("A-B", "A-C", "A-D", "C-D", "D-B"), "CD")
    assert forced == [("DB", 1), ("AB", 4)]
    assert "C → D → B is known and C is not adjacent to B" in whys[1]
    assert np.array_equal(closed, pdag("A>B", "A-C", "A-D", "C>D", "D>B"))


def test_rule_4_when_its_last_arrow_comes_first():
    """
    C ─── D
    │  ╱  ↓      D → B is known already; C → D completes the pattern two steps away from A — B
    A ─── B
    """
    known, forced, _ = rules(pdag("A-B", "A-C", "A-D", "C-D", "D-B"), "DB")
    assert forced == []
    _, forced, _ = rules(known, "CD")
    assert forced == [("AB", 4)]


def test_story_runs_outward_from_the_arrow():
    """A → B — C — D: each step rests on the one before"""
    _, forced, _ = rules(pdag("A-B", "B-C", "C-D"), "AB")
    assert forced == [("BC", 1), ("CD", 1)]


def test_nothing_given_nothing_forced():
    matrix = pdag("A-B", "B-C", "A-C")
    closed, forced, _ = rules(matrix)
    assert forced == []
    assert np.array_equal(closed, matrix)


def test_input_is_left_alone():
    matrix = pdag("A-B", "B-C")
    before = matrix.copy()
    rules(matrix, "AB")
    assert np.array_equal(matrix, before)
