"""Which episode a name means, and what its row tells. Standard library only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.folder import MemoryFolder
from echo.mfm.layout import (
    INDEX,
    PREVIOUS,
    MfmError,
    Row,
    episode_number,
    life_name,
    life_number,
)


@dataclass(frozen=True, kw_only=True)
class Reference:
    """An episode that exists."""

    id: str
    life: int | None
    """Number of the earlier life it belongs to; None for this one."""
    folder: Path

    @property
    def name(self) -> str:
        """What it is cited as: 'ep_000012', or 'life_2/ep_000012' in an earlier life."""
        return self.id if self.life is None else f"{life_name(self.life)}/{self.id}"


def find_episode(root: Path | str, name: str) -> Reference:
    """Return the episode that `name` means: of this life, else of the latest earlier one that has it.

    Args:
        root: The memory folder.
        name: 'ep_000012', or 'life_2/ep_000012' for that life alone.

    Raises:
        MfmError: if `root` is no memory, `name` is no episode id, or there is no such episode.
    """
    memory = MemoryFolder(root)
    life_text, slash, id = name.rpartition("/")
    life = life_number(life_text) if slash else None
    if episode_number(id) is None or (slash and life is None):
        raise MfmError(
            f"expected an episode id such as 'ep_000012' or 'life_2/ep_000012', got {name!r}. "
            f"Take one from {memory.root / INDEX}."
        )
    folder = memory.place(id, life)
    if folder is None:
        raise MfmError(
            f"expected an episode of {memory.root}, got {name!r}, which has no folder there. "
            f"Take an id from {INDEX}, or from {PREVIOUS}/{INDEX} for an earlier life."
        )
    parts = folder.relative_to(memory.root).parts
    return Reference(id=id, life=life_number(parts[1]) if parts[0] == PREVIOUS else None, folder=folder)


def cited(row: Row) -> str:
    """Return what the episode of `row` is cited as.

    >>> cited({"id": "ep_000012"}), cited({"id": "ep_000012", "life": 2})
    ('ep_000012', 'life_2/ep_000012')
    """
    life = row.get("life")
    return str(row["id"]) if type(life) is not int else f"{life_name(life)}/{row['id']}"


def number(value: object) -> float | None:
    """Return a finite number, or None for anything else; rows of other tools may hold anything.

    >>> number(3), number(True), number("3"), number(float("nan"))
    (3.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def steps_of(row: Row) -> str:
    """Return the steps of an episode in words.

    >>> steps_of({"first_step": 3, "last_step": 5}), steps_of({"first_step": 3, "last_step": None})
    ('steps 3-5', 'steps ?')
    """
    first, last = row.get("first_step"), row.get("last_step")
    return "steps ?" if first is None or last is None else f"steps {first}-{last}"


def place_of(row: Row) -> str:
    """Return where an episode began, or nothing where that is unknown.

    >>> place_of({"x": 1.25, "z": -3}), place_of({"x": 1.25, "z": None})
    ('(1.2, -3.0)', '')
    """
    x, z = number(row.get("x")), number(row.get("z"))
    return "" if x is None or z is None else f"({x:.1f}, {z:.1f})"


def distance(one: Row, other: Row) -> float | None:
    """Return the blocks between two episodes; height counts where both tell it. None where unknown."""
    x, z, x2, z2 = (number(row.get(axis)) for row in (one, other) for axis in ("x", "z"))
    if x is None or z is None or x2 is None or z2 is None:
        return None
    y, y2 = number(one.get("y")), number(other.get("y"))
    return math.hypot(x - x2, z - z2, 0.0 if y is None or y2 is None else y - y2)
