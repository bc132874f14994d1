"""The notebook runs from the committed result alone, and from a made-up one."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from echo.experiments.tasks.table_texts import TUNING
from finetune.evaluation.packed import pack
from tests.finetune.evaluation.tuned_samples import tuning

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOK = json.loads((ROOT / "notebooks" / "what-does-tuning-buy.ipynb").read_text(encoding="utf-8"))
CELLS = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]


def run(cells: list[str]) -> list[object]:
    """Run the cells one after the other and return what each would show: the value of its last line."""
    known: dict[str, object] = {}
    shown = []
    for source in cells:
        tree = ast.parse(source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), known)
        if last is not None:
            shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), known))
    return shown


@pytest.fixture(params=["committed", "made up"])
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    results = tmp_path / "data" / "results"
    results.mkdir(parents=True)
    real = ROOT / "data" / "results" / TUNING
    if request.param == "committed":
        if not real.exists():
            pytest.skip(f"data/results/{TUNING} is not committed yet")
        shutil.copy(real, results)
    else:
        (tmp_path / "made").mkdir()
        (results / TUNING).write_bytes(pack(tuning(tmp_path / "made")))
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    return tmp_path


def test_every_cell_runs_and_the_figures_are_drawn(home: Path, capsys):
    shown = run(CELLS)
    figures = [each for each in shown if isinstance(each, Figure)]
    assert len(figures) == 4
    loss, shares, f1, likes = (figure.axes[0] for figure in figures)
    assert [line.get_label() for line in loss.lines] == ["training, each step", "validation"]
    assert len(shares.containers) == 3
    assert [label.get_text() for label in f1.get_xticklabels()] == ["struct", "attr", "proc", "func", "inter"]
    assert len(likes.containers) >= 3
    printed = capsys.readouterr().out
    for said in ("numbers", "by style of the trace", "episodes described", "--- right", "--- after"):
        assert said in printed


def test_it_holds_no_output_and_is_told_in_words():
    kinds = [cell["cell_type"] for cell in NOTEBOOK["cells"]]
    assert kinds.count("markdown") >= 7
    assert NOTEBOOK["cells"][0]["source"][0] == "# What does tuning buy a CSD model?\n"
    assert all(cell["outputs"] == [] for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code")


def test_it_reads_nothing_but_the_committed_result():
    text = "\n".join(CELLS)
    imported = {
        name.name if isinstance(node, ast.Import) else node.module
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }
    assert imported == {
        "pathlib", "matplotlib.pyplot", "csd.axes", "finetune.evaluation.packed", "finetune.evaluation.table"
    }  # fmt: skip
    assert "open(" not in text
