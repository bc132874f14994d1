from __future__ import annotations

import json
import shlex
import subprocess
import sys
import textwrap
from inspect import signature
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from echo.cli.query_arguments import OURS, PUBLISHED, Asked, _read, _read_plainly, read_arguments
from echo.cli.query_command import main
from echo.cli.query_entry import query
from tests.mfm.query.sample_memory import png, row, write_memory

PROGRAM = Path(sys.executable).parent / "echo-memory"
HEAVY = ("numpy", "pydantic", "typer", "rich", "torch", "argparse", "pathlib", "dataclasses", "typing", "PIL")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_memory(tmp_path / "memory")
    monkeypatch.chdir(tmp_path / "memory")
    return tmp_path / "memory"


def found(line: str, capfd: pytest.CaptureFixture[str]) -> list[str]:
    assert main(shlex.split(line)) == 0
    return [row.split("  ")[0] for row in capfd.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    "words",
    ["--last 1", "--grep 'plan 33'", "--text door", "--near 3.5 -6 --last 1", "--steps 1 40", "--tag damage"],
)
def test_nothing_that_takes_long_is_loaded(root: Path, words: str):
    main(shlex.split(words))
    with (root / "index.jsonl").open("ab") as index:
        index.write(json.dumps(row(64)).encode() + b"\n")
    program = textwrap.dedent(
        f"""
        import sys
        sys.modules.pop("typing", None)
        before = set(sys.modules)
        sys.argv = ["echo-memory", "query", *{shlex.split(words)!r}]
        from echo.cli.main import main
        try:
            main()
        finally:
            loaded = set(sys.modules) - before
            sys.stderr.write(" ".join(sorted(loaded & set({HEAVY!r}))))
        """
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True,
        check=False,
        env={"PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"ep_")


def test_the_most_similar_pictures_come_best_first(root: Path, capfd):
    assert found("--similar view.png --limit 2", capfd) == ["ep_000005", "ep_000006"]
    assert found("--similar view.png --limit 2 --steps 51 70", capfd) == ["ep_000006", "ep_000007"][:1]
    assert found("--similar view.png --limit 0", capfd) == []


def test_texts_of_like_meaning_come_best_first(root: Path, capfd):
    assert found("--similar 'the wolf is grey' --limit 1", capfd) == ["ep_000003"]
    assert len(found("--similar 'a grey wolf'", capfd)) == 10
    assert set(found("--similar 'a grey wolf' --last 3", capfd)) == {"ep_000061", "ep_000062", "ep_000063"}


def test_the_same_screen_is_found_in_a_new_picture(root: Path, capfd):
    (root / "now.png").write_bytes(png(210, 35, 28, side=32))
    assert found("--same-screen now.png", capfd) == ["ep_000005", "ep_000006"]


def test_a_sheet_and_a_pair_of_pictures_are_written(root: Path, capfd):
    from PIL import Image

    found("--steps 41 60 --sheet sheet.png", capfd)
    found("--then-now ep_000005 --now view.png", capfd)
    for name in ("sheet.png", "then_now.png"):
        with Image.open(root / name) as picture:
            assert picture.size > (100, 100)


def test_lines_go_out_as_utf_8_whatever_the_terminal_says(root: Path):
    done = subprocess.run(
        [Path(sys.executable).parent / "echo-memory", "query", "--grep", "ep_000026"],
        capture_output=True,
        check=True,
        env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
    )
    assert "Grün, 漢字 und 🌲: größer  note: Höhle im Süden" in done.stdout.decode("utf-8")


def test_whoever_reads_only_the_first_line_gets_it_without_a_complaint(root: Path):
    with (root / "index.jsonl").open("ab") as index:
        for number in range(64, 4000):
            index.write(json.dumps(row(number)).encode() + b"\n")
    program = Path(sys.executable).parent / "echo-memory"
    done = subprocess.run(
        f"{shlex.quote(str(program))} query | head -1", shell=True, capture_output=True, check=True, text=True
    )
    assert done.stdout.startswith("ep_000000  ")
    assert done.stderr == "could not read ./episodes/ep_000038/outcome.json and 1 more\n"


def test_a_flat_memory_is_refused_with_the_reason(root: Path, capfd):
    (root / "options.json").write_text('{"index": false}', encoding="utf-8")
    assert main(["--last", "1"]) == 1
    told = capfd.readouterr()
    assert told.out == ""
    assert told.err.startswith("error: expected a memory with index, got ., in which index is switched off.")


def test_torn_lines_are_told(root: Path, capfd):
    index = root / "index.jsonl"
    index.write_bytes(index.read_bytes() + b"half a line\n" + json.dumps(row(64)).encode() + b"\n")
    assert main(["--steps", "640", "640"]) == 0
    told = capfd.readouterr()
    assert told.out.startswith("ep_000064")
    assert told.err == (
        "passed over 1 stretch of the index that hold no row; `echo-memory doctor` tells where\n"
    )


def test_help_shows_every_option_and_an_example(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    told = capsys.readouterr().out
    for name in (*PUBLISHED, *OURS):
        assert name in told
    assert "Example: echo-memory query --near 12 -40 --tag damage --last 5" in " ".join(told.split())


def test_the_command_among_the_others_takes_the_same_options(root: Path, capfd):
    app = typer.Typer()
    app.command()(query)
    words = ["--near", "3.5", "-6", "--radius", "9", "--steps", "21", "50", "--limit", "1", "--json"]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert main(words) == 0
    names = {option.replace("-", "_") for option in ("json", *signature(query).parameters)} - {"as_json"}
    assert names == {name[2:].replace("-", "_") for name in (*PUBLISHED[1:], *OURS)}
    assert names == set(Asked.__annotations__)


values = st.sampled_from(
    [
        "3",
        "-3",
        "0.5",
        "-.5",
        "-5.",
        "+2",
        " 4 ",
        "x",
        "",
        "-x",
        "--json",
        "a b",
        "-a b",
        "--la",
        "1e3",
        "nan",
        "1_0",
        "٣",
    ]
)
names = st.sampled_from([*PUBLISHED[1:], *OURS])
words = st.lists(
    names | values | st.tuples(names, values).map("=".join) | st.tuples(names, values, values), max_size=4
).map(lambda parts: [word for part in parts for word in ([part] if isinstance(part, str) else part)])


@given(words)
def test_plain_arguments_are_read_as_argparse_reads_them(words: list[str]):
    plainly = _read_plainly(words)
    if plainly is not None:
        fully = _read(words)
        assert repr(vars(plainly)) == repr(vars(fully)) or {
            name: repr(getattr(plainly, name)) for name in Asked.__annotations__
        } == {name: repr(getattr(fully, name)) for name in Asked.__annotations__}


@pytest.mark.parametrize("published", PUBLISHED)
def test_a_beginning_that_was_unique_keeps_its_meaning(published: str, capfd):
    for length in range(3, len(published)):
        beginning = published[:length]
        if [one for one in PUBLISHED if one.startswith(beginning)] == [published]:
            given = [beginning, *{"--steps": ["1", "2"], "--near": ["1", "2"]}.get(published, ["1"])]
            if published in ("--previous", "--json"):
                given = given[:1]
            if published == "--help":
                continue
            assert getattr(read_arguments(given), published[2:].replace("-", "_"))


def test_a_note_goes_into_a_line_whose_row_has_none_whatever_lies_deeper_in_it(root: Path):
    held = {"id": "ep_000001", "path": "episodes/ep_000001", "extra": {"note": "deeper"}}
    (root / "index.jsonl").write_text(json.dumps(held) + "\n")
    (root / "episodes" / "ep_000001" / "outcome.json").write_text('{"notes": ["dark"]}')
    done = subprocess.run([PROGRAM, "query", "--json"], cwd=root, capture_output=True, check=True, text=True)
    assert done.stdout == json.dumps({**held, "note": "dark"}) + "\n"


@pytest.mark.parametrize(
    ("closing", "lines"),
    [(">&-", 0), ("2>&-", 2), (">&- 2>&- <&-", 0), ("2>/dev/full", 2), ("| head -1", 1)],
)
def test_streams_that_are_closed_are_quiet(root: Path, closing: str, lines: int):
    words = f"set -o pipefail; {shlex.quote(str(PROGRAM))} query --last 2 --q why {closing}"
    done = subprocess.run(["bash", "-c", words], cwd=root, capture_output=True, check=False, text=True)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, lines)
    assert done.stderr in ("", "Q: why\n")


def test_every_command_takes_closed_streams(root: Path):
    words = f"{shlex.quote(str(PROGRAM))} places >&- 2>&- <&-"
    assert subprocess.run(["bash", "-c", words], cwd=root, check=False).returncode == 0


def test_a_full_disk_is_an_error(root: Path):
    words = f"{shlex.quote(str(PROGRAM))} query --last 2 > /dev/full"
    done = subprocess.run(["bash", "-c", words], cwd=root, capture_output=True, check=False, text=True)
    assert (done.returncode, done.stderr) == (1, "error: [Errno 28] No space left on device\n")
