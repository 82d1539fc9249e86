"""The command line: `python -m binotears_core fit | simulate | compare`.

Files in and out; progress on standard error; exit status 0, or 2 with one clear sentence when the input is wrong.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from binotears_core.errors import DataError, OptionError
from binotears_core.results import Progress

BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parser = _parser()
    try:
        options = parser.parse_args(arguments)
        options.run(options)
    except (DataError, OptionError) as error:
        sys.stderr.write(f"{error}\n")
        return BAD_INPUT
    except BrokenPipeError:
        # The reader (`| head`) has gone; that is its right. Keep Python from complaining when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted; nothing was written.\n")
        return 130
    return 0


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence instead of printing the usage text first."""

    def error(self, message: str) -> NoReturn:
        raise OptionError(f"{message[0].upper()}{message[1:]}. See: {self.prog} --help")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m binotears_core", description="Causal structure in binary data.")
    commands = parser.add_subparsers(required=True, metavar="fit|simulate|compare")
    _add_fit(commands.add_parser("fit", help="learn a graph from a data file"))
    _add_simulate(commands.add_parser("simulate", help="draw a random graph and data from it"))
    _add_compare(commands.add_parser("compare", help="compare a result with the true edges"))
    return parser


def _add_fit(command: argparse.ArgumentParser) -> None:
    command.add_argument("data", metavar="DATA", help="CSV, TSV, Parquet or Excel file")
    command.add_argument("--orders", default="auto", help="auto, all, a number m (orders 1 to m) or a list such as 1,2")
    command.add_argument("--method", default="auto", help="auto, dagma, two-stage or exact")
    command.add_argument("--no-refine", action="store_true", help="the paper's solver alone")
    command.add_argument("--lambda", dest="lam", type=float, default=0.05, help="first λ of the schedule")
    command.add_argument("--delta", type=float, default=0.2, help="first δ of the schedule")
    command.add_argument("--gamma", type=float, default=0.5, help="factor from one step of the schedule to the next")
    command.add_argument("--forbid", action="append", default=[], metavar='"A>B"', help="no edge A → B (repeatable)")
    command.add_argument("--require", action="append", default=[], metavar='"A>B"', help="edge A → B (repeatable)")
    command.add_argument("--tiers", metavar="FILE", help="CSV with columns name,tier; smaller tiers come first")
    command.add_argument(
        "--binarise", help="for columns with more values: median, mean, log-mean, mixture, indicators or a number"
    )
    command.add_argument("--drop", action="append", default=[], metavar="COLUMN", help="leave it out (repeatable)")
    command.add_argument("--missing", default="refuse", help="refuse, drop (rows) or indicator")
    command.add_argument("--weights", metavar="COLUMN", help="column with row weights")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--out", metavar="result.json", help="where the result goes (standard output when left out)")
    command.set_defaults(run=_fit)


def _add_simulate(command: argparse.ArgumentParser) -> None:
    command.add_argument("--graph", default="ER", help="ER or SF")
    command.add_argument("--nodes", type=int, default=9)
    command.add_argument("--degree", type=int, default=2, help="edges per node")
    command.add_argument("--mechanism", default="1st+2nd", help="1st, 1st+2nd, 1st+pth, 1st+2nd+pth, 2nd or pth")
    command.add_argument("--samples", type=int, default=10_000)
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--out", required=True, metavar="data.csv")
    command.add_argument("--truth", metavar="truth.csv", help="where the true edges go")
    command.set_defaults(run=_simulate)


def _add_compare(command: argparse.ArgumentParser) -> None:
    command.add_argument("truth", metavar="TRUTH.csv", help="columns source,target")
    command.add_argument("result", metavar="RESULT.json")
    command.set_defaults(run=_compare)


def _fit(options: argparse.Namespace) -> None:
    from binotears_core.data.loading import load
    from binotears_core.exporting import result_json
    from binotears_core.fitting import fit
    from binotears_core.graph.constraints import Constraints
    from binotears_core.solvers.dagma import Schedule

    constraints = Constraints(
        forbidden=[_edge(text, "--forbid") for text in options.forbid],
        required=[_edge(text, "--require") for text in options.require],
        tiers=_read_tiers(options.tiers) if options.tiers else (),
    )
    schedule = Schedule(lam=options.lam, delta=options.delta, gamma=options.gamma)
    _check_place(options.out)
    rule = _rule(options.binarise)
    data = load(options.data, binarise=rule, drop=options.drop, missing=options.missing, weights=options.weights)
    bar = _ProgressBar()
    result = fit(
        data,
        orders=_orders(options.orders),
        method=options.method,
        refine=not options.no_refine,
        schedule=schedule,
        constraints=constraints,
        seed=options.seed,
        on_progress=bar,
    )
    bar.close()
    for sentence in (*data.record, *result.notes, result.status.message):
        sys.stderr.write(f"{sentence}\n")
    _write(options.out, json.dumps(result_json(result), indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def _simulate(options: argparse.Namespace) -> None:
    import numpy as np

    from binotears_core.exporting import truth_csv
    from binotears_core.simulation import simulate

    truth, data = simulate(
        graph=options.graph,
        nodes=options.nodes,
        degree=options.degree,
        mechanism=options.mechanism,
        samples=options.samples,
        seed=options.seed,
    )
    shuffled = data.to_frame().sample(frac=1, random_state=np.random.default_rng(options.seed))
    _write(options.out, shuffled.to_csv(index=False))
    if options.truth:
        _write(options.truth, truth_csv(truth.edges))


def _compare(options: argparse.Namespace) -> None:
    from binotears_core.exporting import read_edge_list_csv, read_result_json
    from binotears_core.graph.dag import from_edges
    from binotears_core.graph.metrics import compare

    result = read_result_json(_read(options.result))
    truth = from_edges(read_edge_list_csv(_read(options.truth)), result["nodes"])
    estimate = from_edges([(edge["source"], edge["target"]) for edge in result["edges"]], result["nodes"])
    sys.stdout.write(json.dumps(compare(truth, estimate).as_dict(), indent=1) + "\n")


def _orders(text: str) -> str | int | set[int]:
    if text in ("auto", "all"):
        return text
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(
            f"--orders '{text}' is not understood. Use auto, all, a number such as 2, or a list such as 1,2."
        ) from None
    return numbers[0] if len(numbers) == 1 and "," not in text else set(numbers)


def _rule(text: str | None) -> str | float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return text


def _edge(text: str, option: str) -> tuple[str, str]:
    source, arrow, target = text.partition(">")
    if not arrow or not source.strip() or not target.strip():
        raise OptionError(f"{option} '{text}' is not an edge. Write it as {option} \"A>B\".")
    return source.strip(), target.strip()


def _read_tiers(path: str) -> list[tuple[str, int]]:
    tiers = []
    for number, row in enumerate(_read_table(path, ("name", "tier")), start=2):
        try:
            tiers.append((row["name"], int(row["tier"])))
        except ValueError:
            raise OptionError(f"Line {number} of {path} has tier '{row['tier']}'. Tiers are whole numbers.") from None
    return tiers


def _read_table(path: str, columns: tuple[str, ...]) -> list[dict[str, str]]:
    """Rows of a small CSV file that must have these columns; names are stripped of spaces."""
    reader = csv.DictReader(_read(path).splitlines())
    found = [name.strip() for name in reader.fieldnames or []]
    if not set(columns) <= set(found):
        raise DataError(f"{path} must have the columns {','.join(columns)}; it has {','.join(found) or 'none'}.")
    reader.fieldnames = found
    rows = []
    for row in reader:
        if any(row[column] is None for column in columns):
            raise DataError(
                f"Line {reader.line_num} of {path} has too few cells. Write {','.join(columns)} on every line."
            )
        rows.append({column: row[column].strip() for column in columns})
    return rows


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}. Check the name.") from None
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8 text. Save it as UTF-8.") from None


def _write(path: str | None, text: str) -> None:
    if path is None:
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror}. Choose another place.") from None


def _check_place(path: str | None) -> None:
    """A folder that does not exist is told before a long run, not after it."""
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise DataError(f"{path} cannot be written: there is no such folder. Choose another place.")


class _ProgressBar:
    """One line on a terminal, nothing elsewhere."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()

    def __call__(self, progress: Progress) -> Any:
        if self._live:
            done = int(30 * progress.fraction)
            line = f"{'█' * done}{'·' * (30 - done)} {progress.fraction:4.0%} {progress.stage}, {progress.edges} edges"
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()

    def close(self) -> None:
        if self._live:
            sys.stderr.write("\r\x1b[K")


if __name__ == "__main__":
    sys.exit(main())
