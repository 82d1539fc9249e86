"""The paper's solver: textbook cases with known answers, constraints, stopping, and promises every run must keep."""

from pathlib import Path as File

import numpy as np
import pandas as pd
import pytest

from binotears_core.data.table import BinaryData
from binotears_core.errors import OptionError
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.dag import is_dag
from binotears_core.graph.metrics import shd_cpdag
from binotears_core.model.features import feature_map
from binotears_core.model.objective import Objective, QuasiMCP
from binotears_core.results import Progress, Reporter
from binotears_core.solvers.dagma import DagmaOptions, Schedule, central_path, solve

ALL3 = frozenset({1, 2})  # all orders on three variables: a node has at most two parents
QUICK = Schedule(steps=2)
COLLIDER = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]])


def three(probability_of_c, a: float = 0.4, b: float = 0.55, rows: int = 4000, seed: int = 0) -> BinaryData:
    """a and b are coins, c has the given probability."""
    rng = np.random.default_rng(seed)
    x = (rng.random((rows, 2)) < [a, b]).astype(int)
    c = rng.random(rows) < probability_of_c(x[:, 0], x[:, 1])
    return BinaryData.from_array(np.column_stack([x, c]), names=["a", "b", "c"])


def collider(seed: int = 0) -> BinaryData:
    return three(lambda a, b: 1 / (1 + np.exp(2 - 2 * a - 2 * b)), seed=seed)


def noisy_and() -> BinaryData:
    return three(lambda a, b: 0.1 + 0.8 * (a & b), a=0.6, b=0.5)


def noisy_xor() -> BinaryData:
    return three(lambda a, b: 0.1 + 0.8 * (a ^ b), a=0.5, b=0.5)


def five(seed: int = 0, rows: int = 2000) -> BinaryData:
    """x1 → x3 ← x2, x3 → x4, x5 by itself; no two columns alike."""
    rng = np.random.default_rng(seed)
    x = np.zeros((rows, 5), dtype=int)
    x[:, 0], x[:, 1], x[:, 4] = (rng.random((3, rows)) < [[0.35], [0.6], [0.25]]).astype(int)
    x[:, 2] = rng.random(rows) < 0.1 + 0.75 * (x[:, 0] & x[:, 1])
    x[:, 3] = rng.random(rows) < 0.2 + 0.5 * x[:, 2]
    return BinaryData.from_array(x)


class TestTextbookCases:
    @pytest.mark.parametrize("data", [collider(), noisy_and()], ids=["collider", "noisy AND"])
    def test_all_orders_find_the_collider(self, data: BinaryData) -> None:
        path, status = solve(data, ALL3)
        assert status.code == "done"
        assert np.array_equal(path.point.adjacency, COLLIDER)

    def test_the_noisy_and_is_a_product_of_known_size(self) -> None:
        """log-odds jump from logit 0.1 to logit 0.9 when both causes are there, and nowhere else."""
        path, _ = solve(noisy_and(), ALL3)
        coefficient = dict(zip(path.terms, path[-1].H[:, 2], strict=True))
        assert coefficient[0, 1] == pytest.approx(2 * np.log(9), abs=0.4)
        assert coefficient[()] == pytest.approx(-np.log(9), abs=0.2)
        assert abs(coefficient[0,]) < 0.4
        assert abs(coefficient[1,]) < 0.4

    def test_xor_is_invisible_at_first_order_and_found_with_all_orders(self) -> None:
        """Any two of the three can be the causes of the third: same law, same number of edges, three graphs."""
        assert not solve(noisy_xor(), frozenset({1}))[0].point.adjacency.any()
        path, _ = solve(noisy_xor(), ALL3)
        assert sorted(path.point.adjacency.sum(axis=0)) == [0, 0, 2]

    def test_noise_on_the_start_breaks_a_perfect_symmetry(self) -> None:
        """Exact counts of the XOR of fair coins: the three columns play the same part, so must the three estimates."""
        cells = np.array(list(np.ndindex(2, 2, 2)))
        data = BinaryData.from_counts(cells, np.where(cells.sum(axis=1) % 2 == 0, 900, 100), ["a", "b", "c"])
        assert not solve(data, ALL3, QUICK)[0].point.adjacency.any()
        path, _ = solve(data, ALL3, QUICK, DagmaOptions(perturbation=0.1))
        assert sorted(path.point.adjacency.sum(axis=0)) == [0, 0, 2]

    def test_independent_columns_stay_apart(self) -> None:
        rng = np.random.default_rng(0)
        data = BinaryData.from_array(rng.random((4000, 4)) < [0.2, 0.4, 0.5, 0.7])
        assert not solve(data, frozenset({1, 2, 3}))[0].point.adjacency.any()

    def test_a_known_order_gives_the_known_graph(self) -> None:
        data = five()
        tiers = Constraints(tiers={"X1": 0, "X2": 0, "X5": 0, "X3": 1, "X4": 2}).resolve(data.names)
        path, _ = solve(data, frozenset({1, 2}), rules=tiers)
        truth = np.zeros((5, 5))
        truth[[0, 1, 2], [2, 2, 3]] = 1
        assert shd_cpdag(truth, path.point.adjacency) == 0


class TestConstraints:
    def test_forbidden_edges_stay_out_whatever_the_threshold(self) -> None:
        data = collider()
        rules = Constraints(forbidden=[("a", "c"), ("c", "b")]).resolve(data.names)
        for threshold in (0.0, 0.3):
            path, _ = solve(data, ALL3, QUICK, DagmaOptions(threshold=threshold), rules)
            for point in path.points:
                assert rules.accepts(point.adjacency)
                assert point.strength[0, 2] == point.strength[2, 1] == 0.0

    def test_required_edges_are_kept_and_nothing_leads_back(self) -> None:
        data = five()
        rules = Constraints(required=[("X4", "X3"), ("X3", "X1")]).resolve(data.names)
        path, _ = solve(data, frozenset({1, 2}), QUICK, rules=rules)
        for point in path.points:
            assert rules.accepts(point.adjacency)
            assert is_dag(point.adjacency)
            assert point.strength[0, 3] == point.strength[0, 2] == point.strength[2, 3] == 0.0

    def test_a_required_edge_without_effect_is_kept_too(self) -> None:
        data = five()
        rules = Constraints(required=[("X5", "X2")]).resolve(data.names)
        path, _ = solve(data, frozenset({1}), QUICK, DagmaOptions(threshold=10.0), rules)
        assert np.argwhere(path.point.adjacency).tolist() == [[4, 1]]


class TestPromises:
    @pytest.mark.parametrize("threshold", [0.0, 0.01, 10.0])
    def test_a_dag_comes_out_whatever_the_threshold(self, threshold: float) -> None:
        path, _ = solve(five(), frozenset({1, 2, 3, 4}), QUICK, DagmaOptions(threshold=threshold))
        assert all(is_dag(point.adjacency) for point in path.points)

    def test_edges_dropped_for_cycles_are_named(self) -> None:
        loose = DagmaOptions(threshold=0.0, mu_steps=1)
        _, status = solve(collider(), ALL3, Schedule(steps=1), loose)
        assert "break cycles" in status.message
        assert "→" in status.message

    def test_input_is_unchanged_and_the_same_seed_gives_the_same_result(self) -> None:
        data = five()
        before = data.patterns.copy(), data.weights.copy()
        noisy, once = DagmaOptions(perturbation=0.1), Schedule(steps=1)
        first, _ = solve(data, frozenset({1}), once, noisy, seed=3)
        second, _ = solve(data, frozenset({1}), once, noisy, seed=3)
        other, _ = solve(data, frozenset({1}), once, noisy, seed=4)
        assert np.array_equal(first.point.H, second.point.H)
        assert not np.array_equal(first.point.H, other.point.H)
        assert np.array_equal(data.patterns, before[0])
        assert np.array_equal(data.weights, before[1])

    def test_permuting_columns_permutes_the_result(self) -> None:
        data = five()
        order = [3, 0, 4, 2, 1]
        plain, _ = solve(data, frozenset({1, 2, 3, 4}), QUICK)
        moved, _ = solve(data.select([data.names[j] for j in order]), frozenset({1, 2, 3, 4}), QUICK)
        assert moved.point.strength == pytest.approx(plain.point.strength[np.ix_(order, order)], abs=1e-2)
        assert np.array_equal(moved.point.adjacency, plain.point.adjacency[np.ix_(order, order)])

    @pytest.mark.parametrize("acyclicity", ["log-det", "trace-exponential"])
    @pytest.mark.parametrize("norm", ["squares", "absolute"])
    @pytest.mark.parametrize("optimiser", ["lbfgs", "adam"])
    def test_every_variant_ends_near_a_dag(self, acyclicity: str, norm: str, optimiser: str) -> None:
        options = DagmaOptions(acyclicity=acyclicity, norm=norm, optimiser=optimiser, s_last=0.7)
        path, status = solve(collider(), ALL3, Schedule(steps=1), options)
        assert status.code == "done"
        assert path.point.h < 1e-3
        assert path.point.adjacency.sum() in (2, 3)

    def test_the_whole_path_is_kept_and_the_choice_explained(self) -> None:
        path, status = solve(five(), frozenset({1, 2}), Schedule(steps=3))
        assert [point.lam for point in path.points] == pytest.approx([0.05, 0.025, 0.0125])
        assert [point.delta for point in path.points] == pytest.approx([0.2, 0.1, 0.05])
        assert path.point.bic == min(point.bic for point in path.points)
        assert "BIC" in path.reason
        assert f"{path.point.edges} edges" in status.message

    def test_the_likelihood_rule_ends_the_path_early(self) -> None:
        path, _ = solve(five(), frozenset({1}), Schedule(steps=12, select="likelihood"))
        assert len(path) < 12
        assert path.chosen == len(path) - 2
        assert "ceased to decrease" in path.reason


class TestCentralPath:
    def objective(self) -> Objective:
        features, p = feature_map(five(), frozenset({1})), 5
        return Objective(features, QuasiMCP(0.05, 0.2), allowed=~np.eye(p, dtype=bool), required=np.zeros((p, p), bool))

    def test_acyclicity_falls_along_the_path(self) -> None:
        objective = self.objective()
        start = np.zeros(objective.free.shape)
        ends = [central_path(objective, start, DagmaOptions(mu_steps=steps)).h for steps in (1, 2, 3, 4)]
        assert ends == sorted(ends, reverse=True)
        assert ends[-1] < 1e-4

    def test_a_start_outside_the_domain_is_let_in_and_said(self) -> None:
        objective = self.objective()
        found = central_path(objective, 3.0 * objective.free, DagmaOptions(s_first=0.1, s_last=0.1))
        assert found.widened >= 1
        assert np.isfinite(found.h)
        _, status = solve(five(), frozenset({1, 2}), Schedule(steps=1), DagmaOptions(perturbation=3.0), seed=1)
        assert "widened" in status.message


class TestStopping:
    def test_a_stopped_run_returns_a_valid_dag_marked_stopped(self) -> None:
        seen: list[Progress] = []

        def stop_at_once(progress: Progress) -> bool:
            seen.append(progress)
            return True

        path, status = solve(five(), frozenset({1, 2, 3, 4}), report=Reporter(stop_at_once))
        assert status.code == "stopped"
        assert not status.ok
        assert is_dag(path.point.adjacency)
        assert len(seen) == 1
        assert len(path) == 1

    def test_a_run_stopped_later_chooses_among_finished_points(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # Report after every iteration, so that the stop falls inside the second central path.
        monkeypatch.setattr("binotears_core.solvers.dagma.REPORT_EVERY", 0.0)
        path, status = solve(
            five(), frozenset({1, 2}), report=Reporter(lambda now: now.step == 2 and now.fraction > 0.25)
        )
        assert status.code == "stopped"
        assert len(path) == 2
        assert not path[1].converged
        assert path.chosen == 0

    def test_progress_moves_forward_to_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("binotears_core.solvers.dagma.REPORT_EVERY", 0.0)
        seen: list[Progress] = []
        solve(five(), frozenset({1, 2}), QUICK, report=Reporter(seen.append))
        raw = [progress.fraction for progress in seen]
        assert raw == sorted(raw)
        assert raw[-1] == 1.0
        assert max(np.diff(raw)) < 0.2
        assert {progress.step for progress in seen} == {1, 2}
        assert all(is_dag(progress.adjacency) and np.isfinite([progress.loss, progress.h]).all() for progress in seen)

    def test_the_iteration_limit_is_a_status_with_a_remedy(self) -> None:
        path, status = solve(five(), frozenset({1, 2}), QUICK, DagmaOptions(max_iterations=2))
        assert status.code == "iteration-limit"
        assert "max_iterations" in status.message
        assert is_dag(path.point.adjacency)


class TestHardData:
    """RuntimeWarnings are errors in this suite: none of these may cause one."""

    def test_asia_with_its_deterministic_node(self) -> None:
        frame = pd.read_csv(File(__file__).parents[2] / "sample_data" / "asia.csv")
        data = BinaryData.from_array(frame.to_numpy(), names=list(frame.columns))
        path, status = solve(data, frozenset({1, 2}), QUICK)
        assert status.code == "done"
        assert is_dag(path.point.adjacency)
        either = path.point.adjacency[:, data.index("either")] + path.point.adjacency[data.index("either")]
        assert either[data.index("lung")]

    def test_perfect_separation(self) -> None:
        coin = np.random.default_rng(0).integers(0, 2, (300, 1))
        data = BinaryData.from_array(np.hstack([coin, coin, 1 - coin, coin & np.roll(coin, 1)]))
        path, status = solve(data, frozenset({1, 2, 3}))
        assert status.code in ("done", "iteration-limit")
        assert np.isfinite(path.point.H).all()
        assert path.point.adjacency.any()

    def test_a_constant_column_one_row_one_column(self) -> None:
        rng = np.random.default_rng(0)
        constant = BinaryData.from_array(np.column_stack([rng.integers(0, 2, (50, 2)), np.ones(50)]))
        for data in (constant, BinaryData.from_array([[0, 1, 1]]), BinaryData.from_array([[0], [1], [1]])):
            path, _ = solve(data, frozenset({1}), QUICK)
            assert is_dag(path.point.adjacency)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Schedule(lam=0.0),
        lambda: Schedule(lam=-1.0),
        lambda: Schedule(delta=0.0),
        lambda: Schedule(gamma=0.0),
        lambda: Schedule(gamma=1.0),
        lambda: Schedule(steps=0),
        lambda: Schedule(steps=2.5),
        lambda: Schedule(select="luck"),
        lambda: DagmaOptions(norm="cubes"),
        lambda: DagmaOptions(tolerance=0.0),
        lambda: DagmaOptions(threshold=-0.1),
        lambda: DagmaOptions(mu_factor=1.5),
    ],
)
def test_wrong_options_are_refused_on_construction(wrong) -> None:
    with pytest.raises(OptionError):
        wrong()
