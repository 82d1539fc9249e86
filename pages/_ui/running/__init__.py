"""Background runs. Only this file knows Streamlit; the rest can be used and tested without it."""

from __future__ import annotations

import streamlit as st

from pages._ui.running.pool import pool_size
from pages._ui.running.registry import Rules, RunRefused, Runs, Setup
from pages._ui.running.snapshots import Report, Snapshot
from pages._ui.running.store import RunStore, data_folder

__all__ = ["Report", "RunRefused", "Runs", "Setup", "Snapshot", "runs"]


@st.cache_resource(show_spinner=False)
def runs() -> Runs:
    """The one registry of this server."""
    return Runs(RunStore(data_folder()), Rules(workers=pool_size()))
