from __future__ import annotations

import json
import lzma
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo.experiments.results import ResultsError
from echo.experiments.spec import UsageError
from echo.experiments.tasks.committed import (
    pack,
    pack_folder,
    read_packed,
    read_results,
    unpack,
    unpack_file,
)
from echo.experiments.tasks.records import EpisodeRecord, Tally
from echo.experiments.tasks.results import TaskResults, claim, note_unscored, read_folder, write_run
from tests.experiments.tasks.fake_runs import make_episode, make_run, make_spec

SHARES = st.dictionaries(st.sampled_from(["struct", "attr", "func"]), st.floats(0, 1), max_size=3)
TALLIES = st.builds(Tally, tried=st.integers(0, 9), made=st.integers(0, 9), lost=st.integers(0, 9_999))
EPISODES = st.builds(
    EpisodeRecord,
    task=st.sampled_from(["bed", "shield"]),
    start=st.integers(0, 7),
    ending=st.sampled_from(["reached", "budget", "stuck"]),
    steps=st.integers(0, 600),
    budget=st.just(600),
    ticks=st.integers(0, 99_999),
    decisions=st.integers(0, 99),
    recalled=st.integers(0, 99),
    attempts=st.dictionaries(st.sampled_from(["edit", "transfer", "collect"]), TALLIES, max_size=3),
    axes=SHARES,
    axes_made=SHARES,
    retries=st.integers(0, 9),
    precheck=st.integers(0, 9),
    surprises=st.integers(0, 9),
    goal=st.tuples(st.integers(0, 4), st.just(4)),
    milestones=st.dictionaries(st.sampled_from(["furnace", "diamond"]), st.integers(0, 600), max_size=2),
)


def results(*runs, unscored=None):
    return TaskResults(
        kind="tasks",
        circumstances=runs[0].spec.circumstances,
        expected=tuple(run.spec.name for run in runs),
        runs=runs,
        unscored=unscored or {},
    )


def lines(data):
    return lzma.decompress(data).decode().splitlines()


def repacked(changed):
    return lzma.compress("".join(f"{line}\n" for line in changed).encode())


def headed(data, **fields):
    """Return a packed file with other fields in its head."""
    first, *rest = lines(data)
    return repacked([json.dumps({**json.loads(first), **fields}), *rest])


@pytest.fixture
def folder(tmp_path):
    specs = [make_spec("echo"), make_spec("echo/-func", "shield", run=2), make_spec("mp5")]
    claim(tmp_path / "runs", specs[0].circumstances, [*(spec.name for spec in specs), "vista.bed.r00"])
    write_run(tmp_path / "runs", make_run(specs[0], seconds=1.23456))
    write_run(tmp_path / "runs", make_run(specs[1], reached_from=0))
    note_unscored(tmp_path / "runs", "mp5.bed.r00", "RuntimeError: no land")
    return tmp_path / "runs"


@given(st.lists(st.lists(EPISODES, min_size=3, max_size=3), min_size=1, max_size=4))
def test_every_episode_comes_back_as_it_was(played):
    runs = tuple(
        make_run(make_spec("echo", run=number)).model_copy(update={"episodes": tuple(episodes)})
        for number, episodes in enumerate(played)
    )
    assert unpack(pack(results(*runs)), "here").runs == runs


def test_a_folder_comes_back_but_for_starts_and_parts_of_a_millisecond(folder, tmp_path):
    packed = pack_folder(folder, tmp_path / "tasks.jsonl.xz")
    assert packed.bytes == (tmp_path / "tasks.jsonl.xz").stat().st_size
    unpack_file(packed.path, tmp_path / "back")
    back, before = read_folder(tmp_path / "back"), read_folder(folder)
    assert [run.result_digest for run in back.runs] == [run.result_digest for run in before.runs]
    assert [run.timing.wall_seconds for run in back.runs] == [1.5, 1.235]
    assert (back.expected, back.unscored, back.missing) == (
        before.expected,
        before.unscored,
        ("vista.bed.r00",),
    )
    assert back.runs[0].model_copy(update={"timing": None}) == before.runs[0].model_copy(
        update={"timing": None}
    )


def test_what_many_runs_share_is_kept_once():
    runs = [make_run(make_spec("echo", run=number)) for number in range(9)]
    other = make_run(make_spec("echo", run=9), command="another command")
    head = json.loads(lines(pack(results(*runs, other)))[0])
    assert [made["command"] for made in head["made"]] == ["echo-memory run tasks", "another command"]
    assert [row["made"] for row in head["runs"]] == [0] * 9 + [1]


def test_a_thousand_like_runs_take_a_small_file():
    runs = [make_run(make_spec("echo", run=number, episodes=30)) for number in range(1_000)]
    assert len(pack(results(*runs))) < 12_000


def test_packed_results_are_read_where_a_folder_is(folder, tmp_path):
    packed = pack_folder(folder, tmp_path / "tasks.jsonl.xz")
    assert [run.spec.name for run in read_results(packed.path).runs] == [
        run.spec.name for run in read_results(folder).runs
    ]


def test_an_altered_episode_is_noticed():
    data = pack(results(make_run(make_spec())))
    changed = [line.replace('{"steps":[[5,5,5]]}', '{"steps":[[5,4,5]]}') for line in lines(data)]
    assert changed != lines(data)
    with pytest.raises(ResultsError, match="the file was altered"):
        unpack(repacked(changed), "here")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda data: data[:-20], "unreadable content in here"),
        (lambda data: b"", "unreadable content in here"),
        (lambda data: b"no xz at all", "unreadable content in here"),
        (lambda data: repacked(["[]"]), "unreadable content in here"),
        (lambda data: repacked([lines(data)[0].replace('"format":1', '"format":2')]), "format 1; got 2"),
        (lambda data: repacked(lines(data)[:1]), "packed runs of tasks; got others in here"),
        (lambda data: data + b"more", "something follows its end"),
        (lambda data: repacked(["[" * 100_000]), "unreadable content in here"),
        (lambda data: repacked([*lines(data), "3"]), "unreadable content in here"),
        (lambda data: repacked([*lines(data), "[[1]]"]), "unreadable content in here"),
        (lambda data: headed(data, unscored={"../../x": ""}), r"names of runs; got '\.\./\.\./x' in here"),
        (lambda data: headed(data, expected=["/x"]), "names of runs; got '/x' in here"),
        (lambda data: headed(data, kind="ablate"), "in the circumstances told with them; got others or none"),
        (lambda data: headed(data, runs=[], digest=sha256().hexdigest()), "got others or none in here"),
        (lambda data: headed(data, made=[{}]), "packed runs of tasks; got others in here"),
        (lambda data: repacked(['{"format": 1}']), "packed runs of tasks; got others in here"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_told(damage, said):
    with pytest.raises(ResultsError, match=said):
        unpack(damage(pack(results(make_run(make_spec())))), "here")


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ResultsError, match=r"got No such file or directory at .*none\.jsonl\.xz"):
        read_packed(tmp_path / "none.jsonl.xz")


def test_a_file_is_called_after_what_it_is(folder, tmp_path):
    with pytest.raises(UsageError, match=r"called \*\.jsonl\.xz; got .*tasks\.zip"):
        pack_folder(folder, tmp_path / "tasks.zip")


def test_failures_alone_are_not_packed(tmp_path):
    claim(tmp_path, make_spec().circumstances, ["echo.bed.r00"])
    note_unscored(tmp_path, "echo.bed.r00", "killed")
    with pytest.raises(UsageError, match="got failed ones alone"):
        pack_folder(tmp_path, tmp_path / "x.jsonl.xz")


def test_results_are_not_unpacked_among_others(folder, tmp_path):
    packed = pack_folder(folder, tmp_path / "tasks.jsonl.xz")
    with pytest.raises(UsageError, match="expected a folder without results"):
        unpack_file(packed.path, folder)


def test_a_record_may_lack_what_another_has():
    runs = (
        make_run(make_spec()),
        make_run(make_spec(run=1)).model_copy(
            update={
                "episodes": tuple(
                    make_episode(number, True).model_copy(update={"attempts": {}}) for number in range(3)
                )
            }
        ),
    )
    assert unpack(pack(results(*runs)), "here").runs == runs


def test_a_packed_file_cannot_write_outside_its_folder(tmp_path):
    run = make_run(make_spec("echo", "../../x"))
    (tmp_path / "evil.jsonl.xz").write_bytes(pack(results(run)))
    with pytest.raises(ResultsError, match="expected names of runs"):
        unpack_file(tmp_path / "evil.jsonl.xz", tmp_path / "a" / "b")
    assert [path.name for path in tmp_path.iterdir()] == ["evil.jsonl.xz"]
