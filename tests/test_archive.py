"""What is saved comes back equal; what is broken, foreign or hostile is refused in one sentence."""

import contextlib
import dataclasses
import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

import binotears_core as bn
from binotears_core import archive
from binotears_core.archive import SavedData, SavedRun, SavedSession
from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError
from binotears_core.graph.constraints import Constraints

HOSTILE = ("<img onerror=alert(1)>", "</script>", '"quoted"', "naïve 😀", "ת" * 300)


@pytest.fixture(scope="module")
def data() -> BinaryData:
    rows = np.random.default_rng(0).integers(0, 2, size=(500, 5))
    return BinaryData.from_array(
        rows, HOSTILE, weights=np.linspace(0.1, 3, 500), groups=[HOSTILE[:2]], record=["Loaded.", "Weighted."]
    )


def same(first: object, second: object) -> bool:
    """Equality through arrays, tables and dataclasses."""
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return first.dtype == second.dtype and np.array_equal(first, second, equal_nan=first.dtype.kind == "f")
    if isinstance(first, pd.DataFrame):
        pd.testing.assert_frame_equal(first, second)
        return True
    if dataclasses.is_dataclass(first):
        return type(first) is type(second) and all(
            same(getattr(first, f.name), getattr(second, f.name)) for f in dataclasses.fields(first)
        )
    if isinstance(first, (list, tuple)):
        return type(first) is type(second) and len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict):
        return list(first) == list(second) and all(same(first[key], second[key]) for key in first)
    return first == second or (first != first and second != second)


def test_data_come_back_whole(data: BinaryData) -> None:
    again = archive.load_data(archive.dump_data(data))
    assert same(data, again)
    assert again.fingerprint == data.fingerprint
    assert not again.patterns.flags.writeable


def test_equal_values_give_equal_bytes(data: BinaryData) -> None:
    assert archive.dump_data(data) == archive.dump_data(archive.load_data(archive.dump_data(data)))


def test_every_kind_of_value() -> None:
    table = pd.DataFrame({"node": ["a", "b"], "term": [("x",), ()], "order": [1, 0], "log_odds": [0.5, np.nan]})
    value = {
        "numbers": [1, -2.5, np.inf, np.nan, True, None, 10**30, np.float64(0.1), np.int8(3)],
        ("tuple", 1): (np.zeros((0, 3)), np.array(7), np.asfortranarray(np.arange(6.0).reshape(2, 3))),
        "set": frozenset({1, 2}),
        "table": table,
        "rules": Constraints(forbidden=[("a", "b")], tiers={"a": 0}, groups=[["a", "b"]]),
    }
    assert same(value, archive.load(archive.dump(value), dict))


def test_a_value_we_do_not_know_is_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError, match="cannot be archived"):
        archive.dump({"function": print})


def forge(tree: object, **members: bytes) -> bytes:
    """An archive with any tree and any members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("tree.json", json.dumps({"format": archive.FORMAT, "value": tree}))
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return buffer.getvalue()


def header(shape: str, descr: str = "'<f8'") -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


@pytest.mark.parametrize(
    "blob",
    [
        b"",
        b"source,target\na,b\n",
        forge({"object": "os.path.Path", "fields": {}}),
        forge({"object": "binotears_core.archive.dataclasses", "fields": {}}),
        forge({"object": "binotears_core.errors.DataError", "fields": {}}),
        forge({"object": "binotears_core.nowhere.Thing", "fields": {}}),
        forge({"object": "binotears_core.data.table.BinaryData", "fields": {"names": []}}),
        forge({"pickle": "gASVCAAAAAAAAAA="}),
        forge({"array": "a.npy"}, a=header("(1000000000000,)")),
        forge({"array": "a.npy"}, a=header("(1,)", "'|O'") + b"\x80\x04N."),
        forge({"array": "missing.npy"}),
        forge({"tuple": [1], "list": [2]}),
    ],
)
def test_what_is_not_ours_is_refused(blob: bytes) -> None:
    with pytest.raises(DataError, match=r"not a BiNOTEARS archive|not saved by this version"):
        archive.load_data(blob)


def test_deep_nesting_is_refused() -> None:
    tree = json.dumps({"format": archive.FORMAT, "value": 0}).replace("0", "[" * 100_000 + "]" * 100_000)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("tree.json", tree)
    with pytest.raises(DataError, match="damaged"):
        archive.load_data(buffer.getvalue())


def test_a_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    with pytest.raises(DataError, match="too much"):
        archive.load_data(forge(0, a=bytes(64 << 20)))


def test_every_damaged_byte_is_noticed_or_harmless(data: BinaryData) -> None:
    blob = archive.dump_data(data)
    for position in range(0, len(blob), 7):
        broken = blob[:position] + bytes([blob[position] ^ 0x55]) + blob[position + 1 :]
        with contextlib.suppress(DataError):
            assert same(archive.load_data(broken), data)
    with pytest.raises(DataError):
        archive.load_data(blob[: len(blob) // 2])


def test_the_wrong_kind_is_named(data: BinaryData) -> None:
    with pytest.raises(DataError, match="holds a BinaryData, not a FitResult"):
        archive.load_result(archive.dump_data(data))


@pytest.mark.parametrize(
    "change",
    [
        {"patterns": np.full((32, 5), 2, np.uint8)},
        {"patterns": np.zeros((32, 4), np.uint8)},
        {"weights": np.full(32, 0.5)},
        {"weights": np.full(31, 1 / 31)},
        {"rows": 0},
    ],
)
def test_forged_data_are_refused(data: BinaryData, change: dict[str, object]) -> None:
    assert len(data.patterns) == 32
    with pytest.raises(DataError):
        archive.load_data(archive.dump(dataclasses.replace(data, **change)))


@pytest.fixture(scope="module")
def session() -> SavedSession:
    truth, data = bn.simulate(nodes=4, samples=3000, seed=1)
    runs = [bn.fit(data), bn.fit(data, orders=1, refine=False), bn.fit(data, method="exact", orders={2})]
    saved = SavedData("simulated", data, {"true graph": truth.adjacency}, truth)
    return SavedSession((saved,), tuple(SavedRun(f"run {number}", 0, run) for number, run in enumerate(runs)))


def test_a_session_comes_back_whole(session: SavedSession) -> None:
    again = archive.load_session(archive.dump_session(session))
    assert same(session, again)
    assert again.runs[0].result.path.point.H.shape == session.runs[0].result.path.point.H.shape
    assert again.runs[0].result.edges == session.runs[0].result.edges
    assert again.runs[0].result.options == session.runs[0].result.options


def test_a_result_comes_back_whole(session: SavedSession) -> None:
    for run in session.runs:
        assert same(run.result, archive.load_result(archive.dump_result(run.result)))


@pytest.mark.parametrize(
    "change",
    [
        {"adjacency": np.zeros((3, 3), np.int8)},
        {"adjacency": 1 - np.eye(4, dtype=np.int8)},
        {"strength": np.zeros(4)},
        {"coefficients": pd.DataFrame({"node": ["a"]})},
        {"stages": (1,)},
        {"path": "none"},
    ],
)
def test_forged_results_are_refused(session: SavedSession, change: dict[str, object]) -> None:
    with pytest.raises(DataError):
        archive.load_result(archive.dump(dataclasses.replace(session.runs[0].result, **change)))


def test_a_run_on_data_that_are_not_there_is_refused(session: SavedSession) -> None:
    with pytest.raises(DataError, match="do not fit together"):
        archive.load_session(archive.dump(dataclasses.replace(session, data=())))


def test_options_saved_before_their_class_moved_come_back() -> None:
    tree = archive.to_tree(bn.FitOptions(orders=2), [])
    assert tree["object"] == "binotears_core.planning.FitOptions"
    assert archive.from_tree({**tree, "object": "binotears_core.fitting.FitOptions"}) == bn.FitOptions(orders=2)
