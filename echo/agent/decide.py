"""Deciding: memory while it promises more than exploration brings, with a share kept for exploration.

Source: measured stop rule - a suggestion must beat the explorer's recent rate of new items per counted
action, so that weak transfer cannot starve exploration.
"""

from __future__ import annotations

from collections.abc import Mapping

from echo.agent.agent import Agent
from echo.agent.explorer import Explorer, Proposal
from echo.agent.knowledge import Knowledge
from echo.agent.planner import Prices
from echo.agent.policy import Idea, Prospects


class Decider:
    """Chooses what to try next."""

    def __init__(self, agent: Agent, knowledge: Knowledge, prices: Prices, explorer: Explorer) -> None:
        """Start with the explorer's rate taken for granted."""
        self._knowledge, self._prices, self._explorer = knowledge, prices, explorer
        self._policy, self._options, self._rng = agent.policy, agent.options, agent.rng
        self.rate = self._options.first_rate
        """Explorer's recent new items per counted action."""

    def decide(self, held: Mapping[str, int]) -> Idea | Proposal | None:
        """Return what to try, None where nothing is left to try.

        Args:
            held: item -> how many are carried.
        """
        idea = self._policy.suggest(self._prospects(held))
        # The order matters: nothing is drawn for an idea that does not reach the rate.
        if idea is not None and idea.score > self.rate and self._rng.random() > self._options.explore_share:
            return self._carried_over(idea)
        proposal = self._explorer.propose(held, self._policy.penalty)
        return self._carried_over(idea) if proposal is None and idea is not None else proposal

    def explored(self, actions: int, new: int) -> None:
        """Take in that exploration brought `new` items for `actions` counted actions in all."""
        if actions > 0:
            lasting = self._options.rate_memory**actions
            self.rate = lasting * self.rate + (1 - lasting) * new / actions

    def _carried_over(self, idea: Idea) -> Idea:
        """Return a chosen idea with its task; only these are worth the time of a mapping."""
        return self._policy.carried_over(idea, self._prices.fuel() if idea.arrangement.smelts else None)

    def _prospects(self, held: Mapping[str, int]) -> Prospects:
        items = self._knowledge.items
        return Prospects(
            items=items,
            held=held,
            prices={item: self._prices.of(item) for item in items},
            offers=tuple(self._knowledge.offers.values()),
            ways=len(self._knowledge.ways),
        )
