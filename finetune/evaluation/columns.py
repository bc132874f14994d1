"""The columns of an evaluation: who is asked what, freely or under a grammar."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from csd.by_model.check import check
from csd.by_model.example import example_shots
from csd.by_model.prompts import after_answer, conversation
from csd.by_model.shape import compact_schema
from csd.chat import Message
from finetune.evaluation.completions import Book, Subject, ask_each
from finetune.evaluation.judging import Judged, judge
from finetune.evaluation.questions import TEXTS, Question
from finetune.examples.rows import OUT_OF_TEMPLATE

REPAIRS = 2
"""How often an answer with findings is asked for again in the column of repaired ones."""

Tell = Callable[[str, int, int], None]
"""Told the column, how many questions of it are answered, and of how many."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column."""

    name: str
    """As results call it."""
    title: str
    """As tables call it."""
    group: str
    """Of the questions."""
    who: Literal["before", "model"] = "model"
    constrained: bool = False
    """Whether decoding is held to the schema."""
    explained: bool = False
    """Whether the model is told with examples what descriptors are, as untuned ones have to be."""
    repaired: bool = False
    """Whether the model is told what is wrong with an answer and asked again."""


COLUMNS: tuple[Column, ...] = (
    Column(name="before", title="before", group="write", who="before"),
    Column(
        name="before_constrained",
        title="before, constrained",
        group="write",
        who="before",
        constrained=True,
    ),
    Column(
        name="before_explained",
        title="before, explained, constrained",
        group="write",
        who="before",
        constrained=True,
        explained=True,
    ),
    Column(name="after", title="after", group="write"),
    Column(name="repaired", title="after, repaired", group="write", repaired=True),
    Column(name="constrained", title="after, constrained", group="write", constrained=True),
    Column(name="out_of_template", title="out of template", group=OUT_OF_TEMPLATE),
    Column(
        name="out_of_template_constrained",
        title="out of template, constrained",
        group=OUT_OF_TEMPLATE,
        constrained=True,
    ),
    Column(name="repair", title="repairing", group="repair"),
    Column(name="refuse", title="nothing to say", group="refuse"),
    Column(name="texts", title="texts", group=TEXTS),
    Column(name="texts_constrained", title="texts, constrained", group=TEXTS, constrained=True),
)


@dataclass(frozen=True, kw_only=True)
class Answered:
    """The answers of a column."""

    judged: tuple[Judged, ...]
    """In the order of the questions."""
    unanswered: tuple[str, ...]
    """Names of the questions that the model refused."""


def answer(
    column: Column,
    questions: Sequence[Question],
    subject: Subject,
    book: Book,
    *,
    tell: Tell = lambda name, done, of: None,
) -> Answered:
    """Ask `subject` the questions of a column, and judge what it answers.

    Raises:
        ModelError: if it does not answer; what it did answer is in the book.
    """
    schema = compact_schema() if column.constrained else None
    asked = [_explained(each) if column.explained else each.messages for each in questions]
    told = ask_each(asked, subject, book, schema=schema, tell=partial(tell, column.name))
    pairs = zip(questions, told, strict=True)
    found = {each.name: judge(each, reply) for each, reply in pairs if reply is not None}
    if column.repaired:
        found = _repaired(questions, found, subject, book, tell=partial(tell, f"{column.name}, again"))
    return Answered(
        judged=tuple(found[each.name] for each in questions if each.name in found),
        unanswered=tuple(each.name for each in questions if each.name not in found),
    )


def _explained(question: Question) -> tuple[Message, ...]:
    if question.episode is None:
        return question.messages
    return conversation(question.episode, style=question.style, shots=example_shots(question.style))


@dataclass(frozen=True, kw_only=True)
class _Again:
    """A question asked again."""

    question: Question
    text: str
    findings: tuple[str, ...]

    @property
    def messages(self) -> tuple[Message, ...]:
        return after_answer(self.question.messages, self.text, self.findings)


def _repaired(
    questions: Sequence[Question],
    first: Mapping[str, Judged],
    subject: Subject,
    book: Book,
    *,
    tell: Callable[[int, int], None],
) -> dict[str, Judged]:
    """Return, for each answer, the best of it and of those given when told what was wrong."""
    best = dict(first)
    again = [one for each in questions if each.name in first and (one := _wrong(first[each.name]))]
    for _ in range(REPAIRS):
        if not again:
            break
        replies = ask_each([one.messages for one in again], subject, book, schema=None, tell=tell)
        pairs = [(one, reply) for one, reply in zip(again, replies, strict=True) if reply is not None]
        again = []
        for one, reply in pairs:
            judged = judge(one.question, reply)
            if _rank(judged) > _rank(best[one.question.name]):
                best[one.question.name] = judged
            # A model that says the same again will go on doing so.
            if reply.completion != one.text and (still := _wrong(judged)):
                again.append(still)
    return best


def _wrong(judged: Judged) -> _Again | None:
    question, text = judged.question, judged.answer.completion
    if question.episode is None:
        return None
    checked = check(text, question.episode, builder=judged.answer.model, asked=question.asked)
    if not checked.findings:
        return None
    return _Again(question=question, text=text, findings=checked.findings)


def _rank(judged: Judged) -> tuple[int, int]:
    """More statements with evidence first, then fewer without, as `csd.by_model.attempt` ranks attempts."""
    unshown = judged.ungrounded or 0
    return (judged.stated - unshown, -unshown)
