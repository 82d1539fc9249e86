"""The sample files are what their README says."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from binotears_core.data.loading import load

FOLDER = Path(__file__).parents[2] / "sample_data"


@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [
        ("asia.csv", 5000, 8),
        ("sachs.csv", 7466, 11),
        ("fertility.csv", 31857, 8),
        ("legislator_email.csv", 5593, 9),
        ("titanic.csv", 2201, 6),
    ],
)
def test_files_load_without_options(name: str, rows: int, columns: int) -> None:
    data = load(FOLDER / name)
    assert (data.rows, data.variables) == (rows, columns)


def test_sachs_is_the_median_split_of_the_measurements() -> None:
    split = load(FOLDER / "sachs_continuous.csv", binarise="median")
    assert load(FOLDER / "sachs.csv").fingerprint == split.fingerprint
    table, bits = (pd.read_csv(FOLDER / name) for name in ("sachs_continuous.csv", "sachs.csv"))
    pd.testing.assert_frame_equal((table > table.median()).astype(int), bits)  # also row by row


def test_house_votes_have_232_complete_rows() -> None:
    assert load(FOLDER / "house_votes_1984.csv", missing="drop").rows == 232
    marked = load(FOLDER / "house_votes_1984.csv", missing="indicator")
    missing = [name for name in marked.names if name.endswith("=missing")]
    cells = sum(marked.prevalence[marked.index(name)] * marked.rows for name in missing)
    assert cells == pytest.approx(392)


def test_fertility_is_an_xor() -> None:
    table = load(FOLDER / "fertility.csv").select(["boy_first", "boy_second", "third_child"])
    counts = (table.cells() * table.rows).reshape(2, 2, 2)  # third, second, first
    pairs = [counts.sum(axis=axis) for axis in range(3)]
    assert max(_g2(pair) for pair in pairs) < 0.9
    assert _g2(counts.reshape(2, 4)) == pytest.approx(97.2, abs=0.1)


def _g2(counts: np.ndarray) -> float:
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    return float(2 * (counts * np.log(counts / expected)).sum())


def test_the_readme_names_every_file() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"`{path.name}`" in text for path in FOLDER.glob("*.csv"))


@pytest.mark.parametrize("name", ["asia", "sachs"])
def test_known_edges_join_columns(name: str) -> None:
    columns = set(load(FOLDER / f"{name}.csv").names)
    for path in FOLDER.glob(f"{name}_edges*.csv"):
        edges = pd.read_csv(path)
        assert {*edges["source"], *edges["target"]} <= columns
