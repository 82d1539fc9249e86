"""The result file: everything a program needs, as strict JSON (no NaN, no infinity: null)."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from binotears_core.errors import DataError
from binotears_core.results import FitResult


def result_json(result: FitResult) -> dict[str, Any]:
    """The result as plain values; `json.dumps(…, allow_nan=False)` accepts it.

    nodes; edges [{source, target, strength}]; cpdag {directed, undirected};
    coefficients [{node, term, order, log_odds, std_error}]; status {code, message}; method; options; seconds;
    certificate or null; data {rows, variables, fingerprint}.
    """
    columns = ["node", "term", "order", "log_odds", "std_error"]
    table: dict[str, Any] = {
        "nodes": result.names,
        "edges": [{"source": a, "target": b, "strength": strength} for a, b, strength in result.edges],
        "cpdag": {"directed": result.cpdag.directed, "undirected": result.cpdag.undirected},
        "coefficients": result.coefficients[columns].to_dict("records"),
        "status": {"code": result.status.code, "message": result.status.message},
        "method": result.method,
        "options": result.options,
        "seconds": result.seconds,
        "certificate": result.certificate,
        "data": {key: result.data.get(key) for key in ("rows", "variables", "fingerprint")},
    }
    return {key: plain(value) for key, value in table.items()}


def plain(value: Any) -> Any:
    """Nested values as JSON knows them: dicts with text keys, lists, text, numbers, booleans, None."""
    if hasattr(value, "as_dict"):
        return plain(value.as_dict())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, AbstractSet):
        return [plain(item) for item in sorted(value)]
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


def read_result_json(text: str | bytes) -> dict[str, Any]:
    """A result file again; its nodes and edges are checked, the rest is as it stands in the file."""
    try:
        result = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError("The result file is not JSON. Give a file written by `fit --out`.") from None
    if not isinstance(result, dict) or not {"nodes", "edges"} <= set(result):
        raise DataError("The result file has no nodes and edges. Give a file written by `fit --out`.")
    nodes, edges = result["nodes"], result["edges"]
    if not isinstance(nodes, list) or not all(isinstance(name, str) for name in nodes) or len(set(nodes)) < len(nodes):
        raise DataError("The nodes of the result file are not a list of different names. Repair it or write it again.")
    for edge in edges if isinstance(edges, list) else [None]:
        if not isinstance(edge, dict) or not all(edge.get(end) in nodes for end in ("source", "target")):
            raise DataError(f"An edge of the result file does not join two of its nodes: {edge}. Write the file again.")
    return result
