"""The paper's two grids of data sets, and the units of work on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields, replace
from itertools import product
from random import Random

FIRST_SEED = 2000  # apart from the seeds on which anything was chosen, and from those of accuracy.py
EXACT_UP_TO = 9  # variables
EXACT = ("exact-bdeu", "exact-bic")


@dataclass(frozen=True)
class Grid:
    """A product of cells: graph kinds × degrees × nodes × mechanisms, `graphs` data sets of `samples` rows in each."""

    nodes: tuple[int, ...]
    degrees: tuple[int, ...]
    mechanisms: tuple[str, ...]
    samples: int
    graphs: int
    kinds: tuple[str, ...] = ("ER", "SF")


@dataclass(frozen=True)
class Unit:
    """One method on one data set: what a worker gets. Its fields are the key of its row."""

    grid: str
    kind: str
    k: int
    p: int
    n: int
    mechanism: str
    graph: int
    method: str

    @property
    def seed(self) -> int:
        """Of the data set. Cells of one size share their graphs across mechanisms: differences are then paired."""
        return FIRST_SEED + self.graph

    @property
    def key(self) -> tuple[str | int, ...]:
        return astuple(self)


KEY = tuple(field.name for field in fields(Unit))
SMALL = Grid((5, 6, 7, 8, 9), (1, 2), ("1st+2nd", "pth", "1st+2nd+pth", "2nd"), 10_000, 10)
LARGE = Grid((10, 20, 30, 40), (1, 2, 4), ("1st+2nd", "1st+pth", "2nd", "pth"), 1000, 3)
GRIDS = {"small": SMALL, "large": LARGE}
QUICK = {
    "small": replace(SMALL, nodes=(5, 7), mechanisms=("1st+2nd", "pth"), graphs=2),
    "large": replace(LARGE, nodes=(10, 20), degrees=(1, 2), mechanisms=("1st+2nd", "2nd"), graphs=1),
}


def units(name: str, methods: Iterable[str], *, quick: bool = False, graphs: int | None = None) -> list[Unit]:
    """All work of a grid: the first graph of every cell, then the second, …

    Within a graph number the order is random (and fixed), so that what is done speaks for what is left.
    """
    grid, methods = (QUICK if quick else GRIDS)[name], tuple(methods)
    work = []
    for graph in range(grid.graphs if graphs is None else graphs):
        cells = product(grid.kinds, grid.degrees, grid.nodes, grid.mechanisms, methods)
        part = [Unit(name, kind, k, p, grid.samples, mechanism, graph, m) for kind, k, p, mechanism, m in cells]
        part = [unit for unit in part if unit.p <= EXACT_UP_TO or unit.method not in EXACT]
        Random(graph).shuffle(part)
        work += part
    return work
