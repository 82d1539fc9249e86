"""Runs on disk: they survive, they stay within bounds, and a broken file does not stop the app."""

import itertools
import time
from dataclasses import replace
from pathlib import Path

import pytest

from pages._ui.running.snapshots import HISTORY, Snapshot
from pages._ui.running.store import Limits, RunStore, data_folder

PROGRESS = {
    "stage": "DAGMA", "step": 1, "steps": 9, "fraction": 0.25, "loss": 1.5, "h": 0.1, "edges": 2, "lam": 0.05,
    "delta": 0.2, "message": "", "graph": [[0, 1]],
}  # fmt: skip


def run(number: int, created: float | None = None) -> Snapshot:
    moment = time.time() if created is None else created
    return Snapshot(id=f"run-{number}", name=f"run {number}", kind="fit", state="done", created=moment)


def filled(folder: Path, limits: Limits, ages: list[float]) -> tuple[RunStore, list[int]]:
    """A store after runs of these ages (in days, oldest first), and the numbers of those it kept."""
    store = RunStore(folder, limits)
    for number, age in enumerate(ages):
        snapshot = run(number, time.time() - age * 86_400)
        store.add(snapshot, b"setup", b"data")
        store.update(snapshot, bytes(1000))
    return store, [number for number in range(len(ages)) if store.snapshot(f"run-{number}")]


def test_a_run_survives_a_restart(tmp_path: Path) -> None:
    snapshot = run(1).with_report(PROGRESS, 0.5)
    store = RunStore(tmp_path)
    store.add(snapshot, b"setup", b"data")
    store.update(replace(snapshot, state="stopped", message="Enough."), b"result")
    store.close()
    again = RunStore(tmp_path)
    assert again.snapshot("run-1") == replace(snapshot, state="stopped", message="Enough.")
    assert (again.setup("run-1"), again.data("run-1"), again.result("run-1")) == (b"setup", b"data", b"result")


def test_what_is_not_there_is_none(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    assert (store.snapshot("x"), store.setup("x"), store.data("x"), store.result("x")) == (None,) * 4


def test_two_servers_share_a_folder(tmp_path: Path) -> None:
    first, second = RunStore(tmp_path), RunStore(tmp_path)
    first.add(run(1), b"", b"")
    second.add(run(2), b"", b"")
    assert first.snapshot("run-2") == second.snapshot("run-2")


@pytest.mark.parametrize(
    ("limits", "ages", "kept"),
    [
        (Limits(runs=2), [3, 2, 1, 0], [2, 3]),
        (Limits(days=1.5), [3, 2, 1, 0], [2, 3]),
        (Limits(bytes=2500), [3, 2, 1, 0], [2, 3]),
        (Limits(), [3, 2, 1, 0], [0, 1, 2, 3]),
    ],
)
def test_the_oldest_go_first(tmp_path: Path, limits: Limits, ages: list[float], kept: list[int]) -> None:
    assert filled(tmp_path, limits, ages)[1] == kept


def test_data_are_kept_once_and_go_with_their_last_run(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    large = bytes(range(256)) * 4000
    for number in range(20):
        store.add(run(number), b"", large)
    assert (tmp_path / "runs.sqlite").stat().st_size + (tmp_path / "runs.sqlite-wal").stat().st_size < 3 * len(large)
    for number in range(19):
        store.delete(f"run-{number}")
    assert store.data("run-19") == large
    store.delete("run-19")
    store.add(run(20), b"", b"small")
    store.close()
    assert (tmp_path / "runs.sqlite").stat().st_size < len(large)


def test_a_damaged_file_is_put_aside(tmp_path: Path) -> None:
    (tmp_path / "runs.sqlite").write_bytes(b"this is not a database" * 500)
    store = RunStore(tmp_path)
    store.add(run(1), b"", b"")
    assert store.snapshot("run-1") is not None
    assert len(list(tmp_path.glob("damaged-*-runs.sqlite"))) == 1


def test_without_a_folder_we_go_on_in_a_temporary_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = RunStore(tmp_path / "file")
    store.add(run(1), b"", b"")
    assert store.snapshot("run-1") is not None


def test_the_folder_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BINOTEARS_DATA_DIR", str(tmp_path / "here"))
    assert data_folder() == tmp_path / "here"


def test_only_the_owner_of_the_account_can_read_the_file(tmp_path: Path) -> None:
    RunStore(tmp_path / "new")
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0
    assert (tmp_path / "new" / "runs.sqlite").stat().st_mode & 0o077 == 0


def test_the_history_of_a_long_run_stays_short() -> None:
    snapshot = run(1)
    for step in range(5000):
        snapshot = snapshot.with_report({**PROGRESS, "step": step, "graph": None}, step / 10)
    steps = [report.step for report in snapshot.history]
    assert len(steps) <= HISTORY
    assert steps[0] == 0
    assert steps[-1] == 4999
    assert steps == sorted(steps)
    gaps = [later - earlier for earlier, later in itertools.pairwise(steps)]
    assert max(gaps) <= 16  # 5000 / 400 rounded up to a power of two: no part of the run is left out


def test_the_last_graph_is_kept_when_a_report_has_none() -> None:
    snapshot = run(1).with_report(PROGRESS, 0.0).with_report({**PROGRESS, "graph": None}, 0.1)
    assert snapshot.graph == ((0, 1),)


def test_remaining_time_is_a_rule_of_three() -> None:
    going = replace(run(1), state="running", started=100.0).with_report(PROGRESS, 0.0)
    assert going.remaining(now=110.0) == pytest.approx(30.0)
    assert replace(going, state="stopping").remaining(now=110.0) is None
