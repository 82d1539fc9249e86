"""The command line as a user runs it: real processes, real files."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from binotears_core.__main__ import main

ROOT = Path(__file__).parent.parent


def run(*arguments, cwd=None):
    command = [sys.executable, "-m", "binotears_core", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd or ROOT)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """data.csv, truth.csv and result.json of one simulated set."""
    folder = tmp_path_factory.mktemp("cli")
    data, truth, result = folder / "data.csv", folder / "truth.csv", folder / "result.json"
    made = run(
        "simulate", "--graph", "ER", "--nodes", 6, "--degree", 1, "--mechanism", "1st+2nd", "--samples", 4000,
        "--seed", 1, "--out", data, "--truth", truth,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    fitted = run("fit", data, "--seed", 0, "--out", result)
    assert fitted.returncode == 0, fitted.stderr
    return folder


def test_simulate_writes_binary_rows_and_edges(files):
    table = np.loadtxt(files / "data.csv", delimiter=",", skiprows=1)
    assert table.shape == (4000, 6)
    assert set(np.unique(table)) == {0, 1}
    lines = (files / "truth.csv").read_text().splitlines()
    assert lines[0] == "source,target"
    assert len(lines) == 7


def test_the_result_file_keeps_the_contract(files):
    result = json.loads((files / "result.json").read_text())
    assert set(result) >= {
        "nodes", "edges", "cpdag", "coefficients", "status", "method", "options", "seconds", "certificate", "data",
    }  # fmt: skip
    assert result["nodes"] == [f"X{j}" for j in range(1, 7)]
    assert all(set(edge) == {"source", "target", "strength"} and edge["strength"] > 0 for edge in result["edges"])
    joined = {frozenset(pair) for pair in result["cpdag"]["directed"] + result["cpdag"]["undirected"]}
    assert joined == {frozenset((edge["source"], edge["target"])) for edge in result["edges"]}
    assert all(
        {"node", "term", "order", "log_odds", "std_error"} <= set(row) and len(row["term"]) == row["order"]
        for row in result["coefficients"]
    )
    assert result["status"]["code"] == "done"
    assert result["data"]["rows"] == 4000
    assert result["data"]["variables"] == 6
    assert len(result["data"]["fingerprint"]) == 64
    assert result["certificate"]["exact"] is True
    assert set(result["certificate"]["effects"]) == {"scale", "moment"}


def test_compare_prints_the_distances(files):
    done = run("compare", files / "truth.csv", files / "result.json")
    assert done.returncode == 0, done.stderr
    distances = json.loads(done.stdout)
    assert {"shd_cpdag", "shd_dag", "precision", "recall"} <= set(distances)
    assert distances["shd_cpdag"] < 6  # what the empty graph would have


def test_without_out_the_result_goes_to_standard_output(files):
    done = run("fit", files / "data.csv", "--no-refine", "--orders", "1,2", "--method", "dagma")
    assert done.returncode == 0
    result = json.loads(done.stdout)
    assert result["certificate"] is None
    assert result["options"]["orders"] == [1, 2]


def test_constraints_and_tiers_are_honoured(files):
    tiers = files / "tiers.csv"
    tiers.write_text("name,tier\nX6,0\nX1,1\n")
    done = run("fit", files / "data.csv", "--forbid", "X2>X3", "--require", "X4 > X5", "--tiers", tiers, "--no-refine")
    assert done.returncode == 0, done.stderr
    edges = {(edge["source"], edge["target"]) for edge in json.loads(done.stdout)["edges"]}
    assert ("X4", "X5") in edges
    assert not edges & {("X2", "X3"), ("X1", "X6")}


def test_the_sachs_file_runs_with_and_without_binarising(tmp_path):
    done = run("fit", ROOT / "sample_data/sachs_continuous.csv", "--binarise", "median", "--out", tmp_path / "r.json")
    assert done.returncode == 0, done.stderr
    assert "median" in done.stderr
    assert len(json.loads((tmp_path / "r.json").read_text())["nodes"]) == 11


def test_a_column_can_be_left_out(tmp_path):
    (tmp_path / "t.csv").write_text("id,a,b\n" + "".join(f"{k},{k % 2},{k // 2 % 2}\n" for k in range(40)))
    done = run("fit", tmp_path / "t.csv", "--drop", "id")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["nodes"] == ["a", "b"]


def test_a_missing_folder_is_told_before_the_run(files):
    done = run("fit", files / "data.csv", "--out", files / "nowhere" / "result.json")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1, "nothing was learned before"


def test_any_whole_seed_from_0_simulates(tmp_path):
    made = run("simulate", "--nodes", 3, "--degree", 1, "--samples", 50, "--seed", 10**20, "--out", tmp_path / "d.csv")
    assert made.returncode == 0, made.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "nowhere.csv"], ["nowhere.csv"]),
        (["fit", "DATA", "--orders", "0"], ["start at 1"]),
        (["fit", "DATA", "--orders", "9"], ["9 variables"]),
        (["fit", "DATA", "--orders", "many"], ["many"]),
        (["fit", "DATA", "--method", "magic"], ["magic"]),
        (["fit", "DATA", "--lambda", "0"], ["lam"]),
        (["fit", "DATA", "--delta", "-1"], ["delta"]),
        (["fit", "DATA", "--gamma", "1.5"], ["gamma"]),
        (["fit", "DATA", "--lambda", "much"], ["much"]),
        (["fit", "DATA", "--forbid", "X1-X2"], ["X1-X2"]),
        (["fit", "DATA", "--forbid", "X1>Y"], ["'Y'"]),
        (["fit", "DATA", "--require", "X1>X2", "--require", "X2>X1"], ["cycle", "X1", "X2"]),
        (["fit", "DATA", "--require", "X1>X2", "--forbid", "X1>X2"], ["X1 → X2"]),
        (["fit", "DATA", "--tiers", "nowhere.csv"], ["nowhere.csv"]),
        (["fit", "DATA", "--seed", "-1"], ["seed"]),
        (["fit", "DATA", "--seed", "99999999999999999999"], ["seed"]),
        (["fit", "DATA", "--drop", "Y"], ["Y"]),
        (["fit"], ["DATA"]),
        (["dance"], ["dance"]),
        (["simulate", "--out", "x.csv", "--mechanism", "4th"], ["4th"]),
        (["simulate", "--out", "x.csv", "--nodes", "0"], ["nodes"]),
        (["compare", "nowhere.csv", "nowhere.json"], ["nowhere"]),
    ],
)
def test_bad_input_is_one_sentence_exit_2_and_no_file(files, tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(tmp_path)
    words_in = [str(files / "data.csv") if word == "DATA" else word for word in arguments]
    if words_in[0] == "fit" and len(words_in) > 1:
        words_in += ["--out", "out.json"]
    assert main(words_in) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    message = printed.err.strip().splitlines()
    assert len(message) == 1, printed.err
    assert all(word in message[0] for word in words)
    assert list(tmp_path.iterdir()) == []
