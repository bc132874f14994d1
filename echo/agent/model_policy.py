"""A language model as the reasoner: it says what is tried next, from what memory shows it.

It decides what the rule decides, suggestions of what to try; memory, verifier, planner, explorer, executor
and the rule that weak suggestions give way stay the same. What cannot be used of its answers after bounded
repair leaves the decision to the explorer, and is counted. A model that does not answer at all ends the run:
half a run by a model and half by rules would be neither.

Source: Echo §3.3 to §3.5 and Fig. 6 (planner, pre-check, error recovery, task manager).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from csd.chat import Model
from csd.descriptor import Csd
from csd.episode import Step
from echo.agent.arrangement import Arrangement
from echo.agent.model_experiences import Experiences, recalled_into
from echo.agent.model_use import ModelUse
from echo.agent.passing import Passing
from echo.agent.policy import Idea, MemoryPolicy, Prospects
from ical.asking.calls import Asker, Call
from ical.asking.considering import Considered, laid_by
from ical.asking.round import Bounds, Round, induce, recover
from ical.asking.scene import EMPTY, Scene, set_scene
from ical.asking.situation import Laid, Situation
from ical.asking.subgoals import Subgoals, ask_subgoals
from ical.cases import case_of

SUNK = 0.2
"""Share of the price of missing material that is lost with an idea that gives nothing, as for the rule."""

TRUST = 2.0
"""Ideas' worth of trust in one half before any was tried."""

_OUT_OF_REACH = 1e6
"""Price of material that was never held."""

LONGEST_DETAIL = 100
"""Characters of a goal that are kept in the detail of an unlock."""

UNTRIED = "it could not be prepared or carried out: material or a station is out of reach"
"""What a model is told of an idea that was never tried."""

IN_VAIN = "it was carried out and gave nothing"
"""What a model is told of an idea that failed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelOptions:
    """How much a model is asked."""

    bounds: Bounds = field(default_factory=lambda: Bounds(lays=True))
    budget_tokens: int = 700
    """Length of the scene, in tokens as `ical.asking.scene` counts them."""
    pause: int = 10
    """Decisions after which it is asked again though nothing is new; doubled by each useless answer."""
    questions: int = 200
    """Rounds in one life or episode, at most; a repair or a verification is part of its round."""
    recovers: bool = True
    """Whether it is asked to mend an idea that failed."""
    plans: bool = True
    """Whether it is asked for subgoals where a goal is pursued."""


class ModelPolicy(Passing):
    """Stands before a memory and chooses in its place; one life or one episode."""

    def __init__(
        self,
        policy: MemoryPolicy,
        model: Model,
        experiences: Experiences,
        *,
        goal: str | None = None,
        options: ModelOptions | None = None,
        keep: Callable[[Call], None] | None = None,
    ) -> None:
        """Start without a question asked.

        Args:
            policy: the memory, which goes on taking in all that happens.
            model: decides.
            experiences: what it is shown of memory.
            goal: in words; None where anything new is wanted.
            options: how much it is asked.
            keep: handed each call at once.
        """
        super().__init__(policy)
        self.use = ModelUse()
        self._experiences, self._goal, self._options = experiences, goal, options or ModelOptions()
        self._asker = Asker(model, keep)
        self.use.calls = self._asker.calls
        self._ids: dict[str, None] = {}
        """Descriptors that the archive holds too, so that ideas may be linked to them."""
        self._vain: dict[Laid, None] = {}
        self._done: dict[Laid, None] = {}
        self._aside: dict[Laid, int | None] = {}
        self._ideas: list[Considered] = []
        self._own: dict[Arrangement, Considered] = {}
        self._mending: tuple[Considered, str] | None = None
        self._mended: dict[Laid, None] = {}
        """What came of mending: it is not mended again."""
        self._state: object = None
        self._asked_at = 0
        self._useless = 0
        """Useless answers one after another."""
        self._subgoals: Subgoals | None = None

    def remember(self, csd: Csd) -> None:
        """Take in the descriptor of something new."""
        super().remember(csd)
        self._experiences.remember(csd)
        case = case_of(csd, csd.id)
        self._ids[case.csd] = None
        if case.rows is not None:
            self._done[case.rows, case.fillers] = None

    def recollect(self, steps: Iterable[Step]) -> None:
        """Take in steps that memory gave back, best first: to carry over from, or to leave out."""
        kept = tuple(steps)
        recalled_into(self._experiences, kept)
        for step in kept:
            laid = laid_by(step.action)
            if laid is not None and step.outcome.code in ("ok", "no_result"):
                (self._done if step.outcome.ok else self._vain)[laid] = None

    def failed(self, arrangement: Arrangement) -> None:
        """Take in an arrangement that gave nothing."""
        super().failed(arrangement)
        self._vain[arrangement.rows, arrangement.fillers] = None

    def suggest(self, prospects: Prospects) -> Idea | None:
        """Return the model's next idea; None leaves the decision to the explorer.

        Raises:
            ModelError: if the model does not answer.
        """
        use = self.use
        use.decisions += 1
        idea = self._next(prospects)
        while idea is None and self._may_ask(prospects):
            self._ask(prospects)
            idea = self._next(prospects)
        if idea is not None:
            use.ideas += 1
        elif use.rounds >= self._options.questions:
            use.spent += 1
        elif self._useless:
            use.fallbacks += 1
        else:
            use.resting += 1
        return idea

    def carried_over(self, idea: Idea, fuel: str | None) -> Idea:
        """Return the idea as it is: its task is the model's."""
        return idea

    def set_aside(self, idea: Idea, ways: int | None) -> None:
        """Propose `idea` no more until more than `ways` are known, and have it mended; for None never."""
        considered = self._forget(idea)
        laid = (idea.arrangement.rows, idea.arrangement.fillers)
        self._aside[laid] = ways
        if ways is not None:
            self._fail(considered, UNTRIED)

    def judged(self, idea: Idea, *, worked: bool, new: bool) -> None:
        """Take in what came of an idea; one that failed is to be mended."""
        considered = self._forget(idea)
        self.use.tried += 1
        self.use.worked += worked
        self.use.new += new
        if not worked:
            self._fail(considered, IN_VAIN)

    def _forget(self, idea: Idea) -> Considered:
        considered = self._own.pop(idea.arrangement)
        self._ideas = [one for one in self._ideas if one is not considered]
        return considered

    def _fail(self, considered: Considered, outcome: str) -> None:
        if self._subgoals is not None:
            self._subgoals.failed()
        if self._options.recovers and considered.laid not in self._mended:
            self._mending = (considered, outcome)

    def _next(self, prospects: Prospects) -> Idea | None:
        """Return the first idea that can still be tried, those that cannot being dropped; it stays."""
        if self._mending is not None and self._left():
            return None
        while self._ideas:
            considered = self._ideas[0]
            laid = considered.laid
            if laid is not None and self._open(laid, prospects.ways):
                return self._idea(considered, prospects)
            self._ideas.pop(0)
        return None

    def _open(self, laid: Laid, ways: int) -> bool:
        if laid in self._vain or laid in self._done:
            return False
        if laid not in self._aside:
            return True
        known = self._aside[laid]
        return known is not None and known < ways

    def _left(self) -> bool:
        return self.use.rounds < self._options.questions

    def _may_ask(self, prospects: Prospects) -> bool:
        if not self._left():
            return False
        if self._mending is not None or self._state_of(prospects) != self._state:
            return True
        pause: int = self._options.pause << min(self._useless, 6)
        return self.use.decisions - self._asked_at >= pause

    def _state_of(self, prospects: Prospects) -> object:
        return len(prospects.items), len(self._done), tuple(dict.fromkeys(prospects.offers))

    def _ask(self, prospects: Prospects) -> None:
        self._state, self._asked_at = self._state_of(prospects), self.use.decisions
        shown = self._experiences.select()
        scene = EMPTY
        if shown is not None:
            scene = set_scene(
                shown.subject,
                shown.exemplars,
                axes=self._experiences.axes,
                budget_tokens=self._options.budget_tokens,
            )
        situation = self._situation(prospects, scene)
        bounds = replace(self._options.bounds, success=self._chance())
        self.use.rounds += 1
        if self._mending is None:
            self._take(induce(self._asker, scene, situation, bounds))
            return
        (failed, outcome), self._mending = self._mending, None
        found = recover(self._asker, scene, situation, failed.task, outcome, bounds)
        self._mended.update(dict.fromkeys(one.laid for one in found.usable if one.laid is not None))
        self._take(found)

    def _take(self, found: Round) -> None:
        usable = found.usable
        self.use.unusable += not usable
        self._useless = 0 if usable else self._useless + 1
        self._ideas = [*usable, *self._ideas]

    def _situation(self, prospects: Prospects, scene: Scene) -> Situation:
        situation = Situation(
            held=dict(prospects.held),
            names=tuple(prospects.items),
            offers=tuple(dict.fromkeys(prospects.offers)),
            vain=tuple(self._vain),
            done=tuple(self._done),
            aim=self._goal,
        )
        if self._goal is None or not self._options.plans:
            return situation
        if self._subgoals is None:
            self._subgoals = ask_subgoals(self._asker, scene, situation)
        self._subgoals.see(prospects.held)
        current = self._subgoals.current
        return situation if current is None else replace(situation, aim=f"{self._goal}; next: {current}")

    def _chance(self) -> float:
        """Return how likely an idea brings something new, from those tried; one half before any was."""
        return (0.5 * TRUST + self.use.new) / (TRUST + self.use.tried)

    def _idea(self, considered: Considered, prospects: Prospects) -> Idea:
        laid = considered.laid
        assert laid is not None
        arrangement, source, chance = Arrangement(*laid), considered.source, self._chance()
        missing = sum(
            max(0, count - prospects.held.get(item, 0)) * prospects.prices.get(item, _OUT_OF_REACH)
            for item, count in arrangement.needs().items()
        )
        self._own[arrangement] = considered
        return Idea(
            arrangement=arrangement,
            success=chance,
            score=chance / (1.0 + (SUNK + chance) * missing),
            source="transfer",
            axes={} if source is None else {axis.value: share for axis, share in source.shares.items()},
            exemplars=(source.id,) if source is not None and source.id in self._ids else (),
            detail=f"model: {considered.task.goal[:LONGEST_DETAIL]}",
            task=considered.task if source is not None else None,
            mapping=None if source is None else source.mapping,
        )
