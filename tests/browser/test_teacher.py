"""A lesson: causes that act only in pairs; first order fails, second order succeeds, and the class says the rest."""

import re
from collections.abc import Callable
from types import SimpleNamespace

from playwright.sync_api import Page, expect

# Five variables, five edges; any seed would do for the page, with this one the lesson is clear.
SEED = "27"
ARROWS, CLASSES = "arrows", "what data can tell"


def simulate(page: Page, hands: SimpleNamespace) -> None:
    """Data page: a small random graph whose causes act only in pairs."""
    hands.go(page, "Data")
    hands.switch(page, "Simulate")
    # One thing at a time: a page that is just being drawn takes its values from before the last touch.
    steps = [("Nodes", f"{nodes} nodes, {2 * nodes} edges") for nodes in (8, 7, 6, 5)]
    for label, said in [*steps, ("Edges per node", "5 nodes, 5 edges")]:
        hands.settled(page)
        page.get_by_role("slider", name=label).press("ArrowLeft")
        page.get_by_text(said).wait_for()
    hands.settled(page)
    hands.pick(page, "How causes act", "2nd: causes act only in pairs")
    expect(page.get_by_role("combobox", name="How causes act")).to_have_value(re.compile("^2nd"))
    hands.settled(page)
    page.get_by_role("spinbutton", name="Seed").fill(SEED)
    page.keyboard.press("Enter")
    page.get_by_role("img", name="X3 → X4").wait_for()  # the true graph of this seed
    hands.settled(page)
    expect(page.get_by_role("spinbutton", name="Seed")).to_have_value(SEED)
    page.get_by_role("button", name="Simulate", exact=True).click()
    page.get_by_text(f"mechanism 2nd, seed {SEED}").wait_for()


def learn(page: Page, hands: SimpleNamespace, order: str, said: str) -> None:
    hands.go(page, "Learn")
    hands.switch(page, order)
    page.get_by_text(f"Interactions of order {said}.").wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    name = {"1": "first order", "2": "second order"}[order]
    page.get_by_role("button", name=re.compile(f"{name} · done")).wait_for()


def distance(page: Page, level: str) -> int:
    """The headline of the Compare page."""
    words = "between the equivalence classes" if level == CLASSES else "arrow by arrow"
    said = page.get_by_text(re.compile(rf"Distance \(SHD\) \d+ {words}")).inner_text()
    return int(re.search(r"\(SHD\) (\d+)", said)[1])


def test_first_order_fails_second_order_succeeds_and_the_class_says_the_rest(
    visit: Callable[..., Page], hands: SimpleNamespace
) -> None:
    page = visit()
    simulate(page, hands)

    learn(page, hands, "1", "1")
    page.get_by_role("link", name="Compare →").click()
    assert distance(page, ARROWS) > 0
    hands.switch(page, CLASSES)
    assert distance(page, CLASSES) > 0
    expect(page.locator(".graph .node")).to_have_count(5)

    learn(page, hands, "2", "1 and 2")
    hands.go(page, "Compare")
    assert distance(page, CLASSES) == 0
    board = hands.table(page, "Every graph against the reference")
    expect(board.get_by_test_id("glide-cell-0-0")).to_have_text("second order")
    expect(board.get_by_test_id("glide-cell-0-1")).to_have_text("first order")

    hands.go(page, "Class")
    page.get_by_role("heading", name="10 graphs fit the data equally well").wait_for()
    page.get_by_role("button", name="X1 → X5").click()
    page.get_by_role("heading", name="2 graphs fit the data equally well and agree with what is known").wait_for()
    expect(page.get_by_text("2 of 10 members are left")).to_be_visible()
    expect(page.get_by_text("otherwise X1 → X5 ← X2 would be a new collider")).to_be_visible()  # Meek's first rule
    page.get_by_role("button", name="Unlock").click()
    page.get_by_role("heading", name="10 graphs fit the data equally well").wait_for()
