"""Wrong input on a page: one sentence instead of a stack trace, and everything else stays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from binotears_core.errors import DataError, OptionError
from pages._ui.words import plain


@contextmanager
def one_sentence() -> Iterator[None]:
    """Show what the library says about wrong input; what follows inside the block is skipped."""
    try:
        yield
    except (DataError, OptionError) as error:
        st.error(plain(str(error), 1000), icon=":material/error:")
