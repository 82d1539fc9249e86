"""From a file and the user's choices per column to the options of `bn.load`. No Streamlit here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd

from binotears_core.data.binarise import Rule
from binotears_core.data.inspecting import inspect
from binotears_core.data.loading import load
from binotears_core.data.options import Missing, WeightsKind
from binotears_core.data.reading import open_source
from binotears_core.data.rows import incomplete
from binotears_core.data.sources import Source
from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError, OptionError

AS_IT_IS, ABOVE, VALUE = "as it is", "above a number", "one value"
# What the table of columns offers → a rule of `bn.load`.
RULES: dict[str, str | None] = {
    AS_IT_IS: None,
    "median": "median",
    "mean": "mean",
    "log-mean": "log-mean",
    "mixture": "mixture",
    ABOVE: None,
    VALUE: None,
    "indicators": "indicators",
    "leave out": "drop",
}
HELP = (
    "as it is: 0/1, yes/no or two values · median, mean, log-mean, mixture: numbers above that cut become 1 · "
    "above a number, one value: write it beside · indicators: one 0/1 column per level but one · leave out"
)
COLUMN, KIND, MISSING, RULE, OPERAND = "Column", "It is", "Missing", "Rule", "Cut or value"
HEAD_ROWS = 50
_IDENTIFIER = re.compile(r"(^|[ _.-])(id|index|key|no|nr|number|row|case)$", re.IGNORECASE)


@dataclass(frozen=True)
class FirstLook:
    """What is in a file before anything is decided: its columns, its first rows, its number of rows."""

    columns: pd.DataFrame
    head: pd.DataFrame
    rows: int
    note: str


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What the user decided. `rules` maps a column to its rule and, where the rule needs one, a number or value."""

    rules: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    missing: Missing = "refuse"
    weights: str | None = None
    weights_kind: WeightsKind = "auto"
    sheet: str | None = None
    header: bool | None = None

    def options(self) -> dict[str, Any]:
        """Keyword arguments of `bn.load`, without those that say nothing."""
        binarise: dict[str, str | float] = {}
        positive, drop = {}, []
        for column, (rule, operand) in self.rules.items():
            if column == self.weights:
                continue
            if rule == ABOVE:
                binarise[column] = _number(column, operand)
            elif rule == VALUE:
                positive[column] = _value(column, operand)
            elif RULES[rule] == "drop":
                drop.append(column)
            elif (known := RULES[rule]) is not None:
                binarise[column] = known
        chosen = {"binarise": binarise, "positive": positive, "drop": drop, "weights": self.weights}
        if self.weights is not None:
            chosen["weights_kind"] = self.weights_kind
        chosen |= {"missing": self.missing, "sheet": self.sheet, "header": self.header}
        return {name: value for name, value in chosen.items() if value not in ({}, [], None, "refuse")}

    def used(self, columns: pd.DataFrame) -> tuple[str, ...]:
        """Columns whose missing cells count: neither left out nor empty."""
        filled = columns["name"][columns["distinct"] > 0]
        return tuple(name for name in filled if RULES[self.rules.get(name, (AS_IT_IS, ""))[0]] != "drop")


def first_look(content: bytes, name: str, sheet: str | None, header: bool | None) -> FirstLook:
    """Read a file once; raises DataError in one sentence when it cannot be read."""
    source = open_source(BytesIO(content), name=name, sheet=sheet, header=header)
    columns = inspect(BytesIO(content), name=name, sheet=sheet, header=header)
    return FirstLook(columns, _head(source), _rows(source), source.note)


def sheets(content: bytes) -> tuple[str, ...]:
    """Names of the sheets of an Excel file."""
    import openpyxl  # slow to import, and few tables need it

    try:
        return tuple(openpyxl.load_workbook(BytesIO(content), read_only=True).sheetnames)
    except (BadZipFile, OSError, KeyError, ValueError):
        raise DataError("The file is not a readable Excel file. Save it again as .xlsx or CSV.") from None


def prepare(content: bytes, name: str, choices: Choices) -> BinaryData:
    """The binary table that the choices make of a file."""
    return load(BytesIO(content), name=name, **choices.options())


def complete_rows(content: bytes, name: str, look: FirstLook, choices: Choices) -> int:
    """How many rows have a value in every column that is used."""
    source = open_source(BytesIO(content), name=name, sheet=choices.sheet, header=choices.header)
    used = choices.used(look.columns)
    return look.rows - incomplete(source, used, 0)[0] if used else look.rows


def editor_frame(look: FirstLook) -> pd.DataFrame:
    """The table the user edits: what each column is (with its number of values), and the rule suggested for it."""
    suggested = {"": AS_IT_IS, "drop": "leave out"}
    rows = []
    for column in look.columns.to_dict("records"):
        rule = suggested.get(column["suggested"], column["suggested"])
        kind = column["kind"] + (f", {column['distinct']}" if column["kind"] in ("numeric", "categorical") else "")
        if column["distinct"] == look.rows and _IDENTIFIER.search(column["name"]):
            kind, rule = "identifier", "leave out"
        rows.append((column["name"], kind, rule, "", column["missing"]))
    return pd.DataFrame(rows, columns=[COLUMN, KIND, RULE, OPERAND, MISSING])


def rules_of(edited: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """The rules in an edited table."""
    cells = zip(edited[COLUMN], edited[RULE], edited[OPERAND], strict=True)
    return {name: (rule or AS_IT_IS, "" if pd.isna(operand) else str(operand).strip()) for name, rule, operand in cells}


def variables_table(data: BinaryData) -> pd.DataFrame:
    """One row per 0/1 variable: its name, what its 1 means, and the share of ones."""
    meaning = {out: _meaning(rule, out) for rule in (data.recipe.rules if data.recipe else ()) for out in rule.outputs}
    return pd.DataFrame(
        {
            "Variable": data.names,
            "1 means": [meaning.get(name, "1") for name in data.names],
            "Share of ones": data.prevalence,
        }
    )


def pattern_table(data: BinaryData, most: int = 12) -> pd.DataFrame:
    """The most frequent rows and how often they occur."""
    order = np.argsort(-data.weights, kind="stable")[:most]
    table = pd.DataFrame(data.patterns[order], columns=list(data.names))
    # A place among the columns cannot collide with a variable that is called "rows" too.
    return table.set_axis([f"{data.counts[k]:.4g}" for k in order], axis=0)


def _meaning(rule: Rule, output: str) -> str:
    if output == rule.missing:
        return "missing"
    if rule.cut is not None:
        return f"above {rule.cut:.4g}"
    return ", ".join(label for label, target in rule.values if target == output)


def _number(column: str, operand: str) -> float:
    try:
        number = float(operand.replace(",", "."))
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise OptionError(f"Column '{column}' is to be cut at a number, but none is given. Write it beside the rule.")
    return number


def _value(column: str, operand: str) -> str:
    if not operand:
        raise OptionError(f"Say which value of column '{column}' becomes 1. Write it beside the rule.")
    return operand


def _head(source: Source) -> pd.DataFrame:
    """The first rows as read, as text."""
    piece = next(iter(source.pieces(source.names)))
    columns = []
    for column in piece.values():
        labels = column.labels()
        columns.append([labels[code] for code in column.codes[:HEAD_ROWS]])
    return pd.DataFrame(dict(enumerate(columns))).set_axis(list(source.names), axis=1)


def _rows(source: Source) -> int:
    first = source.names[:1]
    return sum(len(piece[first[0]]) for piece in source.pieces(first))
