"""NOTEARS, linear and neural: gradients, exact zeros, rules, stops; the loss against a plain loop over nodes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit

from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError, OptionError
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.dag import is_dag
from binotears_core.results import Progress, Reporter
from binotears_core.simulation import simulate
from binotears_core.solvers import augmented_lagrangian, notears, notears_mlp
from binotears_core.solvers.notears import LinearModel, LogisticModel, NotearsOptions
from binotears_core.solvers.notears_mlp import Network, NotearsMlpOptions

CHAIN = {
    "a": {(): 0.0},
    "b": {(): -2.0, ("a",): 4.0},
    "c": {(): -2.0, ("b",): 4.0},
}


def chain(samples: int = 2000) -> BinaryData:
    #  a → b → c, every arrow strong
    return simulate(graph=[("a", "b"), ("b", "c")], samples=samples, seed=0, coefficients=CHAIN)[1]


def er(nodes: int = 8, samples: int = 500) -> BinaryData:
    return simulate("ER", nodes, 2, "1st+2nd", samples, 3)[1]


def small_models() -> list[Any]:
    data = er(4, 60)
    rows, weights = data.patterns.astype(float), np.array(data.weights)
    numbers = np.random.default_rng(0).standard_normal((30, 4))
    even, none = np.full(30, 1 / 30), np.zeros((4, 4), dtype=bool)
    return [
        LinearModel(numbers, even, 0.1, none),
        LogisticModel(rows, weights, 0.1, none),
        Network(rows, weights, NotearsMlpOptions(hidden=3), none, 0),
        Network(numbers, even, NotearsMlpOptions(hidden=3, loss="squared"), none, 0),
    ]


@pytest.mark.parametrize("position", range(4))
def test_gradients_agree_with_finite_differences(position: int) -> None:
    model = small_models()[position]
    theta = 0.4 * np.random.default_rng(1).standard_normal(len(model.start))
    smooth = augmented_lagrangian._smooth(model, 0.7, 1.3)
    numerical = approx_fprime(theta, lambda t: smooth(t)[0], 1e-6)
    np.testing.assert_allclose(smooth(theta)[1], numerical, rtol=1e-5, atol=3e-5)


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_network_loss_is_that_of_a_plain_loop_over_nodes_and_rows(loss: str) -> None:
    data = er(5, 400)
    options = NotearsMlpOptions(hidden=3, loss=loss)
    # Blocks of 16 rows: the data span several, the last one is not full.
    network = Network(data.patterns.astype(float), data.weights, options, np.zeros((5, 5), dtype=bool), 0)
    theta = np.random.default_rng(2).standard_normal(len(network.start))
    T, b = theta[:75].reshape(5, 3, 5), theta[75:90].reshape(3, 5)
    v, c = theta[90:105].reshape(3, 5), theta[105:]
    total = 0.0
    for x in data.to_frame().to_numpy(float):
        for j in range(5):
            z = c[j] + sum(v[k, j] * expit(b[k, j] + T[:, k, j] @ x) for k in range(3))
            total += np.log1p(np.exp(z)) - x[j] * z if loss == "logistic" else (x[j] - z) ** 2 / 2
    assert network.loss(theta)[0] == pytest.approx(total / data.rows, rel=1e-10)


def test_blocks_of_rows_do_not_change_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    data = er(5, 400)
    network = Network(data.patterns.astype(float), data.weights, NotearsMlpOptions(), np.zeros((5, 5), dtype=bool), 0)
    theta = np.random.default_rng(2).standard_normal(len(network.start))
    whole = network.loss(theta)
    monkeypatch.setattr(notears_mlp, "BLOCK", 1)
    blocks = network.loss(theta)
    assert blocks[0] == pytest.approx(whole[0])
    np.testing.assert_allclose(blocks[1], whole[1], atol=1e-12)


def test_descend_finds_the_lasso_solution_and_leaves_fixed_coordinates_alone() -> None:
    # ½(x − 1)² + price·|x| is least at max(1 − price, 0)
    schedule = augmented_lagrangian.Schedule(name="test", threshold=0.0, h_tolerance=1.0, max_steps=1)
    price = np.array([0.0, 0.25, 3.0, 0.25])
    free = np.array([True, True, True, False])
    found = augmented_lagrangian.descend(
        lambda x: (0.5 * float((x - 1) @ (x - 1)), x - 1), np.full(4, -2.0), price, free, 1e-12, schedule, lambda: False
    )
    assert found is not None
    np.testing.assert_allclose(found, [1.0, 0.75, 0.0, -2.0], atol=1e-6)
    assert found[2] == 0.0


@pytest.mark.parametrize("loss", ["logistic", "squared"])
@pytest.mark.parametrize("module", [notears, notears_mlp])
def test_a_strong_chain_has_its_skeleton_and_exact_zeros(module: Any, loss: str) -> None:
    make = NotearsOptions if module is notears else NotearsMlpOptions
    # 0/1 data have a variance of a quarter, so squared-loss weights are small against a threshold of 0.3.
    options = make(loss=loss, lambda1=0.02) if loss == "logistic" else make(loss=loss, lambda1=0.01)
    found = module.solve(chain(), options)
    joined = found.adjacency | found.adjacency.T
    assert joined.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert found.status.code == "done"
    assert (found.strength == 0.0).sum() >= 5
    assert is_dag(found.strength > 0.0)


def test_linear_notears_orients_numbers_with_equal_noise() -> None:
    # With equal noise variances the least-squares DAG is the true one (Loh and Bühlmann 2014):  0 → 1 → 2, 0 → 3
    noise = np.random.default_rng(0).standard_normal((2000, 4))
    X = noise.copy()
    X[:, 1] += 1.5 * X[:, 0]
    X[:, 2] -= 1.2 * X[:, 1]
    X[:, 3] += 0.9 * X[:, 0]
    found = notears.solve(X + 100.0, NotearsOptions(loss="squared", lambda1=0.05))
    assert np.argwhere(found.adjacency).tolist() == [[0, 1], [0, 3], [1, 2]]


def test_original_mlp_orients_a_curved_effect_between_numbers() -> None:
    noise = np.random.default_rng(0).standard_normal((300, 2))
    X = np.column_stack([noise[:, 0], np.cos(2 * noise[:, 0] + 0.7) + 0.2 * noise[:, 1]])
    options = NotearsMlpOptions(loss="squared", lambda1=0.01, lambda2=0.01)
    assert notears_mlp.solve(X, options).adjacency.tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize("module", [notears, notears_mlp])
def test_rules_are_honoured(module: Any) -> None:
    data = chain()
    #  b → a and c → b are the only ways left; c → a is required although a and c need no edge
    rules = Constraints(forbidden=[("a", "b"), ("b", "c")], required=[("c", "a")]).resolve(data.names)
    found = module.solve(data, rules=rules)
    assert rules.accepts(found.adjacency)
    assert (found.strength[~rules.allowed] == 0.0).all()
    assert found.adjacency[1, 0]
    assert found.adjacency[2, 1]


def test_required_edges_are_not_penalised() -> None:
    data = chain()
    strong = NotearsOptions(lambda1=0.5)
    rules = Constraints(required=[("a", "b")]).resolve(data.names)
    assert notears.solve(data, strong).strength.max() == 0.0
    assert notears.solve(data, strong, rules).strength[0, 1] == pytest.approx(4.0, abs=0.5)


def test_same_seed_same_result_and_another_seed_another_start() -> None:
    data = er()
    first, again, other = (notears_mlp.solve(data, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.strength, again.strength)
    assert not np.array_equal(first.strength, other.strength)


def test_weighted_patterns_stand_for_rows() -> None:
    data = er(5, 300)
    by_pattern = notears.solve(data, NotearsOptions(loss="squared", lambda1=0.001, threshold=0.05))
    by_row = notears.solve(data.to_frame().to_numpy(), NotearsOptions(loss="squared", lambda1=0.001, threshold=0.05))
    np.testing.assert_allclose(by_pattern.strength, by_row.strength, atol=1e-6)


@pytest.mark.parametrize("module", [notears, notears_mlp])
def test_a_stop_gives_the_dag_so_far(module: Any) -> None:
    seen: list[Progress] = []

    def listener(progress: Progress) -> bool:
        seen.append(progress)
        return progress.step >= 2

    found = module.solve(er(), report=Reporter(listener))
    assert found.status.code == "stopped"
    assert found.steps == 2
    assert is_dag(found.adjacency)
    assert [p.fraction for p in seen] == sorted(p.fraction for p in seen)


def test_a_stop_inside_a_descent_is_heard_at_once() -> None:
    # One descent at this size lasts seconds; the listener says stop at the first sign of life.
    data = simulate("ER", 60, 2, "1st+2nd", 3000, 0)[1]
    found = notears_mlp.solve(data, report=Reporter(lambda _: True))
    assert found.status.code == "stopped"
    assert found.steps == 1
    assert is_dag(found.adjacency)


def test_too_few_steps_are_told_and_still_give_a_dag() -> None:
    found = notears_mlp.solve(er(), NotearsMlpOptions(max_steps=1, lambda1=0.001))
    assert found.status.code == "not_converged"
    assert "max_steps" in found.status.message
    assert is_dag(found.strength > 0.0)


@pytest.mark.parametrize("module", [notears, notears_mlp])
def test_numbers_too_large_are_a_status_with_a_remedy(module: Any) -> None:
    options = NotearsOptions(loss="squared") if module is notears else NotearsMlpOptions(loss="squared")
    found = module.solve(np.random.default_rng(0).standard_normal((50, 3)) * 1e200, options)
    assert found.status.code == "diverged"
    assert "Scale the columns" in found.status.message
    assert not found.adjacency.any()


def test_a_divergence_on_the_way_keeps_the_last_good_graph() -> None:
    # 0 → 1 → 2. With cycles the loss of numbers this large is still finite; without them it passes the barrier.
    X = np.random.default_rng(0).standard_normal((50, 3))
    X[:, 1] += 2 * X[:, 0]
    X[:, 2] += 2 * X[:, 1]
    seen: list[Progress] = []
    options = NotearsOptions(loss="squared", max_steps=1000)
    found = notears.solve(1.2e25 * X, options, report=Reporter(lambda progress: seen.append(progress)))
    assert found.status.code == "diverged"
    assert "Scale the columns" in found.status.message
    assert len(seen) > 1
    assert found.adjacency.any()
    np.testing.assert_array_equal(found.adjacency, seen[-1].adjacency)


def test_threads_are_put_back() -> None:
    import torch

    before, inside = torch.get_num_threads(), set[int]()
    torch.set_num_threads(2)
    try:
        notears_mlp.solve(
            chain(), NotearsMlpOptions(threads=1), report=Reporter(lambda _: inside.add(torch.get_num_threads()))
        )
        assert inside == {1}
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_wrong_input_is_refused_in_a_sentence() -> None:
    with pytest.raises(DataError, match=r"Column 2 has no finite number at row 1\. Drop such rows"):
        notears.solve([[0.0, np.nan], [1.0, 1.0]], NotearsOptions(loss="squared"))
    with pytest.raises(DataError, match="other than 0 and 1"):
        notears.solve([[0.0, 0.5], [1.0, 1.0]])
    with pytest.raises(DataError, match="rows and columns"):
        notears_mlp.solve([1.0, 2.0])
    with pytest.raises(OptionError, match=r"'hidden' is 0, which is outside 1"):
        NotearsMlpOptions(hidden=0)
    with pytest.raises(OptionError, match="Choose one of: logistic, squared"):
        NotearsOptions(loss="poisson")


def test_torch_is_not_imported_until_needed() -> None:
    program = "import sys, binotears_core, binotears_core.solvers.two_stage; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
