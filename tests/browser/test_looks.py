"""With data and a finished run: every page on a telephone, and in the dark."""

import re
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from playwright.sync_api import Locator, Page, expect

DARK_PAPER, DARK_INK = "rgb(20, 24, 31)", "rgb(229, 231, 235)"
DARK_BLUE = "rgb(86, 180, 233)"


def contrast(locator: Locator, paper: str) -> float:
    """WCAG contrast of the ink of an element against its tint laid over the paper."""
    ink, tint = (locator.evaluate(f"e => getComputedStyle(e).{one}") for one in ("color", "backgroundColor"))
    *blend, alpha = numbers(tint)
    under = [alpha * a + (1 - alpha) * b for a, b in zip(blend, numbers(paper), strict=True)]
    dark, light = sorted((luminance(numbers(ink)), luminance(under)))
    return (light + 0.05) / (dark + 0.05)


def numbers(colour: str) -> list[float]:
    return [float(number) for number in re.findall(r"[\d.]+", colour)]


def luminance(colour: list[float]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def heroes(page: Page) -> dict[str, Locator]:
    """What each page is there for."""
    graph = page.locator(".graph .canvas").first
    return {
        "Home": page.get_by_role("button", name="Run Noisy AND"),
        "Data": page.locator(".js-plotly-plot").first,
        "Learn": page.get_by_text("It took"),
        "Graph": graph,
        "Class": graph,
        "Coefficients": page.locator(".js-plotly-plot").first,
        "Compare": graph,
        "Export": page.locator("iframe").first,
    }


def run_example(page: Page) -> None:
    page.get_by_role("button", name="Run Noisy AND").click()
    page.get_by_text("It took").wait_for()


def test_every_page_fits_a_telephone(visit: Callable[..., Page], hands: SimpleNamespace) -> None:
    page = visit(width=400)
    run_example(page)
    for title, hero in heroes(page).items():
        hands.go(page, title)
        expect(page.get_by_test_id("stExpandSidebarButton")).to_be_visible()  # the menu has folded away by itself
        expect(hero).to_be_visible()
        box = hero.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert 100 < box["width"] <= 400 - box["x"]
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        expect(page.get_by_test_id("stException")).to_have_count(0)


def test_every_page_in_the_dark(visit: Callable[..., Page], hands: SimpleNamespace) -> None:
    page = visit(theme="dark")
    run_example(page)
    for title, hero in heroes(page).items():
        hands.go(page, title)
        expect(hero).to_be_visible()
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK_PAPER)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        if title in ("Graph", "Class", "Compare"):
            expect(page.locator(".graph .node text").first).to_have_css("fill", DARK_INK)
            expect(page.locator(".graph .box").first).to_have_css("fill", DARK_PAPER)
        if title in ("Data", "Coefficients"):  # plotly, painted by Python for the theme of the visitor
            expect(page.locator(f'.js-plotly-plot .points path[style*="{DARK_BLUE}"]').first).to_be_visible()


@pytest.mark.parametrize(("theme", "paper"), [("light", "rgb(255, 255, 255)"), ("dark", DARK_PAPER)])
def test_the_chosen_button_of_a_row_can_be_read(
    visit: Callable[..., Page], hands: SimpleNamespace, theme: str, paper: str
) -> None:
    page = visit("/Data", theme=theme)
    hands.switch(page, "Samples")
    chosen = page.get_by_role("radio", name="Samples", exact=True)
    expect(chosen).to_be_checked()
    expect(chosen).to_have_css("background-color", "rgba(43, 140, 201, 0.3)")
    assert contrast(chosen, paper) > 7
