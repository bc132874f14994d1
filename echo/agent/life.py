"""One life of an agent: perceive, decide (memory, else explore), prepare, attempt, write back.

`Doings` are what an agent can do with its time, one at a time; a life does them until its budget is spent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from echo.agent.agent import Agent
from echo.agent.arrangement import Arrangement
from echo.agent.attempt import Attempter
from echo.agent.body import Body, BudgetSpent, World
from echo.agent.decide import Decider
from echo.agent.explorer import Explorer, Proposal
from echo.agent.knowledge import Knowledge
from echo.agent.planner import Planner, Prices
from echo.agent.probing import Prober
from echo.agent.writeback import Chronicle, Source

Progress = Callable[[int, int], None]
"""Called with the counted actions taken and the items unlocked so far."""


class Doings:
    """The parts of one agent put together: body, planner, explorer, prober, decider, attempter."""

    def __init__(self, agent: Agent, body: Body, chronicle: Chronicle) -> None:
        """Take over a body.

        Args:
            agent: memory, explorer and settings.
            body: in its world, with the agent's knowledge.
            chronicle: takes in every step; it has taken in what was demonstrated.
        """
        self.body, self.chronicle, self.options = body, chronicle, agent.options
        self._knowledge = body.knowledge
        self.prices = Prices(body.knowledge)
        self.planner = Planner(body.knowledge, self.prices)
        self._explorer = Explorer(
            body.knowledge, self.prices, edits=agent.edits, options=agent.options.explorer, rng=agent.rng
        )
        self.prober = Prober(agent, body, self.planner, chronicle)
        self._decider = Decider(agent, body.knowledge, self.prices, self._explorer)
        self.attempter = Attempter(agent, body, self.planner, self._explorer, chronicle)
        self.decision_seconds: list[float] = []
        """Time that each decision took."""
        self._other: Source | None = None
        """Source of what was done since the latest probe."""
        self._recalls: dict[Arrangement, int] = {}
        """Demonstrated grids not made yet -> number of known ways when one could last not be prepared."""
        for grid in chronicle.shown:
            self.know(grid, worked=True)

    def know(self, grid: Arrangement, *, worked: bool) -> None:
        """Take in a grid that was seen to work, or not to, before: the explorer's to vary or to leave out."""
        self._explorer.noted(grid, worked=worked, new=worked, own=not worked)
        if worked:
            self._recalls[grid] = -1

    def heed(self, exemplars: Sequence[Arrangement]) -> None:
        """Take in what bears on the goal, best first, for the explorer to adapt."""
        self._explorer.heed(exemplars)

    def catch_up(self) -> None:
        """Bring prices up to date with what is known."""
        self.prices.catch_up(news=self.chronicle.news)
        self.chronicle.news = False

    @property
    def source(self) -> Source:
        """Whose it is what is being found out, or was last."""
        return self._other or self.prober.source

    def find_out(self) -> bool:
        """Probe, do what was demonstrated, or try something; False where there is nothing to do."""
        self.catch_up()
        self._other = None
        return self.prober.probe() or self._recall() or self._try_something()

    def _try_something(self) -> bool:
        started = time.perf_counter()
        choice = self._decider.decide(self.body.held())
        self.decision_seconds.append(time.perf_counter() - started)
        self._other = None if choice is None else choice.source
        if choice is None:
            return self.prober.dig_anything()
        actions, unlocks = self.body.actions, len(self.chronicle.unlocks)
        self.attempter.attempt(choice)
        if isinstance(choice, Proposal):
            self._decider.explored(self.body.actions - actions, len(self.chronicle.unlocks) - unlocks)
        return True

    def _recall(self) -> bool:
        """Make something demonstrated whose parts are all known; True where that brought it."""
        for grid, ways in list(self._recalls.items()):
            product = self._knowledge.grids[grid]
            if product is None or product in self._knowledge.index:
                del self._recalls[grid]
                continue
            if ways >= len(self._knowledge.ways) or not self._possible(grid):
                continue
            self._other = "exploration"
            self.attempter.recall(grid)
            if product in self._knowledge.index:
                return True
            self._recalls[grid] = len(self._knowledge.ways)
        return False

    def _possible(self, grid: Arrangement) -> bool:
        station = grid.offer is None or grid.offer in self._knowledge.offers.values()
        return station and all(item in self._knowledge.index for item in grid.fillers)


class Life:
    """One agent in one world until its budget is spent."""

    def __init__(
        self, world: World, agent: Agent, *, budget: int, knowledge: Knowledge, chronicle: Chronicle
    ) -> None:
        """Take over a world.

        Args:
            world: the world to live in.
            agent: memory, explorer and settings.
            budget: counted actions.
            knowledge: the agent's, with what it watched.
            chronicle: takes in every step; it has taken in what was demonstrated.
        """
        self.chronicle, self._options = chronicle, agent.options
        self.body = Body(world, knowledge, budget, chronicle.take_in)
        self.doings = Doings(agent, self.body, chronicle)

    def live(self, progress: Progress | None = None) -> None:
        """Act until the budget is spent or nothing is left to do.

        Args:
            progress: told how far the life is, once a turn and at the end.
        """
        idle, before = 0, 0
        try:
            self.doings.prober.tour()
            while idle < self._options.patience:
                if progress is not None:
                    progress(self.body.actions, len(self.chronicle.unlocks))
                if not self.doings.find_out():
                    break
                idle, before = (idle + 1 if self.body.actions == before else 0), self.body.actions
        except BudgetSpent:
            pass
        if progress is not None:
            progress(self.body.actions, len(self.chronicle.unlocks))
