from __future__ import annotations

from dataclasses import replace

import numpy as np

from echo.agent.agent import Agent
from echo.agent.arrangement import Arrangement
from echo.agent.decide import Decider
from echo.agent.explorer import Explorer, Proposal
from echo.agent.knowledge import Knowledge
from echo.agent.options import AgentOptions
from echo.agent.planner import Prices
from echo.agent.policy import Idea, NoMemory, Prospects


class Suggesting(NoMemory):
    """Suggests one thing, at whatever score."""

    def __init__(self, score: float | None) -> None:
        self._score = score
        self.asked: list[Prospects] = []
        self.carried: list[str | None] = []

    def suggest(self, prospects: Prospects) -> Idea | None:
        self.asked.append(prospects)
        if self._score is None:
            return None
        return Idea(
            arrangement=Arrangement("AA/AA", ("log",)),
            success=self._score,
            score=self._score,
            source="transfer",
            axes={},
            exemplars=(),
            detail="",
        )

    def carried_over(self, idea: Idea, fuel: str | None) -> Idea:
        self.carried.append(fuel)
        return replace(idea, detail="carried over")


def deciding(score: float | None, options: AgentOptions | None = None) -> tuple[Decider, Suggesting]:
    known = Knowledge(items=["log"], index={"log": 0}, offers={"table": "grid3"})
    prices, policy = Prices(known), Suggesting(score)
    agent = Agent(
        policy=policy,
        edits=False,
        options=options or AgentOptions(explore_share=0.0),
        rng=np.random.default_rng(0),
    )
    decider = Decider(agent, known, prices, Explorer(known, prices, edits=False))
    return decider, policy


def test_memory_is_followed_while_it_promises_more_than_exploration_brings():
    assert isinstance(deciding(0.4)[0].decide({"log": 9}), Idea)
    assert isinstance(deciding(0.2)[0].decide({"log": 9}), Proposal)


def test_without_a_suggestion_there_is_exploration():
    assert isinstance(deciding(None)[0].decide({"log": 9}), Proposal)


def test_a_share_of_decisions_explores_whatever_memory_promises():
    decider, _ = deciding(1.0, AgentOptions(explore_share=0.3))
    chosen = [isinstance(decider.decide({"log": 9}), Proposal) for _ in range(300)]
    # Binomial with 300 draws of 0.3: a standard deviation of 8.
    assert 90 - 32 < sum(chosen) < 90 + 32


def test_the_explorers_rate_moves_with_what_its_actions_bring():
    decider, _ = deciding(None, AgentOptions(first_rate=0.5, rate_memory=0.9))
    decider.explored(1, 0)
    assert np.isclose(decider.rate, 0.45)
    decider.explored(2, 1)
    assert np.isclose(decider.rate, 0.81 * 0.45 + 0.19 * 0.5)
    decider.explored(0, 0)
    assert np.isclose(decider.rate, 0.81 * 0.45 + 0.19 * 0.5)


def test_memory_is_told_what_is_at_hand():
    decider, policy = deciding(None)
    decider.decide({"log": 2})
    (prospects,) = policy.asked
    assert (prospects.items, prospects.held, prospects.offers, prospects.ways) == (
        ["log"],
        {"log": 2},
        ("grid3",),
        0,
    )


def test_only_what_is_chosen_is_carried_over():
    decider, policy = deciding(1.0)
    chosen = decider.decide({"log": 9})
    assert isinstance(chosen, Idea)
    assert (chosen.detail, policy.carried) == ("carried over", [None])
    decider, policy = deciding(0.0)
    assert isinstance(decider.decide({"log": 9}), Proposal)
    assert policy.carried == []
