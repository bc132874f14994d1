"""What state.json, action.json and outcome.json say about places, where there is no steps.json.

These are the files of the published layout: a position, creatures, what was gained, events. They hold no
cells of blocks, so what was got is known by where the body stood.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from echo.mfm.layout import ACTION, OUTCOME, STATE, Row
from echo.mfm.spatial.checked import cell, items, mapping, name, number, whole, whole_or_none
from echo.mfm.spatial.facts import Cell, Happening, Moment, Stand, View
from echo.mfm.spatial.harm import harm_in
from echo.mfm.spatial.recorded import Notes, action_words, gained

_MAKES = ("craft", "smelt")
_NAME_KEYS = ("name", "type", "kind", "mob")


@dataclass(frozen=True, kw_only=True, slots=True)
class Documents:
    """The three files of one episode; None where one is missing or unreadable."""

    state: dict[str, Any] | None = None
    action: dict[str, Any] | None = None
    outcome: dict[str, Any] | None = None


def moment_of_documents(row: Row, documents: Documents, stand: Stand, folder: str, notes: Notes) -> Moment:
    """Return the one moment that the files of an episode tell of, which was at `stand`."""
    state, outcome = documents.state or {}, documents.outcome or {}
    state_file = f"{folder}/{STATE}"
    step = notes.attempt(state_file, lambda: whole_or_none(state.get("step"), "step"))
    if step is None:
        first = row.get("first_step")
        step = max(0, first - 1) if type(first) is int and first <= 2**53 else None
    view = View(
        step=step,
        stand=stand,
        blocks=None,
        mobs=notes.attempt(state_file, lambda: _mobs(state.get("mobs"))),
    )
    return Moment(view=view, happenings=_happenings(row, documents, outcome, view, folder, notes))


def _mobs(value: Any) -> dict[str, int] | None:
    """Return creatures by name, from an object of counts, a list of names, or a list of objects."""
    if value is None:
        return None
    if isinstance(value, dict):
        return {name(kind, "a creature"): whole(count, f"count of {kind}") for kind, count in value.items()}
    counts: dict[str, int] = {}
    for held in items(value, "mobs"):
        told = (
            next((held[key] for key in _NAME_KEYS if key in held), None) if isinstance(held, dict) else held
        )
        kind = name(told, "a creature")
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def _happenings(
    row: Row, documents: Documents, outcome: dict[str, Any], view: View, folder: str, notes: Notes
) -> tuple[Happening, ...]:
    kind_word = row.get("action_kind")
    actions = notes.attempt(f"{folder}/{ACTION}", lambda: _actions(documents.action)) or []
    during = action_words(actions[-1]) if actions else kind_word if isinstance(kind_word, str) else None
    step = None if view.step is None else view.step + 1
    outcome_file = f"{folder}/{OUTCOME}"

    def happened(kind: Any, what: str | None, amount: float | None, at: Cell | None = None) -> Happening:
        return Happening(
            kind=kind, name=what, amount=amount, cell=at, stand=view.stand, during=during, step=step
        )

    gains = notes.attempt(outcome_file, lambda: gained(outcome.get("inventory_delta"))) or {}
    lost = notes.attempt(outcome_file, lambda: _lost(outcome.get("inventory_delta"))) or {}
    tags = row.get("tags") if isinstance(row.get("tags"), list) else []
    found: list[Happening] = []
    if tags and "broke" in tags:
        found += [happened("dug", item, amount) for item, amount in gains.items()] or [
            happened("dug", None, None)
        ]
    for action in actions:
        item = action.get("item")
        if action.get("kind") == "place" and isinstance(item, str) and item in lost:
            at = notes.attempt(f"{folder}/{ACTION}", partial(_target, action))
            found.append(happened("placed", item, 1, at))
    made = "made" if kind_word in _MAKES else "got"
    found += [happened(made, item, amount) for item, amount in gains.items()]
    events = notes.attempt(outcome_file, lambda: items(outcome.get("events") or [], "events")) or []
    harms = [harm for event in events if (harm := harm_in(event)) is not None]
    found += [happened(harm.kind, harm.cause, harm.amount) for harm in harms]
    return tuple(found)


def _actions(action: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return the actions of an episode in order, as far as its entry lists them."""
    entry = None if action is None else action.get("entry")
    if not isinstance(entry, dict):
        return []
    listed = entry.get("items")
    found = listed if isinstance(listed, list) else [entry.get("action")]
    return [held for held in found if isinstance(held, dict)]


def _target(action: dict[str, Any]) -> Cell | None:
    return None if action.get("target") is None else cell(action["target"], "target")


def _lost(value: Any) -> dict[str, float]:
    if value is None:
        return {}
    changes = {item: number(change, f"change of {item}") for item, change in mapping(value, "it").items()}
    return {item: change for item, change in changes.items() if change < 0}
