"""What a record shows of change and use: the values borne out for procedure, function and interaction."""

from __future__ import annotations

from collections.abc import Iterator

from csd.descriptor import Value
from csd.episode import Attack, Collect, Craft, Eat, Mine, Place, Smelt
from csd.roles import grid_roles
from csd.scene import dug_block, held, station_for
from csd.shown_world import fuel_taken
from csd.witness import Shown, Witness
from csd.wording import HAND, NONE, action_words, amount_words, feedback_words, step_words


def _made_by(witness: Witness, product: str) -> Iterator[Value]:
    if witness.gained(product):
        match witness.step.action:
            case Craft() | Smelt() | Attack():
                yield witness.step.action.kind
            case Collect() | Mine():
                yield "collect"


def _consumes(witness: Witness, product: str) -> Iterator[Value]:
    if witness.gained(product):
        delta = witness.step.outcome.inventory_delta
        yield from (amount_words(item, -change) for item, change in delta.items() if change < 0)


def _yields(witness: Witness, product: str) -> Iterator[Value]:
    if witness.gained(product):
        yield witness.step.outcome.inventory_delta[product]


def _after(witness: Witness, product: str) -> Iterator[Value]:
    if not witness.gained(product):
        return
    yield from (item for item, change in witness.step.outcome.inventory_delta.items() if change < 0)
    station, block = station_for(witness.step), dug_block(witness.step)
    if station is not None:
        yield station.block
    if block is not None:
        yield block
        if witness.step.before.mainhand is not None:
            yield witness.step.before.mainhand


def _ticks(witness: Witness, product: str) -> Iterator[Value]:
    if witness.gained(product):
        yield witness.step.outcome.ticks


def _plays(witness: Witness, name: str) -> Iterator[Value]:
    step = witness.step
    if not step.outcome.ok:
        return
    station = station_for(step)
    if station is not None and station.block == name:
        yield "station"
    if witness.grid is not None:
        roles = grid_roles(witness.grid.rows)
        yield from (roles[letter] for letter, item in witness.grid.fillers.items() if item == name)
    match step.action:
        case Smelt():
            yield from _smelting_roles(witness, name)
        case Attack():
            yield from _used(name, source=step.action.mob, held=step.before.mainhand, role="weapon")
        case Collect() | Mine():
            yield from _used(name, source=dug_block(step), held=step.before.mainhand, role="tool")
        case Place() if step.action.item == name:
            yield "building block"
        case Eat() if step.action.item == name:
            yield "food"


def _smelting_roles(witness: Witness, name: str) -> Iterator[Value]:
    action = witness.step.action
    if isinstance(action, Smelt):
        if action.input == name:
            yield "charge"
        if action.fuel == name and fuel_taken(witness):
            yield "fuel"


def _used(name: str, *, source: str | None, held: str | None, role: str) -> Iterator[Value]:
    if name == source:
        yield "source"
    if name == held:
        yield role


def _supports(witness: Witness, item: str) -> Iterator[Value]:
    action = witness.step.action
    if witness.grid is not None and witness.step.outcome.ok:
        partners = tuple(witness.grid.fillers.values())
        yield from (partner for partner in partners if item in partners and partner != item)
    if isinstance(action, Smelt) and action.fuel == item != action.input and fuel_taken(witness):
        yield action.input


def _serves(witness: Witness, item: str) -> Iterator[Value]:
    delta, action = witness.step.outcome.inventory_delta, witness.step.action
    part_of_it = isinstance(action, Craft) or (isinstance(action, Smelt) and action.input == item)
    if part_of_it and delta.get(item, 0) < 0:
        yield from (product for product, change in delta.items() if change > 0)


def _opens(witness: Witness, tool: str) -> Iterator[Value]:
    """Blocks that yielded to `tool` here, or refused something else: `csd.ground` asks for one of each."""
    block = dug_block(witness.step)
    yielded = witness.step.outcome.ok and held(witness.step) == tool
    refused = witness.step.outcome.code == "no_drop" and held(witness.step) != tool
    if block is not None and tool != HAND and (yielded or refused):
        yield block


def _affords(witness: Witness, block: str) -> Iterator[Value]:
    yield from (station.offers for station in witness.seen.stations if station.block == block)


def _step(witness: Witness, number: str) -> Iterator[Value]:
    if number.isdecimal() and 1 <= int(number) <= witness.index + 1:
        yield step_words(action_words(witness.step), witness.step.outcome.code)


def _tried(witness: Witness, words: str) -> Iterator[Value]:
    if action_words(witness.step) == words:
        yield witness.step.outcome.code


def _feedback(witness: Witness, words: str) -> Iterator[Value]:
    if action_words(witness.step) == words:
        yield feedback_words(witness.step.outcome)


def _failed(witness: Witness, words: str) -> Iterator[Value]:
    if action_words(witness.step) == words and not witness.step.outcome.ok:
        yield witness.step.outcome.message or witness.step.outcome.code


def _station(witness: Witness, subject: str) -> Iterator[Value]:
    if isinstance(witness.step.action, Craft | Smelt) and witness.stands_for(subject):
        station = station_for(witness.step)
        yield NONE if station is None else station.block


PROC_SHOWN: dict[str, Shown] = {
    "made_by": _made_by,
    "consumes": _consumes,
    "yields": _yields,
    "after": _after,
    "step": _step,
    "ticks": _ticks,
}
"""Predicate of procedure -> values that a record bears out."""

FUNC_SHOWN: dict[str, Shown] = {
    "plays": _plays,
    "supports": _supports,
    "serves": _serves,
    "opens": _opens,
    "affords": _affords,
}
"""Predicate of function -> values that a record bears out."""

INTER_SHOWN: dict[str, Shown] = {
    "tried": _tried,
    "feedback": _feedback,
    "failed": _failed,
    "station": _station,
}
"""Predicate of interaction -> values that a record bears out."""
