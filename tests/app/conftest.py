"""Pages without a browser: one server per test file, pages opened with data and finished runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import binotears_core as bn
from binotears_core.archive import SavedData
from pages._ui.running import Setup, runs

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def app_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One registry with its worker for all tests of a file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BINOTEARS_DATA_DIR", str(tmp_path_factory.mktemp("data")))
        st.cache_resource.clear()
        yield
        runs().close()
        st.cache_resource.clear()


@pytest.fixture
def open_page(app_server: None) -> Callable[..., AppTest]:
    """Opens a page with data and results that were computed before: open_page("6_Compare", saved, {"name": result})."""

    def opened(file: str, saved: SavedData | None = None, results: dict[str, bn.FitResult] | None = None) -> AppTest:
        page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
        mine = page.session_state["binotears"]
        if saved is not None:
            mine.data["key"], mine.current_data = saved, "key"
        for name, result in (results or {}).items():
            assert saved is not None
            run = runs().keep(Setup(name=name, data=saved), result)
            mine.runs[run], mine.current_run = "key", run
        return page.switch_page(f"pages/{file}.py").run()

    return opened


@pytest.fixture
def look() -> SimpleNamespace:
    """Small helpers to read and use a page."""

    def words(page: AppTest) -> str:
        parts = (*page.markdown, *page.caption, *page.success, *page.warning, *page.error, *page.info, *page.code)
        return "\n".join(str(part.value) for part in parts)

    def named(elements: Sequence, label: str):
        return next(element for element in elements if element.label == label)

    def keyed(elements: Sequence, key: str):
        return next(element for element in elements if element.key == key)

    return SimpleNamespace(words=words, named=named, keyed=keyed)


@pytest.fixture(scope="session")
def hostile_names() -> tuple[str, ...]:
    """Names that try to be something else than text."""
    return (
        "<img src=x onerror=alert(1)>",
        "</script><script>alert(1)</script>",
        "=HYPERLINK(\"http://x\",'y')",
        "emoji 🧪 **bold** $x$ :smile:",
        "שלום \u202eעולם",
        "long " * 60,
    )
