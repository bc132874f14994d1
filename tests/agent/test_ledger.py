from __future__ import annotations

from csd.episode import Action, Collect, Outcome, Place, Step
from echo.agent.body import Taken
from echo.agent.goal import goal_event
from echo.agent.ledger import Ledger, Spending
from tests.agent.toy_world import ToyWorld

CELL, OTHER = (1, 63, 0), (2, 63, 0)


def taken(action: Action, done: int = 0, gain: int = 0, actions: int = 1, told: bool = True) -> Taken:
    seen = ToyWorld().observe()
    events = (goal_event(done, 3, gain),) if told else ()
    step = Step(before=seen, action=action, outcome=Outcome(code="ok", message="", events=events))
    return Taken(step=step, after=seen, fresh=(), actions=actions)


def test_the_best_is_what_was_reached_at_once_and_stays():
    ledger = Ledger()
    for done, gain in ((1, 1), (2, 1), (1, -1)):
        ledger.take_in(taken(Collect(block="tree"), done, gain), source="plan", reached=False)
    assert ledger.best == 2
    assert len(ledger.trace) == 3


def test_a_step_that_tells_nothing_of_a_goal_changes_no_best():
    ledger = Ledger(best=1)
    ledger.take_in(taken(Collect(block="tree"), told=False), source="plan", reached=False)
    assert ledger.best == 1


def test_the_steps_to_the_goal_are_those_up_to_the_first_that_reached_it():
    ledger = Ledger()
    for actions, reached in ((4, False), (5, True), (6, True)):
        ledger.take_in(taken(Collect(block="tree"), actions=actions), source="plan", reached=reached)
    assert ledger.reached_at == 5


def test_a_cell_is_filled_by_what_brought_the_goal_nearer_there():
    ledger = Ledger()
    ledger.take_in(taken(Place(item="sand", target=CELL), 0, 0), source="role", reached=False)
    ledger.take_in(taken(Place(item="brick", target=OTHER), 1, 1), source="role", reached=False)
    # Put down anywhere, or not put down at all: no cell was meant.
    ledger.take_in(taken(Place(item="table"), 2, 1), source="role", reached=False)
    ledger.take_in(taken(Collect(block="tree"), 3, 1), source="role", reached=False)
    assert ledger.filled == {OTHER: "brick"}


def test_what_is_booked_adds_up_by_source():
    ledger = Ledger()
    for actions in (1, 2, 3):
        ledger.take_in(taken(Collect(block="tree"), actions=actions), source="plan", reached=False)
    ledger.book("plan", made=True, steps=1)
    ledger.book("plan", made=False, steps=2)
    # The second of these does not count: nothing that counts was done since.
    for _ in range(2):
        ledger.take_in(taken(Collect(block="tree"), actions=4), source="exploration", reached=False)
    assert ledger.spending == {
        "plan": Spending(tried=2, made=1, steps=3, lost=2),
        "exploration": Spending(steps=1),
    }
    assert ledger.steps() == {"plan": 3, "exploration": 1}


def test_counts_of_a_chronicle_are_added_and_leave_the_ledger_as_it_was():
    ledger = Ledger()
    ledger.book("edit", made=True, steps=3)
    counts = {"tried": 2, "made": 1, "new": 1, "rejected": 4}
    whole = ledger.with_counts({"edit": counts, "transfer": counts})
    assert whole == {
        "edit": Spending(tried=3, made=2, new=1, rejected=4),
        "transfer": Spending(tried=2, made=1, new=1, rejected=4),
    }
    assert ledger.spending == {"edit": Spending(tried=1, made=1)}
