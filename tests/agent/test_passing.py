from __future__ import annotations

import pytest

from csd.axes import Axis
from csd.descriptor import Csd
from echo.agent.arrangement import Arrangement
from echo.agent.passing import Listening, Merging, Passing
from echo.agent.policy import Idea, NoMemory, Prospects
from tests.ical.experience import COBBLE, PLANKS, crafted, pickaxe

BOX = Arrangement("AA/AA", ("log",))
NOW = Prospects(items=(), held={}, prices={}, offers=(), ways=0)


def idea(**axes: float) -> Idea:
    return Idea(
        arrangement=BOX, success=0.5, score=0.5, source="transfer", axes=axes, exemplars=(), detail="a box"
    )


class Noting(NoMemory):
    """Notes what it is told, and answers so that it can be told apart."""

    def __init__(self) -> None:
        self.told: list[object] = []

    @property
    def penalty(self):
        return "its penalty"

    def remember(self, csd: Csd) -> None:
        self.told.append(csd)

    def failed(self, arrangement: Arrangement) -> None:
        self.told.append(arrangement)

    def suggest(self, prospects: Prospects):
        self.told.append(prospects)
        return idea(func=1.0)

    def carried_over(self, idea: Idea, fuel: str | None) -> Idea:
        self.told.append((idea, fuel))
        return idea

    def set_aside(self, idea: Idea, ways: int | None) -> None:
        self.told.append((idea, ways))

    def judged(self, idea: Idea, *, worked: bool, new: bool) -> None:
        self.told.append((idea, worked, new))


@pytest.mark.parametrize("kind", [Passing, Listening, Merging])
def test_everything_is_passed_on_and_every_answer_back(kind):
    behind = Noting()
    before = kind(behind)
    pick, one = pickaxe(1, "wooden_pickaxe", PLANKS), idea(func=1.0)
    before.remember(pick)
    before.failed(BOX)
    assert before.suggest(NOW) == one
    assert before.carried_over(one, "coal") == one
    before.set_aside(one, 3)
    before.judged(one, worked=True, new=False)
    assert behind.told == [pick, BOX, NOW, (one, "coal"), (one, 3), (one, True, False)]
    assert before.penalty == "its penalty"


def test_shares_are_means_over_the_ideas_tried_in_the_order_of_names():
    listening = Listening(Noting())
    assert listening.shares() == listening.shares(made=True) == {}
    listening.judged(idea(struct=1.0), worked=False, new=False)
    listening.judged(idea(func=0.75, struct=0.25), worked=True, new=True)
    assert list(listening.shares().items()) == [("func", 0.375), ("struct", 0.625)]
    assert listening.shares(made=True) == {"func": 0.75, "struct": 0.25}


def test_an_idea_for_which_no_axis_spoke_counts_among_the_tried():
    listening = Listening(Noting())
    listening.judged(idea(), worked=True, new=True)
    listening.judged(idea(func=1.0), worked=True, new=True)
    assert listening.shares(made=True) == {"func": 0.5}


def test_what_is_only_suggested_has_no_share():
    listening = Listening(Noting())
    listening.suggest(NOW)
    listening.set_aside(idea(func=1.0), None)
    assert listening.shares() == {}


def test_the_same_said_of_another_place_and_time_is_merged():
    behind = Noting()
    merging = Merging(behind)
    first, again = pickaxe(1, "wooden_pickaxe", PLANKS), pickaxe(9, "wooden_pickaxe", PLANKS)
    assert first.id != again.id
    for csd in (first, again, first):
        merging.remember(csd)
    assert behind.told == [first]


def test_what_differs_in_a_single_statement_is_passed_on():
    behind = Noting()
    merging = Merging(behind)
    said = [
        pickaxe(1, "wooden_pickaxe", PLANKS),
        pickaxe(2, "stone_pickaxe", COBBLE),
        crafted(3, PLANKS, (("oak_log",),), amount=4),
        crafted(4, PLANKS, (("oak_log",),), amount=2),
    ]
    for csd in said:
        merging.remember(csd)
    assert behind.told == said
    fewer = said[0].model_copy(update={Axis.FUNC.value: said[0].axis(Axis.FUNC)[1:]})
    merging.remember(fewer)
    assert behind.told[-1] == fewer
