"""What can be set about a world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


class OptionsError(ValueError):
    """An option of a world is out of range or names something unknown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorldOptions:
    """Settings of one world. Item, block and creature names are the real ones, never invented names."""

    seed: int = 0
    """Chooses the lie of the land, the spawn point and every roll of the dice."""
    max_steps: int = 8_000
    """Budget in counted actions (`csd.episode.COUNTED_KINDS`); walking, placing and waiting are free."""
    frames: bool = False
    """Whether gymnasium observations carry a frame."""
    frame_size: int = 64
    """Height and width of a frame in pixels."""
    invented_names: int | None = None
    """Seed of a renaming of every item, block and creature; None keeps the real names."""
    withheld: tuple[str, ...] = ()
    """Items that never drop, never come out of a grid or a furnace and are removed from the start."""
    inventory: Mapping[str, int] = field(default_factory=dict)
    """What is carried at the start."""
    slots: int | None = None
    """Inventory slots, 36 in the game; None is unbounded."""
    stations: tuple[str, ...] = ()
    """Blocks already placed beside the spawn point."""
    mobs: tuple[str, ...] = ()
    """Creature kinds that roam the land."""
    mobs_near: int | None = None
    """Blocks from the spawn point within which all creatures stand; None for anywhere."""
    gap: int = 0
    """Length in cells of a trench dug beside the spawn point (`echo.worlds.minecraft.gap`); 0 for none."""
    dice: int | None = None
    """Seed of drops and of where creatures stand, where they differ from one stay in a land to the next; None
    for `seed`."""
    copies: int = 4
    """How many mirrored copies of the captured strip lie side by side."""
    sight: int = 32
    """Radius in blocks within which blocks are known."""
    hunger: bool = True
    """Whether effort makes hungry."""

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        least = {"seed": 0, "max_steps": 1, "frame_size": 8, "copies": 1, "sight": 5, "gap": 0}
        optional = {"invented_names": 0, "mobs_near": 1, "dice": 0}
        least |= {name: low for name, low in optional.items() if getattr(self, name) is not None}
        if isinstance(self.withheld, str) or isinstance(self.stations, str) or isinstance(self.mobs, str):
            raise OptionsError(
                "expected tuples of names for withheld, stations and mobs; got a text. Write ('stick',)."
            )
        for name, low in least.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise OptionsError(f"expected a whole number of at least {low}; got {value!r} for {name}.")
        if self.slots is not None and self.slots < 1:
            raise OptionsError(
                f"expected at least 1 slot, or None for no limit; got {self.slots!r} for slots."
            )
        for item, amount in self.inventory.items():
            if isinstance(amount, bool) or not isinstance(amount, int) or amount < 1:
                raise OptionsError(
                    f"expected a count of at least 1; got {amount!r} for {item!r} in inventory. "
                    f"Leave out what is not carried."
                )

    def check_names(
        self, *, items: Mapping[str, object], blocks: Mapping[str, object], mobs: Mapping[str, object]
    ) -> None:
        """Refuse names that the facts do not know.

        Raises:
            OptionsError: on the first unknown name.
        """
        named = (
            ("inventory", tuple(self.inventory), items),
            ("withheld", self.withheld, items),
            ("stations", self.stations, blocks),
            ("mobs", self.mobs, mobs),
        )
        for option, names, known in named:
            for name in names:
                if name not in known:
                    raise OptionsError(
                        f"expected one of {len(known)} known names such as {next(iter(known), 'none')!r}; "
                        f"got {name!r} in {option}. Use the game's names without 'minecraft:'."
                    )


def changed_options(options: WorldOptions, changes: Mapping[str, Any]) -> WorldOptions:
    """Return `options` with some fields changed.

    Raises:
        OptionsError: on an unknown field, or a value out of range.
    """
    known = tuple(WorldOptions.__dataclass_fields__)
    for name in changes:
        if name not in known:
            raise OptionsError(f"expected options out of {', '.join(known)}; got {name!r}.")
    return replace(options, **changes)
