"""Several 0/1 columns that are one variable (the indicators of its levels), drawn as one node.

A variable with T levels is T − 1 columns. Drawn as one, an edge of the node stands for the edges of its columns: it
looks like the strongest of them, and its note names them all.

>>> group_name(["class=first", "class=third"]), group_name(["first_class", "crew"])
('class', 'first_class / crew')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np
import numpy.typing as npt

from pages._ui.graphview.arrange import EdgeLook

SHORTEST_STEM = 2  # characters two indicators must share before the shared part is a name


@dataclass(frozen=True)
class Grouping:
    """Which columns are drawn as which node.

    names    of the nodes
    members  for each node its columns
    node_of  for each column its node
    """

    names: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]
    node_of: tuple[int, ...]

    def pairs(self, edges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Edges between columns as edges between nodes, each once; none inside a node."""
        found = ((self.node_of[i], self.node_of[j]) for i, j in edges)
        return list(dict.fromkeys((i, j) for i, j in found if i != j))

    def merged(self, looks: Sequence[EdgeLook], strength: npt.NDArray[np.float64]) -> list[EdgeLook]:
        """Edges between nodes, each as its strongest edge between columns."""
        between: dict[tuple[int, int], list[EdgeLook]] = {}
        for look in sorted(looks, key=lambda look: -strength[look.source, look.target]):
            pair = self.node_of[look.source], self.node_of[look.target]
            if pair[0] != pair[1]:
                between.setdefault(pair, []).append(look)
        return _meeting([self._one(pair, found) for pair, found in sorted(between.items())])

    def _one(self, pair: tuple[int, int], found: Sequence[EdgeLook]) -> EdgeLook:
        note = found[0].note
        if len(found) > 1:
            title = f"{self.names[pair[0]]} → {self.names[pair[1]]}: {len(found)} edges, drawn as the strongest"
            note = "\n\n".join([title, *(look.note for look in found)])
        meets = any(look.meets for look in found)
        return replace(found[0], source=pair[0], target=pair[1], note=note, meets=meets)

    def notes(self, names: Sequence[str], notes: Sequence[str]) -> list[str]:
        """What the nodes say of themselves."""
        return [
            notes[columns[0]]
            if len(columns) == 1
            else f"{name}\none variable in {len(columns)} columns: {', '.join(names[k] for k in columns)}"
            for name, columns in zip(self.names, self.members, strict=True)
        ]

    def shares(self, shares: Sequence[float] | None) -> list[float | None] | None:
        """The share of ones of the nodes; several columns have none in common."""
        if shares is None:
            return None
        return [shares[columns[0]] if len(columns) == 1 else None for columns in self.members]


def grouping(names: Sequence[str], groups: Iterable[Iterable[str]] = ()) -> Grouping:
    """The nodes of a picture of these columns, in the order of the columns. A column is in the first group it is in."""
    of: dict[str, tuple[str, ...]] = {}
    for group in groups:
        free = tuple(name for name in names if name in set(group) and name not in of)
        of |= dict.fromkeys(free, free) if len(free) > 1 else {}
    parts = list(dict.fromkeys(of.get(name, (name,)) for name in names))
    at = {name: k for k, name in enumerate(names)}
    node_of = {name: k for k, part in enumerate(parts) for name in part}
    titles = _distinct([group_name(part) for part in parts])
    members = tuple(tuple(at[name] for name in part) for part in parts)
    return Grouping(titles, members, tuple(node_of[name] for name in names))


def group_name(members: Sequence[str]) -> str:
    """What the indicators share before their level, or all their names."""
    if len(members) == 1:
        return members[0]
    alike = takewhile(lambda signs: len(set(signs)) == 1, zip(*members, strict=False))
    shared = "".join(signs[0] for signs in alike)
    cut = re.match(r"([^=]*)=|(.*)[\s_.:/-]", shared)  # the level begins after the sign =, or after a separator
    stem = (cut[1] or cut[2] or "").rstrip(" _.:/-") if cut else ""
    return stem if len(stem) >= SHORTEST_STEM else " / ".join(members)


def _meeting(looks: list[EdgeLook]) -> list[EdgeLook]:
    """A junction needs two: an edge whose partners were merged into it meets nobody."""
    targets = [look.target for look in looks if look.meets]
    return [replace(look, meets=look.meets and targets.count(look.target) > 1) for look in looks]


def _distinct(titles: Sequence[str]) -> tuple[str, ...]:
    """Two variables may share a stem with another column: the later one says that it is a group."""
    seen: set[str] = set()
    made = []
    for title in titles:
        while title in seen:
            title += " (group)"
        seen.add(title)
        made.append(title)
    return tuple(made)
