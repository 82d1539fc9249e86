"""Simulated data sets of the accuracy benchmarks, also such as `bn.simulate` does not draw.

A cell is (kind, degree, nodes, samples, mechanism). Beside the paper's mechanisms, whose effects are all of 1 to 2,
there are four with effects of other sizes (`SIZES`), and kind "none" has no edges at all.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

import binotears_core as bn


def weak(rng, number):
    """All of 0.2 to 0.7."""
    return rng.uniform(0.2, 0.7, number) * rng.choice([-1, 1], number)


def strong(rng, number):
    """All of 2 to 4."""
    return rng.uniform(2.0, 4.0, number) * rng.choice([-1, 1], number)


def mixed(rng, number):
    """N(0, 1): many near 0."""
    return rng.normal(0.0, 1.0, number)


def sparse(rng, number):
    """Half of them 0, the others of 0.5 to 2."""
    return rng.uniform(0.5, 2.0, number) * rng.choice([-1, 0, 0, 1], number)


# name → (how effects are drawn, the highest order)
SIZES = {"weak": (weak, 2), "mixed": (mixed, 3), "strong": (strong, 2), "sparse": (sparse, 8)}


def make(kind, degree, nodes, samples, mechanism, seed):
    """(true adjacency, data) of one cell."""
    if kind == "none":
        return _without_edges(nodes, samples, seed)
    if mechanism not in SIZES:
        truth, data = bn.simulate(kind, nodes, degree, mechanism, samples, seed)
        return truth.adjacency, data
    truth, _ = bn.simulate(kind, nodes, degree, samples=2, seed=seed)
    effects = _effects(truth, *SIZES[mechanism], np.random.default_rng([seed, 1]))
    truth, data = bn.simulate(truth.adjacency, names=truth.names, coefficients=effects, samples=samples, seed=seed)
    return truth.adjacency, data


def _effects(truth, draw, highest, rng):
    """node → {term: log-odds}; a parent left without any term gets its own effect, else its edge would not exist."""
    drawn = {}
    for node in truth.names:
        causes = [source for source, target in truth.edges if target == node]
        terms = [term for order in range(1, highest + 1) for term in combinations(causes, order)]
        values = dict(zip(terms, draw(rng, len(terms)), strict=True))
        for cause in causes:
            while not any(values[term] for term in terms if cause in term):
                values[(cause,)] = draw(rng, 1)[0]
        drawn[node] = {(): rng.uniform(-1.5, 1.5), **values}
    return drawn


def _without_edges(nodes, samples, seed):
    """Independent columns with random shares of ones."""
    rng = np.random.default_rng(seed)
    shares = rng.uniform(0.1, 0.9, size=nodes)
    return np.zeros((nodes, nodes), dtype=np.int8), bn.BinaryData.from_array(rng.random((samples, nodes)) < shares)
