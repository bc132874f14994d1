"""One thing that a claim says, as it was read out of its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Rule = (
    Literal["gain", "loss", "nothing", "action", "undone", "worked", "tool"]
    | Literal["event", "unhurt", "code", "place", "height", "mention", "unread"]
)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One thing that a piece of a claim says."""

    rule: Rule
    said: str
    """In words, for the report."""
    name: str = ""
    """Item, tool (empty for the bare hand), action kind or event."""
    low: float | None = None
    """Least amount said; None where no amount is said."""
    high: float | None = None
    """Greatest amount said; None where there is no upper end."""
    x: float = 0.0
    y: float | None = None
    z: float = 0.0
    firm: bool = True
    """Whether it is said in so many words of what happened: only then can it be contradicted."""
    tried: bool = False
    """Whether it is said of an action that it came to nothing, so that trying it is enough."""
    start: int = 0
    """Where the words begin that it was read from."""
    end: int = 0
    """Where they end."""

    def covers(self, place: int) -> bool:
        """Return whether it was read from the words at `place`."""
        return self.start <= place < self.end
