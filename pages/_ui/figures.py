"""Charts: data → plotly figures. No Streamlit here."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from pages._ui.colours import Colours


def schedule_figure(lams: Sequence[float], deltas: Sequence[float], colours: Colours) -> go.Figure:
    """λ and δ step by step, on a logarithmic scale."""
    steps = list(range(1, len(lams) + 1))
    figure = go.Figure()
    for name, values, colour in (("λ", lams, colours.raises), ("δ", deltas, colours.lowers)):
        line = go.Scatter(
            x=steps, y=list(values), name=name, mode="lines+markers", line={"color": colour}, cliponaxis=False
        )
        line.hovertemplate = f"step %{{x}}: {name} = %{{y:.3g}}<extra></extra>"
        figure.add_trace(line)
    figure.update_yaxes(type="log", title=None, dtick=1)
    figure.update_xaxes(title="step", dtick=max(1, len(steps) // 8), tickformat="d")
    figure.update_layout(
        height=190,
        margin={"l": 8, "r": 8, "t": 28, "b": 8},
        legend={"orientation": "h", "y": 1.18, "x": 0},
        dragmode=False,
    )
    return figure
