"""Other structure learners on the same data, behind one door: `run(name, data)` and `available()`.

    constraint-based   pc-chi2, pc-g2 (causal-learn), pc-tetrad, miic (pyAgrum)
    score-based        hill-climbing, tabu (pyAgrum), fges-tetrad, boss-tetrad
    differentiable     dagma-package (as it is), dagma-first-order (our solver: the same model with intercepts),
                       notears, notears-mlp (ours)

Some need packages of `requirements-peers.txt`, Tetrad also needs Java. A peer gets full rows and neutral column names.

>>> from binotears_core.data.table import BinaryData
>>> data = BinaryData.from_array([[0, 0]] * 40 + [[1, 1]] * 40 + [[0, 1]] * 5 + [[1, 0]] * 5, names=["a", "b"])
>>> result = run("notears", data)
>>> int(result.matrix.sum()), result.is_cpdag, result.status.code
(1, False, 'done')
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from binotears_core.baselines import agrum, causal_learn, gradient, tetrad
from binotears_core.baselines.requirements import Need, missing
from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError, OptionError
from binotears_core.graph.dag import Adjacency
from binotears_core.graph.equivalence import PDAG
from binotears_core.results import Status

__all__ = ["PEERS", "Peer", "PeerResult", "available", "run"]


@dataclass(frozen=True)
class Peer:
    """A method: what people call it, what it needs, and `learn(data, seed, **settings) -> (matrix, status)`."""

    title: str
    needs: tuple[Need, ...]
    learn: Callable[..., tuple[Adjacency, Status]]
    is_cpdag: bool

    @property
    def settings(self) -> dict[str, Any]:
        """Settings with their defaults."""
        parameters = inspect.signature(self.learn).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}


@dataclass(frozen=True, eq=False)
class PeerResult:
    """What a peer found.

    matrix    (p, p) 0/1; i → j is M[i, j] = 1, M[j, i] = 0; an edge without direction is 1 both ways
    is_cpdag  True when the peer speaks of a whole equivalence class, False when `matrix` is one DAG
    """

    name: str
    names: tuple[str, ...]
    matrix: Adjacency
    is_cpdag: bool
    seconds: float
    status: Status

    @property
    def graph(self) -> PDAG | Adjacency:
        """What `graph.metrics` compares: a PDAG stays as it is, a DAG stands for its class."""
        return PDAG(self.matrix, self.names) if self.is_cpdag else self.matrix


PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "pc-chi2": Peer("PC (χ²)", (Need.CAUSAL_LEARN,), causal_learn.pc_chi2, True),
        "pc-g2": Peer("PC (G²)", (Need.CAUSAL_LEARN,), causal_learn.pc_g2, True),
        "hill-climbing": Peer("Greedy hill climbing (BDeu)", (Need.PYAGRUM,), agrum.hill_climbing, False),
        "tabu": Peer("Tabu search (BDeu)", (Need.PYAGRUM,), agrum.tabu, False),
        "miic": Peer("MIIC", (Need.PYAGRUM,), agrum.miic, True),
        "dagma-package": Peer("DAGMA (package)", (Need.DAGMA,), gradient.dagma_package, False),
        "dagma-first-order": Peer("DAGMA (first order, with intercepts)", (), gradient.dagma_first_order, False),
        "notears": Peer("NOTEARS", (), gradient.notears, False),
        "notears-mlp": Peer("NOTEARS-MLP", (), gradient.notears_mlp, False),
        "fges-tetrad": Peer("FGES (Tetrad)", tetrad.NEEDS, tetrad.fges, True),
        "boss-tetrad": Peer("BOSS (Tetrad)", tetrad.NEEDS, tetrad.boss, True),
        "pc-tetrad": Peer("PC (Tetrad)", tetrad.NEEDS, tetrad.pc, True),
    }
)


def available() -> dict[str, tuple[bool, str]]:
    """For every peer: can it run here, and if not, what to install."""
    answers = {name: missing(peer.needs) for name, peer in PEERS.items()}
    return {name: (not answer, answer) for name, answer in answers.items()}


def run(name: str, data: BinaryData, seed: int = 0, **settings: Any) -> PeerResult:
    """Learn a graph with another method. An error inside a foreign package is a status, with an empty graph."""
    peer = _find(name, settings)
    began = time.perf_counter()
    try:
        matrix, status = peer.learn(data, seed, **settings)
    except (DataError, OptionError):
        raise
    except Exception as error:
        if not peer.needs:
            raise
        matrix = np.zeros((data.variables, data.variables), dtype=np.int8)
        status = Status(
            "failed", f"{peer.title} ended with an error ({error}); its graph is empty. Try other settings."
        )
    return PeerResult(name, data.names, matrix, peer.is_cpdag, time.perf_counter() - began, status)


def _find(name: str, settings: Mapping[str, Any]) -> Peer:
    if name not in PEERS:
        raise OptionError(f"There is no method '{name}' to compare with. Choose one of: {', '.join(PEERS)}.")
    peer = PEERS[name]
    unknown = [setting for setting in settings if setting not in peer.settings]
    if unknown:
        known = ", ".join(peer.settings) or "none"
        raise OptionError(f"{peer.title} has no setting '{unknown[0]}'. Its settings are: {known}.")
    lacking = missing(peer.needs)
    if lacking:
        raise OptionError(f"{peer.title} cannot run here: {lacking}")
    return peer
