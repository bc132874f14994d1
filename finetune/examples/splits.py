"""Which side of the data an episode belongs to: groups of item families are held out whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

import numpy as np

from finetune.examples.families import FAILED, About, Groups
from finetune.examples.recorded import ExamplesError, SettingsError

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")

LEAST_IN_TRAIN = 0.5
"""Share of the episodes of a task family that holding out groups leaves for training, at least."""

TOO_MUCH = 1.5
"""A group that would give a side more than this many times its share of a task family comes last."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldOut:
    """What is held out of training."""

    test_share: float = 0.2
    """Share of the episodes of each task family for the test, 0..1, as far as whole groups allow."""
    validation_share: float = 0.1
    """The same for validation."""
    families: tuple[str, ...] = ()
    """Item families whose groups go to the test in any case."""
    tasks: tuple[str, ...] = ()
    """Task families that training never shows ('smelt' stands for 'smelt failed' too); all of their episodes
    are test episodes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sides:
    """The side of each group, and the tasks held out."""

    of_group: Mapping[str, Split]
    groups: Groups
    tasks: tuple[str, ...]

    def of(self, told: About) -> Split | None:
        """Return the side of an episode, or None where it would carry a recipe from one to another."""
        if self.is_held_task(told):
            return "test"
        if any(recipe.split(" ", 1)[0] in self.tasks for recipe in told.recipes):
            return None
        sides = dict.fromkeys(self.of_group[group] for group in self.groups.of(told))
        return next(iter(sides)) if len(sides) == 1 else None

    def is_held_task(self, told: About) -> bool:
        """Whether an episode is of a task family held out as a whole."""
        return told.task_family.removesuffix(FAILED) in self.tasks

    @property
    def by_side(self) -> dict[Split, tuple[str, ...]]:
        """Side -> its groups, sorted."""
        return {
            side: tuple(sorted(group for group, own in self.of_group.items() if own == side))
            for side in SPLITS
        }


def divide(told: Sequence[About], groups: Groups, held: HeldOut, generator: np.random.Generator) -> Sides:
    """Choose which groups are held out.

    Groups named in `held` go to the test. Of the others, in a random order, those of which every second
    episode or more carries a recipe of another group come last. For each task family, the rarest first,
    groups are taken for the test until its share is reached, then likewise for validation. A group is passed
    over if taking it would leave less than half of the episodes of any task family in training, and, while
    others will do, if it would overfill the side.

    Args:
        told: what each episode is about.
        groups: as `groups_of` made them, with every item family in it.
        held: shares and names.
        generator: makes the choice; equal states give equal sides.

    Raises:
        SettingsError: if a name in `held` is unknown.
        ExamplesError: if there are fewer than three groups, or nothing is left for a side.
    """
    _check_names(told, groups, held)
    names = list(dict.fromkeys(groups.of(each)[0] for each in told))
    if len(names) < len(SPLITS):
        raise ExamplesError(
            f"expected episodes of at least {len(SPLITS)} groups of item families, one for each of "
            f"{', '.join(SPLITS)}; got {len(names)} ({', '.join(names) or 'none'}). Record episodes about "
            f"more kinds of items."
        )
    sides: dict[str, Split] = dict.fromkeys(groups.names, "train")
    for family in held.families:
        sides[groups.of_mark[f"word {family}"]] = "test"
    choice = _Choice(told, groups, sides, held)
    order = choice.order(names, generator)
    choice.take("test", held.test_share, order)
    choice.take("validation", held.validation_share, order)
    missing = [side for side in SPLITS if not any(sides[name] == side for name in names)]
    if missing:
        raise ExamplesError(
            f"expected a group of item families for each of {', '.join(SPLITS)}; got none for "
            f"{', '.join(missing)}. Record more episodes, or hold out less."
        )
    return Sides(of_group=sides, groups=groups, tasks=held.tasks)


class _Choice:
    """Counts of episodes, and the sides as they are dealt."""

    def __init__(self, told: Sequence[About], groups: Groups, sides: dict[str, Split], held: HeldOut) -> None:
        self._sides = sides
        self._counts: dict[str, Counter[str]] = {}
        self._mixed: Counter[str] = Counter()
        for each in told:
            if each.task_family.removesuffix(FAILED) in held.tasks:
                continue
            touched = groups.of(each)
            self._counts.setdefault(touched[0], Counter())[each.task_family] += 1
            if len(touched) > 1:
                self._mixed.update(touched)
        self._totals: Counter[str] = sum(self._counts.values(), Counter())

    def order(self, names: Sequence[str], generator: np.random.Generator) -> list[str]:
        """Return the groups in a random order, those that others need last."""
        shuffled = [sorted(names)[index] for index in generator.permutation(len(names))]
        return sorted(shuffled, key=lambda name: 2 * self._mixed[name] >= max(1, self._of(name).total()))

    def take(self, side: Split, share: float, order: Sequence[str]) -> None:
        """Give groups to `side` until it has `share` of each task family, as far as that can be."""
        if share <= 0:
            return
        wanted = {family: max(1, round(share * total)) for family, total in self._totals.items()}
        for family in sorted(self._totals, key=lambda name: (self._totals[name], name)):
            for strict in (True, False):
                for group in order:
                    if self._have(side, family) >= wanted[family]:
                        break
                    fits = not strict or self._fits(group, side, wanted)
                    if self._of(group)[family] > 0 and fits and self._may_leave(group):
                        self._sides[group] = side

    def _fits(self, group: str, side: Split, wanted: Mapping[str, int]) -> bool:
        """Whether `side` would stay below what is too much of each task family with `group`."""
        return all(
            self._have(side, family) + size <= TOO_MUCH * wanted[family]
            for family, size in self._of(group).items()
        )

    def _of(self, group: str) -> Counter[str]:
        return self._counts.get(group, Counter())

    def _have(self, side: Split, family: str) -> int:
        return sum(counts[family] for name, counts in self._counts.items() if self._sides[name] == side)

    def _may_leave(self, group: str) -> bool:
        """Whether `group` is in training still, and enough of each task family would stay without it."""
        return self._sides[group] == "train" and all(
            self._have("train", family) - size >= LEAST_IN_TRAIN * self._totals[family]
            for family, size in self._of(group).items()
        )


def _check_names(told: Sequence[About], groups: Groups, held: HeldOut) -> None:
    words = [mark.removeprefix("word ") for mark in groups.of_mark if mark.startswith("word ")]
    tasks = [each.task_family.removesuffix(FAILED) for each in told]
    for given, known, what in (
        (held.families, words, "an item family"),
        (held.tasks, tasks, "a task family"),
    ):
        for name in given:
            if name not in known:
                near = get_close_matches(name, sorted(dict.fromkeys(known)), n=3)
                hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {_list(known)}."
                raise SettingsError(f"expected {what} of these episodes to hold out; got {name!r}. {hint}")


def _list(names: Sequence[str]) -> str:
    distinct = sorted(dict.fromkeys(names))
    return ", ".join(distinct[:20]) + (", ..." if len(distinct) > 20 else "")
