"""Function statements: the roles that things played, and what was seen to be possible with them."""

from __future__ import annotations

from csd.build_attr import burnt_fuel, fuel_words, tool_wore
from csd.descriptor import Statement
from csd.episode import Attack, Craft, Eat, Place, Smelt, Station, Step
from csd.pattern import canonical_grid
from csd.roles import grid_roles
from csd.scene import Notes, Scene, dug_block, grid_rows, held, station_for
from csd.wording import HAND, change_words


def func_statements(scene: Scene) -> tuple[Statement, ...]:
    """Describe the roles played in the deciding step, and what any step showed blocks and tools to be for.

    A failed step gives no role: what it was meant for was not seen to work.
    """
    notes = Notes(scene.episode.id)
    if scene.step.outcome.ok:
        _roles(notes, scene)
    _openers(notes, scene)
    _stations(notes, scene)
    return notes.statements()


def _roles(notes: Notes, scene: Scene) -> None:
    step, index = scene.step, scene.index
    match step.action:
        case Craft() if grid_rows(step.action.grid):
            _grid_roles(notes, scene, step.action)
        case Smelt():
            notes.add(step.action.input, "plays", "charge", index, "action")
            if burnt_fuel(step):
                fuel = step.action.fuel
                notes.add(fuel, "plays", "fuel", index, "inventory", fuel_words(fuel, step))
                if fuel != step.action.input:
                    notes.add(fuel, "supports", step.action.input, index, "action")
        case Attack():
            notes.add(step.action.mob, "plays", "source", index, "outcome")
            if held(step) != HAND:
                notes.add(held(step), "plays", "weapon", index, "observation", f"held {held(step)}")
        case Place():
            notes.add(step.action.item, "plays", "building block", index, "outcome")
        case Eat():
            notes.add(step.action.item, "plays", "food", index, "outcome")
        case _:
            _digging_roles(notes, scene)
    station = station_for(step)
    if station is not None:
        notes.add(station.block, "plays", "station", index, "observation", f"{station.block} within reach")
    _service(notes, scene)


def _grid_roles(notes: Notes, scene: Scene, action: Craft) -> None:
    rows, fillers = canonical_grid(action.grid)
    for letter, role in grid_roles(rows).items():
        notes.add(fillers[letter], "plays", role, scene.index, "action", rows)
    for item in fillers.values():
        for partner in fillers.values():
            if partner != item:
                notes.add(item, "supports", partner, scene.index, "action", rows)


def _digging_roles(notes: Notes, scene: Scene) -> None:
    block = dug_block(scene.step)
    if block is None:
        return
    notes.add(block, "plays", "source", scene.index, "outcome", f"dug {block}")
    if tool_wore(scene, scene.index):
        notes.add(held(scene.step), "plays", "tool", scene.index, "observation", f"held {held(scene.step)}")


def _service(notes: Notes, scene: Scene) -> None:
    """Note what became part of the product: all that was used up, but for fuel."""
    if scene.product is None or not isinstance(scene.step.action, Craft | Smelt):
        return
    for item, change in scene.step.outcome.inventory_delta.items():
        if change < 0 and not _only_burnt(scene.step, item):
            notes.add(item, "serves", scene.product, scene.index, "inventory", change_words(item, change))


def _only_burnt(step: Step, item: str) -> bool:
    return isinstance(step.action, Smelt) and item != step.action.input


def _openers(notes: Notes, scene: Scene) -> None:
    """Note tools that a block yielded to after it had refused something else in the same episode."""
    refusals: dict[str, tuple[int, str]] = {}
    for index, step in enumerate(scene.episode.steps):
        block = dug_block(step)
        if block is None:
            continue
        if step.outcome.code == "no_drop":
            refusals.setdefault(block, (index, held(step)))
        elif step.outcome.ok and block in refusals and held(step) not in (HAND, refusals[block][1]):
            refused_at, refused = refusals[block]
            notes.add(held(step), "opens", block, refused_at, "outcome", f"refused {refused}")
            notes.add(held(step), "opens", block, index, "outcome", f"yielded to {held(step)}")


def _stations(notes: Notes, scene: Scene) -> None:
    """Note what the station used affords (those in reach, at a failure), and blocks placed as stations."""
    used = station_for(scene.step)
    at_hand = (used,) if used else () if scene.step.outcome.ok else scene.step.before.stations
    for station in at_hand:
        _affordance(notes, station, scene.index)
    for index, step in enumerate(scene.episode.steps, start=1):
        if isinstance(step.action, Place) and step.outcome.ok:
            for station in scene.observation(index).stations:
                if station.position == step.outcome.cell:
                    _affordance(notes, station, index)


def _affordance(notes: Notes, station: Station, index: int) -> None:
    notes.add(station.block, "affords", station.offers, index, "observation", f"at {station.position}")
