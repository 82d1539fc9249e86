"""A picture as a file: SVG from Python, PNG by the browser, which knows the fonts."""

from __future__ import annotations

import streamlit as st

from pages._ui.colours import DARK, LIGHT
from pages._ui.graphview.picture import Picture
from pages._ui.graphview.svg import svg
from pages._ui.graphview.view import as_saved, png_button


def save_picture(picture: Picture, name: str) -> None:
    """The picture with its legend as it will be saved, and the buttons."""
    themes = {"light": LIGHT, "dark": DARK}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        theme = st.segmented_control("Background", list(themes), default="light", required=True, key=f"{name}-theme")
        drawing = svg(picture, themes[theme])
        st.download_button(
            "SVG",
            drawing,
            f"{name}.svg",
            "image/svg+xml",
            icon=":material/download:",
            on_click="ignore",
            key=f"{name}-svg",
        )
        png_button(drawing, f"{name}.png")
    as_saved(drawing, f"{name}-saved")
