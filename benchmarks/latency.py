"""How quick the app answers while fits run: a real server, a real Chromium, everything in one run.

    python benchmarks/latency.py            # a few minutes; prints a table in Markdown

    first content   opening the first page on a warm server with an empty cache, until its heading stands there
    rerun           a click on the Learn page until the page has been computed and drawn again, with 0, 1 and 4 fits
                    under way in other browsers, which watch them live on the same machine
    cancel          a click on "Cancel" until the page says that it stops, and until it has the best graph so far
    memory          of the server per open browser, and of the run store per run

Everything is measured inside the page. Ratios are to the median rerun of the idle server.
"""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import binotears_core as bn  # noqa: E402

FITS = 4
RERUNS, OPENINGS, VISITORS, STORED = 20, 6, 8, 6
LARGE = "large.csv"  # fourteen variables: with all orders, minutes of gradient
PATIENCE = 120_000  # ms
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]

FIRST_CONTENT = """
new MutationObserver(() => {
    if (window.seen === undefined && document.querySelector("h1")) window.seen = performance.now();
}).observe(document, { childList: true, subtree: true });
"""
# Null when the page did not take notice: its control was just being drawn anew.
RERUN = """button => new Promise(resolve => {
    const app = document.querySelector("[data-testid=stApp]"), start = performance.now();
    let ran = false;
    const watcher = new MutationObserver(() => {
        const now = app.dataset.testScriptState;
        ran = ran || now === "running";
        if (ran && now === "notRunning") { watcher.disconnect(); resolve(performance.now() - start); }
    });
    watcher.observe(app, { attributes: true, attributeFilter: ["data-test-script-state"] });
    setTimeout(() => { if (!ran) { watcher.disconnect(); resolve(null); } }, 10000);
    button.click();
})"""
CANCEL = """button => new Promise(resolve => {
    const start = performance.now();
    let answered = null;
    new MutationObserver((_, watcher) => {
        const ended = document.querySelector("[data-testid=stAlert]");
        const buttons = [...document.querySelectorAll("button")];
        const noticed = ended || buttons.some(one => one.textContent.includes("Stopping"));
        if (answered === null && noticed) answered = performance.now() - start;
        if (!ended) return;
        watcher.disconnect();
        resolve([answered, performance.now() - start]);
    }).observe(document.body, { childList: true, subtree: true, attributes: true });
    button.click();
})"""


class Server:
    """The app on a free port, with as many workers as fits are to run at once."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url, self.folder = f"http://127.0.0.1:{port}", folder
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
        environment = {**os.environ, "BINOTEARS_DATA_DIR": str(folder), "BINOTEARS_WORKERS": str(FITS)}
        self.process = subprocess.Popen(
            [*command, "--server.headless", "true"], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL
        )
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5).read()
                return
            except OSError:
                if self.process.poll() is not None:
                    sys.exit("The server did not start.")

    def megabytes(self) -> float:
        """Resident memory of the server process."""
        asked = ["ps", "-o", "rss=", "-p", str(self.process.pid)]
        return int(subprocess.run(asked, capture_output=True, text=True, check=True).stdout) / 1024

    def stored_bytes(self) -> int:
        """Size of the run store, with what SQLite has not yet moved into its file."""
        with sqlite3.connect(self.folder / "runs.sqlite") as store:
            pages, free, size = (
                store.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
            )
        return (pages - free) * size


@contextmanager
def visitor(browser: Browser, url: str) -> Iterator[Page]:
    """A browser of its own on a page of the app."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.add_init_script(FIRST_CONTENT)
    page.goto(url)
    page.locator("h1").wait_for()
    yield page
    context.close()


def first_content(browser: Browser, server: Server) -> list[float]:
    """Milliseconds until the heading of the first page stands there, each time in a new browser."""
    found = []
    for _ in range(OPENINGS + 1):
        with visitor(browser, server.url) as page:
            found.append(float(page.evaluate("window.seen")))
    return found[1:]  # the first one warms the server


def learn_from(page: Page, table: Path) -> None:
    """Upload a table and go to the Learn page."""
    page.get_by_role("link", name="1 Data").click()
    page.locator("input[type=file]").first.set_input_files(table)
    page.get_by_role("button", name="Use this table").click()
    page.get_by_text("no data yet").wait_for(state="detached")
    page.get_by_role("link", name="2 Learn").click()
    page.get_by_role("button", name="Run", exact=True).wait_for()


def start_fit(page: Page, table: Path) -> None:
    """A gradient with all orders that takes minutes."""
    learn_from(page, table)
    page.get_by_role("radio", name="all", exact=True).click()
    page.get_by_placeholder("all orders").wait_for()
    page.get_by_role("combobox", name="Method").click()
    page.get_by_role("option", name="gradient (DAGMA)").click()
    page.get_by_placeholder("gradient (DAGMA)").wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_test_id("stProgress").wait_for()


def reruns(page: Page) -> list[float]:
    """Milliseconds of a click on the Learn page, many times, with a pause between as a person would make."""
    orders = [page.get_by_role("radio", name=str(order), exact=True) for order in (1, 2)]
    found: list[float] = []
    for k in count():
        taken = orders[k % 2].evaluate(RERUN)
        found += [] if taken is None else [float(taken)]
        if len(found) == RERUNS + 2:
            return found[2:]
        page.wait_for_timeout(200)
    raise AssertionError


def cancel(page: Page) -> list[tuple[float, float]]:
    """Milliseconds until the page takes notice and until it shows the end; nothing when the run has ended by itself."""
    button = page.get_by_role("button", name="Cancel, keep best so far")
    return [tuple(button.evaluate(CANCEL))] if button.count() else []


def while_fits_run(
    browser: Browser, server: Server, learner: Page, fits: int
) -> tuple[list[float], list[tuple[float, float]]]:
    """(reruns, cancels) with so many fits under way, each watched by a browser of its own."""
    watching = [visitor(browser, server.url) for _ in range(fits)]
    pages = [one.__enter__() for one in watching]
    for page in pages:
        start_fit(page, server.folder / LARGE)
    answers = reruns(learner), [time for page in pages for time in cancel(page)]
    for one in watching:
        one.__exit__(None, None, None)
    return answers


def memory_per_visitor(browser: Browser, server: Server, path: str) -> float:
    """Megabytes of the server for one more open browser."""
    before = server.megabytes()
    watching = [visitor(browser, server.url + path) for _ in range(VISITORS)]
    for one in watching:
        one.__enter__().get_by_role("link", name="7 Export").wait_for()
    after = server.megabytes()
    for one in watching:
        one.__exit__(None, None, None)
    return (after - before) / VISITORS


def stored_runs(browser: Browser, server: Server) -> tuple[float, float, str]:
    """(kilobytes in the store, megabytes of the server) per run of Asia, and the address of the last one."""
    with visitor(browser, server.url) as page:
        sizes = []
        for _ in range(STORED + 1):  # the first one brings the data
            page.get_by_role("link", name="Home").click()
            page.get_by_role("button", name="Run Asia").click()
            page.get_by_text("It took").wait_for()
            page.get_by_role("link", name="Home").click()
            page.get_by_role("button", name="Run Asia").wait_for()
            sizes.append((server.stored_bytes() / 1000, server.megabytes()))
        address = page.url.split("?")[1]
    return (sizes[-1][0] - sizes[0][0]) / STORED, (sizes[-1][1] - sizes[0][1]) / STORED, address


def little(megabytes: float) -> str:
    """A difference of memory; what is within the noise is said to be little."""
    return f"{megabytes:.1f} MB" if megabytes >= 0.1 else "below 0.1 MB"


def line(what: str, times: Sequence[float], unit: float) -> str:
    """A row: median and worst in milliseconds, and as ratios to the idle page."""
    middle, worst = statistics.median(times), max(times)
    return f"| {what} | {middle:.0f} | {worst:.0f} | {middle / unit:.1f} | {worst / unit:.1f} |"


def measure(browser: Browser, server: Server) -> None:
    """Everything, line by line."""
    opened = first_content(browser, server)
    with visitor(browser, server.url) as learner:
        learn_from(learner, ROOT / "sample_data" / "asia.csv")
        idle = reruns(learner)
        unit = statistics.median(idle)
        print("| what | median, ms | worst, ms | median ÷ idle | worst ÷ idle |\n|---|--:|--:|--:|--:|")
        print(line("first content of the first page", opened, unit))
        print(line("rerun of the Learn page, idle server", idle, unit), flush=True)
        for fits in (1, FITS):
            answers, ends = while_fits_run(browser, server, learner, fits)
            under_way = f"{fits} fit{'s' if fits > 1 else ''} under way"
            print(line(f"rerun, {under_way}", answers, unit))
            print(line(f"cancel until the page answers, {under_way}", [answered for answered, _ in ends], unit))
            print(
                line(f"cancel until the best graph is there, {under_way}", [end for _, end in ends], unit), flush=True
            )
    kilobytes, growth, address = stored_runs(browser, server)
    print("\n| memory | |\n|---|--:|")
    print(f"| server with {os.cpu_count()} cores, after all this | {server.megabytes():.0f} MB |")
    print(f"| one more browser on the first page | {little(memory_per_visitor(browser, server, '/'))} |")
    finished = little(memory_per_visitor(browser, server, f"/Graph?{address}"))
    print(f"| one more browser on a finished graph | {finished} |")
    print(f"| one more run of Asia in the store | {kilobytes:.0f} kB |")
    print(f"| one more run of Asia in the server | {little(growth)} |")


@contextmanager
def app() -> Iterator[tuple[Browser, Server]]:
    """The app on a server of its own, and a browser."""
    names = ("chromium", "chromium-browser", "google-chrome")
    installed = next((path for name in names if (path := shutil.which(name))), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        try:
            browser = playwright.chromium.launch(executable_path=installed, args=FLAGS)
            yield browser, server
            browser.close()
        finally:
            server.process.terminate()
            server.process.wait()


def main() -> None:
    """Start a server and a browser, measure, stop both."""
    with app() as (browser, server):
        bn.simulate(nodes=14, degree=3, samples=20_000, seed=3)[1].to_frame().to_csv(server.folder / LARGE, index=False)
        measure(browser, server)


if __name__ == "__main__":
    main()
