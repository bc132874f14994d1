"""One pattern for several sequences: what is equal in all stays, what differs becomes a variable.

Source: anti-unification after Plotkin (1970), over sequences of equal shape; names at two places become
one variable where they are equal in every sequence.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from echo.mfm.consolidation.slices import Run, Slice

_ROLES = {"item": "tool", "grid": "material"}
"""Key of an action -> what a parameter in its place is called, where that is not the key itself."""


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """Several slices of one shape that end in the same gain, or in gains of one sort."""

    slices: tuple[Slice, ...]
    """One for each episode, in order of time."""
    parameters: dict[str, str]
    """Name of each variable -> what stood there in the first slice."""
    bindings: tuple[tuple[tuple[str, ...], int], ...]
    """What stood in place of the variables, and in how many episodes; the most frequent first."""

    @property
    def item(self) -> str:
        """What the first slice gained."""
        return self.slices[0].item

    @property
    def sort(self) -> str:
        """The item, or the last word that the items of all slices share."""
        items = dict.fromkeys(each.item for each in self.slices)
        return self.item if len(items) == 1 else _last_word(self.item)

    @property
    def episodes(self) -> tuple[str, ...]:
        """Where it was seen, in order of time."""
        return tuple(each.episode for each in self.slices)

    @property
    def length(self) -> int:
        """Actions in a row, repetitions apart."""
        return len(self.slices[0].runs)


def patterns(found: Sequence[Slice], least: int) -> list[Pattern]:
    """Return what was seen in at least `least` separate episodes, in order of first appearance.

    A pattern that is part of another one in each of its episodes is left out.
    """
    groups: dict[tuple[str, str], dict[str, Slice]] = {}
    for each in found:
        by_episode = groups.setdefault((_Names(each).shape, _last_word(each.item)), {})
        by_episode.setdefault(each.episode, each)
    kept = [_pattern(tuple(group.values())) for group in groups.values() if len(group) >= least]
    return [each for each in kept if not any(_contains(other, each) for other in kept)]


class _Names:
    """The names of one slice, numbered by first appearance, and what is left when they are taken out."""

    def __init__(self, found: Slice) -> None:
        self.roles: dict[str, str] = {}
        """Name -> what it is first used as, in order of first appearance."""
        parts = []
        for run in found.runs:
            action = {
                key: value if key == "kind" else self._abstract(value, _ROLES.get(key, key))
                for key, value in sorted(run.first.action.items())
                # Where a block was put is way-finding.
                if key != "target"
            }
            # How often a block was collected depends on what was there already.
            times = 0 if run.first.kind == "collect" else len(run.attempts)
            parts.append([action, times, [self._abstract(item, "gives") for item in run.first.gains]])
        self.shape = json.dumps(parts, sort_keys=True)

    def _abstract(self, value: Any, role: str) -> Any:
        if isinstance(value, list | tuple):
            return [self._abstract(each, role) for each in value]
        if isinstance(value, str):
            self.roles.setdefault(value, role)
            return list(self.roles).index(value)
        return value


def _pattern(same: tuple[Slice, ...]) -> Pattern:
    names = [_Names(each) for each in same]
    columns = list(zip(*(each.roles for each in names), strict=True))
    varying = [place for place, column in enumerate(columns) if len(set(column)) > 1]
    roles = list(names[0].roles.values())
    taken: Counter[str] = Counter()
    parameters = {}
    for place in varying:
        role = roles[place]
        taken[role] += 1
        parameters[role if taken[role] == 1 else f"{role}_{taken[role]}"] = columns[place][0]
    bound = Counter(tuple(list(each.roles)[place] for place in varying) for each in names)
    bindings = sorted(bound.items(), key=lambda pair: (-pair[1], pair[0]))
    return Pattern(slices=same, parameters=parameters, bindings=tuple(bindings) if varying else ())


def _last_word(name: str) -> str:
    return name.rpartition("_")[2] or name


def _contains(longer: Pattern, shorter: Pattern) -> bool:
    if longer is shorter or longer.length <= shorter.length:
        return False
    runs: dict[str, tuple[Run, ...]] = {each.episode: each.runs for each in longer.slices}
    return all(each.episode in runs and _is_part(each.runs, runs[each.episode]) for each in shorter.slices)


def _is_part(short: Sequence[Run], long: Sequence[Run]) -> bool:
    return any(
        tuple(long[start : start + len(short)]) == tuple(short) for start in range(len(long) - len(short) + 1)
    )
