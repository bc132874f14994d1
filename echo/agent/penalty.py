"""What failures elsewhere say against an attempt: the seam between a memory and the explorer."""

from __future__ import annotations

from typing import Protocol


class Penalty(Protocol):
    """Extra description bits for attempts that failures of like attempts speak against."""

    def bits(self, rows: str, fillers: tuple[str, ...]) -> float:
        """Return bits >= 0 to add to a grid with `fillers` for the letters of `rows`."""
        ...
