"""One colour, one meaning, on every page and in both themes (Okabe–Ito based, safe for colour-blind viewers)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Colours:
    """What the colours of a picture mean. Strength is width, never colour."""

    compelled: str  # an edge every member of the class agrees on; also ordinary ink
    reversible: str  # an edge whose direction the data cannot tell
    raises: str  # raises the odds
    lowers: str  # lowers the odds
    interaction: str  # acts only together with another cause
    right: str  # against a truth: found and there
    extra: str  # found, not there
    missing: str  # there, not found
    reversed: str  # found the other way round
    paper: str  # behind a picture
    faint: str  # grid lines and what is unimportant


LIGHT = Colours(
    compelled="#1F2937", reversible="#E69F00", raises="#0072B2", lowers="#D55E00", interaction="#7B4FA3",
    right="#009E73", extra="#D55E00", missing="#9CA3AF", reversed="#CC79A7", paper="#FFFFFF", faint="#D7DCE3",
)  # fmt: skip
DARK = Colours(
    compelled="#E5E7EB", reversible="#F0B840", raises="#56B4E9", lowers="#FF8A4C", interaction="#B794E0",
    right="#35C79B", extra="#FF8A4C", missing="#9CA3AF", reversed="#E39CC3", paper="#14181F", faint="#3A4352",
)  # fmt: skip


def colours(theme: str | None) -> Colours:
    """The colours of a theme, "light" or "dark"."""
    return DARK if theme == "dark" else LIGHT
