"""Names that try to be something else than text, through every page, wide and narrow: they stay text."""

import csv
from collections.abc import Callable, Iterator
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pytest
from playwright.sync_api import Error, Page, expect

from pages._ui.taking.files import FILES

HARM = "top.hurt=window.hurt=1"
TAG, SCRIPT = f"<img src=x onerror={HARM}>", f"</script><script>{HARM}</script>"
QUOTES, SMILE = "\"'`=cmd|' $x^2$ **bold** [a](b)", "emoji 🧪 :smile: &lt;b&gt;"
TURNED, LONG = "שלום \u202eעולם", "long " * 59 + "name"
NAMES = (TAG, SCRIPT, QUOTES, SMILE, TURNED, LONG)
PAGES = ("Data", "Learn", "Graph", "Class", "Coefficients", "Compare", "Export")


def csv_text(*rows: object) -> bytes:
    text = StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def table() -> bytes:
    """0/1 data: the tag and the script act only together on the quotes, and so on along a chain."""
    draw = np.random.default_rng(3)
    bits = draw.integers(0, 2, (3000, len(NAMES)))
    for child in range(2, len(NAMES)):
        both = bits[:, child - 1] & bits[:, child - 2]
        bits[:, child] = draw.random(len(bits)) < np.where(both, 0.9, 0.15)
    return csv_text(NAMES, *bits.tolist())


def unharmed(page: Page) -> None:
    """Nothing ran and no tag came to life, in the page, its components and its frames."""
    for frame in page.frames:
        try:
            harm = frame.evaluate("window.hurt"), frame.locator("img[src=x]").count()
        except Error:
            assert frame.is_detached()  # the preview before this one
            continue
        assert harm == (None, 0)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def upload(page: Page, name: str, content: bytes) -> None:
    page.locator("input[type=file]").last.set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})


@pytest.fixture
def page(visit: Callable[..., Page]) -> Iterator[Page]:
    """A visitor at the Data page; a dialog at any time is a failure."""
    opened, dialogs = visit("/Data"), []
    opened.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    yield opened
    assert dialogs == []


def learn(page: Page, hands: SimpleNamespace) -> None:
    """From the file to a finished run, all of it with names that bite."""
    upload(page, "<img src=x onerror=alert(1)>.csv", table())
    columns = hands.table(page, "Columns")
    for row, name in enumerate(NAMES):
        expect(columns.get_by_test_id(f"glide-cell-0-{row}")).to_have_text(name)
    page.get_by_role("button", name="Use this table").click()
    page.get_by_text("How the table came about").wait_for()
    expect(page.locator(".js-plotly-plot text").filter(has_text="<img src=x").first).to_be_visible()
    unharmed(page)
    hands.go(page, "Learn")
    page.get_by_label("Name of the run").fill(TAG[:60])
    page.keyboard.press("Enter")
    hands.run(page)
    unharmed(page)


def look_at_the_graph(page: Page, hands: SimpleNamespace) -> None:
    """Nodes, tooltips, panel, and the free view with its own page."""
    hands.go(page, "Graph")
    node = page.locator(".graph .node").filter(has_text="<img src=x").first
    node.hover()
    expect(page.locator(".graph .tip")).to_contain_text(TAG)
    node.click()
    expect(page.get_by_text("It acts on")).to_be_visible()
    unharmed(page)
    hands.switch(page, "Free view")
    free = page.frame_locator("iframe").last
    free.locator("canvas").wait_for()
    frame = page.frames[-1]
    place = frame.evaluate("""() => {
        network.setOptions({ physics: false });
        const { x, y } = network.canvasToDOM(network.getPosition(0));
        const at = document.getElementById("graph").getBoundingClientRect();
        return { x: x + at.left, y: y + at.top };
    }""")
    free.locator("body").hover(position=place)
    expect(free.locator(".vis-tooltip")).to_contain_text(TAG)
    unharmed(page)


def test_hostile_names_stay_text_on_every_page(page: Page, hands: SimpleNamespace) -> None:
    learn(page, hands)
    look_at_the_graph(page, hands)

    hands.go(page, "Class")
    expect(page.locator(".graph .node").filter(has_text="<img src=x").first).to_be_visible()
    for part in ("Edge by edge", "How sure is this?", "Members"):
        hands.switch(page, part)
        hands.settled(page)
        unharmed(page)

    hands.go(page, "Coefficients")
    for name in (QUOTES, LONG):
        hands.pick(page, "Variable", name)
        expect(page.get_by_text("Predicted and observed")).to_be_visible()
        hands.settled(page)
        unharmed(page)

    hands.go(page, "Compare")
    page.get_by_role("button", name="Truth").click()
    upload(page, "<b>wrong.csv", csv_text(("source", "target"), (TAG, "nobody")))
    page.get_by_text("<b>wrong.csv names 'nobody', which is no variable").wait_for()
    upload(page, "<b>truth.csv", csv_text(("source", "target"), (TAG, QUOTES), (SCRIPT, QUOTES)))
    page.get_by_text("Distance (SHD)").wait_for()
    expect(hands.table(page, "Edge by edge").get_by_text(f"{TAG} → {QUOTES}")).to_have_count(1)
    unharmed(page)

    hands.go(page, "Export")
    for file in FILES:
        hands.switch(page, file.title)
        page.get_by_text(file.purpose).wait_for()
        hands.settled(page)
        unharmed(page)
    hands.switch(page, "Code")
    page.get_by_text("bn.load(").wait_for()
    unharmed(page)

    page.set_viewport_size({"width": 400, "height": 900})
    for title in PAGES:
        hands.go(page, title)
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        unharmed(page)
