from __future__ import annotations

from dataclasses import replace

from csd.episode import Collect, Craft, Observation, Outcome, Place, Smelt, Step
from echo.agent.arrangement import Arrangement
from echo.agent.attempt import check, in_vain, names_seen
from echo.agent.knowledge import Knowledge, Way
from tests.agent.attempting import Setting, carried, idea, kinds, proposal, task
from tests.agent.toy_world import TOOL_USES, ToyWorld

WALL = Arrangement("AA/AA", ("stone",))


def test_what_is_missing_is_gathered_and_made_before_the_grid_is_laid():
    at = Setting(ToyWorld())
    at.do(Collect(block="tree"), Craft(grid=(("log",),)))
    at.attempter.attempt(proposal(Arrangement("AA/AA", ("plank",))))
    assert kinds(at.world) == ["craft"]
    at.attempter.attempt(proposal(Arrangement("AA/AA", ("log",))))
    assert kinds(at.world) == ["craft", *["collect"] * 4, "craft"]


def test_a_tool_that_breaks_during_preparation_is_made_again_and_the_attempt_goes_on():
    at = Setting(ToyWorld(held={"table": 1, "plank": 20, "rod": 20}))
    at.known.offers["table"] = "grid3"
    at.body.reach("grid3")
    at.do(Craft(grid=(("plank",) * 3, (None, "rod", None), (None, "rod", None))))
    at.body.hold("pick")
    at.do(Collect(block="rock"))
    at.attempter.attempt(proposal(Arrangement("AAA/A.A/AAA", ("stone",))))
    # One stone is there; the first pick lasts for three more, the second for the other four.
    assert TOOL_USES == 4
    assert kinds(at.world) == [*["collect"] * 3, "craft", "equip", *["collect"] * 4, "craft"]
    assert at.world.held["oven"] == 1


def test_an_arrangement_that_gave_nothing_is_told_to_memory_and_explorer():
    at = Setting(ToyWorld(held={"stone": 4}))
    at.attempter.attempt(idea(WALL))
    assert at.policy.told == [("judged", WALL, False, False), ("failed", WALL)]
    assert at.known.tried(WALL)
    assert at.chronicle.attempts == {"transfer": {"tried": 1, "made": 0, "new": 0, "rejected": 0}}


def test_an_idea_that_was_tried_already_is_not_tried_again():
    at = Setting(ToyWorld(held={"stone": 4}))
    at.attempter.attempt(proposal(WALL))
    at.world.done.clear()
    at.policy.told.clear()
    at.attempter.attempt(idea(WALL))
    assert at.world.done == []
    assert at.policy.told == [("failed", WALL), ("aside", WALL, None)]


def test_an_idea_that_cannot_be_prepared_is_set_aside_until_more_ways_are_known():
    at = Setting(ToyWorld())
    at.attempter.attempt(idea(WALL))
    assert at.policy.told == [("aside", WALL, 0)]
    assert at.world.done == []


def test_the_credit_of_an_idea_goes_to_the_unlock_it_brought():
    at = Setting(ToyWorld(held={"log": 1}))
    at.attempter.attempt(idea(Arrangement("A", ("log",))))
    (unlock,) = at.chronicle.unlocks
    assert (unlock.item, unlock.source, unlock.axes, unlock.exemplars) == (
        "plank",
        "transfer",
        {"func": 1.0},
        ("csd_0",),
    )
    assert at.policy.told == [("judged", Arrangement("A", ("log",)), True, True)]


def test_what_comes_up_on_the_way_is_no_merit_of_the_idea():
    at = Setting(ToyWorld())
    planks = Arrangement("A", ("log",))
    at.known.ways["plank"] = [Way(verb="craft", product="plank", inputs=(("log", 1),), yields=4, grid=planks)]
    at.do(Collect(block="tree"))
    at.attempter.attempt(idea(Arrangement("AA/AA", ("plank",))))
    assert [(one.item, one.source, one.exemplars) for one in at.chronicle.unlocks] == [
        ("log", "collect", ()),
        ("plank", "exploration", ()),
        ("table", "transfer", ("csd_0",)),
    ]
    assert at.chronicle.unlocks[1].detail == "on the way to AA/AA of plank"


def test_something_that_burns_is_found_by_trying_what_is_held_most_of_first():
    at = Setting(ToyWorld(held={"oven": 1, "log": 2, "rod": 9, "plank": 3}))
    at.known.offers["oven"] = "smelt"
    at.attempter.attempt(proposal(Arrangement.smelting("log")))
    smelts = [(action, code) for action, code in at.world.done if isinstance(action, Smelt)]
    assert smelts == [
        (Smelt(input="log", fuel="rod"), "not_fuel"),
        (Smelt(input="log", fuel="plank"), "ok"),
    ]
    assert [one.item for one in at.chronicle.unlocks] == ["coal"]


def test_without_anything_that_burns_smelting_is_set_aside():
    at = Setting(ToyWorld(held={"oven": 1, "log": 2, "rod": 9}))
    at.known.offers["oven"] = "smelt"
    at.attempter.attempt(idea(Arrangement.smelting("log")))
    assert at.policy.told == [("aside", Arrangement.smelting("log"), 0)]
    assert not at.known.tried(Arrangement.smelting("log"))


def test_a_task_with_a_name_never_seen_is_rejected_for_good_and_counted():
    at = Setting(ToyWorld(held={"log": 4}))
    unheard_of = Arrangement("AA/AA", ("marble",))
    at.attempter.attempt(carried(unheard_of))
    assert at.policy.told == [("aside", unheard_of, None)]
    assert at.chronicle.attempts == {"transfer": {"tried": 0, "made": 0, "new": 0, "rejected": 1}}
    assert at.world.done == []


def test_smelting_again_what_gave_nothing_is_rejected():
    at = Setting(ToyWorld(held={"oven": 1, "stone": 2, "plank": 3}))
    at.known.offers["oven"] = "smelt"
    at.known.smelted["stone"] = None
    at.attempter.attempt(carried(Arrangement.smelting("stone")))
    assert at.policy.told == [("aside", Arrangement.smelting("stone"), None)]
    assert at.world.done == []


def test_a_task_without_support_is_rejected():
    at = Setting(ToyWorld(held={"log": 1}))
    planks = Arrangement("A", ("log",))
    at.attempter.attempt(replace(idea(planks), task=replace(task(planks), support=())))
    assert at.chronicle.attempts["transfer"]["rejected"] == 1


def test_what_is_missing_of_a_task_is_gathered_and_it_is_tried():
    at = Setting(ToyWorld())
    at.do(Collect(block="tree"), Craft(grid=(("log",),)))
    at.attempter.attempt(carried(Arrangement("AA/AA", ("log",))))
    assert kinds(at.world) == [*["collect"] * 4, "craft"]
    assert at.chronicle.attempts["transfer"] == {"tried": 1, "made": 0, "new": 0, "rejected": 0}


def test_a_check_tells_what_preparation_can_mend_from_what_it_cannot():
    known = Knowledge(items=["log"], index={"log": 0})
    short = check(task(Arrangement("AA/AA", ("log",))), {"log": 3}, known)
    assert [one.kind for one in short.findings] == ["need_unmet"]
    assert short.mendable
    big = check(task(Arrangement("AAA", ("log",))), {"log": 3}, known)
    assert [one.kind for one in big.findings] == ["station_missing"]
    known.grids[Arrangement("AAA", ("log",))] = None
    again = check(task(Arrangement("AAA", ("log",))), {"log": 3}, known)
    assert [one.kind for one in again.findings] == ["contradicts_memory", "station_missing"]
    assert not again.mendable


def test_what_gave_something_was_not_in_vain():
    known = Knowledge(smelted={"log": "coal", "stone": None})
    known.grids[Arrangement("A", ("log",))] = "plank"
    assert not in_vain(Arrangement("A", ("log",)), known)
    assert not in_vain(Arrangement("A", ("stone",)), known)
    assert not in_vain(Arrangement.smelting("log"), known)
    assert in_vain(Arrangement.smelting("stone"), known)


def test_names_in_a_demonstration_count_as_seen():
    known = Knowledge()
    known.watch(
        Step(
            before=seen_by_another(),
            action=Craft(grid=(("marble",),)),
            outcome=Outcome(code="ok", message="", inventory_delta={"marble": -1, "tile": 4}),
        )
    )
    assert list(names_seen(known)) == ["tile", "marble"]


def seen_by_another() -> Observation:
    return replace(ToyWorld().observe(), blocks={})


def test_what_the_fire_is_put_down_from_is_no_fuel_for_it():
    at = Setting(ToyWorld(held={"oven": 1, "log": 2, "plank": 1}))
    at.known.offers["oven"] = "smelt"
    at.attempter.attempt(proposal(Arrangement.smelting("log")))
    # The oven comes first by name, and there is one of each; but it stands.
    assert at.world.done == [(Place(item="oven"), "ok"), (Smelt(input="log", fuel="plank"), "ok")]


def test_where_the_fire_cannot_be_put_down_smelting_is_set_aside_and_nothing_burnt():
    world = ToyWorld(held={"oven": 1, "log": 2, "plank": 1})
    world.rules = replace(world.rules, stations={})
    at = Setting(world)
    at.known.offers["oven"] = "smelt"
    at.attempter.attempt(idea(Arrangement.smelting("log")))
    assert world.done == [(Place(item="oven"), "not_placeable")]
    assert at.policy.told == [("aside", Arrangement.smelting("log"), 0)]


def test_what_is_known_to_burn_comes_before_what_is_held_most_of():
    at = Setting(ToyWorld(held={"oven": 1, "log": 2, "rod": 9, "plank": 3}))
    at.known.offers["oven"] = "smelt"
    # Coal would burn too, for less; there is none.
    at.known.fuels.update({"coal": [8, 1], "plank": [1, 1]})
    at.attempter._try(Arrangement.smelting("log"))
    assert at.world.done == [(Place(item="oven"), "ok"), (Smelt(input="log", fuel="plank"), "ok")]
