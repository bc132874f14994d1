from __future__ import annotations

from collections import Counter

from echo.agent.arrangement import Arrangement
from echo.agent.knowledge import Digging, Knowledge, Way
from echo.agent.planner import Prices
from echo.agent.wants import Wants, wants_of


def dig(item: str, block: str) -> Way:
    return Way(verb="collect", product=item, block=block)


def craft(product: str, rows: str, *fillers: str) -> Way:
    grid = Arrangement(rows, fillers)
    return Way(verb="craft", product=product, inputs=tuple(grid.needs().items()), grid=grid)


def opened(tool: str | None, item: str) -> dict[str | None, Digging]:
    return {tool: Digging(digs=1, ticks=1, drops=Counter({item: 1}))}


def wants(known: Knowledge, *items: str, **held: int) -> dict[str, list[str]]:
    """Return what is wanted, without the kinds of which nothing is."""
    found: Wants = wants_of(items, held, known, Prices(known))
    whole = {name: list(getattr(found, name)) for name in ("ways", "blocks", "creatures", "smelts")}
    return {name: names for name, names in whole.items() if names}


def known(*ways: Way, **fields) -> Knowledge:
    found: dict[str, list[Way]] = {}
    for way in ways:
        found.setdefault(way.product, []).append(way)
    return Knowledge(ways=found, **fields)


def test_an_item_to_which_no_way_is_known_is_wanted():
    assert wants(known(), "gold", "iron") == {"ways": ["gold", "iron"]}


def test_what_is_carried_is_not_followed():
    assert wants(known(craft("rod", "A/A", "plank")), "rod", rod=1) == {}
    assert wants(known(craft("rod", "A/A", "plank")), "rod", plank=1) == {}


def test_ways_are_followed_back_to_where_they_break_off():
    chain = known(craft("rod", "A/A", "plank"), craft("plank", "A", "log"))
    assert wants(chain, "rod") == {"ways": ["log"]}
    chain.ways["log"] = [dig("log", "tree")]
    assert wants(chain, "rod") == {"blocks": ["tree"]}
    chain.last_seen["tree"] = (1, 2, 3)
    assert wants(chain, "rod") == {}


def test_a_tool_without_which_a_block_gave_nothing_is_wanted():
    rock = known(
        dig("stone", "rock"), last_seen={"rock": (0, 0, 0)}, digging={"rock": opened("pick", "stone")}
    )
    assert wants(rock, "stone") == {"ways": ["pick"]}
    assert wants(rock, "stone", pick=1) == {}
    rock.digging["rock"] |= opened(None, "stone")
    assert wants(rock, "stone") == {}


def test_a_station_for_a_large_grid_is_wanted():
    made = known(craft("bed", "AAA/BBB", "wool", "plank"), offers={"table": "grid3"})
    assert wants(made, "bed", wool=3, plank=3) == {"ways": ["table"]}
    assert wants(made, "bed", wool=3, plank=3, table=1) == {}


def test_what_can_be_made_need_not_be_found_standing_about():
    both = known(dig("table", "table"), craft("table", "AA/AA", "plank"), craft("plank", "A", "log"))
    assert wants(both, "table") == {"ways": ["log"]}


def test_a_creature_is_wanted_unless_one_is_in_sight():
    hide = known(Way(verb="attack", product="hide", mob="cow"))
    assert wants(hide, "hide") == {"creatures": ["cow"]}
    hide.creatures["cow"] = None
    assert wants(hide, "hide") == {}


def test_fire_without_fuel_is_told_by_its_input():
    smelt = known(
        Way(verb="smelt", product="ingot", inputs=(("ore", 1),)),
        offers={"oven": "smelt"},
    )
    assert wants(smelt, "ingot", oven=1, ore=1) == {"smelts": ["ore"]}
    smelt.fuels["coal"] = [1, 1]
    # A fuel that burns is known, but there is none, and no way to any.
    assert wants(smelt, "ingot", oven=1, ore=1) == {"smelts": ["ore"]}
    assert wants(smelt, "ingot", oven=1, ore=1, coal=1) == {}
    smelt.ways["coal"] = [dig("coal", "seam")]
    smelt.digging["seam"] = opened(None, "coal")
    smelt.last_seen["seam"] = (0, 0, 0)
    assert wants(smelt, "ingot", oven=1, ore=1) == {}


def test_ways_in_a_circle_come_to_an_end():
    circle = known(craft("block", "AA/AA", "ingot"), craft("ingot", "A", "block"))
    assert wants(circle, "block") == {}
