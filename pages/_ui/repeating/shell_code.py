"""A run on the command line, where the command line has all the options it needs."""

from __future__ import annotations

import csv
import shlex
from io import StringIO
from typing import Any

from binotears_core.archive import SavedData
from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.dag import Edge
from binotears_core.results import FitResult
from pages._ui.repeating.origins import Origin, from_table, origin
from pages._ui.repeating.python_code import changed

PROGRAM = "python -m binotears_core"


def shell_code(saved: SavedData, result: FitResult) -> str:
    """Commands that write result.json; raises OptionError when only Python can repeat the run."""
    before, data = _data(saved)
    words = [PROGRAM, "fit", *data, *_options(result.options, saved.data)]
    tiers = _tiers(result.options.constraints)
    return "\n".join([*before, *tiers, _join([*words, "--out result.json"])]) + "\n"


def _data(saved: SavedData) -> tuple[list[str], list[str]]:
    """Lines to run before, and the arguments that name the data."""
    source = origin(saved)
    if source.function == "simulate" and isinstance(source.first, str):
        pairs = [f"--{name} {shlex.quote(str(value))}" for name, value in source.options.items()]
        line = _join([PROGRAM, "simulate", f"--graph {source.first}", *pairs, "--out data.csv --truth truth.csv"])
        return [line], ["data.csv"]
    if source.function == "simulate" or not _expressible(source):
        source = from_table(saved.data)
    if saved.data.sample_size != saved.data.rows and source.note:
        raise OptionError("The command line cannot repeat these choices for weighted data. Use the Python code.")
    note = [f"# {source.note}"] if source.note else []
    chosen = [f"--{name} {shlex.quote(str(value))}" for name, value in source.options.items() if name != "weights_kind"]
    return note, [shlex.quote(source.first), *chosen]


def _expressible(source: Origin) -> bool:
    """Whether the command line has the options that load the data."""
    simple = {name for name, value in source.options.items() if not isinstance(value, (dict, list))}
    return set(source.options) == simple and simple <= {"binarise", "missing", "weights", "weights_kind"}


def _options(options: Any, data: BinaryData) -> list[str]:
    chosen = changed(options)
    schedule = changed(chosen.pop("schedule", options.schedule))
    words = [f"--orders {_orders(chosen.pop('orders'))}"] if "orders" in chosen else []
    words += [f"--method {chosen.pop('method')}"] if "method" in chosen else []
    words += ["--no-refine"] if not chosen.pop("refine", True) else []
    names = {"lam": "--lambda", "delta": "--delta", "gamma": "--gamma"}
    words += [f"{names[field]} {schedule.pop(field):.12g}" for field in names if field in schedule]
    words += _edges(chosen.pop("constraints", Constraints()), data)
    words += [f"--seed {chosen.pop('seed')}"] if "seed" in chosen else []
    if chosen or schedule:
        rest = ", ".join([*chosen, *(f"schedule.{field}" for field in schedule)])
        raise OptionError(f"The command line has no option for: {rest}. Use the Python code.")
    return words


def _edges(constraints: Constraints, data: BinaryData) -> list[str]:
    """Groups of the user, and of a table that lost them on its way, become forbidden edges."""
    groups = {*constraints.groups, *data.groups}
    inside = [(a, b) for group in sorted(groups) for a in group for b in group if a != b]
    forbidden = dict.fromkeys([*constraints.forbidden, *inside])
    words = [f"--forbid {_edge(edge)}" for edge in forbidden] + [
        f"--require {_edge(one)}" for one in constraints.required
    ]
    return [*words, "--tiers tiers.csv"] if constraints.tiers else words


def _edge(edge: Edge) -> str:
    if any(">" in name or name != name.strip() for name in edge):
        raise OptionError(f"The edge {edge[0]} → {edge[1]} cannot be written on the command line. Use the Python code.")
    return shlex.quote(">".join(edge))


def _tiers(constraints: Constraints) -> list[str]:
    """The file of tiers, written by the shell itself."""
    if not constraints.tiers:
        return []
    lines = StringIO()
    csv.writer(lines, lineterminator="\n").writerows([("name", "tier"), *constraints.tiers])
    return [f"cat > tiers.csv <<'END'\n{lines.getvalue()}END"]


def _orders(orders: str | int | tuple[int, ...]) -> str:
    """As --orders reads it: a lone number m means 1…m there, so a single order is written twice."""
    if isinstance(orders, str | int):
        return str(orders)
    return ",".join(map(str, orders if len(orders) > 1 else orders * 2))


def _join(words: list[str]) -> str:
    return " \\\n  ".join([" ".join(words[:3]), *words[3:]])
