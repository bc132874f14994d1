"""Where a new task is to be done: what is carried, known by name, offered, and was tried before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Laid = tuple[str, tuple[str, ...]]
"""An arrangement in the spelling of the failure log: canonical grid rows, or 'smelt', and the fillers."""

MOST_NAMES = 48
"""Names that a model is told, at most: each takes three or four tokens."""

MOST_VAIN = 8
"""Arrangements tried in vain that a model is told, at most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Situation:
    """What is known beside the experiences themselves."""

    held: Mapping[str, int] = field(default_factory=dict)
    """Item -> how many are carried."""
    names: tuple[str, ...] = ()
    """Every item and block that was ever seen by name, oldest first."""
    offers: tuple[str, ...] = ()
    """What known stations offer: 'grid3', 'smelt'."""
    vain: tuple[Laid, ...] = ()
    """Arrangements that gave nothing, oldest first."""
    done: tuple[Laid, ...] = ()
    """Arrangements that gave something: to do one again is no new task."""
    aim: str | None = None
    """What the new tasks should lead to, in words; None for anything new."""

    def told_names(self, most: int = MOST_NAMES) -> tuple[str, ...]:
        """Return at most `most` names to tell a model: what is carried first, then what was seen last."""
        carried = [name for name, count in self.held.items() if count > 0]
        return tuple(dict.fromkeys((*carried, *reversed(self.names))))[:most]

    def told(self) -> str:
        """Return the situation in words, one line a kind; what is empty leaves no line."""
        carried = [f"{name} x{count}" for name, count in self.held.items() if count > 0]
        offered = ", ".join(dict.fromkeys(self.offers)) or "nothing but the 2x2 grid of the hands"
        vain = [f"{rows} of {', '.join(fillers)}" for rows, fillers in self.vain[-MOST_VAIN:]]
        lines = (
            ("aim", self.aim or "something never made before"),
            ("carried", ", ".join(carried[:MOST_NAMES])),
            ("known names", ", ".join(self.told_names())),
            ("stations offer", offered),
            ("tried in vain", "; ".join(vain)),
        )
        return "\n".join(f"{name}: {text}" for name, text in lines if text)
