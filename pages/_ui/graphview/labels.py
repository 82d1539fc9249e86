"""Names inside boxes: broken into lines, with a guess at their size (the browser's font is not known here)."""

from __future__ import annotations

import re
import unicodedata

FONT_SIZE = 14.0
LINE_HEIGHT = 17.0
LONGEST_LINE = 20  # characters
MOST_LINES = 4
NARROW_LINE, NARROW_LINES = 12, 7  # where there is little room
PADDING = (13.0, 9.0)
SMALLEST_WIDTH = 54.0

_NARROW = frozenset("ijltfrI.,:;'|!()[]{}-/\\ ")
_BREAK = re.compile(r"(?<=[\s_\-./:])|(?<=[a-z])(?=[A-Z])")


def wrap(name: str, longest: int = LONGEST_LINE, most: int = MOST_LINES) -> tuple[str, ...]:
    """A name in at most four lines of twenty characters, broken after separators; … when even that is not enough.

    >>> wrap("district_urban_over_80pct")
    ('district_urban_over_', '80pct')
    """
    visible = "".join(c if unicodedata.category(c)[0] != "C" or c in "\u200c\u200d" else " " for c in name)
    lines = [""]
    for piece in _BREAK.split(" ".join(visible.split())):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > longest:
            lines.append("")
        lines[-1] += piece
        while len(lines[-1]) > longest:
            lines[-1:] = [lines[-1][:longest], lines[-1][longest:]]
    lines = [line.strip() for line in lines if line.strip()] or ["·"]
    if len(lines) > most:
        lines = [*lines[: most - 1], lines[most - 1][: longest - 1] + "…"]
    return tuple(lines)


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Width of a text in px, guessed a little too wide."""
    return size * sum(_em(character) for character in text)


def box(lines: tuple[str, ...]) -> tuple[float, float]:
    """(width, height) of the box around these lines."""
    widest = max(text_width(line) for line in lines)
    return max(SMALLEST_WIDTH, widest + 2 * PADDING[0]), LINE_HEIGHT * len(lines) + 2 * PADDING[1]


def _em(character: str) -> float:
    if unicodedata.combining(character) or character in "\u200c\u200d\ufe0f":
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in _NARROW:
        return 0.34
    return 0.7 if character.isupper() or character in "mwMW@%" else 0.56
