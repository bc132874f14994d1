"""What steps.json of our own recorder says about places: every view and every step, with cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from echo.mfm.spatial.checked import (
    Odd,
    cell,
    items,
    mapping,
    mark_or_none,
    name,
    number,
    number_or_none,
    whole,
    whole_or_none,
)
from echo.mfm.spatial.facts import Cell, Happening, Moment, SeenKind, SeenStation, Stand, View
from echo.mfm.spatial.harm import harm_in

Held = TypeVar("Held")

DONE_CODES = ("ok", "no_drop", "inventory_full")
"""Outcome codes of a dig or a fight that took place, whatever came of it."""

_DIGS = ("collect", "mine")
_MAKES = ("craft", "smelt")
_OBJECT_KEYS = ("block", "mob", "item", "input", "condition", "target")


class Notes(Protocol):
    """Where what could not be used is noted."""

    def add(self, file: str, why: str) -> None:
        """Remember why something in `file` could not be used."""

    def attempt(self, file: str, read: Callable[[], Held]) -> Held | None:
        """Return what `read` returns, or None, with a note, where a value is not what it should be."""


def moments_of_steps(document: dict[str, Any], file: str, notes: Notes) -> tuple[Moment, ...]:
    """Return the moments of an episode in order, the one after its last step included.

    A moment without a readable position is left out with a note; so is a happening.
    """
    steps = notes.attempt(file, lambda: items(document.get("steps"), "steps")) or []
    befores = [step.get("before") if isinstance(step, dict) else None for step in steps]
    views = [_view(held, file, notes) for held in (*befores, document.get("after"))]
    moments = []
    for place, view in enumerate(views):
        if view is None:
            continue
        after = next((later for later in views[place + 1 :] if later is not None), view)
        step = steps[place] if place < len(steps) else None
        told = () if step is None else _happenings(step, view, after, file, notes)
        moments.append(Moment(view=view, happenings=told))
    return tuple(moments)


def _view(held: Any, file: str, notes: Notes) -> View | None:
    def read() -> View:
        seen = mapping(held, "an observation")
        x, y, z = (number(value, "position") for value in _three(seen.get("position")))
        stand = Stand(x=x, y=y, z=z, yaw=number_or_none(seen.get("yaw"), "yaw"))
        return View(
            step=notes.attempt(file, lambda: whole_or_none(seen.get("step"), "step")),
            stand=stand,
            blocks=notes.attempt(file, lambda: _blocks(seen.get("blocks"))),
            mobs=notes.attempt(file, lambda: _mobs(seen.get("mobs"))),
            stations=notes.attempt(file, lambda: _stations(seen.get("stations"))) or (),
        )

    return notes.attempt(file, read)


def _three(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) != 3:
        raise Odd("three numbers for position", value)
    return value


def _blocks(value: Any) -> dict[str, SeenKind] | None:
    if value is None:
        return None
    return {
        name(kind, "a block"): SeenKind(
            count=whole(mapping(held, kind).get("count"), f"count of {kind}"),
            cell=cell(held.get("nearest"), f"nearest {kind}"),
        )
        for kind, held in mapping(value, "blocks").items()
    }


def _mobs(value: Any) -> dict[str, int] | None:
    if value is None:
        return None
    return {
        name(kind, "a creature"): whole(count, f"count of {kind}")
        for kind, count in mapping(value, "mobs").items()
    }


def _stations(value: Any) -> tuple[SeenStation, ...]:
    if value is None:
        return ()
    return tuple(
        SeenStation(
            name=name(mapping(held, "a station").get("block"), "a station"),
            cell=cell(held.get("position"), "position of a station"),
            offers=mark_or_none(held.get("offers")),
        )
        for held in items(value, "stations")
    )


def _happenings(
    step: dict[str, Any], before: View, after: View, file: str, notes: Notes
) -> tuple[Happening, ...]:
    action = notes.attempt(file, lambda: mapping(step.get("action"), "action"))
    outcome = notes.attempt(file, lambda: mapping(step.get("outcome"), "outcome"))
    if action is None or outcome is None:
        return ()
    number_of_step = None if before.step is None else before.step + 1
    during = action_words(action)

    def happened(
        kind: Any, what: str | None, amount: float | None, at: Cell | None, stand: Stand
    ) -> Happening:
        return Happening(
            kind=kind, name=what, amount=amount, cell=at, stand=stand, during=during, step=number_of_step
        )

    found: list[Happening] = []
    word, code = action.get("kind"), outcome.get("code")
    at = notes.attempt(file, lambda: None if outcome.get("cell") is None else cell(outcome["cell"], "cell"))
    block = outcome.get("block") if isinstance(outcome.get("block"), str) else None
    if word in _DIGS and block and code in DONE_CODES:
        found.append(happened("dug", block, 1, at, after.stand))
    if word == "place" and block and code == "ok":
        found.append(happened("placed", block, 1, at, after.stand))
    if word == "attack" and isinstance(action.get("mob"), str) and code in DONE_CODES:
        found.append(happened("felled", action["mob"], 1, at, after.stand))
    gains = notes.attempt(file, lambda: gained(outcome.get("inventory_delta"))) or {}
    made = "made" if word in _MAKES else "got"
    found += [happened(made, item, amount, None, after.stand) for item, amount in gains.items()]
    events = notes.attempt(file, lambda: items(outcome.get("events") or [], "events")) or []
    harms = [harm for event in events if (harm := harm_in(event)) is not None]
    found += [
        # After a death the body is elsewhere.
        happened(
            harm.kind, harm.cause, harm.amount, None, before.stand if harm.kind == "death" else after.stand
        )
        for harm in harms
    ]
    return tuple(found)


def gained(value: Any) -> dict[str, float]:
    """Return what an inventory change added, by item.

    Raises:
        Odd: if it is no object of numbers.
    """
    if value is None:
        return {}
    changes = {
        name(item, "an item"): number(change, f"change of {item}")
        for item, change in mapping(value, "inventory_delta").items()
    }
    return {item: change for item, change in changes.items() if change > 0}


def action_words(action: dict[str, Any]) -> str | None:
    """Return an action in a few words.

    >>> action_words({"kind": "attack", "mob": "zombie"})
    'attack zombie'
    """
    kind = action.get("kind")
    if not isinstance(kind, str):
        return None
    held = (action[key] for key in _OBJECT_KEYS if isinstance(action.get(key), str))
    return " ".join((kind, *(word for word in held)))[:80]
