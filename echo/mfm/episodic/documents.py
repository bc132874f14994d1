"""What the files of one episode say: state.json, action.json, outcome.json and the index row.

Pure functions from records to bytes with the keys of the MFM layout. Values that our records do
not hold are null: hotbar slots, light and sky, an open GUI, the mover's plan position, verification.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from csd.episode import COUNTED_KINDS, Observation, Step, action_to_json
from echo.mfm.episodic.objects import object_of
from echo.mfm.layout import EPISODES, Row

_DIGS = frozenset({"collect", "mine"})
_SUMMARY_LIMIT = 220


@dataclass(frozen=True, kw_only=True)
class Cause:
    """What led to the actions of an episode, as far as its recorder is told."""

    turn: int | None = None
    """Turn of a model-driven agent."""
    plan: str | None = None
    """Its plan in words; where it is None, action.json tells the goal."""
    procedure: str | None = None
    """The saved procedure that was run."""
    arguments: Mapping[str, Any] | None = None
    """What it was run with, JSON values."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One episode as it is handed to the recorder."""

    goal: str
    """What it was for; empty for the initial state."""
    steps: tuple[Step, ...]
    """Empty for the initial state only."""
    after: Observation
    notes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """The caller's own tags; those that follow from the steps are added."""
    cause: Cause | None = None

    @property
    def before(self) -> Observation:
        """What was seen before the first step."""
        return self.steps[0].before if self.steps else self.after

    @property
    def first_step(self) -> int:
        """Number of the first action, 1-based; the state's own step for an initial state."""
        return min(self.before.step + 1, self.after.step)

    @property
    def inventory_delta(self) -> dict[str, int]:
        """Change in count per item over all steps, zeros left out, sorted by name."""
        total: dict[str, int] = {}
        for step in self.steps:
            for item, change in step.outcome.inventory_delta.items():
                total[item] = total.get(item, 0) + int(change)
        return {item: total[item] for item in sorted(total) if total[item] != 0}

    @property
    def events(self) -> list[str]:
        """All events in order."""
        return [event for step in self.steps for event in step.outcome.events]

    @property
    def named_step(self) -> Step | None:
        """The last step whose action counts, else the last one; None without steps."""
        counted = [step for step in self.steps if step.action.kind in COUNTED_KINDS] or self.steps
        return counted[-1] if counted else None

    @property
    def action_kind(self) -> str | None:
        """Kind of the last counted action, else of the last action."""
        named = self.named_step
        return None if named is None else named.action.kind


def state_document(entry: Entry) -> dict[str, Any]:
    """Return state.json: the moment before the first step."""
    seen = entry.before
    x, y, z = seen.position
    return {
        "step": seen.step,
        "pos": {"x": x, "y": y, "z": z, "pitch": seen.pitch, "yaw": seen.yaw},
        "inventory": {item: stack.count for item, stack in seen.inventory.items()},
        "hotbar": None,
        "mainhand": seen.mainhand,
        "mobs": dict(seen.mobs),
        "vitals": {"food": seen.vitals.food, "health": seen.vitals.health, "light": None, "sky": None},
        "gui_open": None,
        "moved": None,
        "goals": {"done": None, "next": entry.goal or None},
        "verified": None,
    }


def action_document(entry: Entry, *, results: bool = True) -> dict[str, Any]:
    """Return action.json; `entry.items` lists the actions in order, `entry.steps` counts them.

    Args:
        entry: The episode.
        results: Whether each action also says how it ended: the code and message of its outcome.
    """
    actions = [_action(step, results) for step in entry.steps]
    cause = entry.cause or Cause()
    arguments = None if cause.arguments is None else dict(cause.arguments)
    return {
        "plan": cause.plan or entry.goal or None,
        "plan_index": None,
        "plan_total": None,
        "turn": cause.turn,
        "ticks": sum(step.outcome.ticks for step in entry.steps) if actions else None,
        "first_step": entry.first_step,
        "briefing": None,
        "entry": {"procedure": cause.procedure, "args": arguments, "items": actions, "steps": len(actions)}
        if actions
        else None,
    }


def _action(step: Step, results: bool) -> dict[str, Any]:
    ended = {"code": step.outcome.code, "message": step.outcome.message} if results else {}
    return {**action_to_json(step.action), **ended}


def outcome_document(entry: Entry) -> dict[str, Any]:
    """Return outcome.json; `moved` and `descended` are blocks between the first and last position."""
    start, end = entry.before.position, entry.after.position
    return {
        "inventory_delta": entry.inventory_delta,
        "events": entry.events,
        "notes": list(entry.notes),
        "tags": _tags(entry),
        "moved": _blocks(math.dist(start, end)),
        "descended": _blocks(start[1] - end[1]),
        "last_step": entry.after.step,
        "milestone_transition": None,
        "flushed": None,
        "verified_after": None,
    }


def index_row(name: str, entry: Entry, *, attachment: str | None) -> Row:
    """Return the index line's object for episode `name`, without its picture.

    image and observation_hash are null here, `echo.mfm.episodic.files` fills them in.

    Args:
        name: Its id.
        entry: The episode.
        attachment: File of its first attachment within its folder.
    """
    x, y, z = entry.before.position
    path = f"{EPISODES}/{name}"
    return {
        "action_kind": entry.action_kind,
        "attachment": None if attachment is None else f"{path}/{attachment}",
        "first_step": entry.first_step,
        "gui_open": None,
        "id": name,
        "image": None,
        "kind": "episode" if entry.steps else "initial",
        "last_step": entry.after.step,
        "observation_hash": None,
        "path": path,
        "summary": _summary(entry),
        "tags": _tags(entry),
        "x": x,
        "y": y,
        "z": z,
    }


def _blocks(distance: float) -> float | None:
    """Round to a thousandth; a distance too large for a float is unknown."""
    return round(distance, 3) if math.isfinite(distance) else None


def _tags(entry: Entry) -> list[str]:
    if not entry.steps:
        return list(dict.fromkeys(("initial", *entry.tags)))
    dug = any(step.action.kind in _DIGS and step.outcome.block is not None for step in entry.steps)
    followed = {
        "inventory_changed": bool(entry.inventory_delta),
        "broke": dug,
        "damage": any(event.startswith("damage") for event in entry.events),
        "note": bool(entry.notes),
    }
    return list(dict.fromkeys((*(tag for tag, holds in followed.items() if holds), *entry.tags)))


def _summary(entry: Entry) -> str:
    """Return the goal, the action that the row names with its object and end, and what changed.

    Where another action was the last, how that ended follows; where others failed, how many did.
    """
    if not entry.steps:
        return "initial state"
    named, last = entry.named_step or entry.steps[-1], entry.steps[-1]
    told = [named] if named is last else [named, last]
    ended = ", then ".join(map(_ended, told))
    failed = sum(not step.outcome.ok for step in entry.steps)
    if failed > sum(not step.outcome.ok for step in told):
        ended += f" ({failed} of {len(entry.steps)} failed)"
    changes = " ".join(f"{change:+d} {item}" for item, change in entry.inventory_delta.items())
    words = f"{entry.goal}: {ended}{f', {changes}' if changes else ''}"
    folded = " ".join(words.split())
    return folded if len(folded) <= _SUMMARY_LIMIT else f"{folded[: _SUMMARY_LIMIT - 3]}..."


def _ended(step: Step) -> str:
    return f"{step.action.kind} {object_of(step.action)} {step.outcome.code}"
