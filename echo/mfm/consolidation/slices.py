"""The part of an episode that a gain rests on: walked backwards from the gain to what it was made of.

Way-finding and whatever else happened in between falls away, so that two episodes in which the same was
done for the same end give the same slice.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from echo.mfm.consolidation.attempts import Attempt
from echo.mfm.consolidation.digging import DIGS

LONGEST = 8
"""Kinds of action in a row, repetitions apart, in one slice."""

LOOK_BACK = 200
"""Actions before a gain among which its causes are looked for."""

_ENDS = frozenset({"craft", "smelt", "collect", "attack"})
_PARTS = frozenset({"craft", "smelt", "collect", "attack", "equip", "place"})
"""What a procedure can do again elsewhere; walking, turning, waiting and digging at a cell are not."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One action, done once or several times in a row."""

    attempts: tuple[Attempt, ...]

    @property
    def first(self) -> Attempt:
        """The first of them."""
        return self.attempts[0]

    def total(self, item: str) -> int:
        """Change in count of an item over all of them."""
        return sum(attempt.delta.get(item, 0) for attempt in self.attempts)


@dataclass(frozen=True, kw_only=True)
class Slice:
    """Actions of one episode that led to a gain."""

    episode: str
    item: str
    """What was gained in the end."""
    runs: tuple[Run, ...]
    """In order; at least two."""

    @property
    def amount(self) -> int:
        """How much of the item was gained in the end."""
        return self.runs[-1].total(self.item)


def slices(attempts: Sequence[Attempt]) -> Iterator[Slice]:
    """Yield the slices of all attempts, with all shorter ones that have the same end.

    A shorter one shows the same as an episode that had the first things already.
    """
    for episode, held in groupby(attempts, key=lambda attempt: attempt.episode):
        done = [attempt for attempt in held if attempt.code == "ok" and attempt.kind in _PARTS]
        for end, last in enumerate(done):
            gained = list(last.gains)
            later_same = end + 1 < len(done) and _same(done[end + 1], last)
            if last.kind not in _ENDS or len(gained) != 1 or later_same:
                continue
            runs = _runs(_backwards(done, end))
            for start in range(len(runs) - 2, max(-1, len(runs) - 1 - LONGEST), -1):
                if _hangs_together(runs[start:]):
                    yield Slice(episode=episode, item=gained[0], runs=tuple(runs[start:]))


def _backwards(done: Sequence[Attempt], end: int) -> list[Attempt]:
    """Return what the attempt at `end` rests on, itself included, in order of time."""
    needed: dict[str, int] = {}
    kept = [done[end]]
    _need(needed, done[end])
    place = end - 1
    start = max(0, end - LOOK_BACK)
    while place >= start and _same(done[place], done[end]):
        kept.append(done[place])
        _need(needed, done[place])
        place -= 1
    for attempt in reversed(done[start : place + 1]):
        gave = [item for item in attempt.gains if needed.get(item, 0) > 0]
        held_later = attempt.kind == "equip" and _is_used(attempt, kept)
        put_later = attempt.kind == "place" and _offers_later(attempt, kept)
        if not (gave or held_later or put_later):
            continue
        kept.append(attempt)
        for item, count in attempt.gains.items():
            needed[item] = max(0, needed.get(item, 0) - count)
        _need(needed, attempt)
    return kept[::-1]


def _need(needed: dict[str, int], attempt: Attempt) -> None:
    for item, change in attempt.delta.items():
        if change < 0:
            needed[item] = needed.get(item, 0) - change
    if attempt.kind == "equip" and isinstance(attempt.action.get("item"), str):
        item = str(attempt.action["item"])
        needed[item] = max(1, needed.get(item, 0))


def _is_used(equip: Attempt, kept: Sequence[Attempt]) -> bool:
    """Return whether what was taken into the hand is the tool of the next digging or striking."""
    using = next((each for each in reversed(kept) if each.kind in ("collect", "attack", "equip")), None)
    return using is not None and using.kind != "equip" and using.held == equip.action.get("item")


def _offers_later(put: Attempt, kept: Sequence[Attempt]) -> bool:
    return any(cell == put.cell for each in kept for _, cell, _ in each.station_cells)


def _runs(attempts: Sequence[Attempt]) -> list[Run]:
    return [
        Run(attempts=tuple(same))
        for _, same in groupby(attempts, key=lambda attempt: json.dumps(dict(attempt.action), sort_keys=True))
    ]


def _hangs_together(runs: Sequence[Run]) -> bool:
    """Return whether the first of `runs` matters to one of the others; a shorter slice may lose that link."""
    first, rest = runs[0].first, runs[1:]
    used = {
        item for run in rest for each in run.attempts for item, change in each.delta.items() if change < 0
    }
    used |= {str(run.first.action.get("item")) for run in rest if run.first.kind == "equip"}
    if first.kind == "equip":
        return _is_used(first, [each for run in reversed(rest) for each in run.attempts])
    if first.kind == "place":
        return _offers_later(first, [each for run in rest for each in run.attempts])
    return any(item in used for item in first.gains)


def _same(one: Attempt, other: Attempt) -> bool:
    return _plain(one.action) == _plain(other.action)


def _plain(action: Mapping[str, Any]) -> str:
    return json.dumps(dict(action), sort_keys=True)


def digs(attempt: Attempt) -> bool:
    """Return whether an attempt takes something out of the world with what is held."""
    return attempt.kind in DIGS or attempt.kind == "attack"
