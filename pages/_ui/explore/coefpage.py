"""The Coefficients page: one variable, how its causes act alone and together, and what the interactions are worth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from scipy.special import expit

from binotears_core.explain.coefficients import NodeFit, Refit
from binotears_core.explain.formula import formula_latex
from binotears_core.results import FitResult
from pages._ui import frame, state
from pages._ui.colours import colours
from pages._ui.explore import panel
from pages._ui.explore.coefplots import LEVEL, MOST_SETTINGS, coefficient_figure, prediction_figure
from pages._ui.explore.nodewords import extremes, sentence
from pages._ui.explore.opened import Opened
from pages._ui.words import plain, several

FORMATS: dict[Any, Any] = {
    "log-odds": "{:+.2f}", "std. error": "{:.2f}", "from": "{:+.2f}", "to": "{:+.2f}", "odds ratio": "{:.3g}",
    "change in probability": "{:+.1f} pp",
}  # fmt: skip
FIRST_ORDER = frozenset({1})
IN_FORMULA = 24  # characters of a name in a formula
MOST_IN_FORMULA, TERMS_PER_LINE = 32, 3


def section(opened: Opened) -> None:
    """Everything on the page. A fragment: choosing another variable runs only this part again."""
    st.fragment(_section)(opened)


def _section(opened: Opened) -> None:
    names = opened.result.names
    choice, words = st.columns([0.3, 0.7], gap="medium", vertical_alignment="center")
    with choice:
        node = panel.must_choose_node(names, richest(opened.result))
    fit = opened.fit(names.index(node), opened.result.adjacency)
    with words:
        st.markdown(sentence(fit, panel.bold) + " " + extremes(fit))
    for note in fit.notes:
        st.warning(plain(note), icon=":material/info:")
    if not fit.parents:
        _no_causes(opened, node)
        return
    without = _without(opened, fit)
    look = colours(st.context.theme.type)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("#### Coefficients")
        _chart(coefficient_figure(fit, without, look), f"Coefficients of {node} with 95 % intervals")
    with right:
        st.markdown("#### Predicted and observed")
        _chart(prediction_figure(fit, without, look), f"Probability of {node} for every setting of its causes")
        if len(fit.counts) > MOST_SETTINGS:
            st.caption(f"The {MOST_SETTINGS} most frequent of {len(fit.counts)} settings.")
    st.caption(constant_words(fit))
    table = coefficient_table(fit).style.format(FORMATS)
    st.dataframe(table, hide_index=True, width="stretch", column_config=_columns(), placeholder="–")
    _formula(fit)


def richest(result: FitResult) -> str:
    """The variable with most to see: the clearest interaction, or without any the most terms."""
    table = result.coefficients
    sureness = (table["log_odds"] / table["std_error"]).abs().where(table["order"] > 1, 0.0).fillna(0.0)
    clearest, terms = sureness.groupby(table["node"]).max(), table.groupby("node").size()
    return max(result.names, key=lambda node: (float(clearest.get(node, 0.0)), int(terms.get(node, 0))))


def _without(opened: Opened, fit: NodeFit) -> NodeFit | None:
    """The same causes without interactions, and in words what that loses; None when there is nothing to compare."""
    if max(len(term) for term in fit.terms) < 2:
        st.caption("This model has no interactions: each cause acts by itself in the log-odds.")
        return None
    names = opened.result.names
    alone = opened.fit(names.index(fit.node), opened.result.adjacency, FIRST_ORDER)
    wanted = state.kept(
        "without interactions", True, lambda key: st.toggle("Compare with a model without interactions", key=key)
    )
    if not wanted:
        return None
    loss, spared = fit.loglik - alone.loglik, len(fit.terms) - len(alone.terms)
    penalty = 0.5 * float(np.log(opened.saved.data.sample_size)) * spared
    st.markdown(loss_words(loss, spared, penalty))
    return alone


def loss_words(loss: float, spared: int, penalty: float) -> str:
    """What the model without interactions loses, and BIC's opinion: a coefficient has to earn ½·log(n) nats."""
    amount = (
        f"{'loses' if loss > 0 else 'gains'} **{abs(loss):.1f} nats**" if abs(loss) >= 0.05 else "loses **nothing**"
    )
    lost = f"Without interactions the fit {amount} of log-likelihood"
    if spared <= 0:
        more = f"with {several(-spared, 'coefficient')} more" if spared else "with as many coefficients"
        return f"{lost}, {more}: " + ("the interactions are needed." if loss > penalty else "they are not needed.")
    needed = "more than" if loss > penalty else "less than"
    end = ":violet[the interactions are needed]" if loss > penalty else "they are not needed to explain these data"
    return f"{lost}, {needed} the {penalty:.1f} nats that {several(spared, 'coefficient')} must earn (BIC): {end}."


def constant_words(fit: NodeFit) -> str:
    """The constant, which is not a cause and has no place in the table."""
    value, error = float(fit.log_odds[0]), float(fit.std_error[0])
    spread = f" ± {error:.2f}" if np.isfinite(error) else ""
    return f"With all causes at 0 the log-odds are {panel.signed(value)}{spread}, a probability of {expit(value):.0%}."


def coefficient_table(fit: NodeFit) -> pd.DataFrame:
    """All terms by order, with everything a reader may ask for; the columns can be sorted."""
    with np.errstate(over="ignore"):
        ratio = np.exp(fit.log_odds)
    table = pd.DataFrame(
        {
            "order": [len(term) for term in fit.terms],
            "term": [" × ".join(term) for term in fit.terms],
            "log-odds": fit.log_odds,
            "std. error": fit.std_error,
            "from": fit.log_odds - LEVEL * fit.std_error,
            "to": fit.log_odds + LEVEL * fit.std_error,
            "odds ratio": ratio,
            "change in probability": 100 * fit.probability_change,
            "remark": np.where(np.isnan(fit.std_error), "not determined by the data", ""),
        }
    )
    return table[table["order"] > 0]


def _columns() -> dict[str, Any]:
    number = st.column_config.NumberColumn
    return {
        "order": number(width="small", help="How many causes act together in this term."),
        "log-odds": number(help="What is added to the log-odds when all causes of the term are 1."),
        "from": number(help="Lower end of the 95 % interval of the log-odds."),
        "to": number(help="Upper end of the 95 % interval of the log-odds."),
        "odds ratio": number(help="What the odds are multiplied by."),
        "change in probability": number(
            help="In percentage points, on average over the rows in which all causes of the term are 1."
        ),
    }


def _chart(figure: go.Figure, alt: str) -> None:
    st.plotly_chart(figure, config={"displayModeBar": False}, alt=alt)


def _no_causes(opened: Opened, node: str) -> None:
    effects = [b for a, b, _ in opened.result.edges if a == node]
    if effects:
        st.markdown(
            "It acts on " + ", ".join(panel.bold(name) for name in effects) + ". Choose one of these to see how."
        )
    frame.link("Graph", "See it in the graph →")


def _formula(fit: NodeFit) -> None:
    """The model as one formula; names are cut, and made safe for LaTeX by `formula_latex`."""
    if len(fit.terms) > MOST_IN_FORMULA:
        st.caption(f"The formula has {len(fit.terms)} terms; the table has them all.")
        return
    short = {name: _cut(name, k) for k, name in enumerate((*fit.parents, fit.node))}
    named = replace(
        fit,
        node=short[fit.node],
        parents=tuple(short[name] for name in fit.parents),
        terms=tuple(tuple(short[name] for name in term) for term in fit.terms),
    )
    alone = Refit((named.node, *named.parents), (named,))
    st.latex(formula_latex(alone, named.node, terms_per_line=TERMS_PER_LINE))


def _cut(name: str, number: int) -> str:
    """A short name that is still unlike the others."""
    return name if len(name) <= IN_FORMULA else f"{name[: IN_FORMULA - 4]}…{number + 1}"
