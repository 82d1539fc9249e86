"""What is known about how good a learned graph is, in numbers and in a sentence.

For few variables the exact search proves the optimum; for many, nothing is proved, and the certificate says only what
was seen: how many starts of the search reached the same class, and how far the next best was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from binotears_core.graph.dag import Adjacency, Edge, to_edges
from binotears_core.graph.equivalence import cpdag, markov_equivalent
from binotears_core.model.evidence import Effects
from binotears_core.solvers.exact_search import TIE, ExactOptimum, RunnerUp
from binotears_core.solvers.local_scores import LocalScores
from binotears_core.solvers.order_search import OrderSearchResult


@dataclass(frozen=True)
class PaperProgram:
    """The paper's program in its ℓ0 limit, ℓ + λδ/2·#edges, at the chosen (λ, δ).

    optimum  its minimum over all DAGs that the exact search serves (a cap on parents from 11 variables on)
    gap      what the gradient's graph loses against it (never negative)
    """

    lam: float
    delta: float
    optimum: float
    optimum_edges: int
    gradient: float
    gap: float


@dataclass(frozen=True)
class Certificate:
    """How sure the result is.

    exact         True: `optimum` is proved to be the best score of any DAG with at most `most_parents` parents a node
    score         the kind of score; all scores are in nats, higher is better
    density       the share of adjacent pairs that the score's prior assumes, taken from the data (see local_scores)
    effects       how large it assumes effects to be, from the data unless given; None where it assumes nothing
    gaps          (stage, optimum − score of that stage's graph)
    unique        True when all optimal graphs are Markov equivalent; None when not known
    margin        how many nats the best other class loses (exact), or the next best local optimum (search)
    runner_up     edges of the best graph of that other class
    starts, agreeing   for a search: how many starts were made, how many ended in the winning class
    tied          where the optimum is not unique, one graph of each other class that reaches it (those among the
                  optimal graphs that the exact search lists)
    """

    exact: bool
    score: str
    optimum: float
    most_parents: int
    gaps: tuple[tuple[str, float], ...]
    unique: bool | None
    margin: float | None
    runner_up: tuple[Edge, ...] | None
    starts: int
    agreeing: int
    paper: PaperProgram | None
    message: str
    tied: tuple[tuple[Edge, ...], ...] = ()
    density: float = 0.0
    effects: Effects | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as in a result file."""
        return asdict(self)


def of_exact(
    found: ExactOptimum,
    second: RunnerUp | None,
    *,
    names: Sequence[str],
    scores: LocalScores,
    most_parents: int,
    stages: Sequence[tuple[str, float]],
    paper: PaperProgram | None,
    constrained: bool = False,
) -> Certificate:
    """The certificate of an exact search; `constrained` when some graphs were ruled out beforehand."""
    margin = second.margin if second else None
    # The best graph outside the class ties exactly when the optimum is not unique up to equivalence.
    unique = None if margin is None else margin > TIE
    tied = _other_classes([*found.tied, second.adjacency], names) if second and not unique else ()
    cap = f" with at most {most_parents} parents a node" if most_parents < len(names) - 1 else ""
    within = " within the constraints" if constrained else ""
    message = f"Exact optimum: no graph{within}{cap} scores higher."
    if margin is not None:
        message += (
            f" The data prefer its equivalence class to the next best by {margin:.1f} nats{_odds(margin)}."
            if unique
            else f" {_others(len(tied))} the same score: the data cannot tell them apart."
        )
    return Certificate(
        exact=True,
        score=scores.options.kind,
        density=scores.density,
        effects=scores.effects,
        optimum=found.score,
        most_parents=most_parents,
        gaps=tuple((name, _gap(found.score, value)) for name, value in stages),
        unique=unique,
        margin=margin,
        runner_up=tuple(to_edges(second.adjacency, names)) if second else None,
        starts=0,
        agreeing=0,
        paper=paper,
        message=message,
        tied=tied,
    )


def of_search(
    found: OrderSearchResult,
    *,
    names: Sequence[str],
    scores: LocalScores,
    most_parents: int,
    stages: Sequence[tuple[str, float]],
    why: str,
    paper: PaperProgram | None = None,
) -> Certificate:
    """What a search over orders can honestly say; `why` it is not an exact one."""
    same = [markov_equivalent(graph, found.adjacency) for graph in found.graphs]
    others = [k for k, equal in enumerate(same) if not equal]
    next_best = max(others, key=lambda k: found.start_scores[k], default=None)
    margin = None if next_best is None else max(0.0, found.score - found.start_scores[next_best])
    rest = "" if margin is None else f"; the best of the others is {margin:.1f} nats behind"
    starts = f": {sum(same)} of {len(same)} starts of the search ended in this equivalence class{rest}"
    message = f"Not proved optimal ({why}){starts if len(same) > 1 else ''}."
    return Certificate(
        exact=False,
        score=scores.options.kind,
        density=scores.density,
        effects=scores.effects,
        optimum=found.score,
        most_parents=most_parents,
        gaps=tuple((name, _gap(found.score, value)) for name, value in stages),
        unique=None,
        margin=margin,
        runner_up=None if next_best is None else tuple(to_edges(found.graphs[next_best], names)),
        starts=len(same),
        agreeing=sum(same),
        paper=paper,
        message=message,
    )


def of_paper(
    lam: float, delta: float, optimum: float, optimal: Adjacency, gradient: float, rows: float
) -> PaperProgram:
    """From scores of kind `paper` (minus n times the objective) to the objective itself."""
    return PaperProgram(
        lam=lam,
        delta=delta,
        optimum=-optimum / rows,
        optimum_edges=int(np.count_nonzero(optimal)),
        gradient=-gradient / rows,
        gap=max(0.0, (optimum - gradient) / rows),
    )


def _other_classes(graphs: Sequence[Adjacency], names: Sequence[str]) -> tuple[tuple[Edge, ...], ...]:
    """The first graph of every equivalence class but that of the first."""
    first: dict[bytes, Adjacency] = {}
    for graph in graphs:
        first.setdefault(cpdag(graph, tuple(names)).matrix.tobytes(), graph)
    return tuple(tuple(to_edges(graph, names)) for graph in list(first.values())[1:])


def _others(number: int) -> str:
    return "Another equivalence class reaches" if number == 1 else f"At least {number} other equivalence classes reach"


def _gap(optimum: float, value: float) -> float:
    return max(0.0, optimum - value)


def _odds(margin: float) -> str:
    """A margin as odds, where a number is still readable."""
    return f" (odds of {np.exp(margin):.3g} to 1)" if margin < 7 else ""
