"""The examples of the README run as printed."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    return tmp_path


def run(arguments, folder):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )


def test_the_python_example(folder):
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    done = run(["-c", code], folder)
    assert done.returncode == 0, done.stderr
    assert "Exact optimum" in done.stdout


def test_the_command_line_example(folder):
    block = TEXT[TEXT.index("## The command line") :].split("```")[1]
    commands = [line for line in block.splitlines() if line.startswith("python ")]
    assert len(commands) == 5
    for command in commands:
        done = run(shlex.split(command)[1:], folder)
        assert done.returncode == 0, done.stderr
    assert {"data.csv", "truth.csv", "result.json", "sachs.json", "fertility.json"} <= {
        f.name for f in folder.iterdir()
    }


def test_the_first_start_asks_nothing(tmp_path):
    """On a machine with a screen Streamlit would wait for an e-mail address in the terminal."""
    start = "from streamlit import config; config.set_option('server.headless', False)\n"
    start += "from streamlit.runtime.credentials import check_credentials; check_credentials()"
    environment = {**os.environ, "HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", start],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        input="\n",
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert "mail" not in done.stdout
