"""What differed between attempts that worked and attempts that did not, and what the latter were told."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from echo.mfm.consolidation.attempts import Attempt
from echo.mfm.consolidation.doing import doing
from echo.mfm.consolidation.findings import cited, episodes_of, held_text, listed, named, thing
from echo.mfm.consolidation.values import without_cells
from echo.mfm.mine.statements import statements

NO_MATTER = frozenset({"not_seen", "out_of_reach", "inventory_full", "budget_spent"})
"""Codes that say nothing about what a thing asks for."""
REPEATED = 2
"""Refusals in the same words that are worth quoting."""

_OF_HEIGHT = 3
"""Attempts on each side from which on a height counts: of fewer, one side is lower by chance."""
_APART = 2
"""Blocks between the heights of both sides."""
_BETWEEN = 50
"""Actions between a failure and a success among which the cause is looked for."""
_CAUSES = 3
"""Actions named as such where it went from failure to success several times; after one time one alone."""
_NO_CAUSES = frozenset({"go_to", "look_at", "wait_until", "equip"})

ByHeld = dict[str | None, list[Attempt]]


def difference(worked: Sequence[Attempt], failed: Sequence[Attempt]) -> str:
    """Return what was so whenever it worked and never when it failed; empty where nothing was.

    Held items and stations count from one attempt on each side; what was carried from two, because
    among many items one always differs by chance; heights from three.
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
    return _heights(worked, failed)


def _always(worked: Sequence[Iterable[str] | None], failed: Sequence[Iterable[str] | None]) -> list[str]:
    if any(each is None for each in (*worked, *failed)):
        return []
    sets = [frozenset(each) for each in worked if each is not None]
    ever = frozenset(item for each in failed if each is not None for item in each)
    return sorted(thing(item) for item in frozenset.intersection(*sets) - ever)


def _heights(worked: Sequence[Attempt], failed: Sequence[Attempt]) -> str:
    up, down = _span(worked), _span(failed)
    if up is None or down is None or min(len(worked), len(failed)) < _OF_HEIGHT:
        return ""
    if up[0] - down[1] < _APART and down[0] - up[1] < _APART:
        return ""
    return f"height when it worked: {_span_text(up)}; when not: {_span_text(down)}"


def _span(attempts: Sequence[Attempt]) -> tuple[int, int] | None:
    heights = [math.floor(each.position[1]) for each in attempts if each.position is not None]
    return (min(heights), max(heights)) if len(heights) == len(attempts) else None


def _span_text(span: tuple[int, int]) -> str:
    return f"{span[0]}" if span[0] == span[1] else f"{span[0]} to {span[1]}"


class Course:
    """The attempts of a memory in order of time, to look up what happened between two of them."""

    def __init__(self, attempts: Sequence[Attempt]) -> None:
        """Look at these."""
        self._attempts = attempts
        self._places = {(each.episode, each.place): number for number, each in enumerate(attempts)}

    def cause(self, worked: Sequence[Attempt], failed: Sequence[Attempt]) -> str:
        """Return what was done between failure and success every time; empty where that is unclear."""
        if any(each.code in NO_MATTER for each in failed):
            return ""
        ends = {self._number(each): True for each in worked} | {self._number(each): False for each in failed}
        turns = [
            (before, after) for before, after in pairwise(sorted(ends)) if not ends[before] and ends[after]
        ]
        if not turns or len(failed) < REPEATED or any(after - before > _BETWEEN for before, after in turns):
            return ""
        done = [self._done(before, after) for before, after in turns]
        every = [what for what in done[0] if all(what in each for each in done)]
        if not every or len(every) > (_CAUSES if len(turns) > 1 else 1):
            return ""
        shown = [f"{what} [{done[0][what]}]" for what in every]
        return f"what was done between when it failed and when it worked: {', '.join(shown)}"

    def _number(self, attempt: Attempt) -> int:
        return self._places[attempt.episode, attempt.place]

    def _done(self, before: int, after: int) -> dict[str, str]:
        """Return what worked between two attempts, and in which episode first."""
        first: dict[str, str] = {}
        for each in self._attempts[before + 1 : after]:
            if each.worked and each.code is not None and each.kind not in _NO_CAUSES:
                first.setdefault(doing(each), each.episode)
        return first


def told_reason(failed: Sequence[Attempt]) -> str:
    """Return the words in which all of several attempts were refused, in quotes; empty where they differ.

    Also empty where `Attempt.wanted` has the core of them, and where they read as a statement that the
    episodes would be held against.
    """
    messages = {None if each.message is None else without_cells(each.message) for each in failed}
    message = messages.pop() if len(messages) == 1 and len(failed) >= REPEATED else None
    if message is None or any(each.wanted is not None for each in failed):
        return ""
    shown = f'"{named(message.rstrip(".")).replace(chr(34), chr(39))}"'
    return "" if statements(f"failed: {shown}", frozenset()) else shown


def reason_part(failed: Sequence[Attempt], most: int = 3) -> str:
    """Return the part of a line that quotes `told_reason`; empty where there is none."""
    shown = told_reason(failed)
    if not shown:
        return ""
    count = f"{len(failed)} of {len(failed)}"
    return f"each time it failed with {shown} ({count}) {cited(episodes_of(failed), most)}"
