"""BiNOTEARS: causal structure in binary data, with interactions of any order.

    import binotears_core as bn

    data = bn.load("survey.csv")                 # or bn.BinaryData.from_frame(df), or bn.simulate(...)
    result = bn.fit(data)
    result.graph, result.cpdag, result.coefficients

Read next: graph/dag.py (the one convention), model/objective.py, model/acyclicity.py, solvers/dagma.py, fitting.py.
"""

from binotears_core.data.loading import inspect, load
from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError, OptionError
from binotears_core.estimating import Estimate, estimate
from binotears_core.fitting import fit
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.members import EquivalenceClass
from binotears_core.graph.metrics import compare
from binotears_core.planning import FitOptions
from binotears_core.results import FitResult, Progress, Status
from binotears_core.simulation import simulate
from binotears_core.solvers.dagma import DagmaOptions, Schedule
from binotears_core.solvers.exact import recover_dag, recover_parents, recover_sparsest
from binotears_core.solvers.local_scores import ScoreOptions

__all__ = [
    "BinaryData",
    "Constraints",
    "DagmaOptions",
    "DataError",
    "EquivalenceClass",
    "Estimate",
    "FitOptions",
    "FitResult",
    "OptionError",
    "Progress",
    "Schedule",
    "ScoreOptions",
    "Status",
    "compare",
    "estimate",
    "fit",
    "inspect",
    "load",
    "recover_dag",
    "recover_parents",
    "recover_sparsest",
    "simulate",
]
