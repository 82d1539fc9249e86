"""The choices that turned a table into bits, in a form that can be stored and used again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from binotears_core.data.binarise import Rule
from binotears_core.data.options import Missing, WeightsKind


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything `load` decided: `load(path, recipe=recipe)` on the same file gives the same fingerprint.

    rules         one per column that is used; columns without a rule are left out
    missing       "refuse", "drop" or "indicator"
    weights       the column of row weights, if any
    weights_kind  "counts" or "survey" ("auto" without weights)
    sheet, header  how the file is read; None: found out
    """

    rules: tuple[Rule, ...]
    missing: Missing = "refuse"
    weights: str | None = None
    weights_kind: WeightsKind = "auto"
    sheet: str | int | None = None
    header: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**vars(self), "rules": [rule.to_dict() for rule in self.rules]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Recipe:
        """The recipe that `to_dict` wrote."""
        return cls(**{**plain, "rules": tuple(Rule.from_dict(rule) for rule in plain["rules"])})
