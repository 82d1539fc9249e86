"""What the pages may know about a run: frozen values, made under a lock by the registry and read by anyone.

waiting → running → done
    ↘        ↘ stopping → stopped          failed, lost: it ended without a result
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

HISTORY = 400  # points kept for the live curves

ACTIVE = frozenset({"waiting", "running", "stopping"})
LOST = "The server was restarted while this run was going on. Run it again."


@dataclass(frozen=True)
class Report:
    """One progress report; `seconds` since the run began to compute."""

    seconds: float
    stage: str
    step: int
    steps: int
    fraction: float
    loss: float
    h: float
    edges: int
    lam: float
    delta: float
    message: str


@dataclass(frozen=True)
class Snapshot:
    """A run at one moment.

    position  1 for the next in the queue, 0 when it does not wait
    history   at most `HISTORY` reports, oldest first; the last one is the newest
    graph     (source, target) column numbers of the last graph the solver reported
    """

    id: str
    name: str
    kind: str
    state: str
    created: float
    message: str = ""
    position: int = 0
    started: float | None = None
    finished: float | None = None
    history: tuple[Report, ...] = ()
    graph: tuple[tuple[int, int], ...] = ()
    has_result: bool = False
    reports: int = 0
    stride: int = 1

    @property
    def active(self) -> bool:
        """True until the run has come to an end."""
        return self.state in ACTIVE

    @property
    def report(self) -> Report | None:
        """The newest report."""
        return self.history[-1] if self.history else None

    @property
    def fraction(self) -> float:
        """Share of the work done, 0…1."""
        if self.state == "done":
            return 1.0
        return self.report.fraction if self.report else 0.0

    def elapsed(self, now: float) -> float:
        """Seconds of computing so far, or in all."""
        return 0.0 if self.started is None else max((self.finished or now) - self.started, 0.0)

    def remaining(self, now: float) -> float | None:
        """Seconds left if the rest goes as fast as the part done; None while that is a guess."""
        elapsed, fraction = self.elapsed(now), self.fraction
        if self.state != "running" or fraction < 0.02 or elapsed < 0.5:
            return None
        return elapsed * (1.0 - fraction) / fraction

    def with_report(self, progress: dict[str, Any], seconds: float) -> Snapshot:
        """This run one report later. The history holds every `stride`-th report and the newest one."""
        graph = progress.get("graph")
        report = Report(seconds=seconds, **{key: value for key, value in progress.items() if key != "graph"})
        if graph is None and not report.edges and self.report is not None:
            report = replace(report, edges=self.report.edges)  # this stage has no graph to report yet
        last_stays = (self.reports - 1) % self.stride == 0
        history, stride = (*(self.history if last_stays else self.history[:-1]), report), self.stride
        if len(history) > HISTORY:
            history, stride = (*history[:-1:2], report), 2 * stride
        graph = self.graph if graph is None else tuple((i, j) for i, j in graph)
        return replace(self, history=history, stride=stride, reports=self.reports + 1, graph=graph)

    def to_json(self) -> str:
        """As stored."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Snapshot:
        """The inverse of `to_json`."""
        fields = json.loads(text)
        history = tuple(Report(**report) for report in fields.pop("history"))
        graph = tuple((i, j) for i, j in fields.pop("graph"))
        return cls(**fields, history=history, graph=graph)
