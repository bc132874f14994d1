from __future__ import annotations

from csd.encode import Encoder, HashingEncoder
from csd.episode import Craft, Place
from echo.agent.goal import Fell, Fill, Goal
from echo.agent.memory import Ended, Habits, Recalled
from echo.baselines.made import first_gains
from echo.baselines.voyager import RETRIEVED, Voyager
from tests.baselines.hand_made import ScriptedEncoder, Trace, asked, have

PLANKS = have("carry planks", plank=4)
LEFT, RIGHT = (0, 63, 1), (0, 63, 2)
GAP = Fill(text="fill the gap", cells=(LEFT, RIGHT))


def live(memory: Voyager, trace: Trace, goal: Goal = PLANKS, *, reached: bool = True) -> Ended:
    """Let the memory take in an episode as the agent of a cold start does: all that is new is fresh."""
    held = dict.fromkeys(trace.steps[0].before.inventory)
    for step in trace.steps:
        fresh = first_gains(step, held)
        held.update(dict.fromkeys(fresh))
        memory.take_in(step, fresh, trace.now)
    ended = trace.ended(goal, "reached" if reached else "budget")
    memory.close(ended)
    return ended


def voyager(*, encoder: Encoder | None = None, self_verification: bool = True) -> Voyager:
    return Voyager(encoder=encoder or HashingEncoder(), self_verification=self_verification)


def names(memory: Voyager) -> list[str]:
    return [skill.title for skill in memory.skills]


def test_a_skill_is_added_for_each_item_got_and_for_the_goal_reached() -> None:
    memory = voyager()
    live(memory, Trace(axe=1).hold("axe").dig("tree", log=1).craft("log", gain=1, plank=4))
    assert names(memory) == ["mine log", "craft plank", "carry planks"]
    assert [skill.description for skill in memory.skills] == [
        "mine log by digging tree with axe",
        "craft plank from log",
        "carry planks",
    ]


def test_descriptions_name_fuel_station_and_quarry() -> None:
    memory = voyager()
    trace = Trace(furnace=1, table=1, raw_ore=1, coal=1, log=3, sword=1)
    trace.put("furnace").smelt("raw_ore", "coal", ingot=1).put("table").craft("log", "log", "log", wood=2)
    live(memory, trace.hold("sword").fight("sheep", wool=1), have("other", other=1), reached=False)
    assert [skill.description for skill in memory.skills] == [
        "smelt ingot from raw ore, coal at furnace",
        "craft wood from log at table",
        "hunt wool by fighting sheep with sword",
    ]


def test_a_failed_attempt_adds_no_skill() -> None:
    memory = voyager()
    live(memory, Trace(log=2).craft("log", "log").dig("dust"), reached=False)
    assert names(memory) == []
    assert memory.recall(asked(PLANKS)) == Recalled()


def test_a_skill_of_the_same_name_is_replaced_and_the_versions_are_counted() -> None:
    memory = voyager()
    first = Trace(log=1).craft("log", gain=1, plank=4)
    second = Trace(wood=1).craft("wood", gain=1, plank=4)
    live(memory, first)
    live(memory, second)
    assert names(memory) == ["craft plank V2", "carry planks V2"]
    assert memory.recall(asked(PLANKS, item="plank")).steps == (second.steps[0],)


def test_a_known_item_that_was_not_fresh_replaces_nothing_while_an_item_without_a_skill_gets_one() -> None:
    memory = voyager()
    first = Trace(log=1).craft("log", plank=4)
    live(memory, first)
    memory.take_in(Trace(wood=1).craft("wood", plank=4).steps[0], [], first.now)
    memory.take_in(Trace(plank=1).craft("plank", stick=2).steps[0], [], first.now)
    assert names(memory) == ["craft plank", "carry planks", "craft stick"]


def test_an_item_got_in_another_manner_gets_a_second_skill_and_both_are_called() -> None:
    memory = voyager()
    found = Trace().dig("table", table=1)
    live(memory, found, have("other", other=1), reached=False)
    made = (
        Trace(plank=4, log=3).craft("plank", "plank", table=1).put("table").craft("log", "log", "log", wood=2)
    )
    for step, fresh in zip(made.steps, ([], [], ["wood"]), strict=True):
        memory.take_in(step, fresh, made.now)
    assert names(memory) == ["mine table", "craft table", "craft wood"]
    recalled = memory.recall(asked(PLANKS, item="wood")).steps
    assert recalled == (found.steps[0], made.steps[0], made.steps[2])


def test_only_the_five_nearest_are_retrieved() -> None:
    items = [f"item{n}" for n in range(7)]
    cosines = {f"mine {item} by digging rock{n}": 0.9 - 0.1 * n for n, item in enumerate(items)}
    memory = voyager(encoder=ScriptedEncoder(cosines, ("get it",)))
    trace = Trace()
    for n, item in enumerate(items):
        trace.dig(f"rock{n}", **{item: 1})
    live(memory, trace, have("other", other=1), reached=False)
    assert memory.recall(asked(PLANKS, item="it")).steps == tuple(trace.steps[:RETRIEVED])


def test_a_skill_that_ranks_sixth_comes_back_where_a_nearer_one_calls_it() -> None:
    cosines = {f"mine item{n} by digging rock{n}": 0.8 - 0.1 * n for n in range(4)}
    cosines |= {"craft stick from plank": 0.9, "craft plank from log": 0.1, "mine log by digging tree": 0.0}
    memory = voyager(encoder=ScriptedEncoder(cosines, ("get stick",)))
    trace = Trace().dig("tree", log=1).craft("log", plank=4)
    for n in range(4):
        trace.dig(f"rock{n}", **{f"item{n}": 1})
    live(memory, trace.craft("plank", stick=2), have("other", other=1), reached=False)
    assert memory.recall(asked(PLANKS, item="stick")).steps == tuple(trace.steps)


def test_what_is_called_is_the_skill_that_has_the_name_now() -> None:
    memory = voyager()
    live(memory, Trace(log=1).craft("log", plank=4).craft("plank", stick=2), have("other", other=1))
    newer = Trace(wood=1).craft("wood", plank=4)
    live(memory, newer, have("other", other=1))
    assert newer.steps[0] in memory.recall(asked(PLANKS, item="stick")).steps


def test_where_a_block_stands_no_skill_says() -> None:
    memory = voyager()
    live(memory, Trace().dig("tree", log=1))
    assert memory.recall(asked(PLANKS, block="tree")) == Recalled()


def test_a_skill_gone_through_again_shows_what_one_more_brings() -> None:
    memory = voyager()
    trace = Trace(furnace=1, ore=3, coal=2).put("furnace").smelt("ore", "coal", ingot=1)
    trace.smelt("ore", "coal", burns=False, ingot=1).dig("gravel", flint=1).dig("gravel", gravel=1)
    live(memory, trace, have("other", other=1), reached=False)
    assert {skill.name: len(skill.code) for skill in memory.skills} == {
        "smelt ingot": 2,
        "mine flint": 2,
        "mine gravel": 1,
    }


def test_tasks_are_listed_as_failed_until_they_succeed() -> None:
    memory = voyager()
    live(memory, Trace(log=1).dig("dust"), reached=False)
    live(memory, Trace(log=1).dig("dust"), reached=False)
    assert (memory.completed, memory.failed) == ([], ["carry planks"])
    live(memory, Trace(log=1).craft("log", gain=1, plank=4))
    live(memory, Trace(log=1).dig("dust"), reached=False)
    assert (memory.completed, memory.failed) == (["carry planks"], [])


def test_a_goal_without_items_gets_the_steps_that_brought_it_nearer() -> None:
    memory = voyager()
    gap = Fill(text="fill the gap", cells=((0, 63, 1),))
    trace = Trace(torch=1).dig("ground", dirt=1).put("torch", (0, 63, 1), gain=0)
    live(memory, trace.put("dirt", (0, 63, 1), gain=1), gap)
    dug, vain, put = trace.steps
    assert memory.recall(asked(gap)).steps == (vain, dug, put)
    fight = Fell(text="fell a spider", mob="spider", within=60)
    weapon = Trace(sword=1).fight("spider", gain=0).hold("sword").fight("spider", gain=1)
    live(memory, weapon, fight)
    assert weapon.steps[2] in memory.recall(asked(fight)).steps


def test_a_part_of_the_goal_that_was_reached_is_a_sub_task_done_though_the_goal_was_not() -> None:
    memory = voyager()
    trace = Trace(dirt=1, rock=1).put("dirt", LEFT, gain=1).put("rock", RIGHT, gain=1)
    live(memory, trace, GAP, reached=False)
    assert names(memory) == ["place dirt", "place rock"]
    assert [skill.description for skill in memory.skills] == [
        "fill the gap: place dirt",
        "fill the gap: place rock",
    ]
    assert memory.recall(asked(GAP)).steps == tuple(trace.steps)
    assert (memory.completed, memory.failed) == (["place dirt", "place rock"], ["fill the gap"])


def test_sub_tasks_that_failed_are_read_before_the_next_task_and_struck_once_they_succeed() -> None:
    memory = voyager()
    vain = Trace(sand=1).put("sand", LEFT, gain=0)
    live(memory, vain, GAP, reached=False)
    assert memory.failed == ["place sand", "fill the gap"]
    assert memory.recall(asked(GAP)).steps == (vain.steps[0],)
    assert memory.recall(asked(GAP, item="sand")).steps == ()
    put = Trace(sand=2).put("sand", LEFT, gain=1).put("sand", RIGHT, gain=0)
    live(memory, put, GAP, reached=False)
    assert (memory.completed, memory.failed) == (["place sand"], ["fill the gap"])
    assert memory.recall(asked(GAP)).steps == (put.steps[0],)


def test_a_fuel_that_did_not_burn_is_listed_and_a_grid_that_gave_nothing_is_not() -> None:
    memory = voyager()
    trace = Trace(sand=1, stone=1, log=2).smelt_in_vain("sand", "stone").craft("log", "log")
    live(memory, trace, have("carry glass", glass=1), reached=False)
    assert memory.failed == ["burn stone", "carry glass"]
    assert memory.recall(asked(have("carry glass", glass=1))).steps == (trace.steps[0],)


def test_without_self_verification_nothing_is_known_to_have_failed() -> None:
    memory = voyager(self_verification=False)
    live(memory, Trace(sand=1).put("sand", LEFT, gain=0), GAP, reached=False)
    assert memory.failed == []


def test_demonstrations_become_skills() -> None:
    memory = voyager()
    memory.show(Trace(log=1).craft("log", plank=4).shown("make planks"))
    memory.show(Trace(dirt=1).put("dirt", (0, 63, 1)).shown("fill the gap"))
    assert names(memory) == ["craft plank", "fill the gap"]


def test_a_skill_of_an_earlier_episode_is_not_drawn_out_any_more() -> None:
    memory = voyager()
    memory.show(Trace().dig("tree", log=1).shown("get a log"))
    again = Trace().dig("tree", log=1)
    memory.take_in(again.steps[0], [], again.now)
    assert [len(skill.code) for skill in memory.skills] == [1]


def test_with_self_verification_nothing_is_repeated_blindly() -> None:
    memory = voyager()
    live(memory, Trace(log=1).craft("log", gain=1, plank=4))
    assert memory.habits == Habits()
    assert memory.recall(asked(PLANKS)).plan == ()


def test_without_self_verification_a_failure_replaces_what_worked_and_is_repeated() -> None:
    memory = voyager(self_verification=False)
    worked = Trace(log=1).craft("log", gain=1, plank=4)
    live(memory, worked)
    assert memory.habits == Habits(replans=False)
    assert memory.recall(asked(PLANKS)).plan == (worked.steps[0].action,)
    failed = Trace(plank=2).dig("dust").craft("plank", stick=2).walk().craft("stick", "stick")
    live(memory, failed, reached=False)
    assert names(memory) == ["craft plank", "carry planks V2", "craft stick"]
    recalled = memory.recall(asked(PLANKS))
    assert recalled.plan == tuple(step.action for step in failed.steps[1:])
    assert all(step.outcome.ok for step in recalled.steps)
    assert memory.recall(asked(PLANKS, item="plank")).plan == ()


def test_recalling_changes_no_later_answer_and_equal_lives_answer_equally() -> None:
    first, second = voyager(), voyager()
    for memory in (first, second):
        live(memory, Trace().dig("tree", log=1).craft("log", gain=1, plank=4))
    once = first.recall(asked(PLANKS))
    assert first.recall(asked(PLANKS)) == once == second.recall(asked(PLANKS))
    assert [type(step.action) for step in once.steps][-1] is Craft
    assert not any(isinstance(step.action, Place) for step in once.steps)
