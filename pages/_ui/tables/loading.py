"""The view "Load": choose it, decide what becomes 1 in each column, see the outcome at once, use it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from binotears_core.archive import SavedData
from binotears_core.data.reading import EXCEL_SUFFIXES, PARQUET_SUFFIXES, TEXT_SUFFIXES
from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError, OptionError
from pages._ui import state
from pages._ui.examples import FOLDER, truths_of
from pages._ui.sentences import one_sentence
from pages._ui.tables import preparing, uploads
from pages._ui.tables.preparing import Choices, FirstLook
from pages._ui.tables.uploads import Upload
from pages._ui.words import plain, several, whole

SUFFIXES = [suffix[1:] for suffix in (*TEXT_SUFFIXES, *PARQUET_SUFFIXES, *EXCEL_SUFFIXES)]
HEADER = {"find out": None, "holds names": True, "is a row": False}
WEIGHTS_KIND = {"find out": "auto", "counts of rows": "counts", "survey weights": "survey"}
T = TypeVar("T")
RULES_AT_A_GLANCE = """<table style="border-collapse:collapse;line-height:1.9;opacity:.85">
<tr><td style="padding-right:2.5rem">0/1, yes/no, true/false, or two values</td><td>stay as they are</td></tr>
<tr><td>numbers</td><td>above the median → 1; or another cut of yours</td></tr>
<tr><td>several levels</td><td>one 0/1 column per level but the most frequent</td></tr>
<tr><td>empty cells</td><td>you choose: leave the rows out, or mark them</td></tr>
<tr><td>everything</td><td>is shown before it is used, and stays on this machine</td></tr></table>"""


def section(use: Callable[[SavedData], None]) -> None:
    """Draw the view; `use` takes the finished data set."""
    with one_sentence():
        _receive()
    upload: Upload | None = state.session().choices.get("upload")
    if upload is None:
        st.html(RULES_AT_A_GLANCE)
        return
    with one_sentence():
        _prepare(upload, use)


def open_sample(upload: Upload) -> None:
    """Put one of our own files where an uploaded one would be."""
    state.session().choices["upload"] = upload


def _receive() -> None:
    choices = state.session().choices
    file = st.file_uploader(
        "Drop a table here, or choose one: CSV, TSV, Parquet or Excel",
        type=SUFFIXES,
        key="table file",
        on_change=choices.__setitem__,
        args=("upload changed", True),
    )
    if choices.pop("upload changed", False):
        choices["upload"] = None if file is None else uploads.take(file.name, file.getvalue())


def _prepare(upload: Upload, use: Callable[[SavedData], None]) -> None:
    content = uploads.content(upload)
    bar = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
    head = bar.container(width="stretch")
    reading = bar.container(width="content", horizontal=True, vertical_alignment="bottom")
    sheet, header = _reading(reading, upload, content)
    key = (upload.fingerprint, sheet, header)
    look = _once("first look", key, lambda: preparing.first_look(content, upload.name, sheet, header))
    head.markdown(
        f"**{plain(upload.name, 60)}** · {several(look.rows, 'row')} × {several(len(look.columns), 'column')}. "
        f":gray[{plain(look.note.replace(f'Read {upload.name}: ', 'Read as '))}]"
    )
    left, right = st.columns([3, 2], gap="medium")
    with left:
        rules = _rules(look, f"rules {hash(key)}")
        choices = Choices(rules=rules, sheet=sheet, header=header, **_weights(look))
    with right:
        choices = _missing(look, choices, upload, content)
        if _decided(look, choices):
            _outcome(upload, content, choices, use)
    with st.expander(f"First rows of {plain(upload.name, 60)}, as read"):
        st.dataframe(look.head, hide_index=True, height=240)


def _reading(place: Any, upload: Upload, content: bytes) -> tuple[str | None, bool | None]:
    """Which sheet (in plain view: the first is often only notes), and whether the first line holds names."""
    sheet = None
    if upload.name.lower().endswith(EXCEL_SUFFIXES):
        sheets = _once("sheets", upload.fingerprint, lambda: preparing.sheets(content))
        sheet = sheets[0]
        if len(sheets) > 1:
            name = f"sheet {upload.fingerprint}"
            sheet = state.kept(name, sheet, lambda key: place.selectbox("Sheet", sheets, key=key))
    with place.popover("Reading", icon=":material/tune:"):
        label = state.kept("header", "find out", lambda k: st.radio("The first line", list(HEADER), key=k))
    return sheet, HEADER[label]


def _rules(look: FirstLook, name: str) -> dict[str, tuple[str, str]]:
    """The table of columns, where the rule of each can be changed."""
    text, number, choice = (
        st.column_config.TextColumn,
        st.column_config.NumberColumn,
        st.column_config.SelectboxColumn,
    )
    config = {
        # Column, kind and rule together fit a telephone; the rest is to their right.
        preparing.COLUMN: text(disabled=True, pinned=True, width=115),
        preparing.KIND: text(disabled=True, width=115, help="what it holds, and how many different values"),
        preparing.RULE: choice(options=list(preparing.RULES), required=True, help=preparing.HELP, width=115),
        preparing.OPERAND: text(help="for “above a number” and “one value”", width=100),
        preparing.MISSING: number(disabled=True, width=70, help="empty cells"),
    }

    def editor(frame: pd.DataFrame, key: str) -> pd.DataFrame:
        height = min(38 + 35 * len(frame), 460)
        return st.data_editor(frame, key=key, column_config=config, hide_index=True, height=height, alt="Columns")

    edited = state.kept_table(name, preparing.editor_frame(look), editor)
    return preparing.rules_of(edited)


def _weights(look: FirstLook) -> dict[str, Any]:
    """The column that says how much each row counts."""
    none = "every row counts once"
    names = look.columns["name"][look.columns["kind"].isin(["numeric", "two-valued", "binary"])]
    options = [none, *names]

    def box(key: str) -> Any:
        return st.selectbox("Row weights", options, key=key, help="A column of counts or survey weights.")

    before = state.session().choices.get("weights column")
    if before is not None and before not in options:
        state.choose("weights column", none)
    chosen = state.kept("weights column", none, box)
    if chosen == none:
        return {}
    kind = state.kept(
        "weights kind",
        "find out",
        lambda k: st.radio("They are", list(WEIGHTS_KIND), key=k, horizontal=True),
    )
    return {"weights": chosen, "weights_kind": WEIGHTS_KIND[kind]}


def _missing(look: FirstLook, choices: Choices, upload: Upload, content: bytes) -> Choices:
    """What happens to empty cells, with the rows before and after each choice."""
    gaps = look.columns[_gaps(look, choices)]
    if gaps.empty:
        return choices
    key = (upload.fingerprint, choices.sheet, choices.header, choices.used(look.columns))
    left = _once("complete rows", key, lambda: preparing.complete_rows(content, upload.name, look, choices))
    options = {
        "drop": f"leave such rows out: {whole(look.rows)} → {whole(left)} rows",
        "indicator": f"keep all {whole(look.rows)} rows: the cell becomes 0, and {several(len(gaps), 'new column')} "
        "mark where it was missing",
    }
    title = f"{several(int(gaps['missing'].sum()), 'cell')} in {several(len(gaps), 'column')} are missing. Choose:"
    chosen = state.kept("missing", None, lambda k: st.radio(title, list(options), key=k, format_func=options.get))
    return Choices(**{**vars(choices), "missing": chosen or "refuse"})


def _decided(look: FirstLook, choices: Choices) -> bool:
    """False while there are missing cells and nobody has said what happens to them."""
    return choices.missing != "refuse" or not _gaps(look, choices).any()


def _gaps(look: FirstLook, choices: Choices) -> pd.Series:
    """Which columns are used and miss cells."""
    used = look.columns["name"].isin(choices.used(look.columns))
    return used & (look.columns["missing"] > 0)


def _outcome(upload: Upload, content: bytes, choices: Choices, use: Callable[[SavedData], None]) -> None:
    """What the choices make of the file, and the button that uses it; a sentence when they do not fit the file."""

    def attempt() -> BinaryData | str:
        try:
            return preparing.prepare(content, upload.name, choices)
        except (DataError, OptionError) as error:
            return str(error)

    data = _once("prepared", (upload.fingerprint, repr(choices)), attempt)
    if isinstance(data, str):
        st.warning(plain(data, 1000), icon=":material/rule:")
        return
    name = upload.name if upload.path is None else f"{FOLDER.name}/{upload.name}"
    saved = SavedData(name, data, truths_of(upload.path, data.names) if upload.path is not None else {})
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        size = f"{whole(data.rows)} × {data.variables}"
        st.markdown(f"**Outcome: {size}**, {several(len(data.patterns), 'distinct pattern')}", width="content")
        if st.button("Use this table", type="primary"):
            use(saved)
            st.rerun()
    table = preparing.variables_table(data)
    config = {
        "Variable": st.column_config.TextColumn(width=150),
        "1 means": st.column_config.TextColumn(width=90),
        "Share of ones": st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0, width=130),
    }
    height = min(38 + 35 * len(table), 460)
    st.dataframe(table, hide_index=True, height=height, column_config=config, alt="Variables")


def _once(name: str, key: object, make: Callable[[], T]) -> T:
    """A value of this session, made anew only when its key changes (a file is not read again at every click)."""
    choices = state.session().choices
    if name not in choices or choices[name][0] != key:
        with st.spinner("Reading …", show_time=True):
            choices[name] = (key, make())
    value: T = choices[name][1]
    return value
