"""Learn: choose what the model may contain, run it, watch it."""

import streamlit as st

from binotears_core.errors import OptionError
from binotears_core.estimating import check_served, estimate
from binotears_core.planning import FitOptions, plan
from pages._ui import frame, inputs, runlist, runview, state
from pages._ui.colours import colours
from pages._ui.figures import schedule_figure
from pages._ui.running import RunRefused
from pages._ui.words import megabytes, plain, seconds, several

frame.open_page("Learn")

saved = state.current_data()
if saved is None:
    st.info("There are no data yet. Load a table, take an example or simulate one; then choose here what to learn.")
    frame.link("Data", "Go to Data →")
    st.stop()

inputs.follow_link()
with st.expander("What you know already: time order, groups, forbidden and required edges"):
    constraints = inputs.choose_constraints(saved)

choices, running = st.columns([1, 2], gap="large")

with choices:
    orders = inputs.choose_orders(saved.data.variables)
    method, refine = inputs.choose_method()
    with st.expander("λ/δ schedule"):
        schedule = inputs.choose_schedule()
        points = [schedule.penalty(step) for step in range(schedule.steps)]
        lams, deltas = [point.lam for point in points], [point.delta for point in points]
        picture = schedule_figure(lams, deltas, colours(st.context.theme.type))
        st.plotly_chart(picture, key="schedule", config={"displayModeBar": False}, alt="λ and δ fall from step to step")
    with st.expander("Expert"):
        expert = inputs.choose_expert(method)

with running:
    try:
        options = FitOptions(
            orders=orders, method=method, refine=refine, schedule=schedule, constraints=constraints, **expert
        )
        route = plan(saved.data, options)
        check_served(saved.data, options, route)
    except OptionError as error:
        st.error(plain(str(error), 1000), icon=":material/error:")
        st.stop()
    price = estimate(saved.data, options)
    known = f"Interactions of order {inputs.describe_orders(route.orders)}. Known: {inputs.describe(constraints)}."
    size = several(price.coefficients, "coefficient")
    reason = route.reason if saved.data.variables > 1 else "a single variable has no possible causes: load more columns"
    st.markdown(
        f"**{size} · about {seconds(price.seconds)} · {megabytes(price.bytes)}**  \n"
        f":gray[{reason[0].upper()}{reason[1:]}. {known}]"
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            "Name of the run", key="run name", placeholder=inputs.run_name(options), max_chars=inputs.LONGEST_NAME
        )
        start = st.button("Run", type="primary", icon=":material/play_arrow:", disabled=runlist.busy())
    if price.advice:
        st.warning(price.advice)
    if start:
        try:
            state.start_run(name.strip() or inputs.run_name(options), inputs.as_arguments(options))
            st.rerun()
        except RunRefused as refusal:
            st.error(plain(str(refusal), 300))
    current = state.current_run()
    if current is not None:
        runview.show_run(current)
    runlist.show()
