"""How the default fit grows with variables and rows: processor seconds on one core, and peak memory.

    python benchmarks/growth.py           # measure (about ten minutes), then write docs/growth.md and its plot
    python benchmarks/growth.py --rows    # only the part over the number of rows

ER2, mechanism 1st+2nd, one graph a point, each in a process of its own. Processor seconds hardly depend on what else
the machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import pandas as pd  # noqa: E402

from benchmarks.experiments.tables import markdown  # noqa: E402

PAGE = ROOT / "docs" / "growth.md"
PLOT = ROOT / "docs" / "growth.png"
VARIABLES = [(p, 10_000) for p in (5, 7, 9, 10, 11, 12, 13, 14, 15, 16)] + [(p, 1000) for p in (17, 20, 30, 40)]
ROWS = [(9, n) for n in (1000, 10_000, 100_000, 1_000_000)]
PROGRAM = """
import json, resource, sys, time
import binotears_core as bn
p, n = int(sys.argv[1]), int(sys.argv[2])
_, data = bn.simulate(graph="ER", nodes=p, degree=2, mechanism="1st+2nd", samples=n, seed=0)
began = time.process_time()
result = bn.fit(data)
seconds = time.process_time() - began
stages = {stage.name: stage.seconds for stage in result.stages}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(json.dumps({"p": p, "n": n, "seconds": seconds, "gigabytes": peak, "method": result.method, **stages}))
"""
INTRODUCTION = """# How the default fit grows

Processor seconds on one core and peak memory (the interpreter with its libraries is 0.2 to 0.4 GB of it) of
`bn.fit(data)`: gradient, refinement and certificate. ER2 graphs, mechanism 1st+2nd. Made by

    python benchmarks/growth.py

Up to 10 variables the exact search sees every parent set; with 11 and 12 sets of at most 6, with 13 to 16 of at most 5
(the certificate names the cap). From 13 variables on the gradient is the two-stage solver's, from 17 on the refinement
is the order search.

![Seconds and memory by variables, seconds by rows](growth.png)
"""


def measure(p: int, n: int) -> dict[str, float | str]:
    """One fit in a fresh process."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(p), str(n)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    row: dict[str, float | str] = json.loads(told.stdout)
    sys.stderr.write(f"p = {p}, n = {n}: {row['seconds']:.1f} s, {row['gigabytes']:.2f} GB\n")
    return row


def plot(variables: pd.DataFrame, rows: pd.DataFrame) -> None:
    """Three panels: seconds and memory by p, seconds by n."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    panels = ((variables, "p", "seconds"), (variables, "p", "gigabytes"), (rows, "n", "seconds"))
    for place, (frame, across, up) in zip(axes, panels, strict=True):
        place.plot(frame[across], frame[up], "o-", color="#0072B2")
        place.set_xlabel("variables" if across == "p" else "rows (9 variables)")
        place.set_title("processor seconds" if up == "seconds" else "peak memory, GB", fontsize=10)
        place.set_ylim(bottom=0)
        place.grid(alpha=0.3)
    axes[0].axvspan(16.5, variables.p.max(), color="#9CA3AF", alpha=0.2)
    axes[0].text(17.5, 0.5, "order search\n(n = 1000)", fontsize=8)
    axes[2].set_xscale("log")
    figure.savefig(PLOT, dpi=110)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", action="store_true", help="only print the part over the number of rows")
    options = parser.parse_args()
    rows = pd.DataFrame([measure(*point) for point in ROWS])
    if options.rows:
        return
    variables = pd.DataFrame([measure(*point) for point in VARIABLES])
    plot(variables, rows)
    shown = ["n", "seconds", "gigabytes"]
    PAGE.write_text(
        f"{INTRODUCTION}\n{markdown(variables.set_index('p')[shown], 'variables')}\n\nBy rows, 9 variables:\n\n"
        f"{markdown(rows.set_index('n')[['seconds', 'gigabytes']], 'rows')}\n"
    )


if __name__ == "__main__":
    main()
