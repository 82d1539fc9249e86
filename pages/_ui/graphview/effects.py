"""What each parent does to its child, read from the coefficients: raises, lowers, or acts only together with others.

For a child with log-odds Σ_S h_S·Π_{i∈S} x_i the effect of switching parent i on, while the others stand at c, is

    effect_i(c) = h_i + Σ_{S∋i, |S|≥2} h_S·Π_{j∈S∖i} c_j .

A parent *raises* or *lowers* the odds by the sign of h_i. It *acts together* when it has no clear h_i of its own, or
when its effect clearly changes sign with c. Clear means: zero is outside the 95 % interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isfinite, sqrt
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from binotears_core.explain.coefficients import NodeFit, Refit, edge_strength
from binotears_core.graph.dag import Adjacency, threshold_to_dag
from binotears_core.results import FitResult, Path

Sign = Literal["raises", "lowers", "interaction"]
Coefficient = tuple[float, float]  # log-odds and standard error
Terms = Mapping[tuple[int, ...], Coefficient]

LEVEL = 1.96
UNKNOWN_ERROR = 0.5  # for coefficients the data do not determine (perfect separation)
MOST_PARTNERS = 10  # 2^partners situations are looked at


@dataclass(frozen=True, eq=False)
class Shown:
    """A graph with its coefficients.

    adjacency, strength  (p, p), A[i, j] != 0 means i → j
    terms                for each child its coefficients by set of parents
    hidden               (source, target) of the edges left out for being weak
    """

    names: tuple[str, ...]
    adjacency: Adjacency
    strength: npt.NDArray[np.float64]
    terms: tuple[Terms, ...]
    hidden: tuple[tuple[int, int], ...] = ()

    def above(self, threshold: float) -> Shown:
        """Only edges stronger than `threshold`; the others are hidden."""
        weak = [(i, j) for i, j in self.edges if self.strength[i, j] <= threshold]
        kept: Adjacency = (self.adjacency != 0) & (self.strength > threshold)
        return replace(self, adjacency=kept.astype(np.int8), hidden=tuple(weak))

    @property
    def edges(self) -> list[tuple[int, int]]:
        """(source, target), row by row."""
        return [(i, j) for i, j in np.argwhere(self.adjacency != 0).tolist()]


@dataclass(frozen=True)
class Influence:
    """How a parent acts: its sign, and whether it meets others in a clear interaction."""

    sign: Sign
    together: bool


def of_result(result: FitResult) -> Shown:
    """The final graph of a run with its unpenalised coefficients."""
    terms = terms_of_table(result.coefficients, result.names)
    return Shown(result.names, result.adjacency, result.strength, terms)


def of_fits(fits: Sequence[NodeFit], adjacency: Adjacency) -> Shown:
    """Any graph with a regression of every node along it, in column order."""
    refit = Refit(tuple(fit.node for fit in fits), tuple(fits))
    return Shown(refit.names, adjacency, edge_strength(refit), terms_of_table(refit.coefficients, refit.names))


def of_path(
    path: Path, number: int, names: tuple[str, ...], threshold: float, required: npt.ArrayLike | None = None
) -> Shown:
    """A point of the λ/δ path as the solver left it; coefficients up to `threshold` in size are not shown."""
    point = path[number]
    adjacency, _ = threshold_to_dag(point.strength, threshold, required)
    terms = []
    for child in range(len(names)):
        parents = set(np.flatnonzero(adjacency[:, child]).tolist())
        column = zip(path.terms, point.H[:, child].tolist(), strict=True)
        terms.append({s: (h, 0.0) for s, h in column if parents.issuperset(s) and (abs(h) > threshold or not s)})
    return Shown(names, adjacency, point.strength, tuple(terms))


def terms_of_table(table: pd.DataFrame, names: Sequence[str]) -> tuple[Terms, ...]:
    """The coefficient table of a result, child by child."""
    position = {name: index for index, name in enumerate(names)}
    terms: list[dict[tuple[int, ...], Coefficient]] = [{} for _ in names]
    for node, term, value, error in zip(
        table["node"], table["term"], table["log_odds"], table["std_error"], strict=True
    ):
        terms[position[node]][tuple(sorted(position[name] for name in term))] = (float(value), float(error))
    return tuple(terms)


def terms_of_fit(fit: NodeFit) -> Terms:
    """The coefficients of one regression; parents are numbered as in `fit.parents`."""
    position = {name: index for index, name in enumerate(fit.parents)}
    rows = zip(fit.terms, fit.log_odds.tolist(), fit.std_error.tolist(), strict=True)
    return {tuple(sorted(position[name] for name in term)): (value, error) for term, value, error in rows}


def influences(terms: Terms, parents: Sequence[int]) -> dict[int, Influence]:
    """How each parent of a child acts."""
    partners = acting_together(terms, parents)
    return {parent: Influence(_sign(terms, parent), parent in partners) for parent in parents}


def acting_together(terms: Terms, parents: Sequence[int]) -> set[int]:
    """Parents that meet at least one other in a clear interaction, or have no coefficient of their own."""
    there = set(parents)
    found: set[int] = set()
    for term, coefficient in terms.items():
        if len(term) > 1 and there.issuperset(term) and (clear(coefficient) or any((i,) not in terms for i in term)):
            found.update(term)
    return found


def clear(coefficient: Coefficient) -> bool:
    """True when zero is outside the 95 % interval."""
    return abs(coefficient[0]) > LEVEL * _error(coefficient)


def _sign(terms: Terms, parent: int) -> Sign:
    own = terms.get((parent,))
    mine = {term: value for term, value in terms.items() if parent in term and len(term) > 1}
    if own is None or (not clear(own) and any(clear(value) for value in mine.values())):
        return "interaction" if mine else "raises"
    if mine and _changes_sign(own, mine, parent):
        return "interaction"
    return "lowers" if own[0] < 0 else "raises"


def _changes_sign(own: Coefficient, mine: Terms, parent: int) -> bool:
    """True when switching the parent on clearly raises in one situation of the others and lowers in another."""
    partners = sorted({other for term in mine for other in term if other != parent})
    if len(partners) > MOST_PARTNERS:
        return False
    signs = set()
    for situation in product((0, 1), repeat=len(partners)):
        on = {other for other, value in zip(partners, situation, strict=True) if value} | {parent}
        active = [own, *(value for term, value in mine.items() if on.issuperset(term))]
        effect, error = sum(h for h, _ in active), sqrt(sum(_error(value) ** 2 for value in active))
        if abs(effect) > LEVEL * error:
            signs.add(effect > 0)
    return len(signs) == 2


def _error(coefficient: Coefficient) -> float:
    return coefficient[1] if isfinite(coefficient[1]) else UNKNOWN_ERROR
