"""One round of ICAL with a model: induce, read, check, repair within bounds, verify by itself.

Source: Echo §3.3 (reasoner and verifier) and §3.4, step 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from csd.chat import Message, Reply
from ical.asking import prompts
from ical.asking.calls import Asker, Purpose
from ical.asking.considering import UNKNOWN_CHANCE, Considered, consider
from ical.asking.drafts import Reading, read_tasks, tasks_schema
from ical.asking.scene import Scene
from ical.asking.self_check import self_checked
from ical.asking.situation import Situation
from ical.task import InducedTask

LONGEST_ECHO = 2_000
"""Characters of an unusable answer that a model is shown again when asked to mend it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """How long a model is asked."""

    tasks: int = 3
    """New tasks an answer, at most, >= 1."""
    repairs: int = 1
    """Further questions where none of the tasks will do, >= 0."""
    verifies: bool = True
    """Whether the model is asked to verify its own tasks."""
    success: float = UNKNOWN_CHANCE
    """Predicted chance in [0, 1] of each task."""
    lays: bool = False
    """Whether the last action must craft or smelt, which is all that some executors try."""

    def __post_init__(self) -> None:
        """Refuse bounds out of range.

        Raises:
            ValueError: naming the bound.
        """
        if self.tasks < 1 or self.repairs < 0 or not 0.0 <= self.success <= 1.0:
            raise ValueError(f"expected tasks >= 1, repairs >= 0 and success in [0, 1]; got {self}.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """What came of one question."""

    considered: tuple[Considered, ...]
    """Tasks of the last answer that had any, in its order; also those that will not do."""
    repaired: int
    """Further questions asked."""
    reason: str | None
    """Why there is no usable task, in words; None where there is one."""
    asked: tuple[Message, ...]
    """The first question."""

    @property
    def usable(self) -> tuple[Considered, ...]:
        """The tasks that can be tried."""
        return tuple(one for one in self.considered if one.usable)


def induce(asker: Asker, scene: Scene, situation: Situation, bounds: Bounds | None = None) -> Round:
    """Ask for new tasks.

    Raises:
        ModelError: if the model does not answer.
    """
    bounds = bounds or Bounds()
    return _round(
        asker, scene, situation, bounds, prompts.induction(scene, situation, bounds.tasks), "induce"
    )


def recover(
    asker: Asker,
    scene: Scene,
    situation: Situation,
    failed: InducedTask,
    outcome: str,
    bounds: Bounds | None = None,
) -> Round:
    """Ask for a task in the place of one that failed.

    Args:
        asker: asks the model.
        scene: what is remembered.
        situation: as it is after the failure; what failed is among what was tried in vain.
        failed: the task.
        outcome: what came of it, in words.
        bounds: how long to ask; one task is asked for whatever they say.

    Raises:
        ModelError: if the model does not answer.
    """
    bounds = replace(bounds or Bounds(), tasks=1)
    return _round(
        asker, scene, situation, bounds, prompts.recovery(scene, situation, failed, outcome), "recover"
    )


def _round(
    asker: Asker,
    scene: Scene,
    situation: Situation,
    bounds: Bounds,
    question: tuple[Message, ...],
    purpose: Purpose,
) -> Round:
    schema = tasks_schema(situation.told_names(), scene.labels, bounds.tasks, lays=bounds.lays)
    messages = question
    considered: tuple[Considered, ...] = ()
    findings: list[str] = []
    for attempt in range(bounds.repairs + 1):
        reply = asker.ask(messages, schema)
        reading = read_tasks(reply.text, bounds.tasks)
        found = tuple(
            consider(draft, scene, situation, success=bounds.success, lays=bounds.lays)
            for draft in reading.drafts
        )
        considered = found or considered
        findings = _findings(reading, found, reply)
        usable = any(one.usable for one in found)
        asker.judged(
            purpose if attempt == 0 else "repair",
            messages,
            reply,
            usable=usable,
            findings=findings,
            mended=reading.mended,
        )
        if usable:
            checked = self_checked(asker, scene, situation, found) if bounds.verifies else found
            return _ended(checked, attempt, question, "the model doubts each of its tasks")
        messages = (
            *question,
            Message(role="assistant", text=reply.text[:LONGEST_ECHO] or "(nothing)"),
            prompts.repair(findings),
        )
    return _ended(considered, bounds.repairs, question, findings[0] if findings else "no task was written")


def _ended(
    considered: tuple[Considered, ...], repaired: int, asked: tuple[Message, ...], reason: str
) -> Round:
    usable = any(one.usable for one in considered)
    return Round(considered=considered, repaired=repaired, reason=None if usable else reason, asked=asked)


def _findings(reading: Reading, found: Sequence[Considered], reply: Reply) -> list[str]:
    """Return all that is wrong with an answer, in words, each once."""
    said = [*reading.faults]
    if reply.cut:
        said.append("expected an answer that ends; got one cut off: write fewer or shorter tasks")
    for number, one in enumerate(found, start=1):
        said += [
            f"task {number}: {finding.reason}" for finding in one.verdict.findings if not finding.mendable
        ]
    return list(dict.fromkeys(said))
