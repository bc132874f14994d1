"""What a task is: its goal, its starts, its budget and what is shown before it, as a task file says it.

All names in it are the game's own; what an agent is told goes through the names its world shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from echo.agent.goal import Where
from echo.experiments.spec import FileRecord

Family = Literal["recipe", "functional", "chain", "utility", "ladder"]

FAMILIES: tuple[Family, ...] = ("recipe", "functional", "chain", "utility")
"""Families of the twelve tasks, in the order of all tables. Ladders are played by another experiment."""

Name = Annotated[str, Field(min_length=1)]
AtLeastOne = Annotated[int, Field(ge=1)]
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class HaveGoal(FileRecord):
    """Carry `items` all at once."""

    kind: Literal["have"] = "have"
    items: Annotated[dict[Name, AtLeastOne], Field(min_length=1)]


class MakeGoal(FileRecord):
    """Make anything at all in one place."""

    kind: Literal["make"] = "make"
    where: Where


class FillGoal(FileRecord):
    """Have something that carries a body in the gap beside the spawn point."""

    kind: Literal["fill"] = "fill"
    cells: AtLeastOne
    """How many cells of it, counted from the near wall; the gap of every start is as long."""


class FellGoal(FileRecord):
    """Fell one creature in a single fight of at most `within` ticks."""

    kind: Literal["fell"] = "fell"
    mob: Name
    within: AtLeastOne


TaskGoal = Annotated[HaveGoal | MakeGoal | FillGoal | FellGoal, Field(discriminator="kind")]


class ShownGrid(FileRecord):
    """Demonstration: lay a grid beside a crafting table."""

    kind: Literal["grid"] = "grid"
    product: Name
    rows: Annotated[tuple[str, ...], Field(min_length=1, max_length=3)]
    """From the top down, one letter an item, a dot for an empty cell."""
    items: Annotated[dict[Name, Name], Field(min_length=1)]
    """Letter -> item."""

    @property
    def takes(self) -> tuple[str, ...]:
        """Items used, in the order of the letters."""
        return tuple(self.items.values())

    @property
    def makes(self) -> str | None:
        """What comes out."""
        return self.product


class ShownSmelt(FileRecord):
    """Demonstration: smelt one item beside a furnace."""

    kind: Literal["smelt"] = "smelt"
    product: Name
    input: Name
    fuel: Name

    @property
    def takes(self) -> tuple[str, ...]:
        """Items used."""
        return (self.input, self.fuel)

    @property
    def makes(self) -> str | None:
        """What comes out."""
        return self.product


class ShownFight(FileRecord):
    """Demonstration: take a weapon into the hand and fell a creature."""

    kind: Literal["fight"] = "fight"
    mob: Name
    weapon: Name

    @property
    def takes(self) -> tuple[str, ...]:
        """Items used."""
        return (self.weapon,)

    @property
    def makes(self) -> str | None:
        """Nothing that is made."""
        return None


class ShownBridge(FileRecord):
    """Demonstration: fill a gap beside the spawn point with blocks of one kind."""

    kind: Literal["bridge"] = "bridge"
    item: Name
    cells: AtLeastOne

    @property
    def takes(self) -> tuple[str, ...]:
        """Items used."""
        return (self.item,)

    @property
    def makes(self) -> str | None:
        """Nothing that is made."""
        return None


Shown = Annotated[ShownGrid | ShownSmelt | ShownFight | ShownBridge, Field(discriminator="kind")]


class Start(FileRecord):
    """One way in which an episode of a task begins."""

    inventory: Annotated[dict[Name, AtLeastOne], Field(default_factory=dict)]
    """What is carried."""
    withheld: tuple[Name, ...] = ()
    """Items that cannot be had, besides those that the task withholds."""
    stations: tuple[Name, ...] = ()
    """Blocks that stand beside the spawn point."""
    mobs: tuple[Name, ...] = ()
    """Creature kinds that roam."""
    mobs_near: AtLeastOne | None = None
    """Blocks from the spawn point within which they stay; None for anywhere."""
    gap: Annotated[int, Field(ge=0, le=4)] = 0
    """Length of the trench beside the spawn point in cells; 0 for none."""
    sight: Annotated[int, Field(ge=5)] = 16
    """Radius in blocks within which blocks and creatures are known."""
    copies: AtLeastOne = 2
    """How many mirrored copies of the captured land lie side by side."""


class Task(FileRecord):
    """One task."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    """As commands and file names have it."""
    title: Name
    """As tables have it; the paper's name where it has one."""
    family: Family
    text: Name
    """What the agent is told; ``{iron_pickaxe}`` stands for the name that its world shows for that item."""
    goal: TaskGoal
    steps: AtLeastOne
    """Budget of an episode in steps: collect, mine, craft, smelt, attack, go_to and place count one each."""
    usual: tuple[Name, ...] = ()
    """Items that the usual way takes; no start has them, and they cannot be had."""
    withheld: tuple[Name, ...] = ()
    """Further items that cannot be had in any start."""
    shown: tuple[Shown, ...] = ()
    """Demonstrations that belong to this task, given before the common ones."""
    milestones: tuple[Name, ...] = ()
    """Items whose first gain is recorded, lowest first; a ladder's only."""
    starts: Annotated[tuple[Start, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for number, start in enumerate(self.starts):
            self._check_start(number, start)
        for shown in self.shown:
            self._check_shown(shown)
        if self.family == "functional" and not (self.usual and self.shown):
            raise ValueError(
                "expected a functional task to name the usual items and to show their use; got none."
            )
        if (self.family == "ladder") != bool(self.milestones):
            raise ValueError(
                "expected milestones in a task of the family 'ladder' and in no other; "
                f"got {len(self.milestones)} in {self.family!r}."
            )
        return self

    def _check_start(self, number: int, start: Start) -> None:
        for item in start.inventory:
            if item in self.withheld_in(start):
                raise ValueError(
                    f"expected starts without what is withheld; got {item!r} in the inventory of start "
                    f"{number}."
                )
        if isinstance(self.goal, HaveGoal) and all(
            start.inventory.get(item, 0) >= count for item, count in self.goal.items.items()
        ):
            raise ValueError(f"expected starts that lack part of the goal; start {number} has all of it.")
        for fault, message in (
            (isinstance(self.goal, FillGoal) and start.gap != self.goal.cells, "a gap as long as the goal's"),
            (isinstance(self.goal, FellGoal) and self.goal.mob not in start.mobs, "the goal's creature"),
        ):
            if fault:
                raise ValueError(f"expected {message} in every start; start {number} lacks it.")

    def _check_shown(self, shown: Shown) -> None:
        if shown.makes is not None and shown.makes not in self.asked:
            return
        if not any(item in (*self.usual, *self.withheld) for item in shown.takes):
            raise ValueError(
                f"expected demonstrations of the goal only with items that the task withholds; got one "
                f"with {', '.join(shown.takes)}, which would give the answer away."
            )

    @property
    def asked(self) -> tuple[str, ...]:
        """Items that the goal asks for."""
        return tuple(self.goal.items) if isinstance(self.goal, HaveGoal) else ()

    @property
    def parts(self) -> int:
        """Into how many parts the goal falls."""
        if isinstance(self.goal, HaveGoal):
            return len(self.goal.items)
        return self.goal.cells if isinstance(self.goal, FillGoal) else 1

    def withheld_in(self, start: Start) -> tuple[str, ...]:
        """Return everything that cannot be had in `start`, in order of mention."""
        return tuple(dict.fromkeys((*self.usual, *self.withheld, *start.withheld)))

    def start_number(self, run: int, episode: int) -> int:
        """Return which start an episode of a run has: they take turns, and each run begins with the next."""
        return (run + episode) % len(self.starts)

    def told(self, shown_name: Callable[[str], str]) -> str:
        """Return the text for the agent, under the names that its world shows."""
        return _PLACEHOLDER.sub(lambda match: shown_name(match[1]), self.text)

    def named(self) -> dict[str, tuple[str, ...]]:
        """Return every name it mentions, under 'items', 'blocks' and 'mobs', without repetition."""
        goal = self.goal
        items = [*self.asked, *self.usual, *self.withheld, *self.milestones]
        items += [item for start in self.starts for item in (*start.inventory, *start.withheld)]
        items += [item for shown in self.shown for item in (*shown.takes, shown.makes) if item is not None]
        mobs = [mob for start in self.starts for mob in start.mobs]
        mobs += [goal.mob] if isinstance(goal, FellGoal) else []
        mobs += [shown.mob for shown in self.shown if isinstance(shown, ShownFight)]
        blocks = [block for start in self.starts for block in start.stations]
        return {
            "items": tuple(dict.fromkeys(items)),
            "blocks": tuple(dict.fromkeys(blocks)),
            "mobs": tuple(dict.fromkeys(mobs)),
            "text": tuple(dict.fromkeys(_PLACEHOLDER.findall(self.text))),
        }
