"""Home: what this is, the three steps, and examples that lead straight to a result."""

import streamlit as st

from binotears_core.graph.dag import from_edges
from pages._ui import frame, inputs, state
from pages._ui.edge_lists import parse_arrows
from pages._ui.examples import EXAMPLES, Example
from pages._ui.graphview.drawing import plain_picture
from pages._ui.graphview.picture import Picture
from pages._ui.graphview.view import sketch
from pages._ui.running import RunRefused
from pages._ui.words import plain

frame.open_page("Home")

st.markdown(
    "BiNOTEARS learns from a table of zeros and ones which variable causes which, also when causes act "
    "**only together** (an interaction), like two switches on one lamp. It says what the data cannot tell, "
    "and everything stays on this machine."
)


def start(example: Example) -> None:
    """Take an example, run it, and watch the run."""
    saved = example.load()
    state.add_data(saved)
    inputs.recall(saved.data, example.options)
    try:
        state.start_run(example.run_name, example.options)
    except RunRefused as refusal:
        st.error(str(refusal))
        return
    st.switch_page(frame.file_of("Learn"), query_params=frame.link_parameters())


def picture(example: Example) -> Picture:
    """What an example is about."""
    names, edges = parse_arrows(example.sketch)
    return plain_picture(from_edges(edges, names), names, together=example.together)


load, learn, explore = st.columns(3, border=True)
with load:
    st.subheader("1 · Bring data", anchor=False)
    st.markdown("Load a table, take an example, or simulate data whose true graph you know.")
    frame.link("Data", "Go to Data →")
with learn:
    st.subheader("2 · Learn", anchor=False)
    st.markdown("Choose which interactions to allow, run, and watch the graph appear. You can stop at any time.")
    frame.link("Learn", "Go to Learn →")
with explore:
    st.subheader("3 · Explore", anchor=False)
    st.markdown("Look at the graph, at what the data cannot tell, and at how every variable depends on its causes.")
    frame.link("Graph", "Go to Graph →")

st.subheader("Or begin with an example", anchor=False)
featured = [example for example in EXAMPLES if example.featured]
for place, example in zip(st.columns(len(featured), border=True), featured, strict=True):
    with place, st.container(height="stretch", vertical_alignment="distribute"):
        with st.container():
            sketch(picture(example), f"sketch {example.key}")
            st.markdown(f"**{example.name}**  \n{example.lesson}")
        if st.button(f"Run {example.name}", key=f"example {example.key}", icon=":material/play_arrow:"):
            start(example)

if recent := state.own_runs():
    st.subheader("Your runs", anchor=False)
    for run in reversed(recent):
        name = f"{plain(state.data_name(run.id), 40)} · {plain(run.name, 60)} · {frame.ending(run)}"
        st.button(name, key=f"recent {run.id}", on_click=state.choose_run, args=(run.id,), type="tertiary")
