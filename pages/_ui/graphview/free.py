"""The free view: nodes that push each other apart and can be thrown about (vis-network, through pyvis).

The page that pyvis writes loads Bootstrap from the network. Ours takes pyvis' nodes and edges and the library text from
its folder, forbids the browser to load anything, and carries names as JSON in which nothing can end the script.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from importlib.resources import files

from pages._ui.colours import DARK, LIGHT, Colours
from pages._ui.graphview.drawing import CLICK
from pages._ui.graphview.picture import Junction, Key, Line, Node, Picture
from pages._ui.graphview.svg import legend_html

_OPTIONS = {
    "physics": {
        "solver": "forceAtlas2Based",
        "forceAtlas2Based": {"gravitationalConstant": -90, "springLength": 110, "avoidOverlap": 0.6},
        "stabilization": {"iterations": 250},
    },
    "interaction": {"hover": True, "tooltipDelay": 120, "keyboard": {"enabled": True, "bindToWindow": False}},
    "edges": {"smooth": {"enabled": True, "type": "dynamic"}},
}

_PAGE = """<!DOCTYPE html>
<html lang="en" style="color-scheme:{scheme}"><head><meta charset="utf-8"><title>Graph</title>
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width">
<style>
html, body {{ margin: 0; height: 100%; background: {paper}; color: {ink}; font-family: system-ui, sans-serif }}
body {{ display: flex; flex-direction: column }} #graph {{ flex: 1; min-height: 300px }}
#legend {{ padding: 4px 12px 10px }}
div.vis-tooltip {{ position: absolute; visibility: hidden; padding: 6px 10px; border-radius: 6px; background: {ink};
  color: {paper}; font-size: 13px; white-space: pre-line; max-width: 320px; overflow-wrap: anywhere;
  pointer-events: none }}
</style></head><body><div id="graph"></div><div id="legend">{legend}</div>
<script>{library}</script>
<script>
const drawing = {drawing};
const network = new vis.Network(document.getElementById("graph"),
  {{ nodes: new vis.DataSet(drawing.nodes), edges: new vis.DataSet(drawing.edges) }}, drawing.options);
</script></body></html>
"""


UNDRAWN = ("gauge", "stack")  # what vis-network's boxes cannot show


def free_html(picture: Picture, *, dark: bool = False) -> str:
    """One HTML file with everything in it."""
    from pyvis.network import Network  # half a second to import

    colours = DARK if dark else LIGHT
    network = Network(directed=True)
    for place, node in enumerate(picture.nodes):
        network.add_node(place, x=node.x, y=node.y, **_node(node, colours))
    for place, mark in enumerate(picture.junctions, len(picture.nodes)):
        network.add_node(place, x=mark.x, y=mark.y, **_junction(mark, colours))
    for line in picture.lines:
        network.add_edge(line.source, line.target, **_edge(line, colours))
    return _PAGE.format(
        scheme="dark" if dark else "light",
        paper=colours.paper,
        ink=colours.compelled,
        legend=legend_html([_key(key) for key in picture.legend if key.kind not in UNDRAWN]),
        library=_library(),
        drawing=_inert({"nodes": network.nodes, "edges": network.edges, "options": _OPTIONS}),
    )


def _node(node: Node, colours: Colours) -> dict[str, object]:
    fill = {"background": colours.paper, "border": colours.compelled}
    return {
        "label": "\n".join(node.lines),
        "title": node.note.removesuffix(CLICK) or node.name,
        "shape": "box",
        "margin": 9,
        "color": {**fill, "highlight": {**fill, "border": colours.raises}, "hover": fill},
        "font": {"color": colours.compelled, "size": 15},
    }


def _junction(mark: Junction, colours: Colours) -> dict[str, object]:
    return {"label": " ", "title": mark.note, "shape": "diamond", "size": 7, "mass": 0.3, "color": colours.interaction}


def _edge(line: Line, colours: Colours) -> dict[str, object]:
    arrow = {"enabled": line.head != "none", "type": "arrow", "scaleFactor": 0.7}
    colour = "reversible" if line.head == "hollow" else line.colour
    return {
        "title": line.note,
        "width": line.width,
        "dashes": line.dashed,
        "color": {"color": getattr(colours, colour), "inherit": False},
        "arrows": {"to": arrow},
        "length": 30 if line.edge is None else 110,
    }


def _key(key: Key) -> Key:
    """vis-network draws no hollow heads: what has one elsewhere is amber as a whole here."""
    return replace(key, colour="reversible", head="solid", head_colour="") if key.head == "hollow" else key


@cache
def _library() -> str:
    """vis-network as it comes with pyvis."""
    folder = files("pyvis") / "templates" / "lib" / "vis-9.1.2"
    return (folder / "vis-network.min.js").read_text("utf-8").replace("</script", "<\\/script")


def _inert(value: object) -> str:
    """JSON that can stand inside a script element: no tag, no comment and no line separator can begin in it."""
    text = json.dumps(value, ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
