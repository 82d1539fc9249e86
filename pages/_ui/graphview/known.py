"""What is known before any data are seen decides directions that the data cannot tell. No Streamlit here."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.graph.dag import Adjacency
from binotears_core.graph.members import EquivalenceClass
from binotears_core.results import FitResult


def known_class(adjacency: Adjacency, data: BinaryData, result: FitResult) -> EquivalenceClass:
    """The class of a graph of a run, with the directions that the constraints of the run decide."""
    members = EquivalenceClass.of_dag(adjacency, data.names)
    constraints = getattr(result.options, "constraints", None)
    if constraints is None:
        return members
    rules = constraints.resolve(data.names, data.groups)
    joined = (adjacency != 0) | (np.transpose(adjacency) != 0)
    try:
        return members.with_rules(replace(rules, required=rules.required & joined))
    except OptionError:  # an earlier step of the run may not obey them yet
        return members
