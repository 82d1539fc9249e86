"""An analyst with a messy survey: what becomes 1, missing cells, time order, run, coefficients, report, session."""

import csv
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from playwright.sync_api import Page, expect

ROWS = 1500
HOSTILE = "<img src=x onerror=alert(1)>"
ESCAPED = "&lt;img src=x onerror=alert(1)&gt;"
ILL = 'ill, "really"'
SURVEY = "survey & spring.csv"


def survey() -> tuple[str, int]:
    """A file as it comes from a survey tool, and its number of rows with missing cells.

    Who smokes falls ill only when old; region decides on the income (the hostile column).
    """
    draw = np.random.default_rng(5)
    age, region = draw.integers(18, 80, ROWS), draw.choice(["north", "south", "west"], ROWS, p=[0.5, 0.3, 0.2])
    smoker = draw.random(ROWS) < np.where(age > 45, 0.2, 0.6)
    rich = draw.random(ROWS) < np.where(region == "north", 0.7, 0.3)
    ill = draw.random(ROWS) < np.where(smoker & (age > 45), 0.8, 0.15)
    silent, lost = draw.random((2, ROWS)) < 0.04
    words = np.array(["no", "yes"])
    columns = {
        "respondent id": np.arange(1, ROWS + 1).astype(str),
        "age": age.astype(str),
        "region": np.where(lost, "NA", region),
        "smoker": np.where(silent, "", words[smoker.astype(int)]),
        HOSTILE: words[rich.astype(int)],
        ILL: words[ill.astype(int)],
    }
    text = StringIO()
    writer = csv.writer(text, delimiter=";")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue(), int((silent | lost).sum())


def thousands(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


def prepare(page: Page, hands: SimpleNamespace) -> int:
    """Data page: read the file, decide on missing cells and on a cut; returns the rows that are left."""
    text, missing = survey()
    page.locator("input[type=file]").set_input_files({"name": SURVEY, "mimeType": "text/csv", "buffer": text.encode()})
    left = ROWS - missing
    expect(page.get_by_text("Outcome:")).to_have_count(0)  # nothing is dropped before it is chosen
    page.get_by_text(f"leave such rows out: {thousands(ROWS)} → {thousands(left)} rows").click()
    page.get_by_text(f"Outcome: {thousands(left)} × 6").wait_for()

    columns = hands.table(page, "Columns")
    rule, cut = columns_of(columns, "Rule"), columns_of(columns, "Cut or value")
    hands.write(page, columns, (rule, 1), "above a number")
    page.get_by_text("Column 'age' is to be cut at a number, but none is given.").wait_for()
    hands.write(page, columns, (cut, 1), "45")
    outcome = hands.table(page, "Variables")
    expect(outcome.get_by_test_id("glide-cell-1-0")).to_have_text("above 45")
    names = [outcome.get_by_test_id(f"glide-cell-0-{row}").text_content() for row in range(6)]
    assert names == ["age", "region=south", "region=west", "smoker", HOSTILE, ILL]
    page.get_by_role("button", name="Use this table").click()
    page.get_by_text(f"{missing} of {ROWS} rows with missing cells were dropped").wait_for()
    return left


def columns_of(grid, title: str) -> int:
    """The place of a column by its title, once the table is drawn."""
    expect(grid.locator("canvas th").filter(has_text=title)).to_have_count(1)
    titles = grid.locator("canvas th").all_text_contents()
    return titles.index(title)


def learn(page: Page, hands: SimpleNamespace) -> None:
    """Learn page: age and region come before smoking, illness comes last."""
    hands.go(page, "Learn")
    page.get_by_text("What you know already").click()
    tiers = hands.table(page, "Tier and group of every variable")
    expect(tiers.get_by_test_id("glide-cell-0-4")).to_have_text(HOSTILE)
    expect(tiers.get_by_test_id("glide-cell-0-4")).to_have_attribute("aria-readonly", "true")
    for tier, row in ((1, 0), (2, 3), (3, 5)):
        hands.write(page, tiers, (1, row), str(tier))
        page.get_by_text(f"Known: {tier} tier").wait_for()
    hands.run(page)


def saved(page: Page, button: str, folder: Path) -> Path:
    """Press a button that saves a file."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def check_report(text: str, left: int) -> None:
    assert HOSTILE not in text
    assert ESCAPED in text
    assert "<script" not in text
    assert f"{left:,} rows, 6 variables" in text
    assert f"{ROWS - left} of {ROWS} rows with missing cells were dropped" in text
    assert "values above 45" in text
    assert "Column &#x27;respondent id&#x27; was dropped as asked" in text
    assert text.count("<svg") >= 2  # the graph and its class
    assert "tiers=" in text
    for heading in ("Graph", "Equivalence class", "Coefficients", "Data", "Choices", "The same again"):
        assert f"<h2>{heading}</h2>" in text


def test_from_a_messy_survey_to_a_report(visit: Callable[..., Page], hands: SimpleNamespace, tmp_path: Path) -> None:
    page = visit("/Data")
    left = prepare(page, hands)
    learn(page, hands)

    hands.go(page, "Coefficients")
    hands.pick(page, "Variable", ILL)
    page.get_by_text("is more likely only when age and smoker are both 1").wait_for()
    expect(page.get_by_text("the interactions are needed")).to_be_visible()

    hands.go(page, "Export")
    check_report(saved(page, "Save survey-spring-report.html", tmp_path).read_text("utf-8"), left)
    hands.switch(page, "Result")
    result = json.loads(saved(page, "Save survey-spring-result.json", tmp_path).read_text("utf-8"))
    assert result["data"]["rows"] == left
    assert {"age", "smoker"} == {edge["source"] for edge in result["edges"] if edge["target"] == ILL}
    hands.switch(page, "Session")
    session = saved(page, "Save the session", tmp_path)

    colleague = visit("/Export")
    hands.switch(colleague, "Session")
    colleague.locator("input[type=file]").set_input_files(session)
    colleague.get_by_text("Opened 1 data set and 1 run").wait_for()
    hands.go(colleague, "Graph")
    expect(colleague.get_by_text("known beforehand; the data cannot tell")).to_be_visible()  # the tiers speak
    node = colleague.locator(".graph .node").filter(has_text="really")
    node.click()
    colleague.get_by_text("is more likely only when age and smoker are both 1").wait_for()
