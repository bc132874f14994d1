"""Procedures from repeated successes: a pattern of actions becomes a file that can be run again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from echo.mfm.consolidation.attempts import HAND, Attempt
from echo.mfm.consolidation.doing import object_name
from echo.mfm.consolidation.findings import cited, grid_pattern, materials_text, named, thing
from echo.mfm.consolidation.slices import Run, Slice, digs, slices
from echo.mfm.consolidation.unify import Pattern, patterns
from echo.mfm.procedural.format import ProcedureError, parse_procedure
from echo.mfm.procedural.rendering import Given, literal, procedure_text

LEAST = 3
"""Separate episodes in which the same must have led to the same gain."""

MOST = 20
"""Procedures of one memory: the longest of those seen most often."""

_CITED = 6
_LOOPS = ("ensure_near", "collect_until")
"""Atoms that take several steps; a procedure delegates to them."""


@dataclass(frozen=True, kw_only=True)
class Script:
    """A procedure that the episodes suggest."""

    name: str
    about: str
    text: str
    """The whole file."""
    episodes: tuple[str, ...]
    """All in which it was seen, in order of time."""
    gave: str
    """What came of it when it was first seen."""
    bindings: str = ""
    """With which arguments it was seen, and how often; empty where it has no parameters."""

    def renamed(self, name: str) -> Script:
        """Return the same procedure under another name."""
        old, new = literal(self.name), literal(name)
        return replace(self, name=name, text=self.text.replace(f'"name": {old}', f'"name": {new}', 1))


@dataclass(frozen=True, kw_only=True)
class Scripts:
    """The procedures of a memory, and how many more there would be."""

    kept: tuple[Script, ...]
    left_out: int


def scripts(attempts: Sequence[Attempt], *, least: int = LEAST, most: int = MOST) -> Scripts:
    """Return the procedures that attempts suggest, in order of first appearance.

    Args:
        attempts: In order of time, those of one episode side by side.
        least: Separate episodes in which a pattern must have been seen.
        most: Procedures to return; those with the most actions times episodes.
    """
    found = patterns(list(slices(attempts)), least)
    worth = sorted(found, key=lambda each: -(each.length - 1) * len(each.episodes))[:most]
    taken: dict[str, int] = {}
    made = []
    for pattern in found:
        name = _name(pattern, taken)
        if any(pattern is each for each in worth):
            script = _script(pattern, name)
            if script is not None:
                made.append(script)
    return Scripts(kept=tuple(made), left_out=len(found) - len(made))


def _name(pattern: Pattern, taken: dict[str, int]) -> str:
    kinds = "_".join(run.first.kind for run in pattern.slices[0].runs)
    ascii_words = f"{pattern.sort}_by_{kinds}".lower().encode("ascii", "ignore").decode()
    base = f"get_{re.sub(r'[^a-z0-9]+', '_', ascii_words).strip('_')}"[:60].rstrip("_")
    taken[base] = taken.get(base, 0) + 1
    return base if taken[base] == 1 else f"{base}_{taken[base]}"


def _script(pattern: Pattern, name: str) -> Script | None:
    """Return the procedure of a pattern, or None where it cannot be written down."""
    steps = ", ".join(_step_words(run) for run in pattern.slices[0].runs)
    about = f"Get {named(pattern.sort)}: {steps}."
    amount = min(each.amount for each in pattern.slices)
    try:
        text = procedure_text(
            name,
            about=about,
            actions=_actions(pattern),
            parameters=pattern.parameters,
            needs=_needs(pattern),
            expects={"gained": {pattern.item: amount}},
            evidence=pattern.episodes[:_CITED],
        )
        for loop in _LOOPS:
            text = text.replace(f"yield {loop}(", f"yield from {loop}(")
        parse_procedure(text, name)
    except (ProcedureError, ValueError):
        # Names that no file can hold; the lessons tell of them.
        return None
    return Script(
        name=name,
        about=about,
        text=text,
        episodes=pattern.episodes,
        gave=thing(pattern.item),
        bindings=_bindings(pattern),
    )


def _step_words(run: Run) -> str:
    """Return one step in words, with the names of the first slice."""
    action = run.first.action
    if run.first.kind == "craft":
        shape, materials = grid_pattern(action["grid"])
        words = f"craft {shape} of {materials_text(materials)}"
    elif run.first.kind == "smelt":
        words = f"smelt {named(action['input'])} with {named(action['fuel'])}"
    else:
        words = " ".join(f"{run.first.kind} {named(object_name(run.first))}".split())
    times = len(run.attempts)
    return words if times == 1 or run.first.kind == "collect" else f"{words} {times} times"


def _bindings(pattern: Pattern) -> str:
    told = []
    for values, times in pattern.bindings[:4]:
        words = ", ".join(
            f"{name}={named(value)}" for name, value in zip(pattern.parameters, values, strict=True)
        )
        told.append(f"{words} ({times})")
    return "; ".join(told)


def _actions(pattern: Pattern) -> list[Given]:
    """Return the actions of the first slice, made fit for other places and other amounts."""
    first = pattern.slices[0]
    actions: list[Given] = []
    near: str | None = None
    for place, run in enumerate(first.runs):
        station = _station(pattern, place)
        if station is not None and station != near:
            actions.append({"kind": "ensure_near", "station": station})
            near = station
        if digs(run.first):
            # Walking to a block may lead away from the station.
            near = None
        actions.extend(_given(pattern, place, run))
    return actions


def _given(pattern: Pattern, place: int, run: Run) -> list[Given]:
    action: dict[str, Any] = {"kind": run.first.kind, **run.first.action}
    if action["kind"] == "place":
        action["target"] = None
    gained = list(run.first.gains)
    if action["kind"] == "collect" and len(gained) == 1 and place < len(pattern.slices[0].runs) - 1:
        count = max(_used_later(each, place, list(each.runs[place].first.gains)) for each in pattern.slices)
        return [{"kind": "collect_until", "block": action["block"], "item": gained[0], "count": count}]
    if action["kind"] in ("craft", "smelt", "collect") and len(gained) == 1:
        least = min(
            min(each.gains.values(), default=1) for one in pattern.slices for each in one.runs[place].attempts
        )
        return [(action, {"gained": {gained[0]: least}})] * len(run.attempts)
    return [action] * len(run.attempts)


def _used_later(found: Slice, place: int, items: Sequence[str]) -> int:
    """Return how many of `items` the steps behind `place` use up, at least 1."""
    used = [
        -min(0, each.delta.get(item, 0))
        for item in items
        for run in found.runs[place + 1 :]
        for each in run.attempts
    ]
    return max(1, sum(used))


def _station(pattern: Pattern, place: int) -> str | None:
    """Return the station that was in reach, with the offer the action asks for, in every slice."""
    action = pattern.slices[0].runs[place].first.action
    kind = action.get("kind")
    if kind == "craft" and _wide(action.get("grid")):
        offer = "grid3"
    elif kind == "smelt":
        offer = "smelt"
    else:
        return None
    sets = [
        {block for block, _, offers in each.runs[place].first.station_cells if offers == offer}
        for each in pattern.slices
    ]
    return min(set.intersection(*sets), default=None)


def _wide(grid: Any) -> bool:
    return isinstance(grid, list) and (len(grid) > 2 or any(len(row) > 2 for row in grid))


def _needs(pattern: Pattern) -> dict[str, Any]:
    """Return what must be there before: what is used up but not made, tools, the hand, the first block."""
    needs: dict[str, Any] = {}
    first = pattern.slices[0]
    missing = _missing(first)
    if missing:
        needs["inventory"] = missing
    helds = {_held_at_start(each) for each in pattern.slices}
    held = helds.pop() if len(helds) == 1 else None
    if held not in (None, HAND):
        needs["holds"] = held
    start = next(run.first for run in first.runs if run.first.kind != "equip")
    if start.kind == "collect":
        needs["sees"] = [start.action["block"]]
    elif start.kind == "attack":
        needs["mobs"] = [start.action["mob"]]
    return needs


def _missing(found: Slice) -> dict[str, int]:
    have: dict[str, int] = {}
    missing: dict[str, int] = {}
    for place, run in enumerate(found.runs):
        if run.first.kind == "collect":
            # As many are collected as are used later, however many this episode found in the pack.
            for item in run.first.gains:
                have[item] = have.get(item, 0) + max(run.total(item), _used_later(found, place, [item]))
            continue
        for attempt in run.attempts:
            for item, count in _wanted(attempt).items():
                short = count - have.get(item, 0)
                if short > 0:
                    missing[item] = missing.get(item, 0) + short
                    have[item] = count
            for item, change in attempt.delta.items():
                have[item] = have.get(item, 0) + change
    return {item: missing[item] for item in sorted(missing)}


def _wanted(attempt: Attempt) -> Mapping[str, int]:
    item = attempt.action.get("item")
    if attempt.kind == "equip":
        return {item: 1} if isinstance(item, str) else {}
    return {name: -change for name, change in attempt.delta.items() if change < 0}


def _held_at_start(found: Slice) -> str | None:
    """Return what was held at the first digging or striking, unless the slice takes it into the hand."""
    for run in found.runs:
        if run.first.kind == "equip":
            return HAND
        if digs(run.first):
            return run.first.held
    return HAND


def script_line(script: Script) -> str:
    """Return what a list of procedures says of one."""
    seen = f" Seen with {script.bindings}." if script.bindings else ""
    return f"{script.about}{seen} It gave {script.gave} {cited(script.episodes)}"
