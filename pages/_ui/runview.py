"""A run on the page: waiting, going on (live), ended."""

from __future__ import annotations

import time

import pandas as pd
import streamlit as st

from binotears_core.results import FitResult
from pages._ui import frame, live, state
from pages._ui.colours import colours
from pages._ui.running import Report, Snapshot, runs
from pages._ui.words import plain, seconds, several

SECONDS_BETWEEN_LOOKS = 0.5
FEWEST_POINTS = 5  # of the loss of a run that has ended: a line between two points tells nothing

# `st.html` drops SVG and `st.image` blinks, so a component of five lines shows the pictures (their text is escaped).
_pictures = st.components.v2.component(
    "binotears_live",
    html='<div class="pictures"></div>',
    # Two curves beside each other on a telephone; the graph, which is square and has names in it, needs more room.
    css=""".pictures {display: flex; flex-wrap: wrap; gap: 1rem}
    .pictures svg {flex: 1 1 150px; max-width: min(340px, 47%)}
    .pictures svg[viewBox^="0 0 320"] {flex-basis: 300px; max-width: 340px}""",
    js="""export default function ({ data, parentElement }) {
        parentElement.querySelector(".pictures").innerHTML = data;
    }""",
)


def show_run(run: Snapshot) -> None:
    """The current run; redraws itself while it is under way."""
    # A fragment with a timer of its own, beside (not inside) the menu's.
    st.fragment(_look, run_every=SECONDS_BETWEEN_LOOKS if run.active else None)(run.active)


def _look(was_active: bool) -> None:
    run = state.current_run()
    if run is None or (was_active and not run.active):
        st.rerun()
    if run.state == "waiting":
        ahead = run.position - 1
        place = f"{several(ahead, 'run')} ahead of yours" if ahead else "yours is next, when a run under way ends"
        st.info(f"Waiting for a free place: {place}.")
    elif run.active:
        st.progress(run.fraction, text=_progress_words(run))
    else:
        _show_end(run)
    if run.active:
        label = "Stopping…" if run.state == "stopping" else "Cancel, keep best so far"
        st.button(label, key="cancel", disabled=run.state == "stopping", on_click=runs().cancel, args=(run.id,))
    _show_curves(run)


def _progress_words(run: Snapshot) -> str:
    now, left = time.time(), run.remaining(time.time())
    parts = [f"**{seconds(run.elapsed(now))}**" + (f", about {seconds(left)} left" if left is not None else "")]
    if (report := run.report) is not None:
        parts += _report_words(report)
    return " · ".join(parts)


def _report_words(report: Report) -> list[str]:
    """Stage, step, λ, δ, h and edges, as far as the stage has them."""
    step = f" {report.step} of {report.steps}" if report.steps > 1 else ""
    numbers = [("λ", report.lam), ("δ", report.delta), ("h", report.h)]
    known = [f"{letter} {value:.3g}" for letter, value in numbers if value == value]
    return [plain(report.stage) + step, *known, several(report.edges, "edge")]


def _show_end(run: Snapshot) -> None:
    """One sentence on how it ended, what each stage gave, and where to go."""
    found = state.result(run.id)
    message = plain(run.message if found is None else _with_edges(run.message, found), 1000)
    if run.state == "done":
        st.success(f"{message} It took {seconds(run.elapsed(0.0))}.", icon=":material/check_circle:")
    elif run.state == "stopped":
        st.warning(message, icon=":material/pan_tool:")
    else:
        st.error(message, icon=":material/error:")
    if found is None:
        return
    with st.container(horizontal=True):
        for title in ("Graph", "Class", "Coefficients", *(["Compare"] if _comparable() else [])):
            frame.link(title, f"{title} →")
    _show_stages(found)


def _with_edges(message: str, result: FitResult) -> str:
    """What came out first; a run without refinement tells only of its steps."""
    edges = several(len(result.edges), "edge")
    return message if message.startswith(edges) else f"{edges}. {message}"


def _comparable() -> bool:
    """Whether a true graph is known, or another run, that the graph can be held against."""
    data, mine = state.current_data(), state.session()
    runs_here = sum(key == mine.current_data for key in mine.runs.values())
    return data is not None and (bool(data.truths) or runs_here > 1)


def _show_stages(result: FitResult) -> None:
    """What each step contributed."""
    rows = [(stage.name, int(stage.adjacency.sum()), stage.score, stage.seconds) for stage in result.stages]
    table = pd.DataFrame(rows, columns=["step", "edges", "score", "seconds"])
    config = {
        "score": st.column_config.NumberColumn(format="%.1f", help="The same score for every step; higher is better."),
        "seconds": st.column_config.NumberColumn(format="%.1f"),
    }
    st.dataframe(table, hide_index=True, column_config=config, alt="What each step of the run contributed")
    notes = [f"{stage.name}: {stage.message}" for stage in result.stages] + list(result.notes)
    st.caption("  \n".join(plain(note, 400) for note in notes))


def _show_curves(run: Snapshot) -> None:
    """Loss, h and edges over time, and while there is no result the newest graph."""
    data = state.current_data()
    enough = run.active or len(live.points_of(run.history, "loss")) >= FEWEST_POINTS
    if not run.history or data is None or not enough:
        return
    look = colours(st.context.theme.type)
    pictures = [live.curve(run.history, quantity, look) for quantity in live.CURVES]
    if not run.has_result:
        pictures.append(live.graph(data.data.names, run.graph, look))
    _pictures(data="".join(pictures), key="pictures")
