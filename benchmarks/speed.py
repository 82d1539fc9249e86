"""Speed and memory, as ratios measured in one run on one thread: each line says what was measured and what is wanted.

    python benchmarks/speed.py              # everything, a few minutes
    python benchmarks/speed.py gradient path memory

Times are processor seconds of this process, so that other work on the machine hardly matters.
"""

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before numpy is imported

import contextlib  # noqa: E402
import io  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

import binotears_core as bn  # noqa: E402
from binotears_core.graph.dag import threshold_to_dag  # noqa: E402
from binotears_core.model.features import feature_map, products  # noqa: E402
from binotears_core.model.objective import Objective, QuasiMCP, logistic_loss  # noqa: E402
from binotears_core.solvers.dagma import central_path, solve  # noqa: E402

P = 9
ALL = frozenset(range(1, P))
MEMORY_PROGRAM = """
import resource
import binotears_core as bn
from binotears_core.solvers.dagma import solve
_, data = bn.simulate(graph="ER", nodes=14, degree=2, mechanism="1st+2nd", samples=10_000, seed=0)
solve(data, frozenset(range(1, 14)), bn.Schedule(steps=2), bn.DagmaOptions(max_iterations=50))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def seconds(work: Callable[[], Any]) -> float:
    """Processor seconds of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def best_of(work: Callable[[], Any], repeats: int, calls: int = 1) -> float:
    """Processor seconds per call, the best of several repeats after a first call that warms up."""
    work()
    return min(seconds(lambda: [work() for _ in range(calls)]) for _ in range(repeats)) / calls


def say(what: str, measured: str, wanted: str, good: bool) -> None:
    print(f"{'ok ' if good else 'NOT'}  {what:<72} {measured:>22}   wanted: {wanted}", flush=True)


def nine_variables(rows: int, seed: int = 0) -> bn.BinaryData:
    return bn.simulate(graph="ER", nodes=P, degree=2, mechanism="1st+2nd", samples=rows, seed=seed)[1]


def any_graph(variables: int) -> dict[str, Any]:
    return {"allowed": ~np.eye(variables, dtype=bool), "required": np.zeros((variables, variables), dtype=bool)}


def dense_gradient_seconds(data: bn.BinaryData) -> float:
    """ℓ and its gradient by the n × 2^p matrix of products, built beforehand."""
    rows = data.to_frame().to_numpy(dtype=np.float64)
    phi, weights = products(rows, feature_map(data, ALL).terms), np.full(len(rows), 1.0 / len(rows))
    H = 0.1 * np.random.default_rng(0).standard_normal((phi.shape[1], P))

    def evaluate() -> None:
        _, slope = logistic_loss(phi @ H, rows, weights)
        phi.T @ slope

    return best_of(evaluate, repeats=5, calls=3)


def our_gradient_seconds(data: bn.BinaryData) -> float:
    objective = Objective(feature_map(data, ALL), QuasiMCP(0.05, 0.2), **any_graph(P))
    H = 0.1 * np.random.default_rng(0).standard_normal(objective.free.shape) * objective.free
    return best_of(lambda: objective.value_and_gradient(H), repeats=10, calls=50)


def gradient() -> None:
    data = nine_variables(10_000)
    dense, ours = dense_gradient_seconds(data), our_gradient_seconds(data)
    say(
        f"one value + gradient, p = 9, n = 10 000, all orders: dense {1e3 * dense:.1f} ms, ours {1e3 * ours:.2f} ms",
        f"{dense / ours:.0f} times cheaper",
        "at least 50",
        dense >= 50 * ours,
    )


def path() -> None:
    small = [nine_variables(10_000, seed) for seed in range(3)]
    large = [nine_variables(1_000_000, seed) for seed in range(3)]
    dense = dense_gradient_seconds(small[0])
    times = [[seconds(lambda data=data: solve(data, ALL)) for data in group] for group in (small, large)]
    in_units = np.mean(times[0]) / dense
    say(
        f"whole default path, p = 9, n = 10 000, all orders, 3 graphs: {np.mean(times[0]):.1f} s",
        f"{in_units:.0f} dense gradients",
        "at most 100",
        in_units <= 100,
    )
    say("… of the slowest of them", f"{max(times[0]) / dense:.0f} dense gradients", "", True)
    ratio = np.mean(times[1]) / np.mean(times[0])
    say(
        "whole default path, 1 000 000 rows of the same three laws, once loaded",
        f"{ratio:.2f} times",
        "≤ 1.3",
        ratio <= 1.3,
    )
    ratio = our_gradient_seconds(large[0]) / our_gradient_seconds(small[0])
    say("… one value + gradient of it", f"{ratio:.2f} times", "≤ 1.3", ratio <= 1.3)


def memory() -> None:
    run = subprocess.run([sys.executable, "-c", MEMORY_PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True)
    peak = float(run.stdout)
    say("peak memory, all orders, p = 14, n = 10 000 (two path points)", f"{peak:.2f} GB", "below 2", peak < 2)


def sparsest() -> None:
    _, data = bn.simulate(graph="ER", nodes=12, degree=1, mechanism="1st+2nd", samples=10_000, seed=0)
    used = seconds(lambda: bn.recover_sparsest(data))
    say("recover_sparsest, p = 12, n = 10 000", f"{used:.1f} s", "seconds", used < 60)


def importing() -> None:
    program = "import sys, binotears_core; print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = run.stdout.strip() == "True"
    say("`import binotears_core` imports torch", str(loaded), "False", not loaded)


def peer() -> None:
    """Against the `dagma` package at its defaults, on its own program: min score(W) + λ₁‖W‖₁ over DAGs, no intercept.

    Ours is the same program: Σ|h| in the penalty, δ so large that it is λ₁|h|, order 1, the constant held at 0, and
    dagma's μ and s. Neither result is exactly acyclic or sparse, so both are made so alike: entries up to 0.01, then
    the weakest entries on cycles, are set to 0. What is compared is dagma's objective there, on the same rows.
    """
    try:
        from dagma.linear import DagmaLinear
    except ImportError:
        print("---  the `dagma` package is not installed: pip install -r requirements-peers.txt")
        return
    for variables, rows in ((10, 2000), (20, 1000)):
        results = [_against_dagma(DagmaLinear, variables, rows, seed) for seed in range(3)]
        ours, theirs, our_value, their_value = np.mean(results, axis=0)
        where = f"p = {variables}, n = {rows}, 3 sets"
        say(
            f"dagma package, first order, {where}: {theirs:.1f} s, ours {ours:.2f} s",
            f"{theirs / ours:.0f} times faster",
            "at least 10",
            theirs >= 10 * ours,
        )
        say(
            "… objective score + λ₁‖W‖₁ (λ₁ = 0.03) of the DAG: dagma, ours",
            f"{their_value:.4f}, {our_value:.4f}",
            "ours the same or lower",
            our_value <= their_value * (1 + 1e-4),
        )
        differences = ", ".join(f"{mine - other:+.4f}" for _, _, mine, other in results)
        say("… ours minus dagma's, set by set", differences, "", True)


def _against_dagma(package: Any, variables: int, rows: int, seed: int) -> tuple[float, float, float, float]:
    """Seconds of ours and theirs, objective of ours and theirs."""
    _, data = bn.simulate(graph="ER", nodes=variables, degree=2, mechanism="1st", samples=rows, seed=seed)
    table = data.to_frame().to_numpy(dtype=np.float64)
    start = time.process_time()
    ours = first_order_weights(data, 0.03)
    middle = time.process_time()
    with contextlib.redirect_stderr(io.StringIO()):
        theirs = package("logistic").fit(table.copy(), lambda1=0.03, w_threshold=0.0)
    end = time.process_time()
    return middle - start, end - middle, dagma_objective(ours, table), dagma_objective(theirs, table)


def first_order_weights(data: bn.BinaryData, lambda1: float) -> np.ndarray:
    """W of dagma's program by our central path."""
    features = feature_map(data, frozenset({1}))
    objective = Objective(
        features, QuasiMCP(lambda1, 1e9), norm="absolute", intercept=False, **any_graph(data.variables)
    )
    options = bn.DagmaOptions(norm="absolute", mu_steps=5, s_last=0.6, tolerance=1e-6, max_iterations=10_000)
    return central_path(objective, np.zeros(objective.free.shape), options).H[1:]


def dagma_objective(W: np.ndarray, table: np.ndarray, lambda1: float = 0.03) -> float:
    kept = W * threshold_to_dag(np.abs(W), 0.01)[0]
    loss, _ = logistic_loss(table @ kept, table, np.full(len(table), 1.0 / len(table)))
    return loss + lambda1 * float(np.abs(kept).sum())


PARTS = {
    "gradient": gradient,
    "path": path,
    "memory": memory,
    "sparsest": sparsest,
    "import": importing,
    "dagma": peer,
}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
