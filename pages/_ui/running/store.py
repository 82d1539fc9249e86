"""Runs on disk: one SQLite file that survives a restart of the server, bounded in number, bytes and age.

A run's id is a bearer secret: whoever has it may read the run, and nothing here lists ids.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pages._ui.running.snapshots import Snapshot

LOG = logging.getLogger(__name__)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS data (key TEXT PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS runs (
    id TEXT PRIMARY KEY, created REAL NOT NULL, bytes INTEGER NOT NULL,
    snapshot TEXT NOT NULL, setup BLOB NOT NULL, data TEXT NOT NULL REFERENCES data (key), result BLOB
);
CREATE INDEX IF NOT EXISTS by_age ON runs (created);
"""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much the store keeps; the oldest runs go first."""

    runs: int = 500
    bytes: int = 1 << 30
    days: float = 30.0


def data_folder() -> Path:
    """BINOTEARS_DATA_DIR, or where this system keeps the data of applications."""
    if chosen := os.environ.get("BINOTEARS_DATA_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "binotears"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "binotears"
    return Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share")) / "binotears"


class RunStore:
    """Snapshots, set-ups, data and results of runs by id. Any thread may call any method."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._lock = threading.Lock()
        self._connection = _open(folder)

    def add(self, snapshot: Snapshot, setup: bytes, data: bytes) -> None:
        """Keep a new run; equal data are kept once."""
        key = hashlib.sha256(data).hexdigest()
        with self._lock, self._connection as sql:
            sql.execute("INSERT OR IGNORE INTO data VALUES (?, ?)", (key, data))
            row = (snapshot.id, snapshot.created, len(setup), snapshot.to_json(), setup, key, None)
            sql.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def update(self, snapshot: Snapshot, result: bytes | None = None) -> None:
        """Keep a later state of a run, and its result when there is one; then make room."""
        with self._lock, self._connection as sql:
            sql.execute("UPDATE runs SET snapshot = ? WHERE id = ?", (snapshot.to_json(), snapshot.id))
            if result is not None:
                sql.execute(
                    "UPDATE runs SET result = ?, bytes = length(setup) + ? WHERE id = ?",
                    (result, len(result), snapshot.id),
                )
        self.purge()

    def snapshot(self, run: str) -> Snapshot | None:
        """The last state kept, or None when there is no such run (any more)."""
        found = self._one("SELECT snapshot FROM runs WHERE id = ?", run)
        return None if found is None else Snapshot.from_json(found)

    def setup(self, run: str) -> bytes | None:
        """What the run was asked to do."""
        content: bytes | None = self._one("SELECT setup FROM runs WHERE id = ?", run)
        return content

    def data(self, run: str) -> bytes | None:
        """The data the run was given."""
        content: bytes | None = self._one("SELECT content FROM data JOIN runs ON data = key WHERE id = ?", run)
        return content

    def result(self, run: str) -> bytes | None:
        """What the run returned."""
        content: bytes | None = self._one("SELECT result FROM runs WHERE id = ?", run)
        return content

    def delete(self, run: str) -> None:
        """Forget a run."""
        with self._lock, self._connection as sql:
            sql.execute("DELETE FROM runs WHERE id = ?", (run,))
        self.purge()

    def purge(self, now: float | None = None) -> None:
        """Drop what is too old, then the oldest while there are too many runs or bytes, then data no run refers to."""
        oldest = (time.time() if now is None else now) - self._limits.days * 86_400
        with self._lock, self._connection as sql:
            sql.execute("DELETE FROM runs WHERE created < ?", (oldest,))
            # Newest first: a run stays while it and all newer ones fit. The bytes of shared data count once per run.
            sql.execute(
                "DELETE FROM runs WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER newest AS place,"
                " sum(bytes + (SELECT length(content) FROM data WHERE key = runs.data)) OVER newest AS total"
                " FROM runs WINDOW newest AS (ORDER BY created DESC, id)) WHERE place > ? OR total > ?)",
                (self._limits.runs, self._limits.bytes),
            )
            sql.execute("DELETE FROM data WHERE key NOT IN (SELECT data FROM runs)")
            sql.commit()
            sql.executescript("PRAGMA incremental_vacuum")  # `execute` would give back a single page

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _one(self, query: str, run: str) -> Any:
        """The only column of the only row, or None."""
        with self._lock:
            row = self._connection.execute(query, (run,)).fetchone()
        return None if row is None else row[0]


def _open(folder: Path) -> sqlite3.Connection:
    """The store's file; a damaged one is put aside, and without a writable folder we use a temporary one."""
    file = folder / "runs.sqlite"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return _connect(file)
    except (OSError, sqlite3.OperationalError):
        LOG.warning("The data folder %s cannot be written; runs are kept in a temporary one.", folder)
        return _connect(Path(tempfile.mkdtemp(prefix="binotears-")) / file.name)
    except sqlite3.DatabaseError:
        LOG.warning("The run store in %s is damaged; it was put aside and a new one begun.", folder)
        for part in folder.glob(f"{file.name}*"):
            part.replace(part.with_name(f"damaged-{int(time.time())}-{part.name}"))
        return _connect(file)


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=10.0, check_same_thread=False)
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.executescript(_SCHEMA)
    file.chmod(0o600)
    return connection
