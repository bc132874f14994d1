"""Putting a model before each agent's memory: what it is shown is what that memory keeps, and no more.

Echo recalls along its axes. A memory of tasks shows what it gives back. The two that differ from echo in
their likeness alone show what was done last, for their likeness ranks items and no experiences. The agents
without memory show nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from csd.encode import CachedEncoder, Encoder, load_encoder
from echo.agent.goal import Goal, Have
from echo.agent.memory import Question
from echo.agent.model_experiences import AlongAxes, AsRecalled, Experiences, Nothing
from echo.agent.model_policy import ModelPolicy
from echo.agent.policy import MemoryPolicy
from echo.baselines.memories import echo_settings
from echo.baselines.watched import TASK, Watched
from echo.experiments.reasoner import Answer, model_for, resolved
from echo.experiments.reasoner_names import RULE
from echo.experiments.spec import UsageError

if TYPE_CHECKING:
    from csd.chat import Model
    from csd.episode import Step
    from echo.agent.body import World
    from echo.experiments.spec import UnlockSpec
    from echo.experiments.tasks.competitors import Competitor
    from ical.asking.calls import Call

COMPLETIONS = "completions.jsonl"
"""File of a memory folder with a model's answers, one a line, in the order in which they came."""

Before = Callable[[MemoryPolicy], ModelPolicy]
"""Puts a model before the memory of a life."""

BeforeGoal = Callable[[MemoryPolicy, Goal], ModelPolicy]
"""Puts a model before the memory of an episode."""


def reasoner_model(name: str, asked: str) -> Model | None:
    """Return the model of a spec; None where the rule decides.

    Args:
        name: the spec's reasoner.
        asked: how it is reached on this machine.

    Raises:
        UsageError: if the two are not the same.
        ModelError: if it cannot be loaded.
    """
    if resolved(asked) != name:
        raise UsageError(f"expected the reasoner {name} of the spec; got {resolved(asked)} from {asked!r}.")
    return None if name == RULE else model_for(asked)


def before_life(spec: UnlockSpec, world: World, encoder: str, model: Model, memory: Path | None) -> Before:
    """Return what puts `model` before the memory of an unlocking life.

    Args:
        spec: of the run.
        world: lived in; a memory of tasks looks on at it.
        encoder: name of the encoder that echo's recall uses.
        model: decides.
        memory: folder that keeps the answers; None keeps them in the result alone.
    """
    experiences = _of_life(spec, world, encoder)
    keep = None if memory is None else _keeper(memory / COMPLETIONS)
    return lambda policy: ModelPolicy(policy, model, experiences, keep=keep)


def before_episode(competitor: Competitor, encoder: Encoder, model: Model) -> BeforeGoal:
    """Return what puts `model` before the memory of a task's episode."""

    def put(policy: MemoryPolicy, goal: Goal) -> ModelPolicy:
        return ModelPolicy(policy, model, _of_episode(competitor, encoder), goal=goal.text)

    return put


def _of_life(spec: UnlockSpec, world: World, encoder: str) -> Experiences:
    if isinstance(world, Watched):
        return AsRecalled(lambda: _asked(world), keeps=False)
    match spec.agent:
        case "none" | "edits":
            return Nothing()
        case "echo":
            return AlongAxes(CachedEncoder(load_encoder(encoder)), spec.axes)
        case _:
            return AsRecalled(tuple, keeps=True)


def _asked(world: Watched) -> tuple[Step, ...]:
    recalled = world.memory.recall(Question(goal=Have(text=TASK, items={}), seen=world.seen))
    return (*recalled.exemplars, *recalled.steps)


def _of_episode(competitor: Competitor, encoder: Encoder) -> Experiences:
    if competitor.agent != "echo":
        return AsRecalled(tuple, keeps=True)
    settings = echo_settings(competitor.switch)
    if not settings.ical:
        return Nothing()
    return AlongAxes(encoder, settings.axes, settings.shots)


def _keeper(path: Path) -> Callable[[Call], None]:
    """Return what appends each call to a file as one whole line: a run that ends early leaves them too."""

    def keep(call: Call) -> None:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(Answer.of(call).model_dump_json() + "\n")

    return keep
