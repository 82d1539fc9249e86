"""A real worker process over real pipes, computing real fits."""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import binotears_core as bn
from binotears_core import archive, worker
from binotears_core.graph.dag import is_dag

SMALL = bn.simulate(nodes=5, samples=2000, seed=3)[1]
LARGE = bn.simulate(nodes=14, samples=5000, seed=3)[1]  # an exact search of minutes


class Process:
    """The parent's side of the pipes."""

    def __init__(self, command: list[str]) -> None:
        self.popen = subprocess.Popen(command, env=worker.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self.read()["ready"]

    def write(self, line: bytes) -> None:
        self.popen.stdin.write(line)
        self.popen.stdin.flush()

    def read(self) -> dict[str, Any]:
        return json.loads(self.popen.stdout.readline())

    def run(self, data: bn.BinaryData, kind: str = "fit", **options: Any) -> list[dict[str, Any]]:
        """All answers to one job."""
        self.write(worker.encode_job("job", kind, archive.dump_data(data), options))
        answers = [self.read()]
        while "progress" in answers[-1]:
            answers.append(self.read())
        return answers

    def close(self) -> None:
        self.popen.kill()
        self.popen.wait()
        self.popen.stdin.close()
        self.popen.stdout.close()


@pytest.fixture(scope="module")
def process() -> Iterator[Process]:
    started = Process(worker.command())
    yield started
    started.close()


def result_of(answer: dict[str, Any]) -> bn.FitResult:
    return archive.load_result(base64.b64decode(answer["result"]))


def test_the_worker_computes_what_fit_computes(process: Process) -> None:
    options = {"orders": {1, 2}, "constraints": bn.Constraints(forbidden=[("X1", "X2")]), "seed": 4}
    found = result_of(process.run(SMALL, **options)[-1])
    wanted = bn.fit(SMALL, **options)
    assert np.array_equal(found.adjacency, wanted.adjacency)
    assert found.coefficients.equals(wanted.coefficients)
    assert found.options == wanted.options
    assert found.status == wanted.status


def test_progress_is_told_on_the_way(process: Process) -> None:
    reports = [answer["progress"] for answer in process.run(SMALL)[:-1]]
    fractions = [report["fraction"] for report in reports]
    assert len(reports) >= 2
    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] <= fractions[-1] <= 1
    graphs = [report["graph"] for report in reports if report["graph"]]
    assert graphs
    assert all(0 <= i < 5 and 0 <= j < 5 for i, j in graphs[-1])


def test_a_cancelled_job_returns_its_best_so_far(process: Process) -> None:
    process.write(worker.encode_job("long", "fit", archive.dump_data(LARGE), {"method": "exact"}))
    answer = process.read()
    process.write(worker.encode_cancel("long"))
    while "progress" in answer:
        answer = process.read()
    result = result_of(answer)
    assert result.status.code == "stopped"
    assert is_dag(result.adjacency)


def test_a_cancel_for_another_job_changes_nothing(process: Process) -> None:
    process.write(worker.encode_cancel("somebody else's"))
    assert result_of(process.run(SMALL, method="exact")[-1]).status.ok


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"method": "magic"}, "option", "magic"),
        ({"constraints": bn.Constraints(required=[("X1", "X2"), ("X2", "X1")])}, "option", "form a cycle"),
        ({"no_such_option": 1}, "crash", "TypeError"),
    ],
)
def test_a_mistake_ends_in_one_sentence_and_the_worker_goes_on(
    process: Process, options: dict[str, Any], kind: str, words: str
) -> None:
    error = process.run(SMALL, **options)[-1]["error"]
    assert error["kind"] == kind
    assert words in error["message"]
    assert "\n" not in error["message"]
    assert result_of(process.run(SMALL, method="exact")[-1]).status.ok


def test_broken_data_are_an_error_of_the_data(process: Process) -> None:
    process.write(worker.encode_job("broken", "fit", b"no archive", {}))
    assert process.read()["error"]["kind"] == "data"


NOISY = """
import os, sys
from binotears_core import worker
def noisy(data, options, on_progress):
    print("from Python")
    os.write(1, b"from a compiled library")
    return {"rows": data.rows}
worker.HANDLERS["noisy"] = noisy
sys.exit(worker.main())
"""


def test_other_kinds_can_be_added_and_may_print() -> None:
    process = Process([sys.executable, "-c", NOISY])
    (answer,) = process.run(SMALL, kind="noisy")
    process.close()
    assert archive.load(base64.b64decode(answer["result"]), dict) == {"rows": 2000}


def test_a_worker_is_modest_and_ends_with_its_input() -> None:
    process = Process(worker.command())
    if sys.platform == "linux":
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == min(
            os.getpriority(os.PRIO_PROCESS, 0) + worker.NICENESS, 19
        )
        assert Path(f"/proc/{process.pid}/oom_score_adj").read_text().strip() == "1000"
        assert "libtorch" not in Path(f"/proc/{process.pid}/maps").read_text()
    process.popen.stdin.close()
    assert process.popen.wait(timeout=30) == 0
    process.popen.stdout.close()


def test_the_worker_ends_when_nobody_listens() -> None:
    process = Process(worker.command())
    process.write(worker.encode_job("long", "fit", archive.dump_data(LARGE), {"method": "exact"}))
    process.read()
    process.popen.stdout.close()
    assert process.popen.wait(timeout=30) == 1
    process.popen.stdin.close()
