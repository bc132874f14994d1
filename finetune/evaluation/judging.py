"""What one answer is worth: whether it can be read, what it states, and what of that is right and shown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from csd.axes import AXES, Axis
from csd.by_model.compact import expand, statements
from csd.by_model.leak import repeats_prompt
from csd.by_model.shape import shape_faults
from csd.by_model.tolerant import Unreadable, read_json
from csd.descriptor import Csd
from finetune.evaluation.completions import KeptCompletion
from finetune.evaluation.questions import Question
from finetune.examples.teaching import REFUSAL

Stated = Counter[tuple[str, str, str, str]]
"""How often each (subject, predicate, type of the value, value) is stated on an axis."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """An answer beside its question."""

    question: Question
    answer: KeptCompletion
    valid_json: bool
    """Whether it is one JSON object by the letter, with nothing around it but white space."""
    schema_valid: bool
    """Whether it is that and of the schema of compact descriptors; one that states nothing is too."""
    usable: bool
    """Whether a reader that mends (`csd.by_model.tolerant`) finds a descriptor that states something."""
    silent: bool
    """Whether it is of the schema and states nothing."""
    written: Mapping[Axis, Stated]
    """What it states; nothing where it is not usable."""
    gold: Mapping[Axis, Stated] | None
    """What the right answer states; None where nobody says."""
    exact: bool | None
    """Whether it is the right answer to the letter, white space around it apart."""
    same: bool | None
    """Whether it has the circumstances and the statements of the right answer, in any order."""
    ungrounded: int | None
    """Statements, of those written, for which the episode has no evidence; None without an episode."""
    csd: Csd | None
    """The descriptor that is made of it: the statements with evidence; None where there are none."""
    copied_prompt: bool
    """Whether it says again what was asked, see `csd.by_model.leak.repeats_prompt`."""

    @property
    def stated(self) -> int:
        """How many statements are written."""
        return sum(each.total() for each in self.written.values())


def judge(question: Question, answer: KeptCompletion) -> Judged:
    """Return what `answer` is worth as an answer to `question`."""
    value, by_letter = _read(answer.completion)
    silent = value is not None and _states_nothing(value)
    usable = value is not None and not shape_faults(value)
    gold = None if question.gold is None else _gold(question.gold)
    found = value if usable else None
    ungrounded, csd = _grounding(found, question, answer.model)
    return Judged(
        question=question,
        answer=answer,
        valid_json=by_letter,
        schema_valid=by_letter and (usable or silent),
        usable=usable,
        silent=silent,
        written=_stated(found),
        gold=None if gold is None else _stated(gold),
        exact=None if question.gold is None else answer.completion.strip() == question.gold.strip(),
        same=None if gold is None else value is not None and (usable or silent) and _same(value, gold),
        ungrounded=ungrounded,
        csd=csd,
        copied_prompt=repeats_prompt(answer.completion, question.asked),
    )


def _read(text: str) -> tuple[dict[str, Any] | None, bool]:
    """Return the object in a text, None where there is none, and whether it is JSON by the letter."""
    try:
        read = read_json(text, fits=lambda value: not shape_faults(value))
    except Unreadable:
        return None, False
    return read.value, not read.mended and read.objects == 1


def _states_nothing(value: Mapping[str, Any]) -> bool:
    """Whether a value is of the schema with every axis empty."""
    refusal: dict[str, Any] = json.loads(REFUSAL)
    if value.keys() != refusal.keys() or any(value[axis.value] != {} for axis in AXES):
        return False
    # The checker refuses a descriptor without a statement, and says nothing else where that is all.
    told = {**value, Axis.PROC.value: {"made_by": [["something", "craft"]]}}
    return not shape_faults(told)


def _gold(text: str) -> dict[str, Any]:
    value: dict[str, Any] = read_json(text).value
    return value


def _stated(value: Mapping[str, Any] | None) -> dict[Axis, Stated]:
    found: dict[Axis, Stated] = {axis: Counter() for axis in AXES}
    for axis, subject, predicate, said in statements(value) if value is not None else ():
        # The type keeps True apart from 1.
        found[Axis(axis)][subject, predicate, type(said).__name__, str(said)] += 1
    return found


def _same(value: Mapping[str, Any], gold: Mapping[str, Any]) -> bool:
    told = [json.dumps(one["meta"], sort_keys=True) for one in (value, gold)]
    return told[0] == told[1] and _stated(value) == _stated(gold)


def _grounding(
    value: Mapping[str, Any] | None, question: Question, builder: str
) -> tuple[int | None, Csd | None]:
    if question.episode is None or value is None:
        return None, None
    made = expand(value, question.episode, builder=builder)
    return sum(one.axis != "meta" for one in made.ungrounded), made.csd
