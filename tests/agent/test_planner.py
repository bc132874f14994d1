from __future__ import annotations

from collections import Counter

from echo.agent.arrangement import Arrangement
from echo.agent.knowledge import Digging, Knowledge, Way
from echo.agent.planner import UNREACHABLE, Planner, Prices

PICK = Arrangement("AAA/.B./.B.", ("plank", "rod"))


def dug(block: str, item: str, tool: str | None, digs: int = 1, got: int = 1) -> dict[str | None, Digging]:
    return {tool: Digging(digs=digs, ticks=20, drops=Counter({item: got}))}


def craft(product: str, rows: str, *fillers: str, yields: int = 1) -> Way:
    grid = Arrangement(rows, fillers)
    return Way(verb="craft", product=product, inputs=tuple(grid.needs().items()), yields=yields, grid=grid)


def knowing() -> Knowledge:
    """Return knowledge of wood, a table in reach of the hands, and stone that needs a pick."""
    return Knowledge(
        ways={
            "log": [Way(verb="collect", product="log", block="tree")],
            "plank": [craft("plank", "A", "log", yields=4)],
            "rod": [craft("rod", "A/A", "plank", yields=4)],
            "table": [craft("table", "AA/AA", "plank")],
            "pick": [craft("pick", *PICK[:1], *PICK.fillers)],
            "stone": [Way(verb="collect", product="stone", block="rock")],
        },
        digging={"tree": dug("tree", "log", None), "rock": dug("rock", "stone", "pick")},
        last_seen={"tree": (1, 64, 0), "rock": (2, 64, 0)},
        offers={"table": "grid3"},
        stack_size={"pick": 1, "log": 64, "plank": 64, "rod": 64, "table": 64, "stone": 64},
    )


def plan(known: Knowledge, wanted: dict[str, int], held: dict[str, int]) -> list[tuple[str, int]] | None:
    tasks = Planner(known, Prices(known)).for_items(wanted, held)
    return None if tasks is None else [(task.way.product, task.times) for task in tasks]


def test_prices_add_up_what_goes_in_and_share_out_what_comes_out():
    prices = Prices(knowing())
    assert prices.of("log") == 1.0
    assert prices.of("plank") == 0.5
    assert prices.of("rod") == (1 + 2 * 0.5) / 4
    assert prices.of("table") == 1 + 4 * 0.5
    assert prices.of("pick") == 1 + 3 * 0.5 + 2 * 0.5
    # One twentieth of the pick goes into each stone.
    assert prices.of("stone") == 1 + 0.05 * 3.5
    assert prices.of("gold") == UNREACHABLE


def test_what_is_held_is_used_before_more_is_made():
    assert plan(knowing(), {"plank": 3}, {"plank": 3}) == []
    assert plan(knowing(), {"plank": 3}, {"plank": 2}) == [("log", 1), ("plank", 1)]


def test_a_plan_gathers_before_it_makes_and_brings_its_own_station():
    known = knowing()
    tasks = Planner(known, Prices(known)).for_arrangement(PICK, {})
    assert tasks is not None
    assert [(task.way.product, task.times) for task in tasks] == [
        # Each need is planned for by itself: station, heads, handles.
        ("log", 1),
        ("plank", 1),
        ("table", 1),
        ("log", 1),
        ("plank", 1),
        ("log", 1),
        ("plank", 1),
        ("rod", 1),
    ]


def test_a_block_that_only_a_tool_opens_has_the_tool_made_first():
    steps = plan(knowing(), {"stone": 2}, {"plank": 3, "rod": 2, "table": 1})
    assert steps == [("pick", 1), ("stone", 2)]
    assert plan(knowing(), {"stone": 2}, {"pick": 1}) == [("stone", 2)]


def test_ways_that_lead_in_a_circle_are_no_plan():
    known = Knowledge(
        ways={
            "block": [craft("block", "AAA/AAA/AAA", "ingot")],
            "ingot": [craft("ingot", "A", "block", yields=9)],
        },
        offers={"table": "grid3"},
    )
    assert plan(known, {"ingot": 1}, {}) is None


def test_a_block_out_of_sight_for_ever_gives_no_plan():
    known = knowing()
    del known.last_seen["tree"]
    assert plan(known, {"log": 1}, {}) is None


def test_smelting_plans_for_its_fuel_and_its_station():
    known = knowing()
    known.ways["oven"] = [craft("oven", "AAA/A.A/AAA", "stone")]
    known.offers["oven"] = "smelt"
    known.fuels["plank"] = [2, 1]
    tasks = Planner(known, Prices(known)).for_arrangement(Arrangement.smelting("log"), {"oven": 1})
    assert tasks is not None
    assert [task.way.product for task in tasks] == ["log", "log", "plank"]


def test_prices_follow_new_ways_only_when_there_is_news():
    known = knowing()
    prices = Prices(known)
    prices.catch_up(news=False)
    known.digging["tree"] = dug("tree", "log", None, digs=4)
    prices.catch_up(news=False)
    assert prices.of("log") == 1.0
    prices.catch_up(news=True)
    assert prices.of("log") == 4.0
    known.ways["bowl"] = [craft("bowl", "A.A/.A.", "plank")]
    prices.catch_up(news=False)
    assert prices.of("bowl") < UNREACHABLE


HIDE = Way(verb="attack", product="hide", yields=2, mob="cow")


def test_a_creature_in_sight_is_a_way_and_costs_one_fight_for_all_it_leaves():
    known = Knowledge(ways={"hide": [HIDE]}, creatures={"cow": None})
    assert Prices(known).of("hide") == 0.5
    (task,) = Planner(known, Prices(known)).for_items({"hide": 3}, {}) or ()
    assert (task.way, task.times, task.until) == (HIDE, 2, 3)


def test_a_creature_out_of_sight_gives_no_plan():
    known = Knowledge(ways={"hide": [HIDE]})
    assert Prices(known).of("hide") == UNREACHABLE
    assert plan(known, {"hide": 1}, {}) is None


def test_of_ways_out_of_reach_the_first_is_taken_for_which_everything_is_held():
    """No way to boards, planks or reeds is known; a price would be the same for all three."""
    known = Knowledge(ways={"box": [craft("box", "AA/AA", item) for item in ("board", "plank", "reed")]})
    tasks = Planner(known, Prices(known)).for_items({"box": 1}, {"board": 3, "plank": 4, "reed": 4})
    assert tasks is not None
    assert [task.way.inputs for task in tasks] == [(("plank", 4),)]


def test_a_way_out_of_reach_that_was_given_up_leaves_nothing_behind_in_the_plan():
    known = knowing()
    known.ways["bed"] = [
        craft("bed", "AA/BC", "plank", "wool", "reed"),
        craft("bed", "AA/B.", "plank", "reed"),
    ]
    # The first way is given up for want of wool, when its planks were planned already.
    assert plan(known, {"bed": 1}, {"reed": 1, "log": 1}) == [("plank", 1), ("bed", 1)]


def test_where_no_way_out_of_reach_can_be_gone_there_is_no_plan():
    known = Knowledge(ways={"box": [craft("box", "AA/AA", "board")]})
    assert plan(known, {"box": 1}, {"board": 3}) is None


def test_the_hand_digs_what_it_opened_before_though_a_handful_opened_it_too():
    known = Knowledge(digging={"tree": {**dug("tree", "log", "plank"), **dug("tree", "log", None)}})
    known.stack_size["plank"] = 64
    assert Planner(known, Prices(known)).tool_for("tree", {"plank": 3}) == (None, True)
    known.stack_size["plank"] = 1
    assert Planner(known, Prices(known)).tool_for("tree", {"plank": 1}) == ("plank", True)


def test_one_station_serves_for_all_that_a_plan_makes_at_it():
    known = knowing()
    known.ways["stone_pick"] = [craft("stone_pick", "AAA/.B./.B.", "stone", "rod")]
    held = {"plank": 7, "rod": 4, "stone": 3}
    assert plan(known, {"pick": 1, "stone_pick": 1}, held) == [("table", 1), ("pick", 1), ("stone_pick", 1)]


def test_a_station_that_is_carried_and_wanted_is_made_a_second_time():
    held = {"table": 1, "plank": 7, "rod": 2}
    wanted = {"pick": 1, "table": 1}
    assert plan(knowing(), wanted, held) == [("pick", 1), ("table", 1)]


def test_a_way_that_is_given_up_puts_no_station_down():
    known = knowing()
    known.ways["badge"] = [craft("badge", "AAA", "gold"), craft("badge", "AAA", "wool")]
    # The first way lacks gold, after a table was planned for it; the second needs one still.
    assert plan(known, {"badge": 1}, {"plank": 4, "wool": 3}) == [("table", 1), ("badge", 1)]
