"""The runs of this session: open, rename, delete."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages._ui import frame, inputs, state
from pages._ui.running import Snapshot, runs
from pages._ui.words import several


def busy() -> bool:
    """True while a run of this session is under way."""
    return any(run.active for run in state.own_runs())


def show() -> None:
    """A line per run, the newest first."""
    found = state.own_runs()
    if not found:
        return
    with st.expander(f"Your {several(len(found), 'run')}"):
        for run in reversed(found):
            _line(run)


def _line(run: Snapshot) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        key = f"name-{run.id}"
        st.text_input(
            "Name",
            run.name,
            key=key,
            max_chars=inputs.LONGEST_NAME,
            label_visibility="collapsed",
            on_change=_rename,
            args=(run.id, key),
        )
        st.markdown(frame.ending(run), width="content")
        current = run.id == state.session().current_run
        st.button("Show", key=f"show-{run.id}", disabled=current, on_click=state.choose_run, args=(run.id,))
        _icon("tune", "Take over its choices", _recall, run.id)
        _icon("delete", "Delete", state.forget_run, run.id)


def _icon(icon: str, hint: str, action: Callable[[str], None], run: str) -> None:
    st.button("", key=f"{icon}-{run}", icon=f":material/{icon}:", help=hint, on_click=action, args=(run,))


def _recall(run: str) -> None:
    setup = runs().setup(run)
    if setup is not None:
        state.choose_run(run)
        inputs.recall(setup.data.data, setup.options)


def _rename(run: str, key: str) -> None:
    name = str(state.widget(key)).strip()
    if name:
        runs().rename(run, name)
