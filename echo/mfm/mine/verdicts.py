"""Hold what a claim says against the episodes it cites: supported, contradicted, or not checkable.

A statement is supported where one of its episodes shows it, and contradicted where it is said in so many
words, every one of them was recorded well enough to show it, and none does. A claim is contradicted if one
of its statements is, supported if all are and its episodes show every item and count it names besides, else
not checkable: what is shown in part only is not checkable. How often something was so is not judged.

- a gain or loss: supported by a change of that item by that amount, of one step, of an episode or of all
  cited together; contradicted where no steps together come to that amount, unless what another verb of the
  same piece says is shown. Where one kind of action or one
  tool is said, steps of that kind, or with it in the hand, have to show it.
- nothing came of it: supported by an episode with a step in which no item rose; else contradicted.
- an action: supported by one of that kind, done to that block, creature or item, that came to pass (or, if
  it is said to have come to nothing, was tried); contradicted where all are of other kinds, or of others.
- nothing of a kind was done ('ate nothing'): supported where none was; contradicted where all did it.
- it worked: supported by an action that ended in ok; contradicted where all ended otherwise.
- a tool, or the bare hand: supported where such an action was done with it; contradicted where it was never
  in the hand.
- an event: supported where it is among the events, else contradicted. No damage: the other way round.
- how an action ended ('ended in no_drop'): supported where one did, else contradicted.
- a place: supported where the agent, or something it saw or acted on, was within 16 blocks (and 4 of the
  height); contradicted where all was more than 64 blocks away. A height the same with 4 and 32 blocks.
- an item or a count named besides ('from 3 planks'): supported where it was acted with, held, gained or
  lost, by that amount; never contradicted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from echo.mfm.mine.amounts import tells_twice
from echo.mfm.mine.excerpts import (
    actions_text,
    codes_text,
    delta_text,
    events_text,
    held_text,
    level,
    level_text,
    not_read_text,
    shown_text,
    upright,
    upright_text,
)
from echo.mfm.mine.facts import KINDS, Done, Facts
from echo.mfm.mine.scope import ANY, Scope, done_by, is_part, scope_of, sums
from echo.mfm.mine.statement import Rule, Statement
from echo.mfm.mine.statements import statements, unread

Verdict = Literal["supported", "contradicted", "not checkable"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

NEAR, FAR = 16.0, 64.0
"""Blocks, level, within which a place fits, and beyond which it does not."""
NEAR_UP, FAR_UP = 4.0, 32.0
"""The same for heights."""

BESIDES = frozenset({"mention", "unread"})
"""Rules of what a claim says beside its statements: it may keep the claim from being supported, no more."""

_SHOWN = 3
"""Episodes told in an excerpt."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A statement with what its episodes say of it."""

    statement: Statement
    verdict: Verdict
    evidence: str
    """Excerpt of the episodes, each with its name."""


def judge(statement: Statement, episodes: Sequence[Facts], scope: Scope = ANY) -> Judged:
    """Return the verdict on one statement by the episodes it cites, of which there must be one at least.

    Args:
        statement: What is said.
        episodes: What it cites.
        scope: The actions that may show it.
    """
    decide, excerpt = _JUDGES[statement.rule]
    verdict = decide(statement, episodes, scope)
    told = "; ".join(f"{each.name}: {excerpt(statement, each)}" for each in episodes[:_SHOWN])
    more = len(episodes) - _SHOWN
    return Judged(
        statement=statement,
        verdict="not checkable" if verdict == "contradicted" and not statement.firm else verdict,
        evidence=f"{told} and {more} more" if more > 0 else told,
    )


def judge_piece(text: str, episodes: Sequence[Facts], names: frozenset[str]) -> list[Judged]:
    """Return the verdicts on all that a piece of a claim says, and what of it is not shown.

    Args:
        text: The piece without its citations.
        episodes: What it cites, one at least.
        names: Items that are known, apart from those that these episodes name.
    """
    names = names.union(*(each.names for each in episodes))
    found = statements(text, names)
    scope = scope_of(found)
    besides = [judge(each, episodes, scope) for each in unread(text, names)]
    judged = [judge(each, episodes, scope) for each in found]
    if tells_twice(text):
        judged = _softened(judged)
    return [*judged, *(each for each in besides if each.verdict != "supported")]


def _softened(judged: Sequence[Judged]) -> list[Judged]:
    """Return the verdicts without contradicted amounts where another amount is shown.

    'A pickaxe costs 3 planks; with it I got coal' speaks of two things, of which the episode is one.
    """
    shown = any(each.statement.rule in ("gain", "loss") and each.verdict == "supported" for each in judged)
    return [
        replace(each, verdict="not checkable")
        if shown and each.verdict == "contradicted" and each.statement.rule in ("gain", "loss")
        else each
        for each in judged
    ]


def overall(judged: Sequence[Judged]) -> Verdict:
    """Return the verdict on a claim whose statements were judged."""
    verdicts = [each.verdict for each in judged]
    if "contradicted" in verdicts:
        return "contradicted"
    return "supported" if verdicts and set(verdicts) == {"supported"} else "not checkable"


def _of(supported: bool, known: bool) -> Verdict:
    return "supported" if supported else "contradicted" if known else "not checkable"


def _change(statement: Statement, episodes: Sequence[Facts], scope: Scope) -> Verdict:
    sign = 1 if statement.rule == "gain" else -1
    low = 1.0 if statement.low is None else statement.low
    high = math.inf if statement.low is None or statement.high is None else statement.high
    if any(low <= amount <= high for amount in scope.amounts(statement.name, sign, episodes)):
        return "supported"
    steps = [sign * each.get(statement.name, 0) for facts in episodes for each in facts.changes]
    totals = [sign * (facts.delta or {}).get(statement.name, 0) for facts in episodes]
    may_be = {*sums([amount for amount in steps if amount > 0]), *sums([each for each in totals if each > 0])}
    known = all(each.delta is not None for each in episodes)
    return _of(False, known and not any(low <= amount <= high for amount in may_be))


def _nothing(statement: Statement, episodes: Sequence[Facts], scope: Scope) -> Verdict:
    known = all(each.delta is not None for each in episodes)
    if any(each.delta is not None and _was_idle(each) for each in episodes):
        shown = scope.shows_no_gain(episodes)
        return "supported" if shown else "not checkable"
    return _of(False, known)


def _was_idle(facts: Facts) -> bool:
    if not facts.gained_anything:
        return True
    return any(not any(amount > 0 for amount in change.values()) for change in facts.changes)


def _action(statement: Statement, episodes: Sequence[Facts], scope: Scope) -> Verdict:
    *kinds, object = statement.name.split("/")
    if any(_tried(each, kinds, object) for each in episodes):
        alike = [each for each in done_by(episodes, kinds) if not object or _is_of(each, object)]
        shown = statement.tried or any(each.came_to_pass is not False for each in alike) or not alike
        return "supported" if shown else "not checkable"
    return _of(False, all(each.kinds and set(each.kinds) <= KINDS for each in episodes))


def _tried(facts: Facts, kinds: Sequence[str], object: str) -> bool:
    of_kind = any(word in kind.split("_") for word in kinds for kind in facts.kinds)
    named = any(is_part(object, each) for each in facts.named)
    return of_kind and (not object or not facts.named or named or bool(facts.gains(object)))


def _is_of(done: Done, object: str) -> bool:
    return any(is_part(object, each) for each in (*done.objects, *(done.change or {})))


def _undone(statement: Statement, episodes: Sequence[Facts], scope: Scope) -> Verdict:
    *kinds, _ = statement.name.split("/")
    did = [any(each.came_to_pass is True for each in done_by([facts], kinds)) for facts in episodes]
    known = all(each.kinds and set(each.kinds) <= KINDS for each in episodes)
    if known and not any(did) and not any(each.code is None for each in done_by(episodes, kinds)):
        return "supported"
    return _of(False, known and all(did))


def _worked(statement: Statement, episodes: Sequence[Facts], scope: Scope) -> Verdict:
    codes = [each.code for each in scope.actions(episodes)]
    if "ok" in codes:
        return "supported"
    return _of(False, bool(codes) and None not in codes and all(each.done for each in episodes))


def _tool(statement: Statement, episodes: Sequence[Facts], scope: Scope) -> Verdict:
    tool = statement.name or None
    if any(tool in each.held for each in episodes):
        return "supported" if scope.shows_tool(tool, episodes) else "not checkable"
    return _of(False, all(each.held for each in episodes))


def _event(statement: Statement, episodes: Sequence[Facts], scope: Scope) -> Verdict:
    happened = any(
        _is_event(statement, event) for each in episodes for event in (*(each.events or ()), *each.tags)
    )
    # Harm without a known cause is not among the events.
    hurt = statement.name == "damage" and statement.low is None and any(each.hurt for each in episodes)
    return _of(happened or hurt, all(each.events is not None for each in episodes))


def _unhurt(statement: Statement, episodes: Sequence[Facts], scope: Scope) -> Verdict:
    hurt = [
        each.hurt or any(event.partition(":")[0] == "damage" for event in each.events or ())
        for each in episodes
    ]
    if not any(hurt) and all(each.events is not None for each in episodes):
        return "supported"
    return _of(False, all(hurt))


def _code(statement: Statement, episodes: Sequence[Facts], scope: Scope) -> Verdict:
    return _of(any(statement.name in each.codes for each in episodes), all(each.codes for each in episodes))


def _mention(statement: Statement, episodes: Sequence[Facts], scope: Scope) -> Verdict:
    if statement.low is None:
        shown = any(is_part(statement.name, each) for facts in episodes for each in facts.involved)
    else:
        items = {each: None for facts in episodes for each in facts.involved if is_part(statement.name, each)}
        amounts = [
            amount for item in items for sign in (1, -1) for amount in scope.amounts(item, sign, episodes)
        ]
        shown = statement.low in amounts
    return "supported" if shown else "not checkable"


def _unread(statement: Statement, episodes: Sequence[Facts], scope: Scope) -> Verdict:
    return "not checkable"


def _is_event(statement: Statement, event: str) -> bool:
    kind, _, value = event.partition(":")
    if statement.name != "damage":
        return event == statement.name
    return kind == "damage" and (statement.low is None or value == f"{statement.low:g}")


def _place(statement: Statement, episodes: Sequence[Facts], scope: Scope) -> Verdict:
    verdict = _by_distance([level(statement, each) for each in episodes], NEAR, FAR)
    if verdict == "supported" and statement.y is not None:
        return "supported" if _height(statement, episodes, scope) == "supported" else "not checkable"
    return verdict


def _height(statement: Statement, episodes: Sequence[Facts], scope: Scope) -> Verdict:
    return _by_distance([upright(statement, each) for each in episodes], NEAR_UP, FAR_UP)


def _by_distance(away: Sequence[float | None], near: float, far: float) -> Verdict:
    known = [distance for distance in away if distance is not None]
    if any(distance <= near for distance in known):
        return "supported"
    all_far = len(known) == len(away) and all(distance > far for distance in known)
    return "contradicted" if all_far else "not checkable"


_Judge = Callable[[Statement, Sequence[Facts], Scope], Verdict]
_Excerpt = Callable[[Statement, Facts], str]

_JUDGES: dict[Rule, tuple[_Judge, _Excerpt]] = {
    "gain": (_change, delta_text),
    "loss": (_change, delta_text),
    "nothing": (_nothing, delta_text),
    "action": (_action, actions_text),
    "undone": (_undone, actions_text),
    "worked": (_worked, codes_text),
    "tool": (_tool, held_text),
    "event": (_event, events_text),
    "unhurt": (_unhurt, events_text),
    "code": (_code, codes_text),
    "place": (_place, level_text),
    "height": (_height, upright_text),
    "mention": (_mention, shown_text),
    "unread": (_unread, not_read_text),
}
