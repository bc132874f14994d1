"""Threads: what stood behind each unlock that memory suggested, one line of JSON each.

An unlock's exemplars and axis shares are in the run's result; the correspondences from the exemplar to what
was known then, and what the verifier said, cannot be computed again later, because memory has grown since.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from csd.episode import Craft, Smelt, Step
from echo.agent.policy import Idea
from ical.verify import FindingKind, Verdict

THREADS_FILE = "threads.jsonl"
"""The file's name within a memory folder."""


class ThreadError(ValueError):
    """A file of threads cannot be read."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Corresponding(_Record):
    """One thing of the exemplar and what took its part."""

    base: str
    target: str
    axes: dict[str, float]
    """Axis -> share of the support; adds up to 1."""


class Objection(_Record):
    """One thing that the verifier found before the attempt."""

    kind: FindingKind
    reason: str
    step: int | None


class UnlockThread(_Record):
    """What stood behind one unlock."""

    format: Literal[1] = 1
    item: str
    """Name as the agent saw it."""
    csd: str | None
    """Id of the descriptor of the step that brought it."""
    exemplar: str
    """Id of the descriptor that was carried over."""
    goal: str
    """The task in words."""
    success: float
    """Predicted chance in [0, 1] that something comes out."""
    score: float
    """Matched structure in [0, 1] between the exemplar and what was known of the item."""
    correspondences: tuple[Corresponding, ...]
    """Best supported first."""
    objections: tuple[Objection, ...]
    """What preparation had to mend; empty where the task passed at once."""
    surprises: tuple[str, ...]
    """What the success showed otherwise than the task asserted."""


def thread_of(
    item: str, csd: str | None, idea: Idea, verdict: Verdict | None, surprises: tuple[str, ...]
) -> UnlockThread | None:
    """Return the thread behind the unlock of `item`; None where its idea was not carried over.

    Args:
        item: what was gained.
        csd: descriptor of the step that brought it.
        idea: what suggested it.
        verdict: what the verifier said before the attempt.
        surprises: what came out otherwise than asserted.
    """
    if idea.task is None or idea.mapping is None:
        return None
    findings = verdict.findings if verdict is not None else ()
    return UnlockThread(
        item=item,
        csd=csd,
        exemplar=idea.exemplars[0],
        goal=idea.task.goal,
        success=idea.success,
        score=idea.mapping.score,
        correspondences=tuple(
            Corresponding(
                base=one.base,
                target=one.target,
                axes={axis.value: share for axis, share in one.axes.items()},
            )
            for one in idea.mapping.correspondences
        ),
        objections=tuple(Objection(kind=one.kind, reason=one.reason, step=one.step) for one in findings),
        surprises=surprises,
    )


def surprises_in(idea: Idea | None, step: Step) -> tuple[str, ...]:
    """Return which assertions of an idea's task its successful step does not bear out, in words.

    Args:
        idea: what is being tried; nothing is asserted of an idea that was not carried over.
        step: a step of trying it; only a grid laid or an input smelted with success can surprise.
    """
    if idea is None or idea.task is None or not step.outcome.ok or not isinstance(step.action, Craft | Smelt):
        return ()
    return tuple(one.text for one in idea.task.assertions if not one.holds(step))


def read_threads(memory: Path) -> dict[str, UnlockThread]:
    """Return item -> thread from a memory folder, in order of the unlocks; empty where no file was kept.

    Raises:
        ThreadError: if the file cannot be read, or a line in it is torn or of another format.
    """
    path = memory / THREADS_FILE
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ThreadError(
            f"expected threads as lines of JSON; got {error} in {path}. Delete the run's result and run "
            f"the same command again, or delete this file to do without correspondences."
        ) from error
    found: dict[str, UnlockThread] = {}
    for number, line in enumerate(lines, start=1):
        try:
            thread = UnlockThread.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the line"
            raise ThreadError(
                f"expected a thread of format 1; got {first['msg']} for {where} in {path}, line {number}. "
                f"Delete the run's result and run the same command again, or delete this file to do "
                f"without correspondences."
            ) from error
        found[thread.item] = thread
    return found
