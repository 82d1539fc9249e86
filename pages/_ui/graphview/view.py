"""Pictures on a page: the clickable graph, still pictures, and the button that saves one. Only here is Streamlit."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path

import streamlit as st

from pages._ui import state
from pages._ui.colours import Colours
from pages._ui.graphview.picture import JUNCTION_SIZE, STACK_STEP, Picture
from pages._ui.graphview.svg import IN_APP, NARROW_STYLE, legend_html, svg_in_app

LOWEST, HIGHEST = 560, 760  # px
_HERE = Path(__file__).parent
_VARIABLES = ";".join(f"--{one.name}:{getattr(IN_APP, one.name)}" for one in fields(Colours))

_HTML = """<div class="graph">
<svg class="canvas" xmlns="http://www.w3.org/2000/svg" role="group"></svg>
<div class="foot"><div class="legend"></div><div class="tools" role="toolbar" aria-label="Zoom">
<button data-tool="in" title="Zoom in (+)">+</button><button data-tool="out" title="Zoom out (−)">−</button
><button data-tool="home" title="Whole graph, everything in its place (0)">⤢</button></div></div>
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
    edge: tuple[str, str] | None = None,
    on_edge: Callable[[str, str], None] | None = None,
) -> None:
    """The graph with its legend. A click is told, before the page runs again, to

    on_select  with the name of the node, or None when nothing is selected any more
    on_edge    with the names of the edge's ends; `edge` is the one marked now
    """
    names = [node.name for node in picture.nodes]

    def clicked() -> None:
        event = state.component_event(key, "clicked")
        if not isinstance(event, Mapping):
            return
        if on_edge is not None and event.get("edge"):
            on_edge(*(names[int(end)] for end in event["edge"]))
        elif on_select is not None and "node" in event:
            on_select(None if event["node"] is None else names[int(event["node"])])

    places = repr([(node.name, round(node.x), round(node.y)) for node in picture.nodes])
    _graph(
        key=key,
        data={
            "picture": asdict(picture),  # with the narrow one in it
            "selected": names.index(selected) if selected in names else None,
            "edge": None if edge is None else [names.index(end) for end in edge],
            "pick_edges": on_edge is not None,
            "height": max(LOWEST, min(round(picture.height), HIGHEST)),
            "junction": JUNCTION_SIZE,
            "stack": STACK_STEP,
            "legend": legend_html(picture.legend),
            # Nodes that were dragged stay where they are as long as Python would put the nodes in the same places.
            "arrangement": hashlib.sha256(places.encode()).hexdigest(),
        },
        on_clicked_change=clicked,
    )


# st.html takes SVG out. What comes in here was made, and escaped, by svg.py.
_markup = st.components.v2.component(
    "binotears_markup",
    html='<div class="markup"></div>',
    css=".markup { font-family: var(--st-font), sans-serif; color: var(--st-text-color); container-type: inline-size }"
    + "figure svg { max-height: 420px }"  # a member repeats the large picture: smaller is enough
    + ".sketch svg { height: 200px !important }"
    + NARROW_STYLE,
    js="""export default function ({ data, parentElement }) {
        const place = parentElement.querySelector(".markup");
        if (place.dataset.shown !== data) place.innerHTML = place.dataset.shown = data;
    }""",
)


def still(picture: Picture, key: str) -> None:
    """A picture that does not move, with its legend."""
    _markup(data=svg_in_app(picture) + legend_html(picture.legend), key=key)


def sketch(picture: Picture, key: str) -> None:
    """A small picture, of the same height as its neighbours."""
    _markup(data=f'<div class="sketch">{svg_in_app(replace(picture, narrow=None))}</div>', key=key)


def small_multiples(pictures: Sequence[Picture], key: str, *, width: int = 290) -> None:
    """Many small pictures side by side, numbered from 1."""
    cell = "border:1px solid {faint};border-radius:8px;padding:6px 8px;background:{paper}"
    frame = cell.format(faint=IN_APP.faint, paper=IN_APP.paper)
    cells = "".join(
        f'<figure style="margin:0;{frame}"><figcaption style="font-size:12px;opacity:.7">{number}</figcaption>'
        f"{svg_in_app(picture)}</figure>"
        for number, picture in enumerate(pictures, 1)
    )
    grid = f"display:grid;grid-template-columns:repeat(auto-fill,minmax(min({width}px,100%),1fr));gap:10px"
    _markup(data=f'<div style="{grid}">{cells}</div>', key=key)


def as_saved(drawing: str, key: str) -> None:
    """An SVG made by `svg.svg`, as it will be saved."""
    frame = f"border:1px solid {IN_APP.faint};border-radius:8px;overflow:auto;width:fit-content;max-width:100%"
    _markup(data=f'<div style="{frame}">{drawing}</div>', key=key)


# The browser turns SVG into PNG: it has the fonts, also for scripts and signs that no library here could draw.
_png = st.components.v2.component(
    "binotears_png",
    html='<button type="button">PNG</button>',
    css="""button { font-size: 1rem; line-height: 1.6; padding: .25rem .75rem; cursor: pointer; min-height: 2.5rem;
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
