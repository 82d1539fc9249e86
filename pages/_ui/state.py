"""What a user has open, and the only module that touches `st.session_state` and the address bar.

Data sets live in the session; runs live in the registry and the session knows only their ids. The current run always
belongs to the current data: choosing one brings the other along.

F5 gives Streamlit a new session. Two things bring the old one back: `?run=<id>` in the address (also after a restart of
the server, and for whoever was sent the link) restores that run with its data and truth; a token that the browser
keeps for this tab alone restores everything else.
"""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from binotears_core.archive import SavedData, SavedRun, SavedSession
from binotears_core.graph.dag import Adjacency
from binotears_core.planning import FitOptions
from binotears_core.results import FitResult
from pages._ui.running import Setup, Snapshot, runs

T = TypeVar("T")

_KEY = "binotears"
_SETTLED = 20.0  # seconds
_REMEMBERED = 100  # sessions that F5 can bring back, over all users

# The browser keeps `sessionStorage` per tab, through reloads, and does not put it into links.
_tab_memory = st.components.v2.component(
    "binotears_tab",
    js="""export default function ({ data, setStateValue }) {
        const before = sessionStorage.getItem("binotears");
        sessionStorage.setItem("binotears", data);
        if (before && before !== data) setStateValue("before", before);
    }""",
)


@dataclass
class Session:
    """One browser tab. `runs` maps the id of a run to the key of its data, oldest first."""

    owner: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    data: dict[str, SavedData] = field(default_factory=dict)
    current_data: str | None = None
    runs: dict[str, str] = field(default_factory=dict)
    current_run: str | None = None
    peers: dict[str, str] = field(default_factory=dict)  # runs of other methods, which are never the current run
    notice: str = ""
    linked: str | None = None  # a run that came by link, whose choices no page has shown yet
    choices: dict[str, Any] = field(default_factory=dict)
    resumed: bool = False
    appeared: dict[str, float] = field(default_factory=dict)  # when a widget was first drawn
    generation: int = 0  # part of every widget's key, so that remembered choices can be put back


def session() -> Session:
    """The session of this tab; a fresh one follows the link it was opened with."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Session()
        if link := st.query_params.get("run"):
            _restore(link)
    found: Session = st.session_state[_KEY]
    return found


@st.cache_resource(show_spinner=False)
def _remembered() -> OrderedDict[str, Session]:
    return OrderedDict()


def resume() -> None:
    """After F5: take over what this tab had open before."""
    mine, shelf = session(), _remembered()
    shelf[mine.owner] = mine
    shelf.move_to_end(mine.owner)
    while len(shelf) > _REMEMBERED:
        shelf.popitem(last=False)
    before = _tab_memory(data=mine.owner, key="tab", on_before_change=lambda: None).before
    if before is None or mine.resumed or before not in shelf:
        return
    old, link = shelf[before], mine.current_run
    foreign = link is not None and link not in old.runs  # this tab followed a link to a run it did not have
    mine.data = {**old.data, **(mine.data if foreign else {})}
    mine.runs = {**old.runs, **(mine.runs if foreign else {})}
    mine.peers = {**old.peers}
    mine.choices, mine.resumed, mine.generation = {**old.choices}, True, mine.generation + 1
    mine.current_data, mine.current_run = old.current_data, old.current_run
    if link is not None:
        choose_run(link)
    if not foreign:
        mine.linked = None
    st.rerun()


def refresh_link() -> None:
    """Write the current run into the address (page links drop it)."""
    current = session().current_run
    if current is None:
        st.query_params.pop("run", None)
    elif st.query_params.get("run") != current:
        st.query_params["run"] = current


# Data ----------------------------------------------------------------------------------------------------------------


def data_sets() -> Mapping[str, SavedData]:
    """All data sets of this session by key, oldest first."""
    return session().data


def current_data() -> SavedData | None:
    """The data set everything is about, or None."""
    mine = session()
    return None if mine.current_data is None else mine.data[mine.current_data]


def add_data(saved: SavedData) -> str:
    """Take a data set in and make it current; returns its key. The same data under the same name are kept once."""
    mine = session()
    for key, other in mine.data.items():
        if other.name == saved.name and other.data.fingerprint == saved.data.fingerprint:
            mine.data[key] = saved
            break
    else:
        key = secrets.token_urlsafe(8)
        mine.data[key] = saved
    choose_data(key)
    return key


def choose_data(key: str) -> None:
    """Make a data set current, and with it its newest run."""
    mine = session()
    mine.current_data = key
    mine.current_run = next((run for run, data in reversed(mine.runs.items()) if data == key), None)


def add_truth(title: str, truth: Adjacency) -> None:
    """Keep a graph that is known to be true for the current data."""
    mine, data = session(), current_data()
    assert data is not None
    assert mine.current_data is not None
    mine.data[mine.current_data] = replace(data, truths={**data.truths, title: truth})


# Runs ----------------------------------------------------------------------------------------------------------------


def start_run(name: str, options: Mapping[str, Any], kind: str = "fit") -> str:
    """Queue a run on the current data and make it current; raises RunRefused when there is no room."""
    mine, data = session(), current_data()
    assert data is not None
    assert mine.current_data is not None
    run = runs().submit(mine.owner, Setup(name=name, data=data, options=options, kind=kind))
    mine.runs[run] = mine.current_data
    mine.current_run = run
    return run


def start_peer(title: str, options: Mapping[str, Any]) -> str:
    """Queue another method on the current data, beside the current run; raises RunRefused when there is no room."""
    mine, data = session(), current_data()
    assert data is not None
    assert mine.current_data is not None
    run = runs().submit(mine.owner, Setup(name=title, data=data, options=options, kind="peer"))
    mine.peers[run] = mine.current_data
    return run


def peer_runs() -> list[Snapshot]:
    """Runs of other methods on the current data, oldest first."""
    mine = session()
    found = [runs().snapshot(run) for run, data in mine.peers.items() if data == mine.current_data]
    return [snapshot for snapshot in found if snapshot is not None]


def under_way() -> bool:
    """True while anything of this session waits or computes. Asking keeps it alive (see registry.py)."""
    found = [runs().snapshot(run) for run in (*session().runs, *session().peers)]
    return any(snapshot is not None and snapshot.active for snapshot in found)


def own_runs() -> list[Snapshot]:
    """Runs of this session that still exist, oldest first."""
    found = [runs().snapshot(run) for run in session().runs]
    return [snapshot for snapshot in found if snapshot is not None]


def data_name(run: str) -> str:
    """The name of the data of a run of this session."""
    mine = session()
    return mine.data[mine.runs[run]].name


def current_run() -> Snapshot | None:
    """The run everything is about, or None."""
    current = session().current_run
    return None if current is None else runs().snapshot(current)


def choose_run(run: str) -> None:
    """Make a run current, and with it its data."""
    mine = session()
    mine.current_run, mine.current_data = run, mine.runs[run]


def forget_run(run: str) -> None:
    """Drop a run for good."""
    mine = session()
    runs().forget(run)
    data = mine.runs.pop(run)
    if mine.current_run == run:
        choose_data(data)


def result(run: str | None = None) -> FitResult | None:
    """The result of a run (of the current one), or None when it has none."""
    wanted = run or session().current_run
    found = None if wanted is None else runs().result(wanted)
    return found if isinstance(found, FitResult) else None


# Choices -------------------------------------------------------------------------------------------------------------


def kept(name: str, default: T, widget: Callable[[str], T]) -> T:
    """Draw a widget (a function of its key) whose value outlives page changes and F5.

    Streamlit forgets a widget that is not drawn; so its value is kept here, and put back when it is drawn again.
    """
    mine = session()
    key = f"{name}-{mine.generation}"
    if key not in st.session_state:
        st.session_state[key] = mine.choices.get(name, default)
        mine.appeared[key] = time.monotonic()
    elif time.monotonic() - mine.appeared.get(key, 0.0) < _SETTLED:
        # A click during the first run of a page interrupts it, and what it had to tell the browser may be lost: the
        # widget then began with its lowest value (3 of 14 times). So the value is said again for a while; not for
        # ever, because that would undo half-typed text.
        st.session_state[key] = st.session_state[key]
    mine.choices[name] = widget(key)
    value: T = mine.choices[name]
    return value


def kept_table(name: str, default: pd.DataFrame, editor: Callable[[pd.DataFrame, str], pd.DataFrame]) -> pd.DataFrame:
    """The same for a table editor, which wants the table it began with for as long as it is drawn."""
    mine = session()
    key = f"{name}-{mine.generation}"
    if key not in st.session_state:
        mine.choices[f"{name} at first"] = mine.choices.get(name, default)
    mine.choices[name] = editor(mine.choices[f"{name} at first"], key)
    table: pd.DataFrame = mine.choices[name]
    return table


def widget(key: str) -> Any:
    """What a widget holds now, for its callback."""
    return st.session_state.get(key)


def choose(name: str, value: Any) -> None:
    """Set a remembered choice; call it from a callback, before its widget is drawn."""
    mine = session()
    mine.choices[name] = value
    st.session_state.pop(f"{name}-{mine.generation}", None)


def component_event(key: str, name: str) -> Any:
    """What a component has just sent under `name`; call it from the component's callback."""
    found = st.session_state.get(key)
    return None if found is None else found.get(name)


# Links and files -----------------------------------------------------------------------------------------------------


def save_session(mine: Session) -> SavedSession:
    """Everything open, for one file. The session is given: a download is made outside of it, where there is none."""
    keys = list(mine.data)
    finished = [(runs().snapshot(run), runs().result(run), keys.index(data)) for run, data in mine.runs.items()]
    saved = [
        SavedRun(snapshot.name, data, found)
        for snapshot, found, data in finished
        if snapshot is not None and isinstance(found, FitResult)
    ]
    return SavedSession(tuple(mine.data.values()), tuple(saved))


def open_session(saved: SavedSession) -> None:
    """Add everything from a file to what is open."""
    keys = [add_data(data) for data in saved.data]
    for run in saved.runs:
        options = run.result.options
        asked = vars(options) if isinstance(options, FitOptions) else {}
        setup = Setup(name=run.name, data=saved.data[run.data], options=asked)
        session().runs[runs().keep(setup, run.result)] = keys[run.data]
    if keys:
        choose_data(keys[-1])


def _restore(run: str) -> None:
    setup = runs().setup(run)
    if setup is None:
        session().notice = "The run this link points to is no longer stored. Load data and run again."
        return
    session().runs[run] = add_data(setup.data)
    session().linked = run
    choose_run(run)
