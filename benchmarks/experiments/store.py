"""Rows on disk: JSON lines, appended as soon as they are there, so that a killed run loses nothing it has measured."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd


class Store:
    """A file of rows. A row is known by its values under `key`; of two rows with one key the later counts.

    A kill can tear the last line. A torn line is no row: it is skipped on reading and ended before the next is written.
    """

    def __init__(self, path: Path, key: Iterable[str]) -> None:
        self.path, self.key = path, tuple(key)

    def append(self, rows: Iterable[dict[str, Any]]) -> None:
        """Add rows at the end, each in one write, and hand them to the disk."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+", buffering=0) as file:
            if self._torn(file):
                file.write(b"\n")
            for row in rows:
                file.write(json.dumps(row).encode() + b"\n")
            os.fsync(file.fileno())

    def rows(self) -> dict[tuple[Any, ...], dict[str, Any]]:
        """All rows by key."""
        if not self.path.exists():
            return {}
        lines = (self._parse(line) for line in self.path.read_bytes().splitlines())
        return {tuple(row[name] for name in self.key): row for row in lines if row is not None}

    def frame(self) -> pd.DataFrame:
        """All rows as a table, sorted by key."""
        rows = self.rows()
        return pd.DataFrame([rows[key] for key in sorted(rows)])

    def forget(self, column: str, values: Iterable[Any]) -> None:
        """Drop the rows with one of these values, for instance of a method that has changed."""
        gone = set(values)
        kept = [row for row in self.rows().values() if row[column] not in gone]
        beside = Store(self.path.with_suffix(".new"), self.key)
        beside.path.unlink(missing_ok=True)
        beside.append(kept)
        beside.path.replace(self.path)

    @staticmethod
    def _torn(file: Any) -> bool:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return bool(file.read(1) != b"\n")

    def _parse(self, line: bytes) -> dict[str, Any] | None:
        try:
            row = json.loads(line)
        except ValueError:
            return None
        return row if isinstance(row, dict) and set(self.key) <= set(row) else None
