"""Which graph the Graph page shows: a stage of the run, or a point of its λ/δ path, above a threshold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from binotears_core.results import Path, Stage
from pages._ui import state
from pages._ui.explore.controls import one_of
from pages._ui.explore.opened import Opened
from pages._ui.graphview import effects
from pages._ui.graphview.effects import Shown
from pages._ui.words import plain, seconds, several

STAGES = {"gradient": "Gradient", "refinement": "Refined"}
PATH_THRESHOLD = 0.3
SLIDER = 230  # px


def choose_stage(opened: Opened) -> Stage | None:
    """The stage to look at: the last by default; None when the run has only its result."""
    stages = opened.result.stages
    if len(stages) < 2:
        return stages[0] if stages else None
    words = [STAGES.get(stage.name, stage.name) for stage in stages]
    number = words.index(one_of("stage", words, default=words[-1]))
    st.caption(_contribution(stages, number), help=plain(stages[number].message), width="content")
    return stages[number]


def choose_shown(opened: Opened, stage: Stage | None) -> Shown:
    """The graph of the stage above the chosen threshold; the sliders are drawn here."""
    result = opened.result
    if not _is_path(opened, stage):
        if stage is None or stage is result.stages[-1]:
            return _above(effects.of_result(result))
        fits = [opened.fit(node, stage.adjacency) for node in range(len(result.names))]
        return _above(effects.of_fits(fits, stage.adjacency))
    assert result.path is not None
    number = _choose_point(opened.run, result.path)
    limit = max(1.0, float(np.ceil(10 * result.path[number].strength.max()) / 10))
    threshold = _slider("path threshold", _solver_threshold(opened), limit)
    return effects.of_path(result.path, number, result.names, threshold, opened.required())


def _above(shown: Shown) -> Shown:
    strongest = float(shown.strength.max(initial=0.0))
    if strongest == 0.0:
        return shown
    return shown.above(_slider("threshold", 0.0, float(np.ceil(10 * strongest) / 10)))


def _slider(name: str, default: float, limit: float) -> float:
    if state.session().choices.get(name, default) > limit:
        state.choose(name, min(default, limit))
    return state.kept(
        name,
        default,
        lambda key: st.slider(
            "Hide edges weaker than",
            0.0,
            limit,
            step=0.05,
            key=key,
            help="Strength is the root of the summed squares of all coefficients of an edge (log-odds).",
        ),
    )


def _choose_point(run: str, path: Path) -> int:
    """Slide along the stored solutions; nothing is fitted again."""
    if len(path) == 1:
        return 0
    points = list(range(len(path)))

    def words(number: int) -> str:
        return f"{path[number].lam:.3g}{' ★' if number == path.chosen else ''}"

    return state.kept(
        f"path {run}",
        path.chosen,
        lambda key: st.select_slider(
            "λ along the path (★ chosen)", points, key=key, width=SLIDER, format_func=words, help=plain(path.reason)
        ),
    )


def _is_path(opened: Opened, stage: Stage | None) -> bool:
    return opened.result.path is not None and stage is not None and stage.name == "gradient"


def _solver_threshold(opened: Opened) -> float:
    return float(getattr(getattr(opened.result.options, "solver", None), "threshold", PATH_THRESHOLD))


def _contribution(stages: Sequence[Stage], number: int) -> str:
    """What a stage did to the graph before it, in a line."""
    stage = stages[number]
    words = f"{several(int(np.count_nonzero(stage.adjacency)), 'edge')} in {seconds(stage.seconds)}"
    if number == 0:
        gap = stages[-1].score - stage.score
        return f"{words} · scores {gap:.1f} nats below the refined graph" if gap > 0 else words
    before, after = stages[number - 1].adjacency != 0, stage.adjacency != 0
    turned = int(np.count_nonzero(after & before.T & ~before))
    added, dropped = int((after & ~before).sum()) - turned, int((before & ~after).sum()) - turned
    gain = stage.score - stages[number - 1].score
    return f"{words} · {added} added, {dropped} dropped, {turned} turned · score {gain:+.1f} nats"
