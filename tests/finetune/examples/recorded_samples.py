"""A small recorded memory, written by hand: several families, each done well and tried in vain."""

from __future__ import annotations

from dataclasses import replace

from csd.episode import Action, Collect, Craft, Episode, GoTo, Grid, Outcome, Place, SeenBlock, Smelt, Step
from finetune.examples.recorded import Recorded
from tests.csd.sample_episodes import FURNACE, GRASS, TABLE, brought, see

WOODS = ("oak", "birch", "spruce")
ROCKS = ("stone", "granite", "andesite")
METALS = ("iron", "gold", "copper")


def one(goal: str, *turns: tuple[Action, Outcome], carried: dict[str, int], number: int = 0) -> Episode:
    """An episode whose inventory is kept up by the changes of its outcomes."""
    carried = dict(carried)
    steps = []
    blocks = {"grass_block": GRASS, "oak_log": SeenBlock(
        count=4, nearest=(3 + number % 5, 66, number % 4), distance=3.2, colour=(110, 85, 50))}  # fmt: skip
    if turns and isinstance(turns[0][0], Collect):
        blocks[turns[0][0].block] = SeenBlock(
            count=2, nearest=(number % 7, 61, 2), distance=4.0, colour=(10 * number % 250, 120, 90)
        )
    for place, (action, outcome) in enumerate(turns):
        before = see(
            carried, blocks=dict(sorted(blocks.items())), stations=(TABLE, FURNACE), step=number + place
        )
        steps.append(Step(before=before, action=action, outcome=outcome))
        for item, change in outcome.inventory_delta.items():
            carried[item] = carried.get(item, 0) + change
        carried = {item: count for item, count in carried.items() if count > 0}
    after = see(
        carried, blocks=dict(sorted(blocks.items())), stations=(TABLE, FURNACE), step=number + len(turns)
    )
    return Episode(id="ep_000000", goal=goal, steps=tuple(steps), after=after, source="test-world")


def crafted(grid: Grid, product: str, made: int, number: int = 0) -> Episode:
    """A grid laid once, which worked."""
    used: dict[str, int] = {}
    for cell in (cell for row in grid for cell in row if cell is not None):
        used[cell] = used.get(cell, 0) + 1
    delta = {item: -count for item, count in used.items()} | {product: made}
    turn = (Craft(grid=grid), brought(inventory_delta=dict(sorted(delta.items()))))
    return one(f"make {product}", turn, carried={**used, "apple": 1}, number=number)


def tried(grid: Grid, number: int = 0) -> Episode:
    """A grid laid once, which gave nothing."""
    used = {cell: 9 for row in grid for cell in row if cell is not None}
    turn = (Craft(grid=grid), brought("no_result", "expected a grid that gives something; got none"))
    return one("try a grid", turn, carried=used, number=number)


def smelted(charge: str, product: str, number: int = 0) -> Episode:
    """One piece smelted with coal."""
    turn = (
        Smelt(input=charge, fuel="coal"),
        brought(
            inventory_delta=dict(sorted({charge: -1, "coal": -1, product: 1}.items())), ticks=200, work=200
        ),
    )
    return one(f"smelting {charge}", turn, carried={charge: 2, "coal": 2}, number=number)


def dug(block: str, number: int = 0, *, drops: str | None = None) -> Episode:
    """A block dug with the bare hand; it drops something or nothing."""
    outcome = (
        brought(
            "no_drop", f"{block} was dug, nothing came out", 90 + number, 80, block=block, cell=(0, 61, 2)
        )
        if drops is None
        else brought(inventory_delta={drops: 1}, ticks=30 + number, work=20, block=block, cell=(0, 61, 2))
    )
    return one(f"digging {block}", (Collect(block=block), outcome), carried={}, number=number)


def put_down(item: str, number: int = 0) -> Episode:
    """A block put down."""
    turn = (Place(item=item), brought(inventory_delta={item: -1}, block=item, cell=(1, 64, 1)))
    return one(f"putting down {item}", turn, carried={item: 1}, number=number)


def episodes() -> list[Episode]:
    """Some eighty episodes, without their ids."""
    found: list[Episode] = []
    for number, wood in enumerate(WOODS):
        plank = f"{wood}_planks"
        found += [
            crafted(((f"{wood}_log",),), plank, 4, number),
            crafted(((plank,) * 3,), f"{wood}_slab", 6, number),
            crafted(((plank,) * 2,) * 3, f"{wood}_door", 3, number),
            crafted(
                ((plank,) * 3, (None, "stick", None), (None, "stick", None)), f"{wood}_pickaxe", 1, number
            ),
            crafted(((plank,) * 2,), f"{wood}_pressure_plate", 1, number),
            tried(((plank, "stick"),), number),
            tried(((f"{wood}_log", None), (None, f"{wood}_log")), number),
            put_down(f"{wood}_slab", number),
            put_down(plank, number),
            dug(f"{wood}_log", number, drops=f"{wood}_log"),
            dug(f"{wood}_leaves", number),
        ]
    for number, rock in enumerate(ROCKS):
        found += [
            crafted(((rock,) * 3,), f"{rock}_slab", 6, number),
            crafted(((rock,),), f"{rock}_button", 1, number),
            dug(rock, number),
            put_down(rock, number),
            smelted(f"cobbled_{rock}", f"smooth_{rock}", number),
        ]
    for number, metal in enumerate(METALS):
        found += [
            smelted(f"raw_{metal}", f"{metal}_ingot", number),
            smelted(f"{metal}_dust", f"{metal}_nugget", number),
            smelted(f"{metal}_powder", f"{metal}_bar", number),
            dug(f"{metal}_ore", number),
            dug(f"deepslate_{metal}_ore", number, drops=f"raw_{metal}"),
        ]
    return found


def memory(name: str = "one", *more: Episode) -> list[Recorded]:
    """The episodes as one memory, then `more`."""
    return [
        Recorded(memory=name, episode=replace(each, id=f"ep_{number:06}"))
        for number, each in enumerate((*episodes(), *more))
    ]


def only_walked() -> Episode:
    """Of which nothing can be said."""
    return one("go on", (GoTo(target=(3, 64, 0)), brought()), carried={})
