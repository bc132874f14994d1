import hashlib
import json
from dataclasses import dataclass, fields, replace
from typing import get_args

import pytest

from csd.episode import Action, Outcome
from echo.mfm.episodic.diary import Diary
from echo.mfm.episodic.documents import Cause, Entry
from echo.mfm.episodic.reader import read_episode, read_index
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.episodic.wholeness import EpisodeFolder
from echo.mfm.layout import to_line
from tests.mfm.episodic.sample_steps import collect_log, craft_planks, seen
from tests.mfm.episodic.test_recorder import FullDisk


@dataclass(frozen=True, kw_only=True)
class Push:
    target: str
    kind: str = "push"


LOCKED = Outcome(code="locked", message="the door is locked")


def after(**changes):
    return replace(seen(1), **changes)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"steps": [collect_log(0), replace(collect_log(1), action=Push(target="door"))]},
            r"a record of one of the kinds go_to \(GoTo\), .*, wait_until \(WaitUntil\), got "
            r"Push\(target='door', kind='push'\) at action of step 2 of 2 in an episode\. "
            r"Record the nearest of these",
        ),
        (
            {"steps": [replace(collect_log(0), outcome=LOCKED)]},
            r"one of 'ok', 'no_result', .*, 'budget_spent', got 'locked' at outcome\.code of step 1 of 1 in "
            r"an episode\. Take the nearest of these and tell the rest in the message",
        ),
        ({"steps": [None]}, r"Step\(before, action, outcome\), got None at step 1 of 1"),
        ({"after": after(biome=None)}, r"text, got None at after\.biome"),
        ({"after": after(yaw=None)}, r"a number, got None at after\.yaw"),
        ({"after": after(mobs={"a": 1.5})}, r"a whole number, got 1\.5 at after\.mobs\.a"),
        ({"after": after(blocks=None)}, r"a mapping, got None at after\.blocks"),
        ({"after": after(position=None)}, r"a list of 3, got None at after\.position"),
        ({"after": after(inventory={"gold": 2})}, r"ItemStack\(count, .*, got 2 at after\.inventory\.gold"),
        ({"after": None}, r"Observation\(step, .*, got None at after"),
        ({"goal": None}, r"text, got None at goal in an episode\. Write it as text"),
        ({"source": 3}, r"text as the source of an episode, got 3"),
        ({"notes": ["a", 3]}, r"text, got 3 at notes\.1 in an episode\. Write each as text"),
        ({"notes": "one note"}, r"a list of texts as notes of an episode, got the text 'one note'"),
        ({"tags": "milestone"}, r"a list of texts as tags of an episode"),
        ({"tags": [3]}, r"text, got 3 at tags\.0"),
    ],
)
def test_what_a_reader_would_refuse_is_refused_before_anything_is_written(tmp_path, changes, told):
    whole = {"goal": "g", "steps": [collect_log(0)], "after": seen(1)}
    with Recorder.open(tmp_path, source="s") as recorder:
        with pytest.raises(ValueError, match=f"expected {told}"):
            recorder.write(**{**whole, **changes})
        assert list((tmp_path / "episodes").iterdir()) == []
        assert recorder.write(**whole) == "ep_000001"
    assert EpisodeFolder(tmp_path)("ep_000001") is None


@pytest.mark.parametrize(
    "tag", ["", " ", "a,b", " a", "a ", "a\n", "a\tb", "\x1b[31mred", "\ud800", "a\u2028b", "-"]
)
def test_a_tag_that_a_line_of_tags_would_not_tell_clearly_is_refused(tmp_path, tag):
    with Recorder.open(tmp_path, source="s") as recorder:
        with pytest.raises(ValueError, match=r"expected a tag of printable characters without a comma"):
            recorder.write(goal="g", steps=[collect_log(0)], after=seen(1), tags=["fine", tag])
        recorder.write(goal="g", steps=[collect_log(0)], after=seen(1), tags=["two words", "Süd-West"])
    assert [row["tags"][-2:] for row in read_index(tmp_path)] == [["two words", "Süd-West"]]


def test_an_initial_state_that_cannot_be_read_back_is_refused(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        with pytest.raises(ValueError, match=r"a whole number, got 1\.5 at after\.mobs\.a"):
            recorder.initial(after(mobs={"a": 1.5}))
        assert recorder.empty
        assert recorder.initial(seen(0)) == "ep_000000"


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (Cause(arguments={"a": {1: 2}}), r"text as a key, got 1 at cause\.arguments\.a\.1"),
        (Cause(arguments={"a": b"x"}), r"text, numbers, lists and mappings, got b'x' at cause\.arguments\.a"),
        (Cause(turn="3"), r"a whole number, got '3' at cause\.turn"),
    ],
)
def test_a_cause_that_json_cannot_tell_is_refused(tmp_path, cause, told):
    entry = Entry(goal="g", steps=(collect_log(0),), after=seen(1), cause=cause)
    with Recorder.open(tmp_path, source="s") as recorder:
        with pytest.raises(ValueError, match=rf"{told} in an episode\. Tell it in the types of Cause"):
            recorder.record(entry)
        name = recorder.record(replace(entry, cause=Cause(turn=3, arguments={"a": (1, {"b": None})})))
    assert EpisodeFolder(tmp_path)(name) is None


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize(
    "odd",
    [
        {"step": None},
        {"step": replace(collect_log(1), before=None)},
        {"tags": ["a,b"]},
        {"notes": "text"},
        {"after": None},
    ],
)
def test_a_diary_leaves_out_what_cannot_be_recorded_and_goes_on(tmp_path, every, odd):
    with Recorder.open(tmp_path, source="s") as recorder, Diary(recorder, goal="g", every=every) as diary:
        diary.add(collect_log(0), seen(1))
        with pytest.raises(ValueError, match="expected "):
            diary.add(**{"step": collect_log(1), "after": seen(2), **odd})
        diary.add(collect_log(2), seen(3))
    steps = [step for row in read_index(tmp_path) for step in read_episode(tmp_path, row["id"]).steps]
    assert steps == [collect_log(0), collect_log(2)]


def test_steps_that_the_disk_refused_outlast_one_that_cannot_be_recorded(tmp_path):
    disk = FullDisk("write_file")
    with Recorder.open(tmp_path, source="s", disk=disk) as recorder:
        diary = Diary(recorder, goal="g")
        disk.armed = True
        with pytest.raises(OSError, match="No space left"):
            diary.add(collect_log(0), seen(1))
        disk.armed = False
        with pytest.raises(ValueError, match="expected text, got None at after"):
            diary.add(collect_log(1), after(biome=None))
        assert diary.pending == 1
        diary.close()
    assert read_episode(tmp_path, "ep_000001").steps == (collect_log(0),)


def test_no_action_has_a_field_named_like_its_end():
    names = {each.name for kind in get_args(Action) for each in fields(kind)}
    assert names.isdisjoint({"code", "message"})
    assert {"kind", "block", "grid"} < names


def rewrite_action(folder, change):
    """Write action.json anew with other actions, digest included, as whoever knows the format could."""
    action, steps = folder / "action.json", folder / "steps.json"
    before = action.read_bytes()
    told = json.loads(before)
    told["entry"]["items"] = [change(item) for item in told["entry"]["items"]]
    # Equal files may share their bytes with others.
    action.unlink()
    action.write_bytes(to_line(told))
    digests = [hashlib.sha256(data).hexdigest().encode() for data in (before, action.read_bytes())]
    text = steps.read_bytes()
    steps.unlink()
    steps.write_bytes(text.replace(*digests))


def test_an_episode_recorded_before_actions_told_their_end_is_whole(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        name = recorder.write(goal="g", steps=[craft_planks(0), collect_log(1)], after=seen(2))
    folder = tmp_path / "episodes" / name
    rewrite_action(folder, lambda item: {key: item[key] for key in item if key not in ("code", "message")})
    assert b'"code"' not in (folder / "action.json").read_bytes()
    assert EpisodeFolder(tmp_path)(name) is None


def test_an_end_that_is_not_that_of_the_step_is_an_alteration(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        name = recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1))
    rewrite_action(tmp_path / "episodes" / name, lambda item: {**item, "code": "no_result"})
    assert "to say what action.json says" in EpisodeFolder(tmp_path)(name)
