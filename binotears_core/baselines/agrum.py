"""Greedy hill climbing, tabu search and MIIC of pyAgrum."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from binotears_core.data.table import BinaryData
from binotears_core.graph.dag import Adjacency
from binotears_core.results import Status


def hill_climbing(data: BinaryData, seed: int, *, max_parents: int | None = None) -> tuple[Adjacency, Status]:
    """Add, remove and turn edges one by one while BDeu (pyAgrum's prior) rises."""
    learner = _learner(data, seed, max_parents)
    learner.useScoreBDeu()
    learner.useGreedyHillClimbing()
    return _arcs(learner.learnDAG().arcs(), (), data.variables), Status("done", "Finished in a local optimum of BDeu.")


def tabu(
    data: BinaryData, seed: int, *, tabu_size: int = 100, max_worse: int = 10, max_parents: int | None = None
) -> tuple[Adjacency, Status]:
    """Hill climbing on BDeu that may take `max_worse` steps down and does not undo its last `tabu_size` changes."""
    learner = _learner(data, seed, max_parents)
    learner.useScoreBDeu()
    learner.useLocalSearchWithTabuList(tabu_size, max_worse)
    return _arcs(learner.learnDAG().arcs(), (), data.variables), Status("done", "Finished in a local optimum of BDeu.")


def miic(data: BinaryData, seed: int) -> tuple[Adjacency, Status]:
    """Multivariate information: edges that conditional mutual information (NML-corrected) cannot explain away."""
    learner = _learner(data, seed, None)
    learner.useMIIC()
    learner.useNMLCorrection()
    found = learner.learnPDAG()
    return _arcs(found.arcs(), found.edges(), data.variables), Status("done", "Finished with the NML correction.")


def _learner(data: BinaryData, seed: int, max_parents: int | None) -> Any:
    pyagrum: Any = import_module("pyagrum")
    frame = data.to_frame()
    frame.columns = [f"v{j}" for j in range(data.variables)]
    # The template fixes the order of columns and gives both values to a column that shows only one.
    template = pyagrum.BayesNet()
    for name in frame.columns:
        template.add(pyagrum.LabelizedVariable(name, name, ["0", "1"]))
    pyagrum.initRandom(seed)
    learner = pyagrum.BNLearner(frame, template)
    learner.setNumberOfThreads(1)
    if max_parents is not None:
        learner.setMaxIndegree(max_parents)
    return learner


def _arcs(arcs: Any, edges: Any, variables: int) -> Adjacency:
    matrix = np.zeros((variables, variables), dtype=np.int8)
    for i, j in arcs:
        matrix[i, j] = 1
    for i, j in edges:
        matrix[i, j] = matrix[j, i] = 1
    return matrix
