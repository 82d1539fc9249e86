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


def formula_latex(fit: Refit, node: str, digits: int = 2, *, terms_per_line: int | None = None) -> str:
    r"""\operatorname{logit} P(X = 1 | parents) = constant + Σ coefficient · product, rounded.

    With `terms_per_line` the formula is broken into lines of so many terms (an `aligned` environment).
    """
    one = fit[node]
    names = {name: rf"\text{{{latex_text(name)}}}" for name in fit.names}
    given = rf" \mid {', '.join(names[name] for name in one.parents)}" if one.parents else ""
    left = rf"\operatorname{{logit}} P({names[node]} = 1{given})"
    terms: list[str] = []
    for term, value in zip(one.terms, one.log_odds, strict=True):
        sign = "-" if value < 0 else "+" if terms else ""
        factors = [f"{abs(value):.{digits}f}", *(names[name] for name in term)]
        terms.append(f"{sign} ".lstrip() + r" \cdot ".join(factors))
    if terms_per_line is None:
        return f"{left} = {' '.join(terms)}"
    lines = [" ".join(terms[k : k + terms_per_line]) for k in range(0, len(terms), terms_per_line)]
    return r"\begin{aligned} & " + left + r" = \\ & \quad " + r" \\ & \quad ".join(lines) + r" \end{aligned}"
