"""The experiments: right rows, each exactly once, whatever is killed; figures and page from them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import binotears_core as bn
from benchmarks import reproduce
from benchmarks.experiments import figures, page, running
from benchmarks.experiments.grids import GRIDS, KEY, Unit, units
from benchmarks.experiments.methods import METHODS, OURS, measure
from benchmarks.experiments.store import Store
from binotears_core import baselines

ROOT = Path(__file__).parent.parent.parent
CHEAP = ("empty", "notears", "exact-bic")


def work(methods=CHEAP, graphs=1):
    """The cells of the quick small grid with the fewest variables."""
    return [unit for unit in units("small", methods, quick=True, graphs=graphs) if unit.p == 5]


def keys(path):
    """The keys of all complete lines of a store, as written: a row written twice shows twice."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [tuple(row[name] for name in KEY) for row in rows]


@pytest.fixture
def own_main(monkeypatch):
    """Dask's processes begin by running `__main__` again, which a test of the app before us has set to app.py."""
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))


DEADLY = ("small", "ER", 1, 5, 10_000, "pth", 0, "empty")


def dies(unit):
    """Kills its worker process on one unit."""
    if unit.key == DEADLY:
        os.kill(os.getpid(), signal.SIGKILL)
    return measure(unit)


# Grids


def test_the_grids_are_the_papers():
    small, large = (units(name, ["empty"]) for name in ("small", "large"))
    assert len(small) == 5 * 2 * 2 * 4 * 10
    assert len(large) == 4 * 3 * 2 * 4 * 3
    assert {unit.n for unit in small} == {10_000}
    assert {unit.n for unit in large} == {1000}
    assert len(set(small + large)) == len(small + large)


@pytest.mark.parametrize("name", GRIDS)
def test_a_quick_run_is_part_of_the_full_one(name):
    assert set(units(name, METHODS, quick=True)) <= set(units(name, METHODS))


def test_exact_scores_are_for_few_variables():
    assert {unit.p for unit in units("small", ["exact-bic"])} == {5, 6, 7, 8, 9}
    assert units("large", ["exact-bic", "exact-bdeu"]) == []


# Rows


def test_a_run_gives_the_rows_of_direct_calls(tmp_path):
    methods = ("empty", OURS, "binotears-paper", "exact-bdeu", "miic", "notears")
    store = Store(tmp_path / "rows.jsonl", KEY)
    todo = [unit for unit in work(methods) if (unit.kind, unit.k, unit.mechanism) == ("SF", 1, "pth")]
    reproduce.run(todo, store, jobs=2)
    truth, data = bn.simulate(graph="SF", nodes=5, degree=1, mechanism="pth", samples=10_000, seed=todo[0].seed)
    direct = {
        "empty": np.zeros((5, 5)),
        OURS: bn.fit(data).adjacency,
        "binotears-paper": bn.fit(data, refine=False).adjacency,
        "exact-bdeu": bn.fit(data, method="exact", score=bn.ScoreOptions(kind="bdeu")).adjacency,
        "notears": baselines.run("notears", data).matrix,
        "miic": baselines.run("miic", data).graph,
    }
    rows = store.frame().set_index("method")
    assert sorted(rows.index) == sorted(methods)
    for method, graph in direct.items():
        expected = bn.compare(truth.adjacency, graph)
        assert rows.shd_cpdag[method] == expected.shd_cpdag
        assert rows.edges[method] == expected.edges_estimated
        if method == "miic":
            assert np.isnan(rows.shd_dag[method])
        else:
            assert rows.shd_dag[method] == expected.shd_dag
    assert (rows.status == "done").all()
    assert (rows.seconds >= 0).all()


def test_the_same_seeds_give_the_same_rows():
    unit = work([OURS])[0]
    first, second = measure(unit), measure(unit)
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_a_method_that_fails_says_so_in_its_row():
    row, empty = (measure(Unit("small", "ER", 1, 20, 100, "1st", 0, method)) for method in ("exact-bic", "empty"))
    assert row["status"] == "failed"
    assert "at most 16 variables" in row["message"]
    assert row["shd_cpdag"] == empty["shd_cpdag"] > 0
    assert row["edges"] == 0


def test_a_missing_method_is_measured_once_it_is_there(tmp_path, monkeypatch):
    store = Store(tmp_path / "rows.jsonl", KEY)
    (unit,) = [unit for unit in work(["miic"]) if (unit.kind, unit.k, unit.mechanism) == ("ER", 1, "pth")]
    with monkeypatch.context() as patch:
        patch.setattr(baselines, "available", lambda: {"miic": (False, "pyagrum is not installed.")})
        store.append([measure(unit)])
        assert store.frame().status.tolist() == ["missing"]
        assert reproduce.left_to_do([unit], store) == []
    assert reproduce.left_to_do([unit], store) == [unit]
    reproduce.run([unit], store, jobs=1)
    assert store.frame().status.tolist() == ["done"]


def test_tetrad_serves_one_process_after_another(tmp_path):
    """Several calls in each long-lived worker: Java is started once in it and stays."""
    units = work(["fges-tetrad", "boss-tetrad", "pc-tetrad"])[:8]
    rows = list(running.through_processes(units, jobs=2))
    assert [row["status"] for row in rows] == ["done"] * len(units)


# The store


def test_a_torn_last_line_is_measured_again(tmp_path):
    store = Store(tmp_path / "rows.jsonl", KEY)
    todo = work()[:4]
    reproduce.run(todo, store, jobs=1)
    whole = store.path.read_bytes()
    lines = whole.splitlines(keepends=True)
    store.path.write_bytes(whole[: -len(lines[-1]) // 2])
    assert len(store.rows()) == 3
    reproduce.run(todo, store, jobs=1)
    assert set(store.rows()) == {unit.key for unit in todo}
    assert store.path.read_bytes().startswith(b"".join(lines[:3]))
    reproduce.run(todo, store, jobs=1)
    assert len(store.rows()) == 4


def test_forgotten_rows_are_measured_again(tmp_path):
    store = Store(tmp_path / "rows.jsonl", KEY)
    todo = work()[:6]
    reproduce.run(todo, store, jobs=1)
    store.forget("method", ["empty"])
    assert reproduce.left_to_do(todo, store) == [unit for unit in todo if unit.method == "empty"] != []


# Killing


def start(out, graphs):
    command = [sys.executable, "benchmarks/reproduce.py", "--grid", "small", "--quick", "--jobs", "2"]
    options = ["--graphs", str(graphs), "--methods", "empty,notears", "--out", str(out)]
    return subprocess.Popen([*command, *options], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def test_a_killed_run_goes_on_where_it_stopped(tmp_path):
    path = tmp_path / "rows.jsonl"
    endless = start(tmp_path, graphs=1000)
    while not path.exists() or path.read_bytes().count(b"\n") < 10:
        assert endless.poll() is None
        time.sleep(0.01)
    endless.kill()
    endless.wait()
    before = path.read_bytes()
    assert b'"graph": 1,' not in before or before.count(b"\n") > 32 - 4  # graph by graph, four units under way
    done = start(tmp_path, graphs=2)
    done.communicate()
    assert done.returncode == 0
    assert path.read_bytes().startswith(before[: before.rindex(b"\n") + 1])
    table = pd.read_parquet(tmp_path / "results.parquet")
    wanted = {unit.key for unit in units("small", ["empty", "notears"], quick=True, graphs=2)}
    found = list(table[list(KEY)].itertuples(index=False, name=None))
    assert len(found) == len(set(found))
    assert wanted <= set(found)
    assert len(pd.read_csv(tmp_path / "results.csv")) == len(table)


def test_a_unit_that_kills_its_process_becomes_a_failed_row():
    todo = work(["empty", "notears"])
    rows = list(running.through_processes(todo, jobs=2, work=dies))
    found = {tuple(row[name] for name in KEY): row["status"] for row in rows}
    assert len(rows) == len(todo)
    assert found == {unit.key: "failed" if unit.key == DEADLY else "done" for unit in todo}


def test_a_dask_cluster_survives_the_death_of_a_worker(tmp_path, own_main):
    store = Store(tmp_path / "rows.jsonl", KEY)
    todo = work(["notears", "binotears-paper"], graphs=2)
    with running.dask_client("local", jobs=2) as client:
        before = set(client.run(os.getpid).values())
        rows = running.through_dask(todo, client)
        store.append([next(rows) for _ in range(3)])
        busy = next(address for address, tasks in client.processing().items() if tasks)
        victim = client.run(os.getpid, workers=[busy])[busy]
        os.kill(victim, signal.SIGKILL)
        store.append(rows)
    assert victim in before
    assert sorted(keys(store.path)) == sorted(unit.key for unit in todo)
    assert set(store.frame().status) == {"done"}
    sample = todo[0]
    assert store.rows()[sample.key]["shd_cpdag"] == measure(sample)["shd_cpdag"]


def test_the_dask_option_measures_what_is_left(tmp_path, own_main):
    store = Store(tmp_path / "rows.jsonl", KEY)
    todo = work(["empty"])
    store.append([measure(todo[0])])
    reproduce.run(todo, store, jobs=1, dask="local")
    assert sorted(keys(store.path)) == sorted(unit.key for unit in todo)


# Figures and page


@pytest.fixture(scope="module")
def everything():
    """A row for every unit of the quick grids, with made-up distances; one method failed once, one was missing."""
    rows = []
    for unit in [*units("small", METHODS, quick=True), *units("large", METHODS, quick=True)]:
        distance = len(unit.method) + unit.graph
        row = {**vars(unit), "shd_cpdag": distance, "shd_dag": distance, "edges": 1, "seconds": 0.5, "status": "done"}
        rows.append({**row, "seed": unit.seed, "message": ""})
    table = pd.DataFrame(rows).astype({"shd_cpdag": float}).sort_values(list(KEY))
    failed = table[(table.method == "tabu") & (table.grid == "small")].index[0]
    table.loc[failed, "status"] = "failed"
    table.loc[table.method == "dagma-package", ["shd_cpdag", "status"]] = [np.nan, "missing"]
    return table


def test_figures_hold_every_method_and_need_no_network(tmp_path, everything):
    rows = everything[everything.grid == "small"]
    written = figures.draw(rows, tmp_path, "small")
    assert [path.name for path in written] == ["small-1st-2nd.png", "small-pth.png", "small.html"]
    for path in written[:2]:
        assert path.read_bytes().startswith(b"\x89PNG")
    text = written[-1].read_text()
    assert "<script src=" not in text
    for method in METHODS.values():
        assert json.dumps(method.title)[1:-1] in text


def test_lines_have_the_mean_and_the_standard_error(everything):
    part = everything[(everything.grid == "small") & (everything.mechanism == "pth") & (everything.kind == "ER")]
    drawn = dict(figures.lines(part[part.k == 1]))
    assert drawn["miic"]["mean"].tolist() == [4.5, 4.5]
    assert drawn["miic"].error.tolist() == [0.5, 0.5]
    assert drawn["miic"].sets.tolist() == [2, 2]


def test_the_page_compares_only_what_ran_everywhere(tmp_path, everything):
    frames = {grid: everything[everything.grid == grid] for grid in GRIDS}
    page.write(frames, ["--grid small --quick"], tmp_path / "experiments.md")
    text = (tmp_path / "experiments.md").read_text()
    small = text[text.index("## Small") : text.index("## Large")]
    assert "not in the tables: dagma-package." in small
    assert "| method | all | s.e. | ER1 | ER2 | SF1 | SF2 |\n" in small
    assert "|\n\n![" in small
    assert "    python benchmarks/reproduce.py --grid small --quick\n" in text
    first = {line.split(" | ")[0].strip("| *"): line for line in small.splitlines() if line.startswith("|")}
    assert set(METHODS) - {"dagma-package"} <= set(first)
    tabu = next(line for line in small.splitlines() if line.startswith("| tabu"))
    assert tabu.rstrip(" |").endswith("| 1")
    for picture in ("experiments-small-pth.png", "experiments-large-2nd.png"):
        assert f"({picture})" in text
        assert (tmp_path / picture).exists()


def test_the_command_refuses_what_it_does_not_know(capsys):
    with pytest.raises(SystemExit):
        reproduce.main(["--grid", "small", "--methods", "empty,magic"])
    assert "there is no method 'magic'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        reproduce.main([])
    assert "--grid small" in capsys.readouterr().err
