"""Lessons on attempts that were refused, on eating, and on actions that only other tools know."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from echo.mfm.consolidation.attempts import Attempt
from echo.mfm.consolidation.findings import (
    Finding,
    cited,
    episodes_of,
    gains_text,
    grid_pattern,
    held_text,
    listed,
    materials_text,
    named,
    often,
)

_TOLD_ELSEWHERE = frozenset({"ok", "no_result", "no_drop"})
_REPEATED = 3
"""Failures of one kind that are worth a line although nothing is known that would have helped."""
_NAMES = 20

OBJECTS = ("block", "item", "mob", "input", "condition")
"""Keys of an action that say what it was done to, the first one counts."""


def refusal_lessons(attempts: Sequence[Attempt]) -> list[Finding]:
    """Return which actions were refused for what reason, and what differed when they worked."""
    refused: dict[tuple[str, str], dict[str, list[Attempt]]] = {}
    worked: dict[tuple[str, str], list[Attempt]] = {}
    for attempt in attempts:
        if attempt.code == "ok":
            worked.setdefault((attempt.kind, object_name(attempt)), []).append(attempt)
        elif attempt.code is not None and attempt.code not in _TOLD_ELSEWHERE:
            names = refused.setdefault((attempt.kind, _reason(attempt)), {})
            names.setdefault(object_name(attempt), []).append(attempt)
    findings = []
    for (kind, reason), names in refused.items():
        never = {name: tries for name, tries in names.items() if (kind, name) not in worked}
        if never:
            findings.append(_never(kind, reason, never))
        for name, tries in names.items():
            told = _sometimes(kind, reason, name, tries, worked.get((kind, name), []))
            if name not in never and told is not None:
                findings.append(told)
    return findings


def eating_lessons(attempts: Iterable[Attempt]) -> list[Finding]:
    """Return by how much each food filled."""
    eaten: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        if attempt.kind == "eat" and attempt.worked and attempt.food is not None:
            eaten.setdefault(object_name(attempt), []).append(attempt)
    findings = []
    for item, tries in eaten.items():
        rises = [each.food[1] - each.food[0] for each in tries if each.food is not None]
        low, high = min(rises), max(rises)
        span = f"{high:g}" if low == high else f"{low:g} to {high:g}"
        findings.append(
            Finding(
                rule="eating",
                subject=f"eating {named(item)}",
                text=f"food rose by {span} ({often(len(tries))}) {cited(episodes_of(tries))}",
                episodes=episodes_of(tries),
                weight=55.0,
            )
        )
    return findings


def other_lessons(attempts: Iterable[Attempt]) -> list[Finding]:
    """Return what calls brought whose episodes do not say how they ended, as other tools write them."""
    calls: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        if attempt.code is None and not _is_ours(attempt):
            calls.setdefault(call_text(attempt), []).append(attempt)
    findings = []
    for call, tries in calls.items():
        gained = [each for each in tries if each.gains]
        if not gained or len(tries) < 2:
            continue
        text = f"gave {gains_text(gained)} ({len(gained)} of {len(tries)}) {cited(episodes_of(gained))}"
        idle = [each for each in tries if not each.gains]
        differs = difference(gained, idle)
        if idle:
            text += f"; nothing was gained in {cited(episodes_of(idle))}"
        if differs:
            text += f"; {differs}"
        findings.append(
            Finding(
                rule="doing",
                subject=f"doing {call}",
                text=text,
                episodes=episodes_of(tries),
                weight=(80.0 if differs else 40.0) + min(len(tries), 50) / 100,
            )
        )
    return findings


def _is_ours(attempt: Attempt) -> bool:
    """Return whether an action is written as this project's are, so that another rule tells of it."""
    known = {"collect": "block", "mine": "target", "craft": "grid", "smelt": "input", "attack": "mob"}
    return known.get(attempt.kind) in attempt.action


def object_name(attempt: Attempt) -> str:
    """Return what an action was done to; empty where it names nothing."""
    if attempt.kind == "craft":
        return "a wide grid" if _wide(attempt.action.get("grid")) else "a small grid"
    return next((str(attempt.action[key]) for key in OBJECTS if isinstance(attempt.action.get(key), str)), "")


def doing(attempt: Attempt) -> str:
    """Return an action in few words: its kind and what it was done to, a grid by its shape."""
    if attempt.kind == "craft" and isinstance(attempt.action.get("grid"), list):
        shape, materials = grid_pattern(attempt.action["grid"])
        return f"craft {shape} of {materials_text(materials) or 'nothing'}"
    if attempt.code is None:
        return call_text(attempt)
    return " ".join(f"{named(attempt.kind)} {named(object_name(attempt))}".split())


def call_text(attempt: Attempt) -> str:
    """Return an action of another tool on one line: its name and its arguments."""
    rest = {key: value for key, value in attempt.action.items() if key != "kind" and value is not None}
    arguments = rest.get("args", rest)
    if isinstance(arguments, Mapping):
        words = [f"{key}={_word(value)}" for key, value in arguments.items()]
    else:
        words = [_word(value) for value in arguments] if isinstance(arguments, list) else [_word(arguments)]
    return named(" ".join([attempt.kind, *words]))


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def difference(worked: Sequence[Attempt], failed: Sequence[Attempt]) -> str:
    """Return what was so whenever it worked and never when it failed; empty where nothing was.

    Held items and stations count from one attempt on each side; what was carried from two, because
    among many items one always differs by chance.
    """
    if not worked or not failed:
        return ""
    helds = {each.held for each in worked}, {each.held for each in failed}
    if None not in helds[0] | helds[1] and not helds[0] & helds[1]:
        return (
            f"held when it worked: {listed(sorted(map(held_text, helds[0])), 4)}; "
            f"when not: {listed(sorted(map(held_text, helds[1])), 4)}"
        )
    for which, told in (("stations", "in reach"), ("inventory", "carried")):
        if which == "inventory" and (len(worked) < 2 or len(failed) < 2):
            continue
        always = _always([getattr(each, which) for each in worked], [getattr(each, which) for each in failed])
        if always:
            return f"{told} whenever it worked and never when it failed: {listed(always, 3)}"
    return ""


def _always(worked: Sequence[Iterable[str] | None], failed: Sequence[Iterable[str] | None]) -> list[str]:
    if any(each is None for each in (*worked, *failed)):
        return []
    sets = [frozenset(each) for each in worked if each is not None]
    ever = frozenset(item for each in failed if each is not None for item in each)
    return sorted(named(item) for item in frozenset.intersection(*sets) - ever)


def _reason(attempt: Attempt) -> str:
    return f"as {named(attempt.code)}" if attempt.wanted is None else f"for want of {named(attempt.wanted)}"


def _never(kind: str, reason: str, names: Mapping[str, Sequence[Attempt]]) -> Finding:
    told = []
    for name in sorted(names):
        times = f" ({len(names[name])} times)" if len(names[name]) > 1 else ""
        told.append(f"{named(name) or 'it'}{times} [{episodes_of(names[name])[0]}]")
    every = [each for tries in names.values() for each in tries]
    return Finding(
        rule="refused",
        subject=f"{named(kind)} refused {reason}",
        text=f"each time with {listed(told, _NAMES)}",
        episodes=tuple(sorted(episodes_of(every))),
        weight=38.0 + min(len(every), 50) / 100,
    )


def _sometimes(
    kind: str, reason: str, name: str, tries: Sequence[Attempt], worked: Sequence[Attempt]
) -> Finding | None:
    differs = difference(worked, tries)
    if not differs and len(tries) < _REPEATED:
        return None
    text = f"{often(len(tries))} {cited(episodes_of(tries))}"
    text += f"; it worked {often(len(worked))} {cited(episodes_of(worked))}"
    return Finding(
        rule="refused",
        subject=" ".join(f"{named(kind)} {named(name)}".split()) + f" refused {reason}",
        text=f"{text}; {differs}" if differs else text,
        episodes=tuple(sorted(episodes_of([*tries, *worked]))),
        weight=(85.0 if differs else 36.0) + min(len(tries), 50) / 100,
    )


def _wide(grid: object) -> bool:
    rows = grid if isinstance(grid, list | tuple) else ()
    return len(rows) > 2 or any(isinstance(row, list | tuple) and len(row) > 2 for row in rows)
