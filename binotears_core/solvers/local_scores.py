"""How well a set of parents explains a node: scores that add up over nodes, and that see interactions.

For a node with k parents the data are 2^k cells with counts. A score never looks at more. Four kinds:

* `interaction` (default): several *interaction models* compete — first order; second order alone; first + second;
  the highest product alone; first + highest; … ; saturated. Each gets its Bayesian evidence (model/evidence.py;
  the saturated one also as a table with Beta(½, ½) per cell), and the score is the log of their *average*: a parent
  set is as good as its models, and having many models to choose from costs log(#models). How large effects are, the
  data say: of the priors in `EFFECTS` that one is taken under which the graph found so far has the highest evidence.
* `interaction-bic`: the same models by `log-likelihood − ½·log(n)·#coefficients`, the best one kept.
* `bic`: the saturated table, `log-likelihood − ½·log(n)·2^k`.
* `bdeu`: the saturated table with Beta(a, a) per cell, a = equivalent_sample_size / 2^(k+1). Markov-equivalent DAGs
  score the same.

To each, the log prior of a set of k parents is added, −extended·log C(p−1, min(k, ⌊(p−1)/2⌋)) − parent_cost·k + const:
the more sets of one size there are, the less likely each. (Log C alone falls again beyond the middle: taking *all*
others as parents would be free.) Higher is better everywhere. Scores are natural logarithms ("nats").

A fifth kind, `paper`, is the paper's objective in its ℓ0 limit, n·(ℓ + λδ/2·#edges), with the sign turned.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import asdict, dataclass
from itertools import combinations
from math import comb, log
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from binotears_core.data.table import BinaryData
from binotears_core.model.evidence import Design, Effects, fit_batch, saturated_log_evidence, saturated_log_likelihood
from binotears_core.options import check, one_of, within
from binotears_core.results import Progress, Reporter

Floats = npt.NDArray[np.float64]
Parents = tuple[int, ...]

KINDS = ("interaction", "interaction-bic", "bic", "bdeu", "paper")
MOST_PARENTS = 14  # of a parent set that can be scored
COUNTED_AT_A_TIME = 4_000_000  # (parent set, pattern) pairs
# Priors of a coefficient among which the data choose; the first is assumed as long as no graph is known.
EFFECTS = (*(Effects(scale, moment=True) for scale in (1.0, 0.35, 0.5, 0.7, 1.4, 2.0)), Effects(2.0), Effects(1.0))
_FLAT = Effects(1e3)  # a prior this wide leaves the maximum of the likelihood where it is
_MOST_COEFFICIENTS = 64  # of a model that is fitted by Newton's method
_ROWS_PER_COEFFICIENT = 25
MOST_SATURATED = 4  # parents of a saturated model that is fitted by Newton's method too, not as a table alone
_HUGE_EFFECT = 0.2  # prior probability of such a model's table, whose effects may be of any size


@dataclass(frozen=True, kw_only=True)
class ScoreOptions:
    """Which score, and its constants.

    `extended=None` and `parent_cost=None`: 1 and 1¼ for the interaction scores, 0 for the others: a pair that keeps
    false edges in data without any below 0.1 and loses little elsewhere (`benchmarks/prior.py` compares pairs).
    `prior_scale`: effects are N(0, prior_scale²); None: as the data say (`EFFECTS`).
    """

    kind: str = one_of(*KINDS)
    prior_scale: float | None = within(None, 0.1, 20.0)
    extended: float | None = within(None, 0.0, 10.0)
    parent_cost: float | None = within(None, 0.0, 100.0)
    by_density: bool = True
    equivalent_sample_size: float = within(10.0, 1e-3, 1e4)
    edge_cost: float = within(0.005, 0.0, 1e3)

    def __post_init__(self) -> None:
        check(self)

    @property
    def first_effects(self) -> Effects | None:
        """The prior of a coefficient as long as no graph is known; None for scores that have none."""
        if self.kind != "interaction":
            return None
        return EFFECTS[0] if self.prior_scale is None else Effects(self.prior_scale)

    @property
    def learns_effects(self) -> bool:
        """Whether the data say how large effects are."""
        return self.kind == "interaction" and self.prior_scale is None

    def log_prior(self, parents: int, variables: int) -> float:
        """−extended·log C(p−1, min(k, ⌊(p−1)/2⌋)) − parent_cost·k for k parents, when no density is known."""
        sees_interactions = self.kind.startswith("interaction")
        extended = self.extended if self.extended is not None else 1.0 * sees_interactions
        parent_cost = self.parent_cost if self.parent_cost is not None else 1.25 * sees_interactions
        others = variables - 1
        return -extended * log(comb(others, min(parents, others // 2))) - parent_cost * parents

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as in a result file."""
        return asdict(self)


def interaction_models(parents: int, orders: frozenset[int]) -> list[frozenset[int]]:
    """The sets of orders that compete for a node with k parents, within the allowed orders.

    A single parent always has its first-order effect: without it the edge would not exist.
    """
    k = parents
    if k <= 1:
        return [frozenset(range(1, k + 1))]
    named = [{1}, {2}, {1, 2}, {k}, {1, k}, {1, 2, k}, {1, 2, 3}, set(range(1, k + 1))]
    models: list[frozenset[int]] = []
    for wanted in named:
        model = frozenset(order for order in wanted if order <= k)
        if model <= orders and model not in models:
            models.append(model)
    return models


def competing_models(parents: int, orders: frozenset[int], rows: float) -> list[frozenset[int]]:
    """The interaction models without those too large for the data; the saturated table is never left out."""
    most = min(_MOST_COEFFICIENTS, rows / _ROWS_PER_COEFFICIENT)
    models = interaction_models(parents, orders)
    fitting = [model for model in models if len(model) == parents or count_coefficients(parents, model) <= most]
    return fitting or models[:1]


def count_coefficients(parents: int, model: frozenset[int]) -> int:
    """Number of coefficients of a model, with its constant."""
    return 1 + sum(comb(parents, order) for order in model)


class LocalScores:
    """Cached scores of (node, parents) on one data set. Higher is better; −inf where no model is allowed."""

    def __init__(
        self, data: BinaryData, orders: frozenset[int], options: ScoreOptions | None = None, threads: int = 1
    ) -> None:
        self.options = options or ScoreOptions()
        self._threads = threads
        self.orders = orders
        self.variables = data.variables
        self._columns = np.ascontiguousarray(data.patterns.T.astype(np.int64))
        self._counts = data.counts
        self._rows = data.sample_size
        self.density = 0.0
        self.effects = self.options.first_effects
        self._designs: dict[tuple[int, frozenset[int]], Design] = {}
        # Both without the prior of a parent set, so that scores of another density can share them.
        self._cache: dict[Effects | None, dict[tuple[int, Parents], float]] = {}
        self._tabled: dict[tuple[int, Effects | None], Floats] = {}

    def assuming(self, adjacency: npt.ArrayLike) -> LocalScores:
        """The same scores under the priors that suit a graph: its density, and the effects under which it has the
        highest evidence. What was computed is shared.
        """
        other = copy(self)
        if self.options.by_density:
            other.density = np.count_nonzero(adjacency) / max(comb(self.variables, 2), 1)
        if self.options.learns_effects:
            candidates = (self.effects, *EFFECTS)  # of several that suit alike, the present one stays
            other.effects = max(candidates, key=lambda effects: other._under(effects).total(adjacency))
        return other

    def _under(self, effects: Effects | None) -> LocalScores:
        other = copy(self)
        other.effects = effects
        return other

    def prior(self, parents: int) -> float:
        """The log prior of a set of k parents."""
        return (1.0 - self.density) * self.options.log_prior(parents, self.variables)

    def score(self, node: int, parents: Parents) -> float:
        """The score of one parent set (indices ascending)."""
        return float(self.batch(node, [parents])[0])

    def batch(self, node: int, sets: Sequence[Parents]) -> Floats:
        """(N,) scores of parent sets that all have the same size."""
        cache = self._cache.setdefault(self.effects, {})
        unknown = [parents for parents in sets if (node, parents) not in cache]
        if unknown:
            joint = self._tables([(*parents, node) for parents in unknown]).reshape(len(unknown), 2, -1)
            scores = self._score_cells(joint[:, 1], joint.sum(axis=1), len(unknown[0]))
            cache.update(zip(((node, parents) for parents in unknown), scores.tolist(), strict=True))
        return np.array([cache[node, parents] for parents in sets]) + self.prior(len(sets[0]))

    def total(self, adjacency: npt.ArrayLike) -> float:
        """Σ over nodes; −inf when a node has more than MOST_PARENTS parents (a table of 2^k cells)."""
        matrix = np.asarray(adjacency) != 0
        if matrix.sum(axis=0).max(initial=0) > MOST_PARENTS:
            return -np.inf
        return sum(self.score(j, tuple(np.flatnonzero(matrix[:, j]).tolist())) for j in range(self.variables))

    def table(self, most_parents: int, report: Reporter | None = None) -> Floats | None:
        """(p, 2^p) every score with at most `most_parents` parents, −inf elsewhere; column = bitmask of the parents.

        One joint table per set of variables serves all its members. None when the listener asked to stop.
        """
        p, key = self.variables, (most_parents, self.effects)
        if key not in self._tabled:
            filled = self._fill_all(most_parents, report)
            if filled is None:
                return None
            self._tabled[key] = filled
        prior = np.array([self.prior(k) for k in range(p)] + [0.0])  # no set has all p variables
        table: Floats = self._tabled[key] + prior[np.bitwise_count(np.arange(1 << p))]
        return table

    def _fill_all(self, most_parents: int, report: Reporter | None) -> Floats | None:
        """The table without the prior."""
        p = self.variables
        scores = np.full((p, 1 << p), -np.inf)
        work = np.cumsum([comb(p, k + 1) * (k + 1) for k in range(most_parents + 1)])
        # Blocks write to places of their own, and numpy lets go of Python's lock while it computes.
        with ThreadPoolExecutor(self._threads) as pool:
            for k in range(most_parents + 1):
                blocks = _blocks(list(combinations(range(p), k + 1)), len(self._counts))
                for _ in pool.map(lambda sets: self._fill(scores, np.array(sets)), blocks):
                    pass  # the loop brings an error of a thread to light
                if report and report(Progress("local scores", k, most_parents, float(work[k] / work[-1]))):
                    return None
        return scores

    def model(self, node: int, parents: Parents) -> tuple[frozenset[int], float]:
        """The best interaction model of a parent set and its share of the evidence (1 when only one competes)."""
        k = len(parents)
        if not self.options.kind.startswith("interaction"):
            return frozenset(range(1, k + 1)), 1.0
        joint = self._tables([(*parents, node)]).reshape(1, 2, -1)
        models = self._models(k)
        values = np.array([self._model_score(joint[:, 1], joint.sum(axis=1), k, model)[0] for model in models])
        best = int(values.argmax())
        return models[best], float(np.exp(values[best] - logsumexp(values)))

    def _fill(self, scores: Floats, sets: npt.NDArray[np.int64]) -> None:
        """Score every member of every set of k + 1 variables with the others as its parents."""
        number, size = sets.shape
        cube = self._tables(sets).reshape(number, *(2,) * size)  # axis 1 is the last variable of a set
        masks = (np.int64(1) << sets).sum(axis=1)
        for position in range(size):
            joint = np.moveaxis(cube, size - position, 1).reshape(number, 2, -1)
            node = sets[:, position]
            values = self._score_cells(joint[:, 1], joint.sum(axis=1), size - 1)
            scores[node, masks ^ (np.int64(1) << node)] = values

    def _tables(self, sets: Sequence[Parents] | npt.NDArray[np.int64]) -> Floats:
        """(N, 2^k) counts of the cells of N sets of k variables; the first variable is the lowest bit."""
        index = np.asarray(sets, dtype=np.int64)
        number, size = index.shape
        codes = np.zeros((number, len(self._counts)), dtype=np.int64)
        for position in range(size):
            codes += self._columns[index[:, position]] << position
        codes += np.arange(number)[:, None] << size
        counts = np.broadcast_to(self._counts, codes.shape)
        table = np.bincount(codes.reshape(-1), weights=counts.reshape(-1), minlength=number << size)
        return table.astype(np.float64).reshape(number, 1 << size)

    def _score_cells(self, ones: Floats, totals: Floats, k: int) -> Floats:
        models = self._models(k)
        if not models:
            return np.full(len(ones), -np.inf)
        values = np.stack([self._model_score(ones, totals, k, model) for model in models])
        if self.options.kind == "interaction":
            averaged: Floats = logsumexp(values, axis=0) - log(len(models))
            return averaged
        best: Floats = values.max(axis=0)
        return best

    def _models(self, k: int) -> list[frozenset[int]]:
        if self.options.kind in ("bic", "bdeu"):
            return [frozenset(range(1, k + 1))]
        if self.options.kind == "paper":
            return [_single_parent(k, frozenset(order for order in self.orders if order <= k))]
        return competing_models(k, self.orders, self._rows)

    def _model_score(self, ones: Floats, totals: Floats, k: int, model: frozenset[int]) -> Floats:
        """(N,) one model's score, without the prior of the parent set."""
        kind = self.options.kind
        saturated = len(model) == k
        if kind == "bdeu":
            return saturated_log_evidence(ones, totals, self.options.equivalent_sample_size / (2 << k))
        if self.effects is not None:
            return self._log_evidence(ones, totals, k, model, self.effects)
        if saturated:
            likelihood = saturated_log_likelihood(ones, totals)
        else:
            likelihood = fit_batch(self._design(k, model), _FLAT, ones, totals).log_likelihood
        if kind == "paper":
            return likelihood - self._rows * self.options.edge_cost * k
        return likelihood - 0.5 * log(self._rows) * count_coefficients(k, model)

    def _log_evidence(self, ones: Floats, totals: Floats, k: int, model: frozenset[int], effects: Effects) -> Floats:
        """(N,) the logistic model; a saturated one also as a table of free cells, and as that alone if it is large.

        The table is for nearly deterministic effects: they are so unlikely under a prior on log-odds that two copies
        of a parent sharing one would score higher (Asia: either → xray drew in lung → xray).
        """
        saturated = len(model) == k > 0
        if saturated and k > MOST_SATURATED:
            return saturated_log_evidence(ones, totals, 0.5)
        logistic = fit_batch(self._design(k, model), effects, ones, totals).log_evidence
        if not saturated:
            return logistic
        table = saturated_log_evidence(ones, totals, 0.5)
        return np.logaddexp(logistic + log(1 - _HUGE_EFFECT), table + log(_HUGE_EFFECT))

    def _design(self, k: int, model: frozenset[int]) -> Design:
        """Φ on the 2^k cells: the products S of the model's orders (S ⊆ cell)."""
        if (k, model) not in self._designs:
            cells = np.arange(1 << k)
            terms = cells[np.isin(np.bitwise_count(cells), [0, *model])]
            phi = ((cells[:, None] & terms[None, :]) == terms[None, :]).astype(np.float64)
            self._designs[k, model] = Design(phi)
        return self._designs[k, model]


def _single_parent(k: int, model: frozenset[int]) -> frozenset[int]:
    return frozenset({1}) if k == 1 else model


def _blocks(sets: list[Parents], patterns: int) -> list[list[Parents]]:
    """Cut a list of sets so that counting one piece stays within memory."""
    size = max(1, COUNTED_AT_A_TIME // max(patterns, 1))
    return [sets[start : start + size] for start in range(0, len(sets), size)]
