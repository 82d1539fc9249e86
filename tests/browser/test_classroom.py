"""`make class` for real: opened by this machine's own address in its network, and knocked at from elsewhere."""

import base64
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from pages._ui.classroom import lan_addresses

ROOT = Path(__file__).resolve().parents[2]
# A machine without a network still has itself.
ADDRESS = next(iter(lan_addresses()), "127.0.0.1")


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind((ADDRESS, 0))
        free = probe.getsockname()[1]
    command = [sys.executable, "-m", "pages._ui.classroom", "--port", str(free), "--address", ADDRESS]
    folder = str(tmp_path_factory.mktemp("class"))
    environment = {**os.environ, "BINOTEARS_DATA_DIR": folder, "BINOTEARS_WORKERS": "1", "PYTHONIOENCODING": "utf-8"}
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    while process.poll() is None:
        try:
            urllib.request.urlopen(f"http://{ADDRESS}:{free}/_stcore/health", timeout=5).read()
            break
        except OSError:
            continue
    assert process.poll() is None, "the server did not start"
    yield free
    process.terminate()
    process.wait()


def knock(port: int, host: str, origin: str) -> int:
    """Ask for a websocket as a browser would that believes to be at `host`; the status of the answer."""
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {host}",
        f"Origin: {origin}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Protocol: streamlit",
    ]
    with socket.create_connection((ADDRESS, port)) as line:
        line.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(line.makefile("rb").readline().split()[1])


def test_a_student_opens_it_by_address_uploads_and_runs(port: int, chromium: Browser, tmp_path: Path) -> None:
    table = tmp_path / "answers.csv"
    table.write_text("rain,wet\n" + "1,1\n0,0\n1,1\n0,1\n" * 25)
    page = chromium.new_context().new_page()
    page.goto(f"http://{ADDRESS}:{port}/Data")
    page.locator("input[type=file]").first.set_input_files(table)
    page.get_by_role("button", name="Use this table").click()
    expect(page.get_by_text("no data yet")).to_have_count(0)
    page.get_by_role("link", name="Home").click()
    page.get_by_role("button", name="Run Noisy AND").click()
    expect(page.get_by_text("It took").first).to_be_visible()
    page.context.close()


def test_names_of_this_machine_are_welcome_and_others_are_not(port: int) -> None:
    own = socket.gethostname().split(".")[0]
    for name in (ADDRESS, own, f"{own}.local"):
        assert knock(port, f"{name}:{port}", f"http://{name}:{port}") == 101
    here = f"{ADDRESS}:{port}"
    assert knock(port, here, "http://elsewhere.example") == 403  # a page of another site
    assert knock(port, f"elsewhere.example:{port}", f"http://elsewhere.example:{port}") == 403  # a rebound name
