"""The prior of a parent set, chosen by measurement: which (extended, parent_cost) of `ScoreOptions` serve best?

    python benchmarks/prior.py --graphs 6 --empty 40 --jobs 2

For every pair: mean CPDAG-SHD of the exact search on simulated graphs (ER1, ER2, SF2; four mechanisms), and false edges
in data without any, both by number of variables and rows. The pairs share the evidence in a data set; each only adds
its prior. The seeds are not those of `accuracy.py`.
"""

from __future__ import annotations

import argparse
import os
import sys
from copy import copy
from itertools import product
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import pandas as pd
from joblib import Parallel, delayed

import binotears_core as bn
from benchmarks.datasets import make
from binotears_core.graph.metrics import shd_cpdag
from binotears_core.solvers import exact_search
from binotears_core.solvers.local_scores import LocalScores

PAIRS = list(product((0.0, 0.5, 0.75, 1.0, 1.5), (0.0, 0.5, 1.0, 1.25, 1.5, 2.0)))
SIZES = list(product((6, 8, 10), (1000, 10_000)))
KINDS = [(g, k, m) for g, k in (("ER", 1), ("ER", 2), ("SF", 2)) for m in ("1st", "1st+2nd", "2nd", "pth")]
FIRST_SEED = 7000


def measure(kind, degree, mechanism, nodes, samples, seed):
    """(pair, CPDAG-SHD) for every pair on one data set."""
    truth, data = make(kind, degree, nodes, samples, mechanism, seed)
    shared = LocalScores(data, frozenset(range(1, nodes + 1)))
    rules = bn.Constraints().resolve(data.names, data.groups)
    rows = []
    for extended, parent_cost in PAIRS:
        scores = copy(shared)  # the prior is added to what they have in common
        scores.options = bn.ScoreOptions(extended=extended, parent_cost=parent_cost)
        _, _, found = exact_search.settle(scores, rules, nodes - 1)
        column = f"{'false' if kind == 'none' else 'shd'} p={nodes} n={samples}"
        rows.append((extended, parent_cost, column, shd_cpdag(truth, found.adjacency)))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=6, help="graphs of each kind")
    parser.add_argument("--empty", type=int, default=40, help="data sets without edges")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    work = [(*kind, *size, FIRST_SEED + i) for i in range(options.graphs) for kind in KINDS for size in SIZES]
    work += [("none", 0, "none", *size, FIRST_SEED + i) for i in range(options.empty) for size in SIZES]
    rows = []
    for number, part in enumerate(
        Parallel(n_jobs=options.jobs, return_as="generator_unordered")(delayed(measure)(*item) for item in work), 1
    ):
        rows += part
        sys.stderr.write(f"\r{number} of {len(work)} data sets")
    frame = pd.DataFrame(rows, columns=["extended", "parent_cost", "column", "value"])
    table = frame.pivot_table(index=["extended", "parent_cost"], columns="column", values="value")
    print("\n" + table.round(3).to_string())


if __name__ == "__main__":
    main()
