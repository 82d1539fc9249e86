"""A picture of a graph as a value: where everything stands and what it looks like, before anyone draws it.

Three draw it: `svg.py` (files, reports, small multiples), `graph.js` (the view one can click and drag) and `free.py`
(the view that moves by itself). Colours are names of `colours.Colours`, so that one picture serves both themes.

Places are numbered: first the nodes, then the junctions, where parents that act together meet before their child.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

Head = Literal["solid", "hollow", "none"]
Point = tuple[float, float]

JUNCTION_SIZE = 7.0  # half a diagonal of the diamond, px
STACK_STEP = 4.0  # px between the sheets of a stacked node


@dataclass(frozen=True)
class Node:
    """A box with its centre at (x, y).

    lines  the name as it is written in the box
    share  share of ones in the data, drawn as a gauge, or None
    note   what the node says of itself when pointed at
    stacked  several columns are drawn as this one node
    """

    name: str
    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float
    share: float | None = None
    note: str = ""
    stacked: bool = False


@dataclass(frozen=True)
class Junction:
    """A diamond before `child`: the edges that end here act together."""

    child: int
    x: float
    y: float
    note: str = ""


@dataclass(frozen=True)
class Line:
    """A line from place to place through `bends`.

    edge  (source, target) nodes the line speaks of; None for the stem from a junction to its child
    tail_text, head_text  a short text at each end
    """

    source: int
    target: int
    edge: tuple[int, int] | None
    bends: tuple[Point, ...] = ()
    width: float = 2.0
    colour: str = "compelled"
    dashed: bool = False
    head: Head = "solid"
    head_colour: str = "compelled"
    note: str = ""
    tail_text: str = ""
    head_text: str = ""


@dataclass(frozen=True)
class Key:
    """One entry of a legend; `kind` is what is drawn before the text."""

    text: str
    kind: Literal["line", "diamond", "gauge", "widths", "number", "rule", "stack"] = "line"
    colour: str = "compelled"
    dashed: bool = False
    head: Head = "solid"
    head_colour: str = ""
    width: float = 2.0


@dataclass(frozen=True)
class Picture:
    """Nodes, junctions and lines inside (0, 0, width, height); `alt` says in words what is to be seen.

    narrow  the same graph arranged for a telephone, when this one would be too wide for it
    """

    nodes: tuple[Node, ...]
    junctions: tuple[Junction, ...]
    lines: tuple[Line, ...]
    legend: tuple[Key, ...]
    width: float
    height: float
    alt: str = ""
    narrow: Picture | None = None

    def redrawn(self, change: Callable[[Picture], Picture]) -> Picture:
        """Changed in both arrangements alike."""
        return replace(change(self), narrow=None if self.narrow is None else change(self.narrow))
