"""The paper's figures: mean CPDAG-SHD ± standard error against the number of variables, panels graph kind × degree.

One figure per mechanism and one line per method, drawn alike everywhere. PNG by matplotlib; HTML by plotly, with
plotly's code inside, so that it opens without a network.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchmarks.experiments.methods import METHODS, OURS

DODGE = 0.18  # how far the lines stand apart, as a share of the step between numbers of variables
DASHES = {"solid": "-", "dash": (0, (4, 2)), "dot": (0, (1, 1.5))}
AXIS = "CPDAG-SHD, mean ± s.e."


def draw(rows: pd.DataFrame, folder: Path, name: str) -> list[Path]:
    """`name`-MECHANISM.png for every mechanism and one `name`.html: the files written."""
    folder.mkdir(parents=True, exist_ok=True)
    written, pieces = [], []
    for mechanism in dict.fromkeys(rows.mechanism):
        part = rows[rows.mechanism == mechanism]
        title = f"Mechanism {mechanism}, n = {part.n.iloc[0]}"
        written.append(folder / f"{name}-{file_name(mechanism)}.png")
        _png(part, written[-1], title)
        pieces.append(_interactive(part, title).to_html(full_html=False, include_plotlyjs=not pieces))
    written.append(folder / f"{name}.html")
    head = f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>BiNOTEARS: {name}</title></head>'
    written[-1].write_text(head + "<body>" + "\n".join(pieces) + "</body></html>", encoding="utf-8")
    return written


def file_name(mechanism: str) -> str:
    """Of a mechanism, safe in links."""
    return mechanism.replace("+", "-")


def lines(part: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """(method, table with p, mean, error and the place on the axis) for the methods that have something to show."""
    step = min(part.p.drop_duplicates().sort_values().diff().dropna(), default=1)
    names = [name for name in METHODS if (part.method == name).any()]
    for place, name in enumerate(names):
        groups = part[part.method == name].dropna(subset="shd_cpdag").groupby("p").shd_cpdag
        table = pd.DataFrame({"mean": groups.mean(), "error": groups.sem().fillna(0.0), "sets": groups.size()})
        table["place"] = table.index + step * DODGE * (place / max(len(names) - 1, 1) - 0.5)
        yield name, table


def _panels(part: pd.DataFrame) -> tuple[list[str], list[int]]:
    return sorted(part.kind.unique()), sorted(part.k.unique())


def _png(part: pd.DataFrame, path: Path, title: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    kinds, degrees = _panels(part)
    size = (3.6 * len(degrees) + 2.6, 2.9 * len(kinds) + 0.4)
    figure, axes = plt.subplots(len(kinds), len(degrees), figsize=size, squeeze=False, layout="constrained")
    for i, kind in enumerate(kinds):
        for j, degree in enumerate(degrees):
            _panel(axes[i, j], part[(part.kind == kind) & (part.k == degree)])
            axes[i, j].set_title(f"{kind}{degree}", fontsize=10)
        axes[i, 0].set_ylabel(AXIS, fontsize=9)
    for axis in axes[-1]:
        axis.set_xlabel("variables p", fontsize=9)
    figure.suptitle(title)
    figure.legend(*_legend(axes.flat), loc="outside right center", fontsize=8, frameon=False, handlelength=3.2)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _panel(axis: Any, part: pd.DataFrame) -> None:
    for name, table in lines(part):
        method, ours = METHODS[name], name == OURS
        line = axis.errorbar(
            table.place,
            table["mean"],
            table.error,
            color=method.colour,
            marker=method.marker,
            linestyle=DASHES[method.dash],
            linewidth=3 if ours else 1.2,
            markersize=8 if ours else 5.5,
            markeredgecolor="white" if method.marker != "|" else method.colour,
            markeredgewidth=0.5 if method.marker != "|" else 1.5,
            elinewidth=1.6 if ours else 0.7,
            zorder=10 if ours else 2,
            label=method.title,
        )
        for bar in line.lines[2]:
            bar.set_alpha(0.5)
    axis.set_xticks(sorted(part.p.unique()))
    axis.set_ylim(bottom=-0.03 * axis.get_ylim()[1])  # room for a mark at 0
    axis.yaxis.get_major_locator().set_params(integer=True)
    axis.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(labelsize=8)


def _legend(axes: Any) -> tuple[list[Any], list[str]]:
    """Every method once, in the order of METHODS, whichever panels it is in."""
    shown = {}
    for axis in axes:
        shown |= {label: handle for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    titles = [method.title for method in METHODS.values() if method.title in shown]
    return [shown[title] for title in titles], titles


def _interactive(part: pd.DataFrame, title: str) -> go.Figure:
    kinds, degrees = _panels(part)
    names = [f"{kind}{degree}" for kind in kinds for degree in degrees]
    figure = make_subplots(len(kinds), len(degrees), subplot_titles=names, vertical_spacing=0.12)
    labelled: set[str] = set()
    for i, kind in enumerate(kinds):
        for j, degree in enumerate(degrees):
            for name, table in lines(part[(part.kind == kind) & (part.k == degree)]):
                figure.add_trace(_trace(name, table, name not in labelled), row=i + 1, col=j + 1)
                labelled.add(name)
    figure.update_yaxes(rangemode="tozero", gridcolor="#e6e6e6", zerolinecolor="#e6e6e6")
    figure.update_yaxes(title=AXIS, col=1)
    figure.update_xaxes(tickvals=sorted(part.p.unique()), showgrid=False)
    figure.update_xaxes(title="variables p", row=len(kinds))
    hint = "a click on a method hides it, a double click leaves it alone"
    figure.update_layout(
        title=f"{title}<br><sup>{hint}</sup>", height=360 * len(kinds) + 60, plot_bgcolor="white", font={"size": 13}
    )
    return figure


def _trace(name: str, table: pd.DataFrame, in_legend: bool) -> go.Scatter:
    method, ours = METHODS[name], name == OURS
    return go.Scatter(
        x=table.place,
        y=table["mean"],
        error_y={"array": table.error, "thickness": 1, "width": 2},
        customdata=list(zip(table.index, table.error, table.sets, strict=True)),
        hovertemplate="p = %{customdata[0]}: %{y:.2f} ± %{customdata[1]:.2f}, %{customdata[2]} data sets",
        name=method.title,
        legendgroup=name,
        showlegend=in_legend,
        mode="lines+markers",
        line={"color": method.colour, "width": 4 if ours else 1.5, "dash": method.dash},
        marker={"symbol": method.symbol, "size": 11 if ours else 8, "line": {"width": 1, "color": method.colour}},
    )
