"""The learned graph with its conditional probabilities in the Bayesian network Interchange Format."""

from __future__ import annotations

import json
import re
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from binotears_core.errors import OptionError
from binotears_core.exporting.names import distinct
from binotears_core.graph.dag import parents
from binotears_core.model.features import zeta
from binotears_core.results import FitResult

Floats = npt.NDArray[np.float64]

MOST_PARENTS = 12


def bif(result: FitResult) -> str:
    """BIF text; P(node = 1 | parents) is σ(Σ_S h_S Π x) of the result's coefficients. States are 0 and 1."""
    causes = [parents(result.adjacency, j) for j in range(len(result.names))]
    for name, found in zip(result.names, causes, strict=True):
        if len(found) > MOST_PARENTS:
            raise OptionError(
                f"'{name}' has {len(found)} parents, so its table would have 2^{len(found)} rows. "
                f"BIF files are written for at most {MOST_PARENTS} parents; use another format."
            )
    words = distinct(_word(name) for name in result.names)
    legend = [
        f"// {word} is {json.dumps(name)}" for word, name in zip(words, result.names, strict=True) if word != name
    ]
    variables = [f"variable {word} {{\n  type discrete [ 2 ] {{ 0, 1 }};\n}}" for word in words]
    tables = [_table(result, j, causes[j], words) for j in range(len(words))]
    return "\n".join([*legend, "network learned {\n}", *variables, *tables, ""])


def _table(result: FitResult, node: int, causes: list[int], words: list[str]) -> str:
    on = _probabilities(result, node, causes)
    if not causes:
        return f"probability ( {words[node]} ) {{\n  table {1 - on[0]:.12f}, {on[0]:.12f};\n}}"
    lines = []
    for row in product((0, 1), repeat=len(causes)):
        share = on[sum(bit << k for k, bit in enumerate(row))]
        lines.append(f"  ({', '.join(map(str, row))}) {1 - share:.12f}, {share:.12f};")
    given = ", ".join(words[i] for i in causes)
    return "\n".join([f"probability ( {words[node]} | {given} ) {{", *lines, "}"])


def _probabilities(result: FitResult, node: int, causes: list[int]) -> Floats:
    """(2^k,) P(node = 1) for every parent configuration; bit i of a cell's number is the value of the i-th parent."""
    bit = {result.names[i]: 1 << k for k, i in enumerate(causes)}
    own = result.coefficients[result.coefficients["node"] == result.names[node]]
    by_set = np.zeros(1 << len(causes))
    for term, value in zip(own["term"], own["log_odds"], strict=True):
        by_set[sum(bit[name] for name in term)] = value
    probability: Floats = expit(zeta(by_set, len(causes)))
    return probability


def _word(name: str) -> str:
    """BIF names are words: ASCII letters, digits and underscores, a letter first."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    return word if re.match(r"[A-Za-z]", word) else f"X{word}"
