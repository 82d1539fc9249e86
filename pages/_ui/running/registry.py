"""The runs of all sessions: a bounded queue, one supervising thread per worker process, and what became of each run.

Pages submit, look at frozen snapshots, cancel and read results, always by the run's id. An id is a bearer secret
(128 random bits); there is no way to list ids. A run that no page has looked at for `grace` seconds is stopped.
"""

from __future__ import annotations

import logging
import secrets
import sqlite3
import threading
import time
from base64 import b64decode
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from binotears_core import archive
from binotears_core.archive import SavedData
from binotears_core.results import FitResult, Progress
from binotears_core.worker import encode_cancel, encode_job
from pages._ui.running.pool import Worker
from pages._ui.running.snapshots import LOST, Snapshot
from pages._ui.running.store import RunStore

LOG = logging.getLogger(__name__)
T = TypeVar("T")

KILLED = (
    "The process that computed this run was ended by the system, most likely because memory ran out. "
    "Choose lower orders or fewer variables and run again."
)
BROKE_OFF = "The run broke off because of a fault in the server; its log has the details. Run it again."


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How runs share the machine. Times in seconds."""

    workers: int = 1
    queue: int = 100  # runs that may wait, over all sessions
    per_session: int = 8  # runs a session may have waiting or running …
    at_once: int = 1  # … and of these, how many may run at the same time
    grace: float = 180.0  # a hidden tab looks at its run only once a minute …
    grace_in_a_queue: float = 75.0  # … and that has to do when others wait for the worker
    patience: float = 5.0  # how long a cancelled worker may take to answer before it is killed
    cached_results: int = 32
    cached_snapshots: int = 500


@dataclass(frozen=True, eq=False, kw_only=True)
class Setup:
    """What a run is asked to do: `options` are the keyword arguments of the job's kind (of `fit`)."""

    name: str
    data: SavedData
    options: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "fit"


class RunRefused(Exception):
    """The run cannot be taken on now; the message says why and what to do."""


@dataclass(eq=False)
class _Run:
    """A run that has not ended; guarded by the registry's lock."""

    owner: str
    snapshot: Snapshot
    job: bytes
    looked_at: float
    turn: int
    worker: Worker | None = None
    cancelled_at: float | None = None
    why: str = ""


class Runs:
    """All runs of this server."""

    def __init__(self, store: RunStore, rules: Rules | None = None) -> None:
        self._store, self._rules = store, rules or Rules()
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._active: dict[str, _Run] = {}  # in order of submission
        self._round = 0  # of turns, see _turn
        self._results: OrderedDict[str, Any] = OrderedDict()
        self._ended: OrderedDict[str, Snapshot] = OrderedDict()  # pages ask for these many times a second
        self._closing = threading.Event()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(self._rules.workers)]
        self._threads.append(threading.Thread(target=self._keep_house, daemon=True))
        for thread in self._threads:
            thread.start()

    # What pages call -------------------------------------------------------------------------------------------------

    def submit(self, owner: str, setup: Setup) -> str:
        """Queue a run for a session and return its id; raises RunRefused when there is no room."""
        run = secrets.token_urlsafe(16)
        data = archive.dump_data(setup.data.data)
        job = encode_job(run, setup.kind, data, dict(setup.options))
        now = time.time()
        snapshot = Snapshot(id=run, name=setup.name, kind=setup.kind, state="waiting", created=now)
        with self._changed:
            self._check_room(owner)
            try:
                self._store.add(snapshot, _dump_setup(setup), data)
            except sqlite3.Error as error:
                raise RunRefused(f"The run cannot be stored ({error}). Make room in the data folder.") from error
            self._active[run] = _Run(owner, snapshot, job, time.monotonic(), self._turn(owner))
            self._changed.notify_all()
        return run

    def snapshot(self, run: str) -> Snapshot | None:
        """The state of a run, also of one from before a restart; None when there is no such run.

        Asking is the heartbeat: it tells us that a page still looks at the run.
        """
        with self._lock:
            if (found := self._active.get(run)) is not None:
                found.looked_at = time.monotonic()
                return replace(found.snapshot, position=self._position(run))
            if run in self._ended:
                return self._ended[run]
        stored = self._store.snapshot(run)
        if stored is None or stored.active:
            return None if stored is None else replace(stored, state="lost", message=LOST)
        with self._lock:
            return _put(self._ended, run, stored, self._rules.cached_snapshots)

    def cancel(self, run: str, why: str = "") -> None:
        """Ask a run to stop and keep its best so far; a waiting run leaves the queue at once."""
        with self._changed:
            found = self._active.get(run)
            if found is None or found.cancelled_at is not None:
                return
            found.cancelled_at, found.why = time.monotonic(), why
            if found.worker is None:
                self._end(replace(found.snapshot, state="stopped", message=f"{why} Stopped before it began.".strip()))
                return
            found.snapshot = replace(found.snapshot, state="stopping", message=why)
            worker = found.worker
        worker.send(encode_cancel(run))

    def result(self, run: str) -> Any | None:
        """What a run returned (a FitResult for a fit), or None when it has nothing to show."""
        with self._lock:
            if run in self._results:
                self._results.move_to_end(run)
                return self._results[run]
        blob = self._store.result(run)
        return None if blob is None else self._remember(run, archive.load(blob, object))

    def setup(self, run: str) -> Setup | None:
        """What a run was asked to do, with its data."""
        blob, data = self._store.setup(run), self._store.data(run)
        if blob is None or data is None:
            return None
        fields = archive.load(blob, dict)
        saved = SavedData(data=archive.load_data(data), **fields.pop("data"))
        return Setup(data=saved, **fields)

    def rename(self, run: str, name: str) -> None:
        """Give a run another name."""
        with self._lock:
            if (found := self._active.get(run)) is not None:
                found.snapshot = replace(found.snapshot, name=name)
        if (stored := self._store.snapshot(run)) is not None:
            self._store.update(replace(stored, name=name))
        with self._lock:
            self._ended.pop(run, None)

    def keep(self, setup: Setup, result: FitResult) -> str:
        """Store a result that was computed elsewhere (a saved session); returns its id."""
        run, now = secrets.token_urlsafe(16), time.time()
        snapshot = Snapshot(
            id=run, name=setup.name, kind=setup.kind, state="done", created=now, message=result.status.message,
            started=now - result.seconds, finished=now, has_result=True,
        )  # fmt: skip
        self._store.add(snapshot, _dump_setup(setup), archive.dump_data(setup.data.data))
        self._store.update(snapshot, archive.dump(result))
        return run

    def forget(self, run: str) -> None:
        """Stop a run and drop everything about it."""
        self.cancel(run)
        self._store.delete(run)
        with self._lock:
            self._results.pop(run, None)
            self._ended.pop(run, None)

    def close(self) -> None:
        """End all workers and threads (for tests and for a server that shuts down)."""
        self._closing.set()
        with self._changed:
            self._changed.notify_all()
            workers = [run.worker for run in self._active.values() if run.worker is not None]
        for worker in workers:
            worker.kill()
        for thread in self._threads:
            thread.join()

    # The queue -------------------------------------------------------------------------------------------------------

    def _check_room(self, owner: str) -> None:
        waiting = sum(run.worker is None for run in self._active.values())
        if waiting >= self._rules.queue:
            raise RunRefused(f"{waiting} runs are waiting already. Try again in a minute.")
        if sum(run.owner == owner for run in self._active.values()) >= self._rules.per_session:
            raise RunRefused(f"You have {self._rules.per_session} runs under way. Wait for one to end or cancel one.")

    def _turn(self, owner: str) -> int:
        """The round in which a new run has its turn: the present one, or the one after its session's last."""
        return max([self._round, *(run.turn + 1 for run in self._active.values() if run.owner == owner)])

    def _waiting(self) -> list[str]:
        """Waiting runs in the order of their turns: everyone's first run before anyone's second, else as they came."""
        waiting = [run for run, found in self._active.items() if found.worker is None]
        return sorted(waiting, key=lambda run: self._active[run].turn)

    def _position(self, run: str) -> int:
        waiting = self._waiting()
        return waiting.index(run) + 1 if run in waiting else 0

    def _next(self, worker: Worker) -> _Run | None:
        """The first waiting run whose session may start another one, now taken by `worker`; None when we close."""
        with self._changed:
            while not self._closing.is_set():
                busy = Counter(run.owner for run in self._active.values() if run.worker is not None)
                for run in map(self._active.__getitem__, self._waiting()):
                    if busy[run.owner] < self._rules.at_once:
                        run.worker, self._round = worker, max(self._round, run.turn)
                        run.snapshot = replace(run.snapshot, state="running", started=time.time())
                        return run
                self._changed.wait()
        return None

    # Supervision -----------------------------------------------------------------------------------------------------

    def _serve(self) -> None:
        """Life of one supervising thread: keep a worker warm and hand it run after run."""
        worker = Worker()
        _warm(worker)
        while (run := self._next(worker)) is not None:
            try:
                self._supervise(run, worker)
            except Exception:
                LOG.exception("A run could not be supervised.")
                worker.kill()
                self._end(replace(run.snapshot, state="failed", message=BROKE_OFF))
            _warm(worker)
        worker.close()

    def _supervise(self, run: _Run, worker: Worker) -> None:
        ending: dict[str, Any] = {}
        for message in worker.run(run.snapshot.id, run.job):
            if "progress" not in message:
                ending = message
                break
            with self._lock:
                seconds = run.snapshot.elapsed(time.time())
                run.snapshot = run.snapshot.with_report(message["progress"], seconds)
        if "result" in ending:
            self._keep_result(run, b64decode(ending["result"]))
        elif "error" in ending:
            if ending["error"]["kind"] == "memory":
                worker.kill()  # it keeps what it had taken; a fresh one gives it back
            self._end(replace(run.snapshot, state="failed", message=ending["error"]["message"]))
        else:
            self._end(self._without_answer(run))

    def _keep_result(self, run: _Run, blob: bytes) -> None:
        value = self._remember(run.snapshot.id, archive.load(blob, object))
        ok = not isinstance(value, FitResult) or value.status.ok
        message = value.status.message if isinstance(value, FitResult) else ""
        stopped = run.cancelled_at is not None and not ok
        state, message = ("stopped", f"{run.why} {message}".strip()) if stopped else ("done", message)
        snapshot = _with_final_graph(run.snapshot, value) if isinstance(value, FitResult) else run.snapshot
        self._end(replace(snapshot, state=state, message=message, has_result=True), blob)

    def _without_answer(self, run: _Run) -> Snapshot:
        """The worker is gone: we close, it did not react to a cancel, or someone killed it."""
        if self._closing.is_set():
            return replace(run.snapshot, state="lost", message=LOST)
        if run.cancelled_at is None:
            return replace(run.snapshot, state="failed", message=KILLED)
        kept = " The last graph it reported is kept." if run.snapshot.graph else ""
        message = f"{run.why} Stopped in the middle of a long step.{kept}".strip()
        return replace(run.snapshot, state="stopped", message=message)

    def _end(self, snapshot: Snapshot, result: bytes | None = None) -> None:
        try:
            self._store.update(replace(snapshot, finished=time.time(), position=0), result)
        except sqlite3.Error:
            LOG.exception("A finished run could not be stored.")
        with self._changed:
            self._active.pop(snapshot.id, None)
            self._changed.notify_all()

    def _remember(self, run: str, value: Any) -> Any:
        with self._lock:
            return _put(self._results, run, value, self._rules.cached_results)

    # Housekeeping ----------------------------------------------------------------------------------------------------

    def _keep_house(self) -> None:
        """Once a second: kill workers deaf to a cancel, and stop runs nobody looks at."""
        while not self._closing.wait(1.0):
            now = time.monotonic()
            with self._lock:
                grace = self._rules.grace_in_a_queue if self._waiting() else self._rules.grace
                for run in list(self._active.values()):
                    if run.cancelled_at is None and now - run.looked_at > grace:
                        self.cancel(run.snapshot.id, "Its page had been closed for a while.")
                    elif run.cancelled_at is not None and now - run.cancelled_at > self._rules.patience and run.worker:
                        run.worker.kill()


def _put(cache: OrderedDict[str, T], key: str, value: T, most: int) -> T:
    """Keep a value and drop the oldest beyond `most`."""
    cache[key] = value
    while len(cache) > most:
        cache.popitem(last=False)
    return value


def _with_final_graph(snapshot: Snapshot, result: FitResult) -> Snapshot:
    """A last report, so that the history ends with the graph of the result."""
    graph = np.argwhere(result.adjacency != 0).tolist()
    last = Progress("result", 1, 1, 1.0, edges=len(graph))
    fields = {**{key: value for key, value in last.__dict__.items() if key != "adjacency"}, "graph": graph}
    return snapshot.with_report(fields, snapshot.elapsed(time.time()))


def _warm(worker: Worker) -> None:
    try:
        worker.start()
    except OSError:
        LOG.exception("A worker process could not be started; the next run tries again.")


def _dump_setup(setup: Setup) -> bytes:
    """A set-up without its data, which the store keeps once for all runs on them."""
    saved = {"name": setup.data.name, "truths": setup.data.truths, "simulated": setup.data.simulated}
    return archive.dump({"name": setup.name, "kind": setup.kind, "options": setup.options, "data": saved})
