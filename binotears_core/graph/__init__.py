"""DAGs, constraints, equivalence classes, distances between graphs."""
