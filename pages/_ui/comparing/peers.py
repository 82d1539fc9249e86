"""Other methods on the same data, computed in the background like our own runs."""

from __future__ import annotations

import streamlit as st

from binotears_core.baselines import PEERS, PeerResult, available
from pages._ui import state
from pages._ui.comparing.scores import Candidate
from pages._ui.running import RunRefused, Snapshot, runs
from pages._ui.words import plain, seconds

SECONDS_BETWEEN_LOOKS = 0.7


def candidates() -> list[Candidate]:
    """The graphs of other methods on the current data; of a method that ran twice, the last one."""
    found: dict[str, Candidate] = {}
    for run in state.peer_runs():
        result = runs().result(run.id) if run.has_result else None
        if isinstance(result, PeerResult) and result.status.code != "failed":
            title = PEERS[result.name].title
            found[result.name] = Candidate(f"peer {result.name}", title, result.graph, result.seconds)
    return list(found.values())


def section() -> None:
    """Buttons that start a method, and what became of them."""
    st.subheader("Other methods on the same data", anchor=False)
    running = any(run.active for run in state.peer_runs())
    st.fragment(_look, run_every=SECONDS_BETWEEN_LOOKS if running else None)(running)


@st.cache_data(show_spinner=False)
def _available() -> dict[str, tuple[bool, str]]:
    """What is installed does not change while the server runs; looking for Java takes a while."""
    return available()


def _look(was_running: bool) -> None:
    snapshots = state.peer_runs()
    if was_running != any(run.active for run in snapshots):
        st.rerun()  # begun: the timer starts; ended: the scoreboard gets its new rows
    by_title = {run.name: run for run in snapshots}
    here = {name: peer for name, peer in PEERS.items() if _available()[name][0]}
    with st.container(horizontal=True):
        for name, peer in here.items():
            run = by_title.get(peer.title)
            busy = run is not None and run.active
            icon = ":material/hourglass_top:" if busy else ":material/check:" if run is not None else None
            st.button(
                peer.title, key=f"peer {name}", icon=icon, disabled=busy, on_click=_start, args=(name,),
                help=_ending(run),
            )  # fmt: skip
    for run in by_title.values():
        if sentence := _trouble(run):
            st.warning(f"{plain(run.name)}: {plain(sentence, 400)}")
    lacking = {peer.title: _available()[name][1] for name, peer in PEERS.items() if name not in here}
    if lacking:
        with st.popover(f"{len(lacking)} more could be installed"):
            for title, what in lacking.items():
                st.markdown(f"**{title}**: {plain(what)}")


def _start(name: str) -> None:
    try:
        state.start_peer(PEERS[name].title, {"name": name})
    except RunRefused as refusal:
        state.session().notice = str(refusal)


def _ending(run: Snapshot | None) -> str | None:
    if run is None:
        return None
    if run.active:
        return "waiting" if run.state == "waiting" else "running"
    return f"{run.state}, {seconds(run.elapsed(0.0))}; click to run again"


def _trouble(run: Snapshot) -> str:
    """What went wrong, if anything did."""
    if run.state in ("failed", "lost", "stopped"):
        return run.message
    result = runs().result(run.id) if run.has_result else None
    return result.status.message if isinstance(result, PeerResult) and result.status.code == "failed" else ""
