from __future__ import annotations

import json

import pytest

from echo.mfm.episodic.recorder import Recorder
from echo.mfm.evidence.look import look, look_json
from echo.mfm.layout import MfmError
from echo.mfm.options import MemoryOptions, save_options
from tests.mfm.episodic.sample_steps import seen
from tests.mfm.evidence.small_memories import foreign_life, foreign_row, plain_picture, png, record, step_at

PLACES = [(0.0, 64.0, 0.0), (10.0, 64.0, 0.0), (1.0, 64.0, 0.0), (10.0, 60.0, 3.0), (90.0, 64.0, 90.0)]


def names(rows):
    return [row["id"] for row in rows]


def test_a_look_tells_documents_frames_and_neighbours(tmp_path):
    record(tmp_path, [plain_picture(1, 2, 3)] * 5, places=PLACES)
    found = look(tmp_path, "ep_000001")
    assert (found.name, found.life) == ("ep_000001", None)
    assert found.row["first_step"] == 2
    assert found.state["pos"]["x"] == 10.0
    assert found.action["entry"]["items"] == [
        {"kind": "collect", "block": "oak_log", "code": "ok", "message": "1 oak_log"}
    ]
    assert found.outcome["inventory_delta"] == {"oak_log": 1}
    assert [(frame.place, frame.width, frame.height) for frame in found.frames] == [(0, 16, 16)]
    assert names(found.before) == ["ep_000000"]
    assert names(found.after) == ["ep_000002", "ep_000003"]
    assert [(one.row["id"], one.blocks) for one in found.near] == [
        ("ep_000003", 5.0),
        ("ep_000002", 9.0),
        ("ep_000000", 10.0),
        ("ep_000004", pytest.approx(120.4, abs=0.05)),
    ]
    assert found.problems == ()


def test_how_many_neighbours_can_be_said(tmp_path):
    record(tmp_path, [None] * 5, places=PLACES)
    found = look(tmp_path, "ep_000002", in_time=1, in_place=0)
    assert (names(found.before), names(found.after), found.near) == (["ep_000001"], ["ep_000003"], ())


def test_height_counts_only_where_both_tell_it_and_unknown_places_are_no_neighbours(tmp_path):
    places = [
        (0, 0, 0),
        (3, 4, 0),
        (3, None, 0),
        (None, 0, 0),
        (True, 0, 0),
        ("3", 0, 0),
        (float("nan"), 0, 0),
    ]
    rows = [foreign_row(f"ep_00000{n}", x=x, y=y, z=z) for n, (x, y, z) in enumerate(places)]
    foreign_life(tmp_path / "memory", rows, {row["id"]: {"state/state.json": b"{}"} for row in rows})
    near = look(tmp_path / "memory", "ep_000000").near
    assert [(one.row["id"], one.blocks) for one in near] == [("ep_000002", 3.0), ("ep_000001", 5.0)]
    assert look(tmp_path / "memory", "ep_000006").near == ()


def test_episodes_recorded_later_become_neighbours(tmp_path):
    record(tmp_path, [None] * 2, places=PLACES)
    assert look(tmp_path, "ep_000001").after == ()
    with Recorder.open(tmp_path, source="test") as recorder:
        recorder.write(goal="wood", steps=[step_at(2, (9.0, 64.0, 0.0), None)], after=seen(3))
    assert names(look(tmp_path, "ep_000001").after) == ["ep_000002"]
    assert look(tmp_path, "ep_000001").near[0].blocks == 1.0


@pytest.mark.parametrize("name", ["life_2/ep_000001", "ep_000001"])
def test_an_episode_of_an_earlier_life_has_the_neighbours_of_that_life(tmp_path, name):
    record(tmp_path, [None])
    for life in (1, 2):
        rows = [foreign_row(f"ep_00000{n}", x=n * life, z=0, first_step=n, last_step=n) for n in range(3)]
        files = {
            row["id"]: {"state/state.json": b"{}", "observation/image.png": png(plain_picture(9, 9, 9))}
            for row in rows
        }
        foreign_life(tmp_path / f"previous/life_{life}", rows, files)
    found = look(tmp_path, name)
    assert (found.name, found.life) == ("life_2/ep_000001", 2)
    assert [one.blocks for one in found.near] == [2.0, 2.0]
    assert {row["life"] for row in (*found.before, *found.after, found.row)} == {2}
    assert found.row["path"] == "previous/life_2/episodes/ep_000001"
    assert found.state == {}
    assert found.action is None
    assert len(found.problems) == 2
    assert len(found.frames) == 1


def test_what_cannot_be_read_is_told_and_the_rest_is_there(tmp_path):
    record(tmp_path, [plain_picture(1, 2, 3)] * 2)
    folder = tmp_path / "episodes/ep_000001"
    for path, data in (
        ("action.json", b"{torn"),
        ("outcome.json", b"[]"),
        ("observation/image.png", b"none"),
    ):
        (folder / path).unlink()
        (folder / path).write_bytes(data)
    found = look(tmp_path, "ep_000001")
    assert (found.action, found.outcome) == (None, None)
    assert found.state["step"] == 1
    assert (found.frames[0].width, found.frames[0].size) == (None, 4)
    assert [problem.split(",")[0] for problem in found.problems] == [
        f"expected JSON in {folder / 'action.json'}",
        f"expected a JSON object in {folder / 'outcome.json'}",
        f"expected a picture in {folder / 'observation/image.png'}",
    ]


def test_a_damaged_index_still_tells_the_rows_that_are_whole(tmp_path):
    record(tmp_path, [None, None, None])
    lines = (tmp_path / "index.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "index.jsonl").write_bytes(lines[0] + lines[1] + b"torn\n" + lines[2][:40] + b"\n")
    found = look(tmp_path, "ep_000001")
    assert names(found.before) == ["ep_000000"]
    assert found.after == ()
    assert found.problems == ("the index has 2 torn places; neighbours may be missing, see doctor",)


def test_an_episode_that_the_index_does_not_list_is_told_as_that(tmp_path):
    record(tmp_path, [None, None])
    (tmp_path / "index.jsonl").write_bytes(b"")
    assert "no line of the index tells ep_000001" in look(tmp_path, "ep_000001").problems[0]


def test_a_memory_without_frames_tells_none(tmp_path):
    record(tmp_path, [plain_picture(1, 2, 3)])
    save_options(tmp_path, MemoryOptions(frames=False))
    found = look(tmp_path, "ep_000000")
    assert (found.frames, found.frames_off) == ((), True)


def test_attachments_are_told_by_name_and_links_are_none(tmp_path):
    with Recorder.open(tmp_path, source="test") as recorder:
        recorder.write(
            goal="wood",
            steps=[step_at(0, PLACES[0], None)],
            after=seen(1),
            attachments={"log.txt": b"hello", "Süden.bin": bytes(1200)},
        )
        recorder.write(goal="wood", steps=[step_at(1, PLACES[0], None)], after=seen(2))
    folder = tmp_path / "episodes/ep_000001/attachment"
    (folder / "link").symlink_to(folder / "log.txt")
    found = look(tmp_path, "ep_000001")
    assert [(one.name, one.size) for one in found.attachments] == [("Süden.bin", 1200), ("log.txt", 5)]
    assert look_json(found)["attachments"][1] == {
        "name": "log.txt",
        "path": str(folder / "log.txt"),
        "bytes": 5,
    }
    assert look(tmp_path, "ep_000002").attachments == ()


def test_an_unknown_episode_and_a_folder_that_is_no_memory_are_errors(tmp_path):
    with pytest.raises(MfmError, match=r"expected the index of a memory at .*index\.jsonl, got no file"):
        look(tmp_path, "ep_000000")
    record(tmp_path, [None])
    with pytest.raises(MfmError, match="got 'ep_000009', which has no folder there"):
        look(tmp_path, "ep_000009")


def test_a_look_as_json_holds_no_number_that_json_does_not_have(tmp_path):
    files = {"ep_000001": {"state/state.json": b'{"x": NaN, "y": [-Infinity, 1.5]}'}}
    foreign_life(tmp_path / "memory", [foreign_row("ep_000001", x=1, z=2)], files)
    told = look_json(look(tmp_path / "memory", "ep_000001"))
    assert json.loads(json.dumps(told, allow_nan=False))["state"] == {"x": "nan", "y": ["-inf", 1.5]}
