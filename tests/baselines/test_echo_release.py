from __future__ import annotations

from collections import Counter

import pytest

from csd.axes import AXES, Axis
from echo.agent.goal import Fill, Goal, Make
from echo.agent.memory import Recalled
from echo.baselines.echo_release import EchoRelease, likeness
from tests.baselines.hand_made import Trace, asked, have

NEVER = have("carry a crown", crown=1)


def live(memory: EchoRelease, trace: Trace, goal: Goal = NEVER, *, reached: bool = False) -> EchoRelease:
    for step in trace.steps:
        memory.take_in(step, (), trace.now)
    memory.close(trace.ended(goal, "reached" if reached else "budget"))
    return memory


def test_likeness_is_the_plain_sum_of_five_cosines_of_raw_counts():
    one = {axis: Counter({"oak": 3, "log": 4}) for axis in AXES}
    other = {
        Axis.STRUCT: Counter({"oak": 6, "log": 8}),
        Axis.ATTR: Counter({"oak": 1}),
        Axis.PROC: Counter({"log": 2}),
        Axis.FUNC: Counter({"sand": 5}),
        Axis.INTER: Counter[str](),
    }
    assert likeness(one, other) == pytest.approx(1.0 + 0.6 + 0.8)


def test_a_part_of_the_goal_reached_in_a_failed_episode_is_a_task():
    gap = Fill(text="fill the gap", cells=((0, 63, 1), (0, 63, 2)))
    trace = Trace(dirt=1, sand=1).put("dirt", (0, 63, 1), gain=1).put("sand", (0, 63, 2), gain=0)
    memory = live(EchoRelease(), trace, gap)
    assert list(memory.entries) == ["place dirt"]
    assert memory.recall(asked(gap)).steps == (trace.steps[0],)


def test_each_item_got_and_each_goal_reached_is_a_task():
    trace = Trace().dig("tree", log=1).craft("log", gain=1, plank=4)
    memory = live(EchoRelease(), trace, have("carry planks", plank=4), reached=True)
    assert list(memory.entries) == ["log", "plank", "carry planks"]
    assert memory.entries["plank"].steps == tuple(trace.steps)
    csd = memory.entries["plank"].csd
    assert csd is not None
    assert (csd.meta.task, csd.meta.product, csd.meta.success) == ("plank", "plank", True)


def test_failures_are_forgotten():
    memory = live(EchoRelease(), Trace(log=2).craft("log", "log").dig("dust"))
    assert memory.entries == {}
    assert memory.recall(asked(NEVER)) == Recalled()


def test_the_same_task_id_is_overwritten():
    memory = live(EchoRelease(), Trace().dig("tree", log=1))
    later = Trace().dig("bush", log=1)
    live(memory, later)
    assert list(memory.entries) == ["log"]
    assert (memory.entries["log"].steps, memory.entries["log"].generated_at) == (tuple(later.steps), 1)


def test_a_question_starts_from_the_latest_entry_and_brings_the_three_most_like_it():
    trace = (
        Trace(ore=1, coal=1).dig("rock", stone=1).dig("tree", log=1).dig("bush", leaf=1).dig("dune", sand=1)
    )
    trace.smelt("ore", "coal", ingot=1).dig("pit", clay=1)
    memory = live(EchoRelease(), trace)
    # Digging is told in the same words each time, smelting in others.
    assert memory.most_alike("clay") == ("stone", "log", "leaf")
    found = memory.recall(asked(NEVER)).steps
    assert [step.outcome.block for step in found] == ["rock", "tree", "bush", "pit"]


def test_asked_for_an_item_that_is_a_task_it_starts_from_that_entry():
    trace = Trace(ore=1, coal=1).smelt("ore", "coal", ingot=1)
    for number in range(4):
        trace.dig(f"block{number}", **{f"thing{number}": 1})
    memory = live(EchoRelease(), trace)
    assert trace.steps[0] not in memory.recall(asked(NEVER)).steps
    assert trace.steps[0] in memory.recall(asked(NEVER, item="ingot")).steps
    assert memory.recall(asked(NEVER, item="crown")) == memory.recall(asked(NEVER))


def test_a_success_that_nothing_can_be_said_of_is_an_empty_entry():
    memory, goal = EchoRelease(), Make(text="make anything", where="hands")
    live(memory, Trace().walk(), goal, reached=True)
    entry = memory.entries["make anything"]
    assert (entry.csd, entry.steps) == (None, ())
    assert all(not words for words in entry.bags.values())
    live(memory, Trace().dig("tree", log=1))
    assert memory.most_alike("log") == ("make anything",)


def test_no_entry_says_where_a_block_stands():
    memory = live(EchoRelease(), Trace(blocks=("tree",)).dig("tree", log=1))
    assert memory.recall(asked(NEVER, block="tree")) == Recalled()


def test_a_demonstration_is_a_task_done():
    memory = EchoRelease()
    memory.show(Trace(log=1).craft("log", plank=4).shown("make planks"))
    assert list(memory.entries) == ["plank", "make planks"]
    assert memory.entries["make planks"].csd is not None
