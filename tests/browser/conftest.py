"""A real server and a real Chromium. Every page that is opened watches that no request leaves the machine."""

import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 60_000  # milliseconds; a slow machine is no failure
expect.set_options(timeout=PATIENCE)


class Server:
    """The app as `make run` starts it, on a free port and with a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        command = ["-m", "streamlit", "run", "app.py", "--server.port", str(self.port), "--server.headless", "true"]
        environment = {**os.environ, "BINOTEARS_DATA_DIR": str(self._folder), "BINOTEARS_WORKERS": "1"}
        self._process = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=environment)
        while self._process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5).read()
                return
            except OSError:
                pass
        raise RuntimeError("the server did not start")

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()

    def workers(self) -> list[int]:
        """Process numbers of its worker processes."""
        listed = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
        rows = [line.split(maxsplit=2) for line in listed.splitlines()[1:]]
        mine = str(self._process.pid)
        return [int(pid) for pid, parent, command in rows if parent == mine and "binotears_core.worker" in command]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome")
    installed = next((path for name in names if (path := shutil.which(name))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = Server(tmp_path_factory.mktemp("data"))
    yield started
    started.stop()


@pytest.fixture
def visit(chromium: Browser, server: Server) -> Iterator[Callable[..., Page]]:
    """Open a page of the app in a browser of its own (a new visitor); at the end nothing must have gone outside."""
    contexts, outside = [], []

    def note(url: str) -> None:
        address = urlsplit(url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname != "127.0.0.1":
            outside.append(url)

    def opened(path: str = "/", width: int = 1280, theme: Literal["light", "dark"] = "light") -> Page:
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: note(request.url))
        page.on("websocket", lambda socket: note(socket.url))
        page.goto(server.url + path)
        page.locator("h1").wait_for()
        return page

    yield opened
    for context in contexts:
        context.close()
    assert outside == []


@pytest.fixture(scope="session")
def hands() -> SimpleNamespace:
    """What hands do on every page of the app."""
    return SimpleNamespace(go=go, switch=switch, pick=pick, write=write, table=table, settled=settled, run=run)


def settled(page: Page) -> None:
    """Wait until the page has nothing more to draw."""
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()


def go(page: Page, title: str) -> None:
    """To another page by the menu, which a narrow screen folds away."""
    entry = page.get_by_test_id("stSidebar").get_by_role("link", name=title)
    if (page.viewport_size or {"width": 0})["width"] < 768:
        page.get_by_test_id("stExpandSidebarButton").click()
    entry.click()
    page.get_by_role("heading", level=1, name="BiNOTEARS" if title == "Home" else title).wait_for()
    settled(page)


def switch(page: Page, words: str) -> None:
    """Turn one of the buttons on that stand in a row."""
    page.get_by_test_id("stMain").get_by_role("radio", name=words, exact=True).click()


def pick(page: Page, label: str, option: str) -> None:
    """Choose from a list."""
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option).click()


def table(page: Page, title: str) -> Locator:
    """A table by its title."""
    return page.get_by_role("region", name=title)


def write(page: Page, grid: Locator, cell: tuple[int, int], words: str) -> None:
    """Write into a cell (column, row) of a table that is drawn on a canvas: with the keyboard, from its corner."""
    settled(page)
    column, row = cell
    place = grid.get_by_test_id("glide-cell-0-0")
    while True:  # a click that comes before the table listens is lost
        grid.hover(position={"x": 60, "y": 52})
        grid.click(position={"x": 60, "y": 52}, delay=100)
        if _selected(place):
            break
    for x, y in [(x, 0) for x in range(1, column + 1)] + [(column, y) for y in range(1, row + 1)]:
        page.keyboard.press("ArrowDown" if y else "ArrowRight")
        place = grid.get_by_test_id(f"glide-cell-{x}-{y}")
        expect(place).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    page.locator("#portal").locator("input, textarea").first.fill(words)
    page.keyboard.press("Enter")
    expect(place).to_have_text(words)


def _selected(cell: Locator) -> bool:
    """Whether a cell is selected, or will be at once. (A second click would open it.)"""
    try:
        expect(cell).to_have_attribute("aria-selected", "true", timeout=2000)
    except AssertionError:
        return False
    return True


def run(page: Page) -> None:
    """Press Run on the Learn page and wait for the end."""
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("It took").wait_for()
    settled(page)
