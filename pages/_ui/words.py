"""Numbers, times and foreign text as the pages show them."""

from __future__ import annotations

import re

THIN = "\u202f"  # narrow no-break space between thousands, and before a unit

_MARKUP = re.compile(r"[\\`*_{}\[\]()#+\-.!|~<>$:&\"'=@^/]")

_TURNS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def steady(text: str) -> str:
    """The text without the invisible marks that turn the writing direction of whatever follows."""
    return text.translate(_TURNS)


def plain(text: str, longest: int | None = None) -> str:
    """User text for a Streamlit label or Markdown: nothing in it is read as markup; cut with … when too long.

    >>> plain("a*b")
    'a&#42;b'
    """
    line = " ".join(steady(text).split())
    if longest is not None and len(line) > longest:
        line = line[: longest - 1] + "…"
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", line)


def whole(number: float) -> str:
    """A whole number with its thousands apart: 31 857."""
    return f"{number:,.0f}".replace(",", THIN)


def seconds(value: float) -> str:
    """A duration: 0.4 s, 3.1 s, 48 s, 2 min 5 s, 1 h 10 min."""
    if value < 9.95:
        return f"{value:.1f}{THIN}s"
    if value < 59.5:
        return f"{value:.0f}{THIN}s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes}{THIN}min {rest}{THIN}s"
    return f"{minutes // 60}{THIN}h {minutes % 60}{THIN}min"


def megabytes(count: float) -> str:
    """An amount of memory: <1 MB, 40 MB, 1.2 GB."""
    if count < 1e6:
        return f"<1{THIN}MB"
    return f"{count / 1e6:.0f}{THIN}MB" if count < 1e9 else f"{count / 1e9:.1f}{THIN}GB"


def several(number: int, noun: str) -> str:
    """A number with its noun: 1 edge, 13 edges."""
    return f"{whole(number)} {noun}{'' if number == 1 else 's'}"
