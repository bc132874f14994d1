from __future__ import annotations

from dataclasses import replace

from csd.episode import Attack, Collect, Craft, GoTo, Mine, Place
from echo.agent.goal import Fell, Fill, Make
from echo.baselines.mfm_deeds import Course, Deed, course, deeds_of
from tests.baselines.hand_made import Trace, have

PICK = have("carry pick", pick=1)
CELLS = ((5, 64, 5), (6, 64, 5))


def pick_trace() -> Trace:
    """Two logs too many, a grid in vain, a flower, a table, sticks, a pick."""
    trace = Trace(("tree", "flower"))
    for _ in range(4):
        trace.dig("tree", log=1)
    trace.craft("log", "log").dig("flower", poppy=1).walk()
    for _ in range(3):
        trace.craft("log", plank=4)
    trace.craft("plank", "plank", "plank", "plank", table=1).craft("plank", "plank", stick=4)
    return trace.put("table").craft("plank", "plank", "plank", "stick", "stick", pick=1)


def kinds(found: Course | None) -> list[str]:
    assert found is not None
    return [deed.action.kind for deed in found.deeds]


def test_what_failed_walked_or_moved_is_no_deed() -> None:
    assert [deed.action.kind for deed in deeds_of(pick_trace().steps, PICK)] == [
        *["collect"] * 5,
        *["craft"] * 5,
        "place",
        "craft",
    ]


def test_a_course_is_cut_down_to_what_the_goal_takes() -> None:
    # 4 planks for the table, 2 for sticks and 3 for the pick: 9, of three crafts that take a log each.
    found = course(deeds_of(pick_trace().steps, PICK), PICK, {})
    assert kinds(found) == [*["collect"] * 3, *["craft"] * 5, "place", "craft"]
    assert found is not None
    assert found.missing == {}
    assert found.stations == ()
    assert all(deed.action != Collect(block="flower") for deed in found.deeds)


def test_what_is_in_stock_is_used_first() -> None:
    # With 5 planks in stock 4 of 9 are wanted: one craft of one log.
    found = course(deeds_of(pick_trace().steps, PICK), PICK, {"plank": 5})
    assert kinds(found) == ["collect", "craft", "craft", "craft", "place", "craft"]


def test_what_no_deed_brings_is_missing() -> None:
    trace = Trace(log=1).craft("log", plank=4)
    goal = have("carry planks and a feather", plank=6, feather=1)
    found = course(deeds_of(trace.steps, goal), goal, {})
    assert found is not None
    assert found.missing == {"feather": 1, "log": 1, "plank": 2}


def test_deeds_that_bring_nothing_of_the_goal_are_no_course() -> None:
    assert course(deeds_of(Trace(("tree",)).dig("tree", log=1).steps, PICK), PICK, {}) is None


def test_a_station_that_nobody_put_down_must_be_there() -> None:
    trace = Trace(plank=3, stick=2)
    trace._stations["table"] = "grid3"
    trace.craft("plank", "plank", "plank", "stick", "stick", pick=1)
    found = course(deeds_of(trace.steps, PICK), PICK, {"plank": 3, "stick": 2})
    assert found is not None
    assert found.stations == ("table",)


def test_a_tool_that_digs_is_made_before_and_one_that_is_none_is_left_out() -> None:
    trace = Trace(("rock",), plank=1, feather=1)
    trace.craft("plank", pick=1).hold("feather").dig("rock").hold("pick").dig("rock", stone=1)
    goal = have("carry stone", stone=1)
    found = course(deeds_of(trace.steps, goal), goal, {"plank": 1})
    assert found is not None
    assert [(deed.action.kind, deed.tool) for deed in found.deeds] == [("craft", None), ("collect", "pick")]


def test_digging_a_cell_becomes_digging_a_block() -> None:
    trace = Trace(("tree",)).dig("tree", log=1)
    step = replace(trace.steps[0], action=Mine(target=(1, 2, 3)))
    assert deeds_of([step], PICK) == [Deed(action=Collect(block="tree"), gained={"log": 1})]


def test_of_several_things_put_into_a_cell_the_last_one_carried() -> None:
    goal = Fill(text="fill", cells=CELLS)
    trace = Trace(flower=1, stone=2).put("flower", CELLS[0], gain=0).walk(CELLS[0]).walk()
    trace.put("stone", CELLS[0], gain=1).put("stone", CELLS[1], gain=1)
    found = course(deeds_of(trace.steps, goal), goal, {})
    assert found is not None
    assert [deed.action for deed in found.deeds] == [
        GoTo(target=CELLS[0]),
        Place(item="stone", target=CELLS[0]),
        Place(item="stone", target=CELLS[1]),
    ]
    assert found.missing == {"stone": 2}


def test_a_gap_that_was_not_filled_is_no_course() -> None:
    goal = Fill(text="fill", cells=CELLS)
    assert course(deeds_of(Trace(stone=1).put("stone", CELLS[0]).steps, goal), goal, {}) is None


def test_the_last_fight_is_kept_with_its_weapon() -> None:
    goal = Fell(text="fell", mob="spider", within=10)
    trace = Trace(axe=1, sword=1).hold("axe").fight("spider").hold("sword").fight("spider")
    found = course(deeds_of(trace.steps, goal), goal, {})
    assert found is not None
    assert found.deeds == (Deed(action=Attack(mob="spider"), tool="sword"),)
    assert found.missing == {"sword": 1}


def test_the_last_thing_made_in_the_asked_place_is_kept() -> None:
    trace = Trace(("tree",)).dig("tree", log=1).dig("tree", log=1).craft("log", plank=4)
    made = Make(text="make", where="hands")
    found = course(deeds_of(trace.steps, made), made, {})
    assert found is not None
    assert [deed.action for deed in found.deeds] == [Collect(block="tree"), Craft(grid=(("log",),))]
    assert course(deeds_of(trace.steps, made), Make(text="make", where="fire"), {}) is None
