from __future__ import annotations

import json
import lzma
import re
from pathlib import Path

import pytest

from echo.experiments.results import ResultsError
from echo.experiments.tasks.table_texts import TABLES, TUNING, Committed
from finetune.evaluation.errors import EvaluationError
from finetune.evaluation.packed import Tuning, gather, main, pack, read_tuning
from tests.finetune.evaluation.tuned_samples import ADAPTER, folders

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("tuned")
    folders(home)
    return home


@pytest.fixture(scope="module")
def made(home: Path) -> Tuning:
    return gather(home / "data", home / "trained", home / "evaluated")


def committed(made: Tuning, tmp_path: Path) -> Committed:
    (tmp_path / TUNING).write_bytes(pack(made))
    return Committed(tmp_path)


def rows(text: str) -> dict[str, list[str]]:
    cells = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return {first.strip(): [each.strip() for each in rest] for first, *rest in cells}


def test_a_tuning_is_read_back_as_it_was_packed(made: Tuning, tmp_path: Path):
    assert committed(made, tmp_path).tuning == made
    assert pack(made) == pack(made)
    assert made.curve[0] == {"step": 0.0, "epoch": 0.0, "validation_loss": 2.0}
    assert made.curve[2]["loss"] == 0.75
    assert made.curve[2]["validation_loss"] == 0.5
    assert len(made.curve) == 3


def test_the_program_writes_the_file(home: Path, made: Tuning, tmp_path: Path, capsys):
    words = [f"--{name}={home / name}" for name in ("data", "trained", "evaluated")]
    assert main([*words, f"--out={tmp_path / 'a.json.xz'}"]) == 0
    assert read_tuning(tmp_path / "a.json.xz") == made
    assert re.search(r"a\.json\.xz: [\d,]+ bytes", capsys.readouterr().out)
    assert main([*words, f"--out={tmp_path / 'a.json'}"]) == 1
    assert "expected a file called *.json.xz" in capsys.readouterr().err
    assert not (tmp_path / "a.json").exists()


@pytest.mark.parametrize(
    ("folder", "file", "change", "said"),
    [
        ("trained", "run.json", ("begun", "asked", "train", "sha256"), "expected rows in .*run.json"),
        ("trained", "run.json", ("ended", "adapter_sha256"), "expected the adapter of"),
        ("evaluated", "evaluation.json", ("made", "card"), "expected rows in .*evaluation.json"),
        ("data", "card.json", ("digest",), "expected rows in .*evaluation.json"),
    ],
)
def test_folders_of_different_tunings_are_told(home: Path, tmp_path: Path, folder, file, change, said):
    for each in ("data", "trained", "evaluated"):
        (tmp_path / each).mkdir()
        for path in (home / each).iterdir():
            (tmp_path / each / path.name).write_bytes(path.read_bytes())
    told = json.loads((tmp_path / folder / file).read_text())
    inner = told
    for name in change[:-1]:
        inner = inner[name]
    inner[change[-1]] = "other"
    (tmp_path / folder / file).write_text(json.dumps(told))
    with pytest.raises(EvaluationError, match=said):
        gather(tmp_path / "data", tmp_path / "trained", tmp_path / "evaluated")


@pytest.mark.parametrize(
    "content",
    [None, b"", b"{}", lzma.compress(b"{}"), lzma.compress(b"{}")[:-4]],
    ids=["absent", "empty", "no xz", "something else", "cut off"],
)
def test_a_file_that_is_none_says_how_to_make_it(tmp_path: Path, content: bytes | None):
    if content is not None:
        (tmp_path / TUNING).write_bytes(content)
    with pytest.raises(ResultsError, match=r"(?s)expected a packed tuning in .*python -m finetune"):
        TABLES["tuned"](Committed(tmp_path))


def test_the_short_table_stands_before_and_after_side_by_side(made: Tuning, tmp_path: Path):
    text = TABLES["tuned"](committed(made, tmp_path))
    cells = rows(text)
    assert next(iter(cells.items())) == (
        "",
        ["before", "before, explained, constrained", "after", "after, constrained", "out of template"],
    )
    assert cells["valid JSON"] == ["0.000", "0.000", "1.000", "1.000", "1.000"]
    assert cells["F1 struct"][2] == "1.000"
    assert "usable" not in cells
    assert "smollm2, 4,000 numbers trained on 30 rows: 2 steps in 1.5 minutes on 2 cores of Abacus" in text
    assert "validation loss 2.000 before, 0.500 after" in text
    assert f"adapter `{ADAPTER[:16]}`" in text


def test_the_whole_table_has_every_column_and_line(made: Tuning, tmp_path: Path):
    cells = rows(TABLES["tuned-whole"](committed(made, tmp_path)))
    assert len(cells[""]) == len(made.evaluation.columns()) == 10
    assert "usable" in cells


def test_the_table_of_likes_tells_both_models_beside_the_rules(made: Tuning, tmp_path: Path):
    text = TABLES["tuned-helps"](committed(made, tmp_path))
    cells = rows(text)
    assert list(cells)[2:] == ["struct", "attr", "proc", "func", "inter"]
    questions, lot, rules, before, _, after, gap = cells["proc"]
    assert int(questions) > 3
    assert float(lot) < float(rules)
    assert float(before) == 0
    assert (after, gap) == (rules, "+0.000 (+0.000 to +0.000)")
    assert "0 of" in text


def test_what_pages_show_is_committed():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    wanted = [page.name for page in pages if "<!-- table: tuned" in page.read_text(encoding="utf-8")]
    assert not wanted or (ROOT / "data" / "results" / TUNING).exists(), wanted


@pytest.mark.parametrize("name", [name for name in TABLES if name.startswith("tuned")])
def test_what_is_committed_can_be_read(name: str):
    folder = ROOT / "data" / "results"
    if not (folder / TUNING).exists():
        pytest.skip(f"data/results/{TUNING} is not committed yet")
    assert TABLES[name](Committed(folder))
