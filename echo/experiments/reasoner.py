"""Who decides in a run: the rule, or a language model; its name in results, and all that it answered.

A name in a result says which model it was and holds no path: a local model is named after its folder and its
weights' digest, a script after its file and content.
"""

from __future__ import annotations

import hashlib
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from csd.chat import ModelError, Reply
from echo.experiments.reasoner_names import RULE
from echo.experiments.spec import FileRecord, UsageError
from echo.models.lasting import lasting, lasting_weights
from echo.models.named import KINDS, base_and_adapter, model_named
from echo.models.settings import from_environment

if TYPE_CHECKING:
    from csd.chat import Model
    from echo.agent.model_use import ModelUse
    from ical.asking.calls import Call

Count = Annotated[int, Field(ge=0)]

MOST_TOKENS = 600
"""Tokens of an answer, at most: three tasks of four actions take some 450."""


class Answer(FileRecord):
    """One question to a model and its answer."""

    purpose: str
    """induce, repair, verify, recover or subgoals."""
    prompt_digest: str
    """Sha256 of the messages asked."""
    text: str
    prompt_tokens: int | None
    completion_tokens: int | None
    money: float | None
    seed: int | None
    seconds: float | None
    cut: bool
    """Whether it ended at the limit of tokens."""
    held_to_schema: bool
    cached: bool
    usable: bool
    findings: tuple[str, ...]
    """What was wrong with it."""
    mended: tuple[str, ...]
    """What was not JSON by the letter and was taken all the same."""

    @classmethod
    def of(cls, call: Call) -> Answer:
        """Return the record of a call; half a surrogate pair, which no file takes, becomes its escape."""
        reply = call.reply
        return cls(
            purpose=call.purpose,
            prompt_digest=call.prompt_digest,
            text=reply.text.encode(errors="backslashreplace").decode(),
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            money=reply.money,
            seed=reply.seed,
            seconds=reply.seconds,
            cut=reply.cut,
            held_to_schema=reply.held_to_schema,
            cached=reply.cached,
            usable=call.usable,
            findings=tuple(one.encode(errors="backslashreplace").decode() for one in call.findings),
            mended=call.mended,
        )

    @property
    def reply(self) -> Reply:
        """What the model answered, without its question."""
        return Reply(
            text=self.text,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            money=self.money,
            seed=self.seed,
            seconds=self.seconds,
            cut=self.cut,
            held_to_schema=self.held_to_schema,
            cached=self.cached,
        )


class Reasoning(FileRecord):
    """What a model decided in one life or episode; decisions are ideas + fallbacks + resting + spent."""

    decisions: Count
    ideas: Count
    """Decisions with an idea of the model at hand."""
    fallbacks: Count
    """Decisions left to the explorer, because the latest answer was of no use after all repairs."""
    resting: Count
    """Decisions left to the explorer, because there was nothing new to ask about."""
    spent: Count
    """Decisions left to the explorer, because no question was left."""
    tried: Count
    worked: Count
    new: Count
    rounds: Count
    """Questions for tasks, with their repairs and verifications."""
    unusable: Count
    """Of these, without a usable task after all repairs."""
    answers: tuple[Answer, ...]

    @classmethod
    def of(cls, use: ModelUse) -> Reasoning:
        """Return the record of what a policy counted."""
        return cls(
            decisions=use.decisions,
            ideas=use.ideas,
            fallbacks=use.fallbacks,
            resting=use.resting,
            spent=use.spent,
            tried=use.tried,
            worked=use.worked,
            new=use.new,
            rounds=use.rounds,
            unusable=use.unusable,
            answers=tuple(Answer.of(call) for call in use.calls),
        )

    @property
    def happened(self) -> dict[str, Any]:
        """What enters a result's digest: all but what an answer cost and how long it took."""
        told = self.model_dump(mode="json", exclude={"answers"})
        told["answers"] = [[one.purpose, one.prompt_digest, one.text] for one in self.answers]
        return told


def resolved(asked: str) -> str:
    """Return the name of a reasoner in specs and results.

    Args:
        asked: 'rule', 'openai:MODEL', 'hf:PATH' or 'hf:PATH+ADAPTER', 'scripted:FILE', 'command:PROGRAM ...'.

    Raises:
        UsageError: on anything else, a model or file that is not there, or settings of the environment
            that cannot be read.
    """
    if asked == RULE:
        return RULE
    kind, colon, rest = asked.partition(":")
    if kind not in KINDS or not colon or not rest.strip():
        near = get_close_matches(kind, (RULE, *KINDS), n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]}?" if near and near[0] != kind else ""
        raise UsageError(
            f"expected rule, openai:MODEL, hf:PATH[+ADAPTER], scripted:FILE or command:PROGRAM; "
            f"got {asked!r} for --reasoner.{hint}"
        )
    try:
        from_environment()
    except ModelError as error:
        raise UsageError(str(error)) from error
    if kind == "hf":
        return _weights(rest)
    if kind == "scripted":
        return f"scripted:{lasting(rest, _file_digest(Path(rest).expanduser()))}"
    return asked


@lru_cache(maxsize=1)
def model_for(asked: str) -> Model:
    """Return the model called `asked`, loaded once a process.

    Raises:
        UsageError: as `resolved`.
        ModelError: if it cannot be loaded.
    """
    return model_named(asked, settings=from_environment(most_tokens=MOST_TOKENS))


def _weights(rest: str) -> str:
    """Return a local model as its folder's name and its weights' digest, its adapter likewise."""
    from finetune.adapter import AdapterError, adapter_digest
    from finetune.base import BaseError, find_base

    try:
        path, adapter = base_and_adapter(rest)
        own = None if adapter is None else adapter_digest(adapter)
        return lasting_weights(path, find_base(path).digest, adapter, own)
    except (BaseError, AdapterError, ModelError) as error:
        raise UsageError(f"{error} (--reasoner)") from error


def _file_digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UsageError(
            f"expected a file of replies; got {error.strerror or error} at {path} for --reasoner."
        ) from error
