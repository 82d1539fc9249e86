"""The formula reads as the table does, and user text cannot break out of it."""

import pytest

from binotears_core.data.table import BinaryData
from binotears_core.explain.coefficients import refit
from binotears_core.explain.formula import formula_latex, latex_text


def fitted(names):
    data = BinaryData.from_counts([[0, 0], [0, 1], [1, 0], [1, 1]], [40, 10, 10, 40], names)
    return refit(data, [[0, 1], [0, 0]], 1)


def test_formula():
    fit = fitted(["rain", "wet"])
    expected = r"\operatorname{logit} P(\text{wet} = 1 \mid \text{rain}) = - 1.39 + 2.77 \cdot \text{rain}"
    assert formula_latex(fit, "wet") == expected
    assert formula_latex(fit, "rain", digits=1) in {
        rf"\operatorname{{logit}} P(\text{{rain}} = 1) = {sign}0.0" for sign in ("", "- ")
    }


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        (r"50%_of $x & y#{z}", r"50\%\_of \$x \& y\#\{z\}"),
        ("a\\b", r"a\textbackslash{}b"),
        ("~^", r"\textasciitilde{}\textasciicircum{}"),
        ("two\r\nlines\x00", "two lines "),
        ("naïve 🙂 שלום", "naïve 🙂 שלום"),
    ],
)
def test_text_is_escaped(text, safe):
    assert latex_text(text) == safe


def test_a_hostile_name_stays_inside_its_braces():
    formula = formula_latex(fitted(["}\\input{x}", "y"]), "y")
    assert r"\text{\}\textbackslash{}input\{x\}}" in formula
