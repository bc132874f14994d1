"""Attribute statements: what the things involved looked like and how they behaved, as seen."""

from __future__ import annotations

from csd.colour import colour_word
from csd.descriptor import Statement
from csd.episode import Craft, Eat, Place, Smelt, Step
from csd.scene import Notes, Scene, dug_block, held, station_for
from csd.wording import change_words


def attr_statements(scene: Scene) -> tuple[Statement, ...]:
    """Describe the things involved in the deciding step, and what any step of the episode showed by use.

    Colours come from blocks in sight, stack sizes from the inventory, all else from what was tried.
    """
    notes = Notes(scene.episode.id)
    for name in involved(scene):
        _looks(notes, scene, name)
    for index, step in enumerate(scene.episode.steps):
        _digging(notes, index, step)
        _trials(notes, index, step)
        _wear(notes, scene, index, step)
    return notes.statements()


def involved(scene: Scene) -> tuple[str, ...]:
    """Return the items, blocks and creatures that the deciding step had to do with, product first."""
    step = scene.step
    names: list[str | None] = [scene.product, *step.outcome.inventory_delta]
    match step.action:
        case Craft():
            names += [cell for row in step.action.grid for cell in row]
        case Smelt():
            names += [step.action.input, step.action.fuel]
        case Place() | Eat():
            names.append(step.action.item)
        case _:
            names += [dug_block(step), step.before.mainhand]
    station = station_for(step)
    names += [step.outcome.block, station.block if station else None]
    return tuple(dict.fromkeys(name for name in names if name is not None))


def _looks(notes: Notes, scene: Scene, name: str) -> None:
    moments = [scene.index, scene.index + 1, *range(scene.index - 1, -1, -1)]
    for index in moments:
        block = scene.observation(index).blocks.get(name)
        if block is not None:
            notes.add(name, "colour", colour_word(block.colour), index, "observation", f"rgb {block.colour}")
            break
    for index in moments:
        stack = scene.observation(index).inventory.get(name)
        if stack is not None:
            notes.add(name, "stack_size", stack.stack_size, index, "observation")
            break


def _digging(notes: Notes, index: int, step: Step) -> None:
    block = dug_block(step)
    if block is None or step.outcome.code not in ("ok", "no_drop"):
        return
    tool = held(step)
    notes.add(block, "dig_ticks", step.outcome.work_ticks, index, "outcome", f"held {tool}")
    if not step.outcome.ok:
        notes.add(block, "refused", tool, index, "outcome", step.outcome.code)
        return
    notes.add(block, "yielded_to", tool, index, "outcome", f"held {tool}")
    for item, change in step.outcome.inventory_delta.items():
        if change > 0:
            notes.add(block, "drops", item, index, "inventory", change_words(item, change))


def _trials(notes: Notes, index: int, step: Step) -> None:
    code = step.outcome.code
    match step.action:
        case Place() if code in ("ok", "not_placeable"):
            notes.add(step.action.item, "placeable", code == "ok", index, "outcome", code)
        case Eat() if code in ("ok", "not_edible"):
            notes.add(step.action.item, "edible", code == "ok", index, "outcome", code)
        case Smelt() if code == "not_fuel":
            notes.add(step.action.fuel, "burns", False, index, "outcome", code)
        case Smelt() if burnt_fuel(step):
            notes.add(step.action.fuel, "burns", True, index, "inventory", fuel_words(step.action.fuel, step))


def fuel_words(fuel: str, step: Step) -> str:
    """Return the change in `fuel` over `step`, with the input in it where both were the same item."""
    return change_words(fuel, step.outcome.inventory_delta[fuel])


def burnt_fuel(step: Step) -> bool:
    """Return whether `step` is a smelt that took a piece of its fuel, as it does when the fire was out."""
    action = step.action
    if not isinstance(action, Smelt) or not step.outcome.ok:
        return False
    return step.outcome.inventory_delta.get(action.fuel, 0) + (action.input == action.fuel) < 0


def _wear(notes: Notes, scene: Scene, index: int, step: Step) -> None:
    if step.before.mainhand is not None and tool_wore(scene, index):
        notes.add(step.before.mainhand, "wears", True, index + 1, "observation", "more worn than before")


def tool_wore(scene: Scene, index: int) -> bool:
    """Return whether the item held during step `index` was more worn after it, or broke."""
    step = scene.episode.steps[index]
    tool = step.before.mainhand
    if tool is None:
        return False
    if f"broke:{tool}" in step.outcome.events:
        return True
    before, after = step.before.inventory.get(tool), scene.observation(index + 1).inventory.get(tool)
    return before is not None and after is not None and after.wear > before.wear
