"""Randomness of a simulation: one independent stream per purpose, so that asking for more rows keeps the same graph."""

from __future__ import annotations

import numpy as np

from binotears_core.errors import OptionError

_PURPOSES = ("graph", "coefficients", "rows")


def stream(seed: int, purpose: str) -> np.random.Generator:
    """The generator for "graph", "coefficients" or "rows" under this seed."""
    check_at_least("seed", seed, 0)
    return np.random.default_rng([int(seed), _PURPOSES.index(purpose)])


def check_at_least(name: str, value: int, least: int) -> None:
    """A whole number ≥ `least`, or an OptionError that names the option."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise OptionError(f"The option {name} is {value!r}. Give a whole number of at least {least}.")
