"""Where a line leaves a box, how it bends and what its arrowhead looks like. `graph.js` follows the same rules."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from pages._ui.graphview.picture import JUNCTION_SIZE, Junction, Line, Node, Picture, Point

ROUND = 48.0  # px before and after a bend in which a line turns
CLEARANCE = 3.0  # px between a line and the box it points to


def shape_of(picture: Picture, place: int) -> Node | Junction:
    """What stands at a place."""
    nodes = len(picture.nodes)
    return picture.nodes[place] if place < nodes else picture.junctions[place - nodes]


def border(shape: Node | Junction, towards: Point, clearance: float = 0.0) -> Point:
    """Where the straight line from the middle of a shape towards a point crosses its border."""
    dx, dy = towards[0] - shape.x, towards[1] - shape.y
    distance = hypot(dx, dy)
    if distance < 1e-9:
        return shape.x, shape.y
    if isinstance(shape, Junction):
        inside = JUNCTION_SIZE / (abs(dx) + abs(dy))
    else:
        inside = min(
            shape.width / 2 / abs(dx) if dx else float("inf"), shape.height / 2 / abs(dy) if dy else float("inf")
        )
    part = min(inside + clearance / distance, 1.0)
    return shape.x + part * dx, shape.y + part * dy


def track(picture: Picture, line: Line) -> list[Point]:
    """The points of a line, from border to border."""
    start, end = shape_of(picture, line.source), shape_of(picture, line.target)
    first = line.bends[0] if line.bends else (end.x, end.y)
    last = line.bends[-1] if line.bends else (start.x, start.y)
    clearance = 0.0 if isinstance(end, Junction) and line.head == "none" else CLEARANCE
    return [border(start, first), *line.bends, border(end, last, clearance)]


def arrowhead(points: Sequence[Point], width: float) -> list[Point]:
    """Tip, left and right corner of the head at the end of a line of this width."""
    (x0, y0), (x1, y1) = points[-2], points[-1]
    length = hypot(x1 - x0, y1 - y0) or 1.0
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    long, half = 9.0 + 1.6 * width, 4.0 + 0.9 * width
    bx, by = x1 - long * ux, y1 - long * uy
    return [(x1, y1), (bx - half * uy, by + half * ux), (bx + half * uy, by - half * ux)]


def shortened(points: Sequence[Point], by: float) -> list[Point]:
    """The same line ending earlier, so that it does not show under its head."""
    (x0, y0), (x1, y1) = points[-2], points[-1]
    length = hypot(x1 - x0, y1 - y0) or 1.0
    part = max(length - by, 0.0) / length
    return [*points[:-1], (x0 + part * (x1 - x0), y0 + part * (y1 - y0))]


def curve(points: Sequence[Point]) -> str:
    """SVG path along the points, rounded at every bend."""
    path = f"M{_at(points[0])}"
    for before, bend, after in zip(points, points[1:], points[2:], strict=False):
        path += f"L{_at(_towards(bend, before))}Q{_at(bend)} {_at(_towards(bend, after))}"
    return path + f"L{_at(points[-1])}"


def _towards(bend: Point, other: Point) -> Point:
    """Where the rounding of a bend begins: ROUND px away, or halfway to the next point."""
    part = min(ROUND / (hypot(other[0] - bend[0], other[1] - bend[1]) or 1.0), 0.5)
    return bend[0] + part * (other[0] - bend[0]), bend[1] + part * (other[1] - bend[1])


def along(points: Sequence[Point], distance: float) -> Point:
    """The point this far from the beginning of a line (from its end when negative), on its first (last) piece."""
    (x0, y0), (x1, y1) = points[:2] if distance >= 0 else (points[-1], points[-2])
    part = min(abs(distance) / (hypot(x1 - x0, y1 - y0) or 1.0), 0.5)
    return x0 + part * (x1 - x0), y0 + part * (y1 - y0)


def _at(point: Point) -> str:
    return f"{point[0]:.1f},{point[1]:.1f}"
