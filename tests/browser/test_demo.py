"""The demonstration: Home, one click on Sachs, the table of the paper beside ours."""

from collections.abc import Callable
from types import SimpleNamespace

from playwright.sync_api import Page, expect

from pages._ui.comparing.sachs import PAPER


def test_from_the_first_page_to_the_table_of_the_paper(visit: Callable[..., Page], hands: SimpleNamespace) -> None:
    page = visit()
    page.get_by_role("button", name="Run Sachs").click()
    page.get_by_text("It took").wait_for()
    page.get_by_role("link", name="Compare →").click()
    page.get_by_text("the table of the paper beside ours").wait_for()
    hands.settled(page)
    held = page.get_by_role("combobox", name="Held against")
    held.click()
    for truth in ("consensus, 20 edges", "bnlearn, 17 edges"):
        expect(page.get_by_role("option", name=truth)).to_be_visible()
    page.get_by_role("option", name="bnlearn, 17 edges").click()
    expect(page.locator(".graph .node")).to_have_count(11)

    board = hands.table(page, "Paper and our graphs")

    def cell(column: int, row: int) -> str:
        return board.get_by_test_id(f"glide-cell-{column}-{row}").text_content() or ""

    for row, (name, edges, printed) in enumerate(PAPER):
        assert [cell(column, row) for column in range(3)] == [name, str(edges), str(printed)]
    ours = len(PAPER)
    assert cell(0, ours) == "paper's recipe"
    assert all(0 < float(cell(column, ours)) <= 30 for column in (1, 3, 4, 5, 6))  # edges, and distances to both truths
    assert (cell(3, ours + 1), cell(5, ours + 1)) == ("20", "17")  # no edges at all: as far as there are edges
