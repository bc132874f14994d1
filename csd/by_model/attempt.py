"""One experience on its way to a descriptor: what the model was asked and wrote, and what that was worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from csd.axes import AXES
from csd.by_model.check import Checked
from csd.by_model.compact import Unshown
from csd.by_model.look import Looked
from csd.by_model.prompts import after_answer
from csd.chat import Message, Reply, prompt_digest
from csd.descriptor import Csd
from csd.episode import Episode

OTHER_MODEL = "Use another model, or the rules."
MORE_TOKENS = "It was cut at the limit of tokens: let the model write more."


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One question to the model."""

    task: Literal["write", "look"]
    """Whether a descriptor was asked for, or what is in the picture."""
    prompt: str
    """Digest of the conversation, see `csd.chat.prompt_digest`."""
    reply: Reply | None
    """None where the model did not answer; the findings then say why."""
    findings: tuple[str, ...]
    """What is wrong with it; empty where nothing is."""
    mended: tuple[str, ...] = ()
    """What was not JSON by the letter and was read all the same."""
    ungrounded: tuple[Unshown, ...] = ()
    """The statements that no record shows."""
    statements: int = 0
    """How many statements with evidence it holds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """What a model made of an experience."""

    episode: str
    """Its id."""
    csd: Csd | None
    """The descriptor; None where no attempt gave one."""
    attempts: tuple[Attempt, ...]
    """In order; empty where the model was not asked because there is nothing to describe."""
    ungrounded: tuple[Unshown, ...] = ()
    """What the attempt that was kept stated without evidence, and was left out of the descriptor."""
    reason: str | None = None
    """Why there is no descriptor: expected, got, what to do. None where there is one."""
    looked: Looked | None = None
    """What the model said of the picture, where it was asked."""


class Draft:
    """An experience while a model works on it."""

    def __init__(self, episode: Episode, product: str | None, refused: str | None = None) -> None:
        """Begin with `episode`, for `product`; `refused` says why the model is not to be asked."""
        self.episode, self.product = episode, product
        self.open = refused is None
        """Whether the model is to be asked again."""
        self.looked: Looked | None = None
        self._reason = refused
        self._asked: tuple[Message, ...] = ()
        self._conversation: tuple[Message, ...] = ()
        self._attempts: list[Attempt] = []
        self._best: Checked | None = None
        self._advice = OTHER_MODEL

    @property
    def asked(self) -> tuple[Message, ...]:
        """What the model was asked at first."""
        return self._asked

    @property
    def conversation(self) -> tuple[Message, ...]:
        """What to ask next."""
        return self._conversation

    def ask(self, messages: Sequence[Message]) -> None:
        """Begin the conversation with `messages`."""
        self._asked = self._conversation = tuple(messages)

    def note(self, attempt: Attempt) -> None:
        """Keep an attempt that gives no descriptor by its nature."""
        self._attempts.append(attempt)

    def fail(self, reason: str) -> None:
        """Take that the model did not answer; it is not asked again."""
        prompt = prompt_digest(self._conversation)
        self.note(Attempt(task="write", prompt=prompt, reply=None, findings=(reason,)))
        self._advice = OTHER_MODEL
        self.open = False

    def take(self, reply: Reply, checked: Checked) -> None:
        """Take an answer; with findings the model is shown them next, unless it only says the same again."""
        again = any(one.reply is not None and one.reply.text == reply.text for one in self._attempts)
        attempt = Attempt(
            task="write",
            prompt=prompt_digest(self._conversation),
            reply=reply,
            findings=checked.findings,
            mended=checked.mended,
            ungrounded=checked.ungrounded,
            statements=_statements(checked),
        )
        self._attempts.append(attempt)
        if self._best is None or _rank(checked) > _rank(self._best):
            self._best = checked
        # The finding about an answer that breaks off says it already.
        self._advice = "" if checked.cut else MORE_TOKENS if reply.cut else OTHER_MODEL
        self.open = bool(checked.findings) and not again
        if self.open:
            self._conversation = after_answer(self._asked, reply.text, checked.findings)

    def written(self) -> Written:
        """Return what came of it."""
        best = self._best
        return Written(
            episode=self.episode.id,
            csd=None if best is None else best.csd,
            attempts=tuple(self._attempts),
            ungrounded=() if best is None else best.ungrounded,
            reason=None if best is not None and best.csd is not None else self._reason or self._failure(),
            looked=self.looked,
        )

    def _failure(self) -> str:
        tried = [one for one in self._attempts if one.task == "write"]
        last = tried[-1].findings[:2] if tried else ("the model was not asked",)
        return (
            f"expected a descriptor of {self.episode.id} with evidence; got none in {len(tried)} attempts, "
            f"at last: {'; '.join(last)} {self._advice}"
        ).rstrip()


def _statements(checked: Checked) -> int:
    return 0 if checked.csd is None else sum(len(checked.csd.axis(axis)) for axis in AXES)


def _rank(checked: Checked) -> tuple[int, int]:
    """More statements with evidence first, then fewer without: an attempt is worth what it shows."""
    return _statements(checked), -len(checked.ungrounded)
