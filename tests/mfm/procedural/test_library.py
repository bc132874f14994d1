import datetime
import json
import subprocess
import sys

import pytest

from echo.mfm.layout import MfmError
from echo.mfm.mine.writable import Mine
from echo.mfm.options import MemoryOptions, save_options
from echo.mfm.procedural.format import ProcedureError
from echo.mfm.procedural.library import Library, Version, digest_of
from echo.mfm.procedural.reflexes import Ran, check_reflex, reflex_names, run_reflex
from echo.mfm.procedural.rendering import procedure_text
from echo.mfm.procedural.runs import RUNS, Surprise, Tally, append_run, read_runs, statistics_of
from echo.mfm.procedural.sandbox import Failed


def text(block: str = "oak_log", name: str = "dig", evidence=()) -> str:
    return procedure_text(
        name, about=f"Dig {block}.", actions=[{"kind": "collect", "block": block}], evidence=evidence
    )


def line(**changes) -> dict:
    return {
        "name": "dig",
        "version": digest_of(text()),
        "arguments": {},
        "steps": 3,
        "ticks": 30,
        "end": "done",
        "success": True,
        "reason": None,
        "surprise": None,
        "episodes": ["ep_000001"],
        "caller": None,
        "time": "2026-01-02T03:04:05.000006Z",
        **changes,
    }


def test_a_library_saves_loads_and_lists(tmp_path):
    library = Library(tmp_path)
    assert library.names() == []
    saved = library.save("dig", text(), by="agent", why="it worked")
    assert saved == library.load("dig")
    assert saved.procedure.about == "Dig oak_log."
    assert saved.version == Version(number=1, digest=digest_of(text()))
    assert library.names() == ["dig"]
    assert library.flaws("dig") == ()
    assert Mine(tmp_path).history("procedures/dig.py")[0].why == "it worked"


def test_versions_are_counted_by_what_was_saved(tmp_path):
    library = Library(tmp_path)
    for block in ("oak_log", "dirt", "dirt", "oak_log"):
        saved = library.save("dig", text(block), by="agent", why=block)
    assert saved.version.number == 1
    assert [version.number for version in library.versions("dig")] == [1, 2]
    assert library.version_text(library.versions("dig")[1]) == text("dirt")
    assert len(Mine(tmp_path).history()) == 3
    assert str(saved.version) == f"v1 ({digest_of(text())[:8]})"


def test_a_file_put_there_by_hand_has_no_number(tmp_path):
    (tmp_path / "mine" / "procedures").mkdir(parents=True)
    (tmp_path / "mine" / "procedures" / "dig.py").write_text(text())
    loaded = Library(tmp_path).load("dig")
    assert loaded.version == Version(number=0, digest=digest_of(text()))
    assert str(loaded.version).startswith("unsaved (")


def test_a_flawed_text_is_refused_and_nothing_written(tmp_path):
    library = Library(tmp_path)
    library.save("dig", text(), by="agent", why="")
    with pytest.raises(ProcedureError, match="got a file with 2 flaws"):
        library.save("dig", '"""Dig."""\n', by="agent", why="")
    assert library.load("dig").procedure.text == text()
    with pytest.raises(ProcedureError, match="expected a name of small letters"):
        library.save("../dig", text(), by="agent", why="")


def test_an_unknown_procedure_is_told_with_those_there_are(tmp_path):
    library = Library(tmp_path)
    with pytest.raises(ProcedureError, match="got 'dig'; there are: none at all"):
        library.load("dig")
    library.save("dig", text(), by="agent", why="")
    for name in ("cut", "../../etc/passwd", ""):
        with pytest.raises(ProcedureError, match="there are: dig"):
            library.load(name)


def test_files_that_are_no_procedures_are_left_out(tmp_path):
    folder = tmp_path / "mine" / "procedures"
    (folder / "folder.py").mkdir(parents=True)
    (folder / "deep").mkdir()
    for name in ("notes.md", "Big.py", "deep/dig.py", ".dig.py"):
        (folder / name).write_text(text())
    (folder / "link.py").symlink_to("/etc/passwd")
    library = Library(tmp_path)
    assert library.names() == []
    with pytest.raises(MfmError):
        library.load("link")
    with pytest.raises(ProcedureError):
        library.load("folder")


def test_a_file_that_is_no_text_is_a_flaw(tmp_path):
    folder = tmp_path / "mine" / "procedures"
    folder.mkdir(parents=True)
    (folder / "dig.py").write_bytes(b"\xff\xfe\x00")
    library = Library(tmp_path)
    assert "UTF-8" in library.flaws("dig")[0].text
    with pytest.raises(MfmError, match="UTF-8"):
        library.load("dig")


def test_evidence_that_the_memory_does_not_hold_is_a_flaw(tmp_path):
    library = Library(tmp_path)
    cited = ["ep_000001", "ep_000002", "life_1/ep_000003", "life_2/ep_000003"]
    library.save("dig", text(evidence=cited), by="agent", why="")
    assert library.flaws("dig") == ()  # A folder without episodes cannot say.
    (tmp_path / "index.jsonl").write_text("")
    (tmp_path / "episodes" / "ep_000001").mkdir(parents=True)
    (tmp_path / "previous" / "life_1" / "episodes" / "ep_000003").mkdir(parents=True)
    assert [flaw.text.rpartition("got ")[2] for flaw in library.flaws("dig")] == [
        "'ep_000002'.",
        "'life_2/ep_000003'.",
    ]


def test_procedures_switched_off_are_refused(tmp_path):
    save_options(tmp_path, MemoryOptions(procedures=False))
    with pytest.raises(MfmError, match="expected a memory with procedures"):
        Library(tmp_path)
    with pytest.raises(MfmError, match="expected a memory with procedures"):
        run_reflex(tmp_path, "same", 1)


def test_statistics_by_version_and_end(tmp_path):
    for run in (
        line(steps=3),
        line(steps=5),
        line(version="b" * 64, success=False, end="surprise", reason="x"),
        line(success=False, end="needs", steps=0),
        line(name="other"),
    ):
        append_run(tmp_path, run)
    told = Library(tmp_path).statistics("dig")
    assert (told.runs, told.successes, told.rate, told.steps) == (3, 2, 2 / 3, 4.0)
    assert told.by_version == {digest_of(text()): Tally(runs=2, successes=2), "b" * 64: Tally(runs=1)}
    assert told.ends == {"done": 2, "needs": 1, "surprise": 1}
    assert told.last is not None
    assert (told.last.number, told.last.end) == (4, "needs")


def test_statistics_of_all_are_those_of_each(tmp_path):
    for name in ("b", "a", "b"):
        append_run(tmp_path, line(name=name))
    library = Library(tmp_path)
    assert list(library.all_statistics()) == ["b", "a"]
    assert library.all_statistics()["b"] == library.statistics("b")


def test_nothing_run_is_no_rate_of_zero(tmp_path):
    told = Library(tmp_path).statistics("dig")
    assert (told.runs, told.rate, told.steps, told.last) == (0, None, None, None)
    assert statistics_of([]).by_version == {}


def test_a_run_comes_back_as_it_was_written(tmp_path):
    found = {"step": 2, "action": {"kind": "look"}, "expected": "a", "seen": "b\ud800", "line": 7}
    append_run(tmp_path, line(end="surprise", success=False, surprise=found, arguments={"log": ["x", None]}))
    (run,) = read_runs(tmp_path).runs
    assert run.surprise == Surprise(step=2, action={"kind": "look"}, expected="a", seen="b\ud800", line=7)
    assert run.arguments == {"log": ["x", None]}
    assert run.time == datetime.datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    "foreign",
    [
        b"{}\n",
        b"[]\n",
        b"\xff\xfe\n",
        json.dumps(line(steps="3")).encode() + b"\n",
        json.dumps(line(end="won")).encode() + b"\n",
        json.dumps(line(success=1)).encode() + b"\n",
        json.dumps(line(time="today")).encode() + b"\n",
        json.dumps(line(surprise={"step": 1})).encode() + b"\n",
        json.dumps(line(end=["done"])).encode() + b"\n",
        json.dumps(line()).encode()[:40],
    ],
)
def test_torn_and_foreign_lines_count_nowhere_and_stay(tmp_path, foreign: bytes):
    append_run(tmp_path, line())
    with (tmp_path / RUNS).open("ab") as log:
        log.write(foreign)
    append_run(tmp_path, line(end="failed", success=False))
    held = read_runs(tmp_path)
    assert [run.end for run in held.runs] == ["done", "failed"]
    assert held.unread == 1
    assert foreign in (tmp_path / RUNS).read_bytes()


def test_two_processes_lose_no_run(tmp_path):
    code = (
        "import sys, json; from pathlib import Path; from echo.mfm.procedural.runs import append_run\n"
        "for _ in range(40): append_run(Path(sys.argv[1]), json.loads(sys.argv[2]))\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), json.dumps(line(name=name))])
        for name in ("a", "b")
    ]
    assert [writer.wait() for writer in writers] == [0, 0]
    names = [run.name for run in read_runs(tmp_path).runs]
    assert (names.count("a"), names.count("b")) == (40, 40)


def reflex(root, body: str, name: str = "same") -> None:
    Mine(root).write(f"reflexes/{name}.py", f"def reflex(given):\n    {body}\n", by="agent", why="")


def test_a_reflex_answers_json_with_json(tmp_path):
    reflex(tmp_path, "print('hm'); return {'got': given}")
    told = run_reflex(tmp_path, "same", [1, {"a": None}])
    assert isinstance(told, Ran)
    assert (told.value, told.said) == ({"got": [1, {"a": None}]}, "hm\n")
    assert told.defences.network
    assert reflex_names(tmp_path) == ["same"]
    assert check_reflex(tmp_path, "same") == ()


@pytest.mark.parametrize(
    ("name", "given", "fault", "said"),
    [
        ("nope", 1, "missing", "got 'nope'; there are: flawed, raising, same, untext"),
        ("../same", 1, "missing", "got '../same'"),
        ("same", float("inf"), "value", "expected a JSON value"),
        ("same", {1: 2}, "value", "expected a JSON value"),
        ("flawed", 1, "flawed", "flawed.py: line 2: expected imports out of"),
        ("raising", 1, "error", "ZeroDivisionError: division by zero in line 2"),
        ("untext", 1, "flawed", "UTF-8"),
    ],
)
def test_whatever_goes_wrong_with_a_reflex_is_a_value(tmp_path, name, given, fault, said):
    reflex(tmp_path, "return given")
    reflex(tmp_path, "import os; return 1", "flawed")
    reflex(tmp_path, "return 1 / 0", "raising")
    (tmp_path / "mine" / "reflexes" / "untext.py").write_bytes(b"\xff")
    told = run_reflex(tmp_path, name, given)
    assert isinstance(told, Failed)
    assert told.fault == fault
    assert said in told.text
