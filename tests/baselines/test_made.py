from __future__ import annotations

from echo.agent.goal import Fell, Fill, Make
from echo.baselines.made import (
    advances,
    distinct,
    first_gains,
    gained,
    needed,
    part_tried,
    parts_reached,
    repeats,
    station_used,
    way_to,
)
from tests.baselines.hand_made import Trace, have


def to_a_pick() -> Trace:
    trace = Trace().dig("tree", log=1).dig("tree", log=1).dig("grass", seeds=1).craft("log", plank=4)
    trace.craft("plank", "plank", stick=4).craft("log", plank=4).craft("plank", "plank", table=1)
    trace.put("table").craft("plank", "plank", "plank", "stick", pick=1)
    return trace.hold("pick").dig("rock", stone=1)


def test_the_parts_of_a_goal_are_named_by_what_was_tried_in_them() -> None:
    gap = Fill(text="fill the gap", cells=((0, 63, 1),))
    filling = Trace(oak_log=2, table=1).put("table").put("oak_log", (0, 63, 1), gain=0)
    assert [part_tried(step, gap) for step in filling.steps] == [None, "place oak log"]
    spider = Fell(text="fell a spider", mob="cave_spider", within=60)
    fighting = Trace(sword=1).fight("sheep").fight("cave_spider").hold("sword").fight("cave_spider")
    assert [part_tried(step, spider) for step in fighting.steps] == [
        None,
        "fight cave spider with bare hands",
        None,
        "fight cave spider with sword",
    ]
    assert part_tried(fighting.steps[1], have("carry string", string=1)) is None


def test_a_part_is_reached_by_the_latest_step_that_brought_the_goal_nearer() -> None:
    gap = Fill(text="fill the gap", cells=((0, 63, 1), (0, 63, 2)))
    trace = Trace(dirt=2, sand=1, rock=1).put("dirt", (0, 63, 1), gain=1).put("rock", (0, 63, 2), gain=1)
    trace.put("sand", (0, 63, 2), gain=0).put("dirt", (0, 63, 2), gain=1)
    assert parts_reached(trace.steps, gap) == {"place rock": trace.steps[1], "place dirt": trace.steps[3]}
    assert list(parts_reached(trace.steps, gap)) == ["place rock", "place dirt"]
    assert parts_reached(trace.steps, have("carry dirt", dirt=1)) == {}


def test_what_a_step_gained_are_the_counts_that_rose() -> None:
    (step,) = Trace(log=1).craft("log", plank=4).steps
    assert gained(step) == ("plank",)
    assert first_gains(step, {"plank": 1}) == ()


def test_a_step_needs_its_inputs_its_fuel_its_tool_and_its_station() -> None:
    trace = to_a_pick()
    assert needed(trace.steps[8]) == ("plank", "stick", "table")
    assert needed(trace.steps[10]) == ("pick",)
    smelting = Trace(furnace=1, ore=1, coal=1).put("furnace").smelt("ore", "coal", iron=1).steps[1]
    assert needed(smelting) == ("ore", "coal", "furnace")
    assert station_used(smelting) == "furnace"


def test_a_small_grid_needs_no_station_even_beside_one() -> None:
    step = Trace(table=1, log=1).put("table").craft("log", plank=4).steps[1]
    assert station_used(step) is None


def test_the_way_to_an_item_leaves_out_what_did_not_serve_it() -> None:
    trace = to_a_pick()
    kept = way_to(trace.steps, {"stone": 1})
    assert kept == tuple(step for step in trace.steps if "seeds" not in step.outcome.inventory_delta)


def test_the_way_counts_only_as_many_as_are_needed() -> None:
    trace = Trace().dig("tree", log=1).dig("tree", log=1).dig("tree", log=1)
    assert way_to(trace.steps, {"log": 2}) == tuple(trace.steps[1:])


def test_what_was_carried_at_the_start_needs_no_step() -> None:
    trace = Trace(log=1).craft("log", plank=4)
    assert way_to(trace.steps, {"plank": 4, "log": 1}) == tuple(trace.steps)


def test_the_walk_to_a_station_belongs_to_the_way_and_other_walks_do_not() -> None:
    trace = Trace().walk().dig("grass", seeds=1).walk().dig("tree", log=1)
    assert way_to(trace.steps, {"log": 1}) == tuple(trace.steps[2:])


def test_each_dig_keeps_the_taking_in_hand_of_its_own_tool() -> None:
    trace = Trace(axe=1, pick=1).hold("axe").dig("tree", log=1).hold("pick").dig("rock", stone=1)
    assert way_to(trace.steps, {"log": 1}) == tuple(trace.steps[:2])
    assert way_to(trace.steps, {"log": 1, "stone": 1}) == tuple(trace.steps)


def test_a_goal_of_places_is_advanced_by_the_steps_that_say_so() -> None:
    goal = Fill(text="fill the gap", cells=((0, 63, 1), (0, 63, 2)))
    trace = Trace(torch=1, dirt=2).put("torch", (0, 63, 1), gain=0)
    trace.put("dirt", (0, 63, 1), gain=1).put("dirt", (0, 63, 2), gain=1)
    ends = advances(trace.steps, goal)
    assert ends == tuple(trace.steps[1:])
    assert way_to(trace.steps, {}, ends) == ends


def test_a_goal_of_items_is_advanced_by_the_last_step_that_brought_each() -> None:
    trace = Trace().dig("tree", gain=0, log=1).dig("tree", gain=0, log=1).craft("log", plank=4)
    assert advances(trace.steps, have("carry logs", log=2)) == (trace.steps[1],)
    assert advances(trace.steps, Make(text="make something", where="hands")) == ()


def test_what_shows_the_same_is_kept_once_but_all_smelting_stays() -> None:
    trace = Trace(ore=2, coal=1).dig("tree", log=1).dig("tree", log=1).dig("tree")
    trace.smelt("ore", "coal", iron=1).smelt("ore", "coal", burns=False, iron=1)
    assert distinct(trace.steps) == (trace.steps[0], *trace.steps[2:])


def test_digging_with_another_tool_is_no_repetition() -> None:
    trace = Trace(pick=1).dig("rock").dig("rock").hold("pick").dig("rock", stone=1)
    assert repeats(trace.steps[0], trace.steps[1])
    assert not repeats(trace.steps[0], trace.steps[3])
