"""The paper's experiments: many methods on the same simulated data. `benchmarks/reproduce.py` is the command.

grids      which data sets, which methods on them: a list of units of work
methods    what a method is called, how it is drawn, and how it learns; one unit measured is one row
store      rows on disk, one line each, appended as they come
running    units through worker processes, or through a Dask cluster
figures    SHD against the number of variables, as PNG and as interactive HTML
page       docs/experiments.md
"""
