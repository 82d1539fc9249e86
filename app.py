"""Home: what this is and the three steps."""

import streamlit as st

from pages._ui import frame, state
from pages._ui.words import plain

frame.open_page("Home")

st.markdown(
    "BiNOTEARS learns from a table of zeros and ones which variable causes which, also when causes act "
    "**only together** (an interaction), like two switches on one lamp. It says what the data cannot tell, "
    "and everything stays on this machine."
)

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

if recent := state.own_runs():
    st.subheader("Your runs", anchor=False)
    for run in reversed(recent):
        name = f"{plain(run.name, 60)} · {frame.ending(run)}"
        st.button(name, key=f"recent-{run.id}", on_click=state.choose_run, args=(run.id,), type="tertiary")
