"""A memory policy: what a memory does for the agent. Baselines differ from Echo here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from csd.descriptor import Csd
from echo.agent.knowledge import GridKey
from echo.agent.penalty import Penalty


@dataclass(frozen=True, kw_only=True, slots=True)
class Idea:
    """A new task that memory suggests: one arrangement, with its reasons."""

    key: GridKey | None
    """The grid, or None for smelting."""
    smelt: str | None
    success: float
    """Predicted chance that it gives something."""
    score: float
    """Expected new items per counted action, weighted by what they may open."""
    source: str
    """'transfer' or 'pattern'."""
    axes: Mapping[str, float]
    """Share of each axis in the suggestion; sums to 1, or empty."""
    exemplars: tuple[str, ...]
    """Ids of the descriptors it was carried over from."""
    detail: str


class MemoryPolicy(Protocol):
    """What the agent asks of a memory."""

    @property
    def penalty(self) -> Penalty | None:
        """What failures speak against, for the explorer; None if the memory does not generalise failures."""
        ...

    def remember(self, csd: Csd) -> None:
        """Take in the descriptor of a success."""
        ...

    def failed(self, rows: str, fillers: tuple[str, ...]) -> None:
        """Take in an arrangement that gave nothing."""
        ...

    def suggest(self, held: Mapping[str, int], price: Mapping[str, float], station: Mapping[str, bool]) -> Idea | None:
        """Return the best suggestion now, None where memory has none."""
        ...

    def set_aside(self, idea: Idea, until: int) -> None:
        """Take note that an idea could not be prepared with the `until` ways known now."""
        ...

    def judged(self, idea: Idea, *, worked: bool, new: bool) -> None:
        """Give credit or blame for a tried suggestion."""
        ...
