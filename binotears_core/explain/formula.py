"""A node's regression as a LaTeX formula, and user text made safe for LaTeX (and KaTeX)."""

from __future__ import annotations

import re

from binotears_core.explain.coefficients import Refit

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def latex_text(text: str) -> str:
    """Any text as LaTeX text: special characters escaped, line breaks and other control characters become spaces."""
    visible = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+", " ", text)
    return "".join(_LATEX.get(character, character) for character in visible)


def formula_latex(fit: Refit, node: str, digits: int = 2) -> str:
    r"""\operatorname{logit} P(X = 1 | parents) = constant + Σ coefficient · product, rounded."""
    one = fit[node]
    names = {name: rf"\text{{{latex_text(name)}}}" for name in fit.names}
    given = rf" \mid {', '.join(names[name] for name in one.parents)}" if one.parents else ""
    right = ""
    for term, value in zip(one.terms, one.log_odds, strict=True):
        sign = "-" if value < 0 else "+"
        factors = [f"{abs(value):.{digits}f}", *(names[name] for name in term)]
        right += f" {sign} " + r" \cdot ".join(factors)
    return rf"\operatorname{{logit}} P({names[node]} = 1{given}) = {right.removeprefix(' + ').strip()}"
