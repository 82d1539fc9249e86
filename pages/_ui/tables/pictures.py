"""Pictures of a table: share of ones, and what goes together with what. No Streamlit here."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from binotears_core.data.table import BinaryData
from pages._ui.colours import Colours

Floats = npt.NDArray[np.float64]

MEASURES = {
    "φ": "φ: the correlation of two 0/1 columns, from −1 to 1; 0 means no pairwise association",
    "odds ratio": "odds ratio: how many times the odds of one change when the other is 1; 1 means no association",
}
_LONGEST = 26
_NUMBERS_UP_TO = 12  # columns; beyond, the numbers in the cells would overlap


def phi(data: BinaryData) -> Floats:
    """(p, p) φ_ij = (P(i, j) − P(i) P(j)) / √(P(i)(1 − P(i)) P(j)(1 − P(j)))."""
    both, each = _joint(data)
    spread = np.sqrt(each * (1.0 - each))
    matrix: Floats = (both - np.outer(each, each)) / np.outer(spread, spread)
    return matrix


def log_odds_ratio(data: BinaryData) -> Floats:
    """(p, p) log of P(1,1) P(0,0) / P(1,0) P(0,1), with half a row added to each cell (Haldane) against empty cells."""
    both, each = _joint(data)
    half = 0.5 / data.sample_size
    only_i, only_j = each[:, None] - both, each[None, :] - both
    neither = 1.0 - both - only_i - only_j
    cells = [np.maximum(cell, 0.0) + half for cell in (both, neither, only_i, only_j)]
    matrix: Floats = np.log(cells[0]) + np.log(cells[1]) - np.log(cells[2]) - np.log(cells[3])
    return matrix


def prevalence_figure(data: BinaryData, colours: Colours) -> go.Figure:
    """A bar per variable: the share of ones. Its rows stand beside those of `association_figure`."""
    share = data.prevalence
    bars = go.Bar(
        x=share,
        y=list(range(data.variables)),
        orientation="h",
        marker={"color": colours.raises, "line": {"width": 0}},
        text=[f"{value:.1%}" for value in share],
        textposition="outside",
        customdata=[label(name, None) for name in data.names],
        hovertemplate="%{customdata}: %{x:.2%} ones<extra></extra>",
        cliponaxis=False,
    )
    figure = go.Figure(bars)
    figure.update_xaxes(range=[0, 1.18], tickformat=".0%", tickvals=[0, 0.25, 0.5, 0.75, 1], gridcolor=colours.faint)
    _name_axis(figure, data)
    return _plain(figure, data)


def association_figure(data: BinaryData, measure: str, colours: Colours) -> go.Figure:
    """The lower triangle of all pairs; blue goes together, orange excludes one another. Names on the diagonal."""
    values = phi(data) if measure == "φ" else log_odds_ratio(data)
    hidden = np.triu(np.ones_like(values, dtype=bool))
    shown = np.where(hidden, np.nan, values)
    numbers = values if measure == "φ" else np.exp(values)
    reach = 1.0 if measure == "φ" else max(float(np.nanmax(np.abs(shown), initial=1.0)), 1.0)
    places = range(data.variables)
    cells = go.Heatmap(
        z=shown,
        zmin=-reach,
        zmax=reach,
        colorscale=[[0.0, colours.lowers], [0.5, colours.paper], [1.0, colours.raises]],
        text=[["" if hidden[i, j] else _short(numbers[i, j]) for j in places] for i in places],
        texttemplate="%{text}" if data.variables <= _NUMBERS_UP_TO else None,
        customdata=[[f"{label(a, None)} and {label(b, None)}" for b in data.names] for a in data.names],
        hovertemplate="%{customdata}: " + measure + " = %{text}<extra></extra>",
        hoverongaps=False,
        xgap=1,
        ygap=1,
        colorbar=_scale(measure, reach),
    )
    figure = go.Figure(cells)
    names = [label(name, 22) for name in data.names]
    look = {"xanchor": "left", "showarrow": False, "font": {"size": 12, "color": colours.compelled}}
    # All at once: plotly checks the whole picture again for each one added.
    figure.layout.annotations = [{"text": name, "x": k - 0.4, "y": k, **look} for k, name in enumerate(names)]
    figure.update_xaxes(visible=False, range=[-0.5, _room(names)])
    figure.update_yaxes(visible=False, range=[data.variables - 0.5, -0.5])
    return _plain(figure, data)


def _room(names: list[str], width: float = 470.0, letter: float = 6.8) -> float:
    """Where the x axis must end so that the names on the diagonal fit a picture of this width, in px."""
    end = len(names) - 0.5
    for _ in range(8):  # the more room, the narrower a column, the more columns a name covers
        end = max(end, *(place - 0.4 + letter * len(name) * end / width for place, name in enumerate(names)))
    return end


def label(name: str, longest: int | None = _LONGEST) -> str:
    """A name as text (plotly reads a few HTML tags); a long one is cut in the middle, where names differ least."""
    line = " ".join(name.split())
    if longest is not None and len(line) > longest:
        line = f"{line[: longest // 2]}…{line[-(longest - longest // 2 - 1) :]}"
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _joint(data: BinaryData) -> tuple[Floats, Floats]:
    """(p, p) share of rows where both are 1, and (p,) where each is."""
    bits = data.patterns.astype(np.float64)
    return (bits * data.weights[:, None]).T @ bits, data.prevalence


def _short(value: float) -> str:
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−") if abs(value) < 99.5 else f"{value:.0f}"


def _scale(measure: str, reach: float) -> dict[str, object]:
    """The colour bar; log-odds ratios are labelled as odds ratios."""
    ticks = np.linspace(-reach, reach, 5)
    text = [_short(value if measure == "φ" else float(np.exp(value))) for value in ticks]
    return {
        "tickvals": ticks, "ticktext": text, "thickness": 8, "outlinewidth": 0, "len": 0.6, "orientation": "h",
        "x": 0, "xanchor": "left", "y": 0, "yanchor": "top", "ypad": 4,
    }  # fmt: skip


def _name_axis(figure: go.Figure, data: BinaryData) -> None:
    names = [label(name) for name in data.names]
    ticks = {"tickvals": list(range(data.variables)), "ticktext": names, "showgrid": False, "zeroline": False}
    figure.update_yaxes(**ticks, range=[data.variables - 0.5, -0.5], ticks="", automargin=True)


def _plain(figure: go.Figure, data: BinaryData) -> go.Figure:
    """Rows of equal height in both pictures, whatever is below them."""
    top, bottom = 10, 34
    figure.update_layout(
        height=top + bottom + max(30 * data.variables, 120),
        margin={"l": 8, "r": 26, "t": top, "b": bottom},
        bargap=0.4,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        dragmode=False,
    )
    return figure
