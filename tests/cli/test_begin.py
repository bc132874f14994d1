from __future__ import annotations

from echo.mfm.episodic.recorder import Recorder
from echo.mfm.options import MemoryOptions, memory_options
from tests.cli.bank_samples import call, told
from tests.mfm.episodic.sample_steps import craft_planks, seen


def record(root, count=1):
    with Recorder.open(root, source="s") as recorder:
        for number in range(count):
            recorder.write(goal="g", steps=[craft_planks(number)], after=seen(number + 1))


def test_a_folder_is_made_and_a_second_time_left_as_it_is(tmp_path):
    root = tmp_path / "memory"
    done = call("begin", root)
    assert done.exit_code == 0
    assert "made" in done.stdout
    assert "switched off:  nothing" in done.stdout
    assert (root / "index.jsonl").read_bytes() == b""
    assert (root / "mine").is_dir()
    again = told("begin", root)
    assert (again["made"], again["life"], again["episodes"]) == (False, None, 0)


def test_what_is_switched_off_is_written_and_named(tmp_path):
    done = call("begin", tmp_path, "--without", "frames, index")
    assert "switched off:  frames, index" in done.stdout
    assert memory_options(tmp_path) == MemoryOptions(frames=False, index=False)
    assert told("begin", tmp_path)["options"] == {
        "frames": False,
        "index": False,
        "procedures": True,
        "consolidation": True,
    }
    assert told("begin", tmp_path, "--without", "none")["options"]["frames"]


def test_a_new_life_says_what_was_put_away(tmp_path):
    record(tmp_path, 2)
    done = call("begin", tmp_path, "--new-life")
    assert done.exit_code == 0
    assert "2 episodes, as life 1, in previous/life_1" in done.stdout
    empty = call("begin", tmp_path, "--new-life")
    assert "nothing: this life holds no episode yet, and goes on" in " ".join(empty.stdout.split())
    record(tmp_path)
    assert told("begin", tmp_path, "--new-life")["life"] == 2


def test_what_was_mended_is_told(tmp_path):
    record(tmp_path)
    (tmp_path / "index.jsonl").unlink()
    assert told("begin", tmp_path)["mended"] == ["put ep_000001 into the index, which had lost it"]


def test_a_wrong_name_is_wrong_use_and_a_life_under_way_keeps_its_options(tmp_path):
    done = call("begin", tmp_path / "m", "--without", "pictures")
    assert done.exit_code == 2
    assert "expected names of frames, index, procedures, consolidation, or none" in done.stderr
    assert "got pictures" in done.stderr
    assert not (tmp_path / "m").exists()
    record(tmp_path / "m")
    done = call("begin", tmp_path / "m", "--without", "frames")
    assert done.exit_code == 1
    assert "while a life goes on" in done.stderr


def test_a_file_in_its_place_is_an_error(tmp_path):
    (tmp_path / "file").write_text("mine")
    done = call("begin", tmp_path / "file")
    assert done.exit_code == 1
    assert "expected a folder for a memory" in done.stderr
