"""What episodes show, one action at a time: what was done, under which visible conditions, what came of it.

Read from steps.json where an episode has one; from the published documents (action, outcome, state) of any
other tool otherwise, and then only as much as those say. Nothing unreadable becomes an attempt.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from echo.mfm.layout import ACTION, FORMAT, OUTCOME, STATE, STEPS, MfmError, Row, read_json

_EXPECTED = re.compile(r"expected (.{1,100})$")
_CELL = re.compile(r"\(-?\d+(?:, ?-?\d+){2}\)")

HAND = ""
"""`Attempt.held` where nothing was held."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One action and what came of it."""

    episode: str
    """Its citation without brackets: 'ep_000012', or 'life_2/ep_000012' where ids repeat."""
    place: int
    """Which action of the episode, from 0."""
    kind: str
    action: Mapping[str, Any]
    """The action as action.json has it, with `kind`."""
    code: str | None
    """How it ended ('ok', 'no_drop', ...); None where the episode does not say."""
    delta: Mapping[str, int] = field(default_factory=dict)
    """Change in count per item."""
    held: str | None = None
    """What was held before; `HAND` for nothing, None where unknown."""
    stations: tuple[str, ...] | None = None
    """Stations in reach before, sorted; None where unknown."""
    station_cells: tuple[tuple[str, tuple[int, int, int], str], ...] = ()
    """Block, cell and offer ('grid3', 'smelt') of each of these."""
    inventory: Mapping[str, int] | None = None
    """What was carried before; None where unknown."""
    position: tuple[float, float, float] | None = None
    block: str | None = None
    """The block that was dug or put down."""
    cell: tuple[int, int, int] | None = None
    """Where that was."""
    health: tuple[float, float] | None = None
    """Before and after, 0..20; None where unknown."""
    food: tuple[float, float] | None = None
    """Before and after, 0..20; None where unknown."""
    wanted: str | None = None
    """What a refusal says was missing, such as 'a block in sight'; None where it worked or does not say."""
    events: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """Tags of the episode, given to its first attempt."""

    @property
    def gains(self) -> dict[str, int]:
        """What there was more of afterwards, sorted by name."""
        return {item: change for item, change in sorted(self.delta.items()) if change > 0}

    @property
    def worked(self) -> bool:
        """Whether it did what it was for; where the episode does not say, whether anything was gained."""
        return bool(self.gains) if self.code is None else self.code == "ok"

    @property
    def hurt(self) -> bool:
        """Whether health was lost."""
        lost = self.health is not None and self.health[1] < self.health[0]
        return lost or "damage" in self.tags or any(event.startswith("damage") for event in self.events)


def episode_attempts(folder: Path, row: Row, citation: str) -> tuple[Attempt, ...]:
    """Return the attempts of the episode in `folder`, in order; none for an initial state.

    Raises:
        MfmError: if what it holds is missing or unreadable.
    """
    if row.get("kind") == "initial":
        return ()
    try:
        if (folder / STEPS).is_file():
            record = read_json(folder / STEPS)
            if isinstance(record, dict) and record.get("format") == FORMAT:
                return _from_steps(record, row, citation)
        return _from_documents(folder, row, citation)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        if isinstance(error, MfmError):
            raise
        raise MfmError(
            f"expected the documents of an episode in {folder}, got something else "
            f"({type(error).__name__}: {error}). Restore them from a copy; the rest stays usable."
        ) from error


def to_json(attempt: Attempt) -> dict[str, Any]:
    """Return an attempt as JSON values, without what it leaves open."""
    held = asdict(attempt)
    return {name: value for name, value in held.items() if value is not None}


def from_json(held: Mapping[str, Any]) -> Attempt:
    """Return the attempt that `to_json` was given."""
    known = {each.name for each in fields(Attempt)}
    values = {name: value for name, value in held.items() if name in known}
    for name in ("stations", "position", "cell", "health", "food", "events", "tags"):
        if name in values:
            values[name] = tuple(values[name])
    values["station_cells"] = tuple(
        (block, tuple(cell), offers) for block, cell, offers in values.get("station_cells", ())
    )
    return Attempt(**{"code": None, **values})


def _from_steps(record: Mapping[str, Any], row: Row, citation: str) -> tuple[Attempt, ...]:
    steps = record["steps"]
    befores = [step["before"] for step in steps]
    afters = [*befores[1:], record["after"]]
    return tuple(
        _from_step(step, after, citation, place, _texts(row.get("tags")) if place == 0 else ())
        for place, (step, after) in enumerate(zip(steps, afters, strict=True))
    )


def _from_step(
    step: Mapping[str, Any], after: Mapping[str, Any], citation: str, place: int, tags: tuple[str, ...]
) -> Attempt:
    before, action, outcome = step["before"], step["action"], step["outcome"]
    stations = [
        (str(each["block"]), _cell(each["position"]), str(each["offers"])) for each in before["stations"]
    ]
    events = _texts(outcome["events"])
    return Attempt(
        episode=citation,
        place=place,
        kind=str(action["kind"]),
        action=dict(action),
        code=str(outcome["code"]),
        delta=_counts(outcome["inventory_delta"]),
        held=HAND if before["mainhand"] is None else before["mainhand"] or None,
        stations=tuple(sorted({block for block, _, _ in stations})),
        station_cells=tuple((block, cell, offers) for block, cell, offers in stations if cell is not None),
        inventory={item: int(stack["count"]) for item, stack in before["inventory"].items()},
        position=_position(before["position"]),
        block=outcome["block"],
        cell=_cell(outcome["cell"]),
        health=(float(before["vitals"]["health"]), float(after["vitals"]["health"])),
        food=(float(before["vitals"]["food"]), float(after["vitals"]["food"])),
        wanted=None if outcome["code"] == "ok" else _wanted(str(outcome["message"])),
        events=events,
        # The tag of an episode says that some step was hurt; the steps themselves say which one.
        tags=tuple(tag for tag in tags if tag != "damage"),
    )


def _from_documents(folder: Path, row: Row, citation: str) -> tuple[Attempt, ...]:
    action, outcome, state = (_object(folder / name) for name in (ACTION, OUTCOME, STATE))
    done = _single_action(action.get("entry"), row)
    if done is None:
        return ()
    inventory = state.get("inventory")
    place = state.get("pos") or {}
    return (
        Attempt(
            episode=citation,
            place=0,
            kind=str(done["kind"]),
            action=done,
            code=None,
            delta=_counts(outcome.get("inventory_delta") or {}),
            held=state.get("mainhand") if isinstance(state.get("mainhand"), str) else None,
            inventory=_counts(inventory) if isinstance(inventory, Mapping) else None,
            position=_position([place.get(axis, row.get(axis)) for axis in "xyz"]),
            events=_texts(outcome.get("events")),
            tags=_texts(row.get("tags")) or _texts(outcome.get("tags")),
        ),
    )


def _single_action(entry: Any, row: Row) -> dict[str, Any] | None:
    """Return what an episode without steps did, as one action: its only item, or the procedure's call."""
    kind = row.get("action_kind")
    if isinstance(entry, Mapping):
        items = entry.get("items")
        if (
            isinstance(items, list)
            and len(items) == 1
            and isinstance(items[0], Mapping)
            and "kind" in items[0]
        ):
            return dict(items[0])
        called = entry.get("procedure")
        if isinstance(called, str):
            return {"kind": called, "args": entry.get("args")}
        single = entry.get("action")
        if isinstance(single, Mapping) and isinstance(single.get("kind"), str):
            return dict(single)
        if isinstance(single, str):
            return {"kind": single}
    return {"kind": kind} if isinstance(kind, str) else None


def _object(path: Path) -> Mapping[str, Any]:
    held = read_json(path)
    if not isinstance(held, dict):
        raise MfmError(
            f"expected a JSON object in {path}, got {type(held).__name__}. "
            f"Restore this file from a copy; the rest of the memory stays usable."
        )
    return held


def _counts(held: Mapping[str, Any]) -> dict[str, int]:
    """Return whole counts by item; other tools also write objects with a count."""
    counts = {}
    for item, value in held.items():
        number = value.get("count", value.get("n")) if isinstance(value, Mapping) else value
        if isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number):
            counts[item] = int(number)
    return counts


def _wanted(message: str) -> str | None:
    """Return what a message such as 'expected a block in sight; got stone. Go on.' asks for."""
    clause, semicolon, _ = message.partition(";")
    found = _EXPECTED.match(clause)
    return _CELL.sub("a certain cell", found[1]) if found is not None and semicolon else None


def _texts(held: Any) -> tuple[str, ...]:
    return tuple(each for each in held if isinstance(each, str)) if isinstance(held, list | tuple) else ()


def _position(held: Any) -> tuple[float, float, float] | None:
    numbers = [each for each in held if isinstance(each, int | float) and not isinstance(each, bool)]
    if len(numbers) != 3 or not all(math.isfinite(each) for each in numbers):
        return None
    return float(numbers[0]), float(numbers[1]), float(numbers[2])


def _cell(held: Any) -> tuple[int, int, int] | None:
    return None if held is None else (int(held[0]), int(held[1]), int(held[2]))
