"""Ways to find a graph."""
