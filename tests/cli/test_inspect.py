from __future__ import annotations

import json
import re

import pytest
from PIL import Image

from csd.episode import Collect, Outcome, Step
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.options import MemoryOptions, save_options
from tests.cli.bank_samples import call
from tests.mfm.episodic.sample_steps import collect_log, seen
from tests.mfm.evidence.small_memories import (
    foreign_life,
    foreign_row,
    half_picture,
    plain_picture,
    png,
    record,
)

PLACES = [(0.0, 64.0, 0.0), (10.0, 64.0, 0.0), (1.5, 64.0, 0.0)]


@pytest.fixture
def memory(tmp_path):
    root = tmp_path / "memory"
    record(root, [plain_picture(1, 2, 3), half_picture((200, 0, 0), (0, 0, 200)), None], places=PLACES)
    return root


def test_an_episode_is_told_with_its_neighbours(memory):
    done = call("inspect", "ep_000001", "--root", memory)
    assert done.exit_code == 0
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert lines[:3] == [
        "ep_000001 steps 2-2 (10.0, 0.0)",
        "summary wood: collect oak_log ok, +1 oak_log",
        "tags inventory_changed; broke; damage; note",
    ]
    for line in (
        "pos pitch -10, x 10, y 64, yaw 90, z 0",
        "mobs sheep 1",
        "inventory_delta oak_log 1",
        "notes note 1",
        "before ep_000000 steps 0-0 (0.0, 0.0) initial state",
        "8.5 blocks ep_000002 steps 3-3 (1.5, 0.0) wood: collect",
        "step 0 collect block oak_log ok 1 oak_log",
    ):
        assert any(told.startswith(line) for told in lines), line
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_part_of_the_frame_is_written_magnified(memory, tmp_path):
    out = tmp_path / "closer.png"
    done = call("inspect", "ep_000001", "--root", memory, "--crop", "7,2,2,3", "--scale", "5", "--out", out)
    assert (done.exit_code, done.stderr) == (0, f"wrote {out}\n")
    with Image.open(out) as made:
        assert made.size == (10, 15)
        assert (made.getpixel((4, 14)), made.getpixel((5, 0))) == ((200, 0, 0), (0, 0, 200))


def test_json_holds_the_whole_episode_and_where_the_frame_was_written(memory, tmp_path):
    done = call("inspect", "ep_000001", "--root", memory, "--json")
    told = json.loads(done.stdout)
    assert (told["episode"], told["life"], told["written"]) == ("ep_000001", None, None)
    assert told["row"]["path"] == "episodes/ep_000001"
    assert [one["blocks"] for one in told["near"]] == [8.5, 10.0]
    assert told["frames"][0]["width"] == 16
    out = tmp_path / "whole.png"
    told = json.loads(call("inspect", "ep_000001", "--root", memory, "--json", "--grid", "--out", out).stdout)
    assert told["written"] == str(out)
    assert out.exists()


def test_without_a_name_the_frame_goes_to_inspect_png(memory, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call("inspect", "ep_000001", "--root", memory, "--smooth").exit_code == 0
    assert (tmp_path / "inspect.png").exists()


def test_an_episode_of_an_earlier_life_can_be_inspected(memory, tmp_path):
    files = {"ep_000008": {"observation/image.png": png(plain_picture(9, 8, 7))}}
    foreign_life(memory / "previous/life_1", [foreign_row("ep_000008", summary="died\x1b[31m")], files)
    done = call(
        "inspect", "life_1/ep_000008", "--root", memory, "--scale", "1", "--out", tmp_path / "out.png"
    )
    assert [line.split() for line in done.stdout.splitlines()][:2] == [
        ["life_1/ep_000008", "steps", "?"],
        ["summary", "died\\x1b[31m"],
    ]
    with Image.open(tmp_path / "out.png") as made:
        assert made.getpixel((0, 0)) == (9, 8, 7)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["ep_000009"], 1, "got 'ep_000009', which has no folder there"),
        (["nonsense"], 1, "expected an episode id such as 'ep_000012'"),
        (["ep_000002", "--grid"], 1, "expected a frame before step 0 of ep_000002, got none. No frame was"),
        (["ep_000001", "--place", "3"], 1, "got none. Frames were recorded at 0."),
        (["ep_000001", "--crop", "15,0,2,2"], 1, "expected a part within the picture, 0,0,16,16"),
        (["ep_000001", "--crop", "1,2,3"], 2, "expected four whole numbers x,y,w,h"),
        (["ep_000001", "--scale", "0"], 2, "--scale"),
        (["ep_000001", "--scale", "65"], 2, "--scale"),
        (["ep_000001", "--place", "-1"], 2, "--place"),
        ([], 2, "Missing argument"),
    ],
)
def test_what_cannot_be_shown_is_said_and_nothing_is_written(
    memory, tmp_path, monkeypatch, words, code, said
):
    monkeypatch.chdir(tmp_path)
    done = call("inspect", *words, "--root", memory)
    assert done.exit_code == code
    assert said in re.sub(r"[│\s]+", " ", done.stderr)
    assert not list(tmp_path.glob("*.png"))


def test_a_folder_in_place_of_the_picture_is_refused(memory, tmp_path):
    done = call("inspect", "ep_000001", "--root", memory, "--out", tmp_path)
    assert done.exit_code == 1
    assert f"got the folder {tmp_path}" in done.stderr


def test_a_folder_that_is_no_memory_is_refused(tmp_path):
    done = call("inspect", "ep_000001", "--root", tmp_path)
    assert done.exit_code == 1
    assert "expected the index of a memory at" in done.stderr


def test_a_corrupt_frame_is_a_problem_of_the_look_and_an_error_of_the_crop(memory, tmp_path):
    frame = memory / "episodes/ep_000001/observation/image.png"
    frame.unlink()
    frame.write_bytes(b"\x89PNG\r\n\x1a\n torn")
    done = call("inspect", "ep_000001", "--root", memory)
    assert done.exit_code == 0
    assert "unreadable" in done.stdout
    done = call("inspect", "ep_000001", "--root", memory, "--out", tmp_path / "out.png")
    assert done.exit_code == 1
    assert "got something unreadable" in done.stderr
    assert not (tmp_path / "out.png").exists()


def test_a_memory_without_frames_says_so(memory, tmp_path):
    save_options(memory, MemoryOptions(frames=False))
    done = call("inspect", "ep_000001", "--root", memory)
    assert "frames" in done.stdout
    assert "switched off in this memory" in done.stdout
    for words in (["--out", tmp_path / "out.png"], ["--grid", "--out", tmp_path / "out.png"]):
        done = call("inspect", "ep_000001", "--root", memory, *words)
        assert (done.exit_code, list(tmp_path.glob("*.png"))) == (1, [])
        assert "in which frames are switched off" in done.stderr
        assert "+1 oak_log" in done.stdout
        assert "inventory_delta" in done.stdout


def test_an_episode_without_a_frame_is_told_and_then_why_there_is_no_picture(memory, tmp_path):
    out = tmp_path / "out.png"
    done = call("inspect", "ep_000002", "--root", memory, "--grid", "--out", out)
    assert done.stdout == call("inspect", "ep_000002", "--root", memory).stdout != ""
    assert "No frame was recorded with this episode" in done.stderr
    assert "wrote" not in done.stderr
    done = call("inspect", "ep_000002", "--root", memory, "--json", "--out", out)
    assert (done.exit_code, json.loads(done.stdout)["written"]) == (1, None)
    assert "No frame was recorded with this episode" in done.stderr
    assert not out.exists()


def test_attachments_and_how_each_action_ended_are_told(tmp_path):
    lost = Step(
        before=seen(0),
        action=Collect(block="diamond"),
        outcome=Outcome(code="not_seen", message="the door is locked\x1b[31m"),
    )
    with Recorder.open(tmp_path, source="s") as recorder:
        recorder.write(
            goal="g", steps=[lost, *[collect_log(1)] * 51], after=seen(2), attachments={"log.txt": b"hello"}
        )
    done = call("inspect", "ep_000001", "--root", tmp_path)
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "step 0 collect block diamond not_seen the door is locked\\x1b[31m" in lines
    assert "step 49 collect block oak_log ok 1 oak_log" in lines
    assert "... 2 more, see --json" in lines
    assert any(line.startswith("attachment log.txt, 5 bytes,") for line in lines)
