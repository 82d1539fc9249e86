"""What is in a table, before anything is decided."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from binotears_core.data.binarise import MANY_LEVELS, find_rule, kind_of
from binotears_core.data.columns import Summary
from binotears_core.data.reading import Readable, open_source
from binotears_core.data.rows import Rows, look
from binotears_core.data.sources import FrameSource, Source

COLUMNS = ["name", "kind", "distinct", "missing", "becomes_one", "suggested"]
SUGGESTED = {"numeric": "median", "categorical": "indicators", "constant": "drop", "empty": "drop"}


def inspect(
    table: Readable | pd.DataFrame,
    *,
    name: str | None = None,
    sheet: str | int | None = None,
    header: bool | None = None,
) -> pd.DataFrame:
    """One row per column: name, kind, distinct values, missing cells, what would become 1, and the rule for that.

    kind is binary (0/1, true/false, yes/no), two-valued, numeric, categorical, constant or empty. `suggested` is empty
    where no rule is needed, else a rule for `load(…, binarise={name: suggested})`.
    """
    if isinstance(table, pd.DataFrame):
        source: Source = FrameSource(table)
    else:
        source = open_source(table, name=name, sheet=sheet, header=header)
    seen = look(Rows(source=source, names=source.names))
    return pd.DataFrame([_describe(column, summary) for column, summary in seen.summaries.items()], columns=COLUMNS)


def _describe(name: str, summary: Summary) -> tuple[object, ...]:
    kind = kind_of(summary)
    suggested = SUGGESTED.get(kind, "")
    if suggested == "indicators" and summary.distinct > MANY_LEVELS:
        suggested = "drop"
    return name, kind, summary.distinct, summary.missing, _becomes_one(name, summary, suggested), suggested


def _becomes_one(name: str, summary: Summary, suggested: str) -> str:
    if suggested == "drop":
        return ""
    rule = find_rule(name, summary, suggested or None, None, _nowhere)
    if rule.cut is not None:
        return f"above {rule.cut:.6g}"
    return ", ".join(label for label, output in rule.values if output is not None)


def _nowhere(name: str, test: Callable[[str], bool]) -> tuple[int, str]:
    raise AssertionError("suggested rules fit their column")
