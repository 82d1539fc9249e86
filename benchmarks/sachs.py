"""The Sachs table: the paper's rows beside ours, the peers and two yardsticks, each with its recipe.

    python benchmarks/sachs.py              # what is missing, then docs/sachs.md
    python benchmarks/sachs.py --fresh      # everything again, about five minutes on one idle core

Every run is appended to benchmarks/out/sachs.jsonl as soon as it is there: a killed run goes on where it stopped. A
method that draws random numbers runs with the seeds 0 … 19, none of them chosen; the others run once. In docs/sachs.md
only what stands between the two marks is replaced; the reading is written by hand.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

import binotears_core as bn  # noqa: E402
from benchmarks.experiments.store import Store  # noqa: E402
from binotears_core import baselines  # noqa: E402
from binotears_core.data import loading  # noqa: E402
from binotears_core.graph.dag import Adjacency  # noqa: E402
from binotears_core.graph.metrics import Graph, compare, yardsticks  # noqa: E402
from binotears_core.solvers import notears, notears_mlp, two_stage  # noqa: E402
from pages._ui.comparing.sachs import PAPER, truths  # noqa: E402
from pages._ui.examples import PAPER_RECIPE  # noqa: E402

STORE = Store(ROOT / "benchmarks" / "out" / "sachs.jsonl", ("rows", "method", "recipe", "seed"))
PAGE = ROOT / "docs" / "sachs.md"
MARKS = ("<!-- measured: begin -->", "<!-- measured: end -->")
SEEDS = 20
# Rows 1 … 853 are the observational condition. As many drawn from all nine tell the mixture from the number of rows.
ROWS = {"all 7466 rows": 7466, "the 853 observational rows": 853, "853 rows drawn from all conditions": 853}
DISTANCES = ("dag 20", "cpdag 20", "dag 17", "cpdag 17")


@dataclass(frozen=True)
class Table:
    """The first rows of the proteins: cut at their own medians, and standardised."""

    binary: bn.BinaryData
    standard: np.ndarray


@dataclass(frozen=True)
class Method:
    """A row of the table; `random`: the seed matters."""

    name: str
    recipe: str
    random: bool
    learn: Callable[[Table, int], Graph]


def peer(name: str, **settings: Any) -> Callable[[Table, int], Graph]:
    return lambda table, seed: baselines.run(name, table.binary, seed=seed, **settings).graph


def ours(**options: Any) -> Callable[[Table, int], Graph]:
    return lambda table, seed: bn.fit(table.binary, seed=seed, **options).adjacency


def linear(table: Table, seed: int) -> Adjacency:
    return notears.solve(table.standard, notears.NotearsOptions(loss="squared", lambda1=0.1)).adjacency


def neural(table: Table, seed: int) -> Adjacency:
    options = notears_mlp.NotearsMlpOptions(loss="squared", lambda1=0.01, lambda2=0.01)
    return notears_mlp.solve(table.standard, options, seed=seed).adjacency


def along(order: Callable[[int], list[int]]) -> Callable[[Table, int], Adjacency]:
    """The second stage of the paper's recipe along a given order: tiers fix it, and a huge λ₁ silences the first."""

    def learn(table: Table, seed: int) -> Adjacency:
        names = table.binary.names
        tiers = {names[node]: place for place, node in enumerate(order(seed))}
        silent = two_stage.TwoStageOptions(lambda1=1.0)
        return two_stage.solve(table.binary, silent, bn.Constraints(tiers=tiers).resolve(names), seed).adjacency

    return learn


def any_order(seed: int) -> list[int]:
    return np.random.default_rng(seed).permutation(11).tolist()


def true_order(seed: int) -> list[int]:
    """An order of the 20-edge network: again and again a random one of the nodes whose parents are all placed."""
    truth, waiting, order = known()["20"] != 0, any_order(seed), []
    while waiting:
        node = next(node for node in waiting if not truth[waiting, node].any())
        waiting.remove(node)
        order.append(node)
    return order


METHODS = (
    Method("NOTEARS", "standardised numbers, squared loss, λ₁ = 0.1, weight > 0.3", False, linear),
    Method(
        "NOTEARS",
        "median cut, squared loss, λ₁ = 0.1, weight > 0.3",
        False,
        peer("notears", loss="squared", lambda1=0.1),
    ),
    Method("NOTEARS", "median cut, cross-entropy, λ₁ = 0.01, weight > 0.3", False, peer("notears")),
    Method("NOTEARS-MLP", "standardised numbers, squared loss, λ₁ = λ₂ = 0.01, strength > 0.3", True, neural),
    Method(
        "NOTEARS-MLP",
        "median cut, squared loss, λ₁ = λ₂ = 0.01, strength > 0.3",
        True,
        peer("notears-mlp", loss="squared", lambda1=0.01, lambda2=0.01),
    ),
    Method(
        "NOTEARS-MLP",
        "median cut, cross-entropy, λ₁ = λ₂ = 0.003, strength > 0.3",
        True,
        peer("notears-mlp"),
    ),
    Method(
        "BiNOTEARS, paper's recipe",
        "median cut, two stages, orders 1 and 2, largest coefficient > 1.0",
        True,
        ours(**PAPER_RECIPE),
    ),
    Method("its second stage alone", "along a random order", True, along(any_order)),
    Method(
        "its second stage alone", "along an order of the 20-edge network, which nobody knows", True, along(true_order)
    ),
    Method("BiNOTEARS, default", "median cut, gradient, then exact search of the interaction score", False, ours()),
    Method("PC (Tetrad)", "median cut, χ² at 0.1", False, peer("pc-tetrad")),
    Method("PC (causal-learn)", "median cut, χ² at 0.05", False, peer("pc-chi2")),
    Method("FGES (Tetrad)", "median cut, BDeu, sample prior 10", False, peer("fges-tetrad")),
)


def known() -> dict[str, Adjacency]:
    """The true graphs by their number of edges."""
    return {str(int(graph.sum())): graph for graph in truths().values()}


def load(rows: str) -> Table:
    frame = pd.read_csv(ROOT / "sample_data" / "sachs_continuous.csv")
    frame = frame.sample(ROWS[rows], random_state=0) if "drawn" in rows else frame.head(ROWS[rows])
    return Table(loading.from_frame(frame, binarise="median"), ((frame - frame.mean()) / frame.std(ddof=0)).to_numpy())


def measure(method: Method, table: Table, seed: int) -> dict[str, Any]:
    """One run: edges, distances to both truths, processor seconds."""
    began = time.process_time()
    graph = method.learn(table, seed)
    row: dict[str, Any] = {"seconds": time.process_time() - began}
    for edges, truth in known().items():
        found = compare(truth, graph)
        row |= {"edges": found.edges_estimated, f"dag {edges}": found.shd_dag, f"cpdag {edges}": found.shd_cpdag}
    return row


def run() -> None:
    """Everything that is not in the file yet."""
    finished = STORE.rows()
    for rows in ROWS:
        table = load(rows)
        for method in METHODS:
            for seed in range(SEEDS if method.random else 1):
                key = {"rows": rows, "method": method.name, "recipe": method.recipe, "seed": seed}
                if tuple(key.values()) in finished:
                    continue
                STORE.append([key | measure(method, table, seed)])
                sys.stderr.write(f"\r\x1b[K{rows}: {method.name}, seed {seed}")
    sys.stderr.write("\n")


def show(values: pd.Series, digits: int = 0) -> str:
    """One value, or the mean and the range of several."""
    if values.nunique() == 1 or digits:
        return f"{values.mean():.{digits}f}"
    return f"{values.mean():.1f} ({values.min():.0f}–{values.max():.0f})"


def _title(distance: str) -> str:
    """ "dag 20" as the head of a column: DAG-SHD, 20."""
    level, edges = distance.split()
    return f"{level.upper()}-SHD, {edges}"


def lines(rows: str, results: pd.DataFrame) -> list[str]:
    """The table of one set of rows, in Markdown."""
    head = ["method", "recipe", "runs", "edges", *(_title(name) for name in DISTANCES), "seconds"]
    text = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for name, edges, distance in PAPER if rows.startswith("all") else ():
        text.append(f"| {name} | not stated | 1 | {edges} | {distance}, truth and kind not stated | | | | |")
    for method in METHODS:
        part = results[(results["method"] == method.name) & (results["recipe"] == method.recipe)]
        if part.empty:
            continue
        cells = [method.name, method.recipe, f"{len(part)} seeds" if method.random else "1, not random"]
        cells += [show(part[column]) for column in ("edges", *DISTANCES)]
        text.append(f"| {' | '.join([*cells, show(part['seconds'][part['seed'] == 0], 1)])} |")
    measured = {edges: yardsticks(truth, 15, seed=0) for edges, truth in known().items()}
    for name, number, kind in (("empty graph", 0, "empty"), ("15 random edges", 15, "random")):
        found = [f"{getattr(measured[edges], f'{kind}_{level}'):.4g}" for level, edges in map(str.split, DISTANCES)]
        text.append(f"| yardstick: {name} | {'mean of 100' if number else ''} | | {number} | {' | '.join(found)} | |")
    return text


def write() -> None:
    """Put the tables between the marks of docs/sachs.md."""
    results = STORE.frame()
    parts = [MARKS[0], "", "    python benchmarks/sachs.py --fresh", ""]
    for rows in ROWS:
        parts += [f"## On {rows}", "", *lines(rows, results[results["rows"] == rows]), ""]
    text = PAGE.read_text() if PAGE.exists() else f"# The Sachs table\n\n{MARKS[0]}\n{MARKS[1]}\n"
    before, after = text.split(MARKS[0])[0], text.split(MARKS[1])[1]
    PAGE.write_text(before + "\n".join([*parts, MARKS[1]]) + after)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="forget earlier runs")
    if parser.parse_args().fresh:
        STORE.path.unlink(missing_ok=True)
    run()
    write()


if __name__ == "__main__":
    main()
