"""Export: the results as files, the code that repeats them, and the whole session."""

import streamlit as st

from pages._ui import frame, state
from pages._ui.explore.opened import open_result
from pages._ui.switches import switch
from pages._ui.taking import view
from pages._ui.taking.files import Taken

frame.open_page("Export")

FILES, CODE, SESSION = "Files", "Code", "Session"
chosen = switch("export view", "What to take", [FILES, CODE, SESSION], hide_label=True, wide=True)

if chosen == SESSION:
    view.session()
elif (opened := open_result()) is not None:
    run = state.current_run()
    name = run.name if run is not None else ""
    taken = Taken(opened.saved, name, opened.result, dark=st.context.theme.type == "dark")
    if chosen == FILES:
        view.files(taken)
    else:
        view.code(taken)
