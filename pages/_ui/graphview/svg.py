"""A picture as SVG text: for files, reports and small multiples. Every word of the user is escaped here.

Inside the app `IN_APP` colours follow the theme by themselves; a file gets the colours of one theme and a background.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from html import escape

from pages._ui.colours import DARK, LIGHT, Colours
from pages._ui.graphview.geometry import along, arrowhead, curve, shortened, track
from pages._ui.graphview.labels import FONT_SIZE, LINE_HEIGHT, text_width
from pages._ui.graphview.picture import JUNCTION_SIZE, STACK_STEP, Key, Line, Node, Picture, Point

IN_APP = Colours(
    **{one.name: f"light-dark({getattr(LIGHT, one.name)},{getattr(DARK, one.name)})" for one in fields(Colours)}
)

FONT = "'Source Sans','Source Sans 3',-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
KEY_SIZE, KEY_HEIGHT, KEY_SAMPLE = 12.5, 22.0, 38.0
# For places that hold `svg_in_app`; they must be containers (container-type: inline-size).
NARROW_STYLE = """svg { display: block } .if-narrow { display: none }
@container (max-width: 460px) { .if-wide { display: none } .if-narrow { display: block } }"""
NARROWEST = 320.0  # px of a picture with a legend


def svg(picture: Picture, colours: Colours = LIGHT, *, legend: bool = True, title: str = "") -> str:
    """A whole picture for a file, with background, title and legend."""
    width = max(picture.width, NARROWEST if legend else 0.0, text_width(title, 16) + 32 if title else 0.0)
    above = 34.0 if title else 0.0
    keys, below = _legend(picture.legend, width, colours) if legend else ("", 0.0)
    height = above + picture.height + below
    heading = f'<text x="16" y="24" font-size="16" font-weight="600" {_fill(colours.compelled)}>{text(title)}</text>'
    return (
        _open(width, height, picture.alt, f'width="{width:.0f}" height="{height:.0f}"')
        + f'<rect width="100%" height="100%" {_fill(colours.paper)}/>'
        + (heading if title else "")
        + f'<g transform="translate({(width - picture.width) / 2:.1f},{above:.1f})">{_content(picture, colours)}</g>'
        + f'<g transform="translate(0,{above + picture.height:.1f})">{keys}</g></svg>'
    )


def svg_in_app(picture: Picture) -> str:
    """A picture without frame or legend that takes the width it gets and the colours of the theme.

    Where there is an arrangement for narrow places, both are there and `NARROW_STYLE` shows the one that fits.
    """
    if picture.narrow is None:
        return _in_app(picture, "")
    return _in_app(picture, 'class="if-wide"') + _in_app(picture.narrow, 'class="if-narrow"')


def _in_app(picture: Picture, which: str) -> str:
    size = f'{which} style="margin:auto;width:100%;max-width:{picture.width:.0f}px;height:auto"'
    return _open(picture.width, picture.height, picture.alt, size) + _content(picture, IN_APP) + "</svg>"


def legend_html(keys: Sequence[Key]) -> str:
    """A legend as one line of HTML that breaks where it must, in the colours of the theme."""
    row = "display:flex;flex-wrap:wrap;gap:2px 18px;font-size:13px;line-height:22px;opacity:.95"
    return f'<div style="{row}" role="note">' + "".join(_html_key(key) for key in keys) + "</div>"


def text(words: str) -> str:
    """Escaped for element content and for attributes; characters that XML does not allow become spaces."""
    return escape(
        "".join(
            c if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff") else " "
            for c in words
        )
    )


def _open(width: float, height: float, alt: str, size: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1f} {height:.1f}" {size} role="img" '
        f'aria-label="{text(alt)}" font-family="{FONT}">'
    )


def _content(picture: Picture, colours: Colours) -> str:
    lines = "".join(_line(picture, line, colours) for line in picture.lines)
    marks = "".join(_diamond((mark.x, mark.y), JUNCTION_SIZE, colours, mark.note) for mark in picture.junctions)
    return lines + marks + "".join(_node(node, colours) for node in picture.nodes)


def _node(node: Node, colours: Colours) -> str:
    left, top = node.x - node.width / 2, node.y - node.height / 2
    frame = _sheet(left, top, node.width, node.height, colours)
    if node.stacked:
        frame = _sheet(left + STACK_STEP, top - STACK_STEP, node.width, node.height, colours) + frame
    first = node.y - LINE_HEIGHT * (len(node.lines) - 1) / 2 + FONT_SIZE * 0.35
    rows = "".join(
        f'<tspan x="{node.x:.1f}" y="{first + k * LINE_HEIGHT:.1f}">{text(row)}</tspan>'
        for k, row in enumerate(node.lines)
    )
    label = f'<text text-anchor="middle" font-size="{FONT_SIZE:g}" {_fill(colours.compelled)}>{rows}</text>'
    return f"<g>{_tip(node.note or node.name)}{frame}{_gauge(node, colours)}{label}</g>"


def _sheet(left: float, top: float, width: float, height: float, colours: Colours, round_by: float = 8) -> str:
    place = f'x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{round_by:g}"'
    return f'<rect {place} style="fill:{colours.paper};stroke:{colours.compelled};stroke-width:1.3"/>'


def _gauge(node: Node, colours: Colours) -> str:
    """The share of ones as a bar at the foot of the box."""
    if node.share is None:
        return ""
    x, y, width = node.x - node.width / 2 + 9, node.y + node.height / 2 - 5.5, node.width - 18
    bar = '<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="2.5" rx="1.2" {}/>'
    return bar.format(x, y, width, _fill(colours.faint)) + bar.format(x, y, width * node.share, _fill(colours.missing))


def _line(picture: Picture, line: Line, colours: Colours) -> str:
    points = track(picture, line)
    head = arrowhead(points, line.width)
    visible = points if line.head == "none" else shortened(points, 7.0 + 1.4 * line.width)
    drawn = _path(visible, line.width, getattr(colours, line.colour), line.dashed)
    if line.head != "none":
        drawn += _head(head, line.head == "hollow", getattr(colours, line.head_colour), colours)
    for words, place in ((line.tail_text, along(points, 16)), (line.head_text, along(points, -16))):
        drawn += _end_text(words, place, colours) if words else ""
    return f"<g>{_tip(line.note)}{drawn}</g>"


def _path(points: Sequence[Point], width: float, colour: str, dashed: bool) -> str:
    dash = f";stroke-dasharray:{4 + width:.1f} {3 + width:.1f}" if dashed else ""
    return f'<path d="{curve(points)}" style="fill:none;stroke:{colour};stroke-width:{width:.2f}{dash}"/>'


def _head(corners: Sequence[Point], hollow: bool, colour: str, colours: Colours) -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    fill = colours.paper if hollow else colour
    return f'<polygon points="{places}" style="fill:{fill};stroke:{colour};stroke-width:1.6;stroke-linejoin:round"/>'


def _diamond(place: Point, size: float, colours: Colours, note: str = "") -> str:
    (x, y), colour = place, colours.interaction
    corners = f"{x:.1f},{y - size:.1f} {x + size:.1f},{y:.1f} {x:.1f},{y + size:.1f} {x - size:.1f},{y:.1f}"
    style = f"fill:{colour};stroke:{colours.paper};stroke-width:1.5"
    return f'<g>{_tip(note)}<polygon points="{corners}" style="{style}"/></g>'


def _end_text(words: str, place: Point, colours: Colours) -> str:
    halo = f"fill:{colours.compelled};stroke:{colours.paper};stroke-width:4;paint-order:stroke;stroke-linejoin:round"
    at = f'x="{place[0]:.1f}" y="{place[1] + 4:.1f}"'
    return f'<text {at} text-anchor="middle" font-size="12" style="{halo}">{text(words)}</text>'


def _tip(note: str) -> str:
    return f"<title>{text(note)}</title>" if note else ""


def _fill(colour: str) -> str:
    return f'style="fill:{colour}"'


def _legend(keys: Sequence[Key], width: float, colours: Colours) -> tuple[str, float]:
    """Rows of keys that fit the width, and their height."""
    x, y, drawn = 16.0, KEY_HEIGHT, ""
    for key in keys:
        wide = KEY_SAMPLE + 6 + text_width(key.text, KEY_SIZE)
        if x > 16.0 and x + wide > width - 8:
            x, y = 16.0, y + KEY_HEIGHT
        place = f'x="{KEY_SAMPLE + 6}" y="4" font-size="{KEY_SIZE}"'
        words = f"<text {place} {_fill(colours.compelled)}>{text(key.text)}</text>"
        drawn += f'<g transform="translate({x:.1f},{y:.1f})">{_sample(key, colours)}{words}</g>'
        x += wide + 20
    return drawn, y + KEY_HEIGHT * 0.75 if keys else 0.0


def _html_key(key: Key) -> str:
    size = f'width="{KEY_SAMPLE:.0f}" height="14" viewBox="0 -7 {KEY_SAMPLE:.0f} 14" style="flex:none"'
    sample = f'<svg xmlns="http://www.w3.org/2000/svg" {size} aria-hidden="true">{_sample(key, IN_APP)}</svg>'
    return f'<span style="display:inline-flex;align-items:center;gap:6px">{sample}<span>{text(key.text)}</span></span>'


def _sample(key: Key, colours: Colours) -> str:
    """What is drawn before the words of a key, around y = 0."""
    colour = getattr(colours, key.colour)
    if key.kind == "diamond":
        return _diamond((KEY_SAMPLE / 2, 0), 6, colours)
    if key.kind == "gauge":
        bar = f'<rect x="2" y="-1.5" width="{KEY_SAMPLE - 4}" height="3" rx="1.5" {_fill(colours.faint)}/>'
        return bar + f'<rect x="2" y="-1.5" width="{KEY_SAMPLE / 2}" height="3" rx="1.5" {_fill(colours.missing)}/>'
    if key.kind == "stack":
        return _sheet(10, -6, 20, 9, colours, 3) + _sheet(7, -3, 20, 9, colours, 3)
    if key.kind in ("number", "rule"):
        return _end_text("3" if key.kind == "number" else "R1", (KEY_SAMPLE / 2, 0), colours)
    if key.kind == "widths":
        return _path([(2, 0), (13, 0)], 1, colour, False) + _path([(16, 0), (36, 0)], 5, colour, False)
    points = [(2.0, 0.0), (KEY_SAMPLE - 2, 0.0)]
    drawn = _path(points if key.head == "none" else shortened(points, 9), key.width, colour, key.dashed)
    if key.head == "none":
        return drawn
    return drawn + _head(
        arrowhead(points, 1), key.head == "hollow", getattr(colours, key.head_colour or key.colour), colours
    )
