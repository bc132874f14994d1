"""Memory folders that somebody else has had a hand in: nothing stops, waits for ever, or is made worse."""

import json
import os
from pathlib import Path

import pytest

from echo.cli.doctor_logs import log_flaws
from echo.mfm.disk import Disk
from echo.mfm.episodic.begin import begin_life, begin_memory
from echo.mfm.episodic.examine import examine_memory
from echo.mfm.episodic.reader import read_index
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.episodic.repair import repair_memory
from echo.mfm.folder import MemoryFolder
from echo.mfm.layout import MfmError
from echo.mfm.mine.writable import Mine
from echo.mfm.query.ask import ask
from echo.mfm.query.question import Question
from tests.mfm.episodic.sample_steps import craft_planks, picture, seen


def record(root: Path, count: int = 2) -> str | None:
    with Recorder.open(root, source="s", durability="batch") as recorder:
        for number in range(count):
            recorder.write(
                goal=f"goal {number}",
                steps=[craft_planks(number, frame=picture(number))],
                after=seen(number + 1),
            )
        return recorder.last_id


def append(root: Path, line: bytes) -> None:
    with (root / "index.jsonl").open("ab") as index:
        index.write(line + b"\n")


@pytest.fixture
def root(tmp_path) -> Path:
    """A memory with the episodes 1 and 2."""
    root = tmp_path / "memory"
    record(root)
    return root


@pytest.mark.parametrize("number", [b"NaN", b"1e999", b"-Infinity"])
def test_a_row_that_is_not_finite_is_put_away_and_read_as_any_other(root, number):
    append(root, b'{"id": "ep_000007", "path": "episodes/ep_000007", "x": ' + number + b"}")
    begun = begin_life(root)
    assert begun.life == 1
    assert record(root, 1) == "ep_000008"
    assert repair_memory(root).done == ()
    told = [row["id"] for row in MemoryFolder(root).earlier_rows()]
    assert told == ["ep_000001", "ep_000002", "ep_000007"]
    last = (root / "previous/index.jsonl").read_bytes().splitlines()[-1]
    assert last.startswith(b'{"id": "ep_000007", ')
    assert b'"x": ' + number in last
    assert json.loads(last)["path"] == "previous/life_1/episodes/ep_000007"
    assert json.loads(last)["life"] == 1
    held = ask(root, Question(previous=True)).found
    (root / "previous/index.jsonl").unlink()
    assert [one.line for one in ask(root, Question(previous=True)).found] == [one.line for one in held]


def test_an_episode_whose_own_row_is_not_finite_is_put_into_the_index(root):
    steps = root / "episodes/ep_000002/steps.json"
    steps.write_text(steps.read_text().replace('"last_step": 2', '"last_step": NaN', 1))
    assert "NaN" in steps.read_text()
    first = (root / "index.jsonl").read_bytes().splitlines(keepends=True)[0]
    (root / "index.jsonl").write_bytes(first)
    with Recorder.open(root, source="s") as recorder:
        assert recorder.mend.indexed == ("ep_000002",)
    assert [row["id"] for row in read_index(root)] == ["ep_000001", "ep_000002"]


def test_a_foreign_number_far_beyond_the_others_is_not_counted_on(root):
    append(root, b'{"id": "ep_999999999999999999"}')
    append(root, b'{"id": "ep_1000000000001"}')
    assert record(root, 1) == "ep_000003"
    assert record(root, 1) == "ep_000004"
    remarks = examine_memory(root).remarks
    assert any("ep_999999999999999999" in remark and "not counted" in remark for remark in remarks)


def test_numbers_up_to_the_bound_are_counted_on_and_beyond_it_in_a_row(root):
    append(root, b'{"id": "ep_1000000000000"}')
    assert record(root, 2) == "ep_1000000000002"
    assert record(root, 1) == "ep_1000000000003"


STRANGE = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "loop": lambda path: path.symlink_to(path.name),
    "folder": Path.mkdir,
}


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize(
    "name",
    [
        "observation/image.png",
        "state/state.json",
        "action.json",
        "outcome.json",
        "steps.json",
    ],
)
def test_what_is_no_file_of_an_episode_is_damage_of_that_episode_alone(root, kind, name):
    file = root / "episodes/ep_000002" / name
    file.unlink()
    STRANGE[kind](file)
    assert [flaw.where for flaw in repair_memory(root).left.flaws] == ["ep_000002"]
    assert len(ask(root, Question(grep="goal")).rows) == 2
    assert record(root, 1) == "ep_000003"
    assert begin_life(root).life == 1


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("name", ["index.jsonl", "options.json", ".lock", "previous", "mended", "episodes"])
def test_what_is_no_file_of_a_memory_is_told_and_nothing_waits_for_it(root, kind, name):
    append(root, b"[]")
    place = root / name
    if place.is_dir():
        place.rename(root / "elsewhere")
    else:
        place.unlink(missing_ok=True)
    STRANGE[kind](place)
    if (kind, name) not in [("folder", "previous"), ("folder", "mended"), ("folder", "episodes")]:
        found = examine_memory(root)
        assert found.flaws
        writers = [begin_life, lambda root: Recorder.open(root, source="s").close(), repair_memory]
        if name == "previous" and kind != "loop":
            writers = writers[:1]
        if name == "options.json":
            writers = writers[:2]
        for write in writers:
            with pytest.raises(MfmError, match=r"expected .*got ") as told:
                write(root)
            assert "[Errno" not in str(told.value)
        assert examine_memory(root).flaws


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("ending", ["", "-journal", "-wal"])
@pytest.mark.parametrize("name", ["query_rows", "query_texts"])
def test_a_cache_that_is_no_file_is_replaced_or_passed_by(root, kind, ending, name):
    ask(root, Question(grep="goal"))
    file = root / "cache" / f"{name}.db{ending}"
    file.unlink(missing_ok=True)
    STRANGE[kind](file)
    assert len(ask(root, Question(grep="goal")).rows) == 2


@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "../../../../etc/passwd", "/etc/passwd", "", "\ud800"])
def test_a_strange_name_among_the_files_of_an_episode_is_damage_of_that_episode_alone(root, name):
    steps = root / "episodes/ep_000002/steps.json"
    held = json.loads(steps.read_text())
    held["files"][name] = "0" * 64
    steps.write_text(json.dumps(held))
    assert [(flaw.kind, flaw.where) for flaw in examine_memory(root).flaws] == [
        ("altered episode", "ep_000002")
    ]
    first = (root / "index.jsonl").read_bytes().splitlines(keepends=True)[0]
    (root / "index.jsonl").write_bytes(first)
    with Recorder.open(root, source="s") as recorder:
        assert [each.what for each in recorder.mend.set_aside] == ["ep_000002"]


@pytest.mark.parametrize("name", ["episodes", "index.jsonl", "mine", "previous"])
def test_a_life_is_not_put_away_where_a_part_of_the_memory_is_a_link(root, name):
    begin_life(root)
    record(root)
    (root / name).rename(root.parent / "elsewhere")
    (root / name).symlink_to("../elsewhere")
    before = sorted(str(path) for path in root.rglob("*"))
    with pytest.raises(MfmError, match=rf"expected .*{name} to lie in the memory itself, got a link"):
        begin_life(root)
    assert sorted(str(path) for path in root.rglob("*")) == before
    assert record(root, 1) == "ep_000005"


@pytest.mark.parametrize("place", ["previous", "previous/life_1", "previous/life_1/mine", "link"])
def test_earlier_lives_are_not_written(root, place):
    begin_life(root)
    (root / "link").symlink_to("previous/life_1")
    writers = [
        begin_memory,
        begin_life,
        repair_memory,
        lambda folder: Recorder.open(folder, source="s"),
        lambda folder: Mine(folder).write("a.md", "x", by="agent", why="w"),
    ]
    before = sorted(str(path) for path in root.rglob("*"))
    for write in writers:
        with pytest.raises(
            MfmError, match=r"expected a memory that goes on, got .*among the earlier lives of"
        ):
            write(root / place)
    assert sorted(str(path) for path in root.rglob("*")) == before


def test_a_folder_that_is_only_named_previous_may_hold_a_memory(tmp_path):
    assert record(tmp_path / "previous/run", 1) == "ep_000001"


@pytest.mark.parametrize("line", [b"[]", b"null", b'{"id": 3}', b"x"])
def test_a_line_that_is_no_row_stops_no_reader(root, line):
    append(root, line)
    append(root, b'{"id": "ep_000007"}')
    assert [row["id"] for row in MemoryFolder(root).rows()] == ["ep_000001", "ep_000002", "ep_000007"]
    begin_life(root)
    assert len(list(MemoryFolder(root).earlier_rows())) == 3
    (root / "previous/index.jsonl").unlink()
    assert [row["life"] for row in MemoryFolder(root).earlier_rows()] == [1, 1, 1]


def test_earlier_rows_that_differ_from_those_of_their_life_are_named_and_taken_from_there(root):
    begin_life(root)
    index = root / "previous/index.jsonl"
    whole = index.read_bytes()
    first, second = whole.splitlines(keepends=True)
    other = first.replace(b"previous/life_1/episodes", b"episodes").replace(b"goal 0", b"goal 9")
    index.write_bytes(other + second + b'{"id": "ep_000008", "life": "x"}\n')
    repaired = repair_memory(root)
    assert [(flaw.kind, flaw.where, flaw.mendable) for flaw in repaired.found.flaws] == [
        ("altered row", "life_1/ep_000001", True),
        ("row without life", "previous/index.jsonl: ep_000008", False),
    ]
    assert [flaw.kind for flaw in repaired.left.flaws] == ["row without life"]
    assert index.read_bytes() == whole + b'{"id": "ep_000008", "life": "x"}\n'
    assert "not the row that the index of its life has" in repaired.done[0]
    assert [path.read_bytes() + b"\n" for path in (root / "mended").iterdir()] == [other]


def test_an_index_with_a_byte_order_mark_and_long_line_ends_is_read_and_remarked(root):
    index = root / "index.jsonl"
    index.write_bytes(b"\xef\xbb\xbf" + index.read_bytes().replace(b"\n", b"\r\n"))
    found = examine_memory(root)
    assert found.sound
    assert "has a byte order mark or line ends of two characters" in found.remarks[0]
    assert record(root, 1) == "ep_000003"
    assert len(ask(root, Question(grep="goal")).rows) == 3
    begin_life(root)
    assert len(list(MemoryFolder(root).earlier_rows())) == 3


def test_a_missing_file_of_another_tools_episode_is_remarked(root):
    for name in ("ep_000001", "ep_000002"):
        (root / "episodes" / name / "steps.json").unlink()
    (root / "episodes/ep_000002/action.json").unlink()
    found = examine_memory(root)
    assert found.sound
    assert any("1 of their files are missing, ep_000002/action.json first" in one for one in found.remarks)


def as_nobody(do) -> int:
    """Run `do` in a process that is not the owner of anything; return its exit code."""
    child = os.fork()
    if child == 0:
        code = 9
        try:
            os.setgid(65534)
            os.setuid(65534)
            code = do()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize(
    ("closed", "named"),
    [
        ("episodes", ["episodes"]),
        ("episodes/ep_000001", ["ep_000001"]),
        ("episodes/ep_000002/state", ["ep_000002"]),
        ("previous", ["previous"]),
        ("previous/life_1", ["life_1/episodes", "life_1/index.jsonl"]),
    ],
)
def test_what_may_not_be_looked_into_is_named_and_the_rest_examined(root, tmp_path, closed, named):
    record(root)
    begin_life(root)
    for number in (1, 2):
        (root / "previous/life_1/episodes" / f"ep_00000{number}").rename(
            root / "episodes" / f"ep_00000{number}"
        )
    (root / "options.json").mkdir()
    folder = root / closed
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_uid == os.geteuid() and path.parent != path:
            path.chmod(path.stat().st_mode | 0o055)
    folder.chmod(0o700)

    def examine() -> int:
        where = [flaw.where for flaw in examine_memory(root).flaws]
        return 0 if set(named) <= set(where) and "options.json" in where else 1

    assert as_nobody(examine) == 0


def test_readers_find_an_index_at_every_moment_of_putting_a_life_away(root):
    class Looking(Disk):
        looked = 0

        def rename(self, source: Path, target: Path) -> None:
            super().rename(source, target)
            self.looked += 1
            assert len(ask(root, Question()).rows) in (0, 2)

        def sync(self, path: Path) -> None:
            super().sync(path)
            ask(root, Question())

    disk = Looking()
    begin_life(root, disk=disk)
    assert disk.looked == 5


def test_a_full_disk_is_told_without_numbers_and_leaves_the_life_as_it_was(root):
    class Full(Disk):
        def write_file(self, path: Path, data: bytes) -> None:
            raise OSError(28, "No space left on device", str(path))

    with pytest.raises(MfmError, match=r"expected a memory folder .*, got No space left on device at"):
        begin_life(root, disk=Full())
    assert len(ask(root, Question()).rows) == 2


def test_rows_of_earlier_lives_are_the_same_with_and_without_their_common_index(root):
    with Recorder.open(root, source="s") as recorder:
        steps = [craft_planks(3, frame=picture(3))]
        recorder.write(goal="g", steps=steps, after=seen(4), attachments={"log.txt": b"said"})
    begin_life(root)
    with_index = ask(root, Question(previous=True)).rows
    assert with_index[-1]["attachment"] == "previous/life_1/episodes/ep_000003/attachment/log.txt"
    assert list(MemoryFolder(root).earlier_rows()) == [
        {key: value for key, value in row.items() if key != "note"} for row in with_index
    ]
    (root / "previous/index.jsonl").unlink()
    assert ask(root, Question(previous=True)).rows == with_index


def test_a_row_of_many_lists_within_each_other_bricks_nothing(root):
    append(root, b'{"id": "ep_000007", "x": ' + b"[" * 900 + b"]" * 900 + b"}")
    append(root, b'{"id": "ep_000008", "x": ' + b"[" * 9000 + b"]" * 9000 + b"}")
    assert begin_life(root).life == 1
    assert record(root, 1) in ("ep_000003", "ep_000008")
    assert repair_memory(root).left.lives == 1


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("name", ["turns.jsonl", "runs.jsonl", "history"])
def test_a_log_that_is_no_file_is_named(root, kind, name):
    if (kind, name) != ("folder", "history"):
        STRANGE[kind](root / name)
        where = [flaw.where for flaw in log_flaws(root)]
        assert where == [name] or name == "history"
