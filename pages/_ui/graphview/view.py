"""Pictures on a page: the clickable graph, its legend, and the buttons that save it. The only file here with Streamlit."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from pathlib import Path

import streamlit as st

from pages._ui import state
from pages._ui.colours import Colours
from pages._ui.graphview.picture import JUNCTION_SIZE, Picture
from pages._ui.graphview.svg import IN_APP, legend_html, svg_in_app

HEIGHT = 600
_HERE = Path(__file__).parent
_VARIABLES = ";".join(f"--{one.name}:{getattr(IN_APP, one.name)}" for one in fields(Colours))

_HTML = """<div class="graph">
<svg class="canvas" xmlns="http://www.w3.org/2000/svg" role="group"></svg>
<div class="tools" role="toolbar" aria-label="Zoom">
<button data-tool="in" title="Zoom in (+)">+</button><button data-tool="out" title="Zoom out (−)">−</button
><button data-tool="home" title="Whole graph, everything in its place (0)">⤢</button></div>
<div class="tip" role="tooltip" hidden></div></div>"""

_graph = st.components.v2.component(
    "binotears_graph",
    html=_HTML,
    css=f":host{{{_VARIABLES}}}\n" + (_HERE / "graph.css").read_text("utf-8"),
    js=(_HERE / "graph.js").read_text("utf-8"),
)


def graph_view(
    picture: Picture,
    key: str,
    *,
    selected: str | None = None,
    on_select: Callable[[str | None], None] | None = None,
    height: int = HEIGHT,
) -> None:
    """The graph with its legend. `on_select` is called, before the page runs again, with the name clicked or None."""
    names = [node.name for node in picture.nodes]
    places = repr([(node.name, round(node.x), round(node.y)) for node in picture.nodes])

    def clicked() -> None:
        event = state.component_event(key, "clicked")
        if on_select is not None and isinstance(event, Mapping):
            node = event.get("node")
            on_select(names[node] if isinstance(node, int) and 0 <= node < len(names) else None)

    _graph(
        key=key,
        data={
            "picture": asdict(picture),
            "selected": names.index(selected) if selected in names else None,
            "height": height,
            "junction": JUNCTION_SIZE,
            # Nodes that were dragged stay where they are as long as Python would put the nodes in the same places.
            "arrangement": hashlib.sha256(places.encode()).hexdigest(),
        },
        on_clicked_change=clicked,
    )
    legend(picture)


def still(picture: Picture, *, height: float | None = None) -> None:
    """A picture that does not move."""
    st.html(svg_in_app(picture, height=height))


def legend(picture: Picture) -> None:
    """What the marks of a picture mean."""
    if picture.legend:
        st.html(legend_html(picture.legend))


def still_svg(drawing: str) -> None:
    """An SVG made by `svg.svg`, as it will be saved."""
    st.html(f'<div style="max-width:860px;border:1px solid #8884;border-radius:8px;overflow:auto">{drawing}</div>')


# The browser turns SVG into PNG: it has the fonts, also for scripts and signs that no library here could draw.
_png = st.components.v2.component(
    "binotears_png",
    html='<button type="button">PNG</button>',
    css="""button { font: inherit; font-size: 1rem; line-height: 1.6; padding: .25rem .75rem; cursor: pointer; min-height: 2.5rem;
        border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius); background: transparent;
        color: var(--st-text-color); font-family: var(--st-font); }
        button:hover { border-color: var(--st-primary-color); color: var(--st-primary-color); }""",
    js="""export default function ({ data, parentElement }) {
        const button = parentElement.querySelector("button");
        button.title = "Save as a picture with " + data.scale + " points per pixel";
        button.onclick = async () => {
            const picture = new Image();
            picture.src = URL.createObjectURL(new Blob([data.svg], { type: "image/svg+xml" }));
            await picture.decode();
            const canvas = document.createElement("canvas");
            canvas.width = picture.naturalWidth * data.scale;
            canvas.height = picture.naturalHeight * data.scale;
            canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
            const link = document.createElement("a");
            link.download = data.name;
            link.href = canvas.toDataURL("image/png");
            link.click();
            URL.revokeObjectURL(picture.src);
        };
    }""",
)


def png_button(drawing: str, name: str, *, scale: int = 3) -> None:
    """A button that saves an SVG made by `svg.svg` as PNG."""
    _png(data={"svg": drawing, "name": name, "scale": scale}, key=f"png-{name}", width="content")
