"""Echo as its code was released: one JSON of descriptors, compared as bags of words.

Kept of the original: {task id: descriptor}; successes alone; the same id is overwritten; each axis is
flattened to a text; raw counts of words, the cosine on each axis, their plain sum; the three entries most
like the one written latest; no index, no graph, no verifier, no maintenance; an entry that could not be
made is an empty descriptor. Sub-tasks of its task manager have ids of their own; here every item first got
in an episode is one, and every part of the goal that was reached, also where the whole was not.

What cannot be kept: the language model that writes the descriptors, and invents part of them, and that
makes new tasks out of the three. Descriptors are built by rule from what happened, and the steps that led
to each are kept beside it and given back. In its favour: asked for an item that is a task's id, it starts
from that entry and not from the latest. Source: the code released with Echo, arXiv 2604.05533.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from csd.axes import AXES, Axis
from csd.build import describe
from csd.descriptor import Csd
from csd.episode import Episode, Observation, Step
from csd.render import render_axis
from echo.agent.goal import Have
from echo.agent.memory import Ended, Question, Recalled
from echo.baselines.direct import Direct
from echo.baselines.made import advances, distinct, first_gains, parts_reached, way_to

EXEMPLARS = 3
"""Descriptors found beside the one that a question starts from, as released."""

SOURCE = "tasks"
"""The world that descriptors name: the task alone is known here."""

_WORD = re.compile(r"\w+")
_DECIMALS = 9
"""Likenesses are compared to so many digits; more would be the rounding of the sum."""

Bags = Mapping[Axis, Counter[str]]
"""Axis -> how often each word stands in its text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One task that was done."""

    generated_at: int
    """How many entries had been written before it, overwritten ones too."""
    csd: Csd | None
    """None where nothing can be said; it is like nothing."""
    bags: Bags
    steps: tuple[Step, ...]
    """Those without which it would not have been done, in order."""


class EchoRelease(Direct):
    """Implements `echo.agent.memory.Memory`."""

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self._entries: dict[str, Entry] = {}
        self._written = 0
        self._alike: dict[str, tuple[str, ...]] = {}
        self._trace: list[Step] = []
        self._held: dict[str, object] = {}

    @property
    def entries(self) -> Mapping[str, Entry]:
        """Task id -> its entry, in the order in which ids were first written."""
        return dict(self._entries)

    def show(self, episode: Episode) -> None:
        """Take a demonstration for tasks done: each item that it brought, and the whole."""
        for number, step in enumerate(episode.steps, start=1):
            later = episode.steps[number:]
            self._sub_tasks(step, later[0].before if later else episode.after)
        if episode.goal.strip() and episode.steps:
            self._write(episode.goal, episode.steps, episode)
        self._forget_trace()

    def recall(self, question: Question) -> Recalled:
        """Return what is behind the anchor and the three entries most like it, oldest entry first.

        The anchor is the entry written latest, or that of the item asked for where there is one. Where a
        block stands no entry says: nothing is returned for such a question.
        """
        if question.block is not None or not self._entries:
            return Recalled()
        anchor = max(self._entries, key=lambda task: self._entries[task].generated_at)
        if question.item is not None and question.item in self._entries:
            anchor = question.item
        found = [self._entries[task] for task in (anchor, *self.most_alike(anchor))]
        exemplars = tuple(entry.steps[-1] for entry in found)
        found.sort(key=lambda entry: entry.generated_at)
        steps = {id(step): step for entry in found for step in distinct(entry.steps)}
        return Recalled(steps=tuple(steps.values()), exemplars=exemplars)

    def most_alike(self, anchor: str) -> tuple[str, ...]:
        """Return the ids of the other entries most like `anchor`, at most `EXEMPLARS`, the most alike first.

        Ties go to the id that was written first.

        Raises:
            KeyError: if there is no entry `anchor`.
        """
        if anchor not in self._alike:
            one = self._entries[anchor]
            scores = {
                task: round(likeness(one.bags, other.bags), _DECIMALS)
                for task, other in self._entries.items()
                if task != anchor
            }
            self._alike[anchor] = tuple(sorted(scores, key=lambda task: -scores[task])[:EXEMPLARS])
        return self._alike[anchor]

    def take_in(self, step: Step, fresh: Sequence[str], after: Observation) -> None:
        """Write each item that is new in this episode as a task done."""
        self._sub_tasks(step, after)

    def close(self, ended: Ended) -> None:
        """Write a goal that was reached, and before it each part that was; a failure leaves nothing."""
        goal = ended.goal
        for name, step in parts_reached(ended.steps, goal).items():
            way = way_to(ended.steps, {}, (step,))
            self._write(name, way, _episode(f"{goal.text}: {name}", (step,), ended.after))
        if ended.success:
            wanted = goal.items if isinstance(goal, Have) else {}
            steps = way_to(ended.steps, wanted, advances(ended.steps, goal))
            self._write(goal.text, steps, _episode(goal.text, steps, ended.after))
        self._forget_trace()

    def _sub_tasks(self, step: Step, after: Observation) -> None:
        if not self._trace:
            self._held.update(step.before.inventory)
        self._trace.append(step)
        for item in first_gains(step, self._held):
            self._held[item] = None
            steps = way_to(self._trace, {item: 1})
            self._write(item, steps, _episode(item, (step,), after), item)

    def _write(
        self, task: str, steps: tuple[Step, ...], described: Episode, product: str | None = None
    ) -> None:
        csd = describe(described, product)
        said = csd if isinstance(csd, Csd) else None
        self._entries[task] = Entry(
            generated_at=self._written, csd=said, bags={axis: _bag(said, axis) for axis in AXES}, steps=steps
        )
        self._written += 1
        self._alike.clear()

    def _forget_trace(self) -> None:
        self._trace.clear()
        self._held.clear()


def likeness(one: Bags, other: Bags) -> float:
    """Return the sum over the five axes of the cosine of word counts, in [0, 5]; 0 for an axis without words.

    >>> bags = dict.fromkeys(AXES, Counter({"oak": 3, "log": 4}))
    >>> likeness(bags, {**bags, Axis.ATTR: Counter({"oak": 1}), Axis.FUNC: Counter()})
    3.6
    """
    return sum(_cosine(one[axis], other[axis]) for axis in AXES)


def _episode(task: str, steps: tuple[Step, ...], after: Observation) -> Episode:
    return Episode(id=task, goal=task, steps=steps, after=after, source=SOURCE)


def _bag(csd: Csd | None, axis: Axis) -> Counter[str]:
    return Counter() if csd is None else Counter(_WORD.findall(render_axis(csd, axis).lower()))


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    product = sum(count * other[word] for word, count in one.items() if word in other)
    sizes = sum(n * n for n in one.values()) * sum(n * n for n in other.values())
    return product / sqrt(sizes) if sizes else 0.0
