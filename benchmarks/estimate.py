"""How good `bn.estimate` is: its seconds and memory beside those of real runs; and new constants for `costs.SECONDS`.

    python benchmarks/estimate.py            # about six minutes on one core
    python benchmarks/estimate.py exact      # only the runs from which that constant comes

Every run has its own process on one thread. Seconds are those of the processor, so that other work on the machine
hardly matters; memory is the peak of the process less its peak before the run. The last lines are the constants that
would make the ratios of their stage 1 on average (geometric mean), to be
copied to binotears_core/costs.py when they differ.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from binotears_core.costs import SECONDS  # noqa: E402

OUT = ROOT / "benchmarks" / "out" / "estimate.json"
PROGRAM = """
import json, resource, sys, time
import binotears_core as bn
nodes, samples, options = json.loads(sys.argv[1])
if "prior_scale" in options:
    options["score"] = bn.ScoreOptions(prior_scale=options.pop("prior_scale"))
data = bn.simulate("ER", nodes, 2, "1st+2nd", samples, 3)[1]
expected = bn.estimate(data, **options)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before, began = peak(), time.process_time()
bn.fit(data, **options)
seen = {"seconds": time.process_time() - began, "bytes": peak() - before}
print(json.dumps({"expected": {"seconds": expected.seconds, "bytes": expected.bytes}, "seen": seen}))
"""
Case = tuple[int, int, dict[str, Any]]


def cases() -> dict[str, list[Case]]:
    """The runs by the constant that decides them."""
    rows, first = (1000, 10_000), {"method": "dagma", "refine": False}
    small = [(p, n, {"orders": o, **first}) for p, n, o in product((6, 8, 10, 12), rows, (1, 2, "all"))]
    more = [(p, n, {"orders": o, **first}) for p, n, o in ((20, 1000, 1), (20, 1000, 2), (40, 1000, 1))]
    two = [(p, n, {"method": "two-stage", "refine": False}) for p, n in product((10, 20, 30, 40), rows)]
    once = {"method": "exact", "prior_scale": 2.0}  # scores computed once; else the data decide whether twice
    exact = [(p, n, {"orders": o, **once}) for p, n, o in product((6, 8, 10, 12, 15), rows, (1, 2, "all"))]
    orders = [
        (p, n, {"method": "two-stage"}) for p, n in ((18, 1000), (18, 10_000), (25, 1000), (25, 10_000), (40, 1000))
    ]
    return {
        "dagma": small + more,
        "two-stage": two,
        "exact": exact,
        "orders": orders,
        "": [(p, 1000, {}) for p in (6, 9, 11)] + [(p, 10_000, {"method": "exact"}) for p in (8, 10, 12, 15)],
    }


def measure(case: Case) -> dict[str, dict[str, float]]:
    """Expected and seen seconds and bytes of one run."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PROGRAM, json.dumps(case)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    result: dict[str, dict[str, float]] = json.loads(done.stdout)
    return result


def say(case: Case, row: dict[str, dict[str, float]]) -> None:
    words = ", ".join(f"{name}={value}" for name, value in case[2].items()) or "default"
    line = f"p = {case[0]:<3} n = {case[1]:<6} {words:<46}"
    for kind, unit in (("seconds", 1.0), ("bytes", 1e6)):
        expected, seen = row["expected"][kind] / unit, row["seen"][kind] / unit
        line += f"   {'s' if unit == 1 else 'MB'} {expected:7.2f} seen {seen:7.2f} ratio {expected / seen:5.2f}"
    print(line, flush=True)


def summary(rows: dict[str, list[dict[str, dict[str, float]]]]) -> None:
    """How many estimates are good to a factor of two, and the constants as these runs want them."""
    for kind in ("seconds", "bytes"):
        ratios = np.array([row["expected"][kind] / row["seen"][kind] for part in rows.values() for row in part])
        good = int((np.abs(np.log2(ratios)) <= 1).sum())
        print(f"{kind}: {good} of {len(ratios)} within a factor of two; ratios {ratios.min():.2f} … {ratios.max():.2f}")
    for stage, part in rows.items():
        # Runs of a fraction of a second are mostly start-up, which has its own constant.
        ratios = [row["seen"]["seconds"] / row["expected"]["seconds"] for row in part if row["seen"]["seconds"] > 0.15]
        if stage and ratios:
            print(f'"{stage}": {SECONDS[stage] * np.exp(np.log(ratios).mean()):.3g}  now {SECONDS[stage]:.3g}')


def main() -> None:
    wanted = sys.argv[1:]
    rows: dict[str, list[dict[str, dict[str, float]]]] = {}
    for stage, runs in cases().items():
        for case in runs if not wanted or stage in wanted else ():
            row = measure(case)
            rows.setdefault(stage, []).append(row)
            say(case, row)
    summary(rows)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
