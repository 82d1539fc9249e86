"""From a file or a pandas table to a `BinaryData`, with a record of every choice.

    look      which values does each column hold, how many cells are missing?
    decide    one rule per column (the `Recipe`), or an error that names the place and the remedy
    count     how often does each pattern of bits occur?

The table is read in pieces, once to look and once to count, so a file may be larger than memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from binotears_core.data.binarise import CUTS, Choice, Rule, find_rule, positive_rule
from binotears_core.data.columns import MANY_NUMBERS, Column, Summary, short
from binotears_core.data.examining import Examined, examine
from binotears_core.data.inspecting import inspect
from binotears_core.data.options import LoadOptions, Missing, WeightsKind
from binotears_core.data.patterns import PatternCounter
from binotears_core.data.reading import Readable, open_source
from binotears_core.data.recipe import Recipe
from binotears_core.data.rows import Look, Rows
from binotears_core.data.sources import FrameSource, Source, first_row
from binotears_core.data.table import BinaryData, Bits, Floats, check_names
from binotears_core.errors import DataError, OptionError

__all__ = ["from_frame", "inspect", "load"]


def load(
    path: Readable,
    *,
    binarise: Choice | Mapping[str, Choice] | None = None,
    missing: Missing = "refuse",
    weights: str | None = None,
    weights_kind: WeightsKind = "auto",
    drop: Iterable[str] = (),
    positive: Mapping[str, Any] | None = None,
    sheet: str | int | None = None,
    header: bool | None = None,
    name: str | None = None,
    recipe: Recipe | None = None,
) -> BinaryData:
    """Read CSV, TSV, Parquet or Excel into a binary table; the first six options are explained at `LoadOptions`.

    `path` may be an open file, with `name` for its file name. `sheet` chooses an Excel sheet; `header` says whether the
    first line holds names (found out when not given). `recipe` repeats the choices of an earlier load instead.
    """
    options = LoadOptions(
        binarise=binarise, missing=missing, weights=weights, weights_kind=weights_kind, drop=drop, positive=positive
    )
    if recipe is not None:
        sheet, header = recipe.sheet, recipe.header
    source = open_source(path, name=name, sheet=sheet, header=header)
    return _prepare(source, options, recipe, sheet=sheet, header=header)


def from_frame(frame: pd.DataFrame, *, recipe: Recipe | None = None, **options: Any) -> BinaryData:
    """Prepare a pandas table as if it were a file; `options` are those of `LoadOptions`."""
    return _prepare(FrameSource(frame), LoadOptions(**options), recipe)


def _prepare(source: Source, options: LoadOptions, recipe: Recipe | None, **reading: Any) -> BinaryData:
    """Find a recipe, or follow the one that is given."""
    if recipe is None:
        examined = examine(source, options)
        rules = tuple(_find_rule(name, examined.seen.summaries[name], source, options) for name in examined.rows.names)
    else:
        if options != LoadOptions():
            raise OptionError("A recipe holds all choices already. Leave out the other options.")
        options = _options_of(recipe, source)
        examined = examine(source, options)
        rules = recipe.rules
        _check_rules(rules, examined)
    recipe = Recipe(
        rules=rules, missing=options.missing, weights=options.weights, weights_kind=examined.weights_kind, **reading
    )
    return _count(examined, recipe)


def _find_rule(name: str, summary: Summary, source: Source, options: LoadOptions) -> Rule:
    """The rule for one column, with an output that marks its missing cells when they are to be marked."""
    if name in options.ones:
        rule = positive_rule(name, summary, options.ones[name])
    else:
        rule = find_rule(name, summary, options.rules.get(name), options.default, partial(first_row, source))
    if options.missing == "indicator" and summary.missing:
        return replace(rule, outputs=(*rule.outputs, f"{name}=missing"), missing=f"{name}=missing")
    return rule


def _options_of(recipe: Recipe, source: Source) -> LoadOptions:
    """The options under which a recipe looks at a table."""
    columns = [rule.column for rule in recipe.rules]
    for name in columns if recipe.weights is None else [*columns, recipe.weights]:
        if name not in source.names:
            raise DataError(f"The recipe needs a column '{name}', which {source.title} does not have.")
    unused = [name for name in source.names if name not in columns and name != recipe.weights]
    return LoadOptions(missing=recipe.missing, weights=recipe.weights, weights_kind=recipe.weights_kind, drop=unused)


def _check_rules(rules: Sequence[Rule], examined: Examined) -> None:
    """A recipe made for one table must fit the other."""
    source = examined.rows.source
    for rule in rules:
        if rule.column not in examined.rows.names:
            raise DataError(f"The recipe needs a column '{rule.column}', which has no values in {source.title}.")
        rule.check(examined.seen.summaries[rule.column], partial(first_row, source))


def _count(examined: Examined, recipe: Recipe) -> BinaryData:
    """Read the rows once more and count their patterns."""
    rows, rules = examined.rows, recipe.rules
    names = [output for rule in rules for output in rule.outputs]
    check_names(names)
    patterns, totals, squares = _tally(rows, rules)
    number, size, weighing = _size(examined, totals, squares, recipe)
    varying = np.flatnonzero(patterns.min(axis=0) != patterns.max(axis=0))
    kept = [names[place] for place in varying]
    if not kept:
        raise DataError(
            f"Every column of {rows.source.title} is constant, so it shows no dependence. Give other columns."
        )
    data = BinaryData.from_counts(
        patterns[:, varying],
        totals,
        kept,
        rows=number,
        sample_size=size,
        groups=[group for rule in rules if len(group := [name for name in rule.outputs if name in kept]) > 1],
        record=(*examined.record, *_describe(rules, examined.seen), *weighing, *_constants(rules, kept)),
    )
    return replace(data, recipe=recipe)


def _tally(rows: Rows, rules: Sequence[Rule]) -> tuple[Bits, Floats, float]:
    """Distinct patterns, their total weights, and the sum of squares of all weights."""
    counter = PatternCounter(sum(len(rule.outputs) for rule in rules))
    squares = 0.0
    for piece, weights in rows.pieces():
        counter.add(np.hstack([_bits(rule, piece[rule.column]) for rule in rules]), weights)
        squares = float(np.cumsum(np.append(squares, weights**2))[-1])  # one after the other, as in the counter
    return *counter.result(), squares


def _bits(rule: Rule, column: Column) -> Bits:
    """(n, outputs) bits of one column of a piece."""
    targets = rule.targets(column)
    switched: Bits = (targets[:, None] == np.arange(len(rule.outputs))).astype(np.uint8)
    return switched[column.codes]


def _size(examined: Examined, totals: Floats, squares: float, recipe: Recipe) -> tuple[int, float, list[str]]:
    """Number of rows, the n of a penalty (Kish's (Σw)²/Σw² under survey weights), and what to say about weights."""
    read, total = examined.seen.rows, float(totals.sum())
    if recipe.weights is None:
        return read, float(read), []
    start = f"Row weights come from column '{recipe.weights}'"
    if recipe.weights_kind == "counts":
        return round(total), total, [f"{start}, taken as counts: {read} rows of the table stand for {round(total)}."]
    size = total**2 / squares
    return read, size, [f"{start}, taken as survey weights: {read} rows are worth {size:.1f} of equal weight (Kish)."]


def _describe(rules: Sequence[Rule], seen: Look) -> list[str]:
    """One sentence per column that was changed, and one for all that were taken as they are."""
    plain = [rule.column for rule in rules if rule.how == "as it is"]
    sentences = [f"Taken as they are (0/1, true/false or yes/no): {', '.join(plain)}."] if plain else []
    for rule in rules:
        if rule.how in ("as it is", "constant"):
            continue
        sentences.append(rule.sentence())
        if rule.how in CUTS and seen.summaries[rule.column].thinned:
            sentences.append(
                f"The cut of '{rule.column}' is close but not exact: of more than {MANY_NUMBERS} different values, "
                "neighbouring ones were taken together."
            )
    return sentences


def _constants(rules: Sequence[Rule], kept: Sequence[str]) -> list[str]:
    """What to say about outputs that are the same in every row."""
    sentences = []
    for rule in rules:
        for output in (output for output in rule.outputs if output not in kept):
            value = f" ({short(rule.values[0][0])})" if rule.how == "constant" and rule.values else ""
            sentences.append(f"Column '{output}' is the same in every row{value} and was kept out.")
    return sentences
