"""What a user has open, and the only module that touches `st.session_state` and the address bar.

Data sets live in the session; runs live in the registry and the session knows only their ids. The current run always
belongs to the current data: choosing one brings the other along. `?run=<id>` in the address survives F5 and a restart
of the server: a fresh session takes its first run, with data and truth, from there.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from binotears_core.archive import SavedData, SavedRun, SavedSession
from binotears_core.results import FitResult
from pages._ui.running import Setup, Snapshot, runs

_KEY = "binotears"


@dataclass
class Session:
    """One browser tab. `runs` maps the id of a run to the key of its data, oldest first."""

    owner: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    data: dict[str, SavedData] = field(default_factory=dict)
    current_data: str | None = None
    runs: dict[str, str] = field(default_factory=dict)
    current_run: str | None = None
    notice: str = ""
    choices: dict[str, Any] = field(default_factory=dict)


def session() -> Session:
    """The session of this tab; a fresh one follows the link it was opened with."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Session()
        if link := st.query_params.get("run"):
            _restore(link)
    found: Session = st.session_state[_KEY]
    return found


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


def own_runs() -> list[Snapshot]:
    """Runs of this session that still exist, oldest first."""
    found = [runs().snapshot(run) for run in session().runs]
    return [snapshot for snapshot in found if snapshot is not None]


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


# Links and files -----------------------------------------------------------------------------------------------------


def save_session() -> SavedSession:
    """Everything open, for one file."""
    mine = session()
    keys = list(mine.data)
    finished = [(snapshot, result(snapshot.id)) for snapshot in own_runs()]
    saved = [SavedRun(s.name, keys.index(mine.runs[s.id]), found) for s, found in finished if found is not None]
    return SavedSession(tuple(mine.data.values()), tuple(saved))


def open_session(saved: SavedSession) -> None:
    """Add everything from a file to what is open."""
    keys = [add_data(data) for data in saved.data]
    for run in saved.runs:
        setup = Setup(name=run.name, data=saved.data[run.data])
        session().runs[runs().keep(setup, run.result)] = keys[run.data]
    if keys:
        choose_data(keys[-1])


def _restore(run: str) -> None:
    setup = runs().setup(run)
    if setup is None:
        session().notice = "The run this link points to is no longer stored. Load data and run again."
        return
    session().runs[run] = add_data(setup.data)
    choose_run(run)
