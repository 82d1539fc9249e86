"""The estimate before a run: counts are exact, costs grow with the work, and what cannot be served is refused."""

from itertools import combinations

import numpy as np
import pytest

import binotears_core as bn
from binotears_core import estimating
from binotears_core.__main__ import main


def table(variables: int, rows: int = 300, seed: int = 0) -> bn.BinaryData:
    return bn.BinaryData.from_array(np.random.default_rng(seed).integers(0, 2, (rows, variables)))


@pytest.mark.parametrize("orders", [1, 2, (2,), (1, 4), "all"])
@pytest.mark.parametrize("variables", [2, 4, 6])
def test_coefficients_are_those_one_can_list(variables: int, orders: object) -> None:
    sizes = range(1, variables + 1) if orders == "all" else range(1, orders + 1) if orders in (1, 2) else orders
    if max(sizes) > variables:
        with pytest.raises(bn.OptionError, match="needs 4 variables"):
            bn.estimate(table(variables), orders=orders)
        return
    sizes = {0, *(min(size, variables - 1) for size in sizes)}
    listed = [
        (node, subset)
        for node in range(variables)
        for size in sizes
        for subset in combinations([other for other in range(variables) if other != node], size)
    ]
    assert bn.estimate(table(variables), orders=orders).coefficients == len(listed)


METHODS = [{"method": "dagma"}, {"method": "two-stage"}, {"method": "exact"}, {"refine": False}, {}]


@pytest.mark.parametrize("choices", METHODS, ids=str)
def test_more_variables_and_more_rows_cost_more(choices: dict[str, object]) -> None:
    by_size = [bn.estimate(table(p), **choices) for p in (3, 6, 9, 12)]
    by_rows = [bn.estimate(table(12, n), **choices) for n in (50, 500, 4000)]
    for costs in (by_size, by_rows):
        seconds = [cost.seconds for cost in costs]
        assert seconds == sorted(seconds)
        assert seconds[0] < seconds[-1]
        assert [cost.bytes for cost in costs] == sorted(cost.bytes for cost in costs)
        assert all(np.isfinite([cost.seconds, cost.bytes]).all() and cost.seconds > 0 for cost in costs)


@pytest.mark.parametrize("method", ["dagma", "exact"])
@pytest.mark.parametrize("variables", [8, 12])
def test_more_orders_cost_more(method: str, variables: int) -> None:
    costs = [bn.estimate(table(variables), method=method, orders=orders) for orders in (1, 2, 4, "all")]
    assert [cost.coefficients for cost in costs] == sorted({cost.coefficients for cost in costs})
    assert [cost.seconds for cost in costs] == sorted(cost.seconds for cost in costs)
    assert costs[0].seconds < costs[-1].seconds


def test_refinement_and_steps_cost_something() -> None:
    data = table(10)
    plain = bn.estimate(data, refine=False)
    assert plain.seconds < bn.estimate(data).seconds
    assert plain.seconds < bn.estimate(data, refine=False, schedule=bn.Schedule(steps=20)).seconds


def test_options_and_keywords_say_the_same() -> None:
    data = table(7)
    assert bn.estimate(data, bn.FitOptions(orders=2, refine=False)) == bn.estimate(data, orders={1, 2}, refine=False)
    assert bn.estimate(data) == bn.estimate(data, bn.FitOptions())
    with pytest.raises(TypeError):
        bn.estimate(data, order=2)


def test_the_route_and_its_reason_are_those_of_the_run() -> None:
    data = table(6)
    expected, result = bn.estimate(data), bn.fit(data)
    assert expected.method == result.method
    assert expected.reason in result.notes[0]


def test_orders_the_two_stage_solver_lacks_go_to_dagma_while_it_is_quick() -> None:
    first, third = bn.estimate(table(14), orders=1), bn.estimate(table(60), orders=3)
    assert first.method == "dagma"
    assert "orders 1 alone" in first.reason
    assert third.method == "two-stage"
    assert "its regressions have orders 1, 2" in third.reason
    assert bn.estimate(table(14)).method == "two-stage"


def test_the_pace_of_the_machine_is_one_number() -> None:
    assert estimating.machine_pace() == estimating.machine_pace() > 0


def test_advice_where_it_is_much() -> None:
    assert not bn.estimate(table(5)).advice
    assert "takes long" in bn.Estimate(1, 1.0, 1e4, "dagma", "").advice
    assert "memory" in bn.Estimate(1, 7e9, 1.0, "dagma", "").advice


@pytest.mark.parametrize(
    ("variables", "choices", "says"),
    [
        (40, {"method": "dagma", "orders": "all"}, r"10\^13 coefficients.*Use orders=2 or method='two-stage'"),
        (25, {"method": "dagma", "orders": "all"}, r"419,430,400 coefficients.*GB of memory.*method='two-stage'"),
        (200, {"method": "dagma", "orders": 2}, r"coefficients for 200 variables.*hours\. Use method='two-stage'"),
        (17, {"method": "exact"}, "at most 16 variables, the data have 17"),
        (2000, {}, r"two-stage with these options.*fewer columns"),
        (3000, {"method": "dagma", "orders": "all"}, "more memory than any machine has"),
    ],
)
def test_what_cannot_be_served_is_refused_with_what_can(variables: int, choices: dict[str, object], says: str) -> None:
    with pytest.raises(bn.OptionError, match=says):
        bn.fit(table(variables, 3000), **choices)


def test_what_a_refusal_recommends_is_served() -> None:
    data = table(40)
    assert "orders=2" in bn.estimate(data, method="dagma", orders="all").advice
    assert not bn.estimate(data, method="dagma", orders=2).refusal
    assert not bn.estimate(data, method="two-stage", orders="all").refusal


def test_the_command_line_refuses_with_status_2(tmp_path, capsys) -> None:
    table(40, 50).to_frame().to_csv(tmp_path / "wide.csv", index=False)
    status = main(["fit", str(tmp_path / "wide.csv"), "--method", "dagma", "--orders", "all"])
    said = capsys.readouterr().err
    assert status == 2
    assert "coefficients" in said
    assert "method='two-stage'" in said
    assert said.count("\n") == 1
