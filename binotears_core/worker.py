"""A process that computes for the app: `python -m binotears_core.worker`, JSON lines in and out.

In    {"id": …, "kind": "fit" or "peer", "data": <base64 archive>, "options": <tree of fit's keyword arguments>}
      {"cancel": id}                         the running job returns its best so far
Out   {"ready": pid}
      {"id": …, "progress": {stage, step, …, graph}}                            about ten a second
      {"id": …, "result": <base64 archive>}                                     the end, or
      {"id": …, "error": {"kind": "data|option|memory|crash", "message": …}}

One job at a time, in order. The process is nice, uses one thread, writes nothing else to standard output (what a
library prints goes to standard error) and ends when its standard input ends or nobody reads its output any more.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np

from binotears_core import archive
from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError, OptionError
from binotears_core.fitting import fit
from binotears_core.results import Progress, ProgressCallback

NICENESS = 10
SECONDS_BETWEEN_REPORTS = 0.1

Handler = Callable[[BinaryData, dict[str, Any], ProgressCallback], Any]


def command() -> list[str]:
    """How to start a worker with this very Python."""
    return [sys.executable, "-m", "binotears_core.worker"]


def environment() -> dict[str, str]:
    """Our environment, one thread per worker, and the folder of this package on the path."""
    here = str(Path(__file__).resolve().parent.parent)
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")
    path = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
    return {**os.environ, **threads, "PYTHONPATH": path}


def encode_job(job: str, kind: str, data: bytes, options: dict[str, Any]) -> bytes:
    """The line that asks for a job; `data` is an archive of a BinaryData, `options` may hold our dataclasses."""
    text = base64.b64encode(data).decode()
    return _line({"id": job, "kind": kind, "data": text, "options": archive.to_tree(options, [])})


def encode_cancel(job: str) -> bytes:
    """The line that asks a job to stop."""
    return _line({"cancel": job})


def main() -> int:
    """Serve jobs until standard input ends."""
    # Our answers get a private descriptor; descriptor 1 becomes standard error, also for compiled libraries.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _be_modest()
    Worker(sys.stdin.buffer, answers).serve()
    return 0


class Worker:
    """Jobs from one stream, answers to another. A thread listens, so that a cancel is heard during a job."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._requests, self._answers = requests, answers
        self._jobs: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._cancelled: set[str] = set()

    def serve(self) -> None:
        """Answer every request in turn."""
        threading.Thread(target=self._listen, daemon=True).start()
        self._say({"ready": os.getpid()})
        while (job := self._jobs.get()) is not None:
            self._say({"id": job["id"], **self._answer(job)})
            self._cancelled.discard(job["id"])

    def _listen(self) -> None:
        try:
            for line in self._requests:
                request = json.loads(line)
                if "cancel" in request:
                    self._cancelled.add(request["cancel"])
                else:
                    self._jobs.put(request)
        finally:
            self._jobs.put(None)

    def _answer(self, job: dict[str, Any]) -> dict[str, Any]:
        try:
            data = archive.load_data(base64.b64decode(job["data"]))
            options = archive.from_tree(job["options"])
            value = HANDLERS[job["kind"]](data, options, self._reporter(job["id"]))
            return {"result": base64.b64encode(archive.dump(value)).decode()}
        except DataError as error:
            return _error("data", str(error))
        except OptionError as error:
            return _error("option", str(error))
        except MemoryError:
            return _error("memory", "The run needed more memory than there is. Choose lower orders or fewer variables.")
        except Exception as error:
            traceback.print_exc()
            return _error(
                "crash", f"The run broke off ({type(error).__name__}). Try other options; the log has the details."
            )

    def _reporter(self, job: str) -> ProgressCallback:
        """A progress callback that speaks at most ten times a second and asks to stop once the job is cancelled."""
        last_time, last_stage = -np.inf, ""

        def report(progress: Progress) -> bool:
            nonlocal last_time, last_stage
            now = time.monotonic()
            if now - last_time >= SECONDS_BETWEEN_REPORTS or progress.stage != last_stage:
                last_time, last_stage = now, progress.stage
                self._say({"id": job, "progress": _as_json(progress)})
            return job in self._cancelled

        return report

    def _say(self, message: dict[str, Any]) -> None:
        try:
            self._answers.write(_line(message))
            self._answers.flush()
        except OSError:
            os._exit(1)  # nobody listens any more: there is no one to compute for


def _fit(data: BinaryData, options: dict[str, Any], on_progress: ProgressCallback) -> Any:
    return fit(data, **options, on_progress=on_progress)


def _peer(data: BinaryData, options: dict[str, Any], on_progress: ProgressCallback) -> Any:
    """Another structure learner; it knows neither progress nor cancel."""
    from binotears_core import baselines

    return baselines.run(**options, data=data)


HANDLERS: dict[str, Handler] = {"fit": _fit, "peer": _peer}


def _as_json(progress: Progress) -> dict[str, Any]:
    """A progress report as JSON; its graph becomes [source, target] column numbers."""
    plain = {key: value for key, value in progress.__dict__.items() if key != "adjacency"}
    graph = None if progress.adjacency is None else np.argwhere(progress.adjacency != 0).tolist()
    return {
        **{key: value.item() if isinstance(value, np.generic) else value for key, value in plain.items()},
        "graph": graph,
    }


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"error": {"kind": kind, "message": message}}


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _be_modest() -> None:
    """Let the pages go first, and let the system kill this process, not the server, when memory runs out."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    with contextlib.suppress(OSError):  # only Linux has it
        Path("/proc/self/oom_score_adj").write_text("1000")


if __name__ == "__main__":
    sys.exit(main())
