from __future__ import annotations

import pytest

from csd.encode import HashingEncoder
from csd.episode import Observation
from echo.agent.goal import Fill
from echo.agent.memory import Habits, Recalled
from echo.baselines.jarvis import RECALLED, Jarvis1, likeness
from tests.baselines.hand_made import ScriptedEncoder, Trace, asked, have, seen

BED = have("carry a bed", bed=1)


def from_wool() -> Trace:
    return Trace(wool=3, plank=3).craft("wool", "wool", "wool", "plank", "plank", "plank", gain=1, bed=1)


def from_sheep() -> Trace:
    trace = Trace(sword=1, plank=3).hold("sword")
    for _ in range(3):
        trace.fight("sheep", wool=1)
    return trace.craft("wool", "wool", "wool", "plank", "plank", "plank", gain=1, bed=1)


def jarvis(*, self_check: bool = True) -> Jarvis1:
    return Jarvis1(encoder=HashingEncoder(), self_check=self_check)


def two_beds(*, self_check: bool = True) -> Jarvis1:
    memory = jarvis(self_check=self_check)
    for trace in (from_wool(), from_sheep()):
        memory.close(trace.ended(BED))
    return memory


def test_the_same_task_is_answered_differently_in_different_states() -> None:
    memory = two_beds()
    rich = memory.nearest(asked(BED, wool=3, plank=2))
    poor = memory.nearest(asked(BED, sword=1))
    assert [plan.task for plan in (*rich[:2], *poor[:2])] == [BED.text] * 4
    assert rich[0].steps == tuple(from_wool().steps)
    assert poor[0].steps == tuple(from_sheep().steps)


def test_parts_reached_without_the_whole_are_a_plan_of_the_same_task_told_by_state() -> None:
    gap = Fill(text="fill the gap", cells=((0, 63, 1), (0, 63, 2)))
    memory = jarvis()
    half = Trace(dirt=1, sand=1).put("dirt", (0, 63, 1), gain=1).put("sand", (0, 63, 2), gain=0)
    memory.close(half.ended(gap, "budget"))
    whole = Trace(rock=2).put("rock", (0, 63, 1), gain=1).put("rock", (0, 63, 2), gain=1)
    memory.close(whole.ended(gap))
    assert [plan.steps for plan in memory.nearest(asked(gap, dirt=1, sand=1))] == [
        (half.steps[0],),
        tuple(whole.steps),
    ]
    memory.close(Trace(sand=1).put("sand", (0, 63, 1), gain=0).ended(gap, "budget"))
    assert len(memory.plans) == 2


def test_another_task_in_the_very_same_state_does_not_come_before_the_asked_one() -> None:
    memory = jarvis()
    memory.close(from_wool().ended(BED))
    sticks = Trace(sword=1).craft("sword", stick=2)
    memory.close(sticks.ended(have("carry sticks", stick=2)))
    assert memory.nearest(asked(BED, sword=1))[0].task == BED.text


def test_an_entry_holds_steps_initial_inventory_and_position() -> None:
    memory = jarvis()
    memory.close(from_sheep().ended(BED))
    plan = next(plan for plan in memory.plans if plan.task == BED.text)
    assert [step.action.kind for step in plan.steps] == ["equip", "attack", "attack", "attack", "craft"]
    assert {item: stack.count for item, stack in plan.start.inventory.items()} == {"sword": 1, "plank": 3}
    assert plan.start.position == (0.5, 64.0, 0.5)


def test_only_successful_plans_are_kept() -> None:
    memory = jarvis()
    failed = Trace(plank=3).craft("plank", "plank").dig("dust")
    memory.close(failed.ended(BED, "budget"))
    assert memory.plans == ()
    assert memory.recall(asked(BED)) == Recalled()


def test_a_plan_leaves_out_what_did_not_serve_the_task() -> None:
    memory = jarvis()
    trace = Trace(wool=3, plank=3).dig("grass", seeds=1).craft("plank", "plank")
    trace.craft("wool", "wool", "wool", "plank", "plank", "plank", gain=1, bed=1)
    memory.close(trace.ended(BED))
    plan = next(plan for plan in memory.plans if plan.task == BED.text)
    assert plan.steps == (trace.steps[2],)


def test_every_item_first_got_counts_as_a_task_of_its_own_even_in_a_failed_episode() -> None:
    memory = jarvis()
    trace = Trace(stick=1).dig("tree", log=1).craft("log", plank=4).craft("plank", "plank", stick=4)
    memory.close(trace.ended(BED, "budget"))
    assert [plan.task for plan in memory.plans] == ["get log", "get plank"]
    assert memory.recall(asked(BED, item="plank")).steps == tuple(trace.steps[:2])


def test_the_nearest_five_plans_come_back_the_nearest_last() -> None:
    items = [f"item{n}" for n in range(RECALLED + 2)]
    cosines = {f"get {item}": 0.9 - 0.1 * n for n, item in enumerate(items)}
    memory = Jarvis1(encoder=ScriptedEncoder(cosines, ("get it",)))
    trace = Trace()
    for n, item in enumerate(items):
        trace.dig(f"rock{n}", **{item: 1})
    memory.close(trace.ended(BED, "budget"))
    assert memory.recall(asked(BED, item="it")).steps == tuple(reversed(trace.steps[:RECALLED]))


def test_the_same_plan_from_the_same_inventory_is_kept_once_the_latest() -> None:
    memory = jarvis()
    latest = from_wool()
    for trace in (from_wool(), latest):
        memory.close(trace.ended(BED))
    assert [plan.task for plan in memory.plans] == ["get bed", BED.text]
    assert memory.plans[0].steps[0] is latest.steps[0]


def test_a_goal_without_items_is_kept_with_the_steps_that_brought_it_nearer() -> None:
    gap = Fill(text="fill the gap", cells=((0, 63, 1),))
    trace = Trace(torch=1).dig("ground", dirt=1).put("torch", (0, 63, 1), gain=0)
    trace.put("dirt", (0, 63, 1), gain=1)
    memory = jarvis()
    memory.close(trace.ended(gap))
    assert memory.nearest(asked(gap))[0].steps == (trace.steps[0], trace.steps[2])


def test_demonstrations_are_its_plan_library() -> None:
    memory = jarvis()
    memory.show(from_wool().shown("make a bed"))
    memory.show(Trace(sword=1).fight("spider").shown("fell a spider"))
    assert [plan.task for plan in memory.plans] == ["get bed", "fell a spider"]
    assert memory.recall(asked(BED, wool=3)).steps[-1] == from_wool().steps[0]


def test_where_a_block_stands_no_plan_says() -> None:
    assert two_beds().recall(asked(BED, block="tree")) == Recalled()


def test_without_self_check_the_nearest_plan_is_repeated_blindly_whatever_is_carried() -> None:
    memory = two_beds(self_check=False)
    assert memory.habits == Habits(checks=False, replans=False)
    plan = memory.recall(asked(BED, sword=1)).plan
    assert plan == tuple(step.action for step in from_sheep().steps)
    assert memory.recall(asked(BED, item="bed", sword=1)).plan == ()
    assert memory.recall(asked(have("carry a boat", boat=1))).plan == ()


def test_with_self_check_plans_are_made_from_what_is_carried() -> None:
    memory = two_beds()
    assert memory.habits == Habits()
    assert memory.recall(asked(BED, sword=1)).plan == ()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (seen(), seen(), 1.0),
        (seen({"wool": 3}), seen({"wool": 3}), 1.0),
        (seen({"wool": 3}), seen({"wool": 1, "log": 1}), 0.75 * 1 / 4 + 0.25),
        (seen({"wool": 3}), seen(), 0.25),
        (seen({}, blocks=("tree", "rock")), seen({}, blocks=("tree",)), 0.75 + 0.25 / 2),
    ],
)
def test_states_are_alike_by_what_is_carried_and_less_by_what_is_seen(
    one: Observation, other: Observation, expected: float
) -> None:
    assert likeness(one, other) == likeness(other, one) == pytest.approx(expected)


def test_recalling_changes_no_later_answer_and_equal_lives_answer_equally() -> None:
    first, second = two_beds(), two_beds()
    once = first.recall(asked(BED, plank=1))
    assert first.recall(asked(BED, plank=1)) == once == second.recall(asked(BED, plank=1))
