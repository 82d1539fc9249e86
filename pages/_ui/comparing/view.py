"""What the Compare page draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from binotears_core.archive import SavedData
from binotears_core.exporting.names import distinct
from binotears_core.graph.equivalence import PDAG
from pages._ui import state
from pages._ui.colours import colours
from pages._ui.comparing import peers, sachs, scores
from pages._ui.comparing.scores import ARROWS, CLASSES, LEVELS, Candidate
from pages._ui.edge_lists import read_edge_list
from pages._ui.graphview.view import graph_view
from pages._ui.running import RunRefused
from pages._ui.sentences import one_sentence
from pages._ui.switches import switch

DISTANCE = {ARROWS: "arrow by arrow", CLASSES: "between the equivalence classes"}
PERCENT = ("Precision", "Recall", "F1")


def found_graphs(saved: SavedData) -> list[Candidate]:
    """The current run first, then the other runs over the same variables, then other methods."""
    mine = state.session()
    graphs: list[Candidate] = []
    for run in reversed(state.own_runs()):
        result = state.result(run.id)
        if result is None or result.names != saved.data.names:
            continue
        other = mine.data[mine.runs[run.id]].name
        title = run.name if mine.runs[run.id] == mine.current_data else f"{run.name} ({other})"
        one = Candidate(f"run {run.id}", title, result.adjacency, result.seconds)
        graphs.insert(0 if run.id == mine.current_run else len(graphs), one)
    return [*graphs, *peers.candidates()]


def known_graphs(saved: SavedData) -> list[Candidate]:
    """The truths that came with the data, and those of Sachs when these are its proteins."""
    truths = {**(sachs.truths() if sachs.is_sachs(saved.data.names) else {}), **saved.truths}
    return [Candidate(f"truth {title}", title, graph, known=True) for title, graph in truths.items()]


def choose(saved: SavedData, found: Sequence[Candidate]) -> tuple[Candidate, Candidate, str] | None:
    """The graph, what it is held against, and how; None when there is nothing to hold it against."""
    references = [*known_graphs(saved), *found]
    _follow_current_run()
    estimate_box, reference_box, level_box, add_box = st.columns([3, 3, 3, 1.3], vertical_alignment="bottom")
    with add_box:
        _add_truth(saved)
    with estimate_box:
        estimate = _pick("Graph", "compared graph", found)
    others = [one for one in references if one.key != estimate.key]
    if not others:
        return None
    with reference_box:
        reference = _pick("Held against", "reference graph", others)
    with level_box:
        level = switch("comparison level", "Compare", list(LEVELS), explanation=_level_help())
    partial = any(isinstance(one.graph, PDAG) for one in (estimate, reference))
    return estimate, reference, CLASSES if partial else level


def difference(estimate: Candidate, reference: Candidate, names: Sequence[str], level: str) -> None:
    """Picture, headline and table."""
    picture, words = st.columns([3, 2], gap="medium")
    with picture:
        graph_view(scores.contrast_picture(reference, estimate, names, level), key="difference")
    with words:
        found = scores.contrast(reference.graph, estimate.graph, names, level)
        wrong = {kind: sum(one.verdict == kind for one in found.edges) for kind in ("extra", "missing", "reversed")}
        right = len(found.edges) - sum(wrong.values())
        turned = "with other arrowheads" if level == CLASSES else "reversed"
        st.markdown(
            f"**{right} right**, {wrong['extra']} extra, {wrong['missing']} missing, {wrong['reversed']} {turned}. "
            f"Distance (SHD) **{found.shd_dag}** {DISTANCE[level]}."
        )
        table = scores.edge_table(reference.graph, estimate.graph, names, level)
        ink = colours(st.context.theme.type)
        styled = table.style.map(
            lambda verdict: f"color: {getattr(ink, verdict)}; font-weight: 600", subset=["Verdict"]
        )
        widths = {"Verdict": st.column_config.TextColumn(width=80), "Note": st.column_config.TextColumn(width=130)}
        height = min(38 + 35 * len(table), 470)
        st.dataframe(styled, hide_index=True, height=height, column_config=widths, alt="Edge by edge")


def scoreboard(estimate: Candidate, reference: Candidate, found: Sequence[Candidate], names: Sequence[str]) -> None:
    """All graphs against the reference, and what no skill would score."""
    st.subheader("Scoreboard", anchor=False)
    others = [one for one in found if one.key != reference.key]
    table = scores.scoreboard(reference.graph, others, names)
    edges = int(table["Edges"][[one.key for one in others].index(estimate.key)])
    table = pd.concat([table, scores.no_skill(reference.graph, edges)], ignore_index=True)
    config: dict[str, Any] = {"Graph": st.column_config.TextColumn(width=130, pinned=True)}
    config |= {name: st.column_config.NumberColumn(help=scores.HELP.get(name)) for name in table.columns[1:]}
    bar = st.column_config.ProgressColumn
    config |= {name: bar(format="%.2f", min_value=0.0, max_value=1.0, help=scores.HELP[name]) for name in PERCENT}
    config |= {
        name: st.column_config.NumberColumn(format="%.3g", help=scores.HELP[name], width=80)
        for name in table.columns[1:3]
    }
    config["Seconds"] = st.column_config.NumberColumn(format="%.1f")
    st.dataframe(table, hide_index=True, column_config=config, placeholder="", alt="Every graph against the reference")
    st.caption(
        "Smaller distances (SHD) are better. The last two rows are yardsticks without skill: no edges at all, "
        "and as many at random (mean of many draws)."
    )


def sachs_section(found: Sequence[Candidate]) -> None:
    """The table of the paper beside ours."""
    st.subheader("Sachs: the table of the paper beside ours", anchor=False)
    number = st.column_config.NumberColumn(format="%.3g")
    frame = sachs.table(found)
    config: dict[str, Any] = {"Graph": st.column_config.TextColumn(width=140, pinned=True)}
    config |= dict.fromkeys(frame.columns[1:], number)
    st.dataframe(frame, hide_index=True, column_config=config, placeholder="", alt="Paper and our graphs")
    st.caption(sachs.KNOWN)
    if not any(one.title == sachs.RECIPE_NAME for one in found):
        st.button("Run the paper's recipe", on_click=_run_recipe, icon=":material/play_arrow:")


def _run_recipe() -> None:
    try:
        state.start_run(sachs.RECIPE_NAME, sachs.RECIPE)
    except RunRefused as refusal:
        state.session().notice = str(refusal)


def _follow_current_run() -> None:
    """Another run than last time, here or on another page: show that one."""
    mine = state.session()
    if mine.choices.get("compared run") != mine.current_run:
        mine.choices["compared run"] = mine.current_run
        state.choose("compared graph", f"run {mine.current_run}")


def _pick(label: str, name: str, options: Sequence[Candidate]) -> Candidate:
    """A box with one of the graphs; a choice that is gone falls back to the first."""
    # Streamlit finds the choice by its words, and two runs may have the same name.
    titles = dict(zip([one.key for one in options], distinct(one.title for one in options), strict=True))
    if state.session().choices.get(name) not in titles:
        state.choose(name, options[0].key)
    key = state.kept(
        name,
        options[0].key,
        lambda key: st.selectbox(label, list(titles), format_func=lambda one: titles.get(one, ""), key=key),
    )
    return next(one for one in options if one.key == key)


def _add_truth(saved: SavedData) -> None:
    """Upload an edge list; it stays with the data."""
    choices = state.session().choices
    with st.popover("Truth", icon=":material/add:", help="Add a graph you know to be true"):
        file = st.file_uploader(
            "CSV with the columns source and target, one edge a line",
            type=["csv", "txt"],
            key="truth file",
            on_change=choices.__setitem__,
            args=("truth changed", True),
        )
        if choices.pop("truth changed", False) and file is not None:
            with one_sentence():
                state.add_truth(file.name, read_edge_list(file.getvalue(), saved.data.names, file.name))
                state.choose("reference graph", f"truth {file.name}")
                st.rerun()


def _level_help() -> str:
    return " ".join(f"**{level}**: {words}" for level, words in LEVELS.items())
