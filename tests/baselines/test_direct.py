from __future__ import annotations

from echo.agent.memory import Habits, Recalled
from echo.baselines.direct import Direct
from tests.baselines.hand_made import Trace, asked, have


def test_nothing_is_kept_of_demonstrations_steps_or_episodes() -> None:
    goal = have("carry planks", plank=4)
    trace = Trace(log=1).craft("log", gain=1, plank=4)
    memory = Direct()
    memory.show(trace.shown("make a plank"))
    memory.take_in(trace.steps[0], ["plank"], trace.now)
    memory.close(trace.ended(goal))
    for question in (asked(goal), asked(goal, item="plank"), asked(goal, block="tree")):
        assert memory.recall(question) == Recalled()
    assert memory.fits("fuel", ["plank"]) == {}


def test_it_goes_about_a_task_like_everybody_and_suggests_nothing() -> None:
    memory = Direct()
    assert memory.habits == Habits()
    assert memory.policy.penalty is None
