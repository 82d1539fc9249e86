"""Uploaded files, kept for all sessions together within a bound, so that many large files cannot fill the memory.

A session holds only an `Upload`: the name of the file and the fingerprint of its bytes. When the bytes have been
pushed out by newer files, `content` says so and the user chooses the file again.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from binotears_core.errors import DataError
from pages._ui.words import megabytes

MOST_BYTES = 100 << 20  # of one file, as in .streamlit/config.toml; the browser's check alone can be bypassed
SHELF_BYTES = 512 << 20


@dataclass(frozen=True)
class Upload:
    """A file at hand; `path` when it is one of ours."""

    name: str
    fingerprint: str
    path: Path | None = None


@dataclass(frozen=True)
class _Shelf:
    lock: threading.Lock
    files: OrderedDict[str, bytes]


@st.cache_resource(show_spinner=False)
def _shelf() -> _Shelf:
    return _Shelf(threading.Lock(), OrderedDict())


def take(name: str, content: bytes) -> Upload:
    """Keep an uploaded file; too large a file is refused here too."""
    if len(content) > MOST_BYTES:
        raise DataError(
            f"{name} has {megabytes(len(content))}, and the limit is {megabytes(MOST_BYTES)}. "
            "Use the command line for it, or leave out columns that are not needed."
        )
    fingerprint = hashlib.sha256(content).hexdigest()
    shelf = _shelf()
    with shelf.lock:
        shelf.files[fingerprint] = content
        shelf.files.move_to_end(fingerprint)
        while sum(map(len, shelf.files.values())) > SHELF_BYTES:
            shelf.files.popitem(last=False)
    return Upload(name, fingerprint)


def sample(path: Path) -> Upload:
    """One of our own files."""
    return Upload(path.name, str(path), path)


def content(upload: Upload) -> bytes:
    """The bytes of a file; raises DataError when they are no longer at hand."""
    if upload.path is not None:
        return upload.path.read_bytes()
    shelf = _shelf()
    with shelf.lock:
        if upload.fingerprint not in shelf.files:
            raise DataError(f"{upload.name} is no longer at hand. Choose the file again.")
        shelf.files.move_to_end(upload.fingerprint)
        return shelf.files[upload.fingerprint]
