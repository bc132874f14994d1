"""One life of an agent: perceive, decide (memory, else explore), prepare, attempt, write back."""

from __future__ import annotations

import time
from collections.abc import Callable

from echo.agent.agent import Agent
from echo.agent.arrangement import Arrangement
from echo.agent.attempt import Attempter
from echo.agent.body import Body, BudgetSpent, World
from echo.agent.decide import Decider
from echo.agent.explorer import Explorer, Proposal
from echo.agent.knowledge import Knowledge
from echo.agent.planner import Planner, Prices
from echo.agent.probing import Prober
from echo.agent.writeback import Chronicle

Progress = Callable[[int, int], None]
"""Called with the counted actions taken and the items unlocked so far."""


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
        self.chronicle, self._knowledge, self._options = chronicle, knowledge, agent.options
        self.body = Body(world, knowledge, budget, chronicle.take_in)
        self._prices = Prices(knowledge)
        planner = Planner(knowledge, self._prices)
        self._explorer = Explorer(knowledge, self._prices, edits=agent.edits, options=agent.options.explorer)
        self._prober = Prober(agent, self.body, planner, chronicle)
        self._decider = Decider(agent, knowledge, self._prices, self._explorer)
        self._attempter = Attempter(agent, self.body, planner, self._explorer, chronicle)
        self.decision_seconds: list[float] = []
        """Time that each decision took."""
        self._recalls: dict[Arrangement, int] = {}
        """Demonstrated grids not made yet -> number of known ways when one could last not be prepared."""
        for grid in chronicle.shown:
            self._explorer.noted(grid, worked=True, new=True, own=False)
            self._recalls[grid] = -1

    def live(self, progress: Progress | None = None) -> None:
        """Act until the budget is spent or nothing is left to do.

        Args:
            progress: told how far the life is, once a turn and at the end.
        """
        idle, before = 0, 0
        try:
            self._prober.tour()
            while idle < self._options.patience:
                if progress is not None:
                    progress(self.body.actions, len(self.chronicle.unlocks))
                if not self._turn():
                    break
                idle, before = (idle + 1 if self.body.actions == before else 0), self.body.actions
        except BudgetSpent:
            pass
        if progress is not None:
            progress(self.body.actions, len(self.chronicle.unlocks))

    def _turn(self) -> bool:
        """Do one thing; False where there is nothing to do."""
        self._prices.catch_up(news=self.chronicle.news)
        self.chronicle.news = False
        if self._prober.probe() or self._recall():
            return True
        started = time.perf_counter()
        choice = self._decider.decide(self.body.held())
        self.decision_seconds.append(time.perf_counter() - started)
        if choice is None:
            return self._prober.dig_anything()
        actions, unlocks = self.body.actions, len(self.chronicle.unlocks)
        self._attempter.attempt(choice)
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
            self._attempter.recall(grid)
            if product in self._knowledge.index:
                return True
            self._recalls[grid] = len(self._knowledge.ways)
        return False

    def _possible(self, grid: Arrangement) -> bool:
        station = grid.offer is None or grid.offer in self._knowledge.offers.values()
        return station and all(item in self._knowledge.index for item in grid.fillers)
