import json
import subprocess
import sys
from pathlib import Path

import pytest

from echo.mfm.episodic.index import Torn
from echo.mfm.episodic.reader import read_episode, read_frame, read_index
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.layout import MfmError
from tests.mfm.episodic.sample_steps import craft_planks, picture, seen


@pytest.fixture
def root(tmp_path) -> Path:
    with Recorder.open(tmp_path, source="s") as recorder:
        recorder.write(goal="g", steps=[craft_planks(0, frame=picture(3))], after=seen(1))
        recorder.write(goal="h", steps=[craft_planks(1)], after=seen(2))
    return tmp_path


def steps_file(root: Path) -> Path:
    return root / "episodes" / "ep_000001" / "steps.json"


def test_frames_are_loaded_on_demand_only(root):
    assert read_episode(root, "ep_000001").steps[0].before.frame is None
    loaded = read_episode(root, "ep_000001", frames=True)
    assert (loaded.steps[0].before.frame == picture(3)).all()
    assert loaded.after.frame is None
    assert (read_frame(root, "ep_000001") == picture(3)).all()
    assert read_frame(root, "ep_000002") is None


def test_the_index_is_read_without_numpy_pydantic_or_pillow(root):
    code = (
        "import sys; from echo.mfm.episodic.reader import read_index; "
        f"assert len(list(read_index({str(root)!r}))) == 2; "
        "print(sorted({'numpy', 'pydantic', 'PIL', 'csd.episode'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_no_index_is_an_error_that_names_the_place(tmp_path):
    with pytest.raises(
        MfmError, match=r"expected the index of a memory at .*nowhere/index.jsonl, got no file"
    ):
        next(read_index(tmp_path / "nowhere"))


def test_lines_that_are_no_rows_are_passed_over_and_told(root):
    index = root / "index.jsonl"
    whole = index.read_bytes()
    index.write_bytes(whole.replace(b"}\n{", b'}\n[]\n{"a": tor\n{') + b'{"action_kind')
    torn = []
    assert [row["id"] for row in read_index(root, torn)] == ["ep_000001", "ep_000002"]
    first = whole.index(b"\n") + 1
    assert torn == [Torn(offset=first, data=b"[]"), Torn(offset=first + 3, data=b'{"a": tor')]


def test_a_line_being_appended_is_not_seen_yet(root):
    index = root / "index.jsonl"
    index.write_bytes(index.read_bytes() + b'{"action_kind": "craft", "at')
    assert [row["id"] for row in read_index(root)] == ["ep_000001", "ep_000002"]


@pytest.mark.parametrize("name", ["ep_1", "../ep_000001", "ep_000001/..", "", "ep_0000001", "ep_00000١"])
def test_a_name_that_is_no_episode_id_is_refused(root, name):
    with pytest.raises(ValueError, match="expected an episode id such as 'ep_000012'"):
        read_episode(root, name)


def test_an_episode_that_is_not_there_is_an_error(root):
    with pytest.raises(MfmError, match=r"expected the episode ep_000009 at .*got no folder"):
        read_episode(root, "ep_000009")


def test_a_folder_of_another_tool_is_told_apart(root):
    steps_file(root).unlink()
    with pytest.raises(MfmError, match=r"expected a file at .*steps.json, got none"):
        read_episode(root, "ep_000001")


@pytest.mark.parametrize("content", [b"", b"{", b'{"a": "\xc3', b"\0" * 9, b"[" * 100_000])
def test_an_unreadable_file_is_an_error_with_its_path(root, content):
    steps_file(root).write_bytes(content)
    with pytest.raises(MfmError, match=r"expected JSON in .*steps.json, got something unreadable"):
        read_episode(root, "ep_000001")


def test_another_format_version_is_an_error(root):
    steps_file(root).write_bytes(b'{"format": "echo-mfm-steps/2"}')
    with pytest.raises(MfmError, match=r"expected the format 'echo-mfm-steps/1' in .*got 'echo-mfm-steps/2'"):
        read_episode(root, "ep_000001")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: record.pop("after"), "missing 'after'"),
        (lambda record: record.update(goal=3), "expected str, got 3"),
        (lambda record: record.update(steps={}), "expected a list, got {}"),
        (
            lambda record: record["steps"][0]["outcome"].update(ticks=True),
            "at 0.outcome.ticks: expected int, got True",
        ),
        (
            lambda record: record["steps"][0]["outcome"].update(code="fine"),
            "at 0.outcome.code: expected one of 'ok'",
        ),
        (
            lambda record: record["steps"][0]["action"].update(kind="fly"),
            "at 0.action: expected an object whose kind is one of go_to",
        ),
        (
            lambda record: record["after"].update(position=[1, 2]),
            r"at position: expected a list of 3, got \[1, 2\]",
        ),
        (lambda record: record["after"].pop("biome"), "expected an object with the keys step, tick"),
        (lambda record: record["after"].update(wings=2), "expected an object with the keys step, tick"),
        (
            lambda record: record["after"]["blocks"]["oak_log"].update(distance="far"),
            "at blocks.oak_log.distance: expected float, got 'far'",
        ),
    ],
)
def test_a_record_of_a_wrong_shape_is_an_error_that_says_where(root, change, message):
    record = json.loads(steps_file(root).read_bytes())
    change(record)
    steps_file(root).write_text(json.dumps(record))
    with pytest.raises(MfmError, match=message):
        read_episode(root, "ep_000001")


def test_a_damaged_picture_is_an_error_and_the_episode_stays_readable(root):
    image = root / "episodes" / "ep_000001" / "observation" / "image.png"
    image.write_bytes(image.read_bytes()[:60])
    with pytest.raises(MfmError, match=r"expected a PNG picture in .*image.png.*state.json beside it"):
        read_frame(root, "ep_000001")
    assert read_episode(root, "ep_000001").goal == "g"
    image.unlink()
    with pytest.raises(MfmError, match=r"expected a picture at .*image.png, got no file"):
        read_frame(root, "ep_000001")


def test_a_negative_place_is_refused(root):
    with pytest.raises(ValueError, match="expected a place from 0, got -1"):
        read_frame(root, "ep_000001", -1)
