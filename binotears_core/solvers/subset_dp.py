"""The cheapest order of p variables, found as a shortest path over the 2^p sets of predecessors.

When what a node costs depends only on the *set* U of the nodes before it,

    best(∅) = 0,   best(U ∪ {j}) = min_j best(U) + cost[j, U],

the minimum over p! orders is a shortest path from ∅ to all nodes, one node per step: p·2^(p−1) additions.
Sets are bitmasks: bit i of U says whether i ∈ U.

>>> import numpy as np
>>> cost = np.zeros((2, 4))
>>> cost[0, 0b10] = 1.0  # node 0 after node 1 costs 1, everything else is free
>>> found = shortest_order(cost)
>>> found.total, found.order, found.count
(0.0, (0, 1), 1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from binotears_core.errors import OptionError
from binotears_core.model.features import Floats, Ints, subset_layers

Order = tuple[int, ...]
Parents = tuple[int, ...]  # one bitmask per node
MOST_VARIABLES = 20  # 20! orders can still be counted in 64 bits, and a cost table has 168 MB


@dataclass(frozen=True, eq=False)
class OptimalOrders:
    """All orders that reach the smallest total cost.

    total  the smallest Σ_j cost[j, predecessors of j]
    count  the exact number of optimal orders
    steps  (p, 2^p) steps[j, U] is True when an optimal order puts j right after the nodes of U
    """

    total: float
    count: int
    steps: npt.NDArray[np.bool_]

    @property
    def order(self) -> Order:
        """The lexicographically first optimal order."""
        return next(self.orders())

    def orders(self) -> Iterator[Order]:
        """Optimal orders one by one, lexicographically; there may be p! of them."""
        return self._orders((), 0)

    def _orders(self, prefix: Order, done: int) -> Iterator[Order]:
        if len(prefix) == len(self.steps):
            yield prefix
        for node in _nodes(self.steps[:, done]):
            yield from self._orders((*prefix, node), done | (1 << node))

    def graphs(self, choices: Callable[[int, int], Iterable[int]], limit: int) -> list[tuple[Parents, Order]]:
        """Up to `limit` distinct graphs of optimal orders, each with one optimal order that leads to it.

        `choices(j, U)` gives the parent sets (bitmasks) node j may take after U: one, or several that tie.
        To learn whether there are more than k graphs, ask for k + 1.
        """
        p = len(self.steps)
        # A partial graph on the nodes of V is one integer, p bits of parents per node. Different partial graphs stay
        # different when a node is added, so no set ever needs more than `limit` of them.
        known: dict[int, dict[int, Order]] = {0: {0: ()}}

        def partial_graphs(nodes: int) -> dict[int, Order]:
            if nodes not in known:
                known[nodes] = {}
                for graph, order in extensions(nodes):
                    known[nodes].setdefault(graph, order)
                    if len(known[nodes]) == limit:
                        break
            return known[nodes]

        def extensions(nodes: int) -> Iterator[tuple[int, Order]]:
            for last in range(p):
                before = nodes & ~(1 << last)
                if before != nodes and self.steps[last, before]:
                    added = [parents << (p * last) for parents in choices(last, before)]
                    for graph, order in partial_graphs(before).items():
                        yield from ((graph | edges, (*order, last)) for edges in added)

        found = partial_graphs((1 << p) - 1)
        return [(tuple((graph >> (p * j)) & ((1 << p) - 1) for j in range(p)), order) for graph, order in found.items()]


def shortest_order(cost: npt.ArrayLike, tolerance: float = 1e-6) -> OptimalOrders:
    """Minimise Σ_j cost[j, predecessors of j] over all orders.

    cost       (p, 2^p), np.inf where node j may not come right after U; entries with j ∈ U are not read
    tolerance  steps whose path costs differ by less count as ties, so an order counted as optimal is within
               p·tolerance of the best; choose it above the rounding error of the costs

    Raises OptionError when no order has a finite cost.
    """
    table = _checked(cost)
    layers = list(subset_layers(len(table)))
    best = np.full(table.shape[1], np.inf)
    ways = np.zeros(table.shape[1], dtype=np.int64)
    steps = np.zeros(table.shape, dtype=bool)
    best[0], ways[0] = 0.0, 1
    for sets, last in layers[1:]:
        before = _without(sets, last)
        totals = best[before] + table[last, before]
        best[sets] = totals.min(axis=1)
        ties = totals <= best[sets, None] + tolerance
        steps[last, before] = ties
        ways[sets] = (ways[before] * ties).sum(axis=1)
    if not np.isfinite(best[-1]):
        raise OptionError("No order of the variables is allowed by the costs. Remove a constraint.")
    _keep_leading_to_all(steps, layers)
    return OptimalOrders(float(best[-1]), int(ways[-1]), steps)


def _checked(cost: npt.ArrayLike) -> Floats:
    table = np.asarray(cost, dtype=np.float64)
    if table.ndim != 2 or not 1 <= len(table) <= MOST_VARIABLES or table.shape[1] != 1 << len(table):
        raise OptionError(
            f"Costs must have shape (p, 2^p) with p from 1 to {MOST_VARIABLES}, got {table.shape}. Use fewer variables."
        )
    if np.isnan(table).any() or (table == -np.inf).any():
        raise OptionError("Costs must be numbers or +inf (not allowed). Remove nan and -inf.")
    return table


def _without(sets: Ints, last: Ints) -> Ints:
    """(m, k) the sets before each of their members came last."""
    return sets[:, None] ^ (np.int64(1) << last)


def _keep_leading_to_all(steps: npt.NDArray[np.bool_], layers: list[tuple[Ints, Ints]]) -> None:
    """Drop, in place, the steps from which no chain of steps leads to the set of all nodes."""
    leads = np.zeros(steps.shape[1], dtype=bool)
    leads[-1] = True
    for sets, last in reversed(layers[1:]):
        before = _without(sets, last)
        good = steps[last, before] & leads[sets, None]
        steps[last, before] = good
        leads[before[good]] = True


def _nodes(flags: npt.NDArray[np.bool_]) -> list[int]:
    return [int(node) for node in np.flatnonzero(flags)]
