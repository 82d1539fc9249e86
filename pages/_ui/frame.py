"""What every page shares: set-up, the menu, the title and the two chips (current data, current run)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages._ui import offline, state
from pages._ui.running import Snapshot, runs
from pages._ui.words import plain, seconds, whole

offline.ask_nobody()
ROOT = Path(__file__).resolve().parents[2]
ICON = Path(__file__).parent / "assets" / "icon.png"
SIDEBAR_WIDTH = 230
SECONDS_BETWEEN_LOOKS = 1.0
# Streamlit leaves a hand's breadth of air around the page; a picture needs it more. A long formula scrolls by itself.
# The chosen button of a row is blue on almost nothing, hard to read in the dark: here it is ink on a blue tint.
STYLE = """<style>.stMainBlockContainer {padding: 3rem clamp(1rem, 3vw, 3rem) 4rem}
.katex-display {overflow-x: auto; overflow-y: hidden; padding: .3rem 0}
.stButtonGroup button[data-selected=true] {color: inherit !important; background: rgba(43, 140, 201, .3) !important}
</style>"""

# On a telephone the menu lies over the page: it folds away when a page was chosen from it.
_fold_menu = st.components.v2.component(
    "binotears_fold_menu",
    js="""export default function ({ data }) {
        const before = document.body.dataset.page;
        document.body.dataset.page = data;
        const fold = document.querySelector("[data-testid=stSidebarCollapseButton] button[aria-expanded=true]");
        if (before && before !== data && innerWidth < 768) fold?.click();
    }""",
)


@dataclass(frozen=True)
class Page:
    """An entry of the menu; `purpose` is the line under the title."""

    title: str
    file: str
    purpose: str


PAGES = (
    Page("Home", "app.py", "Causal structure in binary data, with interactions of any order."),
    Page("Data", "pages/1_Data.py", "Load a table or simulate one, and decide what becomes 0 and 1."),
    Page("Learn", "pages/2_Learn.py", "Choose what the model may contain, run it and watch it."),
    Page("Graph", "pages/3_Graph.py", "See what causes what, and how strongly."),
    Page("Class", "pages/4_Class.py", "See which arrows the data can tell and which they cannot."),
    Page("Coefficients", "pages/5_Coefficients.py", "See, for every variable, how its causes act alone and together."),
    Page("Compare", "pages/6_Compare.py", "Hold a graph against the truth, another run or another method."),
    Page("Export", "pages/7_Export.py", "Take the results with you, and the code that repeats them."),
)


def open_page(title: str) -> None:
    """Set a page up and draw its frame; the page's own content follows."""
    page = next(page for page in PAGES if page.title == title)
    name = "BiNOTEARS" if title == "Home" else f"{title} · BiNOTEARS"
    st.set_page_config(page_title=name, page_icon=str(ICON), layout="wide", initial_sidebar_state=SIDEBAR_WIDTH)
    st.html(STYLE)
    runs()  # the first page ever opened warms the workers
    mine = state.session()
    with st.sidebar:
        state.resume()
    state.refresh_link()
    live = state.under_way()
    with st.sidebar:
        # One timer for the whole app: it moves the percentage, and it is the heartbeat of the runs (see registry.py).
        st.fragment(_menu, run_every=SECONDS_BETWEEN_LOOKS if live else None)(live)
        _fold_menu(data=title, key="fold menu")
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        with st.container(width="content", gap=None):
            st.title(page.title if title != "Home" else "BiNOTEARS", anchor=False)
            st.caption(page.purpose)
        with st.container(horizontal=True, width="content", gap="small"):
            _data_chip()
            _run_chip()
    if mine.notice:
        st.warning(mine.notice)
        mine.notice = ""


def link(title: str, label: str) -> None:
    """A link to another page that keeps the current run in the address."""
    if (ROOT / file_of(title)).exists():
        st.page_link(file_of(title), label=label, query_params=link_parameters())


def file_of(title: str) -> str:
    """The file of a page."""
    return next(page.file for page in PAGES if page.title == title)


def link_parameters() -> dict[str, str]:
    """What the address of every page carries along."""
    current = state.session().current_run
    return {} if current is None else {"run": current}


def _menu(was_live: bool) -> None:
    if was_live and not state.under_way():
        st.rerun()  # the last run has ended: draw the page anew, without the timer
    st.markdown("### BiNOTEARS")
    for number, page in enumerate(PAGES):
        mark = _mark(page.title, state.current_run())
        if (ROOT / page.file).exists():
            label = f"{number}\u2002{page.title}{mark}" if number else page.title
            st.page_link(page.file, label=label, query_params=link_parameters())


def _mark(title: str, run: Snapshot | None) -> str:
    """✓ for what there is, ● 62 % for what is under way."""
    if title == "Data" and state.current_data() is not None:
        return " :green[✓]"
    if title == "Learn" and run is not None:
        if run.state == "waiting":
            return f" :orange[● waiting, {run.position}]"
        return f" :orange[● {run.fraction:.0%}]" if run.active else " :green[✓]" if run.has_result else ""
    return ""


def _data_chip() -> None:
    """The current data set, and a switcher."""
    current = state.current_data()
    if current is None:
        st.popover("no data yet", icon=":material/table:").markdown("Load a table, take an example or simulate one.")
        return
    size = f"{whole(current.data.rows)} × {current.data.variables}"
    with st.popover(f"{plain(current.name, 28)} · {size}", icon=":material/table:"):
        for key, saved in state.data_sets().items():
            label = f"{plain(saved.name, 60)} · {whole(saved.data.rows)} × {saved.data.variables}"
            _choice(label, f"data-{key}", saved is current, state.choose_data, key)
        link("Data", "Load or simulate other data")


def _run_chip() -> None:
    """The current run, and a switcher."""
    current = state.current_run()
    if current is None:
        st.popover("no run yet", icon=":material/play_circle:").markdown("Choose on the Learn page what to run.")
        return
    with st.popover(f"{plain(current.name, 28)} · {ending(current)}", icon=":material/play_circle:"):
        for run in reversed(state.own_runs()):
            label = f"{plain(run.name, 60)} · {ending(run)}"
            _choice(label, f"run-{run.id}", run.id == current.id, state.choose_run, run.id)
        link("Learn", "Run again with other choices")


def _choice(label: str, key: str, chosen: bool, choose: Callable[[str], None], value: str) -> None:
    """One line of a switcher."""
    mark = ":material/check:" if chosen else None
    st.button(label, key=key, type="tertiary", icon=mark, on_click=choose, args=(value,))


def ending(run: Snapshot) -> str:
    """How far a run is, in two words."""
    if run.active:
        return run.state
    return f"{run.state} {seconds(run.elapsed(run.finished or 0.0))}" if run.state in ("done", "stopped") else run.state
