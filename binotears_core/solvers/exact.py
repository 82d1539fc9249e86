"""Every graph a law allows, and the sparsest of them (paper, Algorithms 1–3).

For any order π of the variables there is exactly one graph and one set of coefficients that reproduce a positive law:
regress each variable on those before it and keep as parents the ones its log-odds depend on. The sparsest graphs over
all p! orders form the minimal equivalence class. Because parents depend only on the *set* of predecessors,
`recover_sparsest` finds them as shortest paths over 2^p sets, without listing orders.

The source is a law (2^p probabilities or a `MultivariateBernoulli`) or `BinaryData`; `parent_selection` says how
parents are told from non-parents in either case.

>>> law = MultivariateBernoulli.from_natural([0, 1, 1, 0])  # two independent coins
>>> found = recover_sparsest(law)
>>> found.edges, found.orders
(0, 2)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.graph.constraints import Constraints, EdgeRules
from binotears_core.graph.dag import Adjacency, topological_order
from binotears_core.model.bernoulli import MultivariateBernoulli
from binotears_core.model.features import Floats, Ints
from binotears_core.results import Reporter, Status
from binotears_core.solvers.parent_selection import LikelihoodSelection, ParentSelection, PopulationSelection, members
from binotears_core.solvers.subset_dp import Order, Parents, shortest_order

Source = BinaryData | MultivariateBernoulli | npt.ArrayLike
MOST_VARIABLES = 24  # for one order; as in BinaryData.cells
MOST_VARIABLES_SPARSEST = 16  # 3^16 = 43 million cells in all marginal tables


@dataclass(frozen=True, eq=False)
class RecoveredDag:
    """One graph with its coefficients (G_π, f_π).

    adjacency   (p, p) 0/1, A[i, j] = 1 means i → j
    order       an order that leads to this graph
    parameters  for each node (2^k,) coefficients of B^S, S ⊆ its k parents, in its log-odds; bit b of the number of S
                stands for the b-th parent, ascending. (The paper's f_{π,j} has zeros for all other sets.)
    notes       what was smoothed, if anything
    """

    adjacency: Adjacency
    order: Order
    parameters: tuple[Floats, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class MinimalClass:
    """The graphs with fewest edges over all orders.

    edges     the smallest number of edges
    orders    how many of the p! orders reach it, exactly
    members   the distinct graphs among them, up to the limit that was asked for
    complete  True when `members` are all of them
    status    "done", or "stopped": then `members` is the graph of one order, and `edges` only an upper bound
    """

    edges: int
    orders: int
    members: tuple[RecoveredDag, ...]
    complete: bool
    status: Status


def recover_parents(
    source: Source,
    order: Sequence[int],
    position: int,
    *,
    rules: EdgeRules | None = None,
    tolerance: float = 1e-8,
    alpha: float | None = None,
) -> tuple[tuple[int, ...], Floats]:
    """Algorithm 1: the parents of order[position] among order[:position], and its coefficients (see `RecoveredDag`).

    tolerance  for a law: log-odds differences below it are zero
    alpha      for data: level of likelihood-ratio tests in place of BIC. In trials 0.001 made fewer skeleton errors
               than BIC: an order in which weak edges go unseen looks sparser than it is
    rules      forbidden and required edges; by default those of the data's groups
    """
    problem = _Problem.of(source, rules, tolerance, alpha)
    problem.check_order(order)
    if not 0 <= position < len(order):
        raise OptionError(f"Position {position} is outside the order. Choose 0 to {len(order) - 1}.")
    node = int(order[position])
    parents = problem.parents(node, order[:position])
    return tuple(members(parents)), problem.selection.coefficients(node, parents)[0]


def recover_dag(
    source: Source,
    order: Sequence[int],
    *,
    rules: EdgeRules | None = None,
    tolerance: float = 1e-8,
    alpha: float | None = None,
) -> RecoveredDag:
    """Algorithm 2: the one graph along this order, with its coefficients. Options as in `recover_parents`."""
    problem = _Problem.of(source, rules, tolerance, alpha)
    problem.check_order(order)
    return problem.along(tuple(int(node) for node in order))


def recover_sparsest(
    source: Source,
    *,
    rules: EdgeRules | None = None,
    tolerance: float = 1e-8,
    alpha: float | None = None,
    limit: int = 100,
    report: Reporter | None = None,
) -> MinimalClass:
    """Algorithm 3: the graphs with fewest edges over all orders; at most `limit` are listed, all orders are counted.

    Σ_U 2^|U| = 3^p table cells and a shortest path over 2^p sets. Other options as in `recover_parents`. An order does
    not count when it needs an edge that may only run the other way: leaving that edge out would look sparse. (Where
    every order needs one, all count, and such edges are left out.)
    """
    problem = _Problem.of(source, rules, tolerance, alpha)
    if problem.selection.variables > MOST_VARIABLES_SPARSEST:
        raise OptionError(
            f"All orders of {problem.selection.variables} variables are too many. "
            f"Select at most {MOST_VARIABLES_SPARSEST}, or fix an order and use recover_dag."
        )
    if limit < 1:
        raise OptionError(f"The limit of {limit} graphs lists nothing. Choose at least 1.")
    every = problem.selection.table(problem.masks(problem.rules.required), report or Reporter())
    if every is None:
        return _stopped(problem)
    parents = problem.allowed_among(every)
    cost = np.where(problem.satisfied(), np.bitwise_count(parents), np.inf)
    try:
        best = shortest_order(np.where(problem.needs_no_forbidden(every), cost, np.inf), tolerance=0.5)
    except OptionError:
        best = shortest_order(cost, tolerance=0.5)  # costs are whole numbers of edges
    graphs = best.graphs(lambda node, before: (int(parents[node, before]),), limit + 1)
    found = tuple(problem.recovered(*graph) for graph in graphs[:limit])
    complete = len(graphs) <= limit
    listed = f"number of graphs: {len(found)}" if complete else f"more graphs than the {limit} listed"
    message = f"Smallest number of edges: {int(best.total)}; orders that reach it: {best.count}; {listed}."
    return MinimalClass(int(best.total), best.count, found, complete, Status("done", message))


def _stopped(problem: _Problem) -> MinimalClass:
    graph = problem.along(tuple(topological_order(problem.rules.required)))
    status = Status(
        "stopped", "Stopped before all orders were compared; this is the graph of one order, perhaps not the sparsest."
    )
    return MinimalClass(int(graph.adjacency.sum()), 1, (graph,), False, status)


@dataclass(frozen=True, eq=False)
class _Problem:
    """A source with its way to select parents, and the edge rules as one bitmask of parents per node."""

    selection: ParentSelection
    rules: EdgeRules
    names: tuple[str, ...]
    _blocks: dict[tuple[int, int], tuple[Floats, int]] = field(default_factory=dict)  # graphs share most of theirs

    @classmethod
    def of(cls, source: Source, rules: EdgeRules | None, tolerance: float, alpha: float | None) -> _Problem:
        if not tolerance > 0:
            raise OptionError(f"The tolerance is {tolerance}. Choose it above 0, for example 1e-8.")
        if alpha is not None and not 0 < alpha < 1:
            raise OptionError(f"The level alpha is {alpha}. Choose it between 0 and 1, for example 0.01.")
        selection: ParentSelection
        if isinstance(source, BinaryData):
            names, groups = source.names, source.groups
            selection = LikelihoodSelection(source, alpha)
        else:
            law = source if isinstance(source, MultivariateBernoulli) else MultivariateBernoulli(np.asarray(source))
            names, groups = tuple(f"X{j + 1}" for j in range(law.variables)), ()
            selection = PopulationSelection(law, tolerance)
        if len(names) > MOST_VARIABLES:
            raise OptionError(f"There are {len(names)} variables. Select at most {MOST_VARIABLES}.")
        rules = Constraints().resolve(names, groups) if rules is None else rules
        if rules.allowed.shape != (len(names), len(names)):
            raise OptionError(
                f"The edge rules are for {len(rules.allowed)} variables, there are {len(names)}. Resolve them anew."
            )
        return cls(selection, rules, names)

    def check_order(self, order: Sequence[int]) -> None:
        if sorted(order) != list(range(len(self.names))):
            raise OptionError(
                f"The order {list(order)} does not name each of 0 to {len(self.names) - 1} once. Correct it."
            )
        place = np.argsort(order)
        for i, j in np.argwhere(self.rules.required & (place[:, None] > place[None, :])):
            raise OptionError(
                f"The order puts {self.names[j]} before {self.names[i]}, "
                f"but {self.names[i]} → {self.names[j]} is required. Change one of the two."
            )

    def parents(self, node: int, before: Sequence[int]) -> int:
        allowed = sum(1 << int(i) for i in before if self.rules.allowed[i, node])
        return self.selection.parents(node, allowed, self.masks(self.rules.required)[node])

    def allowed_among(self, table: Ints) -> Ints:
        """(p, 2^p) parents of every node after every set, from those that take any predecessor."""
        return self._among(table, self.rules.allowed)

    def needs_no_forbidden(self, table: Ints) -> npt.NDArray[np.bool_]:
        """(p, 2^p) whether none of the parents could only be an effect; pairs forbidden both ways are left aside."""
        one_way = ~self.rules.allowed & self.rules.allowed.T
        needed = self._among(table, self.rules.allowed | one_way)
        return np.asarray(needed & np.array(self.masks(one_way))[:, None] == 0)

    def _among(self, table: Ints, candidates: npt.NDArray[np.bool_]) -> Ints:
        sets = np.arange(table.shape[1])
        return np.stack([row[sets & mask] for row, mask in zip(table, self.masks(candidates), strict=True)])

    def satisfied(self) -> npt.NDArray[np.bool_]:
        """(p, 2^p) whether the set of predecessors has all required parents of the node."""
        required = np.array(self.masks(self.rules.required))[:, None]
        return np.asarray(required & ~np.arange(1 << len(self.names)) == 0)

    def along(self, order: Order) -> RecoveredDag:
        found = {node: self.parents(node, order[:position]) for position, node in enumerate(order)}
        return self.recovered(tuple(found[node] for node in range(len(order))), order)

    def recovered(self, parents: Parents, order: Order) -> RecoveredDag:
        adjacency = np.zeros((len(parents), len(parents)), dtype=np.int8)
        blocks, notes = [], []
        for node, mask in enumerate(parents):
            adjacency[members(mask), node] = 1
            if (node, mask) not in self._blocks:
                self._blocks[node, mask] = self.selection.coefficients(node, mask)
                self._blocks[node, mask][0].setflags(write=False)
            block, smoothed = self._blocks[node, mask]
            blocks.append(block)
            if smoothed:
                notes.append(
                    f"{self.names[node]}: {smoothed} of {block.size} configurations of its parents have an empty cell; "
                    "½ was added to both of their counts to make the coefficients finite."
                )
        return RecoveredDag(adjacency, order, tuple(blocks), tuple(notes))

    @staticmethod
    def masks(matrix: npt.NDArray[np.bool_]) -> list[int]:
        """For each node the bitmask of the rows that are True in its column."""
        return [sum(1 << int(i) for i in np.flatnonzero(column)) for column in matrix.T]
