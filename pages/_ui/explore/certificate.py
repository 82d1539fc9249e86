"""How sure the learned class is: the certificate in words, and the class that comes next."""

from __future__ import annotations

from math import isfinite, sqrt

import streamlit as st

from binotears_core.graph.dag import Edge, from_edges
from binotears_core.graph.equivalence import skeleton
from binotears_core.graph.members import EquivalenceClass
from binotears_core.model.evidence import Effects
from binotears_core.solvers.certificate import Certificate
from pages._ui.explore.opened import Opened
from pages._ui.explore.panel import bold
from pages._ui.graphview.drawing import class_picture
from pages._ui.graphview.view import still
from pages._ui.words import plain, several

NO_CERTIFICATE = (
    "This run ended without a refinement, so nothing is known about how far its graph is from the best one. "
    "Run again with the refinement switched on."
)
MARGINS = (
    (1.0, "The data hardly prefer it"),
    (3.0, "The data prefer it a little"),
    (7.0, "The data prefer it clearly"),
)


def section(opened: Opened) -> None:
    """The certificate on the left, the runner-up on the right."""
    found = opened.result.certificate
    if not isinstance(found, Certificate):
        st.info(NO_CERTIFICATE)
        return
    left, right = st.columns(2, gap="large")
    with left:
        _words(opened, found)
    with right:
        _runner_up(opened, found)


def _words(opened: Opened, found: Certificate) -> None:
    proved = (
        ":green[:material/verified:] **Proved best**" if found.exact else ":orange[:material/search:] **Best found**"
    )
    st.markdown(f"{proved} · {plain(found.message)}")
    if found.margin is not None:
        st.markdown(strength_of(found.margin) + ".")
    for stage, gap in found.gaps:
        st.markdown(f"- The {plain(stage)} stage {_reached(gap)}.")
    if found.paper is not None:
        paper = found.paper
        st.markdown(
            f"- The paper's own objective at λ = {paper.lam:.3g}, δ = {paper.delta:.3g}: the gradient reached "
            f"{paper.gradient:.4f}; the global minimum is {paper.optimum:.4f} with "
            f"{several(paper.optimum_edges, 'edge')} (a gap of {paper.gap:.2g})."
        )
    if found.density:
        st.markdown(
            f"- The score assumes that {found.density:.0%} of all pairs of variables are adjacent, as many as in the "
            "graph found: in a dense graph an edge more is less of a surprise."
        )
    if found.effects is not None and opened.result.edges:
        st.markdown(f"- {_expected(found.effects, given=_scale_given(opened))}")
    st.caption("A nat is a unit of log-likelihood: 3 nats are odds of about 20 to 1, 7 nats of about 1 000 to 1.")


def _expected(effects: Effects, *, given: bool) -> str:
    """What the prior of an effect expects, where it has most of its weight, and who says so."""
    size = f"of any size up to about ±{2 * effects.scale:.2g}, small ones too (normal prior)"
    if effects.moment:
        size = f"of about ±{sqrt(2) * effects.scale:.2g}, hardly any near 0 (moment prior)"
    why = "as you chose" if given else "the choice under which the data are likeliest"
    return f"The score expects effects on the log-odds {size}: {why}."


def _scale_given(opened: Opened) -> bool:
    score = getattr(opened.result.options, "score", None)
    return score is not None and score.prior_scale is not None


def _reached(gap: float) -> str:
    """How near a stage came to the best score."""
    if not isfinite(gap):
        return "has a graph that this score does not allow"
    return "reached this score" if gap < 1e-6 else f"was {gap:.1f} nats short of it"


def strength_of(margin: float) -> str:
    """A margin in words a student understands."""
    return (
        next((words for limit, words in MARGINS if margin < limit), "The data prefer it strongly")
        + " to the next best class"
    )


def _runner_up(opened: Opened, found: Certificate) -> None:
    if found.runner_up is None:
        st.markdown("No other class was compared.")
        return
    names = opened.result.names
    other = from_edges(found.runner_up, names)
    st.markdown("**The next best class** " + _differences(opened, found.runner_up))
    learned = [(int(i), int(j)) for i, j in zip(*opened.result.adjacency.nonzero(), strict=True)]
    picture = class_picture(EquivalenceClass.of_dag(other, names), shaped_by=learned)
    still(picture, "runner-up")


def _differences(opened: Opened, edges: tuple[Edge, ...]) -> str:
    """Which edges the runner-up lacks, and which it has beside."""
    names = opened.result.names
    ours, theirs = skeleton(opened.result.adjacency), skeleton(from_edges(edges, names))
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    lacks = [f"{bold(names[j])} — {bold(names[i])}" for i, j in pairs if ours[i, j] > theirs[i, j]]
    adds = [f"{bold(names[j])} — {bold(names[i])}" for i, j in pairs if theirs[i, j] > ours[i, j]]
    words = [f"{verb} {', '.join(found)}" for verb, found in (("lacks", lacks), ("adds", adds)) if found]
    return " and ".join(words) + ":" if words else "has the same edges and differs in directions:"
