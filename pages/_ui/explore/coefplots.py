"""Plots of one variable's regression: its coefficients with intervals, and what it predicts against what was seen.

No Streamlit here. Names are escaped, because plotly reads a few HTML tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from binotears_core.explain.coefficients import NodeFit
from pages._ui.colours import Colours

Floats = npt.NDArray[np.float64]

LEVEL = 1.96
MOST_TERMS, MOST_SETTINGS = 40, 48
LONGEST = 28


def label(name: str, longest: int = LONGEST) -> str:
    """A name as plotly text: no tag, cut with …"""
    line = " ".join(name.split())
    return escape(line if len(line) <= longest else line[: longest - 1] + "…", quote=False)


def term_label(term: Sequence[str]) -> str:
    """A product of names; () is the constant."""
    return " × ".join(label(name, max(8, LONGEST // len(term))) for name in term) if term else "(constant)"


def coefficient_figure(fit: NodeFit, without: NodeFit | None, colours: Colours) -> go.Figure:
    """Log-odds with 95 % intervals, largest order below; with `without`, also those of a model without interactions."""
    size = {term: abs(float(value)) for term, value in zip(fit.terms, fit.log_odds, strict=True) if term}
    terms = sorted(size, key=lambda term: -size[term])[:MOST_TERMS]
    terms += [term for term in (without.terms if without else ()) if term and term not in size]
    rows = {term: place for place, term in enumerate(sorted(terms, key=lambda term: (len(term), _place(fit, term))))}
    limit = max(_limit(one, rows) for one in (fit, without) if one is not None)
    figure = go.Figure()
    figure.add_vline(x=0, line={"color": colours.missing, "width": 1})
    if without is not None:
        figure.add_trace(_series(without, rows, limit, "without interactions", colours.missing, "x-thin", 0.24))
    for order in sorted({len(term) for term in size}):
        name = {1: "alone", 2: "in pairs"}.get(order, f"{order} together")
        colour = colours.raises if order == 1 else colours.interaction
        part = {term: place for term, place in rows.items() if len(term) == order}
        figure.add_trace(_series(fit, part, limit, name, colour, "circle" if order == 1 else "diamond", 0.0))
    figure.update_yaxes(
        tickvals=list(rows.values()), ticktext=[term_label(term) for term in rows], range=[len(rows) - 0.4, -0.6],
        showgrid=False, zeroline=False, automargin=True,
    )  # fmt: skip
    figure.update_xaxes(
        title="log-odds, with 95 % interval", range=[-limit * 1.08, limit * 1.08], zeroline=False, showgrid=True
    )
    return _dressed(figure, 110 + 30 * max(len(rows), 2), colours)


def _place(fit: NodeFit, term: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(fit.parents.index(name) for name in term)


def prediction_figure(fit: NodeFit, without: NodeFit | None, colours: Colours) -> go.Figure:
    """For every setting of the causes: a row of dots (filled = 1), the probability predicted and the one observed."""
    order = np.argsort(-fit.counts, kind="stable")[:MOST_SETTINGS]
    order = order[np.argsort(fit.predicted[order], kind="stable")]
    places = list(range(len(order)))
    share = min(0.06 * len(fit.parents) + 0.04, 0.5)
    figure = make_subplots(rows=1, cols=2, shared_yaxes=True, column_widths=[share, 1 - share], horizontal_spacing=0.02)
    settings = fit.configurations[order]
    for column, cause in enumerate(fit.parents):
        figure.add_trace(_dots(column, settings[:, column], cause, colours), row=1, col=1)
    figure.add_trace(_observed(fit, order, colours), row=1, col=2)
    if without is not None:
        figure.add_trace(
            _predicted(without, order, "without interactions", colours.missing, "x-thin-open"), row=1, col=2
        )
    figure.add_trace(_predicted(fit, order, "predicted", colours.raises, "circle"), row=1, col=2)
    names = [label(name, 18) for name in fit.parents]
    figure.update_xaxes(
        tickvals=list(range(len(names))), ticktext=names, tickangle=-90, side="top", showgrid=False, row=1, col=1
    )
    figure.update_xaxes(
        range=[-0.02, 1.02], tickformat=".0%", title="probability of 1", zeroline=False, showgrid=True, row=1, col=2
    )
    figure.update_xaxes(range=[-0.6, len(names) - 0.4], zeroline=False, row=1, col=1)
    figure.update_yaxes(visible=False, range=[len(places) - 0.4, -0.6])
    top = 20 + 7 * max(len(name) for name in names)
    return _dressed(figure, 90 + top + 24 * max(len(places), 2), colours, top=top)


def observed_interval(ones: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Wilson's 95 % interval of a frequency: sensible also at 0 and 1 and for few rows."""
    share, z = ones / counts, LEVEL**2
    middle = (share + z / (2 * counts)) / (1 + z / counts)
    half = LEVEL / (1 + z / counts) * np.sqrt(share * (1 - share) / counts + z / (4 * counts**2))
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


def _limit(fit: NodeFit, rows: Mapping[tuple[str, ...], int]) -> float:
    """Half the width of the axis: what the data determine must fit in; the rest may stick to the edge."""
    there = [(abs(float(h)), float(e)) for term, h, e in _rows_of(fit) if term in rows]
    ends = [h + LEVEL * e for h, e in there if np.isfinite(e)]
    return max(0.5, max(ends, default=0.0) or max((h for h, _ in there), default=1.0))


def _rows_of(fit: NodeFit) -> Iterator[tuple[tuple[str, ...], float, float]]:
    return zip(fit.terms, fit.log_odds.tolist(), fit.std_error.tolist(), strict=True)


def _series(
    fit: NodeFit, rows: Mapping[tuple[str, ...], int], limit: float, name: str, colour: str, symbol: str, below: float
) -> go.Scatter:
    found = [(rows[term] + below, h, e) for term, h, e in _rows_of(fit) if term in rows]
    known = [bool(np.isfinite(e)) for _, _, e in found]
    bars = [LEVEL * e if np.isfinite(e) else 0.0 for _, _, e in found]
    return go.Scatter(
        x=[float(np.clip(h, -limit, limit)) for _, h, _ in found],
        y=[place for place, _, _ in found],
        error_x={"array": bars, "thickness": 1.6, "width": 3},
        mode="markers",
        name=name,
        text=[
            f"{h:+.2f} ± {e:.2f}" if ok else f"{h:+.2f}, not determined by the data"
            for (_, h, e), ok in zip(found, known, strict=True)
        ],
        marker={
            "color": colour,
            "size": 9,
            "symbol": [symbol if ok else f"{symbol}-open" for ok in known],
            "line": {"color": colour, "width": 2},
        },
        hovertemplate="%{text}<extra></extra>",
    )


def _dots(column: int, values: npt.NDArray[np.uint8], cause: str, colours: Colours) -> go.Scatter:
    return go.Scatter(
        x=[column] * len(values),
        y=list(range(len(values))),
        mode="markers",
        marker={"size": 9, "color": [colours.compelled if value else colours.faint for value in values]},
        text=[f"{label(cause)} = {value}" for value in values],
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
    )


def _observed(fit: NodeFit, order: npt.NDArray[np.intp], colours: Colours) -> go.Scatter:
    share, counts = fit.observed[order], fit.counts[order]
    low, high = observed_interval(share * counts, counts)
    bars = {"array": high - share, "arrayminus": share - low, "symmetric": False, "thickness": 1.2, "width": 0}
    return go.Scatter(
        x=share,
        y=list(range(len(order))),
        error_x={"type": "data", **bars, "color": colours.missing},
        mode="markers",
        name="observed, with 95 % interval",
        marker={"symbol": "line-ns-open", "size": 12, "color": colours.compelled, "line": {"width": 2}},
        text=[f"observed {value:.1%} of {number:,.0f} rows" for value, number in zip(share, counts, strict=True)],
        hovertemplate="%{text}<extra></extra>",
    )


def _predicted(fit: NodeFit, order: npt.NDArray[np.intp], name: str, colour: str, symbol: str) -> go.Scatter:
    return go.Scatter(
        x=fit.predicted[order],
        y=list(range(len(order))),
        mode="markers",
        name=name,
        marker={
            "symbol": symbol,
            "size": 9,
            "color": colour,
            "line": {"width": 2 if symbol.startswith("x") else 0, "color": colour},
        },
        hovertemplate=f"{name} %{{x:.1%}}<extra></extra>",
    )


def _dressed(figure: go.Figure, height: int, colours: Colours, *, top: int = 12) -> go.Figure:
    figure.update_xaxes(gridcolor=colours.faint)
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 12, "t": top, "b": 78},
        legend={"orientation": "h", "yref": "container", "y": 0.0, "yanchor": "bottom", "x": 0.0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hovermode="closest",
        dragmode=False,
    )
    return figure
