"""Check a table before any rule is chosen: its size, its weights and its missing cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from binotears_core.data.options import LoadOptions, WeightsKind
from binotears_core.data.rows import Look, Rows, incomplete, look
from binotears_core.data.sources import Source, first_row
from binotears_core.errors import DataError

SHOWN = 10


@dataclass(frozen=True)
class Examined:
    """The rows to use, what their columns hold, how their weights are meant, and the record so far."""

    rows: Rows
    seen: Look
    weights_kind: WeightsKind
    record: tuple[str, ...]


def examine(source: Source, options: LoadOptions) -> Examined:
    """Read a table once (twice when rows are left out or weighted) and check it."""
    options.check_columns(source.names)
    names = tuple(name for name in source.names if name not in options.dropped)
    first = look(Rows(source=source, names=names or source.names[:1]))
    _check_size(source, first.rows)
    if not set(names) - {options.weights}:
        raise DataError(
            f"No column of {source.title} is left: all are left out. Keep columns that have at least two values."
        )
    used = tuple(name for name in names if first.summaries[name].distinct)
    kind = _weights_kind(source, first, options)
    if not set(used) - {options.weights}:
        raise DataError(f"No column of {source.title} has any value. Fill in the table.")
    record = [source.note, f"It has {first.rows} rows and {len(source.names)} columns."]
    record += [f"Column '{name}' was dropped as asked." for name in options.dropped]
    record += [f"Column '{name}' has no values and was kept out." for name in names if name not in used]
    record += _weightless(first, options.weights)
    record += _missing(source, first, used, options)
    columns = tuple(name for name in used if name != options.weights)
    complete = options.missing == "drop" and any(name in first.missing for name in used)
    rows = Rows(source=source, names=columns, weights=options.weights, complete=complete)
    seen = look(rows) if complete or options.weights is not None else first
    if seen.rows == 0:
        raise DataError(f"No complete row of {source.title} has a weight above 0. Correct the weights.")
    return Examined(rows, seen, kind, tuple(record))


def _check_size(source: Source, rows: int) -> None:
    if rows == 0:
        raise DataError(f"{source.title} has column names but no rows. Add at least two rows.")
    if rows == 1:
        raise DataError(f"{source.title} has a single row, which cannot show any dependence. Give at least two rows.")


def _weights_kind(source: Source, seen: Look, options: LoadOptions) -> WeightsKind:
    """Weights must be numbers that are not negative; whole numbers are counts unless the user says otherwise."""
    if options.weights is None:
        return "auto"
    summary, name = seen.summaries[options.weights], options.weights
    if summary.texts:
        row, label = first_row(source, name, lambda label: label in summary.texts)
        raise DataError(f"The weights column '{name}' has text (first at row {row}: '{label}'). Give numbers.")
    if not summary.distinct or summary.numbers[-1] <= 0 or summary.numbers[0] < 0:
        raise DataError(f"The weights in column '{name}' must be numbers from 0 up, and not all 0. Correct them.")
    whole = bool((summary.numbers == np.rint(summary.numbers)).all())
    if options.weights_kind == "counts" and not whole:
        raise DataError(f"The weights in column '{name}' are not all whole numbers. Use weights_kind='survey'.")
    if options.weights_kind != "auto":
        return options.weights_kind
    return "counts" if whole else "survey"


def _weightless(seen: Look, weights: str | None) -> list[str]:
    """What to say about rows of weight 0."""
    number = 0 if weights is None else int(seen.summaries[weights].labels().get("0", 0))
    return [f"{number} rows of weight 0 were left out."] if number else []


def _missing(source: Source, seen: Look, used: tuple[str, ...], options: LoadOptions) -> list[str]:
    """Refuse missing cells, or say what happens to them."""
    cells = {name: number for name, number in seen.missing.items() if name in used}
    if not cells:
        return []
    most = sorted(cells, key=lambda name: -cells[name])[:SHOWN]
    shown = ", ".join(f"{name} {cells[name]}" for name in most)
    where = shown + (f" and {len(cells) - SHOWN} more columns" if len(cells) > SHOWN else "")
    if options.missing == "refuse":
        raise DataError(
            f"{source.title} has {sum(cells.values())} missing cells ({where}). "
            "Fill them in, or choose missing='drop' (leave such rows out) or missing='indicator' (mark them)."
        )
    if options.weights in cells and options.missing == "indicator":
        raise DataError(f"The weights in column '{options.weights}' have gaps. Fill them in or choose missing='drop'.")
    if options.missing == "drop":
        return [_dropped(source, used, seen.rows, where)]
    return [f"Missing cells became 0 and are marked in columns of their own, `name=missing` ({where})."]


def _dropped(source: Source, used: tuple[str, ...], rows: int, where: str) -> str:
    """The sentence about rows left out."""
    number, first = incomplete(source, used, SHOWN)
    if rows - number < 2:
        raise DataError(
            f"Only {rows - number} of {rows} rows of {source.title} have no missing cell ({where}). "
            "Drop the columns that miss most, or choose missing='indicator'."
        )
    places = ", ".join(str(row) for row in first) + (", …" if number > len(first) else "")
    return f"{number} of {rows} rows with missing cells were dropped (rows {places}; missing cells: {where})."
