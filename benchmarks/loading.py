"""Rows per second and peak memory of loading a large file: python -m benchmarks.loading --rows 5000000 --format csv.

The peak should not grow with the number of rows (50 million rows of 20 columns must fit in 2 GB).
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from binotears_core.data.loading import load

PIECE = 100_000


def write_csv(path: Path, rows: int, columns: int, kind: str) -> None:
    """Random rows: 0/1, or numbers with many distinct values; correlated, so that patterns differ in frequency."""
    generator = np.random.default_rng(0)
    with path.open("wb") as file:
        file.write((",".join(f"v{j}" for j in range(columns)) + "\n").encode())
        for start in range(0, rows, PIECE):
            table = _values(generator, min(PIECE, rows - start), columns, kind)
            if kind == "bits":
                text = np.full((len(table), 2 * columns), ord(","), dtype=np.uint8)
                text[:, ::2], text[:, -1] = table + ord("0"), ord("\n")
                file.write(text.tobytes())
            else:
                np.savetxt(file, table, fmt="%.6g", delimiter=",")


def write_parquet(path: Path, rows: int, columns: int, kind: str) -> None:
    """The same rows as Parquet."""
    generator = np.random.default_rng(0)
    writer = None
    for start in range(0, rows, PIECE):
        table = _values(generator, min(PIECE, rows - start), columns, kind)
        batch = pa.table({f"v{j}": table[:, j] for j in range(columns)})
        writer = writer or pyarrow.parquet.ParquetWriter(path, batch.schema)
        writer.write_table(batch)
    if writer is not None:
        writer.close()


def _values(generator: np.random.Generator, rows: int, columns: int, kind: str) -> np.ndarray:
    numbers = generator.normal(size=(rows, columns)) + generator.normal(size=(rows, 1))
    return (numbers > 0).astype(np.uint8) if kind == "bits" else numbers


def main() -> None:
    """Write a file, load it, and print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--format", choices=["csv", "parquet"], default="csv")
    parser.add_argument("--kind", choices=["bits", "numbers"], default="bits")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{options.format}"
        write = write_csv if options.format == "csv" else write_parquet
        write(path, options.rows, options.columns, options.kind)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        data = load(path, binarise="median")
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        size = path.stat().st_size
    sys.stdout.write(
        f"{options.format} {options.kind}: {options.rows} rows x {options.columns} columns, {size / 1e6:.0f} MB; "
        f"{len(data.patterns)} patterns; {seconds:.1f} s, {options.rows / seconds:,.0f} rows/s; "
        f"peak memory {peak / 1024:.0f} MB (before loading {before / 1024:.0f} MB)\n"
    )


if __name__ == "__main__":
    main()
