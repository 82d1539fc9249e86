"""From the values of a column to bits: one rule per column.

A rule sends every value of its column to at most one of its 0/1 outputs:

    plain column      1 → smoker            0 → none
    cut               above 37 → age        else → none
    indicators        red → colour=red      blue → colour=blue      green (reference) → none
    missing cell      → income=missing      (only when missing cells are to be marked)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from binotears_core.data.columns import BIT_WORDS, Column, Summary, label_of, short
from binotears_core.data.mixture import mixture_cut
from binotears_core.data.table import Floats
from binotears_core.errors import DataError, OptionError

Choice = str | float
Locate = Callable[[str, Callable[[str], bool]], tuple[int, str]]

# Of two values, one of these words becomes 1 whatever the alphabet says (it puts "nein" after "ja").
POSITIVE_WORDS = (
    *("y", "t", "on", "+", "pos", "positive", "present", "yes", "true", "1"),
    *("ja", "j", "oui", "si", "sí", "sì", "sim", "tak", "да", "wahr", "vrai", "positiv"),
)
MANY_LEVELS = 50


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What happens to one column.

    how      "as it is", "constant", "two values", "given value", "indicators", "threshold", "median", …
    outputs  names of the 0/1 columns it makes
    cut      a number above this becomes 1
    values   (value, output that becomes 1 or None for none)
    missing  the output that marks missing cells, if there is one
    """

    column: str
    how: str
    outputs: tuple[str, ...]
    cut: float | None = None
    values: tuple[tuple[str, str | None], ...] = ()
    missing: str | None = None

    def targets(self, column: Column) -> npt.NDArray[np.int64]:
        """(L + 1,) number of the output that each value of a piece switches on, -1 for none."""
        if self.cut is not None:
            places = np.where(column.numbers > self.cut, 0, -1)
        else:
            place = {label: self.outputs.index(output) for label, output in self.values if output is not None}
            places = np.array([place.get(label, -1) if label is not None else -1 for label in column.labels()])
        places[column.missing] = self.outputs.index(self.missing) if self.missing is not None else -1
        return places.astype(np.int64)

    def check(self, summary: Summary, locate: Locate) -> None:
        """A recipe made for one table may meet values in another that it does not know."""
        if self.cut is not None:
            _check_numbers(self.column, summary, locate)
        elif self.how != "given value":
            known = {label for label, _ in self.values}
            if not summary.labels().keys() <= known:
                row, label = locate(self.column, lambda label: label not in known)
                raise DataError(
                    f"Column '{self.column}' has a value the recipe does not know (first at row {row}: {label}). "
                    "Correct it or load the table without the recipe."
                )
        if summary.missing and self.missing is None:
            raise DataError(
                f"Column '{self.column}' has {summary.missing} missing cells, which the recipe does not foresee. "
                "Fill them in or load the table without the recipe."
            )

    def sentence(self) -> str:
        """What was done, for the record."""
        ones = ", ".join(f"'{short(label)}'" for label, output in self.values if output is not None)
        zeros = ", ".join(f"'{short(label)}'" for label, output in self.values if output is None)
        start = f"Column '{self.column}'"
        if self.cut is not None:
            what = "a given threshold" if self.how == "threshold" else f"its {HOW_WORDS[self.how]}"
            return f"{start}: values above {self.cut:.6g} ({what}) became 1, the others 0."
        if self.how == "indicators":
            made = ", ".join(output for output in self.outputs if output != self.missing)
            return f"{start} became the indicators {made}; the reference level is {zeros} (the most frequent)."
        if self.how == "given value":
            return f"{start}: {ones} became 1, every other value 0."
        return f"{start}: {ones} became 1, {zeros} became 0."

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"outputs": list(self.outputs), "values": dict(self.values)}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Rule:
        """The rule that `to_dict` wrote."""
        return cls(**{**plain, "outputs": tuple(plain["outputs"]), "values": tuple(plain["values"].items())})


def median(values: Floats, mass: Floats) -> float:
    """Smallest value with half the weight at or below it; halfway to the next one when that is exactly half."""
    below = np.cumsum(mass)
    place = int(np.searchsorted(below, below[-1] / 2))
    exact = below[place] == below[-1] / 2
    return float((values[place] + values[place + 1]) / 2 if exact else values[place])


def mean(values: Floats, mass: Floats) -> float:
    """Σ m x / Σ m."""
    return float(mass @ values / mass.sum())


def log_mean(values: Floats, mass: Floats) -> float:
    """exp(Σ m log x / Σ m), the geometric mean, for numbers above 0."""
    if values[0] <= 0:
        raise DataError("it has numbers that are not above 0")
    return float(np.exp(mean(np.log(values), mass)))


CUTS: dict[str, Callable[[Floats, Floats], float]] = {
    "median": median,
    "mean": mean,
    "log-mean": log_mean,
    "mixture": mixture_cut,
}
HOW_WORDS = {
    "median": "median",
    "mean": "mean",
    "log-mean": "logarithmic mean",
    "mixture": "border between two normal components",
}
CHOICES = (*CUTS, "indicators", "drop")


def check_choice(choice: object) -> None:
    """A rule is one of the known words or a finite number; None is no rule."""
    is_number = isinstance(choice, int | float | np.number) and not isinstance(choice, bool) and np.isfinite(choice)
    if choice is not None and not is_number and choice not in CHOICES:
        known = ", ".join(CHOICES)
        raise OptionError(f"{choice!r} is no way to binarise. Use a number (a threshold) or one of: {known}.")


def kind_of(summary: Summary) -> str:
    """empty, constant, binary, two-valued, numeric or categorical."""
    if summary.distinct == 0:
        return "empty"
    bits = _bits(summary)
    if summary.distinct == 1 or (bits is not None and len(set(bits.values())) == 1):
        return "constant"
    if bits is not None:
        return "binary"
    if summary.distinct == 2:
        return "two-valued"
    return "categorical" if summary.texts else "numeric"


def find_rule(name: str, summary: Summary, choice: Choice | None, default: Choice | None, locate: Locate) -> Rule:
    """The rule for a column: its own choice; as it is when it has two values; else the default for all."""
    kind = kind_of(summary)
    if kind in ("constant", "empty"):
        values = tuple((label, None) for label in summary.labels())
        return Rule(column=name, how="constant", outputs=(name,), values=values)
    if choice is None and kind in ("binary", "two-valued"):
        return _two_values(name, summary)
    rule = choice if choice is not None else default
    if rule is None:
        row, label = locate(name, lambda label: label.lower() not in BIT_WORDS)
        raise DataError(
            f"Column '{name}' has values other than 0 and 1 (first at row {row}: {label}). Binarise it or drop it."
        )
    if rule == "indicators":
        return _indicators(name, summary)
    _check_numbers(name, summary, locate)
    cut = _cut(name, summary, rule)
    return Rule(column=name, how=rule if isinstance(rule, str) else "threshold", outputs=(name,), cut=cut)


def positive_rule(name: str, summary: Summary, value: object) -> Rule:
    """One value, chosen by the user, becomes 1 and all others 0."""
    labels = list(summary.labels())
    wanted = label_of(value)
    found = [label for label in labels if label == wanted] or [
        label for label in labels if label.lower() == wanted.lower() or _same_bit(label, value)
    ]
    if not found:
        shown = ", ".join(short(label) for label in labels[:10]) + (", …" if len(labels) > 10 else "")
        raise OptionError(f"Column '{name}' has no value '{value}' to become 1. Its values are: {shown}.")
    return Rule(column=name, how="given value", outputs=(name,), values=tuple((label, name) for label in found))


def _same_bit(label: str, value: object) -> bool:
    """Python's True and False stand for every spelling of 1 and 0."""
    return isinstance(value, bool | np.bool_) and BIT_WORDS.get(label.lower()) == value


def _bits(summary: Summary) -> dict[str, int] | None:
    """What each value means when all are 0/1, true/false or yes/no; else None."""
    if summary.distinct > len(BIT_WORDS) * 8:  # more than all spellings
        return None
    labels = list(summary.labels())
    if any(label.lower() not in BIT_WORDS for label in labels):
        return None
    return {label: BIT_WORDS[label.lower()] for label in labels}


def _two_values(name: str, summary: Summary) -> Rule:
    """0/1 words as they are; of two other values 1 is the positive word, the larger number or last in the alphabet."""
    bits, how = _bits(summary), "as it is"
    if bits is None:
        labels, how = list(summary.labels()), "two values"
        words = [label for label in labels if label.lower() in POSITIVE_WORDS] if summary.texts else []
        one = words[0] if len(words) == 1 else labels[-1]
        bits = {label: int(label == one) for label in labels}
    values = tuple((label, name if bit else None) for label, bit in bits.items())
    return Rule(column=name, how=how, outputs=(name,), values=values)


def _indicators(name: str, summary: Summary) -> Rule:
    """T values become T - 1 indicators; the most frequent value is the reference."""
    if summary.distinct > MANY_LEVELS:
        raise DataError(
            f"Column '{name}' has {summary.distinct} different values, but indicators are for {MANY_LEVELS} at most. "
            "Merge values, choose another rule or drop it."
        )
    labels = summary.labels()
    reference = max(labels, key=lambda label: labels[label])  # ties: the first
    values = tuple((label, None if label == reference else f"{name}={label}") for label in labels)
    return Rule(column=name, how="indicators", outputs=tuple(o for _, o in values if o is not None), values=values)


def _cut(name: str, summary: Summary, rule: Choice) -> float:
    if not isinstance(rule, str):
        return float(rule)
    try:
        return CUTS[rule](summary.numbers, summary.mass)
    except DataError as why:
        raise DataError(f"Column '{name}' cannot be cut by '{rule}': {why}. Choose another rule or drop it.") from None


def _check_numbers(name: str, summary: Summary, locate: Locate) -> None:
    if summary.texts:
        row, label = locate(name, lambda label: label in summary.texts)
        raise DataError(
            f"Column '{name}' has text where numbers are meant (first at row {row}: '{label}'). "
            "Correct it, use indicators or drop it."
        )
