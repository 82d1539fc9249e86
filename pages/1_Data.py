"""Data: load a table, take a sample or simulate one; then look at it."""

from binotears_core.archive import SavedData
from pages._ui import frame, state
from pages._ui.examples import Example
from pages._ui.switches import switch
from pages._ui.tables import loading, profile, samples, simulating, uploads

frame.open_page("Data")

THIS, LOAD, SAMPLE, SIMULATE = "This data", "Load", "Samples", "Simulate"


def use(saved: SavedData) -> None:
    """Make a data set current and show it."""
    state.add_data(saved)
    state.choose("data view", THIS)


def prepare(example: Example) -> None:
    """Open a sample in the table of columns."""
    assert example.path is not None
    loading.open_sample(uploads.sample(example.path))
    state.choose("data view", LOAD)


current = state.current_data()
views = [LOAD, SAMPLE, SIMULATE] if current is None else [THIS, LOAD, SAMPLE, SIMULATE]
view = switch("data view", "What to do", views, hide_label=True, wide=True)

if view == THIS and current is not None:
    profile.section(current)
elif view == LOAD:
    loading.section(use)
elif view == SAMPLE:
    samples.section(use, prepare)
else:
    simulating.section(use)
