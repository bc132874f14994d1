from __future__ import annotations

from echo.experiments.tasks.milestones import milestones
from tests.baselines.hand_made import Trace

LADDER = {"log": "log", "plank": "plank", "diamond": "diamond"}


def test_a_milestone_is_the_counted_step_that_first_brought_the_item() -> None:
    trace = Trace(("tree",)).hold("axe").dig("tree", log=1).walk().craft("log", plank=4).craft("log", plank=4)
    # Taking something into the hand costs no step, walking does.
    assert milestones(trace.steps, LADDER) == {"log": 1, "plank": 3}


def test_what_is_carried_from_the_start_is_a_milestone_at_no_step() -> None:
    assert milestones(Trace(plank=1).dig("tree", log=1).steps, LADDER) == {"log": 1, "plank": 0}


def test_milestones_come_in_the_order_of_the_ladder_under_its_own_names() -> None:
    trace = Trace().dig("tree", zog=1).dig("tree", blip=1)
    assert list(milestones(trace.steps, {"plank": "blip", "log": "zog"}).items()) == [
        ("plank", 2),
        ("log", 1),
    ]


def test_no_step_is_no_milestone() -> None:
    assert milestones([], LADDER) == {}
