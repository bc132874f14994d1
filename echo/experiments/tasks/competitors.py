"""Who plays the tasks: an agent, with or without one switch of it turned."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Self

from csd.axes import AXES
from echo.experiments.spec import FileRecord, UsageError

SHOTS: Mapping[str, int] = {"1-shot": 1, "2-shot": 2, "4-shot": 4}
"""Switches of echo that give it fewer demonstrations and exemplars than the full eight."""

FULL_SHOTS = 8

SWITCHES: Mapping[str, tuple[str, ...]] = {
    "echo": (
        *SHOTS,
        *(f"-{axis.value}" for axis in AXES),
        *(f"only-{axis.value}" for axis in AXES),
        "-ical",
        "-maintenance",
        "-verifier",
    ),
    "direct": (),
    "deps": ("-selector",),
    "voyager": ("-self-verification",),
    "jarvis-1": ("-self-check",),
    "mrsteve": ("-place-memory",),
    "mp5": ("-patroller",),
    "pro-long": (),
    "vista": ("-notes",),
    "mfm": ("-frames", "-index", "-procedures", "-consolidation"),
    "echo-release": (),
}
"""Agent -> its switches, in the order of all tables."""


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
        if agent not in SWITCHES:
            near = _near(agent, tuple(SWITCHES))
            raise UsageError(f"expected an agent out of {', '.join(SWITCHES)}; got {agent!r}.{near}")
        known = SWITCHES[agent]
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
        for agent, switches in SWITCHES.items()
        for switch in (None, *switches)
    )


def _near(text: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(text.lower(), known, n=3, cutoff=0.5)
    return f" Did you mean {' or '.join(near)}?" if near else ""
