"""Lines of PRO-LONG's log: one step as one line of text, and back as far as the text goes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast, get_args

from csd.episode import (
    ACTIONS,
    Action,
    ItemStack,
    Observation,
    Outcome,
    OutcomeCode,
    SeenBlock,
    Station,
    Step,
    Vitals,
    action_to_json,
)

_PARTS = 5

_json = json.JSONEncoder(separators=(",", ":")).encode


def step_line(step: Step, when: str) -> str:
    """Return the line of one step: when, the action, its outcome, what it changed, and what was around.

    The five parts are parted by tabs, which JSON escapes; there is no line break in it. `around` ends with
    what was in sight: kind of block -> [nearest cell, how many, distance, colour].

    Args:
        step: what was done.
        when: which episode it belongs to, without a tab, such as 'episode 3'.
    """
    seen, outcome = step.before, step.outcome
    around = {
        "block": outcome.block,
        "cell": outcome.cell,
        "hand": seen.mainhand,
        "ticks": (outcome.ticks, outcome.work_ticks),
        "events": outcome.events,
        "at": (seen.position, seen.yaw, seen.pitch),
        "body": (seen.vitals.health, seen.vitals.food, seen.biome),
        "stations": [(one.block, one.position, one.offers) for one in seen.stations],
        "held": {item: (stack.count, stack.stack_size, stack.wear) for item, stack in seen.inventory.items()},
        "mobs": dict(seen.mobs),
        "sight": {
            kind: (block.nearest, block.count, block.distance, block.colour)
            for kind, block in seen.blocks.items()
        },
    }
    parts = (
        f"{when} step {seen.step} tick {seen.tick}",
        _json(action_to_json(step.action)),
        outcome.code,
        _json(dict(outcome.inventory_delta)),
        _json(around),
    )
    return "\t".join(parts)


def other_line(when: str, what: str, text: str) -> str:
    """Return the line of something else than a step, in three parts, such as how an episode ended."""
    return f"{when}\t{what}\t{_json(text)}"


def read_step(line: str) -> Step:
    """Return the step that a line tells of: all but its frame, and its message, which no line holds.

    Raises:
        ValueError: if it is not the line of a step.
    """
    parts = line.split("\t")
    if len(parts) != _PARTS or parts[2] not in get_args(OutcomeCode):
        raise ValueError(
            f"expected {_PARTS} parts between tabs, the third an outcome; got {len(parts)} in {line[:80]!r}. "
            f"Read lines of steps alone."
        )
    when, action, code, change, rest = parts
    *_, step, _, tick = when.split(" ")
    around = json.loads(rest)
    ticks, work_ticks = around["ticks"]
    outcome = Outcome(
        code=cast(OutcomeCode, code),
        message="",
        inventory_delta=json.loads(change),
        ticks=ticks,
        work_ticks=work_ticks,
        block=around["block"],
        cell=_cell(around["cell"]),
        events=tuple(around["events"]),
    )
    return Step(
        before=_seen(int(step), int(tick), around), action=_action(json.loads(action)), outcome=outcome
    )


def _seen(step: int, tick: int, around: Mapping[str, Any]) -> Observation:
    position, yaw, pitch = around["at"]
    health, food, biome = around["body"]
    return Observation(
        step=step,
        tick=tick,
        position=tuple(position),
        yaw=yaw,
        pitch=pitch,
        inventory={
            item: ItemStack(count=count, stack_size=size, wear=wear)
            for item, (count, size, wear) in around["held"].items()
        },
        mainhand=around["hand"],
        blocks={
            kind: SeenBlock(count=count, nearest=tuple(cell), distance=distance, colour=tuple(colour))
            for kind, (cell, count, distance, colour) in around["sight"].items()
        },
        mobs=around["mobs"],
        stations=tuple(
            Station(block=block, position=tuple(cell), offers=offers)
            for block, cell, offers in around["stations"]
        ),
        vitals=Vitals(health=health, food=food),
        biome=biome,
    )


def _action(told: dict[str, Any]) -> Action:
    if "target" in told:
        told["target"] = _cell(told["target"])
    if "grid" in told:
        told["grid"] = tuple(map(tuple, told["grid"]))
    return ACTIONS[told["kind"]](**told)


def _cell(value: Any) -> Any:
    return None if value is None else tuple(value)
