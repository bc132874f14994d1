"""What a memory of tasks suggests in an unlocking life: recalled makings, with one thing in another's place.

No original proposes grids; a language model does that from what its memory gives back. In its place stands
one rule, the same for all of them. Asked what bears on the task, as at the start of an episode, a memory
gives back makings: each thing ever held is put in the place of each part of these, as the reasoner of tasks
does. Asked how to get a thing, it gives back how that was got, and how what its retrieval ranks next to it
was got: where one of these went into something, the first is put in its place. What comes of that counts for
the making and for the thing. So memories differ in what they keep and give back, and in nothing else;
explorer, edits, planner, budget and the rule that weak suggestions give way are shared. What failed in a life
is known to every agent in it.

Source: Echo §4.2 (MP5, Voyager, JARVIS-1 and MrSteve in cold-start unlocking); differs in that likeness is
what a memory's own retrieval ranks next to each other, and that no language model reads what comes back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from csd.descriptor import Csd
from csd.episode import Step
from echo.agent.arrangement import Arrangement
from echo.agent.goal import Have
from echo.agent.memory import Memory, Question
from echo.agent.policy import Idea, Prospects
from echo.baselines.made import gained
from echo.baselines.watched import TASK, Watched
from ical.cases import case_of

CHANNEL = "recall"
"""Stands for the axes, of which these memories have none."""

FIRST_LUCK = 0.3
"""Share of suggestions taken for granted to bring something new, before any was tried."""

LUCK_MEMORY = 0.95
"""Share of that luck that outlasts one suggestion."""

TRUST = 2.0
"""Suggestions from one making after which its own luck counts as much as that of all."""

SUNK = 0.05
"""Share of the price of missing material that is lost with a suggestion that gives nothing."""

_FOREVER = 10**9


@dataclass(frozen=True, kw_only=True, slots=True)
class _Candidate:
    """One thing in another's place."""

    arrangement: Arrangement
    making: Arrangement
    """What was recalled."""
    item: str
    replaced: str
    weight: float
    """1 for what memory ranks nearest, falling with the rank, in (0, 1]."""


class RecallingPolicy:
    """Implements `echo.agent.policy.MemoryPolicy` over a memory of tasks."""

    def __init__(self, memory: Memory, watched: Watched) -> None:
        """Ask `memory`, which is told of what happens in `watched`."""
        self._memory, self._watched = memory, watched
        self._makings: dict[Arrangement, None] = {}
        """Everything laid that memory ever gave back as having made something."""
        self._alike: dict[str, dict[str, int]] = {}
        """Thing -> what memory ranks next to it -> rank from 0."""
        self._shown: dict[Arrangement, list[str]] = {}
        self._aside: dict[Arrangement, int] = {}
        self._bearing: dict[Arrangement, int] = {}
        """What memory held to bear on the task when it was asked last -> rank from 0."""
        self._tried: dict[Hashable, tuple[int, int]] = {}
        """Making, or thing put into one -> suggestions tried, and how many brought something new."""
        self._luck = FIRST_LUCK
        self._behind: dict[Arrangement, _Candidate] = {}
        self._asked: object = None
        """What was held and known when memory was asked last."""
        self._is_ranked = False
        self._found: tuple[_Candidate, ...] = ()
        """All that what memory gave back leads to, the best of each arrangement."""
        self._ranking: deque[tuple[float, _Candidate]] = deque()

    @property
    def penalty(self) -> None:
        """These memories generalise no failure."""
        return None

    def remember(self, csd: Csd) -> None:
        """Note which descriptor shows an arrangement, for the thread of what comes of it."""
        case = case_of(csd, csd.id)
        if case.rows is not None:
            laid = Arrangement.laid_out(case.rows, case.fillers)
            self._shown.setdefault(laid, []).append(csd.id)

    def failed(self, arrangement: Arrangement) -> None:
        """Suggest it never."""
        self._aside[arrangement] = _FOREVER

    def suggest(self, prospects: Prospects) -> Idea | None:
        """Return the suggestion with the most new items per action, ties to the oldest making; or None.

        Memory is asked when something new is held or a way becomes known; all is ranked anew then, and after
        each suggestion that was tried.
        """
        asked = (len(prospects.items), prospects.ways, self._watched.episodes)
        if asked != self._asked:
            self._asked, self._is_ranked = asked, False
            self._ask(prospects)
            self._found = self._best(prospects)
        if not self._is_ranked:
            self._is_ranked = True
            self._rank(prospects)
        while self._ranking:
            score, best = self._ranking[0]
            if self._is_open(best.arrangement, prospects):
                return self._idea(best, score)
            self._ranking.popleft()
        return None

    def carried_over(self, idea: Idea, fuel: str | None) -> Idea:
        """Return the idea as it is: there is no axis to carry it over on."""
        return idea

    def set_aside(self, idea: Idea, ways: int | None) -> None:
        """Suggest `idea` no more until more than `ways` are known; never again for None."""
        self._aside[idea.arrangement] = _FOREVER if ways is None else ways

    def judged(self, idea: Idea, *, worked: bool, new: bool) -> None:
        """Take in what came of a suggestion, for those like it."""
        self._aside[idea.arrangement] = _FOREVER
        behind = self._behind[idea.arrangement]
        for tried in (behind.making, behind.item):
            times, found = self._tried.get(tried, (0, 0))
            self._tried[tried] = (times + 1, found + new)
        self._luck = LUCK_MEMORY * self._luck + (1 - LUCK_MEMORY) * new
        self._is_ranked = False

    def _ask(self, prospects: Prospects) -> None:
        """Ask memory what bears on the task; how to get each thing held, and so what it ranks next to it."""
        goal, seen = Have(text=TASK, items={}), self._watched.seen
        bearing = self._memory.recall(Question(goal=goal, seen=seen)).exemplars
        self._bearing = {laid: rank for rank, laid in enumerate(self._kept(bearing))}
        for item in prospects.items:
            exemplars = self._memory.recall(Question(goal=goal, seen=seen, item=item)).exemplars
            self._kept(exemplars)
            others = (other for step in exemplars if step.outcome.ok for other in gained(step))
            alike = dict.fromkeys(other for other in others if other != item)
            self._alike[item] = {other: rank for rank, other in enumerate(alike)}

    def _kept(self, exemplars: Sequence[Step]) -> list[Arrangement]:
        """Return what was laid in exemplars that made something, each once, in their order; keep it."""
        laid = [Arrangement.laid_by(step.action) for step in exemplars if step.outcome.ok]
        found = dict.fromkeys(one for one in laid if one is not None)
        self._makings |= found
        return list(found)

    def _best(self, prospects: Prospects) -> tuple[_Candidate, ...]:
        found: dict[Arrangement, _Candidate] = {}
        for candidate in self._candidates(prospects):
            known = found.get(candidate.arrangement)
            if known is None or candidate.weight > known.weight:
                found[candidate.arrangement] = candidate
        return tuple(found.values())

    def _rank(self, prospects: Prospects) -> None:
        open_ones = (one for one in self._found if self._is_open(one.arrangement, prospects))
        scored = [(self._score(one, prospects), one) for one in open_ones]
        self._ranking = deque(sorted(scored, key=lambda pair: -pair[0]))

    def _candidates(self, prospects: Prospects) -> Iterator[_Candidate]:
        """Iterate over each thing in the place of one like it, and of any in what bears on the task."""
        for making in self._makings:
            if making.offer is not None and making.offer not in prospects.offers:
                continue
            for replaced in making.fillers:
                for item in prospects.items:
                    rank = self._alike[item].get(replaced, self._bearing.get(making))
                    if rank is None or item in making.fillers:
                        continue
                    fillers = tuple(item if one == replaced else one for one in making.fillers)
                    laid = Arrangement.laid_out(making.rows, fillers)
                    if laid not in self._makings and self._is_open(laid, prospects):
                        yield _Candidate(
                            arrangement=laid,
                            making=making,
                            item=item,
                            replaced=replaced,
                            weight=1.0 / (1 + rank),
                        )

    def _is_open(self, arrangement: Arrangement, prospects: Prospects) -> bool:
        return self._aside.get(arrangement, -1) < prospects.ways

    def _chance(self, candidate: _Candidate) -> float:
        """Return how likely a candidate brings something new, in [0, 1]."""
        making, item = self._lucky(candidate.making), self._lucky(candidate.item)
        return min(1.0, candidate.weight * making * item / self._luck)

    def _lucky(self, tried: Hashable) -> float:
        times, found = self._tried.get(tried, (0, 0))
        return (TRUST * self._luck + found) / (TRUST + times)

    def _score(self, candidate: _Candidate, prospects: Prospects) -> float:
        chance = self._chance(candidate)
        missing = sum(
            max(0, count - prospects.held.get(item, 0)) * prospects.prices.get(item, _FOREVER)
            for item, count in candidate.arrangement.needs().items()
        )
        return chance / (1.0 + (SUNK + chance) * missing)

    def _idea(self, candidate: _Candidate, score: float) -> Idea:
        self._behind[candidate.arrangement] = candidate
        place = "smelting" if candidate.arrangement.smelts else candidate.making.rows
        return Idea(
            arrangement=candidate.arrangement,
            success=self._chance(candidate),
            score=score,
            source="transfer",
            axes={CHANNEL: 1.0},
            exemplars=tuple(self._shown.get(candidate.making, ())),
            detail=f"{candidate.item} for {candidate.replaced} in {place}",
        )
