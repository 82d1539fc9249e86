"""Which penalties the first stage of two-stage BiNOTEARS should have: mean CPDAG-SHD over a part of the large grid.

    python benchmarks/two_stage_penalty.py --nodes 20 --graphs 3

Rows: λ₁ and λ₂ of NOTEARS-MLP. Columns: the first stage alone, both stages, edges, processor seconds. Besides: the
empty graph, and the second stage along a random and along the true order: how much any order could win or lose.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from binotears_core.data.table import BinaryData
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.dag import topological_order
from binotears_core.graph.metrics import shd_cpdag
from binotears_core.simulation import Truth, simulate
from binotears_core.solvers import two_stage

OUT = Path(__file__).parent / "out"
LAMBDA1, LAMBDA2 = (0.001, 0.002, 0.003, 0.005, 0.01), (0.001, 0.003)
CELLS = tuple(product(("ER", "SF"), (1, 2), ("1st+2nd", "2nd")))


def rows_of(truth: Truth, data: BinaryData, seed: int) -> list[dict[str, object]]:
    """Every setting on one data set."""
    rows = []
    for lambda1, lambda2 in product(LAMBDA1, LAMBDA2):
        began = time.process_time()
        found = two_stage.solve(data, two_stage.TwoStageOptions(lambda1=lambda1, lambda2=lambda2), seed=seed)
        seconds = time.process_time() - began
        rows.append(
            {
                "setting": f"λ₁ = {lambda1:g}, λ₂ = {lambda2:g}",
                "first stage": shd_cpdag(truth.adjacency, found.first.adjacency),
                "both stages": shd_cpdag(truth.adjacency, found.adjacency),
                "edges": int(found.adjacency.sum()),
                "seconds": seconds,
            }
        )
    random = np.random.default_rng(seed).permutation(data.variables).tolist()
    for name, order in (("random order", random), ("true order", topological_order(truth.adjacency))):
        # Tiers fix the order; a first stage with a huge penalty has no say.
        tiers = Constraints(tiers={data.names[node]: place for place, node in enumerate(order)}).resolve(data.names)
        found = two_stage.solve(data, two_stage.TwoStageOptions(lambda1=1.0), tiers, seed)
        rows.append({"setting": name, "both stages": shd_cpdag(truth.adjacency, found.adjacency)})
    rows.append({"setting": "empty graph", "both stages": int(truth.adjacency.sum())})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=20)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--graphs", type=int, default=3, help="graphs per cell")
    given = parser.parse_args()
    rows = []
    for (graph, degree, mechanism), seed in product(CELLS, range(given.graphs)):
        truth, data = simulate(graph, given.nodes, degree, mechanism, given.samples, seed)
        cell = {"graph": graph, "degree": degree, "mechanism": mechanism, "seed": seed}
        rows += [cell | row for row in rows_of(truth, data, seed)]
        print(f"{graph}{degree} {mechanism} {seed}", file=sys.stderr, flush=True)
    table = pd.DataFrame(rows)
    OUT.mkdir(exist_ok=True)
    table.to_csv(OUT / f"two_stage_penalty_{given.nodes}.csv", index=False)
    columns = ["first stage", "both stages", "edges", "seconds"]
    print(table.groupby("setting", sort=False)[columns].mean().round(2).to_string())


if __name__ == "__main__":
    main()
