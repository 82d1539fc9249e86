"""Random graphs and binary data with interactions (paper, app. "Experimental Setting").

A node X_j with parents P is drawn with log-odds Σ_{S⊆P} h_S · Π_{i∈S} X_i. A *mechanism* says which orders |S| are in.

>>> truth, data = simulate(graph=[("rain", "wet"), ("sprinkler", "wet")], mechanism="pth", samples=1000, seed=1)
>>> sorted(truth.coefficients["wet"])
[(), ('rain', 'sprinkler')]
>>> data.names, data.rows
(('rain', 'wet', 'sprinkler'), 1000)
"""

from binotears_core.simulation.graphs import GRAPHS, random_graph
from binotears_core.simulation.mechanisms import MECHANISMS, draw_coefficients
from binotears_core.simulation.sampling import Truth, probabilities, sample, simulate

__all__ = [
    "GRAPHS",
    "MECHANISMS",
    "Truth",
    "draw_coefficients",
    "probabilities",
    "random_graph",
    "sample",
    "simulate",
]
