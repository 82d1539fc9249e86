"""A run as a Python script."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, is_dataclass
from textwrap import indent
from typing import Any

import binotears_core as bn
from binotears_core.archive import SavedData
from binotears_core.graph.constraints import Constraints
from binotears_core.results import FitResult
from pages._ui.repeating.origins import Origin, origin

WIDTH = 96


def python_code(saved: SavedData, result: FitResult) -> str:
    """A script that loads or simulates the data and fits them again, with every option that was changed."""
    source = origin(saved)
    options = changed(result.options)
    body = [*_data_lines(source), _call("result = bn.fit", ["data"], options), ""]
    body += ["for source, target, strength in result.edges:", '    print(f"{source} → {target}  {strength:.2f}")']
    return "\n".join([*_imports("\n".join(body)), "", *body]) + "\n"


def changed(options: Any) -> dict[str, Any]:
    """The fields of an options dataclass that differ from their defaults."""
    found = {field.name: getattr(options, field.name) for field in fields(options)}
    return {field.name: found[field.name] for field in fields(options) if found[field.name] != _default(field)}


def literal(value: Any) -> str:
    """A value as Python source, on one line when it fits."""
    if isinstance(value, Constraints):
        tables: dict[str, Any] = {"forbidden": list(value.forbidden), "required": list(value.required)}
        tables |= {"tiers": dict(value.tiers), "groups": list(value.groups)}
        return _call("bn.Constraints", [], {name: table for name, table in tables.items() if table})
    if is_dataclass(value):
        return _call(_class_name(type(value)), [], changed(value))
    if isinstance(value, dict):
        return _lines("{", [f"{key!r}: {literal(item)}" for key, item in value.items()], "}")
    return _lines("[", [literal(item) for item in value], "]") if isinstance(value, list) else repr(value)


def _data_lines(source: Origin) -> list[str]:
    target = "data" if source.function == "load" else "truth, data"
    note = [f"# {source.note}"] if source.note else []
    return [*note, _call(f"{target} = bn.{source.function}", [literal(source.first)], source.options)]


def _call(function: str, first: list[str], options: dict[str, Any]) -> str:
    return _lines(f"{function}(", [*first, *(f"{name}={literal(value)}" for name, value in options.items())], ")")


def _lines(start: str, items: list[str], end: str) -> str:
    """Items between brackets: on one line when they fit, else one a line."""
    line = f"{start}{', '.join(items)}{end}"
    if len(line) <= WIDTH and "\n" not in line:
        return line
    return start + "\n" + indent("".join(f"{item},\n" for item in items), "    ") + end


def _class_name(kind: type) -> str:
    return f"bn.{kind.__name__}" if getattr(bn, kind.__name__, None) is kind else kind.__name__


def _imports(body: str) -> list[str]:
    lines = ["import binotears_core as bn"]
    if "TwoStageOptions(" in body and not hasattr(bn, "TwoStageOptions"):
        lines.append("from binotears_core.solvers.two_stage import TwoStageOptions")
    return lines


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default
