"""What episodes show, one action at a time: what was done, under which visible conditions, what came of it.

Read from steps.json where an episode has one; from the published documents (action, outcome, state) of any
other tool otherwise, and then only as much as those say. Nothing unreadable becomes an attempt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_args

from csd.episode import OutcomeCode
from echo.mfm.consolidation.values import (
    aimed_at,
    cell_of,
    counts,
    json_object,
    position_of,
    texts,
    wanted_of,
)
from echo.mfm.layout import ACTION, FORMAT, OUTCOME, STATE, STEPS, MfmError, Row, read_json

_NOTHING = (None, "no_drop", "no_result")

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
    """The block that was dug or put down, as the outcome names it."""
    target_block: str | None = None
    """The block that was seen where `mine` was aimed at; None where none was."""
    cell: tuple[int, int, int] | None = None
    """Where that was."""
    health: tuple[float, float] | None = None
    """Before and after, 0..20; None where unknown."""
    food: tuple[float, float] | None = None
    """Before and after, 0..20; None where unknown."""
    wanted: str | None = None
    """What a refusal says was missing, such as 'a block in sight'; None where it worked or does not say."""
    message: str | None = None
    """The whole of what a refusal says; None where it worked or does not say."""
    events: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """Tags of the episode, given to its first attempt."""
    source: str | None = None
    """The world its episode comes from; None where that does not say, as those of other tools."""

    @property
    def gains(self) -> dict[str, int]:
        """What there was more of afterwards, sorted by name."""
        return {item: change for item, change in sorted(self.delta.items()) if change > 0}

    @property
    def worked(self) -> bool:
        """Whether it did what it was for; where no code says so, whether anything was gained.

        A code that says nothing came of it is not believed where something was gained.
        """
        return self.code == "ok" or (self.code in _NOTHING and bool(self.gains))

    @property
    def idle(self) -> bool:
        """Whether it did what it was for and nothing was gained: a door that opened, a lever that moved."""
        return self.worked and not self.gains

    @property
    def hurt(self) -> bool:
        """Whether health was lost."""
        lost = self.health is not None and self.health[1] < self.health[0]
        return lost or "damage" in self.tags or any(event.startswith("damage") for event in self.events)


def aimed_cell(attempt: Attempt) -> tuple[int, ...] | None:
    """Return the cell that `mine` was aimed at; None for all other actions."""
    target = attempt.action.get("target")
    if attempt.kind != "mine" or not isinstance(target, list | tuple) or len(target) != 3:
        return None
    return tuple(target) if all(type(each) is int for each in target) else None


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


def initial_source(folder: Path) -> str | None:
    """Return the world of the initial state in `folder`; None where it does not say."""
    try:
        record = read_json(folder / STEPS)
    except (MfmError, OSError):
        return None
    return _source(record) if isinstance(record, dict) and record.get("format") == FORMAT else None


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
    steps, source = record["steps"], _source(record)
    befores = [step["before"] for step in steps]
    afters = [*befores[1:], record["after"]]
    return tuple(
        replace(
            _from_step(step, after, citation, place, texts(row.get("tags")) if place == 0 else ()),
            source=source,
        )
        for place, (step, after) in enumerate(zip(steps, afters, strict=True))
    )


def _source(record: Mapping[str, Any]) -> str | None:
    source = record.get("source")
    return source if isinstance(source, str) else None


def _from_step(
    step: Mapping[str, Any], after: Mapping[str, Any], citation: str, place: int, tags: tuple[str, ...]
) -> Attempt:
    before, action, outcome = step["before"], step["action"], step["outcome"]
    stations = [
        (str(each["block"]), cell_of(each["position"]), str(each["offers"])) for each in before["stations"]
    ]
    events = texts(outcome["events"])
    return Attempt(
        episode=citation,
        place=place,
        kind=str(action["kind"]),
        action=dict(action),
        code=str(outcome["code"]),
        delta=counts(outcome["inventory_delta"]),
        held=HAND if before["mainhand"] is None else before["mainhand"] or None,
        stations=tuple(sorted({block for block, _, _ in stations})),
        station_cells=tuple((block, cell, offers) for block, cell, offers in stations if cell is not None),
        inventory={item: int(stack["count"]) for item, stack in before["inventory"].items()},
        position=position_of(before["position"]),
        block=outcome["block"],
        target_block=aimed_at(action, before),
        cell=cell_of(outcome["cell"]),
        health=(float(before["vitals"]["health"]), float(after["vitals"]["health"])),
        food=(float(before["vitals"]["food"]), float(after["vitals"]["food"])),
        wanted=None if outcome["code"] == "ok" else wanted_of(str(outcome["message"])),
        message=None if outcome["code"] == "ok" else str(outcome["message"]).strip() or None,
        events=events,
        # The tag of an episode says that some step was hurt; the steps themselves say which one.
        tags=tuple(tag for tag in tags if tag != "damage"),
    )


def _from_documents(folder: Path, row: Row, citation: str) -> tuple[Attempt, ...]:
    action, outcome, state = (json_object(folder / name) for name in (ACTION, OUTCOME, STATE))
    done = _single_action(action.get("entry"), row)
    if done is None:
        return ()
    code, message = _end(action.get("entry"))
    inventory = state.get("inventory")
    place = state.get("pos") or {}
    return (
        Attempt(
            episode=citation,
            place=0,
            kind=str(done["kind"]),
            action=done,
            code=code,
            delta=counts(outcome.get("inventory_delta") or {}),
            held=state.get("mainhand") if isinstance(state.get("mainhand"), str) else None,
            inventory=counts(inventory) if isinstance(inventory, Mapping) else None,
            position=position_of([place.get(axis, row.get(axis)) for axis in "xyz"]),
            wanted=None if message is None else wanted_of(message),
            message=message,
            events=texts(outcome.get("events")),
            tags=texts(row.get("tags")) or texts(outcome.get("tags")),
        ),
    )


_ENDS = ("code", "message")
"""Keys of an action that tell how it ended."""


_CODES = frozenset(get_args(OutcomeCode))


def _end(entry: Any) -> tuple[str | None, str | None]:
    """Return code and refusal of the only action of an entry, as far as it tells them."""
    items = entry.get("items") if isinstance(entry, Mapping) else None
    if not isinstance(items, list) or len(items) != 1 or not isinstance(items[0], Mapping):
        return None, None
    code, message = (items[0].get(key) for key in _ENDS)
    if not isinstance(code, str) or code not in _CODES:
        return None, None
    return code, message.strip() or None if isinstance(message, str) and code != "ok" else None


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
            return {key: value for key, value in items[0].items() if key not in _ENDS}
        called = entry.get("procedure")
        if isinstance(called, str):
            return {"kind": called, "args": entry.get("args")}
        single = entry.get("action")
        if isinstance(single, Mapping) and isinstance(single.get("kind"), str):
            return dict(single)
        if isinstance(single, str):
            return {"kind": single}
    return {"kind": kind} if isinstance(kind, str) else None
