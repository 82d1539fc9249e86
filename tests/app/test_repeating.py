"""The printed code, executed, gives the same edges."""

import os
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

import binotears_core as bn
from binotears_core.__main__ import main
from binotears_core.archive import SavedData
from binotears_core.exporting import read_result_json
from pages._ui.examples import BY_KEY
from pages._ui.repeating import data_csv, python_code, shell_code
from pages._ui.repeating.python_code import literal
from pages._ui.repeating.shell_code import PROGRAM
from pages._ui.tables import models, preparing

ROOT = Path(__file__).resolve().parents[2]

SURVEY = "id,age,city,smoker,w\n" + "".join(
    f"{i},{20 + (i * 7) % 50},{'ABC'[i % 3]},{'yes' if i % 4 < 1 + i % 3 else 'no'},{1 + i % 3}\n" for i in range(120)
)
CHOICES = preparing.Choices(
    rules={
        "id": ("leave out", ""),
        "age": ("above a number", "37"),
        "city": ("indicators", ""),
        "smoker": ("one value", "no"),
    },
    weights="w",
)


def survey() -> SavedData:
    return SavedData("my survey.csv", preparing.prepare(SURVEY.encode(), "my survey.csv", CHOICES))


def nameless() -> SavedData:
    """Data of which nothing is known but their rows."""
    data = bn.BinaryData.from_array([[0, 0], [1, 1], [1, 1], [0, 1], [0, 0], [1, 0], [1, 1]], names=["rows", "b"])
    return SavedData("nameless", data)


CASES = {
    "sample": (lambda: BY_KEY["titanic"].load(), {"constraints": BY_KEY["titanic"].constraints, "seed": 3}),
    "cut sample": (lambda: BY_KEY["sachs"].load(), {"method": "dagma", "refine": False, "orders": 1}),
    "upload": (survey, {"orders": (1,), "constraints": bn.Constraints(forbidden=[("city=A", "age")])}),
    "simulated": (lambda: models.draw(models.Settings(nodes=4, degree=1, seed=4), None), {"orders": 1}),
    "own graph": (lambda: BY_KEY["and"].load(), {"schedule": bn.Schedule(steps=2), "method": "dagma"}),
    "table only": (nameless, {"score": bn.ScoreOptions(kind="bic"), "method": "exact"}),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a user would run the code: beside the sample data, with the files the code asks for."""
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    (tmp_path / "my survey.csv").write_text(SURVEY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_the_python_gives_the_same_edges(case, folder):
    make, options = CASES[case]
    saved = make()
    result = bn.fit(saved.data, **options)
    (folder / "data.csv").write_text(data_csv(saved.data))
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(python_code(saved, result), "code", "exec"), {})
    assert printed.getvalue() == "".join(f"{a} → {b}  {strength:.2f}\n" for a, b, strength in result.edges)


def in_a_shell(code):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    subprocess.run(["bash", "-euc", code], check=True, capture_output=True, env=environment)


def in_this_process(code):
    for line in code.replace("\\\n", "").splitlines():
        if not line.startswith("#"):
            assert line.startswith(PROGRAM)
            assert main(shlex.split(line.removeprefix(PROGRAM))) == 0


@pytest.mark.parametrize(
    ("case", "run"), [("sample", in_a_shell), ("upload", in_this_process), ("simulated", in_this_process)]
)
def test_the_commands_give_the_same_edges(case, run, folder):
    make, options = CASES[case]
    saved = make()
    result = bn.fit(saved.data, **options)
    (folder / "data.csv").write_text(data_csv(saved.data))
    run(shell_code(saved, result))
    written = read_result_json((folder / "result.json").read_text())
    assert [(edge["source"], edge["target"]) for edge in written["edges"]] == [edge[:2] for edge in result.edges]


def test_what_the_command_line_cannot_say_it_says(folder):
    make, options = CASES["table only"]
    saved = make()
    with pytest.raises(bn.OptionError, match="score"):
        shell_code(saved, bn.fit(saved.data, **options))


def test_the_exported_table_is_the_same_data():
    for saved in (nameless(), survey(), BY_KEY["fertility"].load()):
        again = preparing.prepare(data_csv(saved.data).encode(), "data.csv", _counted(saved.data))
        assert again.patterns.tolist() == saved.data.patterns.tolist()
        assert again.weights.tolist() == saved.data.weights.tolist()
        assert (again.rows, again.sample_size) == (saved.data.rows, saved.data.sample_size)


def test_names_are_quoted(hostile_names):
    names = list(hostile_names)
    assert eval(literal({"names": names, "edges": [tuple(names[:2])]})) == {"names": names, "edges": [tuple(names[:2])]}


def _counted(data: bn.BinaryData) -> preparing.Choices:
    return preparing.Choices(weights="rows_" if "rows" in data.names else "rows")
