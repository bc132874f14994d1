from __future__ import annotations

import json
import subprocess
import sys
from inspect import signature
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from csd.bank import Bank
from csd.caches import cache_folder
from csd.encode import HashingEncoder
from csd.words.glance import WORDS_PLACE, glance
from echo.cli.cue_command import answer, main, parse, parse_plainly
from echo.cli.cue_entry import cue
from tests.csd.descriptors import digging, playing, wooden_pickaxe

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Bank.open(tmp_path / "bank.sqlite", HashingEncoder()) as bank:
        bank.add_many([wooden_pickaxe(), playing("coal", "fuel"), digging("sand", success=False, step=31)])
    return tmp_path / "bank.sqlite"


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_a_hit_is_one_line_of_at_most_80_columns(path: Path, capsys, monkeypatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert main(["stick", "--bank", str(path)]) == 0
    [line] = lines(capsys)
    told = "struct: stick is B"
    assert line == f"{wooden_pickaxe().id}  0  ok  wooden_pickaxe  {told}"
    assert main(["oak", "planks", "--bank", str(path), "--axis", "struct"]) == 0
    [line] = lines(capsys)
    assert len(line) == 80
    assert line.endswith("…")
    assert "  struct: oak planks is A; oak pl" in line


def test_a_failure_says_no_and_steps_stand_right(path: Path, capsys) -> None:
    assert main(["drops", "--bank", str(path)]) == 0
    assert lines(capsys) == [
        f"{digging('sand', step=31, success=False).id}  31  no  wooden_pickaxe  attr: sand drops sand"
    ]


def test_json_is_one_object_with_whole_texts(path: Path, capsys) -> None:
    assert main(["coal", "fuel", "--bank", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    [hit] = told["hits"]
    assert told["cue"] == "coal fuel"
    assert hit.pop("score") > 0
    assert hit == {
        "id": playing("coal", "fuel").id,
        "step": 0,
        "success": True,
        "task": "use coal",
        "product": "wooden_pickaxe",
        "axis": "func",
        "told": "coal plays fuel",
        "texts": {"func": "coal plays fuel"},
    }


def test_a_folder_with_a_bank_in_it_will_do_and_nothing_found_is_no_failure(path: Path, capsys) -> None:
    assert main(["nothing", "--bank", str(path.parent)]) == 0
    done = capsys.readouterr()
    assert done.out == ""
    assert done.err == "nothing found: no current descriptor in the bank has all these words\n"


def test_a_limit_of_0_is_not_taken_for_nothing_that_answers(path: Path, capsys) -> None:
    assert main(["coal", "--bank", str(path), "--limit", "0"]) == 0
    done = capsys.readouterr()
    assert (done.out, done.err) == ("", "nothing found: --limit 0 asks for none\n")
    assert main(["coal", "--bank", str(path), "--limit", "0", "--json"]) == 0
    done = capsys.readouterr()
    assert (json.loads(done.out)["hits"], done.err) == ([], "")


def test_a_cue_sees_what_was_changed_since_the_last_one(path: Path, capsys) -> None:
    main(["clay", "--bank", str(path)])
    with Bank.open(path, HashingEncoder()) as bank:
        bank.add(digging("clay"))
        bank.remove(playing("coal", "fuel").id)
        bank.supersede(digging("sand", success=False, step=31).id, digging("glass", step=40))
    assert glance(str(path)) is None
    assert lines(capsys) == []
    for words, ids in (
        ("clay", [digging("clay").id]),
        ("coal", []),
        ("sand", []),
        ("glass", [digging("glass", step=40).id]),
    ):
        main([words, "--bank", str(path)])
        assert [line.split()[0] for line in lines(capsys)] == ids
    seen = glance(str(path))
    assert seen is not None
    seen.close()


def test_words_lie_where_the_caches_of_a_bank_do(path: Path) -> None:
    assert Path(str(path) + WORDS_PLACE) == cache_folder(path) / "words.db"


def test_torn_words_are_no_failure(path: Path, capsys) -> None:
    main(["coal", "--bank", str(path)])
    words = Path(str(path) + WORDS_PLACE)
    content = words.read_bytes()
    for keep in (0, 100, 9_000, len(content) - 9_000):
        words.write_bytes(content[:keep])
        assert main(["coal", "--bank", str(path)]) == 0
    assert len(lines(capsys)) == 5


def test_a_special_path_is_found(path: Path, capsys) -> None:
    moved = path.with_name("50% of? #1 ä.sqlite")
    path.rename(moved)
    for _ in range(2):
        assert main(["coal", "--bank", str(moved)]) == 0
    assert len(lines(capsys)) == 2


def test_control_characters_do_not_reach_the_terminal_and_wide_letters_count_twice(
    path: Path, capsys
) -> None:
    with Bank.open(path, HashingEncoder()) as bank:
        bank.add(playing("red\x1b[31m", "橡木" * 40))
    main(["red*", "--bank", str(path)])
    [line] = lines(capsys)
    assert r"red\x1b[31m" in line
    assert "\x1b" not in line
    assert len(line) + line.count("橡") + line.count("木") <= 80


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["coal", "--bank", "{missing}"], 1, "expected a memory bank at"),
        (["coal", "--bank", "{file}"], 1, "error: expected"),
        (["coal", "--bank", "{bank}", "--limit", "-1"], 2, "expected a limit >= 0; got -1"),
        (["coal", "--bank", "{bank}", "--limit", "2147483648"], 2, "<= 2147483647; got 2147483648"),
        (["coal", "--bank", "{bank}", "--limit=99999999999999999999"], 2, "<= 2147483647; got 99999"),
        (["a\0b", "--bank", "{bank}"], 2, "without NUL characters"),
        (["\udce4", "--bank", "{bank}"], 2, "whole Unicode characters"),
    ],
)
def test_what_goes_wrong_has_its_exit_code_and_is_said(path: Path, capsys, words, code, told) -> None:
    file = path.with_name("notes.txt")
    file.write_text("no bank")
    places = {"missing": path.with_name("none"), "file": file, "bank": path}
    assert main([word.format(**places) for word in words]) == code
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.out == ""
    assert not path.with_name("none").exists()


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["coal"],
        ["coal", "--bank"],
        ["coal", "--bank", "x", "--axis", "mind"],
        ["coal", "--bank", "x", "--limit", "9" * 5000],
    ],
)
def test_wrong_use_ends_with_2(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2


def test_help_shows_an_example(capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert "Example:" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["oak", "--bank", "b"],
        ["--bank=b", "oak", "planks", "--limit=3", "--axis", "func", "--axis=attr", "--json"],
        ["oak", "--limit", "7", "--bank", "b", "stick"],
    ],
)
def test_plain_arguments_are_read_as_argparse_reads_them(words: list[str]) -> None:
    plainly = parse_plainly(words)
    assert plainly is not None
    assert vars(plainly) == vars(parse(words))


def test_the_command_among_the_others_does_the_same(path: Path, capsys) -> None:
    app = typer.Typer()
    app.command("cue")(cue)
    done = CliRunner().invoke(app, ["coal", "fuel", "--bank", str(path), "--axis", "func"])
    assert done.exit_code == 0
    assert answer("coal fuel", str(path), limit=10, axes=["func"], as_json=False) == 0
    assert done.stdout == capsys.readouterr().out
    assert set(signature(cue).parameters) == {"text", "bank", "limit", "axis", "as_json"}


def test_nothing_heavy_is_loaded_where_the_words_are_up_to_date(path: Path) -> None:
    main(["coal", "--bank", str(path)])
    script = """
import sys
from echo.cli import main
sys.argv = ["echo-memory", "cue", "coal", "--bank", sys.argv[1]]
try:
    main.main()
except SystemExit as ended:
    assert ended.code == 0
heavy = "numpy pydantic typer torch networkx argparse pathlib dataclasses typing json"
print([name for name in heavy.split() if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script, str(path)], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines()[1:] == ["[]"], done.stdout + done.stderr
