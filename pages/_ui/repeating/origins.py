"""How a data set can be made again: by loading its file, by simulating it, or from the 0/1 table we export."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from binotears_core.archive import SavedData
from binotears_core.data.binarise import CUTS
from binotears_core.data.recipe import Recipe
from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError
from binotears_core.exporting.csv_text import csv_cell
from binotears_core.simulation import Truth, draw_coefficients, random_graph
from pages._ui import examples

DATA_FILE = "data.csv"
SAVE_FIRST = f"Save the 0/1 table of the Export page as {DATA_FILE} first."
_DROPPED = ("Column '", "' was dropped as asked.")


@dataclass(frozen=True)
class Origin:
    """A call that makes the data: `function` is load or simulate, `first` its first argument."""

    function: str
    first: Any
    options: dict[str, Any]
    note: str = ""


def origin(saved: SavedData) -> Origin:
    """The shortest call that gives exactly these data."""
    example = examples.named(saved.name)
    if example is not None and example.source and example.load().data.fingerprint == saved.data.fingerprint:
        return Origin("load", f"sample_data/{example.source}", dict(example.reading))
    if saved.simulated is not None:
        return _simulation(saved.simulated, saved.data.rows)
    if saved.data.recipe is not None:
        return Origin("load", saved.name, load_options(saved.data, saved.data.recipe))
    return from_table(saved.data)


def from_table(data: BinaryData) -> Origin:
    """Loading the table that `data_csv` writes."""
    return Origin("load", DATA_FILE, {"weights": count_column(data)}, SAVE_FIRST)


def load_options(data: BinaryData, recipe: Recipe) -> dict[str, Any]:
    """The options of `bn.load` behind a recipe."""
    rules = recipe.rules
    cuts: dict[str, Any] = {rule.column: rule.how for rule in rules if rule.how in (*CUTS, "indicators")}
    cuts |= {rule.column: rule.cut for rule in rules if rule.how == "threshold"}
    ones = {rule.column: rule.values[0][0] for rule in rules if rule.how == "given value"}
    start, end = _DROPPED
    dropped = [one[len(start) : -len(end)] for one in data.record if one.startswith(start) and one.endswith(end)]
    chosen: dict[str, Any] = {"binarise": cuts, "positive": ones, "drop": dropped}
    chosen |= {"missing": recipe.missing, "weights": recipe.weights}
    chosen |= {"weights_kind": recipe.weights_kind} if recipe.weights is not None else {}
    chosen |= {"sheet": recipe.sheet, "header": recipe.header}
    return {name: value for name, value in chosen.items() if value not in ({}, [], None, "refuse")}


def data_csv(data: BinaryData) -> str:
    """The distinct rows and, in the last column, how many rows each stands for."""
    counts = data.weights * data.rows
    if not np.allclose(counts, np.rint(counts), atol=1e-6):
        raise DataError("Data with survey weights cannot be written as counts of rows. Keep the file they came from.")
    head = ",".join(csv_cell(name) for name in (*data.names, count_column(data)))
    rows = zip(data.patterns.tolist(), np.rint(counts).astype(int).tolist(), strict=True)
    return "\n".join([head, *(",".join(map(str, (*bits, count))) for bits, count in rows)]) + "\n"


def count_column(data: BinaryData) -> str:
    """A name for the counts that no variable has."""
    name = "rows"
    while name in data.names:
        name += "_"
    return name


def _simulation(truth: Truth, rows: int) -> Origin:
    """In short when the model was drawn at random, else with its graph and coefficients."""
    options = {"mechanism": truth.mechanism, "samples": rows, "seed": truth.seed}
    if truth.kind != "own" and truth.mechanism != "own":
        p = len(truth.names)
        for degree in range(1, p + 1):
            same = np.array_equal(random_graph(truth.kind, p, degree, truth.seed), truth.adjacency)
            if (
                same
                and draw_coefficients(truth.adjacency, truth.names, truth.mechanism, truth.seed) == truth.coefficients
            ):
                return Origin("simulate", truth.kind, {"nodes": p, "degree": degree, **options})
    if truth.mechanism == "own":
        del options["mechanism"]
    own = {node: dict(terms) for node, terms in truth.coefficients.items()}
    return Origin("simulate", truth.edges, {"names": list(truth.names), "coefficients": own, **options})
