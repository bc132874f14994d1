from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from csd.episode import Step
from echo.baselines.mfm_folder import STRETCH, LivedFolder
from echo.mfm.episodic.examine import examine_memory
from echo.mfm.episodic.reader import read_episode, read_index
from echo.mfm.layout import MfmError
from echo.mfm.options import MemoryOptions
from tests.baselines.hand_made import Trace, seen


@pytest.fixture(autouse=True)
def _temporary_ones_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    yield
    gc.collect()
    assert list(tmp_path.glob("echo-mfm-*")) == []


def lived(folder: Path | None = None) -> LivedFolder:
    return LivedFolder(folder, MemoryOptions(), source="toy")


def record(folder: LivedFolder, steps: list[Step], trace: Trace) -> None:
    folder.begin(steps[0].before)
    for step, after in zip(steps, [*(step.before for step in steps[1:]), trace.now], strict=True):
        folder.take_in(step, [], after, goal="test")
    folder.cut(trace.now, goal="test")
    folder.recorder.flush()


def tags(folder: LivedFolder) -> list[tuple[int, list[str]]]:
    rows = [row for row in read_index(folder.root) if row["kind"] != "initial"]
    return [(row["last_step"] - row["first_step"] + 1, row["tags"]) for row in rows]


def test_an_episode_ends_with_what_worked_for_the_first_time() -> None:
    folder, trace = lived(), Trace(("tree",))
    trace.walk().dig("tree", log=1).dig("tree", log=1).craft("log", "log").craft("log", plank=4)
    record(folder, trace.steps, trace)
    assert tags(folder) == [
        (2, ["inventory_changed", "broke", "got:log", "dug:tree"]),
        (3, ["inventory_changed", "broke", "got:log", "dug:tree", "stuck", "got:plank"]),
    ]
    folder.finish()


def test_what_shows_nothing_new_is_cut_after_a_stretch() -> None:
    folder, trace = lived(), Trace()
    for _ in range(STRETCH + 3):
        trace.walk()
    record(folder, trace.steps, trace)
    assert [length for length, _ in tags(folder)] == [STRETCH, 3]
    folder.finish()


def test_a_step_that_brought_something_fresh_is_a_milestone() -> None:
    folder, trace = lived(), Trace(("tree",)).dig("tree", log=1)
    folder.begin(trace.steps[0].before)
    folder.take_in(trace.steps[0], ["log"], trace.now, goal="test")
    folder.recorder.flush()
    assert tags(folder) == [(1, ["inventory_changed", "broke", "got:log", "dug:tree", "milestone"])]
    folder.finish()


def test_what_is_read_is_what_the_disk_holds() -> None:
    folder, trace = lived(), Trace(("tree",)).dig("tree", log=1).walk().craft("log", plank=4)
    record(folder, trace.steps, trace)
    on_disk = [step for name in folder.written for step in read_episode(folder.root, name).steps]
    assert folder.read(folder.written) == tuple(step for step in on_disk if step.action.kind != "go_to")
    folder.finish()


def test_a_folder_that_is_named_stays_and_can_be_gone_on_with(tmp_path: Path) -> None:
    trace = Trace(("tree",)).dig("tree", log=1)
    first = lived(tmp_path / "memory")
    record(first, trace.steps, trace)
    first.finish()
    again = lived(tmp_path / "memory")
    assert again.written == ["ep_000001"]
    assert again.read(again.written) == tuple(trace.steps)
    again.finish()
    assert examine_memory(tmp_path / "memory").sound


def test_a_demonstration_does_not_say_which_world_the_life_lives_in(tmp_path: Path) -> None:
    folder = lived(tmp_path / "memory")
    folder.show(Trace(("tree",)).dig("tree", log=1).shown("dig"))
    assert folder.written == []
    folder.begin(seen())
    assert [row["kind"] for row in read_index(folder.root)] == ["initial", "episode"]
    assert read_episode(folder.root, "ep_000001").source == "by hand"
    assert read_episode(folder.root, "ep_000000").source == "toy"
    folder.finish()


def test_a_temporary_folder_is_gone_with_its_object_or_when_finished() -> None:
    folder = lived()
    root = folder.root
    record(folder, (trace := Trace().walk()).steps, trace)
    assert root.is_dir()
    del folder
    gc.collect()
    assert not root.exists()
    folder = lived()
    folder.finish()
    folder.finish()
    assert not folder.root.exists()


def test_what_a_killed_process_left_is_removed_by_the_next_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    left, young, used = tmp_path / "echo-mfm-left", tmp_path / "echo-mfm-young", lived()
    for folder in (left, young):
        (folder / "episodes").mkdir(parents=True)
    for folder in (left, used.root):
        os.utime(folder, (0, 0))
    other = lived()
    assert not left.exists()
    assert young.is_dir()
    assert used.root.is_dir()
    for one in (used, other):
        one.finish()
    (young / "episodes").rmdir()
    young.rmdir()


def test_a_folder_in_use_is_refused_and_nothing_of_it_removed(tmp_path: Path) -> None:
    one = lived(tmp_path / "memory")
    with pytest.raises(MfmError, match="only writer"):
        lived(tmp_path / "memory")
    one.finish()
    assert (tmp_path / "memory").is_dir()


def test_other_options_than_it_was_recorded_with_are_refused(tmp_path: Path) -> None:
    one = lived(tmp_path / "memory")
    record(one, (trace := Trace().walk()).steps, trace)
    one.finish()
    with pytest.raises(MfmError, match="options"):
        LivedFolder(tmp_path / "memory", replace(MemoryOptions(), index=False), source="toy")
