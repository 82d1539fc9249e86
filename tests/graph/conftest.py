"""Random DAGs, and classes told by loops over triples: the ground every graph test stands on."""

from itertools import combinations

import numpy as np
import pytest
from causallearn.graph.Dag import Dag
from causallearn.graph.GraphNode import GraphNode
from causallearn.utils.DAG2CPDAG import dag2cpdag


def _fingerprint(matrix):
    """Skeleton and v-structures, by loops over all triples."""
    p = len(matrix)
    joined = {(i, j) for i, j in combinations(range(p), 2) if matrix[i, j] or matrix[j, i]}
    colliders = {
        (a, b, c)
        for a, c in combinations(range(p), 2)
        for b in range(p)
        if (a, c) not in joined and matrix[a, b] and matrix[c, b]
    }
    return frozenset(joined), frozenset(colliders)


@pytest.fixture(scope="session")
def classes_on_4(dags_on_4):
    """The same, grouped by skeleton and v-structures: a list of lists."""
    groups = {}
    for matrix in dags_on_4:
        groups.setdefault(_fingerprint(matrix), []).append(matrix)
    return list(groups.values())


@pytest.fixture(scope="session")
def random_dag():
    """random_dag(rng, p, edges) → (p, p) matrix with that many edges and shuffled labels."""

    def draw(rng, p, edges):
        pairs = list(combinations(range(p), 2))
        matrix = np.zeros((p, p), dtype=np.int8)
        for k in rng.choice(len(pairs), size=min(edges, len(pairs)), replace=False):
            matrix[pairs[k]] = 1
        order = rng.permutation(p)
        return matrix[np.ix_(order, order)]

    return draw


@pytest.fixture(scope="session")
def causal_learn_cpdag():
    """causal_learn_cpdag(matrix) → the CPDAG of a DAG as causal-learn finds it, a graph object of theirs."""

    def convert(matrix):
        nodes = [GraphNode(f"X{i}") for i in range(len(matrix))]
        dag = Dag(nodes)
        for i, j in np.argwhere(matrix):
            dag.add_directed_edge(nodes[i], nodes[j])
        return dag2cpdag(dag)

    return convert
