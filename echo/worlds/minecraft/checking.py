"""The door for actions: only well-formed ones with known names pass, and the names become the real ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from csd.episode import (
    Action,
    Attack,
    Cell,
    Collect,
    Craft,
    Drop,
    Eat,
    Equip,
    GoTo,
    Grid,
    LookAt,
    Mine,
    Place,
    Smelt,
    WaitUntil,
)
from echo.worlds.minecraft.facts import Facts
from echo.worlds.minecraft.names import NameBook
from echo.worlds.minecraft.rules import GRID_SIDE

Condition = Literal["time", "health", "food", "day"]
CONDITIONS: tuple[Condition, ...] = ("time", "health", "food", "day")
MOST_TICKS = 24_000
_FARTHEST = 30_000_000


class ActionError(ValueError):
    """An action is malformed or names something that this world does not know."""


class ActionCheck:
    """Checks actions of one world; says no with `ActionError`."""

    def __init__(self, facts: Facts, names: NameBook) -> None:
        """Keep what names are known."""
        self._facts = facts
        self._names = names
        self._by_type: dict[type, Callable[[Any], Action]] = {
            Collect: self._collect,
            Craft: self._craft,
            Smelt: self._smelt,
            Place: self._place,
            Equip: self._equip,
            Eat: self._eat,
            Attack: self._attack,
            Drop: self._drop,
            GoTo: self._targeted,
            LookAt: self._targeted,
            Mine: self._targeted,
            WaitUntil: self._wait,
        }

    def real(self, action: Action) -> Action:
        """Return `action` with real names.

        Raises:
            ActionError: if it is no action, a field is malformed, or a name is unknown.
        """
        check = self._by_type.get(type(action))
        if check is None:
            raise ActionError(
                f"expected one of the action records of csd.episode; got {type(action).__name__} {action!r}. "
                f"Build an action such as Collect(block='...')."
            )
        return check(action)

    def _collect(self, action: Collect) -> Action:
        block = self._known(action.block, self._facts.blocks, "block", "Collect.block")
        return action if block is action.block else Collect(block=block)

    def _craft(self, action: Craft) -> Action:
        grid = action.grid
        if not isinstance(grid, tuple) or not 1 <= len(grid) <= GRID_SIDE:
            raise ActionError(
                f"expected a tuple of 1 to {GRID_SIDE} rows; got {grid!r} in Craft.grid. "
                f"Lay at most 3x3 cells."
            )
        return Craft(grid=self._real_grid(grid))

    def _real_grid(self, grid: Grid) -> Grid:
        rows = []
        for number, row in enumerate(grid):
            if not isinstance(row, tuple) or not 1 <= len(row) <= GRID_SIDE or len(row) != len(grid[0]):
                raise ActionError(
                    f"expected rows of equal length, 1 to {GRID_SIDE} cells; got {row!r} in Craft.grid "
                    f"row {number}. Fill up with None."
                )
            rows.append(
                tuple(
                    None if item is None else self._item(item, f"Craft.grid row {number} column {column}")
                    for column, item in enumerate(row)
                )
            )
        return tuple(rows)

    def _smelt(self, action: Smelt) -> Action:
        return Smelt(
            input=self._item(action.input, "Smelt.input"), fuel=self._item(action.fuel, "Smelt.fuel")
        )

    def _place(self, action: Place) -> Action:
        target = None if action.target is None else _cell(action.target, "Place.target")
        return Place(item=self._item(action.item, "Place.item"), target=target)

    def _equip(self, action: Equip) -> Action:
        return action if action.item is None else Equip(item=self._item(action.item, "Equip.item"))

    def _eat(self, action: Eat) -> Action:
        return Eat(item=self._item(action.item, "Eat.item"))

    def _attack(self, action: Attack) -> Action:
        return Attack(mob=self._known(action.mob, self._facts.mobs, "creature", "Attack.mob"))

    def _drop(self, action: Drop) -> Action:
        _whole(action.amount, 1, 1_000_000, "Drop.amount")
        return Drop(item=self._item(action.item, "Drop.item"), amount=action.amount)

    def _targeted(self, action: GoTo | LookAt | Mine) -> Action:
        _cell(action.target, f"{type(action).__name__}.target")
        return action

    def _wait(self, action: WaitUntil) -> Action:
        if action.condition not in CONDITIONS:
            raise ActionError(
                f"expected one of {', '.join(CONDITIONS)}; got {action.condition!r} in WaitUntil.condition."
            )
        _whole(action.ticks, 1, MOST_TICKS, "WaitUntil.ticks")
        return action

    def _item(self, name: str, where: str) -> str:
        return self._known(name, self._facts.items, "item", where)

    def _known(self, name: str, known: Mapping[str, object], noun: str, where: str) -> str:
        real = self._names.real(name) if isinstance(name, str) else None
        if real is None or real not in known:
            raise ActionError(
                f"expected the name of one of the {len(known)} kinds of {noun} in this world; got {name!r} "
                f"in {where}. Use names as the observations show them."
            )
        return real


def _cell(value: Cell, where: str) -> Cell:
    if (
        not isinstance(value, tuple)
        or len(value) != 3
        or any(type(part) is not int or abs(part) > _FARTHEST for part in value)
    ):
        raise ActionError(
            f"expected a cell of three whole numbers (x, y, z), each at most {_FARTHEST:,} from 0; "
            f"got {value!r} in {where}. Name a cell of this land."
        )
    return value


def _whole(value: int, low: int, high: int, where: str) -> None:
    if type(value) is not int or not low <= value <= high:
        raise ActionError(f"expected a whole number from {low} to {high}; got {value!r} in {where}.")
