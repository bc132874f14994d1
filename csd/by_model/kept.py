"""Every attempt of a model to describe, as lines of a file beside the bank: failures too.

What a model cost, why it was refused, and what it wrote can then be read after the run, and learned from.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from csd.by_model.attempt import Attempt, Written
from csd.descriptor import Record, Value


class LeftOut(Record):
    """A statement that no record shows."""

    axis: str
    subject: str
    predicate: str
    value: Value | None
    reason: str


class KeptAttempt(Record):
    """One line: a question to a model and what came of it. Unknown numbers are null, not 0."""

    format: Literal[1] = 1
    episode: str
    builder: str
    """Model and version of the prompts."""
    number: Annotated[int, Field(ge=1)]
    """Which attempt at this episode it was, from 1."""
    task: Literal["write", "look"]
    prompt: str
    """SHA-256 of the conversation."""
    completion: str | None
    """What the model wrote, whole; null where it did not answer."""
    findings: tuple[str, ...]
    mended: tuple[str, ...]
    ungrounded: tuple[LeftOut, ...]
    statements: int
    """How many statements with evidence it gave."""
    csd: str | None
    """On the last line of an episode, the id of the descriptor that came of it; null where none did."""
    reason: str | None
    """Why none came of it, on its last line."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    money: float | None = None
    seed: int | None = None
    seconds: float | None = None
    cut: bool = False
    held_to_schema: bool = False
    cached: bool = False


def attempts_file(bank: Path) -> Path:
    """Return where the attempts at descriptors for the bank at `bank` are kept."""
    return bank.with_name(f"{bank.name}.attempts.jsonl")


def kept_attempts(written: Written, builder: str) -> Iterator[KeptAttempt]:
    """Yield the lines to keep of what a model made of an episode, one an attempt, in order."""
    last = len(written.attempts)
    for number, attempt in enumerate(written.attempts, start=1):
        yield KeptAttempt(
            episode=written.episode,
            builder=builder,
            number=number,
            task=attempt.task,
            prompt=attempt.prompt,
            findings=attempt.findings,
            mended=attempt.mended,
            ungrounded=tuple(
                LeftOut(
                    axis=one.axis,
                    subject=one.subject,
                    predicate=one.predicate,
                    value=one.value,
                    reason=one.reason,
                )
                for one in attempt.ungrounded
            ),
            statements=attempt.statements,
            csd=written.csd.id if number == last and written.csd is not None else None,
            reason=written.reason if number == last else None,
            **_answered(attempt),
        )


def _answered(attempt: Attempt) -> dict[str, Any]:
    reply = attempt.reply
    if reply is None:
        return {"completion": None}
    return {
        # Half a surrogate pair cannot be written as UTF-8.
        "completion": reply.text.encode("utf-8", "backslashreplace").decode(),
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "money": reply.money,
        "seed": reply.seed,
        "seconds": reply.seconds,
        "cut": reply.cut,
        "held_to_schema": reply.held_to_schema,
        "cached": reply.cached,
    }
