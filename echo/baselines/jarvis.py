"""JARVIS-1: plans that succeeded, found by the task's text and by how alike the state is in which they began.

Kept of the original: entries task -> {steps of the plan, initial inventory, what was in sight, success}, of
successful plans alone; tasks that it sets itself enter like the given ones, which here is every item first
got in an episode and, where the whole was not reached, the parts of the goal that were (texts name no
numbers: a part is the same task with fewer to do); a plan library may be loaded (demonstrations are); the key
is text *and* state, so that the same task has other answers in other states; plans are checked against the
present inventory before, and explained and made anew after a failure (the shared reasoner's planning,
`Habits.checks` and `Habits.replans`). Asking for each missing sub-goal is its backward search for queries,
and is what the shared reasoner does. What cannot be kept: the picture's embedding (in its place stand the
kinds of blocks in sight), the language model that writes a plan out of those recalled, and the instructions
it gives itself. Source: JARVIS-1, arXiv 2311.05997 (text first, by a confidence, then likeness of state), and
its published memory for what an entry holds. How many plans are recalled and the confidence are not in its
public code; they are set here, the former to what Voyager gets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from csd.encode import Encoder
from csd.episode import Episode, Observation, Step
from echo.agent.goal import Have
from echo.agent.memory import Ended, Habits, Question, Recalled
from echo.agent.texts import TextIndex, in_words
from echo.baselines.direct import Direct
from echo.baselines.made import advances, distinct, first_gains, gained, parts_reached, way_to

RECALLED = 5
"""Plans recalled for a question."""

CONFIDENCE = 0.95
"""Cosine of a task's text, as a share of the nearest one's, from which on it counts as the same task."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """One entry: how a task was done, and from where."""

    task: str
    steps: tuple[Step, ...]
    """Those without which it would not have been done, in order."""
    lesson: tuple[Step, ...]
    """Of these, the ones that show something else than those before."""
    start: Observation
    """What was perceived before the first: initial inventory, position and sight."""


class Jarvis1(Direct):
    """Implements `echo.agent.memory.Memory`."""

    def __init__(self, *, encoder: Encoder, self_check: bool = True) -> None:
        """Start with an empty plan library.

        Args:
            encoder: embeds the texts of tasks and questions.
            self_check: whether plans are checked against the present state and explained after a failure.
                Without it the nearest plan of the same task is repeated as it was, whatever is carried now.
        """
        super().__init__()
        self._checks = self_check
        self._tasks = TextIndex(encoder)
        self._plans: dict[str, dict[object, Plan]] = {}

    @property
    def habits(self) -> Habits:
        """Everybody's; without self-check nothing is checked and no plan made anew."""
        return Habits(checks=self._checks, replans=self._checks)

    @property
    def plans(self) -> tuple[Plan, ...]:
        """All entries, by task in the order in which tasks first came."""
        return tuple(plan for plans in self._plans.values() for plan in plans.values())

    def show(self, episode: Episode) -> None:
        """Enter what a demonstration made into the plan library, or the whole where it ends otherwise."""
        if not episode.steps:
            return
        self._enter_items(episode.steps)
        if episode.goal.strip() and not gained(episode.steps[-1]):
            self._enter(episode.goal, episode.steps, episode.steps[0].before)

    def recall(self, question: Question) -> Recalled:
        """Return what the five nearest plans consist of, the nearest last; see `nearest`.

        Where a block stands no plan says: nothing is returned for such a question.
        """
        if question.block is not None:
            return Recalled()
        found = self.nearest(question)
        lesson = {id(step): step for plan in reversed(found) for step in plan.lesson}
        repeated: tuple[Step, ...] = ()
        if not self._checks and question.item is None:
            repeated = next((plan.steps for plan in found if plan.task == question.goal.text), ())
        return Recalled(
            steps=tuple(lesson.values()),
            exemplars=tuple(plan.steps[-1] for plan in found),
            plan=tuple(step.action for step in repeated),
        )

    def nearest(self, question: Question) -> tuple[Plan, ...]:
        """Return the plans nearest to a question, at most `RECALLED`, the nearest first.

        Tasks whose text is as near as the nearest one's, by `CONFIDENCE`, come before all others and are
        ranked by likeness of state; the rest by text, then state. Ties: by text, then the latest entry.
        """
        asked = question.goal.text if question.item is None else f"get {in_words(question.item)}"
        ranked = self._tasks.nearest(asked)
        least = CONFIDENCE * max(ranked[0][1], 0.0) if ranked else 0.0
        sure = [(task, cosine) for task, cosine in ranked if cosine >= least]
        found = sorted(
            ((-likeness(plan.start, question.seen), -cosine, -n, plan) for cosine, n, plan in self._of(sure)),
            key=lambda one: one[:3],
        )[:RECALLED]
        if len(found) < RECALLED:
            rest = ranked[len(sure) : len(sure) + RECALLED]
            found += sorted(
                (
                    (-cosine, -likeness(plan.start, question.seen), -n, plan)
                    for cosine, n, plan in self._of(rest)
                ),
                key=lambda one: one[:3],
            )
        return tuple(plan for *_, plan in found[:RECALLED])

    def close(self, ended: Ended) -> None:
        """Enter the plan that reached the goal, or else its parts, and those of all items first got."""
        if not ended.steps:
            return
        self._enter_items(ended.steps)
        if ended.success:
            wanted = ended.goal.items if isinstance(ended.goal, Have) else {}
            steps = way_to(ended.steps, wanted, advances(ended.steps, ended.goal))
        else:
            steps = way_to(ended.steps, {}, parts_reached(ended.steps, ended.goal).values())
        self._enter(ended.goal.text, steps, ended.steps[0].before)

    def _of(self, tasks: Sequence[tuple[str, float]]) -> Iterator[tuple[float, int, Plan]]:
        """Iterate over the plans of tasks, each with its task's cosine and its number in the task."""
        for task, cosine in tasks:
            for number, plan in enumerate(self._plans[task].values()):
                yield cosine, number, plan

    def _enter_items(self, steps: Sequence[Step]) -> None:
        held = dict.fromkeys(steps[0].before.inventory)
        for number, step in enumerate(steps):
            fresh = first_gains(step, held)
            held.update(dict.fromkeys(fresh))
            for item in fresh:
                way = way_to(steps[: number + 1], {item: 1})
                self._enter(f"get {in_words(item)}", way, way[0].before)

    def _enter(self, task: str, steps: Sequence[Step], start: Observation) -> None:
        """Keep a plan, once for the same doing from the same inventory: the latest."""
        if not steps:
            return
        carried = tuple(sorted((item, stack.count) for item, stack in start.inventory.items()))
        key = (tuple(step.action for step in steps), carried)
        plans = self._plans.setdefault(task, {})
        plans.pop(key, None)
        plans[key] = Plan(task=task, steps=tuple(steps), lesson=distinct(steps), start=start)
        self._tasks.set(task, task)


def likeness(one: Observation, other: Observation) -> float:
    """Return how alike two states are, in [0, 1]: inventories count three times as much as what is in sight.

    Each is the overlap of what is there, smaller by larger counts (weighted Jaccard); two empty ones are
    alike. Inventories are compared by count, sight by kinds of blocks alone.
    """
    carried = _overlap(
        {item: stack.count for item, stack in one.inventory.items()},
        {item: stack.count for item, stack in other.inventory.items()},
    )
    return 0.75 * carried + 0.25 * _overlap(dict.fromkeys(one.blocks, 1), dict.fromkeys(other.blocks, 1))


def _overlap(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    both = sum(min(count, other[item]) for item, count in one.items() if item in other)
    either = sum(one.values()) + sum(other.values()) - both
    return both / either if either else 1.0
