"""Pictures of a run: the schedule before it, its curves and its graph while it goes on. No Streamlit here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, pi, sin

import plotly.graph_objects as go

from pages._ui.colours import Colours
from pages._ui.running.snapshots import Report

CURVES = {"loss": "loss", "h": "h (cycles left)", "edges": "edges"}


def schedule_figure(lams: Sequence[float], deltas: Sequence[float], colours: Colours) -> go.Figure:
    """λ and δ step by step, on a logarithmic scale."""
    steps = list(range(1, len(lams) + 1))
    figure = go.Figure()
    for name, values, colour in (("λ", lams, colours.raises), ("δ", deltas, colours.lowers)):
        line = go.Scatter(x=steps, y=list(values), name=name, mode="lines+markers", line={"color": colour})
        line.hovertemplate = f"step %{{x}}: {name} = %{{y:.3g}}<extra></extra>"
        figure.add_trace(line)
    figure.update_yaxes(type="log", title=None, dtick=1)
    figure.update_xaxes(title="step", dtick=max(1, len(steps) // 8), tickformat="d")
    return _compact(figure, 190, legend=True)


def run_curve(history: Iterable[Report], quantity: str, colours: Colours) -> go.Figure:
    """A quantity of a run against time in seconds; `quantity` is a key of CURVES."""
    points = [(report.seconds, getattr(report, quantity), report.stage) for report in history]
    points = [point for point in points if point[1] == point[1]]  # not every stage has every quantity (NaN)
    figure = go.Figure(
        go.Scatter(
            x=[seconds for seconds, _, _ in points],
            y=[value for _, value, _ in points],
            text=[stage for _, _, stage in points],
            mode="lines",
            line={"color": colours.raises, "shape": "hv" if quantity == "edges" else "linear"},
            hovertemplate="%{y:.4g} after %{x:.1f} s<br>%{text}<extra></extra>",
        )
    )
    if quantity == "h" and any(value > 0 for _, value, _ in points):
        figure.update_yaxes(type="log", tickformat=".0e", nticks=4)
    figure.update_layout(title={"text": CURVES[quantity], "font": {"size": 13}, "x": 0, "xref": "paper"})
    figure.update_xaxes(title=None, ticksuffix=" s", nticks=5)
    return _compact(figure, 170)


def live_graph(names: Sequence[str], edges: Iterable[tuple[int, int]], colours: Colours) -> go.Figure:
    """The newest graph on a circle: nodes keep their places, so that one sees edges come and go."""
    count = len(names)
    place = [(sin(2 * pi * k / count), cos(2 * pi * k / count)) for k in range(count)]
    figure = go.Figure(
        go.Scatter(
            x=[x for x, _ in place],
            y=[y for _, y in place],
            mode="markers+text",
            marker={"size": 11, "color": colours.compelled},
            text=[_label(name) for name in names],
            textposition=[
                "top center" if y > 0.3 else "bottom center" if y < -0.3 else "middle right" for _, y in place
            ],
            hoverinfo="skip",
        )
    )
    for i, j in edges:
        (x0, y0), (x1, y1) = place[i], place[j]
        arrow = {"ax": x0, "ay": y0, "x": x1, "y": y1, "axref": "x", "ayref": "y", "xref": "x", "yref": "y", "text": ""}
        look = {"arrowhead": 3, "arrowsize": 1.2, "arrowwidth": 1.4, "standoff": 8, "startstandoff": 8}
        figure.add_annotation(**arrow, **look, arrowcolor=colours.compelled, showarrow=True)
    figure.update_xaxes(visible=False, range=[-1.5, 1.5])
    figure.update_yaxes(visible=False, range=[-1.3, 1.3])
    return _compact(figure, 320)


def _label(name: str) -> str:
    """A node's name as text: plotly reads a few HTML tags, so they are escaped; a long name is cut."""
    short = name if len(name) <= 18 else name[:17] + "…"
    return short.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _compact(figure: go.Figure, height: int, *, legend: bool = False) -> go.Figure:
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 28, "b": 8},
        showlegend=legend,
        legend={"orientation": "h", "y": 1.18, "x": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hovermode="closest",
        dragmode=False,
    )
    return figure
