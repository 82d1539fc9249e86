"""A row of buttons of which one is on, remembered through page changes and F5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages._ui import state


def switch(
    name: str,
    label: str,
    options: Sequence[str],
    *,
    words: Mapping[str, str] | None = None,
    hide_label: bool = False,
    wide: bool = False,
    explanation: str | None = None,
) -> str:
    """The option that is on, at first the first one; `words` are shown in place of the options.

    A choice that is no longer offered falls back to the first.
    """
    if state.session().choices.get(name) not in options:
        state.choose(name, options[0])

    def draw(key: str) -> Any:
        return st.segmented_control(
            label,
            options,
            key=key,
            required=True,
            format_func=lambda option: (words or {}).get(option, option),
            label_visibility="collapsed" if hide_label else "visible",
            width="stretch" if wide else "content",
            help=explanation,
        )

    return str(state.kept(name, options[0], draw))
