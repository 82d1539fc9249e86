"""What the stages of a run cost: seconds on the reference core, and bytes, from p, distinct rows m, orders and options.

Each law is a unit of work times a constant of `SECONDS`. The shapes of the laws and their constants were fitted to
simulated graphs (ER2, p = 6 … 40, n = 1000 and 10 000); `python benchmarks/estimate.py` measures the constants anew and
prints them.

    dagma      evaluations · (1 + p·m/9000 + p·m·K/750 000), or with transforms (1 + p·2^p/3300);  evaluations of the
               objective grow like p^0.7 · coefficients^0.19
    two-stage  p² · m^0.72 · hidden/10
    exact      a Newton fit per node, parent set and interaction model; counting; and p² shortest paths over 2^p sets
    orders     starts · p^1.3 · m
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, inf

from binotears_core.data.table import BinaryData
from binotears_core.model.features import by_transform, count_terms
from binotears_core.solvers.dagma import DagmaOptions, Schedule
from binotears_core.solvers.local_scores import (
    COUNTED_AT_A_TIME,
    MOST_SATURATED,
    ScoreOptions,
    competing_models,
    count_coefficients,
)
from binotears_core.solvers.order_search import MOST_PARENTS
from binotears_core.solvers.two_stage import TwoStageOptions

Orders = frozenset[int]

# Seconds on the reference core per unit of work: `python benchmarks/estimate.py`.
SECONDS = {"start": 0.03, "torch": 0.9, "dagma": 9e-5, "two-stage": 1.38e-5, "exact": 1.42e-5, "orders": 8.8e-6}

_COPIES = 30  # of H that L-BFGS, its line search and the objective hold at a time
_TORCH = 2e8  # bytes


@dataclass(frozen=True)
class Cost:
    """Seconds on one core, and bytes at the peak. Stages add up, in bytes too: each keeps most of what it made."""

    seconds: float
    bytes: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.seconds + other.seconds, self.bytes + other.bytes)


START = Cost(SECONDS["start"], 1e7)


def coefficients(variables: int, orders: Orders) -> int:
    """p · Σ C(p−1, order) over the orders and the constant: each node on the sets of others."""
    return variables * (1 + sum(comb(variables - 1, order) for order in orders))


def dagma(data: BinaryData, orders: Orders, schedule: Schedule, options: DagmaOptions) -> Cost:
    """The λ/δ continuation."""
    p, rows, terms = data.variables, len(data.patterns), count_terms(data.variables, orders)
    if terms > 1e15:  # beyond any machine, and soon beyond floating point
        return Cost(inf, inf)
    transforms = by_transform(p, rows, terms)
    points = 1 << p if transforms else rows
    evaluations = 150.0 * p**0.7 * coefficients(p, orders) ** 0.19 * schedule.steps / 5 * options.mu_steps / 4
    work = 1.0 + (p * points / 3300 if transforms else p * rows / 9000 + p * rows * terms / 750_000)
    cells = p * terms * (_COPIES + schedule.steps) + 6 * p * points + (0 if transforms else rows * terms)
    return Cost(SECONDS["dagma"] * evaluations * work, 8.0 * cells)


def two_stage(data: BinaryData, options: TwoStageOptions) -> Cost:
    """NOTEARS-MLP and the regressions along its order; torch is loaded first."""
    p, size = data.variables, options.hidden / 10
    seconds = SECONDS["torch"] + SECONDS["two-stage"] * p**2 * len(data.patterns) ** 0.72 * size
    # L-BFGS-B keeps about 25 copies of the weights, each split into θ⁺ and θ⁻.
    return Cost(seconds, _TORCH + 8.0 * (60 * options.hidden * p**2 + 4 * p * len(data.patterns)))


def exact(data: BinaryData, orders: Orders, score: ScoreOptions, most_parents: int, *, paper: bool) -> Cost:
    """All local scores, the best graph, the runner-up; `paper`: the paper's program besides, for the certificate."""
    passes = _passes(score) + (0.3 if paper else 0.0)
    p, rows = data.variables, len(data.patterns)
    work, largest = p**3 * 2**p / 950, 0
    for k in range(most_parents + 1):
        nodes, sets = p * comb(p - 1, k), comb(p, k + 1)
        sizes = _model_sizes(k, orders, data.sample_size)
        models = sum(1.0 + 2**k * (size + 0.3 * size**2) / 7500 for size in sizes)
        work += (nodes * models + sets * rows * (k + 1) / 1450) * passes
        largest = max(largest, 48 * sets * max(sizes, default=1) ** 2, 16 * min(sets * rows, COUNTED_AT_A_TIME))
    return Cost(SECONDS["exact"] * work, 100.0 * p * 2**p + largest + _designs(data, orders))


def _passes(score: ScoreOptions) -> float:
    """How often scores are computed: twice where the data ask for effects of another size than assumed at first."""
    return 1.5 if score.learns_effects else 1.0


def _model_sizes(parents: int, orders: Orders, samples: float) -> list[int]:
    """Coefficients of the interaction models that Newton's method fits; a large saturated table needs none."""
    models = competing_models(parents, orders, samples)
    return [count_coefficients(parents, model) for model in models if parents <= MOST_SATURATED or len(model) < parents]


def _designs(data: BinaryData, orders: Orders) -> float:
    """Bytes of the matrices Φ ⊗ Φ that the scores keep: 2^k cells and size² products for every k and model."""
    parents = range(min(MOST_PARENTS, data.variables - 1) + 1)
    return 8.0 * sum((size * size) << k for k in parents for size in _model_sizes(k, orders, data.sample_size))


def order_search(data: BinaryData, orders: Orders, score: ScoreOptions, restarts: int) -> Cost:
    """Best-position moves from `restarts` orders."""
    seconds = SECONDS["orders"] * _passes(score) * restarts * data.variables**1.3 * len(data.patterns)
    return Cost(seconds, 1e7 + 1.5 * _designs(data, orders) + 2e3 * data.variables**2)
