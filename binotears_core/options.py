"""Options with their bounds beside them: one frozen dataclass per solver, checked on construction.

Widgets, solvers and tests read the same bounds.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True, kw_only=True)
... class Heat:
...     degrees: float = within(20.0, 0.0, 100.0)
...     def __post_init__(self) -> None:
...         check(self)
>>> bounds(Heat, "degrees")
(0.0, 100.0)
>>> Heat(degrees=400.0)
Traceback (most recent call last):
    ...
binotears_core.errors.OptionError: The option 'degrees' is 400.0, which is outside 0.0 … 100.0. Choose a value within.
"""

from __future__ import annotations

import math
from dataclasses import field, fields
from typing import Any

from binotears_core.errors import OptionError


def within(default: Any, low: float, high: float) -> Any:
    """A dataclass field for a number in [low, high]; whole numbers only when the default is one.

    A default of None stands for "left to the program".
    """
    return field(default=default, metadata={"bounds": (low, high), "whole": isinstance(default, int)})


def one_of(default: str, *others: str) -> Any:
    """A dataclass field for one of a few words."""
    return field(default=default, metadata={"choices": (default, *others)})


def bounds(options: Any, name: str) -> tuple[float, float]:
    """Lowest and highest value of an option."""
    low, high = _metadata(options, name)["bounds"]
    return low, high


def choices(options: Any, name: str) -> tuple[str, ...]:
    """The words an option may take."""
    words: tuple[str, ...] = _metadata(options, name)["choices"]
    return words


def check(options: Any) -> None:
    """Raise OptionError when an option is outside its bounds or not among its choices."""
    for option in fields(options):
        value = getattr(options, option.name)
        if value is None and option.default is None:
            continue  # an option that may be left to the program
        if "choices" in option.metadata and value not in option.metadata["choices"]:
            known = ", ".join(option.metadata["choices"])
            raise OptionError(f"The option '{option.name}' is {value!r}, which is not known. Choose one of: {known}.")
        if "bounds" in option.metadata:
            _check_number(option.name, value, *option.metadata["bounds"], whole=option.metadata["whole"])


def _check_number(name: str, value: Any, low: float, high: float, *, whole: bool) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not number or (whole and value != int(value)):
        raise OptionError(
            f"The option '{name}' is {value!r}. Give a {'whole ' if whole else ''}number from {low} to {high}."
        )
    if not low <= value <= high:
        raise OptionError(f"The option '{name}' is {value}, which is outside {low} … {high}. Choose a value within.")


def _metadata(options: Any, name: str) -> Any:
    return next(option.metadata for option in fields(options) if option.name == name)
