"""The life of a run as a user meets it: watch, leave, reload, cancel, lose the worker, restart the server."""

import os
import re
import signal
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

CANCEL = "Cancel, keep best so far"
STOPPED = "Stopped on request"
TOOK = "It took"


def start_long_run(page: Page) -> None:
    """Sachs with all orders: minutes of gradient, so that there is time to meddle."""
    page.get_by_role("link", name="1 Data").click()
    page.get_by_text("Samples", exact=True).click()
    page.get_by_role("button", name="Use", exact=True).first.click()
    expect(page.get_by_text("no data yet")).to_have_count(0)
    page.get_by_role("link", name="2 Learn").click()
    page.get_by_text("all", exact=True).click()
    page.get_by_text("11 264 coefficients".replace(" ", "\u202f", 1)).wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text(re.compile(r"gradient \d+ of")).wait_for()  # a slow page may miss the first step


def run_example(page: Page, name: str = "Noisy AND") -> None:
    page.get_by_role("button", name=f"Run {name}").click()
    page.get_by_text(TOOK).wait_for()


def said(page: Page, text: str) -> None:
    expect(page.get_by_text(text).first).to_be_visible()


def test_a_run_survives_leaving_and_reloading_and_can_be_cancelled(visit: Callable[..., Page]) -> None:
    page = visit()
    start_long_run(page)
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("link", name="● ")).to_be_visible()  # the menu tells the percentage everywhere
    page.get_by_role("link", name="2 Learn").click()
    page.get_by_role("button", name=CANCEL).wait_for()
    page.reload()
    page.get_by_role("button", name=CANCEL).wait_for()
    expect(page.get_by_role("radio", name="all", exact=True)).to_be_checked()
    page.get_by_role("button", name=CANCEL).click()
    said(page, STOPPED)
    said(page, "all orders · stopped")


def test_after_a_reload_all_runs_and_choices_are_there(visit: Callable[..., Page]) -> None:
    page = visit()
    run_example(page, "Noisy AND")
    page.get_by_role("link", name="Home").click()
    run_example(page, "Fertility")
    page.reload()
    page.get_by_text("Your 2 runs").wait_for()
    said(page, "Known: 3 tiers")


def test_a_killed_worker_ends_the_run_and_the_app_goes_on(visit: Callable[..., Page], server) -> None:
    page = visit()
    start_long_run(page)
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
