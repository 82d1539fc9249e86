"""The life of a run as a user meets it: watch, leave, reload, cancel, lose the worker, restart the server."""

import os
import re
import signal
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from playwright.sync_api import Page, expect

CANCEL = "Cancel, keep best so far"
STOPPED = "Stopped on request"
TOOK = "It took"


def start_long_run(page: Page, hands: SimpleNamespace) -> None:
    """16 variables, all orders, gradient: half a million coefficients, minutes on any machine, yet stopped at once."""
    hands.go(page, "Data")
    hands.switch(page, "Simulate")
    page.get_by_role("slider", name="Nodes").focus()
    for _ in range(16 - 9):
        page.keyboard.press("ArrowRight")
    page.get_by_text("16 nodes, 32 edges").wait_for()
    page.get_by_role("button", name="Simulate", exact=True).click()
    page.get_by_text("Most frequent patterns").wait_for()
    hands.go(page, "Learn")
    hands.pick(page, "Method", "gradient (DAGMA)")
    hands.switch(page, "all")
    page.get_by_text("524 288 coefficients".replace(" ", "\u202f", 1)).wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text(re.compile(r"gradient \d+ of")).wait_for()  # a slow page may miss the first step


def run_example(page: Page, name: str = "Noisy AND") -> None:
    page.get_by_role("button", name=f"Run {name}").click()
    page.get_by_text(TOOK).wait_for()


def said(page: Page, text: str) -> None:
    expect(page.get_by_text(text).first).to_be_visible()


def test_a_run_survives_leaving_and_reloading_and_can_be_cancelled(
    visit: Callable[..., Page], hands: SimpleNamespace
) -> None:
    page = visit()
    start_long_run(page, hands)
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("link", name="● ")).to_be_visible()  # the menu tells the percentage everywhere
    page.get_by_role("link", name="2 Learn").click()
    page.get_by_role("button", name=CANCEL).wait_for()
    page.reload()
    page.get_by_role("button", name=CANCEL).wait_for()
    expect(page.get_by_role("radio", name="all", exact=True)).to_be_checked()
    page.get_by_role("button", name=CANCEL).click()
    said(page, STOPPED)
    expect(page.get_by_role("button", name=re.compile("all orders .* · stopped"))).to_be_visible()


def test_after_a_reload_all_runs_and_choices_are_there(visit: Callable[..., Page]) -> None:
    page = visit()
    run_example(page, "Noisy AND")
    page.get_by_role("link", name="Home").click()
    run_example(page, "Fertility")
    page.reload()
    page.get_by_text("Your 2 runs").wait_for()
    said(page, "Known: 3 tiers")


def test_a_killed_worker_ends_the_run_and_the_app_goes_on(
    visit: Callable[..., Page], server, hands: SimpleNamespace
) -> None:
    page = visit()
    start_long_run(page, hands)
    (worker,) = server.workers()
    os.kill(worker, signal.SIGKILL)
    said(page, "ended by the system")
    page.get_by_role("link", name="Home").click()
    run_example(page)


def test_two_visitors_do_not_see_each_other(visit: Callable[..., Page]) -> None:
    anna, bert = visit(), visit()
    run_example(anna)
    bert.reload()
    bert.locator("h1").wait_for()
    said(bert, "no run yet")
    expect(bert.get_by_text("Your runs")).to_have_count(0)
    secret = anna.url.split("run=")[1]
    assert secret not in bert.content()


def test_a_link_shows_the_run_to_a_colleague(visit: Callable[..., Page]) -> None:
    anna = visit()
    run_example(anna)
    bert = visit("/Learn?run=" + anna.url.split("run=")[1])
    said(bert, TOOK)
    said(bert, "Noisy AND")
    said(bert, "Interactions of order 1 and 2")


@pytest.mark.parametrize("path", ["/", "/Data", "/Learn", "/Graph", "/Class", "/Coefficients", "/Compare", "/Export"])
def test_every_page_can_be_opened_first_and_fits_a_telephone(visit: Callable[..., Page], path: str) -> None:
    page = visit(path, width=400)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    said(page, "no data yet")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_a_run_is_there_after_a_restart_of_the_server(visit: Callable[..., Page], server) -> None:
    page = visit()
    run_example(page)
    server.stop()
    server.start()
    page.reload()
    said(page, TOOK)
    said(page, "Noisy AND")
    page.get_by_role("link", name="Home").click()
    run_example(page, "Asia")
