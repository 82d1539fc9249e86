"""Ways of edges: around the boxes where the layout left them straight, and without needless bends where it did not."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # middle x, middle y, width, height

ROOM = 8.0  # px kept between a line and a box that is none of its business
DETOURS = (0.0, 30.0, -30.0, 55.0, -55.0, 85.0, -85.0, 120.0, -120.0)


def around(start: Point, end: Point, boxes: Sequence[Box]) -> list[Point]:
    """No bend when the straight way is free, else one bend beside the middle; the detour that hits the fewest boxes."""

    def hits(away: float) -> int:
        middle = beside(start, end, away)
        return sum(_crosses(start, middle, box) or _crosses(middle, end, box) for box in boxes)

    best = min(DETOURS, key=hits)  # the first, shortest one among equals
    return [beside(start, end, best)] if best else []


def beside(start: Point, end: Point, away: float = 30.0) -> Point:
    """A bend to the side of the middle, for an edge whose straight way is taken by its opposite."""
    (x0, y0), (x1, y1) = start, end
    length = hypot(x1 - x0, y1 - y0) or 1.0
    return (x0 + x1) / 2 - away * (y1 - y0) / length, (y0 + y1) / 2 + away * (x1 - x0) / length


def smoothed(points: Sequence[Point], boxes: Sequence[Box], tolerance: float = 12.0) -> list[Point]:
    """The same way with fewer bends, at most `tolerance` px beside it and through no box (after Douglas & Peucker)."""
    if len(points) < 3:
        return list(points)
    (x0, y0), (x1, y1) = points[0], points[-1]
    length = hypot(x1 - x0, y1 - y0) or 1.0
    away = [abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) / length for x, y in points[1:-1]]
    if max(away) <= tolerance and not any(_crosses(points[0], points[-1], box) for box in boxes):
        return [points[0], points[-1]]
    turn = away.index(max(away)) + 1
    return smoothed(points[: turn + 1], boxes, tolerance)[:-1] + smoothed(points[turn:], boxes, tolerance)


def _crosses(start: Point, end: Point, box: Box) -> bool:
    """True when a straight piece runs through a box, clipped side by side (Liang & Barsky)."""
    x, y, width, height = box
    low, high = 0.0, 1.0
    for begin, step, middle, half in (
        (start[0], end[0] - start[0], x, width / 2 + ROOM),
        (start[1], end[1] - start[1], y, height / 2 + ROOM),
    ):
        if abs(step) < 1e-9:
            if abs(begin - middle) > half:
                return False
            continue
        enter, leave = sorted(((middle - half - begin) / step, (middle + half - begin) / step))
        low, high = max(low, enter), min(high, leave)
    return low < high
