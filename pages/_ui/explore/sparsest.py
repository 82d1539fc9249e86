"""The sparsest graphs over all orders of the variables (paper, Algorithm 3), beside the learned one."""

from __future__ import annotations

from math import factorial

import numpy as np
import streamlit as st

from binotears_core.archive import SavedData
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.equivalence import PDAG, cpdag
from binotears_core.graph.members import EquivalenceClass
from binotears_core.solvers.exact import MinimalClass, recover_sparsest
from pages._ui.explore.opened import Opened
from pages._ui.graphview.drawing import class_picture
from pages._ui.graphview.view import small_multiples
from pages._ui.words import several, whole

MOST_VARIABLES = 13  # 3^13 table cells: a second; the core can do 16
KNOWN = " Here orders that go against what is known do not count."
LISTED, SHOWN = 100, 4  # graphs that are compared, classes that are drawn


def section(opened: Opened) -> None:
    """How few edges the data can do with, and which classes do with so few."""
    names = opened.result.names
    if len(names) > MOST_VARIABLES:
        st.info(
            f"All orders of {len(names)} variables are too many for a page. It is shown for up to {MOST_VARIABLES}."
        )
        return
    constraints = getattr(opened.result.options, "constraints", None) or Constraints()
    found = _sparsest(opened.saved.data.fingerprint, repr(constraints), constraints, opened.saved)
    classes = classes_of(found, names)
    st.markdown(words(found, classes, opened.result.cpdag) + (KNOWN if constraints != Constraints() else ""))
    pictures = [class_picture(EquivalenceClass(one)) for one in classes[:SHOWN]]
    small_multiples(pictures, "sparsest", width=330)
    more = f" {SHOWN} of {len(classes)} classes are drawn." if len(classes) > SHOWN else ""
    st.caption(f"Solid arrow: every member has it. Amber, dashed: members disagree; the numbers count them.{more}")


def classes_of(found: MinimalClass, names: tuple[str, ...]) -> list[PDAG]:
    """The equivalence classes of the sparsest graphs, in the order in which they were found."""
    classes: dict[bytes, PDAG] = {}
    for member in found.members:
        one = cpdag(member.adjacency, names)
        classes.setdefault(np.asarray(one.matrix).tobytes(), one)
    return list(classes.values())


def words(found: MinimalClass, classes: list[PDAG], learned: PDAG) -> str:
    """What was found, for a student."""
    variables = len(learned.names)
    edges = len(learned.directed) + len(learned.undirected)
    graphs = several(len(found.members), "graph") if found.complete else f"more than {len(found.members)} graphs"
    kinds = "1 equivalence class" if len(classes) == 1 else f"{len(classes)} equivalence classes"
    same = any(np.array_equal(np.asarray(one.matrix), np.asarray(learned.matrix)) for one in classes)
    verdict = "The learned class is among them." if same else f"The learned graph has {several(edges, 'edge')}."
    return (
        "Put the variables in any order, and keep for each the ones before it that matter (BIC): one graph per order. "
        f"Over all **{whole(factorial(variables))} orders** the fewest edges are **{found.edges}**, "
        f"reached by {several(found.orders, 'order')} with {graphs} in {kinds}. "
        f"{verdict} Each edge here has to earn its place alone, without a search for the best total, "
        "so weak edges may be missing."
    )


# Keyed by our own fingerprint: Streamlit would hash only a sample of a large table.
@st.cache_resource(max_entries=50, show_spinner="Comparing all orders …")
def _sparsest(fingerprint: str, known: str, _constraints: Constraints, _saved: SavedData) -> MinimalClass:
    data = _saved.data
    return recover_sparsest(data, rules=_constraints.resolve(data.names, data.groups), limit=LISTED)
