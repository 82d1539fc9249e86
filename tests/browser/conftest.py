"""A real server and a real Chromium. Every page that is opened watches that no request leaves the machine."""

import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

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

    def opened(path: str = "/", width: int = 1280) -> Page:
        context = chromium.new_context(viewport={"width": width, "height": 900})
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
