"""From what the edges should look like to a picture: boxes, places, junctions, lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pages._ui.graphview.labels import NARROW_LINE, NARROW_LINES, box, wrap
from pages._ui.graphview.layouts import NARROW, Layout, Places, extent, place, place_narrow
from pages._ui.graphview.picture import JUNCTION_SIZE, Head, Junction, Key, Line, Node, Picture, Point
from pages._ui.graphview.routes import around, beside, smoothed

MARGIN = 14.0
JUNCTION_DISTANCE = 27.0  # from the border of the child to the middle of the diamond

MOST_NARROW = 40  # nodes; more are no pleasure on a telephone in any arrangement

Size = tuple[float, float]
Pair = tuple[int, int]
Bends = Mapping[tuple[int, int], Sequence[Point]]


@dataclass(frozen=True)
class EdgeLook:
    """An edge between columns and how it is drawn (see `Line`).

    meets  the edge ends in the junction before its child, where it meets others that act together with it
    """

    source: int
    target: int
    width: float = 2.0
    colour: str = "compelled"
    dashed: bool = False
    head: Head = "solid"
    head_colour: str = ""
    note: str = ""
    tail_text: str = ""
    head_text: str = ""
    meets: bool = False


def arrange(
    names: Sequence[str],
    edges: Sequence[EdgeLook],
    legend: Sequence[Key] = (),
    *,
    layout: Layout | None = None,
    shaped_by: Sequence[tuple[int, int]] | None = None,
    shares: Sequence[float | None] | None = None,
    notes: Sequence[str] | None = None,
    stacked: Sequence[bool] | None = None,
    alt: str = "",
) -> Picture:
    """Place everything. Without a layout the better layered one is taken, and one for narrow screens comes along.

    shaped_by      edges that decide where the nodes stand; by default those drawn. The same edges, the same places.
    shares, notes, stacked  along the names
    """
    shape = [(edge.source, edge.target) for edge in edges] if shaped_by is None else shaped_by

    def arranged(texts: Sequence[tuple[str, ...]], put: Callable[[Sequence[Size], Sequence[Pair]], Places]) -> Picture:
        sizes = [box(lines) for lines in texts]
        centres, routes = put(sizes, shape)
        nodes = tuple(
            Node(
                name=name,
                lines=texts[k],
                x=centres[k][0],
                y=centres[k][1],
                width=sizes[k][0],
                height=sizes[k][1],
                share=None if shares is None else shares[k],
                note="" if notes is None else notes[k],
                stacked=stacked is not None and stacked[k],
            )
            for k, name in enumerate(names)
        )
        bends = _bends([(edge.source, edge.target) for edge in edges], centres, sizes, routes)
        junctions = _junctions(nodes, edges, bends)
        lines = _lines(edges, bends, junctions, len(nodes))
        return _framed(Picture(nodes, junctions, lines, tuple(legend), 0.0, 0.0, alt))

    picture = arranged([wrap(name) for name in names], partial(place, layout=layout))
    if layout is not None or picture.width <= NARROW or len(names) > MOST_NARROW:
        return picture
    return replace(picture, narrow=arranged([wrap(name, NARROW_LINE, NARROW_LINES) for name in names], place_narrow))


def _bends(
    pairs: Sequence[tuple[int, int]], centres: Sequence[Point], sizes: Sequence[tuple[float, float]], routes: Bends
) -> Bends:
    """The way of every edge. One drawn against the edge that shaped the layers takes the same way back."""
    bends: dict[tuple[int, int], Sequence[Point]] = {}
    for a, b in pairs:
        boxes = [(*centres[k], *sizes[k]) for k in range(len(sizes)) if k not in (a, b)]
        way = routes[a, b] if (a, b) in routes else routes[b, a][::-1] if (b, a) in routes else None
        if (b, a) in bends:  # columns of one node act both ways: side by side, not on top of each other
            bends[a, b] = [beside(centres[a], centres[b])]
        elif way is None:
            bends[a, b] = around(centres[a], centres[b], boxes)
        else:
            bends[a, b] = smoothed([centres[a], *way, centres[b]], boxes)[1:-1]
    return bends


def _junctions(nodes: Sequence[Node], edges: Sequence[EdgeLook], bends: Bends) -> tuple[Junction, ...]:
    """A diamond before every child at which edges meet, on the side they come from."""
    found = []
    for child in sorted({edge.target for edge in edges if edge.meets}):
        meeting = [edge.source for edge in edges if edge.target == child and edge.meets]
        arrivals = [(bends.get((i, child)) or [(nodes[i].x, nodes[i].y)])[-1] for i in meeting]
        middle = (sum(x for x, _ in arrivals) / len(arrivals), sum(y for _, y in arrivals) / len(arrivals))
        found.append(Junction(child, *_before(nodes[child], middle), _meeting(nodes, meeting, child)))
    return tuple(found)


def _before(child: Node, arrival: Point) -> Point:
    """The place of a diamond: a step outside the box, on the way to where the edges come from."""
    dx, dy = arrival[0] - child.x, arrival[1] - child.y
    wide = (child.width / 2 + JUNCTION_DISTANCE) / max(abs(dx), 1e-9)
    high = (child.height / 2 + JUNCTION_DISTANCE) / max(abs(dy), 1e-9)
    part = min(wide, high)
    return child.x + part * dx, child.y + part * dy


def _meeting(nodes: Sequence[Node], meeting: Sequence[int], child: int) -> str:
    names = [nodes[i].name for i in meeting]
    who = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) < 4 else f"{len(names)} causes"
    return f"{who} act together on {nodes[child].name}: what one does depends on the others."


def _lines(edges: Sequence[EdgeLook], bends: Bends, junctions: Sequence[Junction], nodes: int) -> tuple[Line, ...]:
    """One line per edge, and a stem from every junction to its child."""
    before = {junction.child: nodes + k for k, junction in enumerate(junctions)}
    lines, widest = [], dict.fromkeys(before, 1.0)
    for edge in edges:
        meets = edge.meets and edge.target in before
        if meets:
            widest[edge.target] = max(widest[edge.target], edge.width)
        lines.append(
            Line(
                source=edge.source,
                target=before[edge.target] if meets else edge.target,
                edge=(edge.source, edge.target),
                bends=tuple(bends.get((edge.source, edge.target), ())),
                width=edge.width,
                colour=edge.colour,
                dashed=edge.dashed,
                # Into a diamond a plain line is enough: the arrow stands behind it. A hollow head has to be seen.
                head="none" if meets and edge.head == "solid" else edge.head,
                head_colour=edge.head_colour or edge.colour,
                note=edge.note,
                tail_text=edge.tail_text,
                head_text=edge.head_text,
            )
        )
    stems = [
        Line(place, child, None, width=widest[child], colour="interaction", head_colour="interaction")
        for child, place in before.items()
    ]
    return (*lines, *stems)


def _framed(picture: Picture) -> Picture:
    """The same picture moved to begin at (0, 0), with its size."""
    spots = [(node.x, node.y, node.width, node.height) for node in picture.nodes]
    spots += [(junction.x, junction.y, 2 * JUNCTION_SIZE, 2 * JUNCTION_SIZE) for junction in picture.junctions]
    spots += [(x, y, 0.0, 0.0) for line in picture.lines for x, y in line.bends]
    left, top, right, bottom = extent([(w, h) for _, _, w, h in spots], [(x, y) for x, y, _, _ in spots])
    dx, dy = MARGIN - left, MARGIN - top
    return replace(
        picture,
        nodes=tuple(replace(node, x=node.x + dx, y=node.y + dy) for node in picture.nodes),
        junctions=tuple(replace(mark, x=mark.x + dx, y=mark.y + dy) for mark in picture.junctions),
        lines=tuple(replace(line, bends=tuple((x + dx, y + dy) for x, y in line.bends)) for line in picture.lines),
        width=right - left + 2 * MARGIN,
        height=bottom - top + 2 * MARGIN,
    )
