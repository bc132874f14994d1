from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo.mfm.layout import MfmError
from echo.mfm.query import search
from echo.mfm.query.ask import ask
from echo.mfm.query.question import Question
from tests.mfm.query.sample_memory import write_memory

FILES = ("action.json", "outcome.json", "state/state.json")
WORDS = 'oak Oak_log OAK aaa a K % _ " \\ \\u00e9 é É ß ẞ İ i̇ Σ ς 漢 🌲 \ufffd'
pieces = st.sampled_from([*WORDS.split(), " ", "\n", "\x1d", "\x1e", "\0"])
texts = st.lists(pieces, max_size=5).map("".join)
numbers = st.none() | st.integers(-9, 9) | st.integers(-(10**30), 10**30) | st.floats(-9, 9) | st.just("4")
rows = st.fixed_dictionaries(
    {
        "first_step": numbers,
        "last_step": numbers,
        "x": numbers,
        "z": numbers,
        "tags": st.none() | st.lists(texts | st.integers(0, 3), max_size=3),
        "action_kind": st.none() | texts | st.integers(0, 3),
        "summary": texts,
    }
)
contents = texts.map(str.encode) | st.just(b"\xff\xc3oak") | st.none()
episodes = st.tuples(rows, contents, contents, contents, st.booleans())


def write(root: Path, number: int, episode: Any) -> None:
    row, action, outcome, state, escaped = episode
    name = f"ep_{number:06d}"
    folder = root / "episodes" / name
    (folder / "state").mkdir(parents=True)
    for file, content in zip(FILES, (action, outcome, state), strict=True):
        if content is not None:
            (folder / file).write_bytes(content)
    line = json.dumps({"id": name, "path": f"episodes/{name}", **row}, ensure_ascii=escaped)
    with (root / "index.jsonl").open("ab") as index:
        index.write(line.encode() + b"\n")


def is_number(value: Any) -> bool:
    return type(value) in (int, float)


def reaches(row: Any, one: int, other: int) -> bool:
    first, last = row["first_step"], row["last_step"]
    return is_number(first) and is_number(last) and not (first > max(one, other) or last < min(one, other))


def lies(row: Any, place: tuple[float, float], radius: float) -> bool:
    x, z = row["x"], row["z"]
    return is_number(x) and is_number(z) and math.hypot(x - place[0], z - place[1]) <= radius


def has(root: Path, row: Any, line: str, needle: str) -> bool:
    paths = [root / row["path"] / name for name in FILES]
    held = [line, *(path.read_bytes().decode("utf-8", "replace") for path in paths if path.is_file())]
    return any(needle.lower() in text.lower() for text in held)


def scan(root: Path, question: Question) -> Iterator[str]:
    """Yield the ids that meet the conditions, found in the plainest way."""
    for line in (root / "index.jsonl").read_bytes().decode("utf-8", "replace").split("\n")[:-1]:
        row = json.loads(line)
        if (
            (question.steps is None or reaches(row, *question.steps))
            and (question.near is None or lies(row, question.near, question.radius))
            and (question.tag is None or question.tag in (row["tags"] or []))
            and (question.action is None or question.action == row["action_kind"])
            and (question.grep is None or has(root, row, line, question.grep))
        ):
            yield row["id"]


def expected(root: Path, question: Question) -> list[str]:
    ids = list(scan(root, question))
    if question.last is not None:
        ids = ids[-question.last :] if question.last > 0 else []
    return ids if question.limit is None else ids[: max(0, question.limit)]


def ids(root: Path, question: Question) -> list[str]:
    return [row["id"] for row in ask(root, question).rows]


conditions = st.fixed_dictionaries(
    {},
    optional={
        "steps": st.tuples(st.integers(-9, 9) | st.just(10**25), st.integers(-9, 9)),
        "near": st.tuples(st.floats(-9, 9), st.floats(-9, 9)),
        "radius": st.floats(0, 20),
        "tag": texts,
        "action": texts,
        "grep": texts,
        "last": st.integers(-1, 5),
        "limit": st.integers(-1, 5),
    },
)


@pytest.fixture
def small_is_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SMALL_INDEX", 0)


@pytest.mark.usefixtures("small_is_cached")
@settings(max_examples=25, deadline=None)
@given(
    held=st.lists(episodes, max_size=8),
    times=st.integers(1, 5),
    first=conditions,
    others=st.lists(conditions, min_size=1, max_size=6),
)
def test_caches_answer_as_a_plain_scan_does_while_the_memory_grows(held, times, first, others):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "index.jsonl").touch()
        for number, episode in enumerate(held * times):
            if number == len(held):
                assert ids(root, Question(**first)) == expected(root, Question(**first))
            write(root, number, episode)
        for each in (first, *others):
            assert ids(root, Question(**each)) == expected(root, Question(**each))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_memory(tmp_path / "memory")
    return tmp_path / "memory"


def test_an_index_that_is_replaced_meanwhile_is_not_mixed_up_with_the_new_one(root: Path, monkeypatch):
    monkeypatch.setattr("echo.mfm.derived.intake.BATCH_BYTES", 2_000)
    index = root / "index.jsonl"
    before = ids(root, Question(grep="wolf", tag="inventory_changed"))
    for file in (root / "cache").glob("*.db"):
        file.unlink()

    def replace(done: int, of: int) -> None:
        lines = index.read_bytes().splitlines(keepends=True)
        (root / "new").write_bytes(b"".join(reversed(lines)))
        (root / "new").replace(index)

    answer = ask(root, Question(grep="wolf", tag="inventory_changed"), told=replace)
    assert [row["id"] for row in answer.rows] in (before, before[::-1])


def test_files_that_come_later_than_their_row_are_found(root: Path):
    assert ids(root, Question(grep="meteor")) == []
    path = root / "episodes" / "ep_000036" / "outcome.json"
    path.write_text('{"notes": ["a meteor fell"]}', encoding="utf-8")
    [found] = ask(root, Question(grep="METEOR")).found
    assert (found.row["id"], found.note) == ("ep_000036", "a meteor fell")
    assert ids(root, Question(text="meteors*")) == []
    assert ids(root, Question(text="fell meteor")) == ["ep_000036"]


def test_a_grown_index_is_caught_up_with(root: Path):
    assert ids(root, Question(grep="sheep", last=1)) == ["ep_000063"]
    write(root, 64, ({"summary": "", "tags": ["late"]}, b"{}", b'{"notes": ["SHEEP"]}', b"{}", True))
    assert ids(root, Question(grep="sheep", last=1)) == ["ep_000064"]
    assert ids(root, Question(tag="late")) == ["ep_000064"]


def test_deleted_and_damaged_caches_are_made_anew(root: Path):
    before = ids(root, Question(grep="wolf"))
    for file in (root / "cache").glob("*.db"):
        file.write_bytes(b"no database" * 1000)
    assert ids(root, Question(grep="wolf")) == before
    for file in (root / "cache").glob("*.db"):
        data = bytearray(file.read_bytes())
        data[4096:] = b"\xa5" * (len(data) - 4096)
        file.write_bytes(data)
    assert ids(root, Question(grep="wolf")) == before
    for file in (root / "cache").iterdir():
        file.unlink()
    assert ids(root, Question(grep="wolf")) == before


def test_a_torn_last_line_is_no_row_and_torn_lines_before_it_are_counted(root: Path):
    index = root / "index.jsonl"
    lines = index.read_bytes().splitlines(keepends=True)
    glued = lines[2].rstrip(b"\n") + lines[3]
    index.write_bytes(b"".join([*lines[:2], lines[1][:50] + glued, *lines[4:], b'{"id": "ep_000064", "sum']))
    answer = ask(root, Question(steps=(1, 40)))
    assert [row["id"] for row in answer.rows] == [f"ep_00000{number}" for number in (1, 2, 3, 4)]
    assert answer.torn == 1
    cached = ask(root, Question(steps=(1, 40), grep="oak"))
    assert [row["id"] for row in cached.rows] == ["ep_000001", "ep_000004"]
    assert cached.torn == 1
    assert ids(root, Question(last=1)) == ["ep_000063"]


def test_a_row_without_its_line_feed_counts_from_both_ends(root: Path):
    index = root / "index.jsonl"
    index.write_bytes(index.read_bytes().rstrip(b"\n"))
    assert ids(root, Question(last=1)) == ["ep_000063"]
    assert ids(root, Question(steps=(630, 630))) == ["ep_000063"]
    assert ids(root, Question(grep="ep_000063")) == ["ep_000063"]


def test_lines_longer_than_a_block_are_read_from_the_end(root: Path):
    long = {"id": "ep_000064", "summary": "x" * 200_000}
    with (root / "index.jsonl").open("ab") as index:
        index.write(json.dumps(long).encode() + b'\n\n{"id": "ep_000065"}\n')
    assert ids(root, Question(last=3)) == ["ep_000063", "ep_000064", "ep_000065"]


def test_a_path_out_of_the_memory_is_not_read(root: Path):
    (root.parent / "secret").mkdir()
    (root.parent / "secret" / "outcome.json").write_text('{"notes": ["treasure"]}', encoding="utf-8")
    with (root / "index.jsonl").open("ab") as index:
        for path in ("../secret", str(root.parent / "secret"), "episodes/../../secret", 7, ""):
            index.write(json.dumps({"id": "ep_000099", "path": path}).encode() + b"\n")
    answer = ask(root, Question(grep="ep_000099"))
    assert [found.note for found in answer.found] == [None] * 5
    assert ids(root, Question(grep="treasure")) == []
    assert ids(root, Question(text="treasure")) == []


def test_a_pipe_in_the_place_of_a_file_does_not_hold_a_query_up(root: Path):
    (root / "episodes" / "ep_000005" / "outcome.json").unlink()
    os.mkfifo(root / "episodes" / "ep_000005" / "outcome.json")
    assert ids(root, Question(grep="ep_000005")) == ["ep_000005"]


def test_a_folder_in_the_place_of_a_file_is_no_file(root: Path):
    (root / "episodes" / "ep_000005" / "outcome.json").unlink()
    (root / "episodes" / "ep_000005" / "outcome.json").mkdir()
    answer = ask(root, Question(grep="ep_000005"))
    assert [row["id"] for row in answer.rows] == ["ep_000005"]


def test_rows_are_given_out_with_their_note_as_last_key(root: Path):
    [row] = ask(root, Question(grep="ep_000003")).rows
    assert list(row)[-1] == "note"
    assert row["note"] == "The wolf is grey."


def test_a_condition_of_the_caller_comes_first(root: Path):
    even = ask(root, Question(tag="damage", last=2), chosen=lambda row: int(row["id"][3:]) % 2 == 0)
    assert [row["id"] for row in even.rows] == ["ep_000048", "ep_000056"]


def test_a_flat_memory_is_not_searched(root: Path):
    (root / "options.json").write_text('{"index": false}', encoding="utf-8")
    with pytest.raises(
        MfmError, match=r"expected a memory with index, got .* in which index is switched off"
    ):
        ask(root, Question(last=1))


def test_a_folder_without_an_index_is_refused(tmp_path: Path):
    with pytest.raises(MfmError, match=r"expected the index of a memory at .*index.jsonl, got no file"):
        ask(tmp_path, Question())


def test_a_question_has_no_other_conditions():
    with pytest.raises(TypeError, match=r"expected conditions among steps, near, .* got 'colour'"):
        Question(colour="red")


def test_too_many_words_are_refused(root: Path):
    with pytest.raises(ValueError, match=r"expected at most 2000 characters and 64 words .* got 129 and 65"):
        ask(root, Question(text="a " * 64 + "b"))


def memory_of(root: Path, count: int, texts: dict[int, str] | None = None) -> Path:
    """Write `count` episodes whose outcomes hold what `texts` says, by number from 1."""
    row = {"first_step": 1, "last_step": 2, "x": 0.5, "z": 0.5, "tags": ["even"], "action_kind": "dig"}
    for number in range(1, count + 1):
        tags = ["even"] if number % 2 == 0 else ["odd"]
        held = (texts or {}).get(number, "{}").encode()
        write(root, number, ({**row, "tags": tags, "summary": ""}, b"{}", held, b"{}", True))
    return root


@pytest.mark.usefixtures("small_is_cached")
@pytest.mark.parametrize("needle", ["\x1e", "\x1d", "\0", "}\x1e{", "\x1d{"])
def test_what_separates_texts_in_the_cache_is_found_only_where_a_file_holds_it(tmp_path: Path, needle: str):
    root = memory_of(tmp_path, 40, {7: f"a{needle}b"})
    assert ids(root, Question(grep=needle)) == ["ep_000007"]
    assert ids(root, Question(grep=needle, tag="even")) == []


@pytest.mark.usefixtures("small_is_cached")
@pytest.mark.parametrize("needle", ["q", "Q", "qz", "z\U0010ffff", "\U0010ffff", "q}", "!", "\ud83d"])
def test_one_or_two_characters_are_found_wherever_they_stand(tmp_path: Path, needle: str):
    texts = {3: "qz", 16: "xq", 17: "z\U0010ffff\U0010ffff", 32: '{"!": "q"}', 33: "loose q}"}
    root = memory_of(tmp_path, 40, texts)
    (root / "episodes" / "ep_000016" / "state" / "state.json").write_bytes(b"!")
    assert ids(root, Question(grep=needle)) == list(scan(root, Question(grep=needle)))


@pytest.mark.usefixtures("small_is_cached")
def test_short_text_that_most_trigrams_begin_with_is_looked_for_everywhere(tmp_path: Path):
    signs = "".join(f"q{chr(0x4E00 + number)}" for number in range(200))
    root = memory_of(tmp_path, 40, {5: signs, 39: "q"})
    assert ids(root, Question(grep="q")) == ["ep_000005", "ep_000039"]


@pytest.mark.usefixtures("small_is_cached")
@pytest.mark.parametrize("conditions", [{}, {"last": 3}, {"limit": 3}, {"tag": "even"}])
def test_words_are_found_in_order_among_episodes_whose_files_are_not_all_there(
    tmp_path: Path, conditions: Any
):
    root = memory_of(tmp_path, 24, dict.fromkeys((2, 5, 9, 14, 20, 23), '"oak"'))
    for number in (1, 9, 20, 24):
        (root / "episodes" / f"ep_{number:06d}" / "action.json").unlink()
    expected = [f"ep_{number:06d}" for number in (2, 5, 9, 14, 20, 23)]
    if "last" in conditions:
        expected = expected[-3:]
    elif "limit" in conditions:
        expected = expected[:3]
    elif "tag" in conditions:
        expected = ["ep_000002", "ep_000014", "ep_000020"]
    ask(root, Question(text="nothing so far"))
    assert ids(root, Question(text="oa*", **conditions)) == expected


def test_a_question_that_the_newest_rows_answer_makes_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = memory_of(tmp_path, 60)
    monkeypatch.setattr(search, "SMALL_INDEX", 2_000)
    assert ids(root, Question(tag="even", last=2)) == ["ep_000058", "ep_000060"]
    assert ids(root, Question(grep="EP_00005", limit=1, last=4)) == ["ep_000056"]
    assert not (root / "cache").exists()
    assert ids(root, Question(tag="even", last=25))[0] == "ep_000012"
    assert (root / "cache" / "query_rows.db").exists()
