"""Who plays the tasks: an agent, with or without one switch of it turned."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Self

from echo.baselines.memories import FULL_SHOTS, MEMORIES, SHOTS
from echo.experiments.spec import FileRecord, UsageError


class Competitor(FileRecord):
    """One agent of a comparison."""

    agent: str
    switch: str | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a competitor as tables show it, such as ``echo``, ``echo/-struct`` or ``mp5/-patroller``.

        Raises:
            UsageError: on an unknown agent or switch, with the near names.
        """
        agent, slash, switch = (part.strip() for part in text.partition("/"))
        if agent not in MEMORIES:
            near = _near(agent, tuple(MEMORIES))
            raise UsageError(f"expected an agent out of {', '.join(MEMORIES)}; got {agent!r}.{near}")
        known = MEMORIES[agent]
        if slash and switch not in known:
            said = f"a switch of {agent} out of {', '.join(known)}" if known else f"{agent} without a switch"
            raise UsageError(f"expected {said}; got {text.strip()!r}.{_near(switch, known)}")
        return cls(agent=agent, switch=switch or None)

    @property
    def label(self) -> str:
        """Name in tables and options."""
        return self.agent if self.switch is None else f"{self.agent}/{self.switch}"

    @property
    def slug(self) -> str:
        """Name in file names, such as ``echo--without-struct``."""
        if self.switch is None:
            return self.agent
        turned = f"without{self.switch}" if self.switch.startswith("-") else self.switch
        return f"{self.agent}--{turned}"

    @property
    def shots(self) -> int:
        """Demonstrations shown before the first episode."""
        return SHOTS.get(self.switch or "", FULL_SHOTS)


def every_competitor() -> tuple[Competitor, ...]:
    """Return all agents, each followed by its switches."""
    return tuple(
        Competitor(agent=agent, switch=switch)
        for agent, switches in MEMORIES.items()
        for switch in (None, *switches)
    )


def _near(text: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(text.lower(), known, n=3, cutoff=0.5)
    return f" Did you mean {' or '.join(near)}?" if near else ""
