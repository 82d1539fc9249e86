"""Without a mouse: start an example, choose a variable, lock an edge."""

from collections.abc import Callable
from types import SimpleNamespace

from playwright.sync_api import Locator, Page, expect

MOST_TABS = 150
FOCUSED = "wanted => wanted.contains(document.activeElement) || wanted.getRootNode().activeElement === wanted"


def tab_to(page: Page, wanted: Locator) -> None:
    """Press Tab until something has the focus, as somebody without a mouse has to."""
    wanted.wait_for()
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if wanted.evaluate(FOCUSED):
            return
    raise AssertionError("Tab never came there")


def test_everything_that_matters_can_be_reached(visit: Callable[..., Page], hands: SimpleNamespace) -> None:
    page = visit()
    tab_to(page, page.get_by_role("button", name="Run Noisy AND"))
    page.keyboard.press("Enter")
    page.get_by_text("It took").wait_for()
    hands.settled(page)
    tab_to(page, page.get_by_role("link", name="Graph →"))
    page.keyboard.press("Enter")
    page.locator(".graph .node").first.wait_for()
    hands.settled(page)

    tab_to(page, page.get_by_role("combobox", name="Variable"))
    page.keyboard.type("engine")
    page.keyboard.press("Enter")
    page.get_by_text("engine is more likely only when battery and key are both 1").wait_for()
    chosen = page.locator(".graph .node").filter(has_text="engine")
    expect(chosen).to_have_attribute("aria-pressed", "true")

    other = page.locator(".graph .node").filter(has_text="drives")
    tab_to(page, chosen)  # the drawing takes part: arrows go from box to box
    page.keyboard.press("ArrowDown")
    expect(other).to_be_focused()
    page.keyboard.press("Enter")
    expect(other).to_have_attribute("aria-pressed", "true")
    expect(other).to_be_focused()  # drawn anew, and one can go on from there
    page.get_by_text("drives is more likely only when engine and fuel are both 1").wait_for()

    hands.settled(page)
    tab_to(page, page.get_by_test_id("stSidebar").get_by_role("link", name="Class"))
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name="Class").wait_for()
    hands.settled(page)
    tab_to(page, page.get_by_role("button", name="radio → battery"))
    page.keyboard.press("Enter")
    page.get_by_text("You locked it.").wait_for()
