"""The README's pictures of the app, taken in a real browser.

    python benchmarks/pictures.py       # writes docs/learn.png, docs/graph.png and docs/class.png

They show the fertility example: learned, one variable explained, the equivalence class.
"""

from __future__ import annotations

from latency import ROOT, app, visitor
from playwright.sync_api import Page

SIZE = {"width": 1280, "height": 860}
DRAWN = 2000  # ms until a graph has been drawn and everything stands still


def take(page: Page, name: str) -> None:
    page.mouse.move(0, 0)  # no control looks touched
    page.wait_for_timeout(DRAWN)
    page.screenshot(path=ROOT / "docs" / f"{name}.png")


def show(page: Page, title: str) -> None:
    page.get_by_test_id("stSidebar").get_by_role("link", name=title).click()
    page.get_by_role("heading", level=1, name=title).wait_for()


def main() -> None:
    with app() as (browser, server), visitor(browser, server.url) as page:
        page.set_viewport_size(SIZE)
        page.get_by_role("button", name="Run Fertility").click()
        page.get_by_text("It took").wait_for()
        take(page, "learn")
        show(page, "Graph")
        page.get_by_role("combobox", name="Variable").click()
        page.get_by_role("option", name="third_child").click()
        take(page, "graph")
        show(page, "Class")
        take(page, "class")


if __name__ == "__main__":
    main()
