"""A row of choices that outlives page changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from pages._ui import state

T = TypeVar("T", bound=str)


def one_of(
    name: str, options: Sequence[T], *, default: T | None = None, label: str = "", words: Mapping[T, str] = {}
) -> T:
    """One of the options (the first by default), side by side; a remembered one that is no longer offered is dropped.

    Without a label it is for screen readers alone, and says `name`.
    """
    first = options[0] if default is None else default
    if state.session().choices.get(name, first) not in options:
        state.choose(name, first)

    def control(key: str) -> Any:
        return st.segmented_control(
            label or name.capitalize(),
            options,
            key=key,
            required=True,
            format_func=lambda option: words.get(option, option),
            label_visibility="visible" if label else "collapsed",
        )

    chosen: T | None = state.kept(name, first, control)
    return chosen or first
