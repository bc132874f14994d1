from __future__ import annotations

from dataclasses import replace

import pytest

from csd.build import describe
from csd.descriptor import Csd
from csd.episode import Step
from echo.agent.arrangement import Arrangement
from echo.agent.memory import Question, Recalled
from echo.agent.policy import Prospects
from echo.baselines.direct import Direct
from echo.baselines.recalling import FIRST_LUCK, RecallingPolicy
from echo.baselines.watched import Watched
from tests.agent.toy_world import ToyWorld
from tests.baselines.hand_made import Trace

STICK = Trace(oak=2).craft("oak", "oak", stick=4).steps[0]
PICK = Trace(oak=3, stick=2, table=1).put("table").craft("oak", "stick", pick=1).steps[1]
OAK = Trace().dig("oak_tree", oak=1).steps[0]
BIRCH = Trace().dig("birch_tree", birch=1).steps[0]


class Scripted(Direct):
    """Answers as a table says: thing, or None for the task, -> exemplars."""

    def __init__(self, answers: dict[str | None, tuple[Step, ...]]) -> None:
        super().__init__()
        self.answers = answers
        self.asked: list[str | None] = []

    def recall(self, question: Question) -> Recalled:
        self.asked.append(question.item)
        return Recalled(exemplars=self.answers.get(question.item, ()))


def policy(answers: dict[str | None, tuple[Step, ...]]) -> tuple[RecallingPolicy, Scripted]:
    memory = Scripted(answers)
    return RecallingPolicy(memory, Watched(ToyWorld(), memory)), memory


def prospects(*items: str, ways: int = 1, **held: int) -> Prospects:
    return Prospects(items=items, held=held, prices=dict.fromkeys(items, 2.0), offers=(), ways=ways)


def test_what_memory_ranks_next_to_a_thing_is_replaced_by_it_where_it_was_used():
    asked, _ = policy({"stick": (STICK,), "birch": (BIRCH, OAK)})
    idea = asked.suggest(prospects("oak", "birch", "stick", birch=2, oak=2))
    assert idea is not None
    assert idea.arrangement == Arrangement("AA", ("birch",))
    assert idea.detail == "birch for oak in AA"
    assert (idea.source, idea.axes) == ("transfer", {"recall": 1.0})
    # The first in rank, of the luck taken for granted, and nothing is missing.
    assert idea.score == pytest.approx(FIRST_LUCK)


def test_a_neighbour_further_down_speaks_less_and_missing_material_costs():
    asked, _ = policy({"stick": (STICK,), "birch": (PICK, OAK)})
    idea = asked.suggest(prospects("oak", "birch", "stick"))
    assert idea is not None
    chance = FIRST_LUCK / 2
    assert idea.score == pytest.approx(chance / (1 + (0.05 + chance) * 4))


def test_where_something_bears_on_the_task_anything_is_put_in():
    asked, _ = policy({None: (STICK,)})
    idea = asked.suggest(prospects("oak", "dirt", oak=2, dirt=2))
    assert idea is not None
    assert idea.arrangement == Arrangement("AA", ("dirt",))


def test_where_memory_says_nothing_nothing_is_suggested():
    asked, _ = policy({})
    assert asked.suggest(prospects("oak", "dirt")) is None


def test_a_failed_exemplar_shows_no_making():
    failed = replace(STICK, outcome=replace(STICK.outcome, code="no_result", inventory_delta={}))
    asked, _ = policy({None: (failed,)})
    assert asked.suggest(prospects("oak", "dirt", oak=2, dirt=2)) is None


def test_what_was_tried_or_failed_elsewhere_comes_no_more_and_a_vain_try_lowers_its_like():
    asked, _ = policy({None: (STICK,)})
    first = asked.suggest(prospects("oak", "dirt", "sand", "clay", dirt=2, sand=2, clay=2))
    assert first is not None
    asked.judged(first, worked=False, new=False)
    asked.failed(Arrangement("AA", ("sand",)))
    second = asked.suggest(prospects("oak", "dirt", "sand", "clay", dirt=2, sand=2, clay=2))
    assert second is not None
    assert (first.arrangement.fillers, second.arrangement.fillers) == (("dirt",), ("clay",))
    # The luck of all is 0.95 x 0.3; the making's own is two thirds of that after one vain try.
    assert second.score == pytest.approx(0.95 * FIRST_LUCK * 2 / 3)


def test_what_was_set_aside_comes_back_when_more_ways_are_known():
    asked, _ = policy({None: (STICK,)})
    idea = asked.suggest(prospects("oak", "dirt", dirt=2))
    assert idea is not None
    asked.set_aside(idea, 1)
    assert asked.suggest(prospects("oak", "dirt", dirt=2)) is None
    again = asked.suggest(prospects("oak", "dirt", ways=2, dirt=2))
    assert again is not None
    assert again.arrangement == idea.arrangement
    asked.set_aside(again, None)
    assert asked.suggest(prospects("oak", "dirt", ways=9, dirt=2)) is None


def test_memory_is_asked_anew_only_when_something_changed():
    asked, memory = policy({None: (STICK,)})
    for _ in range(3):
        asked.suggest(prospects("oak", "dirt", dirt=2))
    assert memory.asked == [None, "oak", "dirt"]
    asked.suggest(prospects("oak", "dirt", "sand", dirt=2))
    assert memory.asked[3:] == [None, "oak", "dirt", "sand"]


def test_a_suggestion_names_the_descriptors_that_show_its_making():
    asked, _ = policy({None: (STICK,)})
    csd = describe(Trace(oak=2).craft("oak", "oak", stick=4).shown("make sticks"))
    assert isinstance(csd, Csd)
    asked.remember(csd)
    idea = asked.suggest(prospects("oak", "dirt", dirt=2))
    assert idea is not None
    assert idea.exemplars == (csd.id,)
    assert asked.carried_over(idea, None) == idea
    assert asked.penalty is None
