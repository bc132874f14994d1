"""A small life in episodes, described by the rule builder: what the tests of transfer start from."""

from __future__ import annotations

from functools import cache

from csd.build import describe
from csd.descriptor import Csd
from csd.episode import Collect, Craft, Episode, Grid, Place, SeenBlock, Smelt
from tests.csd.sample_episodes import FURNACE, TABLE, TABLE_BLOCK, brought, episode, see

PLANKS, STICK, COBBLE = "oak_planks", "stick", "cobblestone"
COLOURS = {"oak_log": (110, 85, 50), "stone": (125, 125, 125), "iron_ore": (135, 130, 126)}
PICKAXE = "AAA/.B./.B."


def described(shown: Episode) -> Csd:
    csd = describe(shown)
    assert isinstance(csd, Csd), csd
    return csd


def crafted(number: int, product: str, grid: Grid, *, at_table: bool = True, amount: int = 1) -> Csd:
    """Return the descriptor of a grid that gave `product`."""
    used: dict[str, int] = {}
    for cell in (cell for row in grid for cell in row if cell is not None):
        used[cell] = used.get(cell, 0) + 1
    before = see(
        used, blocks={"crafting_table": TABLE_BLOCK}, stations=(TABLE,) if at_table else (), step=number
    )
    delta = {**{item: -count for item, count in used.items()}, product: amount}
    return described(
        episode(
            (before, Craft(grid=grid), brought(inventory_delta=dict(sorted(delta.items())), ticks=2)),
            after=see({product: amount}, step=number + 1),
            name=f"ep_{number:06d}",
        )
    )


def pickaxe(number: int, product: str, head: str, handle: str = STICK) -> Csd:
    return crafted(number, product, ((head,) * 3, (None, handle, None), (None, handle, None)))


def dug(number: int, block: str, drop: str, tool: str | None = None) -> Csd:
    """Return the descriptor of digging `block`, with a held tool that wore."""
    blocks = {
        block: SeenBlock(
            count=5, nearest=(0, 62, 1), distance=2.5, colour=COLOURS.get(block, (120, 110, 100))
        )
    }
    carried = {tool: 1} if tool else {}
    return described(
        episode(
            (
                see(carried, blocks=blocks, mainhand=tool, step=number),
                Collect(block=block),
                brought(inventory_delta={drop: 1}, ticks=40, work=30, block=block, cell=(0, 62, 1)),
            ),
            after=see(
                {**carried, drop: 1},
                blocks=blocks,
                mainhand=tool,
                wear={tool: 0.02} if tool else {},
                step=number + 1,
            ),
            name=f"ep_{number:06d}",
        )
    )


def smelted(number: int, charge: str, product: str, fuel: str = "coal") -> Csd:
    delta = dict(sorted({charge: -1, fuel: -1, product: 1}.items()))
    return described(
        episode(
            (
                see({charge: 1, fuel: 1}, stations=(FURNACE,), step=number),
                Smelt(input=charge, fuel=fuel),
                brought(inventory_delta=delta, ticks=200, work=200),
            ),
            after=see({product: 1}, stations=(FURNACE,), step=number + 1),
            name=f"ep_{number:06d}",
        )
    )


def placed(number: int, item: str, *, works: bool = True) -> Csd:
    return described(
        episode(
            (
                see({item: 1}, step=number),
                Place(item=item),
                brought(
                    "ok" if works else "not_placeable",
                    "" if works else f"expected a block; got {item}",
                    inventory_delta={item: -1} if works else {},
                    block=item if works else None,
                    cell=(2, 64, 1) if works else None,
                ),
            ),
            after=see({} if works else {item: 1}, step=number + 1),
            name=f"ep_{number:06d}",
        )
    )


@cache
def wooden_pickaxe() -> Csd:
    return pickaxe(10, "wooden_pickaxe", PLANKS)


@cache
def iron_smelting() -> Csd:
    return smelted(40, "raw_iron", "iron_ingot")


@cache
def stone_age() -> tuple[Csd, ...]:
    """Planks, sticks, a wooden pickaxe, cobblestone dug and laid as a furnace; no stone pickaxe yet."""
    ring = ((COBBLE,) * 3, (COBBLE, None, COBBLE), (COBBLE,) * 3)
    return (
        dug(1, "oak_log", "oak_log"),
        crafted(2, PLANKS, (("oak_log",),), at_table=False, amount=4),
        crafted(3, STICK, ((PLANKS,), (PLANKS,)), at_table=False, amount=4),
        placed(4, PLANKS),
        placed(5, STICK, works=False),
        wooden_pickaxe(),
        dug(20, "stone", COBBLE, "wooden_pickaxe"),
        placed(21, COBBLE),
        crafted(22, "furnace", ring),
    )


@cache
def ores() -> tuple[Csd, ...]:
    """Raw iron dug and smelted, raw copper only dug."""
    return (
        dug(30, "iron_ore", "raw_iron", "stone_pickaxe"),
        dug(31, "copper_ore", "raw_copper", "stone_pickaxe"),
        dug(32, "coal_ore", "coal", "wooden_pickaxe"),
        iron_smelting(),
    )
