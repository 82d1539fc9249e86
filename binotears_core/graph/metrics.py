"""How far an estimated graph is from the true one.

The structural Hamming distance (SHD) counts node pairs. A pair is joined by nothing, by i → j, by i ← j or, between
classes, by an open edge i — j; every pair on which two graphs differ counts 1, whatever the difference. Data identify a
graph only up to its Markov equivalence class, so the distance to report is `shd_cpdag`, between the CPDAGs;
`shd_dag` compares the arrows themselves.

The chain A → B → C is found as A ← B → C: one arrow is turned, but no data could have told.

>>> chain = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
>>> fork = [[0, 0, 0], [1, 0, 1], [0, 0, 0]]
>>> shd_dag(chain, fork), shd_cpdag(chain, fork)
(1, 0)
>>> compare(chain, fork, names="ABC").edges[0]
EdgeVerdict(source='B', target='A', verdict='reversed', same_class=True)

A distance means little by itself: `yardsticks` says what the empty graph and random graphs of its size would score.

A graph here is the (p, p) matrix of a DAG, or a `PDAG` from a method that finds only a class (PC, FGES).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from binotears_core.errors import OptionError
from binotears_core.graph.dag import Adjacency
from binotears_core.graph.equivalence import PDAG, cpdag, skeleton

Graph = npt.ArrayLike | PDAG
Verdict = Literal["right", "extra", "missing", "reversed"]


@dataclass(frozen=True)
class EdgeVerdict:
    """One joined pair, drawn as in the estimate (a missing one as in the truth).

    verdict      right, extra, missing, or reversed (joined in both, with other arrowheads)
    same_class   True when the CPDAGs agree on the pair: no data could tell the difference
    """

    source: str
    target: str
    verdict: Verdict
    same_class: bool


@dataclass(frozen=True)
class Comparison:
    """An estimate held against the truth.

    precision, recall, f1            of the skeleton: pairs joined in both / joined in the estimate, / in the truth
    arrow_precision, arrow_recall    of compelled arrows: arrows of both CPDAGs / of the estimate's, / of the truth's
    edges                            a verdict for every pair joined in either; shd_dag of them are not right

    0/0 counts as 1: who claims nothing claims nothing wrong, and where there is nothing to find nothing is missed.
    """

    shd_cpdag: int
    shd_dag: int
    precision: float
    recall: float
    f1: float
    arrow_precision: float
    arrow_recall: float
    edges_true: int
    edges_estimated: int
    edges: tuple[EdgeVerdict, ...]

    def as_dict(self) -> dict[str, float]:
        """The numbers by name, without the single edges."""
        return {name: value for name, value in vars(self).items() if name != "edges"}


@dataclass(frozen=True)
class Yardsticks:
    """Scores of no skill: the empty graph's distance, and the mean distance of random DAGs with as many edges."""

    empty_cpdag: int
    empty_dag: int
    random_cpdag: float
    random_dag: float


def shd_cpdag(truth: Graph, estimate: Graph) -> int:
    """Number of node pairs on which the CPDAGs of two graphs differ."""
    return _distance(_class_of(truth), _class_of(estimate))


def shd_dag(truth: Graph, estimate: Graph) -> int:
    """Number of node pairs on which two graphs differ, arrow by arrow."""
    return _distance(_marks(truth), _marks(estimate))


def compare(truth: Graph, estimate: Graph, names: Sequence[str] | None = None) -> Comparison:
    """All measures at once, and the verdict on each edge."""
    true, found = _marks(truth), _marks(estimate)
    true_class, found_class = _class_of(truth), _class_of(estimate)
    differ = _differ(true_class, found_class)
    true_joined, found_joined = np.triu(skeleton(true)), np.triu(skeleton(found))
    edges_true, edges_found = int(true_joined.sum()), int(found_joined.sum())
    both = int((true_joined & found_joined).sum())
    arrows_true, arrows_found = true_class > true_class.T, found_class > found_class.T
    arrows_both = int((arrows_true & arrows_found).sum())
    labels = tuple(names) if names is not None else tuple(f"X{j + 1}" for j in range(len(true)))
    return Comparison(
        shd_cpdag=int(np.triu(differ).sum()),
        shd_dag=_distance(true, found),
        precision=_ratio(both, edges_found),
        recall=_ratio(both, edges_true),
        f1=_ratio(2 * both, edges_found + edges_true),
        arrow_precision=_ratio(arrows_both, int(arrows_found.sum())),
        arrow_recall=_ratio(arrows_both, int(arrows_true.sum())),
        edges_true=edges_true,
        edges_estimated=edges_found,
        edges=_verdicts(true, found, differ, labels),
    )


def yardsticks(truth: Graph, edges: int, seed: int | np.random.Generator, draws: int = 100) -> Yardsticks:
    """What no skill scores against `truth`: no edges at all, or `edges` of them at random (mean of `draws` graphs)."""
    marks, target = _marks(truth), _class_of(truth)
    p = len(marks)
    if not 0 <= edges <= p * (p - 1) // 2:
        raise OptionError(f"A DAG on {p} nodes has 0 to {p * (p - 1) // 2} edges, not {edges}. Choose a number within.")
    if draws < 1:
        raise OptionError(f"The mean of {draws} random graphs does not exist. Draw at least one.")
    rng = np.random.default_rng(seed)
    random = [_random_dag(p, edges, rng) for _ in range(draws)]
    return Yardsticks(
        empty_cpdag=_distance(target, np.zeros_like(target)),
        empty_dag=_distance(marks, np.zeros_like(marks)),
        random_cpdag=float(np.mean([_distance(target, _class_of(graph)) for graph in random])),
        random_dag=float(np.mean([_distance(marks, graph) for graph in random])),
    )


def _marks(graph: Graph) -> Adjacency:
    """(p, p) 0/1 matrix of a graph as it is."""
    marks: Adjacency = (np.asarray(graph) != 0).astype(np.int8)
    return marks


def _class_of(graph: Graph) -> Adjacency:
    """(p, p) matrix of the CPDAG of a DAG; a graph that is partially directed already stays as it is."""
    return graph.matrix if isinstance(graph, PDAG) else cpdag(graph).matrix


def _differ(first: Adjacency, second: Adjacency) -> npt.NDArray[np.bool_]:
    """(p, p) symmetric: pairs not joined in the same way."""
    if first.shape != second.shape:
        raise OptionError(
            f"The graphs have {len(first)} and {len(second)} nodes. Compare graphs over the same variables."
        )
    unlike = first != second
    differ: npt.NDArray[np.bool_] = unlike | unlike.T
    return differ


def _distance(first: Adjacency, second: Adjacency) -> int:
    return int(np.triu(_differ(first, second)).sum())


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _verdicts(
    true: Adjacency, found: Adjacency, differ: npt.NDArray[np.bool_], names: tuple[str, ...]
) -> tuple[EdgeVerdict, ...]:
    """A verdict for each pair joined in either graph; `differ` marks the pairs on which the CPDAGs differ."""
    verdicts = []
    wrong = _differ(true, found)
    for i, j in np.argwhere(np.triu(skeleton(true) | skeleton(found))).tolist():
        shown = found if found[i, j] or found[j, i] else true
        verdict: Verdict = "right"
        if wrong[i, j]:
            joined = bool(true[i, j] or true[j, i])
            verdict = "missing" if shown is true else "reversed" if joined else "extra"
        source, target = (i, j) if shown[i, j] else (j, i)
        verdicts.append(EdgeVerdict(names[source], names[target], verdict, not differ[i, j]))
    return tuple(verdicts)


def _random_dag(p: int, edges: int, rng: np.random.Generator) -> Adjacency:
    """A DAG with exactly `edges` edges: that many pairs at random, directed along a random order."""
    rows, columns = np.triu_indices(p, k=1)
    chosen = rng.choice(len(rows), size=edges, replace=False)
    matrix = np.zeros((p, p), dtype=np.int8)
    matrix[rows[chosen], columns[chosen]] = 1
    order = rng.permutation(p)
    shuffled: Adjacency = matrix[np.ix_(order, order)]
    return shuffled
