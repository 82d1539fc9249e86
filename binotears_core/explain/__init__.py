"""Ways to read a graph: coefficients, effects, stability."""
