"""FGES, BOSS and PC of Tetrad 7.6.3 (Java), with the settings of the paper.

The Java machine is started once per process, on first use, and cannot be restarted. A process that runs it must not be
forked: benchmarks start their workers first (joblib's default does) and call Tetrad inside them.
"""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from binotears_core.baselines.requirements import Need
from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.graph.dag import Adjacency
from binotears_core.results import Status

NEEDS = (Need.JPYPE, Need.TETRAD, Need.JAVA)


def fges(
    data: BinaryData, seed: int, *, sample_prior: float = 10.0, structure_prior: float = 0.0
) -> tuple[Adjacency, Status]:
    """Fast greedy equivalence search on BDeu. Nothing is random."""
    search = _java("search.Fges")(_bdeu(data, sample_prior, structure_prior))
    search.setFaithfulnessAssumed(False)
    search.setParallelized(False)
    return _matrix(search.search(), data.variables), _finished(f"sample_prior = {sample_prior:g}")


def boss(
    data: BinaryData, seed: int, *, sample_prior: float = 10.0, structure_prior: float = 0.0, starts: int = 1
) -> tuple[Adjacency, Status]:
    """Best order score search on BDeu: from the order of the columns, then `starts` − 1 random ones."""
    order = _java("search.Boss")(_bdeu(data, sample_prior, structure_prior))
    order.setNumStarts(starts)
    order.setNumThreads(1)
    search = _java("search.PermutationSearch")(order)
    search.setSeed(seed)
    return _matrix(search.search(), data.variables), _finished(f"sample_prior = {sample_prior:g}")


def pc(data: BinaryData, seed: int, *, alpha: float = 0.1) -> tuple[Adjacency, Status]:
    """PC with the χ² test at level alpha. Nothing is random."""
    test = _java("search.test.IndTestChiSquare")(_table(data), alpha)
    return _matrix(_java("search.Pc")(test).search(), data.variables), _finished(f"alpha = {alpha:g}")


def _finished(setting: str) -> Status:
    return Status("done", f"Finished with {setting}.")


def _bdeu(data: BinaryData, sample_prior: float, structure_prior: float) -> Any:
    score = _java("search.score.BdeuScore")(_table(data))
    score.setSamplePrior(sample_prior)
    score.setStructurePrior(structure_prior)
    return score


def _table(data: BinaryData) -> Any:
    """The rows as a Tetrad data set with columns v0, v1, …"""
    columns = np.ascontiguousarray(data.to_frame().to_numpy(dtype=np.int32).T)
    box = _java("data.VerticalIntDataBox")(_machine().JArray.of(columns))
    variables = _machine().JClass("java.util.ArrayList")()
    for j in range(data.variables):
        variables.add(_java("data.DiscreteVariable")(f"v{j}", 2))
    return _java("data.BoxDataSet")(box, variables)


def _matrix(graph: Any, variables: int) -> Adjacency:
    """Tetrad's edges; an arrowhead at one end is a direction, anything else is none."""
    matrix = np.zeros((variables, variables), dtype=np.int8)
    for edge in graph.getEdges():
        i, j = (int(str(node.getName())[1:]) for node in (edge.getNode1(), edge.getNode2()))
        into_i, into_j = (str(end) == "ARROW" for end in (edge.getEndpoint1(), edge.getEndpoint2()))
        matrix[i, j] = into_j or not into_i
        matrix[j, i] = into_i or not into_j
    return matrix


def _java(name: str) -> Any:
    return _machine().JClass(f"edu.cmu.tetrad.{name}")


def _machine() -> Any:
    """JPype with a running Java machine that has Tetrad and does not log."""
    import jpype

    if not jpype.isJVMStarted():
        specification = find_spec("tetrad_plus")
        folders = specification.submodule_search_locations if specification else None
        jars = sorted(Path(folders[0]).glob("jars/tetrad-gui-*.jar")) if folders else []
        if not jars:
            raise OptionError("The package tetrad_plus holds no Tetrad jar. Run: pip install tetrad_plus==0.1.2.1.")
        quiet = ("-Djava.awt.headless=true", f"-Djava.util.prefs.userRoot={tempfile.gettempdir()}")
        jpype.startJVM(*quiet, classpath=[str(jars[0])], convertStrings=True)
        jpype.JClass("java.util.logging.LogManager").getLogManager().reset()
    return jpype
