"""A memory policy: what a memory does for the agent. Baselines differ from Echo here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from csd.descriptor import Csd
from echo.agent.arrangement import Arrangement
from ical.map import StructureMapping
from ical.task import InducedTask


class Penalty(Protocol):
    """Extra description bits for attempts that failures of like attempts speak against, or for."""

    def bits(self, rows: str, fillers: tuple[str, ...]) -> float:
        """Return bits to add for `fillers` in the letters of `rows`; negative where memory favours it."""
        ...

    def chance(self, rows: str, fillers: tuple[str, ...]) -> float | None:
        """Return how likely it is to give something, over its slot's mean; None where no slot is known."""
        ...

    def naming(self, item: str) -> float:
        """Return bits to add for naming `item` at all; negative where it bears on what is asked for."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Prospects:
    """What could be tried with at the moment of asking."""

    items: Sequence[str]
    """Items ever held, in order of first holding."""
    held: Mapping[str, int]
    """Item -> how many are carried."""
    prices: Mapping[str, float]
    """Item -> counted actions that one more costs."""
    offers: Sequence[str]
    """What known stations offer."""
    ways: int
    """How many items a way is known to; what was set aside may become possible when it grows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Idea:
    """A new task that memory suggests: one arrangement, with its reasons."""

    arrangement: Arrangement
    success: float
    """Predicted chance in [0, 1] that it gives something."""
    score: float
    """Expected new items per counted action, weighted by what they may open."""
    source: Literal["transfer", "pattern"]
    """'pattern' where at least two fillers of the same slot had worked before."""
    axes: Mapping[str, float]
    """Share of each axis in the suggestion; sums to 1, or empty where none spoke for it."""
    exemplars: tuple[str, ...]
    """Ids of the descriptors it was carried over from, oldest first."""
    detail: str
    """The idea in words, such as 'cobblestone for oak_planks in AAA/.B./.B.'."""
    task: InducedTask | None = None
    """What to do, what it takes and what should come of it; None until it is carried over."""
    mapping: StructureMapping | None = None
    """From the things of the exemplar to what is known of the item; None until it is carried over."""


class MemoryPolicy(Protocol):
    """What the agent asks of a memory. It judges and sets aside only ideas that this memory suggested."""

    @property
    def penalty(self) -> Penalty | None:
        """What failures speak against, for the explorer; None if the memory does not generalise failures."""
        ...

    def remember(self, csd: Csd) -> None:
        """Take in the descriptor of something new."""
        ...

    def failed(self, arrangement: Arrangement) -> None:
        """Take in an arrangement that gave nothing."""
        ...

    def suggest(self, prospects: Prospects) -> Idea | None:
        """Return the best suggestion now, None where memory has none."""
        ...

    def carried_over(self, idea: Idea, fuel: str | None) -> Idea:
        """Return `idea` with its task and the mapping behind it; as it is where no axis may speak.

        Args:
            idea: chosen to be tried.
            fuel: what would be burnt; None for what the exemplar burnt.
        """
        ...

    def set_aside(self, idea: Idea, ways: int | None) -> None:
        """Suggest `idea` no more until more than `ways` are known; never again for None."""
        ...

    def judged(self, idea: Idea, *, worked: bool, new: bool) -> None:
        """Give credit or blame for a tried suggestion; `new` says that it brought a new item."""
        ...


class NoMemory:
    """Remembers nothing and suggests nothing: the explorer alone."""

    @property
    def penalty(self) -> None:
        """Nothing speaks against anything."""
        return None

    def remember(self, csd: Csd) -> None:
        """Forget it."""

    def failed(self, arrangement: Arrangement) -> None:
        """Forget it."""

    def suggest(self, prospects: Prospects) -> None:
        """Return None: nothing is known."""

    def carried_over(self, idea: Idea, fuel: str | None) -> Idea:
        """Return the idea as it is: there is nothing to carry over from."""
        return idea

    def set_aside(self, idea: Idea, ways: int | None) -> None:
        """Never happens, since nothing is suggested."""

    def judged(self, idea: Idea, *, worked: bool, new: bool) -> None:
        """Never happens, since nothing is suggested."""
