"""The choices a user has when a table is loaded, checked before anything is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from binotears_core.data.binarise import Choice, check_choice
from binotears_core.errors import OptionError

Missing = Literal["refuse", "drop", "indicator"]
WeightsKind = Literal["auto", "counts", "survey"]


@dataclass(frozen=True, kw_only=True)
class LoadOptions:
    """Options of `load` and `from_frame`.

    binarise  None, one rule for every column with more than two values, or {column: rule} where "*" is the rule for the
              others. Rules: "median", "mean", "log-mean", "mixture", a number (above it → 1), "indicators", "drop"
    missing   "refuse", "drop" (rows with missing cells) or "indicator" (0, and one more column `name=missing`)
    weights   column of row weights; weights_kind "counts" (a row stands for that many), "survey", or "auto":
              counts when all are whole numbers
    drop      columns to leave out
    positive  {column: value that becomes 1}
    """

    binarise: Choice | Mapping[str, Choice] | None = None
    missing: Missing = "refuse"
    weights: str | None = None
    weights_kind: WeightsKind = "auto"
    drop: Iterable[str] = ()
    positive: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "drop", (self.drop,) if isinstance(self.drop, str) else tuple(self.drop))
        object.__setattr__(self, "positive", dict(self.positive or {}))
        _check_one_of("missing", self.missing, get_args(Missing))
        _check_one_of("weights_kind", self.weights_kind, get_args(WeightsKind))
        for choice in (*self.rules.values(), self.default):
            check_choice(choice)
        if self.default == "drop":
            raise OptionError(
                "'drop' is a rule for single columns, not for all. Name them: binarise={'column': 'drop'}."
            )
        for name in {self.weights, *self.ones} & {*self.rules, *self.drop} | {self.weights} & {*self.ones}:
            raise OptionError(f"Column '{name}' is named in several options that exclude each other. Keep one of them.")

    @property
    def rules(self) -> dict[str, Choice]:
        """The choices made for single columns."""
        chosen = dict(self.binarise) if isinstance(self.binarise, Mapping) else {}
        return {name: choice for name, choice in chosen.items() if name != "*" and choice is not None}

    @property
    def default(self) -> Choice | None:
        """The choice for all other columns with more than two values."""
        return self.binarise.get("*") if isinstance(self.binarise, Mapping) else self.binarise

    @property
    def ones(self) -> dict[str, Any]:
        """The values that become 1."""
        return dict(self.positive or {})

    @property
    def dropped(self) -> tuple[str, ...]:
        """The columns to leave out."""
        return (*self.drop, *(name for name, choice in self.rules.items() if choice == "drop"))

    def check_columns(self, names: tuple[str, ...]) -> None:
        """Every name in the options must be a column."""
        weights = () if self.weights is None else (self.weights,)
        asked = {"binarise": self.rules, "drop": self.drop, "positive": self.ones, "weights": weights}
        for option, name in ((option, name) for option, columns in asked.items() for name in columns):
            if name not in names:
                known = ", ".join(names)
                raise OptionError(f"Option {option} names '{name}', which is no column. The columns are: {known}.")


def _check_one_of(option: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise OptionError(f"{value!r} is no choice for {option}. Use one of: {', '.join(allowed)}.")
