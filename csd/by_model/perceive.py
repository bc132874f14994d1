"""What perception tells of an episode, in words: the facts that every rendering of a trace is made from.

Here are the steps with what came back, and looks and places of the things involved, among some that were only
in sight or carried. What follows from these (roles, needs, what served what) is left to whoever writes the
descriptor.

Source: Echo Fig. 6 (perception gives state, caption, object list and spatial relations); differs in that the
words follow by rule from the records, so that a trace needs no second model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from csd.build_attr import attr_statements, involved, tool_wore
from csd.build_proc import told_runs
from csd.build_struct import struct_statements
from csd.colour import colour_word
from csd.descriptor import Statement, Value
from csd.episode import Attack, Craft, Episode, Smelt, Step
from csd.pattern import canonical_grid, cell_counts, part, symmetry
from csd.scene import Scene, dug_block, grid_rows, held, scene_of, station_for, where
from csd.wording import NONE, feedback_words, step_words

ONLOOKERS = 2
"""How many kinds of blocks are told of that were only in sight."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """What one step brought."""

    held: str | None
    """What was in hand, 'hand' for nothing; None where the action does not depend on it."""
    station: str | None
    """Where something was made, 'none' for by hand; None where nothing was to be made."""
    feedback: str
    """Inventory changes and events, 'nothing' if there were none; the message of a failure."""
    ticks: int
    work_ticks: int | None
    """Of these, time spent digging; None for other actions."""
    worn: str | None
    """The tool that was more worn after it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """Steps in a row that did the same and ended alike."""

    number: int
    """From 1."""
    done: str
    """What was done, with count and outcome code, such as 'collect oak_log, 3 times'."""
    results: tuple[Result, ...]
    """What came back: each different answer once, in the order of the last step that gave it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Thing:
    """How a kind of block or item looked, and where it was; None for what was not perceived."""

    name: str
    colour: str | None
    stack_size: int | None
    carried: int
    """How many were in the inventory before the deciding step."""
    lies: str | None
    """Where the block meant, or its nearest one, was: such as 'below, 8 blocks'."""
    near: str | None
    """The kind of another block that was nearest to it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Laid:
    """One kind of item in the grid of the deciding step."""

    letter: str
    item: str
    cells: int
    part: str
    """Its place in the grid, such as 'top row'."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Perceived:
    """An episode as perception tells it."""

    goal: str
    wanted: str | None
    """The item the episode was for, where that is known."""
    turns: tuple[Turn, ...]
    laid: tuple[Laid, ...]
    symmetry: str | None
    """Of the grid laid in the deciding step; None where none was."""
    things: tuple[Thing, ...]
    """What was involved and what was only there, mixed: sorted by name."""
    stations: tuple[tuple[str, str], ...]
    """(block, what it offers) of the stations in reach at the deciding step, or put down."""


def perceive(episode: Episode, product: str | None = None) -> Perceived:
    """Return what perception tells of `episode`, looked at from the step that decided it.

    Moves that worked are left out, as descriptors leave them out.

    Args:
        episode: any run of steps; grids must be rectangular.
        product: the item the episode was for, where the caller knows it.

    Raises:
        ValueError: if a crafting grid has rows of different lengths.
    """
    scene = scene_of(episode, product)
    laid, symmetric = ((), None) if scene is None else _grid(scene.step)
    return Perceived(
        goal=episode.goal,
        wanted=product,
        turns=() if scene is None else tuple(_turns(scene)),
        laid=laid,
        symmetry=symmetric,
        things=() if scene is None else _things(scene),
        stations=() if scene is None else tuple(dict.fromkeys(_stations(scene))),
    )


def _turns(scene: Scene) -> Iterator[Turn]:
    for number, run in enumerate(told_runs(scene.episode), start=1):
        # Reversed twice: of equal answers the last one keeps its place, so that the last answer of a run is
        # that of its last step.
        answers = dict.fromkeys(_result(scene, index) for index in reversed(run.indices))
        yield Turn(
            number=number,
            done=step_words(run.words, run.code, len(run.indices)),
            results=tuple(reversed(answers)),
        )


def _result(scene: Scene, index: int) -> Result:
    step = scene.episode.steps[index]
    outcome, dug = step.outcome, dug_block(step) is not None
    station = station_for(step)
    return Result(
        held=held(step) if dug or isinstance(step.action, Attack) else None,
        station=(station.block if station else NONE) if isinstance(step.action, Craft | Smelt) else None,
        feedback=feedback_words(outcome) if outcome.ok else outcome.message or outcome.code,
        ticks=outcome.ticks,
        work_ticks=outcome.work_ticks if dug and outcome.code in ("ok", "no_drop") else None,
        worn=step.before.mainhand if tool_wore(scene, index) else None,
    )


def _grid(step: Step) -> tuple[tuple[Laid, ...], str | None]:
    if not isinstance(step.action, Craft) or grid_rows(step.action.grid) is None:
        return (), None
    rows, fillers = canonical_grid(step.action.grid)
    counts = cell_counts(rows)
    kinds = tuple(
        Laid(letter=letter, item=item, cells=counts[letter], part=part(rows, letter))
        for letter, item in fillers.items()
    )
    return kinds, symmetry(rows)


def _things(scene: Scene) -> tuple[Thing, ...]:
    looks, places = attr_statements(scene), struct_statements(scene)
    names = [*involved(scene), *(one.subject for one in places if one.predicate in ("lies", "near"))]
    told = {
        name: Thing(
            name=name,
            colour=_text(looks, name, "colour"),
            stack_size=_number(looks, name, "stack_size"),
            carried=scene.step.before.count(name),
            lies=_text(places, name, "lies"),
            near=_text(places, name, "near"),
        )
        for name in dict.fromkeys(names)
    }
    for thing in _others(scene, told):
        told[thing.name] = thing
    return tuple(told[name] for name in sorted(told))


def _others(scene: Scene, involved: Iterable[str]) -> list[Thing]:
    """The blocks nearest to the eyes and the most numerous item that are not `involved`."""
    seen = scene.step.before
    blocks = sorted((block.distance, name) for name, block in seen.blocks.items() if name not in involved)
    items = sorted((-stack.count, name) for name, stack in seen.inventory.items() if name not in involved)
    found = [
        Thing(
            name=name,
            colour=colour_word(seen.blocks[name].colour),
            stack_size=None,
            carried=seen.count(name),
            lies=where(seen.blocks[name].nearest, seen),
            near=None,
        )
        for _, name in blocks[:ONLOOKERS]
    ]
    for _, name in items[:1]:
        size = seen.inventory[name].stack_size
        found.append(
            Thing(name=name, colour=None, stack_size=size, carried=seen.count(name), lies=None, near=None)
        )
    return found


def _text(statements: Iterable[Statement], name: str, predicate: str) -> str | None:
    found = _value(statements, name, predicate)
    return None if found is None else str(found)


def _number(statements: Iterable[Statement], name: str, predicate: str) -> int | None:
    found = _value(statements, name, predicate)
    return found if isinstance(found, int) else None


def _value(statements: Iterable[Statement], name: str, predicate: str) -> Value | None:
    return next((one.value for one in statements if (one.subject, one.predicate) == (name, predicate)), None)


def _stations(scene: Scene) -> Iterator[tuple[str, str]]:
    yield from ((station.block, station.offers) for station in scene.step.before.stations)
    for index, step in enumerate(scene.episode.steps, start=1):
        if step.action.kind == "place" and step.outcome.ok:
            for station in scene.observation(index).stations:
                if station.position == step.outcome.cell:
                    yield station.block, station.offers
