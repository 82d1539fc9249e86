"""docs/experiments.md from measured rows: tables and figures with their commands. The reading is written by hand."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from benchmarks.experiments import figures
from benchmarks.experiments.methods import METHODS, OURS
from benchmarks.experiments.tables import markdown

INTRODUCTION = """# The paper's experiments

Every method on the same simulated data; the distance between the learned and the true equivalence class (CPDAG-SHD:
each pair of nodes that differs counts 1; lower is better). Tables and figures are made by `benchmarks/reproduce.py`;
a killed run goes on where it stopped:

{commands}

`binotears` is the default `bn.fit(data)`, `binotears-paper` the paper's solver alone (`refine=False`: DAGMA with all
orders up to 12 variables, two stages beyond). Tetrad has the paper's settings (BDeu with sample prior 10; PC χ² at
0.1); the other peers have their defaults. `exact-bdeu` and `exact-bic` are the best graphs of all by these scores,
`empty` is the graph without edges; a run that fails counts as one. Seconds are on one thread of a machine with other
work, and leave out imports and the start of Java. The Sachs data have [their own page](sachs.md);
[accuracy.md](accuracy.md) has more kinds of data.
"""

# Written by hand, once the numbers below are there: where our method wins, ties and loses, grid by grid.
READING: dict[str, str] = {
    "small": """\
* **Ours wins** under every mechanism and on every kind of graph: 0.99 against 2.63 of exact BDeu and 2.94 of BOSS. The
  lead is largest where causes act only in pairs (2nd: 0.03 against 1.67), smallest under pth (2.75 against 5.02).
* **The gradient alone loses**, the paper's method as much as NOTEARS, NOTEARS-MLP and DAGMA: 7.0 to 7.9, nearer to the
  empty graph (9.5) than to any search over graphs. Seeing interactions does not help it: NOTEARS, which sees none, is
  ahead of the paper's solver. The refinement is what brings 7.9 down to 1.0.
* **Weakest points.** Ours: products of many parents on dense graphs (pth, ER2), and it is the slowest here (0.4 s).
  BDeu and BIC, exact or searched (BOSS, FGES, tabu, hill climbing): a full table pays for every product, so pure
  products are missed. PC and MIIC: parents that act only together look independent in pairs; on ER2 more than half is
  wrong.
  `dagma-package` has no intercepts: on the quick grid (`--quick`, 32 sets) it had 9.6 and the empty graph 8.0. It takes
  10 s a set, so it was left out of the full one.
""",
    "large": """\
* **Ours wins** under every mechanism, on every kind of graph and at every size: 27.1 against 40.4 of MIIC. One graph a
  cell is thin for a single cell (the lines are jagged), not for the means over 96.
* **The paper's two stages are in the middle**: 44.8, level with tabu and NOTEARS; on SF4 only MIIC, NOTEARS-MLP and
  ours are ahead of it.
* **pth defeats everybody**: ours has 50.0, tabu 52.0, the empty graph 56.0. A product of many parents is 1 in too few
  of 1000 rows.
* **Weakest points.** Ours: pth, and time (12 s at p = 40, where MIIC needs 0.1). BOSS and FGES: sparse and scale-free
  graphs, where BOSS is behind the empty graph. Tabu and hill climbing: scale-free graphs. PC: about half the edges.
  NOTEARS-MLP: ER graphs. `dagma-first-order`: near the empty graph. `dagma-package`, on the quick grid (16 sets): 35.2,
  where the empty graph has 21.5.
""",
}

SACHS = """From [sachs.md](sachs.md), which has more rows of data, how to read it, and the command.
"""

TITLES = {"small": "Small graphs", "large": "Large graphs"}


def write(frames: dict[str, pd.DataFrame], commands: list[str], page: Path) -> None:
    """The page and its figures beside it, from the rows of each grid that has some."""
    parts = [INTRODUCTION.format(commands="\n".join(f"    python benchmarks/reproduce.py {line}" for line in commands))]
    for grid, rows in frames.items():
        if (rows.method == OURS).any():
            parts.append(section(grid, rows, page.parent))
    parts += sachs(page.parent / "sachs.md")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(parts), encoding="utf-8")


def sachs(measured: Path) -> list[str]:
    """The first table of docs/sachs.md, which `benchmarks/sachs.py` writes, when it is there."""
    if not measured.exists():
        return []
    _, title, rest = measured.read_text(encoding="utf-8").partition("## On all")
    return ["## Sachs\n", SACHS, f"#{title}{rest.split('## ', 1)[0]}"] if title else []


def section(grid: str, rows: pd.DataFrame, folder: Path) -> str:
    """One grid: what was run, the reading, three tables, the figures."""
    whole, partial = comparable(rows)
    parts = [f"## {TITLES[grid]}\n", _what(rows), READING[grid]]
    if partial:
        parts.append(f"Not on all data sets, and so not in the tables: {', '.join(partial)}.\n")
    cells = whole.assign(graph=whole.kind + whole.k.astype(str), p="p = " + whole.p.astype(str))
    parts += ["Mean CPDAG-SHD by mechanism:\n", markdown(summary(whole, "mechanism"), bold=OURS)]
    parts += ["\nBy graph:\n", markdown(means(cells, "graph"), bold=OURS)]
    parts += ["\nBy number of variables:\n", markdown(means(cells, "p"), bold=OURS)]
    parts += ["\nSeconds by number of variables:\n", markdown(seconds(cells), bold=OURS) + "\n"]
    for path in figures.draw(rows, folder, f"experiments-{grid}"):
        if path.suffix == ".png":
            parts.append(f"![{TITLES[grid]}: {path.stem.removeprefix(f'experiments-{grid}-')}]({path.name})\n")
        else:
            path.unlink()  # megabytes of plotly; the run's own folder has it
    return "\n".join(part for part in parts if part)


def _what(rows: pd.DataFrame) -> str:
    ours = rows[rows.method == OURS]
    sets = ours.groupby(["kind", "k", "p", "mechanism"]).size()
    graphs = f"{sets.min()}" if sets.min() == sets.max() else f"{sets.min()} to {sets.max()}"
    listed = (", ".join(map(str, sorted(ours[name].unique()))) for name in ("kind", "k", "p", "n"))
    kinds, degrees, nodes, samples = listed
    return f"{kinds}; k = {degrees}; p = {nodes}; n = {samples}: {len(ours)} data sets, {graphs} a cell.\n"


def comparable(rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Rows of the methods that were tried on every data set ours was, and the names of the others.

    Means over different data sets must not stand side by side.
    """
    columns = ["kind", "k", "p", "mechanism", "graph"]
    ours = rows[rows.method == OURS][columns]
    shared = rows.merge(ours, on=columns)
    sizes = shared[shared.status != "missing"].groupby("method").size()
    whole = [name for name in METHODS if sizes.get(name, 0) == len(ours)]
    others = [name for name in METHODS if (rows.method == name).any() and name not in whole]
    return shared[shared.method.isin(whole)], others


def means(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Mean CPDAG-SHD per method and `column`, best first; a failure counts as an empty graph (see `failed`)."""
    groups = rows.groupby("method").shd_cpdag
    table = pd.DataFrame({"all": groups.mean(), "s.e.": groups.sem()})
    table = table.join(rows.pivot_table(index="method", columns=column, values="shd_cpdag"))
    order = ["all", "s.e.", *dict.fromkeys(rows.sort_values("p", key=_number, kind="stable")[column])]
    return table[order].sort_values("all")


def summary(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """`means` with the mean DAG-SHD, edges and seconds and the number of failures."""
    groups = rows.groupby("method")
    table = means(rows, column)
    table["DAG-SHD"], table["edges"] = groups.shd_dag.mean(), groups.edges.mean()
    table["seconds"] = groups.seconds.mean()
    table["failures"] = groups.status.agg(lambda codes: int((codes == "failed").sum()))
    return table


def seconds(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean seconds per method and number of variables, fastest first."""
    table = rows.pivot_table(index="method", columns="p", values="seconds")
    order = sorted(table.columns, key=lambda name: int(name.split()[-1]))
    return table[order].sort_values(order[-1])


def _number(column: pd.Series) -> pd.Series:
    return column if column.dtype.kind == "i" else column.str.extract(r"(\d+)", expand=False).astype(int)
