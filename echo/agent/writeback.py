"""Writing back: every step an agent takes becomes knowledge, and what is new becomes memory.

Source: Echo §3.5 (successes to memory, failures to the log); differs in that a success is described when
it shows something not shown before, so that the hundredth plank from one tree is no hundredth descriptor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from csd.axes import AXES
from csd.build import describe
from csd.descriptor import Csd, Statement
from csd.episode import Collect, Craft, Episode, Frame, Mine, Observation, Outcome, Place, Smelt, Step
from echo.agent.archive import Archive, Failed
from echo.agent.arrangement import Arrangement
from echo.agent.body import Taken
from echo.agent.knowledge import Knowledge
from echo.agent.policy import Idea, MemoryPolicy
from echo.agent.threads import surprises_in, thread_of
from ical.verify import Verdict

Source = Literal["collect", "exploration", "edit", "adaptation", "transfer", "pattern", "role", "plan"]
"""Whose an attempt is; the last two only where a goal is pursued."""

Record = Literal["unlocks", "all", "none"]
"""Which episodes are kept: those that show something new, those of failed attempts too, or none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Purpose:
    """What the agent is about, and why."""

    source: Source
    """Whose unlock it is if something new comes out of a grid or a station."""
    detail: str
    """One line in words."""
    axes: Mapping[str, float] = field(default_factory=dict)
    exemplars: tuple[str, ...] = ()
    idea: Idea | None = None
    """What memory suggested, where it is memory's."""
    verdict: Verdict | None = None
    """What the verifier said of it before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unlock:
    """The first gain of one item."""

    item: str
    action: int
    """Counted actions up to and with the one that brought it, from 1."""
    tick: int
    """World time in ticks, 20 a second."""
    verb: str
    """'collect', 'craft', 'smelt' or 'attack'."""
    source: Source
    axes: Mapping[str, float]
    """Share of credit of each axis; sums to 1 for transfer and pattern, else empty."""
    exemplars: tuple[str, ...]
    """Ids of the descriptors it was induced from, or of its demonstration, oldest first."""
    csd: str | None
    """Id of the descriptor of the step that brought it; None where nothing could be said of it."""
    episode: str | None
    """Id of its episode on disk, None where none is kept."""
    detail: str
    """How it came about, in words."""


class Chronicle:
    """Takes in every step, tells the unlocks, and writes what is new into memory and archive."""

    def __init__(
        self,
        *,
        knowledge: Knowledge,
        policy: MemoryPolicy,
        archive: Archive,
        picture: Callable[[], Frame],
        source: str,
        record: Record,
    ) -> None:
        """Start without any step taken.

        Args:
            knowledge: of the agent, for telling tools from materials.
            policy: the memory that decides.
            archive: where episodes and descriptors are kept.
            picture: draws what is seen now.
            source: the world, as episodes name it.
            record: which episodes the archive is given beside the new ones.
        """
        self._knowledge, self._policy, self._archive = knowledge, policy, archive
        self._picture, self._source, self._record = picture, source, record
        self._trace: list[Step] = []
        self._seen: dict[object, None] = {}
        self._purpose = Purpose(source="collect", detail="looking around")
        self.unlocks: list[Unlock] = []
        """All unlocks so far, in order."""
        self.attempts: dict[str, dict[str, int]] = {}
        """Source -> attempts tried, that made something, that made something new; ideas rejected unseen."""
        self.shown: dict[Arrangement, str] = {}
        """Grid that was demonstrated to work -> id of its descriptor."""
        self.news = False
        """Whether something new was held since this was last set to False."""

    def demonstrate(self, shown: Episode) -> None:
        """Take in what was shown before the start: its knowledge, its episode, its descriptor."""
        for step in shown.steps:
            self._knowledge.watch(step)
        shown = replace(shown, id=self._archive.write(shown))
        csd = describe(shown)
        if not isinstance(csd, Csd):
            return
        self._remember(csd)
        for step in shown.steps:
            if isinstance(step.action, Craft) and step.outcome.ok:
                self.shown[Arrangement.from_grid(step.action.grid)] = csd.id

    def start(self, purpose: Purpose) -> None:
        """Begin something new: the steps up to now belong to no later episode."""
        self._trace.clear()
        self._purpose = purpose

    def turn_to(self, purpose: Purpose) -> None:
        """Go on with what preparation was for."""
        self._purpose = purpose

    def take_in(self, taken: Taken) -> None:
        """Take in one step."""
        self._trace.append(taken.step)
        surprises = surprises_in(self._purpose.idea, taken.step)
        laid = Arrangement.laid_by(taken.step.action)
        if surprises and laid is not None and not taken.fresh:
            self._log(laid, taken.step, surprises)
        novelty = self._novelty(taken.step)
        if not taken.fresh and (novelty is None or novelty in self._seen):
            return
        self._seen[novelty] = None
        after = taken.after
        if taken.fresh and self._archive.keeps_frames:
            after = replace(after, frame=self._picture())
        csd, episode = self._write(after)
        for item in taken.fresh:
            self._unlock(item, taken, csd, episode, surprises)

    def close_attempt(self, arrangement: Arrangement, outcome: Outcome, after: Observation) -> None:
        """Take in how the attempt that the agent had turned to came out, and what is seen now."""
        purpose = self._purpose
        self.count(purpose.source, made=outcome.ok)
        if purpose.exemplars:
            self._archive.credit(purpose.exemplars, purpose.axes, success=outcome.ok)
        if outcome.ok:
            return
        self._log(arrangement, self._trace[-1])
        if self._record == "all":
            self._archive.write(self._episode(after))

    def _log(self, laid: Arrangement, step: Step, surprises: tuple[str, ...] = ()) -> None:
        """Log an attempt that gave nothing, or surprised, with what it came from."""
        exemplars = self._purpose.exemplars
        self._archive.fail(
            Failed(arrangement=laid, step=step.before.step, exemplars=exemplars, surprises=surprises)
        )

    def count(self, source: Source, *, made: bool) -> None:
        """Count one attempt."""
        counts = self._counts(source)
        counts["tried"] += 1
        counts["made"] += made

    def reject(self, source: Source) -> None:
        """Count one idea that the verifier rejected; it was not tried."""
        self._counts(source)["rejected"] += 1

    def _counts(self, source: Source) -> dict[str, int]:
        return self.attempts.setdefault(source, {"tried": 0, "made": 0, "new": 0, "rejected": 0})

    def _novelty(self, step: Step) -> object:
        """Return what a step shows, None where it shows nothing; equal values show the same."""
        action, outcome = step.action, step.outcome
        if isinstance(action, Place):
            return "place", action.item, outcome.code
        # A block that gave nothing tells of itself and of the tool; a grid that gave nothing is in the log.
        if not outcome.ok and outcome.code != "no_drop":
            return None
        match action:
            case Craft() | Smelt():
                return Arrangement.laid_by(action)
            case Collect():
                tool = step.before.mainhand
                if tool is not None and self._knowledge.stack_size.get(tool) != 1:
                    tool = None
                return "dig", outcome.block, tool, outcome.code, tuple(sorted(outcome.inventory_delta))
            case _:
                return None

    def _write(self, after: Observation) -> tuple[Csd | None, str]:
        """Write the steps since the last episode as one, and remember what its last step shows."""
        episode = self._episode(after)
        episode = replace(episode, id=self._archive.write(episode))
        self._trace.clear()
        csd = describe_last(episode)
        if csd is not None:
            # On the way to an attempt nothing is carried over, not even the table put down for it.
            carried = Arrangement.laid_by(episode.steps[-1].action) is not None
            self._remember(csd, self._purpose.exemplars if carried else ())
        return csd, episode.id

    def _episode(self, after: Observation) -> Episode:
        return Episode(
            id="", goal=self._purpose.detail, steps=tuple(self._trace), after=after, source=self._source
        )

    def _remember(self, csd: Csd, derived_from: tuple[str, ...] = ()) -> None:
        self._policy.remember(csd)
        self._archive.describe(csd, derived_from)

    def _unlock(
        self, item: str, taken: Taken, csd: Csd | None, episode: str, surprises: tuple[str, ...]
    ) -> None:
        purpose, action = self._purpose, taken.step.action
        source = purpose.source
        if isinstance(action, Collect | Mine):
            source = "collect"
        self.news = True
        self._counts(source)["new"] += 1
        self.unlocks.append(
            Unlock(
                item=item,
                action=taken.actions,
                tick=taken.after.tick,
                verb="collect" if isinstance(action, Mine) else action.kind,
                source=source,
                axes=purpose.axes if source == purpose.source else {},
                exemplars=purpose.exemplars if source == purpose.source else (),
                csd=None if csd is None else csd.id,
                episode=episode if self._archive.keeps_frames else None,
                detail=_dug(taken.step) if source == "collect" else _told(purpose, surprises),
            )
        )
        if purpose.idea is not None and source == purpose.source:
            thread = thread_of(item, self.unlocks[-1].csd, purpose.idea, purpose.verdict, surprises)
            if thread is not None:
                self._archive.trace(thread)


def describe_last(episode: Episode) -> Csd | None:
    """Describe the last step of an episode, with evidence that points into the whole of it.

    The steps before it led there. Whatever they showed for the first time was described in episodes of its
    own; described again, one observation would count as several.

    Returns:
        The descriptor, or None where nothing can be said of the step.
    """
    before = len(episode.steps) - 1
    csd = describe(replace(episode, steps=episode.steps[-1:]))
    if not isinstance(csd, Csd):
        return None
    first = episode.steps[0].before
    meta = csd.meta.model_copy(update={"step": first.step, "tick": first.tick})
    moved = {axis: tuple(_moved(one, before) for one in csd.axis(axis)) for axis in AXES}
    return csd.model_copy(update={"meta": meta, **{axis.value: said for axis, said in moved.items()}})


def _moved(statement: Statement, steps: int) -> Statement:
    evidence = tuple(one.model_copy(update={"step": one.step + steps}) for one in statement.evidence)
    return statement.model_copy(update={"evidence": evidence})


def _dug(step: Step) -> str:
    block = step.outcome.block or "something"
    return f"dug {block} holding {step.before.mainhand or 'nothing'}"


def _told(purpose: Purpose, surprises: tuple[str, ...]) -> str:
    return purpose.detail + (f"; unlike asserted: {', '.join(surprises)}" if surprises else "")
