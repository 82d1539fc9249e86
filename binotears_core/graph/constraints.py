"""What the user already knows: forbidden and required edges, tiers in time, groups of indicators.

`Constraints` speaks in names and belongs to the user; `Constraints.resolve` turns it into matrices every solver reads,
and finds contradictions *before* a run, naming the edges.

>>> rules = Constraints(forbidden=[("wet", "rain")], tiers={"rain": 0, "wet": 1})
>>> rules.resolve(("rain", "wet")).allowed.astype(int).tolist()
[[0, 1], [0, 0]]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from binotears_core.errors import OptionError
from binotears_core.graph.dag import Edge, find_cycle

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class EdgeRules:
    """Constraints as matrices: `allowed[i, j]` and `required[i, j]` speak of i → j. Consistent by construction."""

    allowed: Mask
    required: Mask

    @property
    def free(self) -> bool:
        """True when nothing but self-loops is ruled out and nothing is required."""
        p = len(self.allowed)
        return bool(self.allowed.sum() == p * (p - 1) and not self.required.any())

    def accepts(self, adjacency: npt.ArrayLike) -> bool:
        """True when a graph has every required edge and none that is not allowed."""
        matrix = np.asarray(adjacency) != 0
        return bool(not (matrix & ~self.allowed).any() and not (self.required & ~matrix).any())


@dataclass(frozen=True)
class Constraints:
    """Knowledge by name.

    forbidden, required   (source, target) pairs
    tiers                 name → tier number; no edge runs from a later tier to an earlier one; unlisted names are free
    groups                names of which none may cause another (indicators of one categorical variable)
    """

    forbidden: tuple[Edge, ...] = ()
    required: tuple[Edge, ...] = ()
    tiers: tuple[tuple[str, int], ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()

    def __init__(
        self,
        forbidden: Iterable[Edge] = (),
        required: Iterable[Edge] = (),
        tiers: Mapping[str, int] | Iterable[tuple[str, int]] = (),
        groups: Iterable[Iterable[str]] = (),
    ) -> None:
        pairs = tiers.items() if isinstance(tiers, Mapping) else tiers
        object.__setattr__(self, "forbidden", tuple((str(a), str(b)) for a, b in forbidden))
        object.__setattr__(self, "required", tuple((str(a), str(b)) for a, b in required))
        object.__setattr__(self, "tiers", tuple((str(name), int(tier)) for name, tier in pairs))
        object.__setattr__(self, "groups", tuple(tuple(group) for group in groups))

    def resolve(self, names: tuple[str, ...], groups: Iterable[Iterable[str]] = ()) -> EdgeRules:
        """Matrices over `names`; `groups` are those of the data, added to our own. Raises OptionError on conflict."""
        position = {name: index for index, name in enumerate(names)}
        self._check_names(position)
        reason = self._forbidden_reasons(groups)
        allowed = ~np.eye(len(names), dtype=bool)
        for a, b in reason:
            if a in position and b in position:
                allowed[position[a], position[b]] = False
        required = np.zeros_like(allowed)
        for a, b in self.required:
            if (a, b) in reason:
                raise OptionError(f"The required edge {a} → {b} contradicts {reason[a, b]}. Remove one of the two.")
            required[position[a], position[b]] = True
        cycle = find_cycle(required)
        if cycle:
            loop = " → ".join(names[i] for i in [*cycle, cycle[0]])
            raise OptionError(f"The required edges form a cycle: {loop}. Remove one of them.")
        self._check_ancestry(names, required)
        return EdgeRules(allowed, required)

    def _check_names(self, position: Mapping[str, int]) -> None:
        for what, edges in (("forbidden", self.forbidden), ("required", self.required)):
            for a, b in edges:
                for name in (a, b):
                    if name not in position:
                        raise OptionError(
                            f"The {what} edge {a} → {b} names '{name}', which is not a variable. "
                            f"The variables are: {', '.join(position)}."
                        )
                if a == b:
                    raise OptionError(f"The {what} edge {a} → {a} is a self-loop, which no graph here has. Remove it.")
        listed = [("tiers", name) for name, _ in self.tiers] + [("groups", n) for group in self.groups for n in group]
        for what, name in listed:
            if name not in position:
                raise OptionError(
                    f"The {what} name '{name}', which is not a variable. The variables are: {', '.join(position)}."
                )
        tier_of: dict[str, int] = {}
        for name, tier in self.tiers:
            if tier_of.setdefault(name, tier) != tier:
                raise OptionError(f"'{name}' is in tier {tier_of[name]} and in tier {tier}. Give it one tier.")

    def _forbidden_reasons(self, groups: Iterable[Iterable[str]]) -> dict[Edge, str]:
        """Every forbidden pair with the rule that forbids it, in words."""
        reason: dict[Edge, str] = {}
        for group in (*self.groups, *(tuple(group) for group in groups)):
            for a in group:
                for b in group:
                    if a != b:
                        reason[a, b] = f"the group {{{', '.join(group)}}}"
        for a, tier_a in self.tiers:
            for b, tier_b in self.tiers:
                if tier_a > tier_b:
                    reason[a, b] = f"the tiers ({a} is in tier {tier_a}, {b} in tier {tier_b})"
        for a, b in self.forbidden:
            reason[a, b] = f"the forbidden edge {a} → {b}"
        return reason

    def _check_ancestry(self, names: tuple[str, ...], required: Mask) -> None:
        """A chain of required edges must not run from a later tier to an earlier one either."""
        if not (self.tiers and self.required):
            return  # the closure below takes p³ steps
        reach = required.copy()
        for k in range(len(names)):
            reach |= reach[:, [k]] & reach[[k], :]
        tier = dict(self.tiers)
        for a, tier_a in tier.items():
            for b, tier_b in tier.items():
                if tier_a > tier_b and reach[names.index(a), names.index(b)]:
                    raise OptionError(
                        f"The required edges lead from {a} (tier {tier_a}) to {b} (tier {tier_b}), "
                        "against the tiers. Remove a required edge or change a tier."
                    )
