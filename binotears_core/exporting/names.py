"""Names that a format can hold: cleaned, and kept apart."""

from __future__ import annotations

from collections.abc import Iterable

# Control characters and lone surrogates: no graph format below can hold them.
CONTROL = r"[\x00-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]"


def distinct(texts: Iterable[str]) -> list[str]:
    """The same texts, with _2, _3, … after those that were there before.

    >>> distinct(["a", "b", "a", "a_2"])
    ['a', 'b', 'a_2', 'a_2_2']
    """
    used: set[str] = set()
    found = []
    for text in texts:
        name, number = text, 1
        while name in used:
            number += 1
            name = f"{text}_{number}"
        used.add(name)
        found.append(name)
    return found
