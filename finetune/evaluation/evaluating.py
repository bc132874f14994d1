"""An evaluation from questions to figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from finetune.evaluation.columns import COLUMNS, Answered, Column, Tell, answer
from finetune.evaluation.completions import Book, Subject
from finetune.evaluation.errors import EvaluationError
from finetune.evaluation.figures import Figures, figures
from finetune.evaluation.judging import Judged
from finetune.evaluation.questions import Question
from finetune.evaluation.records import Sample


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is asked."""

    questions: Sequence[Question]
    columns: tuple[str, ...] = tuple(each.name for each in COLUMNS)
    """Names of the columns wanted; those without questions or without a model are left out."""
    rows: int | None = None
    """At most so many questions of each group, the first; None for all."""
    before_rows: int | None = None
    """The same for columns of the model before, in which answers run on to the limit; None as the others."""

    def of(self, column: Column) -> tuple[Question, ...]:
        """Return the questions of a column."""
        most = self.before_rows if column.who == "before" and self.before_rows is not None else self.rows
        return tuple(each for each in self.questions if each.group == column.group)[:most]


def evaluate(
    plan: Plan,
    subjects: Mapping[str, Subject],
    book: Book,
    *,
    tell: Tell = lambda name, done, of: None,
) -> dict[str, Answered]:
    """Ask everything and judge it.

    Args:
        plan: what is asked.
        subjects: ``model``, and perhaps ``before``, the model without what it was taught.
        book: knows and takes the answers.
        tell: told of the progress.

    Returns:
        Column -> its answers, in the order of `COLUMNS`.

    Raises:
        EvaluationError: if no column is left.
        ModelError: if a model does not answer; what it did answer is in the book.
    """
    wanted = [
        each for each in COLUMNS if each.name in plan.columns and each.who in subjects and plan.of(each)
    ]
    if not wanted:
        raise EvaluationError(
            f"expected questions for a column out of {', '.join(plan.columns)}; got none. Name other columns "
            f"or another data folder."
        )
    return {each.name: answer(each, plan.of(each), subjects[each.who], book, tell=tell) for each in wanted}


def samples(answered: Mapping[str, Answered]) -> tuple[Sample, ...]:
    """Return the first question of each task family with what each column answered to it.

    Of a family that several groups of questions have, each group gives one; texts of a user, which have no
    family, give one.
    """
    firsts: dict[tuple[str, str], Question] = {}
    written: dict[str, dict[str, str]] = {}
    for column, each in answered.items():
        for one in each.judged:
            asked = one.question
            # One that every column answers comes first in each, since all take the first rows.
            firsts.setdefault((asked.group, asked.family), asked)
            written.setdefault(asked.name, {})[column] = one.answer.completion
    return tuple(
        Sample(
            name=asked.name,
            family=asked.family,
            style=asked.style,
            asked=asked.messages[-1].text,
            right=asked.gold,
            answers=written[asked.name],
        )
        for asked in firsts.values()
    )


def figures_by(answered: Mapping[str, Answered], part: str) -> dict[str, dict[str, Figures]]:
    """Return column -> value of a part of the questions (`style` or `family`) -> figures.

    Columns whose questions do not have that part are left out; values come by name.
    """
    found: dict[str, dict[str, Figures]] = {}
    for name, each in answered.items():
        groups: dict[str, list[Judged]] = {}
        for judged in each.judged:
            if value := str(getattr(judged.question, part)):
                groups.setdefault(value, []).append(judged)
        if groups:
            found[name] = {value: figures(groups[value]) for value in sorted(groups)}
    return found
