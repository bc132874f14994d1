"""MP5: workflows that succeeded, found by the description of the task; active perception; a patroller.

Kept of the original: entries {task: description, successful workflow}; nothing enters before it has
succeeded; the same name is overwritten; the two entries whose descriptions are nearest to what is asked
come back; what a plan needs is looked for before acting (`Habits.looks_first`); the patroller stops a step
that did not bring what it should, and a new plan is made (`Habits.replans`). Tasks are given as a list of
sub-objectives, each an entry of its own and checked by itself; here every item first got in an episode is
one, and every part of the goal that was reached, also where the whole was not.

What cannot be kept: questions put to a picture, the language model that writes a workflow after the two
examples (the reasoner knows what the two consist of instead), and the knowledge base of recipes that comes
with the original. Without the patroller the workflow of the very same task is repeated blindly, and no plan
is made anew. Source: MP5, arXiv 2312.07472, and its released code, which gives the number of entries and
the overwriting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from csd.encode import Encoder
from csd.episode import Episode, Observation, Step
from echo.agent.goal import Have
from echo.agent.memory import Ended, Habits, Question, Recalled
from echo.agent.texts import TextIndex, in_words
from echo.baselines.direct import Direct
from echo.baselines.made import advances, distinct, first_gains, parts_reached, way_to

RECALLED = 2
"""Workflows that come back for one question, as released."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Workflow:
    """How a task was once done."""

    description: str
    steps: tuple[Step, ...]
    """Those without which it would not have been done, in order; none of them failed."""


class Mp5(Direct):
    """Implements `echo.agent.memory.Memory`."""

    def __init__(self, *, encoder: Encoder, patroller: bool = True) -> None:
        """Start without any workflow.

        Args:
            encoder: compares descriptions; each is encoded once.
            patroller: whether steps are checked and plans made anew; else a workflow is repeated blindly.
        """
        super().__init__()
        self._patroller = patroller
        self._descriptions = TextIndex(encoder)
        self._workflows: dict[str, Workflow] = {}
        self._trace: list[Step] = []
        self._held: dict[str, object] = {}

    @property
    def workflows(self) -> Mapping[str, Workflow]:
        """Task -> its workflow, in the order in which tasks were first done."""
        return dict(self._workflows)

    @property
    def habits(self) -> Habits:
        """Active perception; without the patroller no new plan after a bad step."""
        return Habits(looks_first=True, replans=self._patroller)

    def show(self, episode: Episode) -> None:
        """Take a demonstration for workflows: of all that it brought, and of the whole."""
        for step in episode.steps:
            self._sub_tasks(step)
        if episode.goal.strip():
            self._enter(episode.goal, episode.goal, episode.steps)
        self._forget_trace()

    def recall(self, question: Question) -> Recalled:
        """Return what the two nearest workflows consist of, the nearest last.

        Where a block stands no workflow says: nothing is returned for such a question. Without the patroller,
        at the start of a task that was done before, its workflow is to be repeated.
        """
        if question.block is not None:
            return Recalled()
        asked = question.goal.text if question.item is None else sub_task(question.item)
        found = [self._workflows[task] for task in reversed(self.nearest(asked))]
        steps = {id(step): step for workflow in found for step in distinct(workflow.steps)}
        repeated: tuple[Step, ...] = ()
        if not self._patroller and question.item is None and question.goal.text in self._workflows:
            repeated = self._workflows[question.goal.text].steps
        return Recalled(
            steps=tuple(steps.values()),
            exemplars=tuple(workflow.steps[-1] for workflow in reversed(found)),
            plan=tuple(step.action for step in repeated),
        )

    def nearest(self, description: str) -> tuple[str, ...]:
        """Return the tasks with the nearest descriptions, at most `RECALLED`, the nearest first.

        Ties go to the task that was done first.
        """
        return tuple(task for task, _ in self._descriptions.nearest(description, RECALLED))

    def take_in(self, step: Step, fresh: Sequence[str], after: Observation) -> None:
        """Keep how each item that is new in this episode came about as the workflow of a sub-objective."""
        self._sub_tasks(step)

    def close(self, ended: Ended) -> None:
        """Keep the workflow of a task that was done, and of each part of it; a failure leaves nothing."""
        goal = ended.goal
        for name, step in parts_reached(ended.steps, goal).items():
            self._enter(name, f"{goal.text}: {name}", way_to(ended.steps, {}, (step,)))
        if ended.success:
            wanted = goal.items if isinstance(goal, Have) else {}
            self._enter(goal.text, goal.text, way_to(ended.steps, wanted, advances(ended.steps, goal)))
        self._forget_trace()

    def _sub_tasks(self, step: Step) -> None:
        if not self._trace:
            self._held.update(step.before.inventory)
        self._trace.append(step)
        for item in first_gains(step, self._held):
            self._held[item] = None
            self._enter(item, sub_task(item), way_to(self._trace, {item: 1}))

    def _enter(self, task: str, description: str, steps: Sequence[Step]) -> None:
        kept = tuple(step for step in steps if step.outcome.ok)
        if kept:
            self._workflows[task] = Workflow(description=description, steps=kept)
            self._descriptions.set(task, description)

    def _forget_trace(self) -> None:
        self._trace.clear()
        self._held.clear()


def sub_task(item: str) -> str:
    """Return the description of getting one item.

    >>> sub_task("iron_pickaxe")
    'obtain iron pickaxe'
    """
    return f"obtain {in_words(item)}"
