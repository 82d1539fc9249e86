"""Tables of numbers as Markdown."""

from __future__ import annotations

import pandas as pd


def markdown(table: pd.DataFrame, corner: str = "method", bold: str = "") -> str:
    """Two decimals, whole columns without, gaps as a dash; `corner` heads the index, its entry `bold` stands out."""
    head = [corner, *map(str, table.columns)]
    whole = [table[name].dtype.kind == "i" for name in table.columns]
    lines = ["| " + " | ".join(head) + " |", "|---|" + "--:|" * len(table.columns)]
    for name, values in zip(table.index, table.to_numpy(dtype=float), strict=True):
        cells = [_cell(value, exact) for value, exact in zip(values, whole, strict=True)]
        lines.append("| " + " | ".join([f"**{name}**" if name == bold else str(name), *cells]) + " |")
    return "\n".join(lines)


def _cell(value: float, whole: bool) -> str:
    return "–" if pd.isna(value) else f"{value:.0f}" if whole else f"{value:.2f}"
