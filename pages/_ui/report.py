"""A run as one HTML file: what went in, what was chosen, what came out. No Streamlit here.

The file loads nothing and runs nothing (its own policy forbids both), so it can be mailed and printed. Every word of
the user goes through `text`; pictures come from `graphview.svg`, which escapes for itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape
from typing import Any

from binotears_core.archive import SavedData
from binotears_core.errors import OptionError
from binotears_core.exporting.result_json import plain
from binotears_core.graph.metrics import compare
from binotears_core.results import FitResult
from pages._ui.graphview.drawing import class_picture, dag_picture
from pages._ui.graphview.effects import of_result
from pages._ui.graphview.known import known_class
from pages._ui.graphview.picture import Picture
from pages._ui.graphview.svg import IN_APP, svg
from pages._ui.repeating import python_code, shell_code
from pages._ui.repeating.python_code import changed, literal
from pages._ui.tables.preparing import variables_table
from pages._ui.words import steady

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root {{ color-scheme: light dark; --ink: light-dark(#1F2937,#E5E7EB); --faint: light-dark(#D7DCE3,#3A4352); }}
body {{ font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: light-dark(#fff,#14181F);
  max-width: 60rem; margin: 2rem auto 4rem; padding: 0 1.2rem; overflow-wrap: anywhere; }}
h1 {{ font-size: 1.8rem; margin: 0 }} h2 {{ font-size: 1.25rem; margin: 2.4rem 0 .6rem; }}
h3 {{ font-size: 1rem; margin: 1.6rem 0 .3rem }} .soft {{ opacity: .72 }} .wide {{ overflow-x: auto }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }}
th, td {{ padding: .22rem 1rem .22rem 0; border-bottom: 1px solid var(--faint); text-align: left; vertical-align: top }}
th {{ font-weight: 600 }} th.n, .n {{ text-align: right; white-space: nowrap }}
svg {{ max-width: 100%; height: auto; border: 1px solid var(--faint); border-radius: 8px }}
pre {{ background: light-dark(#F3F5F8,#1E242E); padding: .8rem 1rem; border-radius: 8px; overflow-x: auto;
  font-size: .85rem; overflow-wrap: normal }}
@media print {{ :root {{ color-scheme: light }} body {{ margin: 0 }}
  h2, h3 {{ break-after: avoid }} svg, table {{ break-inside: avoid }} }}
</style></head><body>
{body}
</body></html>
"""


def report_html(saved: SavedData, run: str, result: FitResult, when: datetime) -> str:
    """The whole report; `run` is the name of the run."""
    heading = f"<h1>{text(run)}</h1><p class='soft'>BiNOTEARS on {text(saved.name)}, {when:%Y-%m-%d %H:%M}</p>"
    parts = [
        heading,
        f"<p>{text(result.status.message)}</p>",
        _graph(saved, result),
        _class(saved, result),
        _coefficients(result),
        *([_truths(saved, result)] if saved.truths else []),
        _data(saved),
        _choices(result),
        _code(saved, result),
    ]
    return _PAGE.format(title=text(f"{run} · BiNOTEARS"), body="\n".join(parts))


def text(words: object) -> str:
    """Anything as text, never as HTML."""
    return escape(steady(str(words))).replace("\x00", "\ufffd")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Numbers and their titles to the right, everything escaped."""
    listed = [tuple(row) for row in rows]
    numeric = [isinstance(value, int | float) for value in listed[0]] if listed else [False] * len(head)
    aligned = zip(head, numeric, strict=True)
    titles = "".join(f"<th{' class=n' if right else ''}>{text(title)}</th>" for title, right in aligned)
    lines = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in listed)
    return f"<div class='wide'><table><tr>{titles}</tr>{lines}</table></div>"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"<td class='n'>{_number(value)}</td>"
    return f"<td class='n'>{value}</td>" if isinstance(value, int) else f"<td>{text(value)}</td>"


def _number(value: float) -> str:
    """Two decimals for small numbers; powers of ten where that would say nothing, a dash for what is not known."""
    if not math.isfinite(value):
        return "–"
    size = abs(value)
    return (f"{value:.2f}" if size < 1e3 else f"{value:,.0f}" if size < 1e6 else f"{value:.1e}").replace("-", "−")


def _picture(picture: Picture) -> str:
    return svg(picture, IN_APP)


def _graph(saved: SavedData, result: FitResult) -> str:
    members = known_class(result.adjacency, saved.data, result)
    shares = [float(share) for share in saved.data.prevalence]
    picture = dag_picture(of_result(result), shares=shares, members=members)
    rows = [(source, target, strength) for source, target, strength in result.edges]
    return f"<h2>Graph</h2>{_picture(picture)}<h3>Edges</h3>{table(['From', 'To', 'Strength'], rows)}"


def _class(saved: SavedData, result: FitResult) -> str:
    """What the data can and cannot tell, and what was known."""
    members = known_class(result.adjacency, saved.data, result)
    count = f"{members.count:,}" if members.count < 10**15 else f"about {float(members.count):.2g}"
    words = (
        f"<p>{count} {'graph is' if members.count == 1 else 'graphs are'} equally compatible with the data "
        f"{'and with what was known ' if members.locks else ''}(the Markov equivalence class). "
        f"{len(members.compelled)} edges have the same direction in all of them; "
        f"the direction of {len(members.reversible)} cannot be told.</p>"
    )
    sentences = "".join(f"<li>{text(share.sentence)}</li>" for share in members.shares)
    listed = f"<ul>{sentences}</ul>" if sentences else ""
    return f"<h2>Equivalence class</h2>{words}{_picture(class_picture(members))}{listed}"


def _coefficients(result: FitResult) -> str:
    """A table per variable that has causes."""
    parts = ["<h2>Coefficients</h2><p class='soft'>Log-odds of an unpenalised fit along the graph.</p>"]
    columns = ["log_odds", "std_error", "odds_ratio", "probability_change"]
    head = ["Term", "Log-odds", "Std. error", "Odds ratio", "Change in probability"]
    for node in result.names:
        own = result.coefficients[result.coefficients["node"] == node].to_dict("records")
        if len(own) > 1:
            rows = [(" × ".join(one["term"]) or "constant", *(float(one[c]) for c in columns)) for one in own]
            parts.append(f"<h3>{text(node)}</h3>{table(head, rows)}")
    return "".join(parts)


def _truths(saved: SavedData, result: FitResult) -> str:
    rows = []
    for title, truth in saved.truths.items():
        found = compare(truth, result.adjacency)
        rows.append((title, found.edges_true, found.shd_cpdag, found.shd_dag, found.precision, found.recall))
    head = ["Known graph", "Edges", "SHD, classes", "SHD, arrows", "Precision", "Recall"]
    return f"<h2>Against what is known</h2>{table(head, rows)}"


def _data(saved: SavedData) -> str:
    data = saved.data
    size = f"{data.rows:,} rows, {data.variables} variables, {len(data.patterns):,} distinct patterns"
    record = "".join(f"<li>{text(sentence)}</li>" for sentence in data.record)
    columns = variables_table(data)
    rows = columns.itertuples(index=False, name=None)
    return f"<h2>Data</h2><p>{size}.</p><ul>{record}</ul>{table(list(columns.columns), rows)}"


def _choices(result: FitResult) -> str:
    """What was changed from the defaults, what each step gave, and the full list of options."""
    chosen = changed(result.options) if result.options is not None else {}
    listed = "".join(f"<li><code>{text(name)} = {text(literal(value))}</code></li>" for name, value in chosen.items())
    own = f"<ul>{listed}</ul>" if listed else "<p>All options have their defaults.</p>"
    notes = "".join(f"<li>{text(note)}</li>" for note in result.notes)
    steps = [(one.name, int(one.adjacency.sum()), one.score, one.seconds, one.message) for one in result.stages]
    stages = table(["Step", "Edges", "Score", "Seconds", "What it did"], steps)
    everything = table(["Option", "Value"], sorted(_flat(plain(result.options))))
    details = f"<details><summary>All options</summary>{everything}</details>"
    return f"<h2>Choices</h2>{own}{stages}<ul>{notes}</ul>{details}"


def _flat(tree: Any, path: str = "") -> list[tuple[str, str]]:
    """Nested options as (path, value) lines."""
    if isinstance(tree, dict):
        return [line for key, value in tree.items() for line in _flat(value, f"{path}.{key}" if path else key)]
    return [(path, str(tree))]


def _code(saved: SavedData, result: FitResult) -> str:
    try:
        shell = f"<pre>{text(shell_code(saved, result))}</pre>"
    except OptionError as error:
        shell = f"<p class='soft'>{text(error)}</p>"
    python = f"<pre>{text(python_code(saved, result))}</pre>"
    return f"<h2>The same again</h2><h3>Python</h3>{python}<h3>Command line</h3>{shell}"
