"""Which of its predecessors are parents of a node? Two answers to one question, from a law and from data.

Both depend only on the *set* U of predecessors, never on their order, which is what lets the dynamic programme of
`subset_dp` replace the search over p! orders. Sets are bitmasks.

* `PopulationSelection`: i is a parent of j given U when the log-odds of X_j given X_U depend on x_i (paper, Eq. edges).
* `LikelihoodSelection`: backward elimination. While some variable can be dropped from the saturated table of j given U
  at a loss of log-likelihood below what its coefficients are worth, drop the one that loses least. The paper's test
  of each variable against the full U costs 2^(|U|−1) coefficients, most of them noise; elimination makes U small first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, xlogy

from binotears_core.data.table import BinaryData
from binotears_core.model.bernoulli import (
    MultivariateBernoulli,
    check_positive,
    log_odds_coefficients,
    marginal_cells,
    marginal_layers,
)
from binotears_core.model.features import Floats, Ints
from binotears_core.results import Progress, Reporter

TIE = 1e-6  # log-likelihoods closer than this (in nats) are equal: well above rounding, well below any evidence


class ParentSelection(Protocol):
    """The parents of a node as a function of the set of its predecessors. `required` parents are always among them."""

    variables: int

    def parents(self, node: int, predecessors: int, required: int) -> int:
        """Parents of one node after one set."""
        ...

    def table(self, required: Sequence[int], report: Reporter) -> Ints | None:
        """(p, 2^p) parents of every node after every set; entries with j ∈ U mean nothing. None when told to stop."""
        ...

    def coefficients(self, node: int, parents: int) -> tuple[Floats, int]:
        """(2^k,) coefficients of B^S, S ⊆ parents, in the log-odds of the node, and how many cells had to be smoothed.

        Bit b of the number of S stands for the b-th parent, ascending.
        """
        ...


class PopulationSelection:
    """Exact law: i is a parent of j when D(x) = log-odds(j | x_i = 1, x) − log-odds(j | x_i = 0, x) ≠ 0 for some x.

    D is a sum of four log-probabilities. It counts as non-zero when |D| > tolerance + 4ε·Σ 1/m over its four cells m: a
    cell known to ± ε (double precision) has a logarithm known to ± ε/m, so rare cells say nothing by themselves.
    """

    def __init__(self, law: MultivariateBernoulli, tolerance: float) -> None:
        check_positive(law.cells)
        self.variables = law.variables
        self._cells, self._tolerance = law.cells, tolerance

    def parents(self, node: int, predecessors: int, required: int) -> int:
        before = members(predecessors)
        logs, error = _logs(marginal_cells(self._cells, [*before, node])[None])
        odds, error = _difference(logs, len(before)), _sum(error, len(before))
        found = [i for position, i in enumerate(before) if self._depends(odds, error, position)[0]]
        return required | sum(1 << i for i in found)

    def table(self, required: Sequence[int], report: Reporter) -> Ints | None:
        found = np.zeros((self.variables, self._cells.size), dtype=np.int64)
        for sets, nodes, tables in marginal_layers(self._cells):
            size = nodes.shape[1]
            logs, errors = _logs(tables)
            # D is symmetric in i and j, so each pair inside a set is tested once and read both ways.
            for second in range(1, size):
                if _stop(report, self.variables, size, second * (second - 1) / (size * (size - 1))):
                    return None
                odds, error = _difference(logs, second), _sum(errors, second)
                for first in range(second):
                    linked = self._depends(odds, error, first)
                    for i, j in ((first, second), (second, first)):
                        child = nodes[linked, j]
                        found[child, sets[linked] ^ (1 << child)] |= 1 << nodes[linked, i]
        return found | np.array(required, dtype=np.int64)[:, None]

    def coefficients(self, node: int, parents: int) -> tuple[Floats, int]:
        return log_odds_coefficients(*marginal_cells(self._cells, [*members(parents), node]).reshape(2, -1)), 0

    def _depends(self, odds: Floats, error: Floats, position: int) -> npt.NDArray[np.bool_]:
        """(m,) whether each log-odds table depends on the variable at `position`."""
        exceeds = np.abs(_difference(odds, position)) > self._tolerance + _sum(error, position)
        return np.asarray(exceeds.any(axis=1))


class LikelihoodSelection:
    """Data: backward elimination by log-likelihood.

    With c_V the counts of the configurations of V and Q(V) = Σ c_V log c_V, the saturated log-likelihood of j given U
    is Q(U ∪ j) − Q(U), empty cells adding nothing. Dropping one of k variables frees 2^(k−1) coefficients. They are
    worth ½·log(n) each (BIC), or together half the (1 − alpha) quantile of χ² with 2^(k−1) degrees of freedom.
    """

    def __init__(self, data: BinaryData, alpha: float | None) -> None:
        self.variables = data.variables
        self._data = data
        freed = 2.0 ** (np.arange(data.variables + 1) - 1)
        self._worth = 0.5 * (np.log(data.sample_size) * freed if alpha is None else chdtri(freed, alpha))
        self._known: dict[int, float] = {}

    def parents(self, node: int, predecessors: int, required: int) -> int:
        kept, smaller = -1, predecessors
        while kept != smaller:
            kept = smaller
            smaller = int(self._drop_weakest(self._q_of_sets, node, np.array([kept]), required)[0])
        return kept

    def table(self, required: Sequence[int], report: Reporter) -> Ints | None:
        q = np.empty(1 << self.variables)
        for sets, nodes, tables in marginal_layers(self._data.cells() * self._data.sample_size):
            if _stop(report, self.variables, nodes.shape[1]):
                return None
            q[sets] = xlogy(tables, tables).sum(axis=1)
        sets = np.arange(1 << self.variables)
        found = np.empty((self.variables, len(sets)), dtype=np.int64)
        for node in range(self.variables):
            smaller = self._drop_weakest(q.__getitem__, node, sets & ~(1 << node), required[node])
            # Following the drops from set to set, twice as far each time, ends where nothing more is dropped.
            for _ in range(self.variables.bit_length()):
                smaller = smaller[smaller]
            found[node] = smaller
        return found

    def coefficients(self, node: int, parents: int) -> tuple[Floats, int]:
        zeros, ones = self._counts([*members(parents), node]).reshape(2, -1)
        empty = (zeros == 0) | (ones == 0)
        half = np.where(empty, 0.5, 0.0)
        return log_odds_coefficients(zeros + half, ones + half), int(empty.sum())

    def _drop_weakest(self, q: Callable[[Ints], Floats], node: int, sets: Ints, required: int) -> Ints:
        """Each set without the variable that loses least, unless that is above its worth; of equals the last goes."""
        bit = 1 << node
        fit = q(sets | bit) - q(sets)
        loss = np.full((self.variables, len(sets)), np.inf)
        for i in range(self.variables):
            inside = ((sets >> i) & 1 == 1) & (not (required >> i) & 1)
            rest = sets[inside] & ~(1 << i)
            loss[i, inside] = fit[inside] - (q(rest | bit) - q(rest))
        least = loss.min(axis=0)
        weakest = self.variables - 1 - np.argmax(loss[::-1] <= least + TIE, axis=0)
        return np.where(least <= self._worth[np.bitwise_count(sets)], sets & ~(1 << weakest), sets)

    def _q_of_sets(self, sets: Ints) -> Floats:
        """Q of a few sets, from the distinct rows, so that no table of 2^|V| cells is made."""
        for key in sets.tolist():
            if key not in self._known:
                codes = self._codes(members(key))
                counts = np.bincount(np.unique(codes, return_inverse=True)[1], weights=self._data.counts)
                self._known[key] = float(xlogy(counts, counts).sum())
        return np.array([self._known[key] for key in sets.tolist()])

    def _counts(self, columns: Sequence[int]) -> Floats:
        counts = np.bincount(self._codes(columns), weights=self._data.counts, minlength=1 << len(columns))
        return counts.astype(np.float64)

    def _codes(self, columns: Sequence[int]) -> Ints:
        return self._data.patterns[:, list(columns)].astype(np.int64) @ (1 << np.arange(len(columns), dtype=np.int64))


def members(nodes: int) -> list[int]:
    """The variables of a bitmask, ascending."""
    return [i for i in range(nodes.bit_length()) if (nodes >> i) & 1]


def _logs(tables: Floats) -> tuple[Floats, Floats]:
    """Logarithms of probabilities, and what double precision leaves unknown about them."""
    return np.log(tables), 4 * np.finfo(np.float64).eps / tables


def _difference(tables: Floats, position: int) -> Floats:
    """(m, 2^k) → (m, 2^(k−1)): values where the variable at `position` is 1 minus where it is 0."""
    halves = tables.reshape(len(tables), -1, 2, 1 << position)
    return np.asarray(halves[:, :, 1] - halves[:, :, 0]).reshape(len(tables), -1)


def _sum(tables: Floats, position: int) -> Floats:
    """(m, 2^k) → (m, 2^(k−1)): the two values of the variable at `position` added up."""
    halves = tables.reshape(len(tables), -1, 2, 1 << position)
    return np.asarray(halves[:, :, 1] + halves[:, :, 0]).reshape(len(tables), -1)


def _stop(report: Reporter, variables: int, size: int, share: float = 0.0) -> bool:
    """Report that this share of the tables of `size` variables and all larger ones are done; True means stop."""
    cells = [comb(variables, k) * 2**k for k in range(variables + 1)]
    done = (sum(cells[size + 1 :]) + share * cells[size]) / 3**variables
    return report(Progress("exact", variables - size, variables, done, message=f"tables of {size} variables"))
