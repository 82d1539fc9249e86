"""What the Export page draws."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from binotears_core import archive
from binotears_core.errors import DataError, OptionError
from pages._ui import state
from pages._ui.explore.saving import save_picture
from pages._ui.repeating import python_code, shell_code
from pages._ui.sentences import one_sentence
from pages._ui.taking.files import BY_TITLE, File, Taken
from pages._ui.words import megabytes, plain, several, whole

PREVIEW_CHARACTERS = 6000
PREVIEW_HEIGHT = 560
ICON = ":material/download:"


def files(taken: Taken) -> None:
    """The kinds of files, and the chosen one with its preview."""
    titles = list(BY_TITLE)

    def pills(key: str) -> Any:
        return st.pills("File", titles, key=key, required=True, label_visibility="collapsed")

    with one_sentence():
        _file(BY_TITLE[state.kept("file kind", titles[0], pills)], taken)


def _file(file: File, taken: Taken) -> None:
    if file.show == "picture":
        st.caption(f"{file.title}: {file.purpose}")
        save_picture(taken.picture(), taken.name("graph"))
        return
    content, name = file.make(taken), taken.name(file.ending)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            f"Save {plain(name)}", content, name, file.mime, type="primary", icon=ICON, on_click="ignore"
        )
        st.caption(f"{file.purpose} · {_size(len(content.encode()))}", width="content")
    if file.show == "page":
        # Our own pages: everything in them is escaped, and their policy forbids them to load anything.
        st.iframe(content, height=PREVIEW_HEIGHT, alt=file.title)
        return
    st.code(content[:PREVIEW_CHARACTERS], language=file.show, height=PREVIEW_HEIGHT)
    if len(content) > PREVIEW_CHARACTERS:
        st.caption("The beginning of the file.")


def code(taken: Taken) -> None:
    """The run as a script and as a command."""
    st.markdown("**Python.** The same data, options and seed give the same edges.")
    st.code(python_code(taken.saved, taken.result), language="python")
    st.markdown("**Command line.** Writes `result.json`, the file “Result” of this page.")
    try:
        st.code(shell_code(taken.saved, taken.result), language="bash")
    except OptionError as error:
        st.info(plain(str(error)))


def session() -> None:
    """Everything open as one file, and back."""
    save, load = st.columns(2, gap="large")
    mine = state.session()
    with save:
        st.subheader("Save", anchor=False)
        st.markdown("Everything below in one file. Open it here later, or on another machine.")
        st.download_button(
            "Save the session",
            lambda: archive.dump_session(state.save_session(mine)),
            "session.binotears",
            "application/octet-stream",
            type="primary",
            icon=ICON,
            on_click="ignore",
            disabled=not mine.data,
        )
    with load:
        st.subheader("Open", anchor=False)
        st.markdown("What is in the file is added to what is open now.")
        _open()
    _contents()


def _contents() -> None:
    """What is open: data sets, truths and finished runs."""
    mine = state.session()
    rows = []
    for key, saved in mine.data.items():
        done = [run.name for run in state.own_runs() if mine.runs[run.id] == key and run.has_result]
        size = f"{whole(saved.data.rows)} × {saved.data.variables}"
        rows.append((saved.name, size, ", ".join(saved.truths) or "–", ", ".join(done) or "–"))
    if rows:
        st.dataframe(pd.DataFrame(rows, columns=["Data", "Size", "Known graphs", "Finished runs"]), hide_index=True)
    else:
        st.caption("Nothing is open yet.")


def _open() -> None:
    choices = state.session().choices
    file = st.file_uploader(
        "A file saved here",
        type=["binotears"],
        key="session file",
        on_change=choices.__setitem__,
        args=("session changed", True),
    )
    if choices.pop("session changed", False) and file is not None:
        with one_sentence():
            if file.size > archive.MAX_BYTES:
                raise DataError(f"{file.name} is too large to be a session. Choose a file saved by the app.")
            saved = archive.load_session(file.getvalue())
            state.open_session(saved)
            words = f"{several(len(saved.data), 'data set')} and {several(len(saved.runs), 'run')}"
            choices["session opened"] = f"Opened {words} from {file.name}."
            st.rerun()
    if said := choices.pop("session opened", ""):
        st.success(plain(said))


def _size(count: int) -> str:
    return f"{count} bytes" if count < 2000 else f"{count / 1000:.0f} kB" if count < 1e6 else megabytes(count)
