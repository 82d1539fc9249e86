"""NOTEARS-MLP for binary data: a small neural network per node, all nodes at once (paper, app. "Implementation").

    z_j(x) = c_j + Σ_k v_kj · σ(b_kj + Σ_i T_ikj x_i),     P(X_j = 1 | x) = σ(z_j),     W_ij = Σ_k T_ikj²

The edge i → j is absent exactly when every T_ikj is zero. λ₁ Σ|T| makes zeros, λ₂/2 (Σ T² + Σ v²) keeps weights
finite, and W is driven to a DAG (`augmented_lagrangian`). `loss="squared"` is the original method for continuous data:
z_j predicts x_j.

All p networks are one matrix product: T is (p, hidden·p). Rows go through in blocks that fit the processor's cache, so
memory hardly grows with the number of rows. The search runs in single precision, the last descent in double.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from binotears_core.data.table import BinaryData
from binotears_core.graph.constraints import EdgeRules
from binotears_core.options import check, one_of, within
from binotears_core.results import Reporter
from binotears_core.solvers.augmented_lagrangian import Schedule, Solution, solve_acyclic
from binotears_core.solvers.notears import any_dag, rows_and_weights

if TYPE_CHECKING:
    import torch

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

# Numbers in one block of hidden values: 1 MB in double precision, what a core's cache holds.
BLOCK = 1 << 17


@dataclass(frozen=True, kw_only=True)
class NotearsMlpOptions:
    """Options of NOTEARS-MLP.

    loss         "logistic" (cross-entropy; 0/1 data) or "squared" (the original, for any numbers)
    hidden       hidden units per node
    lambda1      ℓ1 penalty on first-layer weights
    lambda2      ridge on both layers
    threshold    an edge is kept when sqrt(W_ij) is above
    h_tolerance  acyclicity left at the end of the search; smaller takes longer and changes little
    max_steps    most steps of the augmented Lagrangian
    threads      processor threads; more than one pays off from about p = 50, and only on idle cores: on busy ones two
                 threads took up to five times as long as one (p = 100, n = 1000), so one is the default
    """

    loss: str = one_of("logistic", "squared")
    hidden: int = within(10, 1, 100)
    lambda1: float = within(0.003, 0.0, 1.0)
    lambda2: float = within(0.003, 0.0, 1.0)
    threshold: float = within(0.3, 0.0, 10.0)
    h_tolerance: float = within(1e-3, 1e-12, 1.0)
    max_steps: int = within(40, 1, 1000)
    threads: int = within(1, 1, 64)

    def __post_init__(self) -> None:
        check(self)


def solve(
    data: BinaryData | npt.ArrayLike,
    options: NotearsMlpOptions | None = None,
    rules: EdgeRules | None = None,
    seed: int = 0,
    report: Reporter | None = None,
) -> Solution:
    """Learn a DAG from binary data or, with the squared loss, from an (n, p) matrix. Same seed, same result."""
    options = options or NotearsMlpOptions()
    rows, weights = rows_and_weights(data, binary=options.loss == "logistic")
    rules = rules or any_dag(rows.shape[1])
    schedule = Schedule(
        name="NOTEARS-MLP",
        threshold=options.threshold,
        h_tolerance=options.h_tolerance,
        max_steps=options.max_steps,
    )
    with _threads(options.threads):
        single = Network(rows, weights, options, rules.required, seed, precision="float32")
        double = Network(rows, weights, options, rules.required, seed)
        return solve_acyclic(single, schedule, rules, report or Reporter(), finisher=double)


class Network:
    """All p networks over one flat parameter vector: T (p, hidden, p), b (hidden, p), v (hidden, p), c (p,).

    Implements `augmented_lagrangian.Model`. `required` edges are left out of the lasso.
    """

    def __init__(
        self,
        rows: Floats,
        weights: Floats,
        options: NotearsMlpOptions,
        required: Mask,
        seed: int,
        *,
        precision: str = "float64",
    ) -> None:
        import torch

        self._hidden, self._p = options.hidden, int(rows.shape[1])
        self._logistic = options.loss == "logistic"
        self._type = getattr(torch, precision)
        self._rows = torch.tensor(rows).to(self._type)
        self._weights = torch.tensor(weights).to(self._type)[:, None]
        self.start = self._first_guess(weights @ rows, seed)
        self.lasso, self.ridge = np.zeros_like(self.start), np.zeros_like(self.start)
        first, _, second, _ = self._parts(self.lasso)
        first[:] = options.lambda1 * ~required[:, None, :]
        first, _, second, _ = self._parts(self.ridge)
        first[:] = second[:] = options.lambda2

    def loss(self, theta: Floats) -> tuple[float, Floats]:
        """Σ_x w_x Σ_j [log(1 + e^z) − x z] or Σ_x w_x Σ_j ½(x − z)², and its gradient."""
        import torch

        hidden, p = self._hidden, self._p
        first, bias, second, intercept = self._parts(torch.from_numpy(theta).to(self._type))
        gradient = torch.zeros(len(theta), dtype=self._type)
        d_first, d_bias, d_second, d_intercept = self._parts(gradient)
        total = 0.0
        for start in range(0, len(self._rows), self._block):
            x, w = self._rows[start : start + self._block], self._weights[start : start + self._block]
            active = torch.addmm(bias.reshape(-1), x, first.reshape(p, -1)).sigmoid_().view(-1, hidden, p)
            value, slope = self._error((active * second).sum(1) + intercept, x, w)
            total += value
            d_intercept += slope.sum(0)
            pull = slope[:, None, :] * active
            d_second += pull.sum(0)
            pull.addcmul_(pull, active, value=-1.0)  # σ' = σ − σ²; the factor v is the same for every row and waits
            d_first.view(p, -1).addmm_(x.T, pull.view(-1, hidden * p))
            d_bias += pull.sum(0)
        d_first *= second
        d_bias *= second
        return total, gradient.numpy().astype(np.float64)

    def weights(self, theta: Floats) -> Floats:
        """W_ij = Σ_k T_ikj²."""
        first = self._parts(theta)[0]
        weights: Floats = np.einsum("ikj,ikj->ij", first, first)
        return weights

    def pull_back(self, theta: Floats, slope: Floats) -> Floats:
        """∂/∂T_ikj = 2 T_ikj · slope_ij; the other parameters make no edges."""
        gradient = np.zeros_like(theta)
        self._parts(gradient)[0][:] = 2.0 * self._parts(theta)[0] * slope[:, None, :]
        return gradient

    def free(self, allowed: Mask) -> Mask:
        """First-layer weights of allowed edges, and all of the rest."""
        free = np.ones(len(self.start), dtype=bool)
        self._parts(free)[0][:] = allowed[:, None, :]
        return free

    def _error(self, z: torch.Tensor, x: torch.Tensor, w: torch.Tensor) -> tuple[float, torch.Tensor]:
        """Loss of one block and its gradient in z."""
        import torch

        if self._logistic:
            value = torch.nn.functional.softplus(z) - x * z
            return float((w * value).sum()), w * (torch.sigmoid(z) - x)
        gap = z - x
        return 0.5 * float((w * gap * gap).sum()), w * gap

    def _parts(self, theta: Any) -> tuple[Any, Any, Any, Any]:
        """Views of T, b, v, c into a flat numpy array or tensor."""
        p, units = self._p, self._hidden * self._p
        at = p * units
        shape = (self._hidden, p)
        return (
            theta[:at].reshape(p, *shape),
            theta[at : at + units].reshape(shape),
            theta[at + units : at + 2 * units].reshape(shape),
            theta[at + 2 * units :],
        )

    @property
    def _block(self) -> int:
        return max(BLOCK // (self._hidden * self._p), 16)

    def _first_guess(self, means: Floats, seed: int) -> Floats:
        """T = 0, hidden units apart from each other, and intercepts such that every z_j starts at its marginal.

        From T = 0 an effect that no single x_i shows, such as an exclusive or, has no slope and is not found. A random
        T does not help: the lasso takes it back to 0 first (tried up to column sums of W of 16).
        """
        generator = np.random.default_rng(seed)
        theta = np.zeros((self._p + 2) * self._hidden * self._p + self._p)
        _, bias, second, intercept = self._parts(theta)
        bias[:] = generator.standard_normal(bias.shape)
        second[:] = generator.uniform(-3.0, 3.0, second.shape) / np.sqrt(self._hidden)
        if self._logistic:
            means = np.clip(means, 1e-3, 1 - 1e-3)
            means = np.log(means / (1 - means))
        intercept[:] = means - (second / (1 + np.exp(-bias))).sum(axis=0)
        return theta


@contextmanager
def _threads(number: int) -> Iterator[None]:
    """Run torch, and the linear algebra of numpy and scipy, on so many threads; put the old numbers back."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        with threadpool_limits(number):
            yield
    finally:
        torch.set_num_threads(before)
