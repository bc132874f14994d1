"""One thread: an experience, what is known of it, and the threads of the experiences it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from csd.episode import Episode
from csd.roles import grid_roles
from ical.cases import Case
from ical.slots import SMELT_ROWS


@dataclass(frozen=True, kw_only=True)
class SeenIn:
    """An episode that shows an experience."""

    id: str
    told: str
    """Its goal and the actions it held, in words."""
    path: str | None
    """Its folder, None where it is not on disk."""


@dataclass(frozen=True, kw_only=True)
class Played:
    """One thing of an exemplar, and what took its part."""

    base: str
    target: str
    role: str | None
    """What the exemplar's thing did where it was laid; None where it was not laid."""
    axes: dict[str, float]
    """Share of each axis in the support."""

    def told(self) -> str:
        """Return it in words, such as 'oak_planks -> cobblestone as head (func 60%, proc 40%)'."""
        shares = ", ".join(f"{axis} {share:.0%}" for axis, share in self.axes.items())
        return f"{self.base} -> {self.target}{f' as {self.role}' if self.role else ''} ({shares})"


@dataclass(frozen=True, kw_only=True)
class Thread:
    """One experience and the threads of those it came from."""

    item: str
    """What was gained; 'unknown' for a descriptor that is not to be found."""
    action: int | None
    """Counted actions up to it, None for what happened before the run."""
    source: str
    """One of the sources of unlocks, or 'demonstration', 'experience', 'unknown'."""
    detail: str = ""
    axes: dict[str, float]
    """Credit of each axis, empty where none was used."""
    csd: str | None = None
    statements: dict[str, tuple[str, ...]]
    """Axis -> what is stated on it, in words, in axis order."""
    episodes: tuple[SeenIn, ...] = ()
    needs: tuple[str, ...] = ()
    """What it was made of, with how that had come."""
    correspondences: tuple[Played, ...] = ()
    """Which of its things took the part of which thing of its exemplar, what was laid first."""
    objections: tuple[str, ...] | None = None
    """What the verifier found before the attempt, in words; None where nothing was verified."""
    surprises: tuple[str, ...] = ()
    """What its success showed otherwise than asserted."""
    cosines: dict[str, float | None]
    """Axis -> cosine to the experience it led to, in axis order; None where one of the two says nothing.
    Empty for the head of a thread and where the bank does not hold both."""
    parents: tuple[Thread, ...] = ()
    missing: tuple[str, ...] = ()
    """What should be there and is not, in words."""
    repeated: bool = False
    """Whether this experience is already in the thread, and is not unfolded again."""


def roles_in(case: Case) -> dict[str, str]:
    """Return the role that each thing laid in a case plays by its place, in letter order."""
    if case.rows is None:
        return {}
    if case.rows == SMELT_ROWS:
        return dict.fromkeys(case.fillers, "charge")
    return dict(zip(case.fillers, grid_roles(case.rows).values(), strict=True))


def tell_episode(episode: Episode) -> str:
    """Return an episode in one line: its goal, how many steps of which kind, and what changed."""
    kinds: dict[str, int] = {}
    for step in episode.steps:
        kinds[step.action.kind] = kinds.get(step.action.kind, 0) + 1
    done = ", ".join(kind if count == 1 else f"{kind} x{count}" for kind, count in kinds.items())
    change = ", ".join(f"{item} {amount:+d}" for item, amount in episode.inventory_delta.items())
    return f"{episode.goal}: {done or 'nothing done'}; {change or 'nothing gained'}"


def thread_json(thread: Thread) -> dict[str, Any]:
    """Return a thread as a JSON object, its parents within it."""
    return {
        "item": thread.item,
        "action": thread.action,
        "source": thread.source,
        "detail": thread.detail,
        "axes": thread.axes,
        "csd": thread.csd,
        "statements": {axis: list(lines) for axis, lines in thread.statements.items()},
        "episodes": [{"id": one.id, "told": one.told, "path": one.path} for one in thread.episodes],
        "needs": list(thread.needs),
        "correspondences": [
            {"base": one.base, "target": one.target, "role": one.role, "axes": one.axes, "told": one.told()}
            for one in thread.correspondences
        ],
        "objections": None if thread.objections is None else list(thread.objections),
        "surprises": list(thread.surprises),
        "cosines": thread.cosines,
        "missing": list(thread.missing),
        "repeated": thread.repeated,
        "parents": [thread_json(parent) for parent in thread.parents],
    }
