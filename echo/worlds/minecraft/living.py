"""Walking, looking, holding, eating, striking, throwing away, waiting."""

from __future__ import annotations

from dataclasses import replace

from csd.episode import Attack, Drop, Eat, Equip, GoTo, LookAt, Outcome, WaitUntil
from echo.worlds.minecraft.body import STRIKE_EFFORT
from echo.worlds.minecraft.mobs import BITE, fight_ticks
from echo.worlds.minecraft.rules import roll_mob_drops
from echo.worlds.minecraft.scene import Scene

EAT_TICKS = 32
DAY_TICKS = 24_000
DUSK_TICK = 12_000
_WEARS_ONCE = ("sword",)
_WEARS_TWICE = ("pickaxe", "axe", "shovel", "hoe")
MOST_WAIT_TICKS = 24_000


def go_to(scene: Scene, action: GoTo) -> Outcome:
    """Walk until the target is within reach."""
    if not scene.land.inside(action.target):
        size_x, size_y, size_z = scene.land.shape
        low = scene.land.min_y
        return scene.outcome(
            "out_of_reach",
            f"expected a cell of the land, x 0..{size_x - 1}, y {low}..{low + size_y - 1}, "
            f"z 0..{size_z - 1}; got {action.target}. Choose a cell inside.",
            cell=action.target,
        )
    ticks = scene.approach(action.target)
    return scene.outcome("ok", f"{action.target} is within reach.", ticks=ticks, cell=action.target)


def look_at(scene: Scene, action: LookAt) -> Outcome:
    """Turn the view."""
    scene.body.look_at(action.target)
    return scene.outcome("ok", f"looking at {action.target}.", ticks=1, cell=action.target)


def equip(scene: Scene, action: Equip) -> Outcome:
    """Take an item into the hand, or nothing."""
    if action.item is not None and not scene.inventory.count(action.item):
        return _not_carried(scene, action.item)
    scene.inventory.held = action.item
    name = "nothing" if action.item is None else scene.shown(action.item)
    return scene.outcome("ok", f"holding {name}.", ticks=1)


def eat(scene: Scene, action: Eat) -> Outcome:
    """Eat one item."""
    if not scene.inventory.count(action.item):
        return _not_carried(scene, action.item)
    food = scene.facts.items[action.item].food
    if food is None:
        return scene.outcome(
            "not_edible", f"expected food; got {scene.shown(action.item)}, which is none. Try another item."
        )
    if scene.body.food >= 20:
        return scene.outcome(
            "not_edible", "expected some hunger; got a full stomach (food 20 of 20). Eat later.", ticks=1
        )
    scene.lose(action.item, 1)
    scene.body.eat(*food)
    return scene.outcome("ok", f"ate {scene.shown(action.item)}.", ticks=EAT_TICKS)


def attack(scene: Scene, action: Attack) -> Outcome:
    """Walk to the nearest seen creature and strike until it falls."""
    cell = scene.herd.nearest(action.mob, scene.body.feet, scene.options.sight)
    if cell is None:
        return scene.outcome(
            "not_seen",
            f"expected a creature in sight; got {scene.shown(action.mob)}, none within "
            f"{scene.options.sight} blocks. Go elsewhere or choose one you see.",
        )
    walk = scene.approach(cell)
    tool = scene.held
    tool_class = tool.tool_class if tool is not None else None
    strikes, work = fight_ticks(action.mob, tool.attack if tool is not None else 1.0, tool_class)
    lost = scene.body.hurt(BITE.get(action.mob, 0.0) * (work // 20))
    if lost:
        scene.note(f"damage:{lost:g}")
    scene.body.tire(STRIKE_EFFORT * strikes)
    drops = roll_mob_drops(scene.facts.mobs[action.mob], scene.rng)
    scene.herd.fell(action.mob, cell)
    left = [(item, amount) for item, amount in drops if item not in scene.withheld]
    kept = 0
    for item, amount in left:
        if scene.inventory.fits(item, amount):
            scene.gain(item, amount)
            kept += 1
    scene.wear(strikes * ((tool_class in _WEARS_ONCE) + 2 * (tool_class in _WEARS_TWICE)))
    ticks = walk + work
    if kept < len(left):
        message = "expected room for what was left; got a full inventory. Drop something first."
        return scene.outcome("inventory_full", message, cell=cell, ticks=ticks, work_ticks=work)
    name = scene.shown(action.mob)
    if not left:
        return scene.outcome(
            "no_drop", f"{name} fell and left nothing.", cell=cell, ticks=ticks, work_ticks=work
        )
    return scene.outcome("ok", f"{name} fell.", cell=cell, ticks=ticks, work_ticks=work)


def drop(scene: Scene, action: Drop) -> Outcome:
    """Throw items away for good."""
    carried = scene.inventory.count(action.item)
    if carried < action.amount:
        return scene.outcome(
            "missing_item",
            f"expected {action.amount} {scene.shown(action.item)}; got {carried} in the inventory. "
            f"Drop fewer.",
        )
    scene.lose(action.item, action.amount)
    return scene.outcome("ok", f"threw away {action.amount} {scene.shown(action.item)}.", ticks=1)


def wait_until(scene: Scene, action: WaitUntil) -> Outcome:
    """Let time pass until a condition holds or the ticks are over.

    ``time`` waits all ticks; ``health`` until health is full; ``food`` until there is room for food; ``day``
    until the sun is up.
    """
    waited = 0
    if action.condition == "day":
        time = scene.tick % DAY_TICKS
        waited = min(action.ticks, DAY_TICKS - time if time >= DUSK_TICK else 0)
    elif action.condition == "time":
        waited = action.ticks
    else:
        probe = replace(scene.body)
        while waited < action.ticks and not probe.satisfied(action.condition):
            step = min(20, action.ticks - waited)
            probe.pass_time(step)
            waited += step
    return scene.outcome("ok", f"waited {waited} ticks.", ticks=waited)


def _not_carried(scene: Scene, item: str) -> Outcome:
    return scene.outcome(
        "missing_item",
        f"expected an item that is carried; got {scene.shown(item)}, of which there is none. Get one first.",
    )
