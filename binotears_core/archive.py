"""Data, results and whole sessions as one file, and back without loss.

An archive is a zip: `tree.json` (the shape of the value) and one `.npy` file per array. Nothing is pickled, so a file
from a stranger can at worst be refused: unknown types, arrays whose header lies about their size, and zip bombs end in
a `DataError`. In the tree a list is a list; every other composite value is an object with a single tag:

    {"tuple": […]}   {"set": […]}   {"dict": [[key, value], …]}   {"array": "3.npy"}   {"frame": {…}}
    {"object": "binotears_core.results.Path", "fields": {…}}      any dataclass of this package

>>> from binotears_core.data.table import BinaryData
>>> data = BinaryData.from_array([[0, 1], [1, 1]])
>>> load_data(dump_data(data)).fingerprint == data.fingerprint
True
"""

from __future__ import annotations

import dataclasses
import importlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError
from binotears_core.graph.dag import Adjacency, is_dag
from binotears_core.results import FitResult
from binotears_core.simulation import Truth

FORMAT = "binotears-1"
MAX_BYTES = 512 << 20  # unpacked
MAX_MEMBERS = 20_000
# Real archives shrink 5–50 times; a bomb shrinks 1 000 times. Small files may shrink as they like.
MAX_RATIO, FREE_BYTES = 200, 32 << 20

_CLASS = re.compile(r"(binotears_core(?:\.[a-z][a-z_]*)+)\.([A-Z]\w*)")
_COLUMN_TYPES = ("object", "str", "bool", "int64", "float64")
_TREE = "tree.json"
# Where classes stood in files written before they moved.
_MOVED = {"binotears_core.fitting.FitOptions": "binotears_core.planning.FitOptions"}

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class SavedData:
    """A data set under the user's name for it.

    truths     known graphs over `data.names`, by title
    simulated  the model the data were drawn from, if they were
    """

    name: str
    data: BinaryData
    truths: Mapping[str, Adjacency] = field(default_factory=dict)
    simulated: Truth | None = None


@dataclass(frozen=True, eq=False)
class SavedRun:
    """A finished run: `data` is the position of its data set in `SavedSession.data`."""

    name: str
    data: int
    result: FitResult


@dataclass(frozen=True, eq=False)
class SavedSession:
    """Everything a user has open."""

    data: tuple[SavedData, ...]
    runs: tuple[SavedRun, ...]


def dump_data(data: BinaryData) -> bytes:
    """A data set as bytes."""
    return dump(data)


def load_data(blob: bytes) -> BinaryData:
    """The data set again; raises DataError when the file is broken or holds something else."""
    return load(blob, BinaryData, _check_data)


def dump_result(result: FitResult) -> bytes:
    """A result as bytes, with its whole path."""
    return dump(result)


def load_result(blob: bytes) -> FitResult:
    """The result again; raises DataError when the file is broken or holds something else."""
    return load(blob, FitResult, _check_result)


def dump_session(session: SavedSession) -> bytes:
    """A whole session as bytes."""
    return dump(session)


def load_session(blob: bytes) -> SavedSession:
    """The session again, checked part by part."""
    return load(blob, SavedSession, _check_session)


def dump(value: Any) -> bytes:
    """Any value made of numbers, text, containers, arrays, tables and dataclasses of this package."""
    arrays: list[npt.NDArray[Any]] = []
    tree = to_tree(value, arrays)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        # A fixed date: equal values give equal bytes.
        archive.writestr(_member(_TREE), json.dumps({"format": FORMAT, "value": tree}))
        for number, array in enumerate(arrays):
            content = io.BytesIO()
            np.lib.format.write_array(content, array, version=(1, 0), allow_pickle=False)
            archive.writestr(_member(f"{number}.npy"), content.getvalue())
    return buffer.getvalue()


def load(blob: bytes, kind: type[T], check: Callable[[T], None] | None = None) -> T:
    """The inverse of `dump`; the value must be of the given class and pass `check`."""
    try:
        with zipfile.ZipFile(io.BytesIO(blob)) as archive:
            _check_size(archive, len(blob))
            document = json.loads(archive.read(_TREE))
            if not isinstance(document, dict) or document.get("format") != FORMAT:
                raise DataError("The file was not saved by this version of BiNOTEARS. Save it again with this version.")
            value = from_tree(document["value"], archive)
        if not isinstance(value, kind):
            raise DataError(f"The file holds a {type(value).__name__}, not a {kind.__name__}. Choose another file.")
        if check is not None:
            check(value)
        return value
    except DataError:
        raise
    except Exception as error:  # a hostile file can fail anywhere below; the user needs one sentence
        raise DataError(
            "The file is not a BiNOTEARS archive, or it is damaged. Choose a file saved by the app."
        ) from error


def to_tree(value: Any, arrays: list[npt.NDArray[Any]]) -> Any:
    """A value as JSON; its arrays are appended to `arrays` and referred to by number."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, list):
        return [to_tree(item, arrays) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [to_tree(item, arrays) for item in value]}
    if isinstance(value, (set, frozenset)):
        return {"set": [to_tree(item, arrays) for item in sorted(value)]}
    if isinstance(value, Mapping):
        return {"dict": [[to_tree(key, arrays), to_tree(item, arrays)] for key, item in value.items()]}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        arrays.append(np.asarray(value, order="C"))
        return {"array": f"{len(arrays) - 1}.npy"}
    if isinstance(value, pd.DataFrame):
        return {"frame": {str(name): _column_tree(value[name], arrays) for name in value.columns}}
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    if dataclasses.is_dataclass(value) and _CLASS.fullmatch(name):
        fields = {f.name: to_tree(getattr(value, f.name), arrays) for f in dataclasses.fields(value) if f.init}
        return {"object": name, "fields": fields}
    raise TypeError(f"{name} cannot be archived")


def from_tree(tree: Any, archive: zipfile.ZipFile | None = None) -> Any:
    """The inverse of `to_tree`; arrays are read from `archive`."""
    if isinstance(tree, list):
        return [from_tree(item, archive) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if "object" in tree:
        return _dataclass(tree["object"])(**{key: from_tree(item, archive) for key, item in tree["fields"].items()})
    ((tag, content),) = tree.items()
    if tag == "tuple":
        return tuple(from_tree(item, archive) for item in content)
    if tag == "set":
        return frozenset(from_tree(item, archive) for item in content)
    if tag == "dict":
        return {from_tree(key, archive): from_tree(item, archive) for key, item in content}
    if tag == "array" and archive is not None:
        return _read_array(archive.read(content))
    if tag == "frame":
        return pd.DataFrame({name: _column(column, archive) for name, column in content.items()})
    raise ValueError(f"unknown tag {tag}")


def _column_tree(column: pd.Series[Any], arrays: list[npt.NDArray[Any]]) -> Any:
    kind = str(column.dtype)
    if kind not in _COLUMN_TYPES:
        raise TypeError(f"a column of type {kind} cannot be archived")
    content = column.to_numpy() if column.dtype.kind in "bif" else column.tolist()
    return {"type": kind, "values": to_tree(content, arrays)}


def _column(tree: Mapping[str, Any], archive: zipfile.ZipFile | None) -> pd.Series[Any]:
    if tree["type"] not in _COLUMN_TYPES:
        raise ValueError(f"unknown column type {tree['type']}")
    column: pd.Series[Any] = pd.Series(from_tree(tree["values"], archive), dtype=tree["type"])
    return column


def _dataclass(name: str) -> Any:
    """A dataclass of this package by its full name; nothing else can be named."""
    match = _CLASS.fullmatch(_MOVED.get(name, name))
    if match is None:
        raise ValueError(f"{name} is not one of our classes")
    found = getattr(importlib.import_module(match[1]), match[2])
    if not (dataclasses.is_dataclass(found) and isinstance(found, type) and found.__module__ == match[1]):
        raise ValueError(f"{name} is not one of our classes")
    return found


def _read_array(content: bytes) -> npt.NDArray[Any]:
    """An array whose header tells the truth: np.load would allocate whatever shape the header claims."""
    stream = io.BytesIO(content)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("unknown array format")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    if dtype.kind not in "biuf" or fortran:
        raise ValueError("unknown array type")
    return np.frombuffer(content, dtype=dtype, offset=stream.tell()).reshape(shape).copy()


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _check_size(archive: zipfile.ZipFile, packed: int) -> None:
    # zipfile never reads more than the declared size of a member, so the declared sizes may be trusted as a bound.
    members = archive.infolist()
    unpacked = sum(member.file_size for member in members)
    if len(members) > MAX_MEMBERS or unpacked > min(MAX_BYTES, FREE_BYTES + MAX_RATIO * packed):
        raise DataError(
            f"The file would unpack to {unpacked >> 20} MB, which is too much. Choose a file saved by the app."
        )


def _require(condition: bool) -> None:
    if not condition:
        raise DataError("The file is a BiNOTEARS archive, but its parts do not fit together. Save it again.")


def _check_data(data: BinaryData) -> None:
    """What BinaryData's own constructors guarantee and a forged file might not."""
    patterns, weights = data.patterns, data.weights
    _require(all(isinstance(name, str) for name in data.names))
    _require(isinstance(patterns, np.ndarray) and patterns.dtype == np.uint8 and patterns.ndim == 2)
    _require(patterns.shape[1] == data.variables and len(patterns) > 0 and patterns.max() <= 1)
    _require(isinstance(weights, np.ndarray) and weights.dtype == np.float64 and weights.shape == (len(patterns),))
    _require(bool(np.all(weights > 0)) and bool(np.isclose(weights.sum(), 1.0)))
    _require(isinstance(data.rows, int) and data.rows > 0 and data.sample_size > 0)


def _check_result(result: FitResult) -> None:
    """Every matrix of a result must be over its names."""
    square = (len(result.names),) * 2
    matrices = [result.adjacency, result.strength, *(stage.adjacency for stage in result.stages)]
    if result.path is not None:
        terms = len(result.path.terms)
        matrices += [matrix for point in result.path.points for matrix in (point.adjacency, point.strength)]
        _require(all(point.H.shape == (terms, square[0]) for point in result.path.points))
        _require(result.path.chosen in range(len(result.path)))
    _require(all(isinstance(matrix, np.ndarray) and matrix.shape == square for matrix in matrices))
    _require(is_dag(result.adjacency))
    _require(isinstance(result.coefficients, pd.DataFrame) and {"node", "term"} <= set(result.coefficients.columns))


def _check_session(session: SavedSession) -> None:
    """Every part on its own, and every run over the names of its data."""
    for saved in session.data:
        _check_data(saved.data)
        square = (saved.data.variables,) * 2
        _require(all(isinstance(truth, np.ndarray) and truth.shape == square for truth in saved.truths.values()))
    for run in session.runs:
        _check_result(run.result)
        _require(run.data in range(len(session.data)) and run.result.names == session.data[run.data].data.names)
