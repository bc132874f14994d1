from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from echo.cli.query_command import main
from echo.mfm.query import search
from tests.mfm.query.golden_cases import TOPICS, command_lines, held, run_program, shown
from tests.mfm.query.sample_memory import NOTE_219, NOTE_220, NOTE_221, write_memory

PICTURES = ("pictures",)
"""Topics that load what pictures need."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("golden") / "memory"
    write_memory(root)
    return root


def run(line: str, capfdbinary: pytest.CaptureFixture[bytes]) -> str:
    try:
        code = main(shlex.split(line))
    except SystemExit as left:
        code = left.code
    told = capfdbinary.readouterr()
    return shown(line, code, told.out, told.err)


@pytest.mark.parametrize("topic", TOPICS)
def test_a_run_prints_what_its_golden_file_holds(topic: str, root: Path, capfdbinary, monkeypatch):
    monkeypatch.chdir(root)
    assert "\n".join(run(line, capfdbinary) for line in command_lines(topic)) == held(topic)


@pytest.mark.parametrize("topic", [topic for topic in TOPICS if topic not in PICTURES])
def test_the_same_is_printed_with_all_caches_and_with_none(
    topic: str, tmp_path: Path, capfdbinary, monkeypatch
):
    root = tmp_path / "memory"
    write_memory(root)
    monkeypatch.chdir(root)
    monkeypatch.setattr(search, "SMALL_INDEX", 0)
    assert "\n".join(run(line, capfdbinary) for line in command_lines(topic)) == held(topic)
    for folder in (root, root / "previous", root / "previous" / "life_1", root / "previous" / "life_2"):
        cache = folder / "cache"
        if cache.exists():
            for file in cache.iterdir():
                file.unlink()
            cache.rmdir()
        cache.write_bytes(b"in the way")
    assert "\n".join(run(line, capfdbinary) for line in command_lines(topic)) == held(topic)


@pytest.mark.parametrize(
    ("topic", "place"),
    [("last", 0), ("notes", 12), ("grep", 0), ("wrong", 1), ("lines", 15), ("pictures", 9)],
)
def test_the_real_program_does_the_same(topic: str, place: int, root: Path):
    expected = held(topic).split("\n\n")[place]
    assert run_program(root, command_lines(topic)[place]).rstrip("\n") == expected.rstrip("\n")


def test_the_notes_of_the_sample_are_as_long_as_their_names_say():
    assert [len(" ".join(note.split())) for note in (NOTE_219, NOTE_220, NOTE_221)] == [219, 220, 221]


def test_the_sample_holds_at_least_60_episodes_and_two_earlier_lives(root: Path):
    assert len((root / "index.jsonl").read_bytes().splitlines()) == 64
    assert sorted(path.name for path in (root / "previous").glob("life_*")) == ["life_1", "life_2"]


def test_every_published_option_is_in_a_golden_case():
    from echo.cli.query_arguments import OURS, PUBLISHED

    words = {
        word.partition("=")[0]
        for topic in TOPICS
        for line in command_lines(topic)
        for word in shlex.split(line)
    }
    assert set(PUBLISHED) | set(OURS) <= words | {"--help"}


def test_earlier_lives_without_a_joined_index_are_read_from_their_own(
    tmp_path: Path, capfdbinary, monkeypatch
):
    root = tmp_path / "memory"
    write_memory(root)
    monkeypatch.chdir(root)
    (root / "previous" / "index.jsonl").unlink()
    assert "\n".join(run(line, capfdbinary) for line in command_lines("previous")) == held("previous")
