"""The methods, each with its place in the figures; `measure` turns a unit of work into a row."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import Any

import numpy as np

import binotears_core as bn
from benchmarks.experiments.grids import Unit
from binotears_core import baselines
from binotears_core.graph.equivalence import PDAG
from binotears_core.graph.metrics import Graph, shd_cpdag, shd_dag
from binotears_core.results import Status

Learned = tuple[Graph, Status]
OURS = "binotears"


@dataclass(frozen=True)
class Method:
    """A method and how its line is drawn: matplotlib's marker and plotly's symbol are the same shape."""

    title: str
    learn: Callable[[bn.BinaryData], Learned]
    colour: str
    marker: str
    symbol: str
    dash: str = "solid"


def _fit(data: bn.BinaryData, **options: Any) -> Learned:
    result = bn.fit(data, **options)
    return result.adjacency, result.status


def _exact(data: bn.BinaryData, kind: str) -> Learned:
    return _fit(data, method="exact", score=bn.ScoreOptions(kind=kind))


def _empty(data: bn.BinaryData) -> Learned:
    return np.zeros((data.variables, data.variables), dtype=np.int8), Status("done", "No edges at all.")


def _peer(data: bn.BinaryData, name: str) -> Learned:
    result = baselines.run(name, data)
    return result.graph, result.status


def _of_peer(name: str, *style: str) -> Method:
    return Method(baselines.PEERS[name].title, partial(_peer, name=name), *style)


# Families share a hue: ours blue, exact searches black and grey, scores purple, tests green, gradients red to yellow.
METHODS: dict[str, Method] = {
    OURS: Method("BiNOTEARS + refinement (ours)", _fit, "#0057b7", "o", "circle"),
    "binotears-paper": Method("BiNOTEARS (paper)", partial(_fit, refine=False), "#4fb3ff", "o", "circle", "dash"),
    "exact-bdeu": Method("Exact BDeu", partial(_exact, kind="bdeu"), "#000000", "s", "square"),
    "exact-bic": Method("Exact BIC", partial(_exact, kind="bic"), "#7a7a7a", "s", "square"),
    "boss-tetrad": _of_peer("boss-tetrad", "#5e2b97", "^", "triangle-up"),
    "fges-tetrad": _of_peer("fges-tetrad", "#8e5bd0", "v", "triangle-down"),
    "tabu": _of_peer("tabu", "#b07fe0", "<", "triangle-left"),
    "hill-climbing": _of_peer("hill-climbing", "#d3a8f5", ">", "triangle-right"),
    "miic": _of_peer("miic", "#00695c", "D", "diamond"),
    "pc-tetrad": _of_peer("pc-tetrad", "#2e8b57", "P", "cross"),
    "pc-chi2": _of_peer("pc-chi2", "#66bb6a", "X", "x"),
    "pc-g2": _of_peer("pc-g2", "#a5d66f", "X", "x", "dash"),
    "notears-mlp": _of_peer("notears-mlp", "#b71c1c", "p", "pentagon"),
    "notears": _of_peer("notears", "#ef6c57", "p", "pentagon", "dash"),
    "dagma-first-order": _of_peer("dagma-first-order", "#e08a00", "*", "star"),
    "dagma-package": _of_peer("dagma-package", "#f2c14e", "*", "star", "dash"),
    "empty": Method("Empty graph", _empty, "#9e9e9e", "|", "line-ns", "dot"),
}


def lacking(method: str) -> str:
    """What to install before a method can run; empty when nothing is missing."""
    there, message = baselines.available().get(method, (True, ""))
    return "" if there else message


def measure(unit: Unit) -> dict[str, Any]:
    """Simulate, learn, compare: one row. A method that fails or is missing says so in it."""
    message = lacking(unit.method)
    if message:
        return row(unit, Status("missing", message))
    _warm(unit.method)
    truth, data = simulate(unit)
    began = time.perf_counter()
    try:
        graph, status = METHODS[unit.method].learn(data)
    except Exception as error:
        return failed(unit, f"{type(error).__name__}: {error}", time.perf_counter() - began)
    seconds = time.perf_counter() - began
    if status.code == "failed":
        return failed(unit, status.message, seconds)
    return row(unit, status, seconds, truth.adjacency, graph)


def simulate(unit: Unit) -> tuple[Any, bn.BinaryData]:
    """(truth, data) of a unit."""
    return bn.simulate(
        graph=unit.kind, nodes=unit.p, degree=unit.k, mechanism=unit.mechanism, samples=unit.n, seed=unit.seed
    )


def failed(unit: Unit, why: str, seconds: float | None = None) -> dict[str, Any]:
    """The row of a method that gave nothing: its distance is that of the empty graph, with which it leaves its user.

    Without one, a method would look the better for failing where it is hard.
    """
    truth = simulate(unit)[0].adjacency
    return row(unit, Status("failed", why), seconds, truth, np.zeros_like(truth))


def row(
    unit: Unit, status: Status, seconds: float | None = None, truth: Graph | None = None, graph: Graph | None = None
) -> dict[str, Any]:
    """The row of a unit. A missing method has no distances; a class alone has none to the DAG."""
    found = graph is not None and truth is not None
    marks = graph.matrix if isinstance(graph, PDAG) else np.asarray(graph)
    return {
        **asdict(unit),
        "seed": unit.seed,
        "shd_cpdag": int(shd_cpdag(truth, graph)) if found else None,
        "shd_dag": int(shd_dag(truth, graph)) if found and not isinstance(graph, PDAG) else None,
        "edges": int(np.triu((marks != 0) | (marks != 0).T).sum()) if found else None,
        "seconds": None if seconds is None else round(seconds, 4),
        "status": status.code,
        "message": status.message,
    }


@cache
def _warm(method: str) -> None:
    """Once per process on a tiny data set: imports and the start of Java are not part of a method's seconds."""
    _, data = bn.simulate(graph="ER", nodes=3, degree=1, mechanism="1st", samples=50, seed=0)
    try:
        METHODS[method].learn(data)
    except Exception:  # what is wrong will show, and be told, on the real data
        return
