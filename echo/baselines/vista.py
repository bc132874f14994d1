"""VISTA: every frame archived under an id, and notes that the agent writes on some of them.

Kept of the original: a frame of every step is archived and can be inspected by its id; the agent writes
notes, each on a frame, where it saw something new - an item it never got before, a way that worked, a block
that would not yield, a step that brought the goal nearer; notes are read whole, frames as far as a budget
of looks goes.

What cannot be kept: a model that looks at pictures. A frame stands for the place where it was taken and the
kinds of blocks in sight, and a noted frame for the step that the note speaks of. Without notes a frame
tells where it was taken and what was in sight, and nothing of what was done. Tasks are played without
pictures, so that ids and places stand for them. Source: the agent with archived frames and notes that MFM
is compared with, known from that comparison alone; the budget is set here, and generous.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from csd.episode import Attack, Cell, Collect, Craft, Episode, Mine, Observation, Place, Smelt, Step
from echo.agent.arrangement import Arrangement
from echo.agent.goal import goal_gain
from echo.agent.memory import Ended, Question, Recalled
from echo.agent.texts import bearing
from echo.baselines.direct import Direct
from echo.baselines.made import advances, gained, needed

LOOKS = 150
"""Frames looked at for one question: about as many as are noted in thirty episodes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shot:
    """One archived frame."""

    id: str
    """Such as 'frame_000012'; numbers count the frames of the run from 0."""
    position: tuple[float, float, float]
    """Where it was taken."""
    sight: Mapping[str, Cell]
    """Kind of block in sight -> the cell of the nearest one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """What the agent wrote on a frame."""

    frame: str
    """Id of the frame."""
    text: str
    names: tuple[str, ...]
    """Items, blocks and creatures that it names."""
    step: Step
    """What was done there, without its picture."""


class Vista(Direct):
    """Implements `echo.agent.memory.Memory`."""

    def __init__(self, *, notes: bool = True, looks: int = LOOKS) -> None:
        """Start with an empty archive.

        Args:
            notes: whether the agent writes notes.
            looks: frames looked at for one question, at least 1.

        Raises:
            ValueError: on a budget below 1.
        """
        super().__init__()
        if looks < 1:
            raise ValueError(f"expected a budget of at least 1 look; got {looks}.")
        self._writes, self._looks = notes, looks
        self._shots: dict[str, Shot] = {}
        self._showing: dict[str, list[str]] = {}
        self._notes: list[Note] = []
        self._noted: dict[Hashable, None] = {}
        self._episode: list[str] = []

    def __len__(self) -> int:
        """Return how many frames are archived."""
        return len(self._shots)

    @property
    def notes(self) -> Sequence[Note]:
        """All notes, oldest first."""
        return tuple(self._notes)

    def inspect(self, frame: str) -> Shot:
        """Return the archived frame with an id.

        Raises:
            KeyError: if there is none with that id.
        """
        if frame not in self._shots:
            raise KeyError(f"expected the id of one of {len(self._shots)} archived frames; got {frame!r}.")
        return self._shots[frame]

    def show(self, episode: Episode) -> None:
        """Archive a demonstration, and note what is new in it; what was in sight there is of another land."""
        for step in episode.steps:
            self._archive(step, {})

    def recall(self, question: Question) -> Recalled:
        """Look at frames, the latest first, as far as the budget goes, and return what they tell.

        At the start at the noted ones, or at any where there are no notes; asked for an item or a block, at
        those whose note names it, and for a block then at others that show it. Steps are those of the noted
        frames looked at, oldest first; a place is where the latest frame looked at shows a block.
        """
        asked = question.item if question.item is not None else question.block
        notes = [note for note in reversed(self._notes) if asked is None or asked in note.names]
        frames = [note.frame for note in notes]
        if question.block is not None:
            frames += reversed(self._showing.get(question.block, []))
        elif question.item is None and not self._writes:
            frames += reversed(self._shots)
        looked = dict.fromkeys(list(dict.fromkeys(frames))[: self._looks])
        steps = {id(note.step): note.step for note in reversed(notes) if note.frame in looked}
        told = tuple(steps.values())
        about = question.goal.text if question.item is None else question.item
        return Recalled(
            steps=told, exemplars=bearing(about, told), places=self._places(looked, question.block)
        )

    def take_in(self, step: Step, fresh: Sequence[str], after: Observation) -> None:
        """Archive what was seen before a step, and note on it what is new."""
        sight = {kind: block.nearest for kind, block in step.before.blocks.items()}
        self._episode.append(self._archive(step, sight))

    def close(self, ended: Ended) -> None:
        """Note on which frames the goal came nearer."""
        nearer = {id(step): None for step in advances(ended.steps, ended.goal)}
        for step, frame in zip(ended.steps, self._episode, strict=False):
            if id(step) in nearer:
                what = (ended.goal.text, _news(step))
                self._write_on(frame, _without_picture(step), f"nearer to: {ended.goal.text}", what)
        self._episode.clear()

    def _archive(self, step: Step, sight: Mapping[str, Cell]) -> str:
        frame = f"frame_{len(self._shots):06d}"
        self._shots[frame] = Shot(id=frame, position=step.before.position, sight=sight)
        for kind in sight:
            self._showing.setdefault(kind, []).append(frame)
        step = _without_picture(step)
        for item in gained(step):
            self._write_on(frame, step, f"got {item} here for the first time", ("got", item))
        self._write_on(frame, step, _said(step), _news(step))
        return frame

    def _write_on(self, frame: str, step: Step, text: str, what: Hashable) -> None:
        """Write a note, unless there is nothing to say (`what` is None) or it was said before."""
        if not self._writes or what is None or what in self._noted:
            return
        self._noted[what] = None
        self._notes.append(Note(frame=frame, text=text, names=_names(step), step=step))

    def _places(self, frames: Mapping[str, None], block: str | None) -> dict[str, Cell]:
        found: dict[str, Cell] = {}
        for frame in frames:
            for kind, cell in self._shots[frame].sight.items():
                if block is None or kind == block:
                    found.setdefault(kind, cell)
        return dict(sorted(found.items()))


def _without_picture(step: Step) -> Step:
    return step if step.before.frame is None else replace(step, before=replace(step.before, frame=None))


def _news(step: Step) -> Hashable:
    """Return what a step showed, None for nothing worth a note; equal values show the same."""
    action, outcome = step.action, step.outcome
    match action:
        case Craft(grid=grid) if outcome.ok:
            return Arrangement.from_grid(grid)
        case Smelt(input=item, fuel=fuel) if outcome.ok:
            return ("smelt", item, fuel)
        case Collect() | Mine() if outcome.code in ("ok", "no_drop", "not_breakable"):
            return ("dig", outcome.block, step.before.mainhand, outcome.code, gained(step))
        case Attack(mob=mob) if outcome.ok:
            return ("attack", mob, step.before.mainhand)
        case Place(item=item) if outcome.ok:
            return ("place", item, goal_gain(outcome))
        case _:
            return None


def _names(step: Step) -> tuple[str, ...]:
    names = [*gained(step), *needed(step)]
    if step.outcome.block is not None:
        names.append(step.outcome.block)
    if isinstance(step.action, Attack):
        names.append(step.action.mob)
    return tuple(dict.fromkeys(names))


def _said(step: Step) -> str:
    brought = ", ".join(gained(step)) or step.outcome.code
    return f"{step.action.kind} {', '.join(_names(step))}: {brought}"
