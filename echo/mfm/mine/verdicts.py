"""Hold what a claim says against the episodes it cites: supported, contradicted, or not checkable.

A statement is supported where one of its episodes shows it, and contradicted where every one of them
was recorded well enough to show it and none does. A claim is contradicted if one of its statements is,
else supported if one is, else not checkable.

- a gain or loss: supported by a change of that item by that amount, of one step, of an episode or of all
  cited together; contradicted where inventory_delta shows none, or other amounts only.
- nothing came of it: supported by an episode with a step in which no item rose; else contradicted.
- an action: supported by one of that kind, done to that block, creature or item; contradicted where all
  actions are of other kinds, or done to others.
- a tool, or the bare hand: supported where it was in the hand at some moment, else contradicted.
- an event: supported where it is among the events, else contradicted.
- a place: supported where the agent, or something it saw or acted on, was within 16 blocks; contradicted
  where all was more than 64 blocks away. A height the same with 4 and 32 blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from echo.mfm.mine.facts import KINDS, Facts
from echo.mfm.mine.statements import Rule, Statement

Verdict = Literal["supported", "contradicted", "not checkable"]

NEAR, FAR = 16.0, 64.0
"""Blocks, level, within which a place fits, and beyond which it does not."""
NEAR_UP, FAR_UP = 4.0, 32.0
"""The same for heights."""

_SHOWN = 3
"""Episodes told in an excerpt."""
_WORDS = 6
"""Items, actions or events told of one episode."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A statement with what its episodes say of it."""

    statement: Statement
    verdict: Verdict
    evidence: str
    """Excerpt of the episodes, each with its name."""


def judge(statement: Statement, episodes: Sequence[Facts]) -> Judged:
    """Return the verdict on one statement by the episodes it cites, of which there must be one at least."""
    decide, excerpt = _JUDGES[statement.rule]
    told = "; ".join(f"{each.name}: {excerpt(statement, each)}" for each in episodes[:_SHOWN])
    more = len(episodes) - _SHOWN
    return Judged(
        statement=statement,
        verdict=decide(statement, episodes),
        evidence=f"{told} and {more} more" if more > 0 else told,
    )


def overall(judged: Sequence[Judged]) -> Verdict:
    """Return the verdict on a claim whose statements were judged."""
    verdicts = [each.verdict for each in judged]
    if "contradicted" in verdicts:
        return "contradicted"
    return "supported" if "supported" in verdicts else "not checkable"


def _of(supported: bool, known: bool) -> Verdict:
    return "supported" if supported else "contradicted" if known else "not checkable"


def _change(statement: Statement, episodes: Sequence[Facts]) -> Verdict:
    up = statement.rule == "gain"
    amounts = [each.gains(statement.name) if up else each.losses(statement.name) for each in episodes]
    found = [amount for each in amounts for amount in each]
    # The last of each episode's amounts is its total.
    found.append(sum(each[-1] for each in amounts if each))
    low = 1.0 if statement.low is None else statement.low
    high = math.inf if statement.low is None or statement.high is None else statement.high
    fits = any(low <= amount <= high for amount in found if amount)
    return _of(fits, all(each.delta is not None for each in episodes))


def _nothing(statement: Statement, episodes: Sequence[Facts]) -> Verdict:
    idle = any(each.delta is not None and _was_idle(each) for each in episodes)
    return _of(idle, all(each.delta is not None for each in episodes))


def _was_idle(facts: Facts) -> bool:
    if not facts.gained_anything:
        return True
    return any(not any(amount > 0 for amount in change.values()) for change in facts.changes)


def _action(statement: Statement, episodes: Sequence[Facts]) -> Verdict:
    *kinds, object = statement.name.split("/")
    done = any(_did(each, kinds, object) for each in episodes)
    return _of(done, all(each.kinds and set(each.kinds) <= KINDS for each in episodes))


def _did(facts: Facts, kinds: Sequence[str], object: str) -> bool:
    of_kind = any(word in kind.split("_") for word in kinds for kind in facts.kinds)
    return of_kind and (not object or not facts.named or object in facts.named or bool(facts.gains(object)))


def _tool(statement: Statement, episodes: Sequence[Facts]) -> Verdict:
    held = any((statement.name or None) in each.held for each in episodes)
    return _of(held, all(each.held for each in episodes))


def _event(statement: Statement, episodes: Sequence[Facts]) -> Verdict:
    happened = any(
        _is_event(statement, event) for each in episodes for event in (*(each.events or ()), *each.tags)
    )
    return _of(happened, all(each.events is not None for each in episodes))


def _is_event(statement: Statement, event: str) -> bool:
    kind, _, value = event.partition(":")
    if statement.name != "damage":
        return event == statement.name
    return kind == "damage" and (statement.low is None or value == f"{statement.low:g}")


def _place(statement: Statement, episodes: Sequence[Facts]) -> Verdict:
    return _by_distance([_level(statement, each) for each in episodes], NEAR, FAR)


def _height(statement: Statement, episodes: Sequence[Facts]) -> Verdict:
    return _by_distance([_upright(statement, each) for each in episodes], NEAR_UP, FAR_UP)


def _by_distance(away: Sequence[float | None], near: float, far: float) -> Verdict:
    known = [distance for distance in away if distance is not None]
    if any(distance <= near for distance in known):
        return "supported"
    all_far = len(known) == len(away) and all(distance > far for distance in known)
    return "contradicted" if all_far else "not checkable"


def _level(statement: Statement, each: Facts) -> float | None:
    return min((math.hypot(x - statement.x, z - statement.z) for x, _, z in each.places), default=None)


def _upright(statement: Statement, each: Facts) -> float | None:
    return min((abs(y - statement.y) for _, y, _ in each.places), default=None)


def _delta_text(statement: Statement, each: Facts) -> str:
    if each.delta is None:
        return "inventory_delta unknown"
    first = sorted(each.delta, key=lambda item: item != statement.name)
    return f"inventory_delta {_listed([f'{item} {each.delta[item]:+d}' for item in first]) or 'empty'}"


def _actions_text(statement: Statement, each: Facts) -> str:
    kinds = _listed(list(dict.fromkeys(each.kinds)))
    return f"actions {kinds or 'unknown'}{f' of {_listed(sorted(each.named))}' if each.named else ''}"


def _held_text(statement: Statement, each: Facts) -> str:
    return f"in the hand {_listed(sorted(item or 'nothing' for item in each.held)) or 'unknown'}"


def _events_text(statement: Statement, each: Facts) -> str:
    return f"events {'unknown' if each.events is None else _listed(each.events) or 'none'}"


def _level_text(statement: Statement, each: Facts) -> str:
    return _away_text(_level(statement, each))


def _upright_text(statement: Statement, each: Facts) -> str:
    return _away_text(_upright(statement, each))


def _away_text(away: float | None) -> str:
    return "no place recorded" if away is None else f"{away:.1f} blocks away at the nearest"


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _WORDS
    return ", ".join(words[:_WORDS]) + (f" and {more} more" if more > 0 else "")


_Judge = Callable[[Statement, Sequence[Facts]], Verdict]
_Excerpt = Callable[[Statement, Facts], str]

_JUDGES: dict[Rule, tuple[_Judge, _Excerpt]] = {
    "gain": (_change, _delta_text),
    "loss": (_change, _delta_text),
    "nothing": (_nothing, _delta_text),
    "action": (_action, _actions_text),
    "tool": (_tool, _held_text),
    "event": (_event, _events_text),
    "place": (_place, _level_text),
    "height": (_height, _upright_text),
}
