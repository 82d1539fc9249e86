"""The coefficients as a LaTeX table (package booktabs)."""

from __future__ import annotations

import math

from binotears_core.explain.formula import latex_text
from binotears_core.results import FitResult


def latex_table(result: FitResult) -> str:
    """One line per node and term: log-odds, standard error, odds ratio, change in probability."""
    lines = [
        r"\begin{tabular}{llrrrr}",
        r"\toprule",
        r"Node & Term & Log-odds & Std.\ error & Odds ratio & Change in probability \\",
    ]
    before = None
    for row in result.coefficients.to_dict("records"):
        # Braces, because a name that begins with [ would be read as an option of the \midrule before it.
        name = "" if row["node"] == before else f"{{{latex_text(row['node'])}}}"
        term = r" $\times$ ".join(latex_text(member) for member in row["term"]) or "constant"
        ratio = row["odds_ratio"] if row["term"] else math.nan
        numbers = [row["log_odds"], row["std_error"], ratio, row["probability_change"]]
        lines += [r"\midrule"] if name else []
        lines.append(" & ".join([name, term, *map(_number, numbers)]) + r" \\")
        before = row["node"]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _number(value: float) -> str:
    """Three decimals with a true minus sign, powers of ten where that would be unreadable, a dash for "not known"."""
    if not math.isfinite(value):
        return "--"
    if abs(value) < 1e5:
        return f"${value:.3f}$"
    digits, power = f"{value:.1e}".split("e")
    return rf"${digits} \times 10^{{{int(power)}}}$"
