"""A warm worker process, seen from this side of its pipes (`binotears_core.worker` is the other side)."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

from binotears_core import worker


def pool_size() -> int:
    """BINOTEARS_WORKERS, or one process per core but one, so that the pages keep a core to themselves."""
    chosen = os.environ.get("BINOTEARS_WORKERS", "")
    if chosen.isdigit() and int(chosen) > 0:
        return int(chosen)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(cores - 1, 1)


class Worker:
    """A process that computes one job at a time, replaced when it has died. It ends by itself when we are gone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Number of the process, if one is alive."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def start(self) -> subprocess.Popen[bytes]:
        """The living process; a fresh one if there is none. Raises OSError when the system has no room for it."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._close()
                # A session of its own: Ctrl-C in the server's terminal should reach only the server.
                self._process = subprocess.Popen(
                    worker.command(),
                    env=worker.environment(),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
            return self._process

    def run(self, job: str, line: bytes) -> Iterator[dict[str, Any]]:
        """Ask for a job; yields its progress, then its end. Stops without an end when the process dies."""
        process = self.start()
        assert process.stdout is not None
        self.send(line)
        for answer in process.stdout:
            message = json.loads(answer)
            if message.get("id") == job:
                yield message
                if "progress" not in message:
                    return

    def send(self, line: bytes) -> None:
        """Write one line; that the process is gone is noticed when its answers end."""
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):
                self._process.stdin.write(line)
                self._process.stdin.flush()

    def kill(self) -> None:
        """End the process at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """End the process and close its pipes."""
        self.kill()
        self._close()

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout) if self._process is not None else ():
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
