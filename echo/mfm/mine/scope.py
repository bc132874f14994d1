"""Which actions of the cited episodes may show a statement: those of the kind and with the tool said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from echo.mfm.mine.facts import Done, Facts
from echo.mfm.mine.statement import Statement

_SUMS = 4_096
"""Sums that are told apart; of more steps any amount may have come."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What one piece of a claim says of the action that it speaks of."""

    kinds: tuple[str, ...] = ()
    """Kinds of action; empty where it names none, or several."""
    tool: tuple[str | None, ...] = ()
    """The one tool, None for the bare hand; empty where it names none, or several."""
    gains: tuple[str, ...] = ()
    """Items that it says were gained, where it names one tool."""

    def actions(self, episodes: Iterable[Facts]) -> list[Done]:
        """Return the actions that are spoken of."""
        return [each for facts in episodes for each in self._of(facts)]

    def amounts(self, item: str, sign: int, episodes: Sequence[Facts]) -> list[float]:
        """Return by how much `item` rose (`sign` 1) or fell (-1): in an action, an episode, altogether."""
        found: list[float] = []
        for facts in episodes:
            steps = [sign * (each.change or {}).get(item, 0) for each in self._of(facts)]
            rises = [amount for amount in steps if amount > 0]
            net = sign * (facts.delta or {}).get(item, 0)
            narrow = (self.kinds or self.tool) and all(each.change is not None for each in facts.done)
            found += [*rises, sum(rises), *([] if narrow and facts.done else [net])]
        each_whole = [sign * (facts.delta or {}).get(item, 0) for facts in episodes]
        gross = [sign * (each.change or {}).get(item, 0) for each in self.actions(episodes)]
        found += [sum(amount for amount in gross if amount > 0)]
        if not (self.kinds or self.tool):
            found.append(sum(amount for amount in each_whole if amount > 0))
        return [amount for amount in found if amount > 0]

    def shows_no_gain(self, episodes: Sequence[Facts]) -> bool:
        """Return whether one of the actions gave nothing; also where what came of them is not known."""
        done = self.actions(episodes)
        known = [each.change for each in done if each.change is not None]
        return not known or any(not any(amount > 0 for amount in change.values()) for change in known)

    def shows_tool(self, tool: str | None, episodes: Sequence[Facts]) -> bool:
        """Return whether an action of the kind, and with the gains, was done with `tool` in the hand."""
        done = [each for facts in episodes for each in facts.done if self._is_kind(each)]
        known = [each for each in done if each.held]
        if not known:
            return True
        return any(
            tool in each.held and all((each.change or {}).get(item, 0) > 0 for item in self.gains)
            for each in known
            if each.kind not in ("go_to", "look_at", "equip")
        )

    def _of(self, facts: Facts) -> Iterator[Done]:
        for each in facts.done:
            if self._is_kind(each) and (not self.tool or not each.held or self.tool[0] in each.held):
                yield each

    def _is_kind(self, done: Done) -> bool:
        return not self.kinds or any(word in done.kind.split("_") for word in self.kinds)


ANY = Scope()


def scope_of(found: Sequence[Statement]) -> Scope:
    """Return the action that the statements of one piece speak of together.

    What a piece says of one action ('digging', 'with a stone_pickaxe') has to be shown by such actions.
    """
    kinds = [each.name.split("/")[:-1] for each in found if each.rule == "action"]
    tools = list(dict.fromkeys(each.name or None for each in found if each.rule == "tool"))
    gains = [each.name for each in found if each.rule == "gain"]
    nothing = any(each.rule == "nothing" for each in found)
    return Scope(
        kinds=tuple(kinds[0]) if len(kinds) == 1 else (),
        tool=(tools[0],) if len(tools) == 1 and not (nothing and gains) else (),
        gains=tuple(gains) if len(tools) == 1 and len(gains) == 1 and not nothing else (),
    )


def done_by(episodes: Iterable[Facts], kinds: Sequence[str]) -> list[Done]:
    """Return the actions of one of these kinds."""
    return [
        each
        for facts in episodes
        for each in facts.done
        if any(word in each.kind.split("_") for word in kinds)
    ]


def is_part(word: str, name: str) -> bool:
    """Return whether `word` is `name`, or some of its words.

    >>> is_part("diamond", "deepslate_diamond_ore"), is_part("plank", "oak_planks"), is_part("log", "logo")
    (True, True, False)
    """
    whole = f"_{name}_"
    return any(f"_{form}_" in whole for form in (word, f"{word}s", word.removesuffix("s")))


def sums(amounts: Sequence[int]) -> Iterable[int]:
    """Return all sums of some of the `amounts`, which are above 0; of too many, every number up to the whole.

    >>> sorted(sums([1, 4]))
    [1, 4, 5]
    """
    found = {0}
    for amount in amounts:
        found |= {held + amount for held in found}
        if len(found) > _SUMS:
            return range(1, sum(amounts) + 1)
    return found - {0}
