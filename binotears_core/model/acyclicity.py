"""How far a weighted graph is from a DAG: smooth functions h(W, s) of W ≥ 0 with h = 0 exactly on DAGs.

Both are functions of W / s, both return (value, gradient in W), and a solver calls either without knowing which:
* `log_det`: −log det(sI − W) + p log s (DAGMA), defined where sI − W is an M-matrix and infinite elsewhere;
* `trace_exponential`: tr exp(W / s) − p (NOTEARS), defined everywhere.

>>> value, gradient = log_det(np.array([[0.0, 3.0], [0.0, 0.0]]), 1.0)
>>> value, gradient.tolist()
(0.0, [[1.0, 0.0], [3.0, 1.0]])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, log
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
from scipy.linalg import expm

Floats = npt.NDArray[np.float64]
Acyclicity = Callable[[Floats, float], tuple[float, Floats]]


def log_det(W: Floats, s: float = 1.0) -> tuple[float, Floats]:
    """h(W) = −log det(sI − W) + p log s and its gradient (sI − W)^{−T}; (∞, 0) outside the domain. W is (p, p), ≥ 0."""
    matrix = s * np.eye(len(W)) - W
    value = len(W) * log(s)
    # Gauss–Jordan without pivoting, on purpose. sI − W is an M-matrix exactly when every pivot is positive, and then no
    # entry but a pivot is ever a difference of two numbers of one sign: the inverse and h are accurate however large
    # the weights of a DAG are, where a general-purpose inverse is not.
    for k in range(len(W)):
        pivot = float(matrix[k, k])
        if not 0.0 < pivot < inf:
            return inf, np.zeros_like(W)
        value -= log(pivot)
        column = matrix[:, k].copy()
        column[k] = 0.0
        matrix[:, k] = 0.0
        matrix[k, k] = 1.0
        matrix[k] /= pivot
        matrix -= column[:, None] * matrix[k]
    return max(value, 0.0), matrix.T


def trace_exponential(W: Floats, s: float = 1.0) -> tuple[float, Floats]:
    """h(W) = tr exp(W / s) − p and its gradient exp(W / s)ᵀ / s; (∞, 0) where the exponential overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        exponential = expm(W / s)
    if not np.isfinite(exponential).all():
        return inf, np.zeros_like(W)
    return max(float(np.trace(exponential)) - len(W), 0.0), exponential.T / s


ACYCLICITIES: Mapping[str, Acyclicity] = MappingProxyType({"log-det": log_det, "trace-exponential": trace_exponential})
