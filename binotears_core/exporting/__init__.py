"""Results as text for other programs: functions of a `FitResult` that return a string (or, for JSON, a dict).

Variable names are arbitrary text. Each format quotes or escapes them in its own way; where a format cannot hold a name,
a readable replacement stands in, and two names are never merged.

    result_json, read_result_json     the whole result
    edge_list_csv, read_edge_list_csv  source,target,strength
    graphml, dot, dagitty              the graph
    bif                                the graph with its conditional probabilities
    latex_table                        the coefficients
"""

from binotears_core.exporting.bif import bif
from binotears_core.exporting.csv_text import edge_list_csv, read_edge_list_csv, truth_csv
from binotears_core.exporting.graphs import dagitty, dot, graphml
from binotears_core.exporting.latex import latex_table
from binotears_core.exporting.result_json import read_result_json, result_json

__all__ = [
    "bif",
    "dagitty",
    "dot",
    "edge_list_csv",
    "graphml",
    "latex_table",
    "read_edge_list_csv",
    "read_result_json",
    "result_json",
    "truth_csv",
]
