"""Differentiable peers: the `dagma` package as it is, and our own solvers with first-order models."""

from __future__ import annotations

import contextlib
import io

import numpy as np

from binotears_core.data.table import BinaryData
from binotears_core.graph.dag import Adjacency, threshold_to_dag
from binotears_core.results import Status
from binotears_core.solvers import dagma
from binotears_core.solvers import notears as linear
from binotears_core.solvers import notears_mlp as neural


def dagma_package(
    data: BinaryData,
    seed: int,
    *,
    lambda1: float = 0.03,
    threshold: float = 0.3,
    warm_iter: int = 30_000,
    max_iter: int = 60_000,
) -> tuple[Adjacency, Status]:
    """DagmaLinear with the logistic loss and its own defaults. It has no intercept, and nothing is random."""
    from dagma.linear import DagmaLinear

    rows = data.to_frame().to_numpy(dtype=np.float64)
    with contextlib.redirect_stderr(io.StringIO()):  # its progress bar
        weights = DagmaLinear(loss_type="logistic").fit(
            rows, lambda1=lambda1, w_threshold=threshold, warm_iter=warm_iter, max_iter=max_iter
        )
    adjacency, dropped = threshold_to_dag(np.abs(weights), threshold)
    cut = f" Weak edges dropped because they closed cycles: {len(dropped)}." if dropped else ""
    return adjacency, Status("done", f"Finished with lambda1 = {lambda1:g}.{cut}")


def dagma_first_order(data: BinaryData, seed: int) -> tuple[Adjacency, Status]:
    """Our DAGMA continuation with first-order terms and intercepts: the fair version of the same model."""
    path, status = dagma.solve(data, frozenset({1}), seed=seed)
    return path.point.adjacency, status


def notears(data: BinaryData, seed: int, *, loss: str = "logistic", lambda1: float = 0.01) -> tuple[Adjacency, Status]:
    """Linear NOTEARS with intercepts."""
    found = linear.solve(data, linear.NotearsOptions(loss=loss, lambda1=lambda1), seed=seed)
    return found.adjacency, found.status


def notears_mlp(
    data: BinaryData, seed: int, *, loss: str = "logistic", lambda1: float = 0.003, lambda2: float = 0.003
) -> tuple[Adjacency, Status]:
    """NOTEARS-MLP; `loss="squared"` is the original."""
    options = neural.NotearsMlpOptions(loss=loss, lambda1=lambda1, lambda2=lambda2)
    found = neural.solve(data, options, seed=seed)
    return found.adjacency, found.status
