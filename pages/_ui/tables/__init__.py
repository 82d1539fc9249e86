"""The Data page: bring a table in, decide what becomes 0 and 1, look at it."""
