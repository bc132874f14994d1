"""Files of mine/: whole, with history, undone and redone; nothing of anybody is lost."""

import fcntl
import json
import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo.mfm.layout import MfmError
from echo.mfm.mine.change import digest_of
from echo.mfm.mine.tree import FILE_BYTES, MineDisk
from echo.mfm.mine.writable import Mine


def write(mine, path, text, by="agent"):
    return mine.write(path, text, by=by, why="t")


def in_thread(work):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def told(mine):
    return [(change.number, change.by, sorted(change.files)) for change in mine.history()]


def test_a_memory_without_mine_is_read_as_empty_and_stays_as_it_is(tmp_path):
    mine = Mine(tmp_path)
    assert mine.paths() == []
    assert mine.history() == []
    assert not mine.exists("notes.md")
    assert mine.kind("") is None
    with pytest.raises(MfmError, match=r"expected a file at mine/notes\.md of .*, got none"):
        mine.read("notes.md")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_where_there_is_no_memory_folder(tmp_path):
    with pytest.raises(MfmError, match="expected a memory folder"):
        write(Mine(tmp_path / "none"), "notes.md", "x")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_made_replaced_moved_and_deleted_with_every_text_kept(tmp_path):
    mine = Mine(tmp_path)
    assert write(mine, "skills/a/SKILL.md", "one").files == {"skills/a/SKILL.md": (None, digest_of(b"one"))}
    write(mine, "skills/a/SKILL.md", "two")
    mine.rename("skills/a/SKILL.md", "notes.md", by="agent", why="t")
    assert (tmp_path / "mine/notes.md").read_bytes() == b"two"
    assert not (tmp_path / "mine/skills").exists()
    mine.delete("notes.md", by="agent", why="t")
    assert mine.paths() == []
    assert [mine.text_at(both[1]) for change in mine.history()[:2] for both in change.files.values()] == [
        "one",
        "two",
    ]
    assert [change.number for change in mine.history("notes.md")] == [3, 4]
    assert [change.number for change in mine.history("skills")] == [1, 2, 3]


def test_the_log_holds_one_line_a_change(tmp_path):
    moment = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
    Mine(tmp_path, clock=lambda: moment).write("notes.md", "é", by="person", why="why\n")
    line = (tmp_path / "history/changes.jsonl").read_bytes()
    assert line == (
        b'{"by": "person", "files": {"notes.md": [null, "%s"]}, "number": 1, '
        b'"time": "2026-05-04T03:02:01.000Z", "why": "why\\n"}\n' % digest_of("é".encode()).encode()
    )
    (change,) = Mine(tmp_path).history()
    assert change.time == moment
    assert change.why == "why\n"


def test_a_clock_set_back_does_not_turn_the_order_round(tmp_path):
    start = datetime(2026, 5, 4, tzinfo=UTC)
    times = iter([start, start - timedelta(days=1)])
    mine = Mine(tmp_path, clock=lambda: next(times))
    write(mine, "a", "1")
    write(mine, "b", "2")
    assert [change.time for change in mine.history()] == [start, start]


def test_the_same_text_again_is_no_change(tmp_path):
    mine = Mine(tmp_path)
    write(mine, "a", "x")
    assert write(mine, "a", "x") is None
    assert told(mine) == [(1, "agent", ["a"])]


@pytest.mark.parametrize("text", ["", "a\r\nb\r\n", "\ufeffa", "a\rb", "\u2028", "a\n\n\n", "x" * FILE_BYTES])
def test_text_comes_back_to_the_letter(tmp_path, text):
    mine = Mine(tmp_path)
    write(mine, "a.md", text)
    assert mine.read("a.md") == text
    assert (tmp_path / "mine/a.md").read_bytes() == text.encode()


@settings(max_examples=40, deadline=None)
@given(text=st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=40))
def test_any_text_comes_back(tmp_path_factory, text):
    mine = Mine(tmp_path_factory.mktemp("memory"))
    write(mine, "a", text)
    assert mine.read("a") == text


def test_two_halves_of_one_character_become_it_and_a_lone_half_is_refused(tmp_path):
    mine = Mine(tmp_path)
    write(mine, "a", "drink \ud83c\udf78")
    assert mine.read("a") == "drink 🍸"
    with pytest.raises(MfmError, match=r"half of one \(a lone surrogate\) in line 2"):
        write(mine, "a", "one\ntwo \ud83c")
    assert mine.read("a") == "drink 🍸"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\nb\0", "got a NUL in line 2"),
        ("x" * (FILE_BYTES + 1), "expected at most 1,048,576 bytes"),
        (b"x", "expected text for mine/a, got bytes"),
    ],
)
def test_what_is_no_text_or_too_much_is_refused(tmp_path, text, message):
    with pytest.raises(MfmError, match=message):
        write(Mine(tmp_path), "a", text)
    assert Mine(tmp_path).paths() == []


def test_a_file_that_is_no_utf8_says_where_and_its_bytes_are_kept_when_it_is_replaced(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/a").write_bytes(b"ok\n\xe9t\xe9")
    mine = Mine(tmp_path)
    with pytest.raises(MfmError, match="got the byte 0xe9 in line 2"):
        mine.read("a")
    write(mine, "a", "été")
    assert told(mine) == [(1, "person", ["a"]), (2, "agent", ["a"])]
    assert (tmp_path / "history/texts" / digest_of(b"ok\n\xe9t\xe9")).read_bytes() == b"ok\n\xe9t\xe9"
    mine.undo(2, by="person")
    assert (tmp_path / "mine/a").read_bytes() == b"ok\n\xe9t\xe9"


def test_all_of_mine_together_has_a_limit_and_what_shrinks_it_is_always_taken(tmp_path, monkeypatch):
    monkeypatch.setattr("echo.mfm.mine.commit.TOTAL_BYTES", 10)
    mine = Mine(tmp_path)
    write(mine, "a", "x" * 8)
    with pytest.raises(
        MfmError, match="expected at most 10 bytes in 10,000 files of mine/, this would make 11"
    ):
        write(mine, "b", "xxx")
    (tmp_path / "mine/c").write_text("x" * 90)
    write(mine, "c", "x" * 80)
    assert mine.paths() == ["a", "c"]


def test_an_edit_by_hand_is_logged_as_a_persons_when_the_file_is_next_written(tmp_path):
    mine = Mine(tmp_path)
    write(mine, "a", "one")
    (tmp_path / "mine/a").write_text("by hand")
    write(mine, "a", "two")
    first, hand, second = mine.history()
    assert (hand.by, hand.why) == ("person", "changed by other means")
    assert hand.files == {"a": (first.files["a"][1], second.files["a"][0])}
    assert mine.text_at(hand.files["a"][1]) == "by hand"
    mine.undo(3, by="agent")
    assert mine.read("a") == "by hand"


def test_a_file_removed_by_hand_and_one_put_there_by_hand_are_logged_too(tmp_path):
    mine = Mine(tmp_path)
    write(mine, "a", "one")
    (tmp_path / "mine/a").unlink()
    (tmp_path / "mine/b").write_text("two")
    assert mine.notice().files == {"a": (digest_of(b"one"), None), "b": (None, digest_of(b"two"))}
    assert mine.notice() is None
    mine.undo(2, by="person")
    assert mine.paths() == ["a"]


def test_a_batch_is_one_change_read_within_and_unseen_outside_until_it_is_over(tmp_path):
    mine, other = Mine(tmp_path), Mine(tmp_path)
    write(mine, "old", "x")
    with mine.batch(by="consolidation", why="many") as batch:
        mine.write("a/b", "1")
        mine.write("a/c", "2")
        mine.delete("old")
        mine.rename("a", "d")
        assert (mine.paths(), mine.read("d/b")) == (["d/b", "d/c"], "1")
        assert (mine.kind("d"), mine.kind("a"), mine.kind("old")) == ("folder", None, None)
        assert in_thread(lambda: (other.paths(), other.history())) == (["old"], mine.history())
    assert told(other) == [(1, "agent", ["old"]), (2, "consolidation", ["d/b", "d/c", "old"])]
    assert batch.change == other.history()[-1]
    assert other.paths() == ["d/b", "d/c"]


def test_an_exception_in_a_batch_leaves_everything_as_it_was(tmp_path):
    mine = Mine(tmp_path)
    write(mine, "a", "x")

    def broken():
        with mine.batch(by="agent", why="t"):
            mine.write("a", "y")
            mine.write("b", "y")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        broken()
    assert (mine.paths(), mine.read("a"), len(mine.history())) == (["a"], "x", 1)


def test_a_batch_in_a_batch_belongs_to_the_outer_one(tmp_path):
    mine = Mine(tmp_path)
    with mine.batch(by="agent", why="outer"):
        with mine.batch(by="person", why="inner"):
            mine.write("a", "1")
        mine.write("b", "2", by="person", why="also")
    assert [(change.by, change.why, sorted(change.files)) for change in mine.history()] == [
        ("agent", "outer", ["a", "b"])
    ]


def test_another_mine_of_the_folder_writes_into_the_batch_of_its_thread(tmp_path):
    (tmp_path / "memory").mkdir()
    (tmp_path / "link").symlink_to("memory")
    mine, other = Mine(tmp_path / "memory"), Mine(tmp_path / "link")
    with mine.batch(by="agent", why="outer"):
        mine.write("a", "1")
        assert other.read("a") == "1"
        other.write("b", "2", by="person", why="inner")
        with pytest.raises(MfmError, match="expected no batch under way"):
            other.notice()
    assert told(other) == [(1, "agent", ["a", "b"])]


@pytest.mark.parametrize(("by", "why"), [(None, "t"), ("robot", "t"), ("agent", None)])
def test_every_change_says_by_whom_and_why(tmp_path, by, why):
    with pytest.raises(MfmError, match="expected who changes mine/"):
        Mine(tmp_path).write("a", "x", by=by, why=why)


def test_a_change_of_several_files_is_undone_and_that_undone_again(tmp_path):
    mine = Mine(tmp_path)
    with mine.batch(by="agent", why="both"):
        mine.write("a", "1")
        mine.write("b/c", "2")
    write(mine, "a", "3")
    mine.undo(2, by="person")
    mine.undo(1, by="person")
    assert mine.paths() == []
    mine.undo(4, by="person")
    assert (mine.read("a"), mine.read("b/c")) == ("1", "2")
    assert mine.history()[-1].why == "undo of change 4"


def test_undoing_is_refused_where_a_file_was_changed_since_even_by_hand(tmp_path):
    mine = Mine(tmp_path)
    write(mine, "a", "1")
    (tmp_path / "mine/a").write_text("by hand")
    with pytest.raises(MfmError, match="expected mine/a as change 1 left it"):
        mine.undo(1, by="agent")
    with pytest.raises(MfmError, match="expected the number of a change"):
        mine.undo(7, by="agent")
    assert mine.read("a") == "by hand"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("a", "b", "expected a free place at mine/b"),
        ("a", "c", "expected a free place at mine/c"),
        ("c", "c/d/e", "the new one not in the old one"),
        ("none", "x", "expected a file at mine/none"),
        ("a", "b/x", "link or no folder"),
        ("", "x", "expected two places"),
    ],
)
def test_renaming_never_overwrites(tmp_path, old, new, message):
    mine = Mine(tmp_path)
    for path in ("a", "b", "c/d"):
        write(mine, path, path)
    with pytest.raises(MfmError, match=message):
        mine.rename(old, new, by="agent", why="t")
    assert [mine.read(path) for path in mine.paths()] == ["a", "b", "c/d"]


def test_a_folder_is_moved_and_deleted_with_all_in_it_but_not_with_what_is_no_file_of_the_memory(tmp_path):
    mine = Mine(tmp_path)
    write(mine, "p/a.py", "1")
    write(mine, "p/q/b.py", "2")
    mine.rename("p", "r/s", by="agent", why="t")
    assert mine.paths() == ["r/s/a.py", "r/s/q/b.py"]
    (tmp_path / "mine/r/.keep").write_text("")
    with pytest.raises(MfmError, match=r"got r/\.keep"):
        mine.delete("r", by="agent", why="t")
    (tmp_path / "mine/r/.keep").unlink()
    (tmp_path / "mine/r/empty").mkdir()
    mine.delete("r", by="agent", why="t")
    assert (mine.paths(), mine.folders()) == ([], [])
    with pytest.raises(MfmError, match="got mine/ itself"):
        mine.delete("", by="agent", why="t")


@pytest.mark.parametrize("path", ["", "folder"])
def test_a_folder_is_not_written_over(tmp_path, path):
    mine = Mine(tmp_path)
    write(mine, "folder/a", "1")
    with pytest.raises(MfmError, match="which is a folder"):
        write(mine, path, "x")
    with pytest.raises(MfmError, match="link or no folder"):
        write(mine, "folder/a/b", "x")


class Full(MineDisk):
    """Has no room for the second file of a change."""

    left = 1

    def write_at(self, folder, name, data):
        if self.left == 0:
            raise OSError(28, "No space left on device")
        self.left -= 1
        super().write_at(folder, name, data)


def test_a_change_that_the_disk_refuses_half_way_leaves_mine_and_the_log_as_before(tmp_path):
    mine = Mine(tmp_path, disk=Full())

    def both():
        with mine.batch(by="agent", why="t"):
            mine.write("a", "1")
            mine.write("b", "2")

    with pytest.raises(OSError, match="No space left"):
        both()
    assert (mine.paths(), mine.history()) == ([], [])
    assert [path.name for path in (tmp_path / "mine").iterdir()] == []
    write(Mine(tmp_path), "b", "2")
    assert told(mine) == [(1, "agent", ["b"])]


def test_a_damaged_log_is_mended_by_the_next_change_and_what_is_taken_out_is_kept(tmp_path):
    write(Mine(tmp_path), "a", "1")
    write(Mine(tmp_path), "a", "2")
    log = tmp_path / "history/changes.jsonl"
    first, second = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(first + b"\xff not a change\n\n" + b'{"by": "ag' + second + b'{"torn')
    reader = Mine(tmp_path, read_only=True)
    assert told(reader) == [(1, "agent", ["a"]), (2, "agent", ["a"])]
    assert reader.damaged_lines() == 3
    assert not (tmp_path / "mended").exists()
    write(Mine(tmp_path), "a", "3")
    assert reader.damaged_lines() == 0
    assert log.read_bytes().startswith(first + second)
    assert told(Mine(tmp_path)) == [(1, "agent", ["a"]), (2, "agent", ["a"]), (3, "agent", ["a"])]
    (aside,) = (tmp_path / "mended").iterdir()
    assert aside.read_bytes() == b'\xff not a change\n{"by": "ag\n{"torn\n'


def test_a_change_whose_line_is_lost_is_a_persons_and_its_number_is_given_again(tmp_path):
    for text in ("1", "2", "1"):
        write(Mine(tmp_path), "a", text)
    log = tmp_path / "history/changes.jsonl"
    first, second, _ = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(first + second + b"damaged\n")
    mine = Mine(tmp_path)
    assert mine.read("a") == "1"
    write(mine, "a", "4")
    assert [change.by for change in mine.history()] == ["agent", "agent", "person", "agent"]
    assert (tmp_path / "history/applied").read_bytes() == b"4\n"


def test_a_writer_that_another_one_keeps_waiting_gives_up_with_a_reason(tmp_path, monkeypatch):
    write(Mine(tmp_path), "a", "1")
    monkeypatch.setattr("echo.mfm.mine.history.LOCK_SECONDS", 0.02)
    with (tmp_path / "history/.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(MfmError, match=r"to be free within 0\.02 seconds"):
            write(Mine(tmp_path), "a", "2")
        assert Mine(tmp_path).read("a") == "1"
    write(Mine(tmp_path), "a", "2")


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"{}",
        b'{"by": "agent", "files": {"a": [null]}, "number": 1, "time": "2026-01-01T00:00:00Z", "why": ""}',
        b'{"by": "agent", "files": {"a": [null, 1]}, "number": 1, "time": "2026-01-01T00:00:00Z", "why": ""}',
        b'{"by": "agent", "files": {}, "number": true, "time": "2026-01-01T00:00:00Z", "why": ""}',
        b'{"by": "agent", "files": {}, "number": 1, "time": "2026-01-01T00:00:00", "why": ""}',
        b'{"by": "robot", "files": {}, "number": 1, "time": "2026-01-01T00:00:00Z", "why": ""}',
        b"[" * 100_000,
    ],
)
def test_a_line_of_another_shape_is_no_change(tmp_path, line):
    (tmp_path / "history").mkdir()
    (tmp_path / "history/changes.jsonl").write_bytes(line + b"\n")
    assert (Mine(tmp_path).history(), Mine(tmp_path).damaged_lines()) == ([], 1)


def test_a_text_that_is_gone_or_damaged_says_so(tmp_path):
    mine = Mine(tmp_path)
    digest = write(mine, "a", "one").files["a"][1]
    (tmp_path / "history/texts" / digest).write_bytes(b"uno")
    with pytest.raises(MfmError, match="the file is damaged"):
        mine.text_at(digest)
    (tmp_path / "history/texts" / digest).unlink()
    with pytest.raises(MfmError, match="got no file"):
        mine.text_at(digest)
    with pytest.raises(MfmError, match="expected a digest of 64 hex digits"):
        mine.text_at("../../index.jsonl")


def test_without_its_history_a_memory_goes_on_and_counts_what_is_there_as_a_persons(tmp_path):
    write(Mine(tmp_path), "a", "1")
    for path in sorted((tmp_path / "history").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    (tmp_path / "history").rmdir()
    write(Mine(tmp_path), "a", "2")
    assert told(Mine(tmp_path)) == [(1, "person", ["a"]), (2, "agent", ["a"])]


def test_threads_with_one_mine_take_turns(tmp_path):
    mine = Mine(tmp_path)
    write(mine, "count", "0")

    def work():
        for _ in range(10):
            with mine.batch(by="agent", why="t"):
                mine.write("count", str(int(mine.read("count")) + 1))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert mine.read("count") == "40"


def test_a_memory_that_cannot_be_written_is_read(tmp_path):
    write(Mine(tmp_path), "a", "1")
    (tmp_path / "history/applied").unlink()
    for path in [*tmp_path.rglob("*"), tmp_path]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        mine = Mine(tmp_path)
        assert (mine.read("a"), told(mine)) == ("1", [(1, "agent", ["a"])])
    finally:
        for path in [tmp_path, *tmp_path.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_reader_writes_nothing_and_may_not_write(tmp_path):
    reader = Mine(tmp_path, read_only=True)
    assert (reader.paths(), reader.exists("a"), reader.history()) == ([], False, [])
    for write in (
        lambda: reader.write("a", "x", by="agent", why="t"),
        lambda: reader.delete("a", by="agent", why="t"),
        lambda: reader.undo(1, by="agent"),
        reader.notice,
    ):
        with pytest.raises(MfmError, match="expected only reading of the notes of"):
            write()
    assert list(tmp_path.iterdir()) == []


def test_a_reader_sees_each_change_and_what_a_batch_of_its_thread_wrote(tmp_path):
    mine, reader = Mine(tmp_path), Mine(tmp_path, read_only=True)
    with mine.batch(by="agent", why="t"):
        mine.write("a", "x")
        assert reader.read("a") == "x"
    mine.write("a", "y", by="agent", why="t")
    assert (reader.read("a"), len(reader.history())) == ("y", 2)


def test_a_reader_shows_the_files_as_they_are_where_the_log_is_damaged(tmp_path):
    Mine(tmp_path).write("a", "x", by="agent", why="t")
    (tmp_path / "history/applied").unlink()
    log = tmp_path / "history/changes.jsonl"
    log.write_bytes(b"no change\n" + log.read_bytes())
    before = log.read_bytes()
    (tmp_path / "mine/a").unlink()
    assert Mine(tmp_path, read_only=True).paths() == []
    assert (log.read_bytes(), (tmp_path / "mended").exists()) == (before, False)


def test_a_reason_may_hold_half_a_character_and_is_cut_at_500(tmp_path):
    mine = Mine(tmp_path)
    mine.write("a", "1", by="agent", why="\ud800" + "x" * 600)
    (change,) = Mine(tmp_path).history()
    assert change.why == "\ud800" + "x" * 496 + "..."
    json.loads((tmp_path / "history/changes.jsonl").read_bytes())


@pytest.mark.parametrize("name", ["changes.jsonl", "applied", "texts"])
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_lies_in_the_place_of_a_history_file_is_named_and_nobody_waits(tmp_path, name, kind):
    mine = Mine(tmp_path)
    mine.write("notes.md", "one\n", by="agent", why="first")
    place = tmp_path / "history" / name
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink()
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "device":
        place.symlink_to("/dev/zero")
    else:
        place.mkdir()
    again = Mine(tmp_path)
    assert again.read("notes.md") == "one\n"
    if kind == "folder" and name == "texts":
        return
    if name == "applied" and kind != "folder":
        again.write("notes.md", "two\n", by="agent", why="second")
        assert again.read("notes.md") == "two\n"
        return
    with pytest.raises((MfmError, OSError), match=r"expected a|Is a directory"):
        again.write("notes.md", "two\n", by="agent", why="second")
    assert (tmp_path / "mine" / "notes.md").read_text() == "one\n"
