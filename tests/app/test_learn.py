"""The Learn page, its widgets and a real run, without a browser."""

import threading
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import binotears_core as bn
from binotears_core.archive import SavedData
from binotears_core.model.evidence import Effects
from binotears_core.planning import FitOptions
from binotears_core.solvers.local_scores import EFFECTS
from pages._ui import inputs, live
from pages._ui.colours import LIGHT
from pages._ui.examples import BY_KEY
from pages._ui.running import runs
from pages._ui.running.snapshots import Report
from pages._ui.words import megabytes, seconds

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = ("<img src=x onerror=alert(1)>", "</script>", "a **b** $c$ :smile:", "ת" * 300)


pytestmark = pytest.mark.usefixtures("app_server")


@pytest.fixture
def learn() -> AppTest:
    home = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    return home.switch_page("pages/2_Learn.py").run()


def with_data(page: AppTest, saved: SavedData) -> AppTest:
    mine = page.session_state["binotears"]
    mine.data["key"], mine.current_data = saved, "key"
    return page.run()


def small(nodes: int = 4) -> SavedData:
    truth, data = bn.simulate(nodes=nodes, samples=500, seed=2)
    return SavedData("small", data, {"true graph": truth.adjacency}, truth)


def button(page: AppTest, label: str):
    return next(button for button in page.button if button.label == label)


def shown(page: AppTest) -> str:
    """All text of a page."""
    parts = (*page.markdown, *page.caption, *page.success, *page.warning, *page.error, *page.info)
    return "\n".join(part.value for part in parts)


def finish(page: AppTest) -> AppTest:
    while any(runs().snapshot(run).active for run in page.session_state["binotears"].runs):
        threading.Event().wait(0.02)
    return page.run()


def test_without_data_the_page_says_what_to_do(learn: AppTest) -> None:
    assert not learn.exception
    assert "no data yet" in shown(learn)
    assert not [button for button in learn.button if button.label == "Run"]


def test_a_run_from_start_to_end(learn: AppTest) -> None:
    page = with_data(learn, small())
    button(page, "Run").click().run()
    page = finish(page)
    assert not page.exception
    assert "It took" in shown(page)
    (run,) = page.session_state["binotears"].runs
    assert runs().snapshot(run).state == "done"
    assert runs().snapshot(run).name == "auto orders"
    assert page.query_params["run"] == run


def test_choices_reach_the_run(learn: AppTest) -> None:
    page = with_data(learn, small())
    page.segmented_control[0].set_value(1).run()
    next(box for box in page.selectbox if box.label == "Method").set_value("exact").run()
    next(box for box in page.number_input if box.label == "λ at first").set_value(0.1).run()
    next(box for box in page.number_input if box.label == "seed").set_value(7).run()
    next(box for box in page.text_input if box.label == "Name of the run").set_value("mine *").run()
    button(page, "Run").click().run()
    page = finish(page)
    (run,) = page.session_state["binotears"].runs
    options = runs().result(run).options
    assert (options.orders, options.method, options.schedule.lam, options.seed) == (1, "exact", 0.1, 7)
    assert runs().snapshot(run).name == "mine *"


def test_the_prior_of_effects_is_left_to_the_data_until_a_scale_is_given(learn: AppTest) -> None:
    page = with_data(learn, small())
    for scale in (None, 1.5):
        next(box for box in page.number_input if box.label == "prior scale").set_value(scale).run()
        button(page, "Run").click().run()
        page = finish(page)
    assert not page.exception
    results = [runs().result(run) for run in page.session_state["binotears"].runs]
    assert [result.options.score.prior_scale for result in results] == [None, 1.5]
    assert results[0].certificate.effects in EFFECTS
    assert results[1].certificate.effects == Effects(1.5)


def test_choices_outlive_a_visit_to_another_page(learn: AppTest) -> None:
    page = with_data(learn, small())
    page.segmented_control[0].set_value(2).run()
    page.switch_page("app.py").run()
    page.switch_page("pages/2_Learn.py").run()
    assert page.segmented_control[0].value == 2


def test_a_contradiction_is_told_before_the_run(learn: AppTest) -> None:
    page = with_data(learn, small())
    mine = page.session_state["binotears"]
    about = mine.data["key"].data.fingerprint[:12]
    table = mine.choices[f"required {about}"].copy()
    table.loc["X1", "X2"] = table.loc["X2", "X1"] = True
    # As after a visit to another page: the table is kept, its widget is not.
    mine.choices[f"required {about}"] = table
    mine.generation += 1
    page.run()
    assert "form a cycle" in shown(page)
    assert not [button for button in page.button if button.label == "Run"]


def test_a_link_brings_run_data_and_truth_to_a_fresh_session(learn: AppTest) -> None:
    page = with_data(learn, small())
    button(page, "Run").click().run()
    page = finish(page)
    (run,) = page.session_state["binotears"].runs
    fresh = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    fresh.query_params["run"] = run
    mine = fresh.run().session_state["binotears"]
    assert list(mine.runs) == [run]
    (saved,) = mine.data.values()
    assert saved.name == "small"
    assert saved.truths["true graph"].shape == (4, 4)
    assert mine.owner != page.session_state["binotears"].owner


def test_another_session_sees_nothing(learn: AppTest) -> None:
    page = with_data(learn, small())
    button(page, "Run").click().run()
    other = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not other.session_state["binotears"].runs
    (run,) = page.session_state["binotears"].runs
    assert run not in shown(other)
    finish(page)


def test_a_link_to_nothing_is_explained(learn: AppTest) -> None:
    fresh = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    fresh.query_params["run"] = "nonsense"
    assert "no longer stored" in shown(fresh.run())


def test_hostile_names_are_text(learn: AppTest) -> None:
    data = bn.BinaryData.from_array([[0, 1, 0, 1], [1, 0, 1, 1], [1, 1, 0, 0]] * 20, names=HOSTILE)
    page = with_data(learn, SavedData(HOSTILE[0], data))
    assert not page.exception
    assert HOSTILE[0] not in shown(page)
    picture = live.graph(HOSTILE, [(0, 1), (2, 3)], LIGHT)
    assert "<img" not in picture
    assert "</script" not in picture


def test_the_example_brings_what_is_known() -> None:
    known = inputs.known_beforehand(BY_KEY["fertility"].load())
    assert dict(known.tiers)["worked"] == 2
    assert inputs.known_beforehand(SavedData("Fertility", small().data)) == bn.Constraints()


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (FitOptions(), "auto orders"),
        (FitOptions(orders=2, refine=False), "second order · not refined"),
        (FitOptions(score=bn.ScoreOptions(prior_scale=1.5)), "auto orders · prior scale 1.5"),
        (
            FitOptions(schedule=bn.Schedule(lam=0.125, delta=0.25, gamma=0.25, steps=3)),
            "auto orders · λ at first 0.125 · δ at first 0.25 · …",
        ),
        (FitOptions(orders=3, method="exact"), "orders 1 to 3 · exact search alone"),
        (FitOptions(orders=(1, 4)), "only order 1, 4"),
    ],
)
def test_names_of_runs(options: FitOptions, name: str) -> None:
    assert inputs.run_name(options) == name


def test_the_page_shows_what_a_run_will_cost(learn: AppTest) -> None:
    page = with_data(learn, small())
    price = bn.estimate(small().data)
    text = shown(page)
    assert f"{price.coefficients} coefficients · about {seconds(price.seconds)} · {megabytes(price.bytes)}" in text
    assert price.reason in text


def test_what_cannot_be_served_is_told_before_the_run(learn: AppTest) -> None:
    learn = with_data(learn, SavedData("wide", bn.simulate(nodes=40, samples=100, seed=0)[1]))
    next(box for box in learn.selectbox if box.label == "Method").select("dagma")
    learn.segmented_control[0].select("all")
    page = learn.run()
    assert "coefficients for 40 variables" in shown(page)
    assert not [button for button in page.button if button.label == "Run"]


def test_the_loss_curve_does_not_mix_two_scales() -> None:
    def report(seconds: float, loss: float, h: float) -> Report:
        return Report(seconds, "gradient", 1, 2, 0.5, loss, h, 3, 0.1, 0.1, "")

    nan = float("nan")
    picture = live.curve([report(1, 4.0, 1e-3), report(2, 3.5, 1e-5), report(3, 50_000.0, nan)], "loss", LIGHT)
    assert "loss: 3.5" in picture
    assert live.curve([report(1, nan, nan)], "loss", LIGHT) == ""


def test_an_example_runs_with_one_click_and_shows_its_choices() -> None:
    home = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    button(home, "Run Fertility").click().run()
    page = finish(home.switch_page("pages/2_Learn.py").run())
    assert not page.exception
    assert page.segmented_control[0].value == 2
    assert "Known: 3 tiers" in shown(page)
    (run,) = page.session_state["binotears"].runs
    assert dict(runs().result(run).options.constraints.tiers)["third_child"] == 1


def test_the_choices_of_a_run_can_be_taken_over(learn: AppTest) -> None:
    page = with_data(learn, small())
    page.segmented_control[0].set_value(1).run()
    next(box for box in page.number_input if box.label == "threshold").set_value(0.4).run()
    button(page, "Run").click().run()
    page = finish(page)
    (run,) = page.session_state["binotears"].runs
    page.segmented_control[0].set_value("all").run()
    next(box for box in page.number_input if box.label == "threshold").set_value(0.2).run()
    page.button(key=f"tune-{run}").click().run()
    assert page.segmented_control[0].value == 1
    assert next(box for box in page.number_input if box.label == "threshold").value == 0.4


def test_a_tick_on_the_diagonal_is_told_to_count_for_nothing(learn: AppTest) -> None:
    page = with_data(learn, small())
    mine = page.session_state["binotears"]
    about = mine.data["key"].data.fingerprint[:12]
    table = mine.choices[f"forbidden {about}"].copy()
    table.loc["X2", "X2"] = True
    mine.choices[f"forbidden {about}"] = table
    mine.generation += 1
    page.run()
    assert "Nothing causes itself: a tick on the diagonal counts for nothing (X2)." in shown(page)
    assert not page.exception


def test_the_first_page_lists_runs_with_their_data(learn: AppTest) -> None:
    page = with_data(learn, small())
    button(page, "Run").click().run()
    page = finish(page)
    page.switch_page("app.py").run()
    assert any(one.label.startswith("small · auto orders · ") for one in page.button)


def test_runs_can_be_renamed_and_deleted(learn: AppTest) -> None:
    page = with_data(learn, small())
    button(page, "Run").click().run()
    page = finish(page)
    (run,) = page.session_state["binotears"].runs
    page.text_input(key=f"name-{run}").set_value("better name").run()
    assert runs().snapshot(run).name == "better name"
    page.button(key=f"delete-{run}").click().run()
    assert not page.exception
    assert runs().snapshot(run) is None
    assert page.session_state["binotears"].current_run is None


def test_a_single_tier_is_told_to_say_nothing():
    assert "says nothing" in inputs.describe(bn.Constraints(tiers={"a": 1, "b": 1}))
    assert inputs.describe(bn.Constraints(tiers={"a": 1, "b": 2})) == "2 tiers"
