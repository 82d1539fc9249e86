"""Options carry their bounds, and say which value is wrong and what would do."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from binotears_core.errors import OptionError
from binotears_core.options import bounds, check, choices, one_of, within


@dataclass(frozen=True, kw_only=True)
class Oven:
    degrees: float = within(180.0, 50.0, 250.0)
    trays: int = within(1, 1, 4)
    mode: str = one_of("fan", "grill")

    def __post_init__(self) -> None:
        check(self)


def test_bounds_and_choices_can_be_read() -> None:
    assert bounds(Oven, "degrees") == (50.0, 250.0)
    assert bounds(Oven(), "trays") == (1, 4)
    assert choices(Oven, "mode") == ("fan", "grill")


def test_values_at_the_bounds_are_fine() -> None:
    assert Oven(degrees=50.0, trays=4, mode="grill").degrees == 50.0


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"degrees": 300.0}, r"The option 'degrees' is 300\.0, which is outside 50\.0 … 250\.0"),
        ({"degrees": float("nan")}, "Give a number from"),
        ({"degrees": "hot"}, "Give a number from"),
        ({"trays": 1.5}, "Give a whole number from 1 to 4"),
        ({"trays": True}, "Give a whole number from 1 to 4"),
        ({"mode": "steam"}, "Choose one of: fan, grill"),
    ],
)
def test_wrong_values_are_named(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        Oven(**given)  # type: ignore[arg-type]
