"""fit(): from data to a learned graph, by the route that suits the data.

    gradient (the paper's solver)  →  refinement (interaction-aware scores)  →  coefficients

The gradient stage is DAGMA's central path with all chosen orders for few variables and the two-stage solver for many.
The refinement is the exact search for few variables and the order search for many. The result keeps the graph and the
score of every stage, so one can see what each contributed.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError
from binotears_core.estimating import check_served
from binotears_core.explain.coefficients import Refit, edge_strength, fit_node
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.dag import Adjacency, parents, topological_order
from binotears_core.graph.equivalence import cpdag
from binotears_core.planning import FitOptions, Orders, Plan, exact_most_parents, plan
from binotears_core.results import FitResult, Path, ProgressCallback, Reporter, Stage, Status
from binotears_core.solvers import certificate, dagma, exact_search, order_search
from binotears_core.solvers.dagma import DagmaOptions, Schedule
from binotears_core.solvers.local_scores import LocalScores, ScoreOptions
from binotears_core.solvers.two_stage import TwoStageOptions
from binotears_core.solvers.two_stage import solve as solve_two_stage

GRADIENT_SHARE = 0.5  # of the progress bar


def fit(
    data: BinaryData,
    *,
    orders: Orders = "auto",
    method: str = "auto",
    refine: bool = True,
    schedule: Schedule | None = None,
    constraints: Constraints | None = None,
    seed: int = 0,
    on_progress: ProgressCallback | None = None,
    solver: DagmaOptions | None = None,
    two_stage: TwoStageOptions | None = None,
    score: ScoreOptions | None = None,
    restarts: int = 3,
    threads: int | None = None,
) -> FitResult:
    """Learn a DAG, its equivalence class and its coefficients.

    orders       "auto" (all for few variables, {1, 2} beyond), "all", m (orders 1…m) or a set such as {1, 2}
    method       "auto", "dagma", "two-stage", or "exact" (no gradient at all)
    refine       improve the gradient's graph by the interaction-aware score (design: gradient → order → refinement)
    solver, two_stage, score, restarts   options of the stages (see their classes)
    threads      for the scores of the exact search: by default OMP_NUM_THREADS or every core; changes only the time
    on_progress  called with `Progress`; returning True stops the run, which then returns its best graph so far
    """
    if not isinstance(data, BinaryData):
        raise DataError(
            f"fit() takes BinaryData, got {type(data).__name__}. Use bn.load(file) or bn.BinaryData.from_frame(df)."
        )
    options = FitOptions(
        orders=orders,
        method=method,
        refine=refine,
        schedule=schedule or Schedule(),
        constraints=constraints or Constraints(),
        seed=seed,
        solver=solver or DagmaOptions(),
        two_stage=two_stage or TwoStageOptions(),
        score=score or ScoreOptions(),
        restarts=restarts,
        threads=threads,
    )
    route = plan(data, options)
    check_served(data, options, route)
    # The matrices here are small: more BLAS threads than one only get in each other's way (up to 20 times slower).
    with threadpool_limits(limits=1, user_api="blas"):
        return _Run(data, options, route, Reporter(on_progress)).go()


def _cores() -> int:
    """How many threads a run may have: as the environment says for numerical libraries, else one a core."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return int(asked) if asked.isdigit() and int(asked) else os.cpu_count() or 1


class _Run:
    """One fit, stage by stage."""

    def __init__(self, data: BinaryData, options: FitOptions, plan: Plan, report: Reporter) -> None:
        self.data, self.options, self.plan, self.report = data, options, plan, report
        self.threads = options.threads or _cores()
        self.scores = LocalScores(data, plan.model_orders, options.score, self.threads)
        self.stages: list[Stage] = []
        self.path: Path | None = None
        self.status = Status("done", "")
        self.certificate: certificate.Certificate | None = None
        self.started = self.mark = time.perf_counter()

    def go(self) -> FitResult:
        if self.plan.method != "exact":
            self._gradient()
        if (self.options.refine or self.plan.method == "exact") and not self.report.stopped:
            if self.plan.not_exact:
                self._refine_by_orders()
            else:
                self._refine_exactly()
        return self._result()

    def _gradient(self) -> None:
        share = GRADIENT_SHARE if self.options.refine else 1.0
        report = self.report.part(0.0, share)
        if self.plan.method == "dagma":
            self.path, self.status = dagma.solve(
                self.data,
                self.plan.orders,
                self.options.schedule,
                self.options.solver,
                self.plan.rules,
                self.options.seed,
                report,
            )
            self._add("gradient", self.path.point.adjacency, self.path.reason)
        else:
            found = solve_two_stage(self.data, self.options.two_stage, self.plan.rules, self.options.seed, report)
            self.status = found.status
            self._add("gradient", found.adjacency, "NOTEARS-MLP, then logistic regressions along its order")

    def _refine_exactly(self) -> None:
        most = exact_most_parents(self.data.variables)
        report = self.report.part(GRADIENT_SHARE if self.stages else 0.0, 1.0)
        settled = exact_search.settle(self.scores, self.plan.rules, most, report.part(0.0, 0.6))
        if settled is None:
            return self._stopped()
        scores, table, found = settled
        self._score_by(scores)
        if most < self.data.variables - 1 and self._beyond_the_cap(found, most, report):
            return None
        self._add("refinement", found.adjacency, f"best of all graphs with at most {most} parents a node")
        second = exact_search.runner_up(table, self.plan.rules, found.adjacency, found.score, report.part(0.7, 0.9))
        self.certificate = certificate.of_exact(
            found,
            second,
            names=self.data.names,
            scores=self.scores,
            most_parents=most,
            stages=[(stage.name, stage.score) for stage in self.stages],
            paper=self._paper_program(report.part(0.9, 1.0)),
            constrained=not self.plan.rules.free,
        )
        return None

    def _beyond_the_cap(self, found: exact_search.ExactOptimum, most: int, report: Reporter) -> bool:
        """True when a graph in which nodes have more parents scores higher; it is then the result, without a proof."""
        other = self._search([tuple(topological_order(found.adjacency))], report.part(0.6, 0.7))
        best = max(other.score, found.score)
        if self.stages and self.stages[-1].score > best + exact_search.TIE:
            self._keep_gradient(best)
            return True
        gain = other.score - found.score
        if gain <= exact_search.TIE:
            return False
        self._add("refinement", other.adjacency, f"best graph with at most {most} parents a node, then some with more")
        why = f"a node has more than {most} causes; the best of all graphs without such is {gain:.1f} nats behind"
        self._certify_search(other, why, self._paper_program(report.part(0.7, 1.0)))
        return True

    def _refine_by_orders(self) -> None:
        p = self.data.variables
        rng = np.random.default_rng(self.options.seed)
        starts = [tuple(rng.permutation(p).tolist()) for _ in range(self.options.restarts)]
        if self.stages:
            starts[0] = tuple(topological_order(self.stages[-1].adjacency))
        report = self.report.part(GRADIENT_SHARE if self.stages else 0.0, 1.0)
        found = self._search(starts, report.part(0.0, 0.6))
        if not found.stopped:  # again from where the starts ended, under priors that suit what was found
            self._score_by(self.scores.assuming(found.adjacency))
            best_first = sorted(found.orders, key=lambda order: order != found.order)
            found = self._search(best_first, report.part(0.6, 1.0))
        if self.stages and self.stages[-1].score > found.score:
            return self._keep_gradient(found.score)
        self._add("refinement", found.adjacency, f"order search from {len(found.graphs)} starts")
        return self._certify_search(found, self.plan.not_exact)

    def _keep_gradient(self, found: float) -> None:
        """A search picks parents greedily, an exact one of few: either may end below a graph that was not made so."""
        if not self.report.stopped and self.status.code == "done":
            short = self.stages[-1].score - found
            self.status = Status(
                "done", f"The gradient's graph is kept: the best found after it is {short:.1f} nats short."
            )

    def _certify_search(
        self, found: order_search.OrderSearchResult, why: str, paper: certificate.PaperProgram | None = None
    ) -> None:
        self.certificate = certificate.of_search(
            found,
            names=self.data.names,
            scores=self.scores,
            most_parents=order_search.MOST_PARENTS,
            stages=[(stage.name, stage.score) for stage in self.stages],
            why=why,
            paper=paper,
        )

    def _search(self, starts: list[tuple[int, ...]], report: Reporter) -> order_search.OrderSearchResult:
        return order_search.search(
            self.data, self.scores, self.plan.rules, starts=starts, seed=self.options.seed, report=report
        )

    def _paper_program(self, report: Reporter) -> certificate.PaperProgram | None:
        """The paper's objective at the chosen point of the path, and its global optimum by the same exact search.

        None where there is no path, or when the listener asked to stop.
        """
        if self.path is None:
            return None
        point = self.path.point
        kind = ScoreOptions(kind="paper", edge_cost=point.lam * point.delta / 2)
        scores = LocalScores(self.data, self.plan.orders, kind, self.threads)
        table = scores.table(exact_most_parents(self.data.variables), report)
        if table is None:
            return None
        best = exact_search.search(table, self.plan.rules, tied_limit=1)
        gradient = scores.total(point.adjacency)
        optimum = max((best.score, best.adjacency), (gradient, point.adjacency), key=lambda scored: scored[0])
        return certificate.of_paper(point.lam, point.delta, *optimum, gradient, self.data.sample_size)

    def _add(self, name: str, adjacency: Adjacency, message: str) -> None:
        now = time.perf_counter()
        self.stages.append(Stage(name, adjacency, self.scores.total(adjacency), now - self.mark, message))
        self.mark = now

    def _score_by(self, scores: LocalScores) -> None:
        """Take other scores, also for the stages that are over: all scores of a result can be compared."""
        self.scores = scores
        self.stages = [replace(stage, score=scores.total(stage.adjacency)) for stage in self.stages]

    def _stopped(self) -> None:
        self.status = Status(
            "stopped", "Stopped on request: the best graph so far is kept. Run again for a finished one."
        )

    def _result(self) -> FitResult:
        adjacency = self.stages[-1].adjacency if self.stages else self._required_only()
        refit = self._refit(adjacency)
        if self.report.stopped and self.status.code != "stopped":
            self._stopped()
        status = self.status if self.status.code == "stopped" else self._final_status(adjacency)
        return FitResult(
            names=self.data.names,
            adjacency=adjacency,
            strength=edge_strength(refit),
            cpdag=cpdag(adjacency, self.data.names),
            coefficients=refit.coefficients,
            path=self.path,
            status=status,
            certificate=self.certificate,
            stages=tuple(self.stages),
            method=self.plan.method,
            options=self.options,
            seconds=time.perf_counter() - self.started,
            data={
                "rows": self.data.rows,
                "variables": self.data.variables,
                "fingerprint": self.data.fingerprint,
            },
            notes=(self._route(), *self._trouble(), *refit.notes),
        )

    def _required_only(self) -> Adjacency:
        adjacency: Adjacency = self.plan.rules.required.astype(np.int8)
        return adjacency

    def _refit(self, adjacency: Adjacency) -> Refit:
        """Each node with the orders of its best interaction model after a refinement, else with the run's orders."""
        fits = []
        for node in range(self.data.variables):
            causes = parents(adjacency, node)
            refined = self.certificate is not None and len(causes) > 0
            orders = self.scores.model(node, tuple(causes))[0] if refined else self.plan.orders
            fits.append(fit_node(self.data, node, causes, orders))
        return Refit(self.data.names, tuple(fits))

    def _final_status(self, adjacency: Adjacency) -> Status:
        if self.certificate is None:
            return self.status
        edges = int(np.count_nonzero(adjacency))
        return Status("done", f"{edges} {'edge' if edges == 1 else 'edges'}. {self.certificate.message}")

    def _trouble(self) -> tuple[str, ...]:
        """What went wrong in the gradient stage, where the status of the refinement would hide it."""
        hidden = self.certificate is not None and self.status.code not in ("done", "stopped")
        return (f"Gradient stage: {self.status.message}",) if hidden else ()

    def _route(self) -> str:
        orders = ", ".join(str(order) for order in sorted(self.plan.orders))
        wider = "" if self.plan.orders == self.plan.model_orders else "; the refinement may use every order"
        return f"Route: {self.plan.reason}; interaction orders {orders}{wider}."
