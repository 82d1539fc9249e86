"""Runs in real worker processes: queue, progress, cancel, killed workers, restarts, abandoned and foreign sessions."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import binotears_core as bn
from binotears_core.archive import SavedData
from pages._ui.running.pool import Worker, pool_size
from pages._ui.running.registry import Rules, RunRefused, Runs, Setup
from pages._ui.running.snapshots import LOST, Snapshot
from pages._ui.running.store import RunStore

TRUTH, SMALL = bn.simulate(nodes=5, samples=2000, seed=3)
LARGE = bn.simulate(nodes=14, samples=5000, seed=3)[1]  # an exact search of minutes


class Lab:
    """A registry and a shorthand to submit to it."""

    def __init__(self, folder: Path, **rules: Any) -> None:
        self.runs = Runs(RunStore(folder), Rules(**rules))

    def submit(self, data: bn.BinaryData = SMALL, owner: str = "me", name: str = "run", **options: Any) -> str:
        setup = Setup(name=name, data=SavedData("data", data), options={"method": "exact", **options})
        return self.runs.submit(owner, setup)

    def until(self, run: str, condition: Callable[[Snapshot], bool]) -> Snapshot:
        """Look at a run until the condition holds."""
        while not condition(found := self.runs.snapshot(run)):
            threading.Event().wait(0.01)
        return found

    def end(self, run: str) -> Snapshot:
        return self.until(run, lambda snapshot: not snapshot.active)

    def worker_of(self, run: str) -> Worker:
        return self.runs._active[run].worker


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    opened = Lab(tmp_path_factory.mktemp("runs"), workers=2)
    yield opened
    opened.runs.close()


def computing(snapshot: Snapshot) -> bool:
    return snapshot.state == "running" and snapshot.report is not None


def test_a_run_ends_with_the_result_of_fit(lab: Lab) -> None:
    run = lab.submit(name="first")
    snapshot, result = lab.end(run), lab.runs.result(run)
    assert (snapshot.state, snapshot.name, snapshot.has_result) == ("done", "first", True)
    assert snapshot.message == result.status.message
    assert snapshot.history
    assert snapshot.fraction == 1
    assert np.array_equal(result.adjacency, bn.fit(SMALL, method="exact").adjacency)


def test_cancel_keeps_the_best_so_far(lab: Lab) -> None:
    run = lab.submit(LARGE)
    lab.until(run, computing)
    lab.runs.cancel(run)
    assert lab.runs.snapshot(run).state in ("stopping", "stopped")
    snapshot = lab.end(run)
    assert snapshot.state == "stopped"
    assert snapshot.message == lab.runs.result(run).status.message
    assert lab.runs.result(run).status.code == "stopped"


def test_a_killed_worker_ends_its_run_and_is_replaced(lab: Lab) -> None:
    run = lab.submit(LARGE)
    lab.until(run, computing)
    os.kill(lab.worker_of(run).pid, signal.SIGKILL)
    snapshot = lab.end(run)
    assert snapshot.state == "failed"
    assert "ended by the system" in snapshot.message
    assert lab.runs.result(run) is None
    after = [lab.end(lab.submit(owner=owner)).state for owner in ("a", "b", "c")]
    assert after == ["done"] * 3


def test_a_worker_that_died_while_idle_is_replaced(tmp_path: Path) -> None:
    lab = Lab(tmp_path, workers=1)
    first = lab.submit(LARGE)
    lab.until(first, computing)
    worker = lab.worker_of(first)
    lab.runs.cancel(first)
    lab.end(first)
    worker.kill()
    assert lab.end(lab.submit()).state == "done"
    lab.runs.close()


def test_a_worker_deaf_to_a_cancel_is_killed(tmp_path: Path) -> None:
    lab = Lab(tmp_path, workers=1, patience=0.5)
    run = lab.submit(LARGE)
    lab.until(run, computing)
    os.kill(lab.worker_of(run).pid, signal.SIGSTOP)  # it hears nothing any more
    lab.runs.cancel(run)
    snapshot = lab.end(run)
    assert snapshot.state == "stopped"
    assert "long step" in snapshot.message
    assert lab.end(lab.submit()).state == "done"
    lab.runs.close()


def test_an_error_is_one_sentence(lab: Lab) -> None:
    snapshot = lab.end(lab.submit(constraints=bn.Constraints(required=[("X1", "X2"), ("X2", "X1")])))
    assert snapshot.state == "failed"
    assert "form a cycle" in snapshot.message
    assert not snapshot.has_result


def test_a_session_runs_one_at_a_time_and_others_pass(lab: Lab) -> None:
    first, second = lab.submit(LARGE, owner="anna"), lab.submit(LARGE, owner="anna")
    lab.until(first, computing)
    assert lab.end(lab.submit(owner="bert")).state == "done"
    assert (lab.runs.snapshot(second).state, lab.runs.snapshot(second).position) == ("waiting", 1)
    lab.runs.cancel(second)
    assert lab.runs.snapshot(second).message == "Stopped before it began."
    lab.runs.cancel(first)
    lab.end(first)


def test_the_queue_is_bounded(tmp_path: Path) -> None:
    lab = Lab(tmp_path, workers=1, queue=2, per_session=2)
    runs = [lab.submit(LARGE, owner="anna")]
    lab.until(runs[0], computing)
    runs += [lab.submit(LARGE, owner="anna"), lab.submit(LARGE, owner="bert")]
    assert [lab.runs.snapshot(run).position for run in runs] == [0, 2, 1]  # bert's first before anna's second
    with pytest.raises(RunRefused, match="2 runs are waiting already"):
        lab.submit(owner="carl")
    lab.runs.cancel(runs[2])
    with pytest.raises(RunRefused, match="You have 2 runs under way"):
        lab.submit(owner="anna")
    lab.runs.close()


def test_a_class_of_thirty_is_served_in_fair_turns(tmp_path: Path) -> None:
    lab = Lab(tmp_path, workers=1, queue=32)
    teacher = lab.submit(LARGE, owner="teacher")
    lab.until(teacher, computing)
    eager = [lab.submit(owner="student 0") for _ in range(3)]
    others = [lab.submit(owner=f"student {number}") for number in range(1, 30)]
    assert [lab.runs.snapshot(run).position for run in (eager[0], *others, *eager[1:])] == list(range(1, 33))
    with pytest.raises(RunRefused, match=r"32 runs are waiting already\. Try again in a minute"):
        lab.submit(owner="too late")
    lab.runs.cancel(teacher)
    assert {lab.end(run).state for run in (*eager, *others)} == {"done"}
    last = max(lab.runs.snapshot(run).started for run in others)
    assert all(lab.runs.snapshot(run).started > last for run in eager[1:])
    lab.runs.close()


def test_a_run_nobody_looks_at_is_stopped(tmp_path: Path) -> None:
    lab = Lab(tmp_path, workers=1, grace=0.5)
    run = lab.submit(LARGE)
    while run in lab.runs._active:  # unlike `until`, this does not look at the run
        threading.Event().wait(0.05)
    snapshot = lab.runs.snapshot(run)
    assert snapshot.state == "stopped"
    assert "page had been closed" in snapshot.message
    lab.runs.close()


def test_a_closed_page_holds_nobody_up_for_long(tmp_path: Path) -> None:
    lab = Lab(tmp_path, workers=1, grace=1e6, grace_in_a_queue=0.5)
    left = lab.submit(LARGE, owner="left the room")
    waiting = lab.submit(owner="waits")
    assert lab.end(waiting).state == "done"
    assert "page had been closed" in lab.runs.snapshot(left).message
    lab.runs.close()


def test_a_finished_run_survives_a_restart_with_everything(tmp_path: Path) -> None:
    before = Lab(tmp_path)
    saved = SavedData("simulated", SMALL, {"true graph": TRUTH.adjacency}, TRUTH)
    run = before.runs.submit("me", Setup(name="kept", data=saved, options={"method": "exact", "orders": {1, 2}}))
    before.end(run)
    before.runs.rename(run, "renamed")
    before.runs.close()
    after = Lab(tmp_path)
    setup = after.runs.setup(run)
    assert after.runs.snapshot(run).name == "renamed"
    assert np.array_equal(after.runs.result(run).adjacency, bn.fit(SMALL, method="exact", orders={1, 2}).adjacency)
    assert setup.data.data.fingerprint == SMALL.fingerprint
    assert setup.data.simulated.coefficients == TRUTH.coefficients
    assert np.array_equal(setup.data.truths["true graph"], TRUTH.adjacency)
    assert setup.options == {"method": "exact", "orders": frozenset({1, 2})}
    after.runs.forget(run)
    assert after.runs.snapshot(run) is None
    after.runs.close()


@pytest.mark.parametrize("orderly", [True, False])
def test_a_run_cut_off_by_a_restart_says_so(tmp_path: Path, orderly: bool) -> None:
    before = Lab(tmp_path)
    run = before.submit(LARGE)
    before.until(run, computing)
    if orderly:
        before.runs.close()
    after = Lab(tmp_path)
    assert (after.runs.snapshot(run).state, after.runs.snapshot(run).message) == ("lost", LOST)
    after.runs.close()
    if not orderly:
        before.runs.close()


def test_a_result_from_a_file_becomes_a_run(lab: Lab) -> None:
    result = bn.fit(SMALL, method="exact")
    run = lab.runs.keep(Setup(name="from a file", data=SavedData("data", SMALL)), result)
    snapshot = lab.runs.snapshot(run)
    assert (snapshot.state, snapshot.name, snapshot.message) == ("done", "from a file", result.status.message)
    assert np.array_equal(lab.runs.result(run).adjacency, result.adjacency)


def test_ids_cannot_be_guessed_or_listed(lab: Lab) -> None:
    ids = {lab.submit(owner=f"owner {number}") for number in range(3)}
    assert len(ids) == 3
    assert all(len(run) >= 22 for run in ids)  # 128 bits
    assert lab.runs.snapshot("") is None
    assert lab.runs.snapshot("%") is None
    for run in ids:
        lab.end(run)


def test_the_number_of_workers_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BINOTEARS_WORKERS", "3")
    assert pool_size() == 3
    monkeypatch.setenv("BINOTEARS_WORKERS", "many")
    assert pool_size() >= 1
