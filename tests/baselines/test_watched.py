from __future__ import annotations

import numpy as np

from csd.episode import Action, Collect, Craft, Frame, Observation, Outcome, Step
from echo.agent.memory import Ended, Question, Recalled
from echo.baselines.direct import Direct
from echo.baselines.watched import TASK, Watched
from tests.baselines.hand_made import Trace


class Notebook(Direct):
    """Writes down what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[tuple[Step, list[str]]] = []
        self.ended: list[Ended] = []

    def recall(self, question: Question) -> Recalled:
        return Recalled()

    def take_in(self, step, fresh, after) -> None:
        self.steps.append((step, list(fresh)))

    def close(self, ended: Ended) -> None:
        self.ended.append(ended)


class Replayed:
    """A world in which what was written down happens again."""

    source = "by hand"

    def __init__(self, trace: Trace, refuses: tuple[int, ...] = ()) -> None:
        self._trace, self._refuses, self._turn = trace, refuses, 0

    def act(self, action: Action) -> Outcome:
        self._turn += 1
        if self._turn in self._refuses:
            return Outcome(code="budget_spent", message="", inventory_delta={})
        return self._trace.steps[self._turn - 1].outcome

    def observe(self, frame: bool = False) -> Observation:
        steps = self._trace.steps
        return steps[self._turn].before if self._turn < len(steps) else self._trace.now

    def render(self) -> Frame:
        return np.zeros((1, 1, 3), dtype=np.uint8)


def live(trace: Trace, **settings) -> Notebook:
    memory = Notebook()
    world = Watched(Replayed(trace, **settings), memory)
    world.observe(frame=True)
    world.observe()
    for step in trace.steps:
        world.act(step.action)
        world.observe()
    return memory


def test_memory_is_told_of_each_step_with_what_was_seen_before_it_and_what_is_new():
    trace = Trace(axe=1).dig("tree", log=1).dig("tree", log=1).craft("log", plank=4)
    told = live(trace)
    assert [step for step, _ in told.steps] == trace.steps
    assert [fresh for _, fresh in told.steps] == [["log"], [], ["plank"]]


def test_each_new_item_ends_an_episode_that_reached_its_goal():
    trace = Trace().dig("tree", log=1).dig("dust").craft("log", plank=4).dig("dust")
    told = live(trace)
    assert [(one.goal.text, dict(one.goal.items), one.success) for one in told.ended] == [
        (TASK, {"log": 1}, True),
        (TASK, {"plank": 1}, True),
    ]
    assert [[type(step.action) for step in one.steps] for one in told.ended] == [[Collect], [Collect, Craft]]
    assert told.ended[1].after.count("plank") == 4


def test_what_a_spent_budget_refuses_is_no_step():
    assert live(Trace().dig("tree", log=1), refuses=(1,)).steps == []
