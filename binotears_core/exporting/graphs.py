"""The learned graph as GraphML, Graphviz DOT and DAGitty text."""

from __future__ import annotations

import re
from collections.abc import Callable

import networkx as nx

from binotears_core.exporting.names import CONTROL, distinct
from binotears_core.results import FitResult


def graphml(result: FitResult) -> str:
    """GraphML with names as node ids and `strength` on every edge."""
    # XML holds tab and line breaks (escaped), but no other control character.
    safe = _labels(result, lambda name: re.sub(rf"(?![\t\n\r]){CONTROL}", "\ufffd", name))
    return "\n".join(nx.generate_graphml(nx.relabel_nodes(result.graph, safe)))


def dot(result: FitResult) -> str:
    """Graphviz: digraph { "a" -> "b" [strength=1.5]; }."""
    safe = _labels(result, _dot_name)
    nodes = [f'  "{safe[name]}";' for name in result.names]
    edges = [f'  "{safe[a]}" -> "{safe[b]}" [strength={strength:.6g}];' for a, b, strength in result.edges]
    return "\n".join(["digraph {", *nodes, *edges, "}", ""])


def dagitty(result: FitResult) -> str:
    """DAGitty (dagitty.net, and the R package): dag { "a" -> "b" }."""
    safe = _labels(result, _dagitty_name)
    nodes = [f'"{safe[name]}"' for name in result.names]
    edges = [f'"{safe[a]}" -> "{safe[b]}"' for a, b, _ in result.edges]
    return "\n".join(["dag {", *nodes, *edges, "}", ""])


def _labels(result: FitResult, clean: Callable[[str], str]) -> dict[str, str]:
    return dict(zip(result.names, distinct(clean(name) for name in result.names), strict=True))


def _dot_name(name: str) -> str:
    r"""Inside quotes. Graphviz shows the id as label, where \n breaks a line, \\ is a backslash, & starts an entity."""
    text = name.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return re.sub(CONTROL, " ", re.sub(r"\r\n|\r|\n", lambda _: "\\n", text))


def _dagitty_name(name: str) -> str:
    r"""Inside quotes, where \" is a quote, other backslashes stand for themselves, control characters are forbidden.

    A backslash at the end would swallow the closing quote; it becomes an underscore.
    """
    text = re.sub(r"\\+$", lambda found: "_" * len(found.group()), re.sub(CONTROL, " ", name))
    return text.replace('"', '\\"')
