"""Pictures of graphs: where things stand, what they look like, and that names stay names."""

import json
import re
from dataclasses import asdict
from itertools import combinations, permutations, product
from math import isclose, nan
from xml.etree import ElementTree

import numpy as np
import pytest

from binotears_core.data.table import BinaryData
from binotears_core.explain.coefficients import refit
from binotears_core.graph.dag import from_edges
from binotears_core.graph.equivalence import cpdag
from binotears_core.graph.members import EquivalenceClass
from binotears_core.graph.metrics import compare
from binotears_core.results import Path, PathPoint
from pages._ui.colours import DARK, LIGHT
from pages._ui.graphview import effects, layered
from pages._ui.graphview.drawing import (
    class_picture,
    dag_picture,
    difference_picture,
    member_picture,
    plain_picture,
    width_of,
)
from pages._ui.graphview.effects import Shown
from pages._ui.graphview.free import free_html
from pages._ui.graphview.geometry import border, track
from pages._ui.graphview.groups import group_name, grouping
from pages._ui.graphview.labels import LONGEST_LINE, MOST_LINES, wrap
from pages._ui.graphview.layouts import LAYOUTS, NARROW
from pages._ui.graphview.routes import _crosses, around, smoothed
from pages._ui.graphview.svg import legend_html, svg, svg_in_app

# diamond:  A → B → D, A → C → D
DIAMOND = from_edges([("A", "B"), ("A", "C"), ("B", "D"), ("C", "D")], "ABCD")
COLLIDER = from_edges([("A", "C"), ("B", "C")], "ABC")


def shown_with(terms, adjacency=COLLIDER, names="ABC"):
    """A graph whose last node has these coefficients."""
    every = ({}, {}, terms)
    return Shown(tuple(names), adjacency, np.where(adjacency, 1.5, 0.0), every)


def random_dag(rng, p):
    order = rng.permutation(p)
    return np.triu(rng.random((p, p)) < 0.35, 1)[np.ix_(order, order)].astype(np.int8)


def boxes_apart(picture):
    for a, b in combinations(picture.nodes, 2):
        beside = abs(a.x - b.x) >= (a.width + b.width) / 2 - 1e-6
        above = abs(a.y - b.y) >= (a.height + b.height) / 2 - 1e-6
        assert beside or above, (a.name, b.name)


# Places --------------------------------------------------------------------------------------------------------------


def test_layers_of_named_graphs():
    assert layered.layers(4, [(0, 1), (0, 2), (1, 3), (2, 3)]) == [0, 1, 1, 2]
    assert layered.layers(3, [(0, 2), (1, 2)]) == [0, 0, 1]
    assert layered.layers(4, [(0, 1), (1, 2)]) == [0, 1, 2, 3]  # a node without edges stands below


def test_causes_stand_above_their_effects():
    rng = np.random.default_rng(0)
    for _ in range(30):
        dag = random_dag(rng, 9)
        picture = plain_picture(dag, [f"X{k}" for k in range(9)], layout="layered ↓")
        assert all(picture.nodes[i].y < picture.nodes[j].y for i, j in np.argwhere(dag))


@pytest.mark.parametrize("layout", [*LAYOUTS, None])
def test_boxes_never_overlap_and_lie_inside(layout):
    rng = np.random.default_rng(1)
    for p in (1, 2, 7, 15):
        names = ["n" * int(rng.integers(1, 50)) + str(k) for k in range(p)]
        picture = plain_picture(random_dag(rng, p), names, layout=layout)
        boxes_apart(picture)
        for node in picture.nodes:
            assert node.width / 2 <= node.x <= picture.width - node.width / 2
            assert node.height / 2 <= node.y <= picture.height - node.height / 2


def slow_crossings(rows, edges):
    """Twin: every pair of edges between neighbouring rows, one by one."""
    place = {v: (number, k) for number, row in enumerate(rows) for k, v in enumerate(row)}
    total = 0
    for (a, b), (c, d) in combinations(edges, 2):
        if place[a][0] == place[c][0]:
            total += (place[a][1] - place[c][1]) * (place[b][1] - place[d][1]) < 0
    return total


def test_crossings_agree_with_counting_pairs_and_ordering_reaches_the_best():
    rng = np.random.default_rng(2)
    best_reached = 0
    for _ in range(20):
        edges = [(i, 4 + j) for i, j in product(range(4), range(4)) if rng.random() < 0.4]
        grid = layered._grid([(40, 20)] * 8, [0] * 4 + [1] * 4, edges)
        assert layered._crossings(grid) == slow_crossings(grid.rows, edges)
        layered._order(grid)
        fewest = min(
            slow_crossings([list(top), list(low)], edges)
            for top in permutations(range(4))
            for low in permutations(range(4, 8))
        )
        assert layered._crossings(grid) >= fewest
        best_reached += layered._crossings(grid) == fewest
    assert best_reached >= 15


def test_places_in_a_row_are_the_least_squares_ones():
    rng = np.random.default_rng(3)
    grid = layered._Grid(3, [30.0, 50.0, 20.0], [[0, 1, 2]])
    gaps = [(30 + 50) / 2 + layered.SIDE_GAP, (50 + 20) / 2 + layered.SIDE_GAP]
    for _ in range(20):
        wishes = rng.normal(0, 60, 3)
        found = np.array(layered._apart(grid, [0, 1, 2], wishes.tolist()))
        assert np.all(np.diff(found) >= np.array(gaps) - 1e-9)
        cost = np.sum((found - wishes) ** 2)
        others = found + rng.normal(0, 5, (500, 3))
        allowed = np.all(np.diff(others, axis=1) >= gaps, axis=1)
        assert np.all(np.sum((others[allowed] - wishes) ** 2, axis=1) >= cost - 1e-9)


def test_a_line_goes_around_a_box_in_its_way():
    box = (0.0, 50.0, 40.0, 20.0)
    (bend,) = around((0.0, 0.0), (0.0, 100.0), [box])
    assert not _crosses((0.0, 0.0), bend, box)
    assert not _crosses(bend, (0.0, 100.0), box)
    assert around((0.0, 0.0), (0.0, 100.0), []) == []


def test_smoothing_drops_small_bends_but_never_cuts_through_a_box():
    points = [(0.0, 0.0), (5.0, 50.0), (0.0, 100.0)]
    assert smoothed(points, []) == [points[0], points[-1]]
    assert smoothed(points, [(-12.0, 50.0, 10.0, 10.0)]) == points


def test_lines_begin_and_end_at_borders():
    picture = plain_picture(DIAMOND, "ABCD")
    for line in picture.lines:
        start, *_, end = track(picture, line)
        for (x, y), node in ((start, picture.nodes[line.source]), (end, picture.nodes[line.target])):
            outside = max(abs(x - node.x) / node.width, abs(y - node.y) / node.height) * 2
            assert 1 - 1e-9 <= outside < 1.5
    node = picture.nodes[0]
    assert border(node, (node.x, node.y + 500)) == (node.x, node.y + node.height / 2)


def test_the_same_shape_keeps_nodes_in_place_when_edges_go():
    names, edges = "ABCD", [tuple(edge) for edge in np.argwhere(DIAMOND).tolist()]
    terms = ({}, {(0,): (1.0, 0.1)}, {(0,): (1.0, 0.1)}, {(1,): (1.0, 0.1), (2,): (1.0, 0.1)})
    strength = np.where(DIAMOND, np.arange(16).reshape(4, 4), 0.0)
    shown = Shown(tuple(names), DIAMOND, strength, terms)
    full = dag_picture(shown, shaped_by=edges)
    fewer = dag_picture(shown.above(5.0), shaped_by=edges)
    assert len(fewer.lines) < len(full.lines)
    assert [(n.x, n.y) for n in fewer.nodes] == [(n.x, n.y) for n in full.nodes]


# Names ---------------------------------------------------------------------------------------------------------------


def test_names_are_broken_not_cut():
    for name in ("district_urban_over_80pct", "CamelCaseNameThatIsLong", "a b c", "x" * 60):
        lines = wrap(name)
        assert "".join(lines).replace(" ", "") == name.replace(" ", "")
        assert all(len(line) <= LONGEST_LINE for line in lines)
    assert len(wrap("x" * 300)) == MOST_LINES
    assert wrap("x" * 300)[-1].endswith("…")
    assert wrap("\x00\n") == ("·",)


# What an edge does ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("terms", "signs", "together"),
    [
        ({(0,): (1.0, 0.1), (1,): (-1.0, 0.1)}, ("raises", "lowers"), set()),
        ({(0, 1): (3.0, 0.1)}, ("interaction", "interaction"), {0, 1}),  # noisy AND
        ({(0,): (2.0, 0.1), (1,): (2.0, 0.1), (0, 1): (-4.0, 0.1)}, ("interaction",) * 2, {0, 1}),  # XOR
        ({(0,): (2.0, 0.1), (1,): (2.0, 0.1), (0, 1): (1.0, 0.1)}, ("raises", "raises"), {0, 1}),
        ({(0,): (2.0, 0.1), (1,): (2.0, 0.1), (0, 1): (0.1, 0.1)}, ("raises", "raises"), set()),  # not clear
        ({(0,): (0.05, 0.1), (1,): (0.05, 0.1), (0, 1): (5.0, 0.2)}, ("interaction",) * 2, {0, 1}),  # saturated AND
        ({(0,): (9.0, nan), (1,): (9.0, nan), (0, 1): (-9.0, nan)}, ("raises", "raises"), {0, 1}),  # deterministic OR
    ],
)
def test_what_causes_do(terms, signs, together):
    found = effects.influences(terms, [0, 1])
    assert (found[0].sign, found[1].sign) == signs
    assert {i for i, act in found.items() if act.together} == together


def test_a_path_point_is_redrawn_from_what_is_stored():
    terms = ((), (0,), (1,), (0, 1))
    h = np.zeros((4, 3))
    h[:, 2] = [-1.0, 0.1, 0.9, 0.8]
    strength = np.zeros((3, 3))
    strength[0, 2], strength[1, 2] = np.hypot(0.1, 0.8), np.hypot(0.9, 0.8)
    point = PathPoint(0.05, 0.2, 1.0, 0.0, h, strength, COLLIDER, 10.0)
    path = Path((point,), 0, "the only one", terms)
    low = effects.of_path(path, 0, ("A", "B", "C"), 0.3)
    assert low.edges == [(0, 2), (1, 2)]
    assert set(low.terms[2]) == {(), (1,), (0, 1)}  # 0.1 is not stronger than the threshold
    assert effects.of_path(path, 0, ("A", "B", "C"), 1.0).edges == [(1, 2)]
    assert effects.of_path(path, 0, ("A", "B", "C"), 5.0).edges == []
    must = np.zeros((3, 3), dtype=bool)
    must[0, 1] = True
    assert effects.of_path(path, 0, ("A", "B", "C"), 5.0, must).edges == [(0, 1)]


def test_terms_of_a_table_agree_with_the_regression():
    rng = np.random.default_rng(0)
    data = BinaryData.from_array(rng.integers(0, 2, (400, 3)), ["A", "B", "C"])
    fits = refit(data, COLLIDER, "all")
    shown = effects.of_fits(fits.nodes, COLLIDER)
    fit = fits["C"]
    assert len(shown.terms[2]) == len(fit.terms) == 4
    for term, value, error in zip(fit.terms, fit.log_odds, fit.std_error, strict=True):
        assert shown.terms[2][tuple("ABC".index(name) for name in term)] == (value, error)


# Looks ---------------------------------------------------------------------------------------------------------------


def test_widths_grow_with_strength_from_1_to_6():
    widths = [width_of(s) for s in (0, 0.3, 1, 3, 1000)]
    assert widths == sorted(widths)
    assert (widths[0], widths[-1]) == (1.0, 6.0)


def test_parents_that_act_together_meet_in_a_junction():
    picture = dag_picture(shown_with({(0, 1): (3.0, 0.1)}))
    (mark,) = picture.junctions
    assert mark.child == 2
    stem = next(line for line in picture.lines if line.edge is None)
    assert (stem.source, stem.target, stem.head) == (3, 2, "solid")
    assert all(line.target == 3 and line.colour == "interaction" for line in picture.lines if line.edge)
    assert "A and B act together on C" in mark.note
    assert not dag_picture(shown_with({(0,): (1.0, 0.1), (1,): (1.0, 0.1)})).junctions


def test_reversible_edges_are_dashed_hollow_amber_and_explain_themselves():
    chain = from_edges([("A", "B"), ("B", "C")], "ABC")
    terms = ({}, {(0,): (1.0, 0.1)}, {(1,): (1.0, 0.1)})
    shown = Shown(tuple("ABC"), chain, np.where(chain, 1.0, 0.0), terms)
    for line in dag_picture(shown).lines:
        assert (line.dashed, line.head, line.head_colour, line.colour) == (True, "hollow", "reversible", "raises")
        assert "the data cannot tell the direction; " in line.note
    assert {line.colour for line in dag_picture(shown, colouring="certainty").lines} == {"reversible"}
    assert not any(line.dashed for line in dag_picture(shown_with({(0,): (1.0, 0.1), (1,): (1.0, 0.1)})).lines)


def test_a_class_shows_shares_locks_and_what_follows():
    chain = EquivalenceClass.of_dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], "ABC")
    open_lines = class_picture(chain).lines
    assert {(line.tail_text, line.head_text) for line in open_lines} == {("2", "1"), ("1", "2")}
    assert all(line.head == "none" and line.dashed for line in open_lines)
    locked, follows = class_picture(chain.lock("A", "B")).lines
    assert locked.width > follows.width
    assert follows.tail_text == "R1"
    assert "Rule 1" in follows.note


def test_members_keep_every_node_in_its_place():
    members = EquivalenceClass.of_dag(DIAMOND, "ABCD")
    base = class_picture(members)
    seen = set()
    for graph in members.members():
        picture = member_picture(base, graph)
        assert picture.nodes == base.nodes
        assert sorted(line.edge for line in picture.lines) == sorted(map(tuple, np.argwhere(graph).tolist()))
        assert all(line.edge == (line.source, line.target) and line.head == "solid" for line in picture.lines)
        seen.add(picture.alt)
    assert len(seen) == members.count == 3


def test_a_difference_shows_every_verdict_in_its_colour():
    truth = from_edges([("A", "C"), ("B", "C"), ("C", "D")], "ABCD")
    found = from_edges([("A", "C"), ("C", "B"), ("A", "D")], "ABCD")
    verdicts = compare(truth, found, "ABCD").edges
    picture = difference_picture(verdicts, "ABCD")
    colours = {line.edge: line.colour for line in picture.lines}
    assert colours == {(0, 2): "right", (2, 1): "reversed", (0, 3): "extra", (2, 3): "missing"}
    assert [line.edge for line in picture.lines if line.dashed] == [(2, 3)]
    assert {key.text.split(":")[0] for key in picture.legend} >= {"right", "reversed", "extra", "missing"}


# Files ---------------------------------------------------------------------------------------------------------------


def hostile_picture(names):
    names = names[:3]
    return dag_picture(shown_with({(0, 1): (3.0, 0.1)}, names=names), shares=[0.2, 0.5, 0.7])


def everything_written(root):
    return " ".join("".join(element.itertext()) for element in root.iter() if element.tag.endswith(("text", "title")))


def test_svg_is_well_formed_and_names_are_text(hostile_names):
    for start in (0, 3):
        names = hostile_names[start : start + 3]
        picture = hostile_picture(names)
        for drawing in (svg(picture, LIGHT, title=names[0]), svg(picture, DARK), svg_in_app(picture)):
            root = ElementTree.fromstring(drawing)
            tags = {element.tag.split("}")[-1] for element in root.iter()}
            assert tags <= {"svg", "g", "rect", "path", "polygon", "text", "tspan", "title"}
            assert not any(key.startswith("on") for element in root.iter() for key in element.attrib)
            assert all(" ".join(name.split()) in " ".join(everything_written(root).split()) for name in names)


def test_svg_survives_characters_that_xml_forbids():
    picture = plain_picture(COLLIDER, ["a\x00b", "c\ud800d", "e\uffff\x1b"])
    root = ElementTree.fromstring(svg(picture))
    written = everything_written(root)
    assert all(letter in written for letter in "abcde")


def test_a_saved_picture_has_its_legend_and_one_theme():
    picture = hostile_picture(("A", "B", "C"))
    drawing = svg(picture, LIGHT)
    assert all(key.text in drawing for key in picture.legend)
    assert LIGHT.interaction in drawing
    assert "light-dark" not in drawing
    assert DARK.interaction in svg(picture, DARK)
    assert f"light-dark({LIGHT.interaction},{DARK.interaction})" in legend_html(picture.legend)


def test_the_free_view_is_one_file_that_loads_nothing(hostile_names):
    for start in (0, 3):
        html = free_html(hostile_picture(hostile_names[start : start + 3]))
        assert "default-src 'none'" in html
        assert not re.search(r"<(script|link|img|iframe)[^>]*\b(src|href)\s*=", html)
        drawing = re.search(r"const drawing = (.*);\n", html)
        assert drawing is not None
        assert not set("<>&") & set(drawing[1])
        labels = [node["title"].split("\n")[0] for node in json.loads(drawing[1])["nodes"][:3]]
        assert labels == list(hostile_names[start : start + 3])
        assert len(re.findall("</script", html)) == 2


def test_a_picture_travels_as_json():
    picture = hostile_picture(("A", "B", "C"))
    assert json.loads(json.dumps(asdict(picture)))["nodes"][0]["name"] == "A"
    assert isclose(picture.nodes[0].share, 0.2)


# Groups --------------------------------------------------------------------------------------------------------------

#   female → survived ← class=first, class=third;  class=first → rich → class=third
SHIP = ("female", "class=first", "class=third", "survived", "rich")
SHIP_EDGES = [
    ("female", "survived"), ("class=first", "survived"), ("class=third", "survived"), ("class=first", "rich"),
    ("rich", "class=third"),
]  # fmt: skip


def ship():
    """The third class lowers the odds most, the first raises them; female acts together with the third class."""
    adjacency = from_edges(SHIP_EDGES, SHIP)
    strength = np.where(adjacency, 1.0, 0.0)
    strength[2, 3] = 3.0
    survived = {(0,): (2.0, 0.1), (1,): (1.0, 0.1), (2,): (-3.0, 0.1), (0, 2): (1.5, 0.1)}
    terms = ({}, {}, {(4,): (1.0, 0.1)}, survived, {(1,): (1.0, 0.1)})
    return Shown(SHIP, adjacency, strength, terms)


def test_names_of_groups():
    assert group_name(["class=first", "class=third"]) == "class"
    assert group_name(["age 30-40", "age 40-50"]) == "age"
    assert group_name(["first_class", "third_class", "crew"]) == "first_class / third_class / crew"
    assert group_name(["first_class", "first_clan"]) == "first"
    assert group_name(["red", "reddish"]) == "red / reddish"  # "red" is a level, not what they share
    assert grouping(["class", "class=a", "class=b"], [["class=a", "class=b"]]).names == ("class", "class (group)")


def test_every_column_is_in_one_node_whatever_the_groups():
    drawn = grouping("ABCDE", [["B", "D"], ["D", "E"], ["A"], ["Z", "C"]])
    assert drawn.members == ((0,), (1, 3), (2,), (4,))
    assert drawn.node_of == (0, 1, 2, 1, 3)


def test_a_group_is_one_node_and_its_edges_look_like_the_strongest():
    picture = dag_picture(ship(), groups=[["class=first", "class=third"]], shares=[0.2, 0.3, 0.4, 0.5, 0.6])
    assert [node.name for node in picture.nodes] == ["female", "class", "survived", "rich"]
    assert [(node.stacked, node.share) for node in picture.nodes][1] == (True, None)
    assert "class=first, class=third" in picture.nodes[1].note
    lines = {line.edge: line for line in picture.lines if line.edge}
    assert set(lines) == {(0, 2), (1, 2), (1, 3), (3, 1)}
    assert lines[1, 2].width == width_of(3.0)
    assert lines[1, 2].colour == "lowers"
    assert all(name in lines[1, 2].note for name in ("class=first → survived", "class=third → survived", "2 edges"))
    assert "edges, drawn" not in lines[0, 2].note
    assert any(key.kind == "stack" for key in picture.legend)
    boxes_apart(picture)


def test_edges_both_ways_between_two_nodes_do_not_cover_each_other():
    for layout in (*LAYOUTS, None):
        picture = dag_picture(ship(), groups=[["class=first", "class=third"]], layout=layout)
        forth, back = (next(line for line in picture.lines if line.edge == edge) for edge in ((1, 3), (3, 1)))
        assert list(forth.bends) != list(back.bends)[::-1]


def test_partners_that_become_one_node_meet_nobody():
    terms = {(0, 1): (2.0, 0.1)}
    picture = dag_picture(shown_with(terms), groups=[["A", "B"]])
    assert picture.junctions == ()
    assert len(dag_picture(shown_with(terms)).junctions) == 1


def test_without_groups_a_picture_is_what_it_was():
    assert dag_picture(ship()) == dag_picture(ship(), groups=[["female"], ["survived"]])


def test_a_stacked_node_has_two_sheets_in_every_drawing(hostile_names):
    names = (hostile_names[0], hostile_names[1], "C")
    shown = Shown(names, COLLIDER, np.where(COLLIDER, 1.5, 0.0), ({}, {}, {(0,): (1.0, 0.1), (1,): (1.0, 0.1)}))
    picture = dag_picture(shown, groups=[names[:2]])
    drawn = ElementTree.fromstring(svg(picture, legend=False))
    sheets = [one for one in drawn.iter("{http://www.w3.org/2000/svg}rect") if one.get("rx") == "8"]
    assert len(sheets) == 3  # two for the group, one for C
    html = free_html(picture)
    assert "<img" not in html
    assert html.count("</script>") == 2


# Narrow screens ------------------------------------------------------------------------------------------------------


def test_a_wide_picture_comes_with_a_narrow_one_of_the_same_graph():
    rng = np.random.default_rng(5)
    for _ in range(10):
        dag = random_dag(rng, 10)
        picture = plain_picture(dag, [f"variable_number_{k}" for k in range(10)])
        assert picture.narrow.width < picture.width
        assert [node.name for node in picture.narrow.nodes] == [node.name for node in picture.nodes]
        assert {line.edge for line in picture.narrow.lines} == {line.edge for line in picture.lines}
        assert all(picture.narrow.nodes[i].y < picture.narrow.nodes[j].y for i, j in np.argwhere(dag))
        boxes_apart(picture.narrow)


def test_many_nodes_without_edges_fit_a_telephone():
    picture = plain_picture(np.zeros((12, 12)), [f"a_long_name_of_variable_{k}" for k in range(12)])
    assert picture.narrow.width <= NARROW + 30  # and a margin


def test_a_small_picture_needs_no_narrow_one_and_a_chosen_layout_is_kept():
    assert plain_picture(DIAMOND, "ABCD").narrow is None
    wide = [name * 30 for name in "ABCD"]
    assert plain_picture(DIAMOND, wide).narrow is not None
    assert plain_picture(DIAMOND, wide, layout="circle").narrow is None


def test_no_layer_is_wider_than_it_may_be():
    rng = np.random.default_rng(6)
    for _ in range(20):
        dag = random_dag(rng, 9)
        edges = [(i, j) for i, j in np.argwhere(dag).tolist()]
        widths = rng.uniform(1, 4, 9).tolist()
        rows = layered.narrowed(layered.layers(9, edges), edges, widths, 6.0)
        assert all(rows[i] < rows[j] for i, j in edges)
        for row in set(rows):
            inside = [width for width, own in zip(widths, rows, strict=True) if own == row]
            assert sum(inside) <= 6.0 or len(inside) == 1
        assert set(rows) == set(range(max(rows) + 1))


def test_long_names_are_never_cut_more_on_a_narrow_screen():
    name = "a_very_long_name_of_a_variable_that_asks_for_more_than_one_line"
    assert "".join(wrap(name, 12, 7)) == name


def test_a_change_of_the_lines_reaches_both_arrangements():
    fork = from_edges([("A", "B"), ("A", "C"), ("A", "D")], "ABCD")
    chain = from_edges([("B", "A"), ("A", "C"), ("A", "D")], "ABCD")  # the same class
    base = class_picture(EquivalenceClass(cpdag(fork, tuple(name * 30 for name in "ABCD"))))
    turned = member_picture(base, chain)
    for picture in (turned, turned.narrow):
        assert {line.edge for line in picture.lines} == {(1, 0), (0, 2), (0, 3)}
