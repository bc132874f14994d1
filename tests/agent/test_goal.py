from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csd.episode import Outcome
from echo.agent.goal import Fell, Fill, Have, Make, goal_done, goal_event, goal_gain

COUNTS = st.integers(min_value=0, max_value=99)


def told(*events: str) -> Outcome:
    return Outcome(code="ok", message="", events=events)


def test_a_goal_falls_into_its_items_and_cells_and_is_one_part_otherwise():
    assert Have(text="", items={"log": 3, "rod": 1}).parts == 2
    assert Fill(text="", cells=((1, 2, 3), (1, 2, 4), (1, 2, 5))).parts == 3
    assert Make(text="", where="hands").parts == 1
    assert Fell(text="", mob="spider", within=64).parts == 1


@given(COUNTS, COUNTS, st.integers(min_value=-99, max_value=99))
def test_what_is_told_of_a_goal_is_read_again(done, parts, gain):
    outcome = told("damage:1", goal_event(done, parts, gain), "broke:pick")
    assert (goal_done(outcome), goal_gain(outcome)) == (done, gain)


def test_a_part_that_is_lost_again_is_a_gain_below_nought():
    assert goal_event(1, 3, -1) == "goal:1/3-1"
    assert goal_gain(told("goal:1/3-1")) == -1


def test_an_outcome_that_tells_nothing_of_a_goal_gives_no_number():
    for outcome in (told(), told("damage:1")):
        assert goal_done(outcome) is None
        assert goal_gain(outcome) is None


@pytest.mark.parametrize("event", ["goal:", "goal:1/3", "goal:x/3+1", "goal:1/3+", "goal:1/3+1 "])
def test_an_event_in_another_form_is_no_nought(event):
    for read in (goal_done, goal_gain):
        with pytest.raises(ValueError, match=r"expected an event such as 'goal:2/3\+1'; got"):
            read(told(event))
