"""Small written episodes for the tests of the floor `csd`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csd.episode import (
    Action,
    Attack,
    Collect,
    Craft,
    Eat,
    Episode,
    GoTo,
    ItemStack,
    Observation,
    Outcome,
    OutcomeCode,
    Place,
    SeenBlock,
    Smelt,
    Station,
    Step,
    Vitals,
)

P, S, C, L = "oak_planks", "stick", "cobblestone", "oak_log"
TABLE = Station(block="crafting_table", position=(2, 64, 1), offers="grid3")
FURNACE = Station(block="furnace", position=(1, 64, 2), offers="smelt")
LOG = SeenBlock(count=4, nearest=(3, 66, 0), distance=3.2, colour=(110, 85, 50))
GRASS = SeenBlock(count=40, nearest=(0, 63, 0), distance=1.7, colour=(95, 150, 60))
STONE = SeenBlock(count=9, nearest=(0, 60, 1), distance=4.0, colour=(125, 125, 125))
TABLE_BLOCK = SeenBlock(count=1, nearest=(2, 64, 1), distance=2.1, colour=(120, 80, 45))


def see(
    inventory: Mapping[str, int] | None = None,
    blocks: Mapping[str, SeenBlock] | None = None,
    stations: tuple[Station, ...] = (),
    mainhand: str | None = None,
    wear: Mapping[str, float] | None = None,
    step: int = 0,
) -> Observation:
    return Observation(
        step=step,
        tick=20 * step,
        position=(0.5, 64.0, 0.5),
        yaw=0.0,
        pitch=0.0,
        inventory={
            item: ItemStack(
                count=count, stack_size=1 if "pickaxe" in item else 64, wear=(wear or {}).get(item, 0.0)
            )
            for item, count in sorted((inventory or {}).items())
        },
        mainhand=mainhand,
        blocks={"grass_block": GRASS, "oak_log": LOG} if blocks is None else blocks,
        mobs={},
        stations=stations,
        vitals=Vitals(),
        biome="forest",
    )


def brought(
    code: OutcomeCode = "ok", message: str = "", ticks: int = 1, work: int = 0, **rest: Any
) -> Outcome:
    return Outcome(code=code, message=message, ticks=ticks, work_ticks=work, **rest)


def episode(
    *turns: tuple[Observation, Action, Outcome], after: Observation, name: str = "ep_000001"
) -> Episode:
    steps = tuple(Step(before=before, action=action, outcome=outcome) for before, action, outcome in turns)
    return Episode(id=name, goal="try something", steps=steps, after=after, source="test-world")


def crafted_pickaxe(mirrored: bool = False) -> Episode:
    """A failed attempt with two planks, then a wooden pickaxe at a table."""
    start = {P: 5, S: 2}
    seen = {"crafting_table": TABLE_BLOCK, "grass_block": GRASS}
    before = see(start, blocks=seen, stations=(TABLE,))
    failed = Craft(grid=((P, P),))
    grid = ((P, P, P), (None, S, None), (None, S, None))
    return episode(
        (before, failed, brought("no_result", "expected a grid that gives something; got oak_planks x2")),
        (
            before,
            Craft(grid=tuple(row[::-1] for row in grid) if mirrored else grid),
            brought(inventory_delta={P: -3, S: -2, "wooden_pickaxe": 1}, ticks=2),
        ),
        after=see({P: 2, "wooden_pickaxe": 1}, blocks=seen, stations=(TABLE,)),
    )


def crafted_axe(mirrored: bool = False) -> Episode:
    grid = ((P, P), (P, S), (None, S))
    before = see({P: 3, S: 2}, stations=(TABLE,))
    return episode(
        (
            before,
            Craft(grid=tuple(row[::-1] for row in grid) if mirrored else grid),
            brought(inventory_delta={P: -3, S: -2, "wooden_axe": 1}),
        ),
        after=see({"wooden_axe": 1}),
    )


def smelted_iron(fire_burning: bool = False) -> Episode:
    before = see({"iron_ore": 2, "coal": 3}, stations=(FURNACE,))
    delta = {"coal": -1, "iron_ingot": 1, "iron_ore": -1}
    if fire_burning:
        del delta["coal"]
    return episode(
        (before, Smelt(input="iron_ore", fuel="coal"), brought(inventory_delta=delta, ticks=200, work=200)),
        after=see({"iron_ore": 1, "coal": 2, "iron_ingot": 1}, stations=(FURNACE,)),
    )


def dug_stone() -> Episode:
    """Stone refused the bare hand, then yielded to a pickaxe that wore."""
    blocks = {"grass_block": GRASS, "stone": STONE}
    bare = see({"wooden_pickaxe": 1}, blocks=blocks)
    armed = see({"wooden_pickaxe": 1}, blocks=blocks, mainhand="wooden_pickaxe", step=2)
    return episode(
        (
            bare,
            Collect(block="stone"),
            brought("no_drop", "stone was dug, nothing came out", 190, 150, block="stone", cell=(0, 60, 1)),
        ),
        (
            armed,
            Collect(block="stone"),
            brought(inventory_delta={C: 1}, ticks=40, work=23, block="stone", cell=(0, 60, 1)),
        ),
        after=see(
            {"wooden_pickaxe": 1, C: 1},
            blocks=blocks,
            mainhand="wooden_pickaxe",
            wear={"wooden_pickaxe": 0.02},
        ),
    )


def placed_table() -> Episode:
    return episode(
        (
            see({"crafting_table": 1}),
            Place(item="crafting_table"),
            brought(inventory_delta={"crafting_table": -1}, block="crafting_table", cell=(2, 64, 1)),
        ),
        after=see({}, blocks={"crafting_table": TABLE_BLOCK}, stations=(TABLE,)),
    )


def attacked_sheep() -> Episode:
    return episode(
        (
            see({"stone_sword": 1}, mainhand="stone_sword"),
            Attack(mob="sheep"),
            brought(inventory_delta={"mutton": 2, "white_wool": 1}, ticks=50),
        ),
        after=see({"mutton": 2, "white_wool": 1, "stone_sword": 1}, mainhand="stone_sword"),
    )


def ate_apple() -> Episode:
    return episode(
        (see({"apple": 1}), Eat(item="apple"), brought(inventory_delta={"apple": -1}, events=("food:4",))),
        after=see({}),
    )


def failed_collect() -> Episode:
    return episode(
        (see({}), Collect(block="iron_ore"), brought("not_seen", "expected iron_ore in sight; got none")),
        after=see({}),
    )


def walked() -> Episode:
    return episode((see({}), GoTo(target=(3, 64, 0)), brought()), after=see({}))
