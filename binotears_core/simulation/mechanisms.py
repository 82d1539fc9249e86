"""Which interactions a simulated node has, and their log-odds.

In a mechanism's name "1st" stands for all single parents, "2nd" for all pairs, "pth" for the product of all parents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from binotears_core.errors import OptionError
from binotears_core.graph.dag import Adjacency, parents
from binotears_core.model.features import interaction_sets
from binotears_core.simulation.streams import stream

MECHANISMS = ("1st", "1st+2nd", "1st+pth", "1st+2nd+pth", "2nd", "pth")

NamedTerm = tuple[str, ...]
Coefficients = Mapping[str, Mapping[NamedTerm, float]]


def draw_coefficients(
    adjacency: npt.ArrayLike, names: Sequence[str], mechanism: str, seed: int
) -> dict[str, dict[NamedTerm, float]]:
    """node → {term: log-odds}; iid uniform on [−2, −1] ∪ [1, 2], the constant () as well.

    Only the mechanism's terms are drawn, never 2^|parents| numbers: a scale-free hub may have thirty parents.
    """
    if mechanism not in MECHANISMS:
        raise OptionError(f"There is no mechanism '{mechanism}'. Use one of: {', '.join(MECHANISMS)}.")
    generator = stream(seed, "coefficients")
    drawn = {}
    for j, name in enumerate(names):
        causes = [names[i] for i in parents(adjacency, j)]
        terms = interaction_sets(len(causes), orders_of(mechanism, len(causes)))
        weights = generator.uniform(1.0, 2.0, len(terms)) * generator.choice([-1.0, 1.0], len(terms))
        keys = [tuple(causes[i] for i in term) for term in terms]
        drawn[name] = dict(zip(keys, weights.tolist(), strict=True))
    return drawn


def orders_of(mechanism: str, number: int) -> frozenset[int]:
    """Orders of a node with this many parents; a single parent keeps order 1, else its edge would not show."""
    if number <= 1:
        return frozenset({number})
    order = {"1st": 1, "2nd": 2, "pth": number}
    return frozenset(order[part] for part in mechanism.split("+"))


def own_coefficients(
    coefficients: Coefficients, adjacency: Adjacency, names: Sequence[str]
) -> dict[str, dict[NamedTerm, float]]:
    """The user's log-odds, checked, with every term in column order and the constant in (0 unless given)."""
    checked = {}
    for node, terms in coefficients.items():
        if node not in names:
            raise OptionError(f"Coefficients were given for '{node}', which is not a variable. Check its spelling.")
        causes = [names[i] for i in parents(adjacency, list(names).index(node))]
        checked[node] = _own_terms(node, terms, causes)
    return checked


def _own_terms(node: str, terms: Mapping[NamedTerm, float], causes: Sequence[str]) -> dict[NamedTerm, float]:
    found: dict[NamedTerm, float] = {}
    for term, value in terms.items():
        members = {term} if isinstance(term, str) else set(term)
        strangers = sorted(members - set(causes))
        if strangers:
            raise OptionError(
                f"A term of '{node}' has '{strangers[0]}', not one of its parents. Add the edge or drop the term."
            )
        if not np.isfinite(value):
            raise OptionError(f"A coefficient of '{node}' is {value}. Give a finite log-odds.")
        key = tuple(name for name in causes if name in members)
        if key in found:
            raise OptionError(f"The term ({', '.join(key)}) of '{node}' is given twice. Give it once.")
        found[key] = float(value)
    return {(): 0.0, **found}
