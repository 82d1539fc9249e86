"""What the explore pages look at: the current run's result and its data; or, without one, what to do first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import streamlit as st

from binotears_core.archive import SavedData
from binotears_core.explain.coefficients import NodeFit, fit_node
from binotears_core.graph.dag import Adjacency, parents
from binotears_core.graph.members import EquivalenceClass
from binotears_core.model.features import resolve_orders
from binotears_core.results import FitResult
from pages._ui import frame, state
from pages._ui.graphview.known import known_class
from pages._ui.words import plain

CACHED_FITS = 2000


@dataclass(frozen=True, eq=False)
class Opened:
    """A finished run and its data."""

    run: str
    saved: SavedData
    result: FitResult

    def orders(self, node: int) -> frozenset[int]:
        """The interaction orders in the model of a node of the learned graph."""
        table = self.result.coefficients
        rows = table[table["node"] == self.result.names[node]]
        return frozenset(int(order) for order in rows["order"] if order > 0)

    def allowed_orders(self) -> frozenset[int]:
        """The interaction orders the run was allowed, for graphs other than the learned one."""
        asked = getattr(self.result.options, "orders", "auto")
        return resolve_orders(asked, len(self.result.names), all_up_to=12)

    def required(self) -> npt.NDArray[np.bool_] | None:
        """(p, p) edges the run was told to have."""
        constraints = getattr(self.result.options, "constraints", None)
        data = self.saved.data
        return None if constraints is None else constraints.resolve(data.names, data.groups).required

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Columns that are one variable: those of the data, and those the run was told of."""
        told = getattr(getattr(self.result.options, "constraints", None), "groups", ())
        return (*self.saved.data.groups, *told)

    def members(self, adjacency: Adjacency) -> EquivalenceClass:
        """The class of a graph of this run, with what was known beforehand."""
        return known_class(adjacency, self.saved.data, self.result)

    def fit(self, node: int, adjacency: Adjacency, orders: frozenset[int] | None = None) -> NodeFit:
        """The regression of a node on its parents in a graph; with the learned model unless `orders` are given."""
        causes = tuple(parents(adjacency, node))
        if orders is None:
            learned = causes == tuple(parents(self.result.adjacency, node))
            orders = self.orders(node) if learned else self.allowed_orders()
        return _fit(self.saved.data.fingerprint, node, causes, orders, self.saved)


# Keyed by our own fingerprint: Streamlit would hash only a sample of a large table.
@st.cache_resource(max_entries=CACHED_FITS, show_spinner=False)
def _fit(fingerprint: str, node: int, causes: tuple[int, ...], orders: frozenset[int], _saved: SavedData) -> NodeFit:
    return fit_node(_saved.data, node, list(causes), orders)


def open_result() -> Opened | None:
    """The current result; without one, says what to do and returns None."""
    saved, run, result = state.current_data(), state.current_run(), state.result()
    if saved is not None and run is not None and result is not None:
        if not result.status.ok:
            st.info(plain(result.status.message), icon=":material/info:")
        return Opened(run.id, saved, result)
    with st.container(border=True):
        if saved is None:
            st.markdown(
                "#### Nothing to show yet\nFirst load a table, take an example or simulate data; then learn a graph."
            )
            frame.link("Data", "Go to Data →")
        elif run is None:
            st.markdown(f"#### No graph yet\n{plain(saved.name, 60)} is loaded. Learn its graph to see it here.")
            frame.link("Learn", "Go to Learn →")
        elif run.active:
            st.markdown(
                f"#### The run is {run.state}\nThis page fills by itself when it ends ({run.fraction:.0%} done)."
            )
            frame.link("Learn", "Watch it →")
        else:
            st.markdown(f"#### This run has no graph to show\n{plain(run.message)}")
            frame.link("Learn", "Run again →")
    return None
