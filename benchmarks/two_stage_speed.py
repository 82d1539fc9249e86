"""Two-stage BiNOTEARS against a straightforward NOTEARS-MLP: time at equal objective, and peak memory.

    python benchmarks/two_stage_speed.py                     p = 40, n = 1000: both in one run, with the ratio
    python benchmarks/two_stage_speed.py --memory            p = 100, n = 10 000: seconds and peak memory of ours
    python benchmarks/two_stage_speed.py --nodes 20 --threads 2

The straightforward version is what one writes first: a loop over nodes, automatic differentiation, L-BFGS, the schedule
of the NOTEARS papers down to h = 1e-8. Both minimise the same loss with the same penalties on the same threads. When
the machine has other work, compare seconds on the processor.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from binotears_core.data.table import BinaryData
from binotears_core.graph.metrics import shd_cpdag
from binotears_core.simulation import simulate
from binotears_core.solvers import two_stage

OUT = Path(__file__).parent / "out"
T = TypeVar("T")
HIDDEN, LAMBDA1, LAMBDA2 = 10, 0.01, 0.001


class PlainNotears:
    """NOTEARS-MLP as one writes it first: one small network per node, one after the other."""

    def __init__(self, data: BinaryData, seed: int) -> None:
        self.x = torch.tensor(data.to_frame().to_numpy(dtype=np.float64))
        self.p = data.variables
        self.edges = self.p * HIDDEN * self.p
        self.start = np.zeros(2 * self.edges + 2 * self.p * HIDDEN + self.p)
        second = slice(2 * self.edges + self.p * HIDDEN, 2 * self.edges + 2 * self.p * HIDDEN)
        generator = np.random.default_rng(seed)
        self.start[second] = generator.uniform(-1, 1, self.p * HIDDEN) / np.sqrt(HIDDEN)

    def parts(self, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
        units = self.p * HIDDEN
        first = (v[: self.edges] - v[self.edges : 2 * self.edges]).reshape(self.p, HIDDEN, self.p)
        rest = v[2 * self.edges :]
        return first, rest[:units].reshape(-1, HIDDEN), rest[units : 2 * units].reshape(-1, HIDDEN), rest[2 * units :]

    def terms(self, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Loss, penalties, h."""
        first, bias, second, intercept = self.parts(v)
        loss = torch.zeros((), dtype=torch.float64)
        for j in range(self.p):
            z = torch.sigmoid(self.x @ first[j].T + bias[j]) @ second[j] + intercept[j]
            loss = loss + torch.nn.functional.binary_cross_entropy_with_logits(z, self.x[:, j])
        penalty = LAMBDA1 * v[: 2 * self.edges].sum() + LAMBDA2 / 2 * ((first**2).sum() + (second**2).sum())
        return loss, penalty, torch.trace(torch.matrix_exp((first**2).sum(1).T)) - self.p

    def minimise(self, v: np.ndarray, rho: float, alpha: float) -> tuple[np.ndarray, float]:
        def function(point: np.ndarray) -> tuple[float, np.ndarray]:
            tensor = torch.tensor(point, requires_grad=True)
            loss, penalty, h = self.terms(tensor)
            value = loss + penalty + alpha * h + rho / 2 * h * h
            value.backward()
            return value.item(), tensor.grad.numpy()

        own = np.broadcast_to(np.eye(self.p, dtype=bool)[:, None, :], (self.p, HIDDEN, self.p)).reshape(-1)
        limits = [(0.0, 0.0 if fixed else None) for fixed in own] * 2
        limits += [(None, None)] * (len(v) - 2 * self.edges)
        found = minimize(function, v, jac=True, method="L-BFGS-B", bounds=limits).x
        return found, float(self.terms(torch.from_numpy(found))[2])

    def solve(self, h_tolerance: float = 1e-8) -> tuple[float, float]:
        """Loss and loss + penalties at the end of the augmented Lagrangian."""
        v, rho, alpha, h = self.start, 1.0, 0.0, np.inf
        while h > h_tolerance and rho < 1e16:
            v, left = self.minimise(v, rho, alpha)
            if left > 0.25 * h:
                rho *= 10.0
                continue
            h, alpha = left, alpha + rho * left
        loss, penalty, _ = self.terms(torch.from_numpy(v))
        return float(loss), float(loss + penalty)


def timed(work: Callable[[], T]) -> tuple[T, float, float]:
    """The result, seconds on the clock and seconds on the processor."""
    clock, busy = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - clock, time.process_time() - busy


def compare(nodes: int, samples: int, threads: int, seed: int) -> dict[str, float]:
    """Both on one data set."""
    truth, data = simulate("ER", nodes, 2, "1st+2nd", samples, seed)
    options = two_stage.TwoStageOptions(threads=threads, lambda1=LAMBDA1, lambda2=LAMBDA2, hidden=HIDDEN)
    two_stage.solve(simulate("ER", 5, 1, "1st", 100, 0)[1])  # imports and first calls are not part of the time
    found, ours, ours_busy = timed(lambda: two_stage.solve(data, options, seed=seed))
    torch.set_num_threads(threads)
    with threadpool_limits(threads):
        (loss, objective), plain, plain_busy = timed(lambda: PlainNotears(data, seed).solve())
    return {
        "nodes": nodes,
        "samples": samples,
        "threads": threads,
        "seconds two-stage": ours,
        "seconds plain NOTEARS-MLP": plain,
        "times faster": plain / ours,
        "processor seconds two-stage": ours_busy,
        "processor seconds plain": plain_busy,
        "times less processor time": plain_busy / ours_busy,
        "objective of our first stage": found.first.objective,
        "objective of the plain version": objective,
        "loss of our first stage": found.first.loss,
        "loss of the plain version": loss,
        "CPDAG-SHD two-stage": shd_cpdag(truth.adjacency, found.adjacency),
    }


def memory(nodes: int, samples: int, threads: int, seed: int) -> dict[str, float]:
    """Ours alone, with the peak memory of the process."""
    _, data = simulate("ER", nodes, 2, "1st+2nd", samples, seed)
    began = time.perf_counter()
    found = two_stage.solve(data, two_stage.TwoStageOptions(threads=threads), seed=seed)
    return {
        "nodes": nodes,
        "samples": samples,
        "threads": threads,
        "seconds two-stage": time.perf_counter() - began,
        "peak memory in GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "steps of the first stage": found.first.steps,
        "edges": int(found.adjacency.sum()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", action="store_true", help="peak memory of ours at p = 100, n = 10 000")
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--samples", type=int)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    nodes, samples = (
        (given.nodes or 100, given.samples or 10_000) if given.memory else (given.nodes or 40, given.samples or 1000)
    )
    result = (memory if given.memory else compare)(nodes, samples, given.threads, given.seed)
    OUT.mkdir(exist_ok=True)
    (OUT / f"two_stage_{'memory' if given.memory else 'speed'}.json").write_text(json.dumps(result, indent=2))
    for name, value in result.items():
        print(f"{name:32} {value:10.4g}")


if __name__ == "__main__":
    main()
