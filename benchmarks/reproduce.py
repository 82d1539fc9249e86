"""The paper's experiments, with every method on the same data: CPDAG-SHD, DAG-SHD, edges, seconds and status.

    python benchmarks/reproduce.py --grid small --quick                 # minutes: a thinned grid
    python benchmarks/reproduce.py --grid small --jobs 2                # p = 5…9, n = 10 000, 10 graphs a cell
    python benchmarks/reproduce.py --grid large --jobs 2                # p = 10…40, n = 1000, 3 graphs a cell
    python benchmarks/reproduce.py --grid large --dask tcp://host:8786  # the same on a cluster
    python benchmarks/reproduce.py --grid small --methods binotears,fges-tetrad --graphs 2
    python benchmarks/reproduce.py --grid small --figures               # only draw again
    python benchmarks/reproduce.py --write                              # docs/experiments.md from what is measured

Every row is on disk (OUT/rows.jsonl) as soon as it is there: a killed run goes on where it stopped, and a quick run is
part of the full one. At the end OUT has results.parquet, results.csv and the figures. After a change to a method, drop
its rows with --forget METHODS. Workers of a cluster need this repository and its requirements, and one thread each:

    PYTHONPATH=. dask worker tcp://host:8786 --nthreads 1
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import pandas as pd  # noqa: E402
from tqdm import tqdm  # noqa: E402

from benchmarks.experiments import figures, page, running  # noqa: E402
from benchmarks.experiments.grids import GRIDS, KEY, Unit, units  # noqa: E402
from benchmarks.experiments.methods import METHODS, lacking  # noqa: E402
from benchmarks.experiments.store import Store  # noqa: E402

OUT = ROOT / "benchmarks" / "out" / "reproduce"
PAGE = ROOT / "docs" / "experiments.md"


def left_to_do(work: list[Unit], store: Store) -> list[Unit]:
    """Units without a row, and those whose method was missing and is now there."""
    known = store.rows()
    again = {key for key, row in known.items() if row["status"] == "missing" and not lacking(row["method"])}
    return [unit for unit in work if unit.key not in known or unit.key in again]


def run(work: list[Unit], store: Store, jobs: int, dask: str | None = None) -> None:
    """Measure what is not measured yet."""
    left = left_to_do(work, store)
    bar = tqdm(total=len(work), initial=len(work) - len(left), unit="row", file=sys.stderr, dynamic_ncols=True)
    with bar:
        if dask and left:
            with running.dask_client(dask, jobs) as client:
                _keep(running.through_dask(left, client), store, bar)
        else:
            _keep(running.through_processes(left, jobs), store, bar)


def _keep(rows: running.Rows, store: Store, bar: tqdm) -> None:
    for row in rows:
        store.append([row])
        bar.set_postfix_str(f"{row['method']}, p = {row['p']}", refresh=False)
        bar.update()


def rows_of(work: list[Unit], store: Store) -> pd.DataFrame:
    """The rows there are for these units."""
    known = store.rows()
    return pd.DataFrame([known[key] for key in sorted(unit.key for unit in work) if key in known])


def export(store: Store, folder: Path) -> None:
    """All rows as one tidy table, twice."""
    table = store.frame()
    table.to_parquet(folder / "results.parquet", index=False)
    table.to_csv(folder / "results.csv", index=False)


def arguments(given: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grid", choices=GRIDS)
    parser.add_argument("--quick", action="store_true", help="a thinned grid that takes minutes")
    parser.add_argument("--graphs", type=int, help="data sets a cell (small: 10, large: 3; quick: 2 and 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="worker processes (default: one a core)")
    parser.add_argument("--methods", type=_methods, default=list(METHODS), metavar="A,B", help=", ".join(METHODS))
    parser.add_argument("--dask", metavar="ADDRESS", help="of a scheduler; 'local' starts a cluster here")
    parser.add_argument("--forget", type=_methods, metavar="A,B", help="drop the rows of these methods first")
    parser.add_argument("--figures", action="store_true", help="measure nothing, draw again")
    parser.add_argument("--write", action="store_true", help="measure nothing, write the page")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--page", type=Path, default=PAGE, help="where --write writes")
    options = parser.parse_args(given)
    if not (options.grid or options.write or options.forget):
        parser.error("say which grid: --grid small or --grid large")
    return options


def _methods(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no method '{unknown[0]}'; choose among {', '.join(METHODS)}")
    return names


def main(given: list[str] | None = None) -> None:
    options = arguments(given)
    store = Store(options.out / "rows.jsonl", KEY)
    if options.forget:
        store.forget("method", options.forget)
    work = {
        grid: units(grid, options.methods, quick=options.quick, graphs=options.graphs)
        for grid in ([options.grid] if options.grid else GRIDS)
    }
    if options.write:
        write_page(work, store, options)
    elif options.grid:
        if not options.figures:
            run(work[options.grid], store, options.jobs, options.dask)
            export(store, options.out)
        name = options.grid + ("-quick" if options.quick else "")
        for path in figures.draw(rows_of(work[options.grid], store), options.out, name):
            print(path)


def write_page(work: dict[str, list[Unit]], store: Store, options: argparse.Namespace) -> None:
    frames = {grid: rows_of(units, store) for grid, units in work.items()}
    frames = {grid: rows for grid, rows in frames.items() if len(rows)}
    quick = " --quick" * options.quick
    commands = [f"--grid {grid}{quick} --graphs {rows.graph.max() + 1} --jobs 2" for grid, rows in frames.items()]
    commands.append("--write" + quick)
    page.write(frames, commands, options.page)


if __name__ == "__main__":
    main()
