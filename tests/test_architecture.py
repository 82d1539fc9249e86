"""The house holds together: dependencies point one way, and the README's map names every module."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(path for path in (ROOT / "binotears_core").rglob("*.py"))

# Rooms from the ground up: a room may import from itself and from those before it.
GROUND = ("errors", "options")
ROOMS = (
    *GROUND,
    "data",
    "graph",
    "results",
    "model",
    "simulation",
    "explain",
    "solvers",
    "baselines",
    "costs",
    "planning",
    "estimating",
    "fitting",
    "exporting",
    "archive",
    "worker",
    "__main__",
    "__init__",
)


def imports_of(path):
    """Names of binotears_core modules that a file imports anywhere, also inside functions, except for type checking."""
    tree = ast.parse(path.read_text())
    skipped = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test)
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def room_of(path):
    parts = path.relative_to(ROOT / "binotears_core").with_suffix("").parts
    return parts[0]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_imports_upward(path):
    own = ROOMS.index(room_of(path))
    for name in imports_of(path):
        if name.startswith("binotears_core."):
            room = name.split(".")[1]
            assert ROOMS.index(room) <= own, f"{path.name} imports {name}, which stands above it"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_core_knows_no_browser_and_prints_nothing(path):
    for name in imports_of(path):
        assert name.split(".")[0] not in {"streamlit", "plotly", "pyvis", "pages"}
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    assert not any(isinstance(call.func, ast.Name) and call.func.id == "print" for call in calls)


def test_importing_the_library_does_not_import_torch():
    code = "import sys, binotears_core; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "False"


def test_the_readme_map_names_every_module():
    text = (ROOT / "README.md").read_text()
    the_map = text[text.index("## Where things are") :]
    for path in MODULES:
        if path.name != "__init__.py":
            assert re.search(rf"\b{re.escape(path.stem)}\b", the_map), f"{path} is not on the map"


def test_pages_import_the_core_and_their_own_helpers_only():
    for path in [ROOT / "app.py", *(ROOT / "pages").glob("*.py")]:
        for name in imports_of(path):
            assert name.split(".")[0] in {"pages", "binotears_core", "streamlit", "__future__", "sys", "pathlib"}, (
                f"{path.name} imports {name}"
            )


def test_only_one_module_owns_the_session_state():
    for path in [ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]:
        if path.name != "state.py":
            assert "session_state" not in path.read_text(), f"{path} touches st.session_state"
