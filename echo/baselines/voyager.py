"""Voyager: a library of skills, each the steps that made one thing, found by the likeness of its description.

Kept of the original: skills of name, code and description; a skill is added only when a critic finds that
the sub-task succeeded (an item was got that was new, or in a new manner, a part of the goal was reached, or
all of it), also in an episode that fails: the original judges every sub-task by itself. One of the same name
is rewritten and its versions are counted from V2 on; the five whose descriptions are nearest to the task's
text are retrieved, and whatever they call stays callable through them. Tasks completed and failed are listed,
a completed one is struck from the failed, and the list of "failed tasks that are too hard" is read whole
before a task is chosen. A grid or an input that gave nothing is an error inside a program and is not kept.

In its favour: a try of something in a part that no recipe is for (a gap, a creature, a fire) is a sub-task
named by what was tried, so that the list says what served nobody; the original names tasks more coarsely.

What cannot be kept: programs written and described by a language model (the code is the steps themselves,
the description is put together from them), its automatic curriculum and its cache of questions and answers,
which rest on that model. Names are the verb and the item where the model invents one. A program for a task
without items, such as a fight, is the steps that brought the goal nearer.

Switch: without self-verification nothing is known to have failed; the last program of an episode that failed,
which ends with its first error, is added under the task's name as if it had worked; the task's program is
then run as it is before all else. Source: Voyager, arXiv 2305.16291, and its public code for the five
retrieved, the rewriting of equal names and the lists of tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from csd.encode import Encoder
from csd.episode import Action, Attack, Collect, Craft, Episode, Mine, Observation, Smelt, Step
from echo.agent.goal import Goal, Have
from echo.agent.memory import Ended, Habits, Question, Recalled
from echo.agent.texts import TextIndex, in_words
from echo.baselines.direct import Direct
from echo.baselines.made import (
    advances,
    first_gains,
    gained,
    needed,
    part_tried,
    parts_reached,
    repeats,
    station_used,
    way_to,
)

RETRIEVED = 5
"""Skills retrieved for a question."""

_LOOPS = 15
"""Repetitions kept beside a skill's first step; they show how much comes out and how long a fuel burns."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Skill:
    """One program of the library."""

    name: str
    description: str
    code: tuple[Step, ...]
    """The steps it consists of, in order; for what they take it calls other skills."""
    version: int = 1
    """How many programs of this name there have been, this one included."""
    added: int = 0
    """How many programs were added before this one."""
    whole: tuple[Action, ...] = ()
    """For a task's own skill: everything that was done for it, without calls."""

    @property
    def title(self) -> str:
        """The name with its version where that is not the first, such as 'craft stick V2'."""
        return self.name if self.version == 1 else f"{self.name} V{self.version}"

    @property
    def calls(self) -> tuple[str, ...]:
        """Items that other skills must bring for it, each once."""
        return tuple(dict.fromkeys(item for step in self.code for item in needed(step)))


class Voyager(Direct):
    """Implements `echo.agent.memory.Memory`."""

    def __init__(self, *, encoder: Encoder, self_verification: bool = True) -> None:
        """Start with an empty library.

        Args:
            encoder: embeds descriptions and questions.
            self_verification: whether a skill is added only after success. Without it the last attempt of an
                episode becomes the task's skill whatever came of it, and is repeated as it was.
        """
        super().__init__()
        self._verifies = self_verification
        self._descriptions = TextIndex(encoder)
        self._skills: dict[str, Skill] = {}
        self._makers: dict[str, dict[str, None]] = {}
        self._running: list[str] = []
        self._added = 0
        self.completed: list[str] = []
        """Tasks that succeeded, each once, in the order of their first success."""
        self._failed: dict[str, Step | None] = {}

    @property
    def habits(self) -> Habits:
        """Without self-verification, no plan is made anew after a step that failed."""
        return Habits(replans=self._verifies)

    @property
    def failed(self) -> list[str]:
        """Tasks that failed and have not succeeded, in the order of their first failure."""
        return list(self._failed)

    @property
    def skills(self) -> tuple[Skill, ...]:
        """The library, in the order in which each name first came."""
        return tuple(self._skills.values())

    def show(self, episode: Episode) -> None:
        """Add a skill for each thing that a demonstration made, or for the whole where it ends otherwise."""
        held = dict.fromkeys(episode.steps[0].before.inventory) if episode.steps else {}
        for step in episode.steps:
            fresh = first_gains(step, held)
            held.update(dict.fromkeys(fresh))
            self.take_in(step, fresh, step.before)
        doing = [step for step in episode.steps if step.outcome.ok and needed(step)]
        if doing and episode.goal.strip() and not gained(doing[-1]):
            self._add(episode.goal, episode.goal, doing[-1:], tuple(step.action for step in episode.steps))
        self._running.clear()

    def recall(self, question: Question) -> Recalled:
        """Return the steps of the five nearest skills and of all that they call, oldest first.

        At the start, behind those of the sub-tasks on the list of failed ones. Where a block stands no skill
        says: nothing is returned for such a question.
        """
        if question.block is not None:
            return Recalled()
        text = question.goal.text if question.item is None else f"get {in_words(question.item)}"
        found = [self._skills[name] for name, _ in self._descriptions.nearest(text, RETRIEVED)]
        plan: tuple[Action, ...] = ()
        if question.item is None and not self._verifies:
            plan = next((skill.whole for skill in found if skill.name == question.goal.text), ())
        exemplars = tuple(skill.code[-1] for skill in found if skill.code)
        listed = self._failed.values() if question.item is None else ()
        failures = tuple(step for step in listed if step is not None)
        return Recalled(steps=failures + self._steps(found), exemplars=exemplars, plan=plan)

    def take_in(self, step: Step, fresh: Sequence[str], after: Observation) -> None:
        """Add a skill for each item that is fresh or got in a new manner; draw one out that is repeated."""
        made = [item for item in gained(step) if item in fresh or _name(item, step) not in self._skills]
        if self._running and isinstance(step.action, Collect | Smelt):
            self._draw_out(step)
        for item in made:
            self._add_maker(item, step)

    def close(self, ended: Ended) -> None:
        """List the task and its sub-tasks as completed or failed; add a skill for each that succeeded."""
        text = ended.goal.text
        for name, step in parts_reached(ended.steps, ended.goal).items():
            self._complete(name)
            self._add(name, f"{text}: {name}", (step,))
        for step in ended.steps:
            tried = _sub_task_tried(step, ended.goal)
            if tried is not None:
                self._fail(tried, step)
        if ended.success:
            self._complete(text)
            ends = advances(ended.steps, ended.goal)
            wanted = ended.goal.items if isinstance(ended.goal, Have) else {}
            whole = way_to(ended.steps, wanted, ends)
            if ends:
                self._add(text, text, ends, tuple(step.action for step in whole))
        else:
            self._fail(text, None)
            last = _last_program(ended.steps)
            if last and not self._verifies:
                self._add(text, text, last, tuple(step.action for step in last))
        self._running.clear()

    def _complete(self, text: str) -> None:
        if text not in self.completed:
            self.completed.append(text)
        self._failed.pop(text, None)

    def _fail(self, text: str, step: Step | None) -> None:
        """List a task as failed, unless it was ever completed."""
        if self._verifies and text not in self.completed:
            self._failed.setdefault(text, step)

    def _add_maker(self, item: str, step: Step) -> None:
        name = _name(item, step)
        self._add(name, _description(item, step), (step,))
        self._makers.setdefault(item, {})[name] = None
        self._running.append(name)

    def _add(self, name: str, description: str, code: Sequence[Step], whole: tuple[Action, ...] = ()) -> None:
        known = self._skills.get(name)
        version = 1 if known is None else known.version + 1
        self._skills[name] = Skill(
            name=name,
            description=description,
            code=tuple(code),
            version=version,
            added=self._added,
            whole=whole,
        )
        self._added += 1
        self._descriptions.set(name, description)

    def _draw_out(self, step: Step) -> None:
        for name in self._running:
            skill = self._skills[name]
            if len(skill.code) <= _LOOPS and repeats(skill.code[0], step):
                self._skills[name] = replace(skill, code=(*skill.code, step))

    def _steps(self, found: Sequence[Skill]) -> tuple[Step, ...]:
        """Return the steps of `found` and of all that they call, each once, in the order of adding."""
        callable_: dict[str, Skill] = {}
        waiting = list(found)
        while waiting:
            skill = waiting.pop()
            if skill.name not in callable_:
                callable_[skill.name] = skill
                waiting += [self._skills[name] for item in skill.calls for name in self._makers.get(item, ())]
        steps = {
            id(step): step
            for skill in sorted(callable_.values(), key=lambda skill: skill.added)
            for step in skill.code
            if step.outcome.ok
        }
        return tuple(steps.values())


def _sub_task_tried(step: Step, goal: Goal) -> str | None:
    """Return the sub-task that a step tried something for, None where it did not; of fires, only in vain."""
    if isinstance(step.action, Smelt) and step.outcome.code == "not_fuel":
        return f"burn {in_words(step.action.fuel)}"
    return part_tried(step, goal)


def _last_program(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps after the last failure but one: a program ends with its first error."""
    start = len(steps) - 1
    while start > 0 and steps[start - 1].outcome.ok:
        start -= 1
    return tuple(steps[max(start, 0) :])


def _name(item: str, step: Step) -> str:
    return f"{_verb(step)} {item}"


def _verb(step: Step) -> str:
    match step.action:
        case Collect() | Mine():
            return "mine"
        case Craft():
            return "craft"
        case Smelt():
            return "smelt"
        case Attack():
            return "hunt"
        case _:
            return "get"


def _description(item: str, step: Step) -> str:
    """Return in words what a program does, such as 'craft stick from oak planks at crafting table'."""
    station = station_used(step)
    inputs = [in_words(one) for one in needed(step) if one != station]
    made, held = in_words(item), f" with {inputs[0]}" if inputs else ""
    match step.action:
        case Collect() | Mine():
            return f"mine {made} by digging {in_words(step.outcome.block or 'something')}{held}"
        case Attack(mob=mob):
            return f"hunt {made} by fighting {in_words(mob)}{held}"
        case _:
            used = f" from {', '.join(inputs)}" if inputs else ""
            place = f" at {in_words(station)}" if station is not None else ""
            return f"{_verb(step)} {made}{used}{place}"
