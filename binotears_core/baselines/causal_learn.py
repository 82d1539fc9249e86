"""PC of causal-learn: independence tests remove edges, colliders and Meek's rules orient them."""

from __future__ import annotations

import warnings

import numpy as np

from binotears_core.data.table import BinaryData
from binotears_core.graph.dag import Adjacency
from binotears_core.results import Status


def pc_chi2(data: BinaryData, seed: int, *, alpha: float = 0.05) -> tuple[Adjacency, Status]:
    """PC with Pearson's χ² test at level alpha. Nothing is random."""
    return _pc(data, "chisq", alpha)


def pc_g2(data: BinaryData, seed: int, *, alpha: float = 0.05) -> tuple[Adjacency, Status]:
    """PC with the likelihood-ratio test G² at level alpha. Nothing is random."""
    return _pc(data, "gsq", alpha)


def _pc(data: BinaryData, test: str, alpha: float) -> tuple[Adjacency, Status]:
    from causallearn.search.ConstraintBased.PC import pc

    rows = data.to_frame().to_numpy(dtype=np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        marks = pc(rows, alpha, test, show_progress=False).G.graph
    # marks[i, j] is the mark at i's end of i – j: 1 arrowhead, −1 tail. One arrowhead is a direction, two or none not.
    arrow = marks == 1
    matrix: Adjacency = ((marks != 0) & (arrow.T | ~arrow)).astype(np.int8)
    return matrix, Status("done", f"Finished with alpha = {alpha:g}.")
