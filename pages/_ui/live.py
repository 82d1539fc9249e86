"""Pictures that are redrawn twice a second while a run goes on: small SVGs, because a browser shows them at once.

(Four Plotly charts redrawn at that pace flickered, and kept a slow machine from answering a click for seconds.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import cos, isfinite, log10, pi, sin

from pages._ui.colours import Colours
from pages._ui.running.snapshots import Report
from pages._ui.words import seconds

CURVES = {"loss": "loss", "h": "h (cycles left)", "edges": "edges"}

WIDTH, HEIGHT = 220, 120
LEFT, RIGHT, TOP, BOTTOM = 54, 8, 26, 20
LONGEST_NAME = 16

Point = tuple[float, float]


def curve(history: Iterable[Report], quantity: str, colours: Colours) -> str:
    """A quantity (a key of CURVES) against seconds; h on a logarithmic scale. Empty when there is nothing to draw."""
    points = points_of(history, quantity)
    if not points:
        return ""
    values = [log10(value) if quantity == "h" else value for _, value in points]
    low, high = min(values), max(values)
    first, last = points[0][0], points[-1][0]
    room, span = (high - low) or 1.0, (last - first) or 1.0

    def place(moment: float, value: float) -> Point:
        x = LEFT + (WIDTH - LEFT - RIGHT) * (moment - first) / span
        return x, TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - (value - low) / room)

    corners = [place(moment, value) for (moment, _), value in zip(points, values, strict=True)]
    if quantity == "edges":  # a step, not a slope
        corners = [
            corner for a, b in zip(corners, [*corners[1:], corners[-1]], strict=True) for corner in (a, (b[0], a[1]))
        ]
    highest, lowest = (max(value for _, value in points), min(value for _, value in points))
    title = f"{CURVES[quantity]}: {points[-1][1]:.4g}"
    words = [
        _text(LEFT, 14, title, colours.compelled, weight=600),
        _text(LEFT - 6, TOP + 4, f"{highest:.3g}", colours.compelled, anchor="end"),
        _text(LEFT - 6, HEIGHT - BOTTOM + 4, f"{lowest:.3g}", colours.compelled, anchor="end") if high > low else "",
        _text(WIDTH - RIGHT, HEIGHT - 4, seconds(last), colours.compelled, anchor="end"),
    ]
    axes = [(LEFT, TOP), (LEFT, HEIGHT - BOTTOM), (WIDTH - RIGHT, HEIGHT - BOTTOM)]
    lines = _line(axes, colours.faint, 1.0) + _line(corners, colours.raises, 1.8)
    return _svg(WIDTH, HEIGHT, lines + "".join(words), f"{title} after {seconds(last)}")


def graph(names: Sequence[str], edges: Sequence[tuple[int, int]], colours: Colours) -> str:
    """The newest graph on a circle: nodes keep their places, so that one sees edges come and go."""
    size, radius = 320.0, 105.0
    turns = [2 * pi * k / len(names) for k in range(len(names))]
    place = [(size / 2 + radius * sin(turn), size / 2 - radius * cos(turn)) for turn in turns]
    arrows = "".join(_arrow(place[i], place[j], colours.compelled) for i, j in edges)
    nodes = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colours.raises}"/>' for x, y in place)
    labels = "".join(
        _label(name, turn, size / 2, radius + 12, colours) for name, turn in zip(names, turns, strict=True)
    )
    told = ", ".join(f"{names[i]} → {names[j]}" for i, j in edges)
    return _svg(size, size, arrows + nodes + labels, f"The newest graph: {told or 'no edges'}")


def points_of(history: Iterable[Report], quantity: str) -> list[Point]:
    """(seconds, value) of the reports that have the quantity."""
    history = list(history)
    # The search for a better graph reports its score as loss, on another scale than the gradient's: one or the other.
    gradient = [report for report in history if isfinite(report.h)]
    reports = gradient if gradient and quantity == "loss" else history
    points = [(report.seconds, float(getattr(report, quantity))) for report in reports]
    return [(moment, value) for moment, value in points if isfinite(value) and (quantity != "h" or value > 0)]


def _label(name: str, turn: float, centre: float, distance: float, colours: Colours) -> str:
    x, y = centre + distance * sin(turn), centre - distance * cos(turn)
    anchor = "middle" if abs(sin(turn)) < 0.3 else "start" if sin(turn) > 0 else "end"
    short = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
    return _text(x, y + 4, short, colours.compelled, anchor=anchor)


def _arrow(source: Point, target: Point, colour: str) -> str:
    (x0, y0), (x1, y1) = source, target
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 or 1.0
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    tip = (x1 - 7 * ux, y1 - 7 * uy)
    back = (x1 - 15 * ux, y1 - 15 * uy)
    wings = [tip, (back[0] - 3.5 * uy, back[1] + 3.5 * ux), (back[0] + 3.5 * uy, back[1] - 3.5 * ux)]
    head = " ".join(f"{x:.1f},{y:.1f}" for x, y in wings)
    return _line([(x0 + 7 * ux, y0 + 7 * uy), back], colour, 1.3) + f'<polygon points="{head}" fill="{colour}"/>'


def _line(points: Iterable[Point], colour: str, width: float) -> str:
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{corners}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def _text(x: float, y: float, words: str, colour: str, *, anchor: str = "start", weight: int = 400) -> str:
    look = f'font-size="12" font-weight="{weight}" fill="{colour}" text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{escape(words)}</text>'


def _svg(width: float, height: float, content: str, told: str) -> str:
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(told)}" '
        f'style="font-family:inherit">{content}</svg>'
    )
