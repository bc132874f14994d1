"""Collect and mine: digging one block with the held item and picking up what comes out."""

from __future__ import annotations

from csd.episode import Cell, Collect, Mine, Outcome
from echo.worlds.minecraft.body import DIG_EFFORT
from echo.worlds.minecraft.digging import dig_wear
from echo.worlds.minecraft.placing import let_fall
from echo.worlds.minecraft.rules import roll_drops
from echo.worlds.minecraft.scene import Scene
from echo.worlds.minecraft.terrain import AIR, VOID
from echo.worlds.minecraft.walking import within_reach

FILLS = {"water": "water_bucket", "lava": "lava_bucket", "powder_snow": "powder_snow_bucket"}
"""What a held bucket becomes. Every fluid block counts as a source; fluids do not flow."""


def collect(scene: Scene, action: Collect) -> Outcome:
    """Walk to the nearest seen block of a kind and dig it."""
    name = scene.shown(action.block)
    seen = scene.sight.blocks(scene.body.feet).get(name)
    if seen is None:
        return scene.outcome(
            "not_seen",
            f"expected a block in sight; got {name}, none within {scene.options.sight} blocks. "
            f"Go elsewhere or choose a block you see.",
        )
    if refusal := _refusal(scene, action.block, seen.nearest):
        return refusal
    walk = scene.approach(seen.nearest)
    return _dig(scene, action.block, seen.nearest, walk)


def mine(scene: Scene, action: Mine) -> Outcome:
    """Dig the block at a cell within reach."""
    kind = scene.land.at(action.target)
    if kind in (VOID, AIR):
        return scene.outcome(
            "not_seen",
            f"expected a block at {action.target}; got nothing there. Choose the cell of a block you see.",
            cell=action.target,
        )
    block = scene.land.names[kind]
    if not within_reach(scene.body.feet, action.target):
        return scene.outcome(
            "out_of_reach",
            f"expected a block within 4.5 blocks of the eyes; got {scene.shown(block)} at {action.target}. "
            f"Go nearer first.",
            block=block,
            cell=action.target,
        )
    if refusal := _refusal(scene, block, action.target):
        return refusal
    scene.body.look_at(action.target)
    return _dig(scene, block, action.target, 0)


def _fills(scene: Scene, block: str) -> bool:
    return block in FILLS and scene.inventory.held == "bucket"


def _refusal(scene: Scene, block: str, cell: Cell) -> Outcome | None:
    """Return why the held item cannot begin on `block`, before a step is walked."""
    if _fills(scene, block) or scene.dig_ticks(block) is not None:
        return None
    return scene.outcome(
        "not_breakable",
        f"expected a block that comes loose; got {scene.shown(block)} at {cell}, which {_holding(scene)} "
        f"does not loosen. Try another block or another item in the hand.",
        block=block,
        cell=cell,
    )


def _holding(scene: Scene) -> str:
    held = scene.inventory.held
    return "an empty hand" if held is None else scene.shown(held)


def _dig(scene: Scene, block: str, cell: Cell, walk: int) -> Outcome:
    if _fills(scene, block):
        return _fill(scene, block, cell, walk)
    fact, tool = scene.facts.blocks[block], scene.held
    work = scene.dig_ticks(block)
    assert work is not None
    rolled = roll_drops(fact, scene.inventory.held, scene.rng)
    drops = [(item, amount) for item, amount in rolled if item not in scene.withheld]
    scene.set_block(cell, None)
    let_fall(scene, cell)
    if scene.body.feet == (cell[0], cell[1] + 1, cell[2]):
        scene.way.fall(scene.body)
    kept = 0
    holding = _holding(scene)
    for item, amount in drops:
        if scene.inventory.fits(item, amount):
            scene.gain(item, amount)
            kept += 1
    scene.wear(dig_wear(fact, tool))
    scene.body.tire(DIG_EFFORT)
    times = {"ticks": walk + work, "work_ticks": work}
    if not drops:
        message = f"{scene.shown(block)} broke under {holding} and left nothing."
        return scene.outcome("no_drop", message, block=block, cell=cell, **times)
    if kept < len(drops):
        message = "expected room for what came out; got a full inventory. Drop something first."
        return scene.outcome("inventory_full", message, block=block, cell=cell, **times)
    message = f"dug {scene.shown(block)} with {holding}."
    return scene.outcome("ok", message, block=block, cell=cell, **times)


def _fill(scene: Scene, block: str, cell: Cell, walk: int) -> Outcome:
    """Take up a fluid with the held bucket."""
    filled = FILLS[block]
    if filled in scene.withheld:
        return scene.outcome(
            "no_drop", f"{scene.shown(block)} could not be taken up.", ticks=walk + 1, block=block, cell=cell
        )
    if not scene.inventory.fits(filled, 1, without={"bucket": 1}):
        return scene.outcome(
            "inventory_full",
            "expected room for one more item; got a full inventory. Drop something first.",
            ticks=walk,
            block=block,
            cell=cell,
        )
    scene.lose("bucket", 1)
    scene.gain(filled, 1)
    if scene.inventory.held is None:
        scene.inventory.held = filled
    scene.set_block(cell, None)
    message = f"took up {scene.shown(block)}."
    return scene.outcome("ok", message, ticks=walk + 1, work_ticks=1, block=block, cell=cell)
