"""What a model is shown of memory: for echo what it recalls along its axes, for others what they give back.

A model must see no more than its memory keeps. Each kind of memory has its own source here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.build import describe
from csd.descriptor import Csd
from csd.encode import Encoder
from csd.episode import Craft, Episode, Smelt, Step
from ical.cases import case_of
from ical.retrieve import Exemplar, Stages, retrieve

SHOTS = 3
"""Exemplars beside the selected experience."""

CANDIDATES = 16
"""Descriptors that a structure is mapped of for one question."""

RECALLED = "recalled"
"""Episode and goal of a step that a memory gave back without telling where it was from."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """The selected experience and what resembles it."""

    subject: Csd
    exemplars: tuple[Exemplar, ...]


class Experiences(Protocol):
    """Where a scene comes from."""

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Axes that may be told."""
        ...

    def remember(self, csd: Csd) -> None:
        """Take in the descriptor of something new that the agent did."""
        ...

    def select(self) -> Shown | None:
        """Return what to carry over from now, another experience each time; None where there is nothing."""
        ...


class Nothing:
    """The source of whoever remembers nothing."""

    axes: tuple[Axis, ...] = AXES

    def remember(self, csd: Csd) -> None:
        """Forget it."""

    def select(self) -> None:
        """Return None."""


class AlongAxes:
    """Remembers descriptors and recalls along the axes kept: the ICAL loop's own retrieval.

    Selected is the most recent success that laid something out and was not selected yet; where all were, the
    one selected longest ago. Source: Echo §3.4, step 1 ("most recently learned").
    """

    def __init__(self, encoder: Encoder, axes: tuple[Axis, ...] = AXES, shots: int = SHOTS) -> None:
        """Start empty.

        Args:
            encoder: of the vectors.
            axes: masked ones send no text and no vector.
            shots: exemplars recalled.
        """
        self.axes, self._shots = axes, shots
        self._bank = Bank.open(None, encoder)
        self._waiting: list[Csd] = []
        """Not embedded yet: most lives ask seldom."""
        self._turn = _Turn()

    def remember(self, csd: Csd) -> None:
        """Take in a descriptor."""
        self._waiting.append(csd)
        self._turn.add(csd)

    def select(self) -> Shown | None:
        """Return the selected experience and the nearest to it."""
        subject = self._turn.next()
        if subject is None:
            return None
        self._bank.add_many(self._waiting)
        self._waiting.clear()
        found = retrieve(
            subject,
            self._bank,
            axes=self.axes,
            k=self._shots + 1,
            stages=Stages(candidates=CANDIDATES),
        )
        others = tuple(one for one in found if one.id != subject.id)
        return Shown(subject=subject, exemplars=others[: self._shots])


class AsRecalled:
    """The steps that a memory gives back, in its order: it has no axes to recall along.

    What the agent itself did since counts too where `keeps`: within an episode everybody knows it.
    """

    axes: tuple[Axis, ...] = AXES

    def __init__(self, recall: Callable[[], Iterable[Step]], *, keeps: bool, shots: int = SHOTS) -> None:
        """Ask `recall` whenever something is selected."""
        self._recall, self._keeps, self._shots = recall, keeps, shots
        self._own: list[Csd] = []
        self._turn = _Turn()

    def remember(self, csd: Csd) -> None:
        """Take in a descriptor, where such are kept."""
        if self._keeps:
            self._own.append(csd)
            self._turn.add(csd)

    def select(self) -> Shown | None:
        """Return the selected experience, and those given back next to it."""
        given = described(self._recall())
        for csd in reversed(given):
            self._turn.add(csd)
        subject = self._turn.next()
        if subject is None:
            return None
        others = [csd for csd in (*given, *reversed(self._own)) if csd.id != subject.id]
        return Shown(
            subject=subject,
            exemplars=tuple(
                Exemplar(id=csd.id, csd=csd, cosines=dict.fromkeys(AXES), score=0.0, mapping=None)
                for csd in others[: self._shots]
            ),
        )


def described(steps: Iterable[Step]) -> tuple[Csd, ...]:
    """Return descriptors of steps that laid something out with success, each once, in their order."""
    found: dict[str, Csd] = {}
    for step in steps:
        if not step.outcome.ok or not isinstance(step.action, Craft | Smelt):
            continue
        csd = describe(Episode(id=RECALLED, goal=RECALLED, steps=(step,), after=step.before, source=RECALLED))
        if isinstance(csd, Csd):
            found.setdefault(csd.id, csd)
    return tuple(found.values())


class _Turn:
    """Whose turn it is to be selected."""

    def __init__(self) -> None:
        self._fresh: dict[str, Csd] = {}
        self._used: dict[str, Csd] = {}

    def add(self, csd: Csd) -> None:
        """Take in an experience, if it can be carried over and is new."""
        case = case_of(csd, csd.id)
        if case.rows is not None and case.csd not in self._used:
            self._fresh.setdefault(case.csd, csd)

    def next(self) -> Csd | None:
        """Return the latest that was not returned yet, else the one returned longest ago."""
        if not self._fresh and not self._used:
            return None
        if self._fresh:
            id, csd = self._fresh.popitem()
        else:
            id = next(iter(self._used))
            csd = self._used.pop(id)
        self._used[id] = csd
        return csd


def recalled_into(experiences: Experiences, steps: Iterable[Step]) -> None:
    """Let `experiences` take in what a memory gave back, best first; the best is selected first."""
    for csd in reversed(described(steps)):
        experiences.remember(csd)
