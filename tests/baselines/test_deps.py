from __future__ import annotations

from echo.agent.memory import Habits, Recalled
from echo.baselines.deps import Deps
from tests.baselines.hand_made import Trace, asked, have


def test_the_selector_takes_the_nearest_sub_goal_first() -> None:
    assert Deps().habits == Habits(nearest_first=True)


def test_without_the_selector_sub_goals_come_in_the_planned_order() -> None:
    assert Deps(selector=False).habits == Habits()


def test_nothing_outlives_an_episode() -> None:
    goal = have("carry planks", plank=4)
    trace = Trace(log=1).craft("log", gain=1, plank=4)
    memory = Deps()
    memory.show(trace.shown("make a plank"))
    memory.take_in(trace.steps[0], ["plank"], trace.now)
    memory.close(trace.ended(goal))
    assert memory.recall(asked(goal)) == Recalled()
