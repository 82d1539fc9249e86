"""On a telephone the graph is arranged anew: every name is legible and inside its frame."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

SMALLEST = 11  # px of a label as the eye meets it

LABELS = """frame => {
    const beside = (a, b) => a.left > b.left - 1 && a.right < b.right + 1;
    const within = (a, b) => beside(a, b) && a.top > b.top - 1 && a.bottom < b.bottom + 1;
    return [...frame.querySelectorAll('.node')].map(node => {
        const sheet = node.querySelector('.box'), box = sheet.getBoundingClientRect();
        const words = node.querySelector('text').getBoundingClientRect();
        const size = 14 * box.height / sheet.height.baseVal.value;
        return { size, inside: within(words, box) && within(box, frame.getBoundingClientRect()) };
    });
}"""


@pytest.mark.parametrize("name", ["Fertility", "Asia"])
def test_names_in_the_graph_are_legible(visit: Callable[..., Page], name: str) -> None:
    page = visit(width=400)
    page.get_by_role("button", name=f"Run {name}").click()
    page.get_by_text("It took").wait_for()
    for title in ("Graph", "Class"):
        page.goto(page.url.replace("/Learn", f"/{title}").replace("/Graph?", f"/{title}?"))
        graph = page.locator(".graph").first
        expect(graph.locator(".node")).to_have_count(8)
        labels = graph.evaluate(LABELS)
        assert all(label["inside"] for label in labels)
        assert min(label["size"] for label in labels) >= SMALLEST


def test_turning_the_telephone_changes_the_arrangement_and_keeps_the_choice(visit: Callable[..., Page]) -> None:
    page = visit(width=400)
    page.get_by_role("button", name="Run Fertility").click()
    page.get_by_text("It took").wait_for()
    page.goto(page.url.replace("/Learn", "/Graph"))
    node = page.locator(".graph .node").filter(has_text="third_child")
    node.click()
    expect(node).to_have_attribute("aria-pressed", "true")
    upright = node.get_attribute("transform")
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(node).not_to_have_attribute("transform", upright or "")
    expect(node).to_have_attribute("aria-pressed", "true")
