from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from csd.episode import GoTo, Outcome, SeenBlock, Step
from echo.agent.goal import Fill, Goal
from echo.agent.memory import Recalled
from echo.baselines.vista import Vista
from tests.baselines.hand_made import Trace, asked, have, seen

GOAL = have("carry planks", plank=4)


def live(memory: Vista, trace: Trace, goal: Goal = GOAL) -> Vista:
    for step in trace.steps:
        memory.take_in(step, (), trace.now)
    memory.close(trace.ended(goal, "budget"))
    return memory


def view(kind: str, x: int) -> Step:
    block = SeenBlock(count=1, nearest=(x, 60, 0), distance=4.0, colour=(1, 2, 3))
    before = replace(seen(), blocks={kind: block}, position=(float(x), 64.0, 0.0))
    return Step(before=before, action=GoTo(target=(0, 0, 0)), outcome=Outcome(code="ok", message=""))


def test_a_frame_of_every_step_is_archived_and_inspected_by_its_id():
    memory = Vista()
    for x in (5, 3):
        memory.take_in(view("ore", x), (), seen())
    assert len(memory) == 2
    shot = memory.inspect("frame_000001")
    assert (shot.position, shot.sight) == ((3.0, 64.0, 0.0), {"ore": (3, 60, 0)})
    with pytest.raises(KeyError, match="one of 2 archived frames; got 'frame_000002'"):
        memory.inspect("frame_000002")


def test_notes_are_written_where_something_new_was_seen_and_once():
    trace = (
        Trace(log=3).dig("rock").dig("rock").dig("tree", log=1).craft("log", plank=4).craft("log", plank=4)
    )
    memory = live(Vista(), trace)
    assert [(note.frame, note.text) for note in memory.notes] == [
        ("frame_000000", "collect rock: no_drop"),
        ("frame_000002", "got log here for the first time"),
        ("frame_000002", "collect log, tree: log"),
        ("frame_000003", "got plank here for the first time"),
        ("frame_000003", "craft plank, log: plank"),
        ("frame_000004", "nearer to: carry planks"),
    ]


def test_a_grid_that_gave_nothing_shows_nothing_to_note():
    memory = live(Vista(), Trace(log=2).craft("log", "log").walk())
    assert memory.notes == ()
    assert memory.recall(asked(GOAL)) == Recalled()


def test_the_noted_steps_come_back_oldest_first_and_each_once():
    trace = Trace(log=3).dig("rock").walk().craft("log", plank=4)
    memory = live(Vista(), trace)
    assert memory.recall(asked(GOAL)).steps == (trace.steps[0], trace.steps[2])


def test_the_latest_noted_frames_are_looked_at_as_far_as_the_budget_goes():
    trace = Trace(log=3).dig("rock").dig("tree", log=1).craft("log", plank=4)
    memory = live(Vista(looks=2), trace)
    assert memory.recall(asked(GOAL)).steps == tuple(trace.steps[1:])
    assert memory.recall(asked(GOAL, item="rock")).steps == (trace.steps[0],)


def test_a_question_looks_at_the_frames_whose_notes_name_what_is_asked():
    trace = Trace(log=3).dig("rock").craft("log", plank=4).craft("plank", rod=2)
    memory = live(Vista(), trace)
    assert memory.recall(asked(GOAL, item="plank")).steps == tuple(trace.steps[1:])
    assert memory.recall(asked(GOAL, item="crown")) == Recalled()


def test_a_block_is_where_the_latest_frame_looked_at_shows_it():
    memory = Vista()
    for step in (view("ore", 5), view("ore", 3), view("sand", 9)):
        memory.take_in(step, (), seen())
    assert memory.recall(asked(GOAL, block="ore")).places == {"ore": (3, 60, 0)}
    assert memory.recall(asked(GOAL)).places == {}


def test_noted_frames_are_looked_at_before_others_that_show_a_block():
    memory = Vista(looks=1)
    trace = Trace(blocks=("ore",)).dig("ore", raw=1)
    live(memory, trace)
    memory.take_in(view("ore", 3), (), seen())
    assert memory.recall(asked(GOAL, block="ore")).places == {"ore": (1, 64, 1)}


def test_without_notes_a_frame_tells_where_and_nothing_of_what_was_done():
    memory = Vista(notes=False, looks=2)
    live(memory, Trace(blocks=("tree",), log=1).craft("log", gain=1, plank=4))
    for step in (view("ore", 5), view("sand", 9)):
        memory.take_in(step, (), seen())
    assert memory.notes == ()
    assert memory.recall(asked(GOAL)) == Recalled(places={"ore": (5, 60, 0), "sand": (9, 60, 0)})
    assert memory.recall(asked(GOAL, block="tree")) == Recalled(places={"tree": (1, 64, 1)})
    assert memory.recall(asked(GOAL, item="plank")) == Recalled()


def test_what_carries_and_what_does_not_are_both_noted():
    trace = Trace(sand=1, dirt=1).put("sand", (1, 63, 0), gain=0).put("dirt", (1, 63, 0), gain=1)
    memory = live(Vista(), trace, Fill(text="fill the gap", cells=((1, 63, 0),)))
    assert memory.recall(asked(GOAL)).steps == tuple(trace.steps)


def test_a_demonstration_is_noted_but_its_land_is_another():
    memory = Vista()
    trace = Trace(blocks=("tree",), log=1).craft("log", plank=4)
    memory.show(trace.shown("make planks"))
    assert memory.recall(asked(GOAL)) == Recalled(steps=tuple(trace.steps))
    assert memory.recall(asked(GOAL, block="tree")) == Recalled()


def test_a_noted_step_comes_back_without_its_picture():
    memory = Vista()
    (step,) = Trace().dig("tree", log=1).steps
    picture = np.zeros((2, 2, 3), dtype=np.uint8)
    memory.take_in(replace(step, before=replace(step.before, frame=picture)), (), seen())
    (kept,) = memory.recall(asked(GOAL)).steps
    assert kept == step
    assert kept.before.frame is None


def test_a_budget_without_a_look_is_refused():
    with pytest.raises(ValueError, match="at least 1 look; got 0"):
        Vista(looks=0)
