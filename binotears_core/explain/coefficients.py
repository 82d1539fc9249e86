"""Coefficients for people: an unpenalised logistic regression of every node on products of its parents.

For a node X with parents P the log-odds are Σ_S h_S·Π_{i∈S} x_i over S = ∅ and the subsets S ⊆ P of the allowed sizes.

>>> from binotears_core.data.table import BinaryData
>>> data = BinaryData.from_counts([[0, 0], [0, 1], [1, 0], [1, 1]], [40, 10, 10, 40], ["cause", "effect"])
>>> table = refit(data, [[0, 1], [0, 0]], orders=1).coefficients
>>> table.round(3)[["node", "term", "log_odds", "std_error", "odds_ratio", "probability_change"]].values.tolist()[1:]
[['effect', (), -1.386, 0.354, 0.25, nan], ['effect', ('cause',), 2.773, 0.5, 16.0, 0.6]]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import expit

from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.graph.dag import parents, topological_order
from binotears_core.model.features import count_terms, interaction_sets, products, resolve_orders
from binotears_core.model.logistic import LogisticFit, fit_logistic

Bits = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Orders = str | int | Iterable[int]

MOST_TERMS = 1024
UNDETERMINED = "not determined by the data"


@dataclass(frozen=True, eq=False)
class NodeFit:
    """The regression of one node. K terms, m parent configurations seen in the data.

    terms               tuples of parent names, () first; the arrays below run along them
    log_odds            (K,) h_S
    std_error           (K,) from the inverse Fisher information; NaN where the data do not determine h_S
    probability_change  (K,) see `probability_change`
    configurations      (m, parents) 0/1
    counts, observed, predicted   (m,) rows, frequency of ones and fitted probability of each configuration
    """

    node: str
    parents: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]
    log_odds: Floats
    std_error: Floats
    probability_change: Floats
    loglik: float
    configurations: Bits
    counts: Floats
    observed: Floats
    predicted: Floats
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Refit:
    """All nodes of a DAG, in column order."""

    names: tuple[str, ...]
    nodes: tuple[NodeFit, ...]

    def __getitem__(self, node: str) -> NodeFit:
        if node not in self.names:
            raise OptionError(f"There is no variable '{node}'. The variables are: {', '.join(self.names)}.")
        return self.nodes[self.names.index(node)]

    @property
    def loglik(self) -> float:
        """Log-likelihood of the whole table, Σ over nodes."""
        return sum(fit.loglik for fit in self.nodes)

    @property
    def parameters(self) -> int:
        """Number of coefficients, constants included."""
        return sum(len(fit.terms) for fit in self.nodes)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not as asked for, one sentence each."""
        return tuple(note for fit in self.nodes for note in fit.notes)

    @property
    def coefficients(self) -> pd.DataFrame:
        """One row per node and term: node, term, order, log_odds, std_error, odds_ratio, probability_change, note."""
        return pd.concat([_frame(fit) for fit in self.nodes], ignore_index=True)


def refit(data: BinaryData, adjacency: npt.ArrayLike, orders: Orders) -> Refit:
    """Regress every node on the interaction terms of its parents; A[i, j] != 0 means i → j."""
    matrix = np.asarray(adjacency)
    p = data.variables
    if matrix.shape != (p, p):
        raise OptionError(f"The graph has shape {matrix.shape}, the data have {p} variables. Give a ({p}, {p}) matrix.")
    topological_order(matrix)
    allowed = resolve_orders(orders, p)
    return Refit(data.names, tuple(fit_node(data, j, parents(matrix, j), allowed) for j in range(p)))


def fit_node(data: BinaryData, node: int, causes: list[int], orders: frozenset[int]) -> NodeFit:
    """Regress one column on products of others."""
    name = data.names[node]
    configurations, counts, ones = _configurations(data, node, causes)
    chosen, notes = _orders_of_node(name, len(causes), orders, len(counts))
    terms = interaction_sets(len(causes), chosen)
    features = products(configurations, terms)
    fit = fit_logistic(features, ones, counts)
    if fit.ridge:
        notes.append(_ridge_note(name, fit))
    labels = tuple(data.names[i] for i in causes)
    return NodeFit(
        node=name,
        parents=labels,
        terms=tuple(tuple(labels[i] for i in term) for term in terms),
        log_odds=fit.log_odds,
        std_error=fit.std_error,
        probability_change=probability_change(features, counts, fit.log_odds),
        loglik=fit.loglik,
        configurations=configurations,
        counts=counts,
        observed=ones / counts,
        predicted=fit.probability,
        notes=tuple(notes),
    )


def probability_change(features: Floats, counts: Floats, log_odds: Floats) -> Floats:
    """(K,) how much a term raises the probability, on average over the rows in which all its variables are 1.

        Δ_S = mean over rows with Π_{i∈S} x_i = 1 of  σ(z) − σ(z − h_S),

    the fitted probability minus what it would be without this term. Δ_S has the sign of h_S. For a parent that is in no
    interaction it is the mean change when that parent is switched from 0 to 1. NaN for the constant.
    """
    z = features @ log_odds
    change = expit(z)[:, None] - expit(z[:, None] - log_odds)
    exposed = features * counts[:, None]
    totals = exposed.sum(axis=0)
    mean: Floats = np.einsum("ck,ck->k", exposed, change) / np.where(totals > 0, totals, np.nan)
    mean[0] = np.nan
    return mean


def edge_strength(fit: Refit) -> Floats:
    """(p, p) sqrt(Σ_{S∋i} h_S²) of the coefficients of j: the strength of i → j, 0 where there is no edge."""
    squares = np.zeros((len(fit.names), len(fit.names)))
    position = {name: index for index, name in enumerate(fit.names)}
    for j, node in enumerate(fit.nodes):
        for term, value in zip(node.terms, node.log_odds, strict=True):
            squares[[position[name] for name in term], j] += value**2
    return np.sqrt(squares)


def predicted(fit: Refit, node: str) -> pd.DataFrame:
    """One row per parent configuration in the data: configuration, predicted, observed, count.

    A configuration is a tuple of 0/1 in the order of `fit[node].parents`.
    """
    one = fit[node]
    return pd.DataFrame(
        {
            "configuration": [tuple(row) for row in one.configurations.tolist()],
            "predicted": one.predicted,
            "observed": one.observed,
            "count": one.counts,
        }
    )


def log_likelihood(data: BinaryData, adjacency: npt.ArrayLike, orders: Orders) -> float:
    """Log-likelihood of the data (natural logarithm, summed over rows) under the refit along a DAG."""
    return refit(data, adjacency, orders).loglik


def _configurations(data: BinaryData, node: int, causes: list[int]) -> tuple[Bits, Floats, Floats]:
    """Distinct parent rows (m, k), their counts and how many of them have the node on."""
    # The zero column keeps np.unique happy when there are no parents.
    padded = np.concatenate([np.zeros((len(data.patterns), 1), dtype=np.uint8), data.patterns[:, causes]], axis=1)
    rows, inverse = np.unique(padded, axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    counts = np.bincount(inverse, weights=data.counts)
    ones = np.bincount(inverse, weights=data.counts * data.patterns[:, node])
    return rows[:, 1:], counts.astype(np.float64), np.minimum(ones, counts).astype(np.float64)


def _orders_of_node(name: str, number: int, orders: frozenset[int], rows: int) -> tuple[frozenset[int], list[str]]:
    """Orders for a node with this many parents, and a note when there are fewer than asked for.

    With fewer parents than the lowest order asked for, the product of all of them stands in: every edge has a term.
    """
    if number == 0:
        return frozenset(), []
    wanted = frozenset(order for order in orders if order <= number) or frozenset({number})
    asked = count_terms(number, wanted)
    if asked <= MOST_TERMS and (asked <= rows or max(wanted) <= 2):
        return wanted, []
    for fewer, kept in ((frozenset({1, 2}), "first and second order were"), (frozenset({1}), "first order alone was")):
        if count_terms(number, fewer) < min(asked, MOST_TERMS + 1):
            reason = f"{asked} terms are too many for {rows} observed configurations of its {number} parents"
            return fewer, [f"'{name}': {reason} (the limit is {MOST_TERMS}); {kept} fitted."]
    return wanted, []


def _ridge_note(name: str, fit: LogisticFit) -> str:
    missing = int(np.isnan(fit.std_error).sum())
    return (
        f"'{name}': some combinations of its parents never occur or always give the same value, so a small ridge keeps "
        f"its coefficients finite; {missing} of {len(fit.log_odds)} are {UNDETERMINED} and carry no standard error."
    )


def _frame(fit: NodeFit) -> pd.DataFrame:
    with np.errstate(over="ignore"):
        ratio = np.exp(fit.log_odds)
    return pd.DataFrame(
        {
            "node": fit.node,
            "term": pd.Series(list(fit.terms), dtype=object),
            "order": [len(term) for term in fit.terms],
            "log_odds": fit.log_odds,
            "std_error": fit.std_error,
            "odds_ratio": ratio,
            "probability_change": fit.probability_change,
            "note": np.where(np.isnan(fit.std_error), UNDETERMINED, ""),
        }
    )
