"""Questions and answers for evaluations, made from the hand-written memory of the data sets' tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from csd.build import describe
from csd.by_model.compact import compact
from csd.by_model.prompts import conversation
from csd.chat import JsonSchema, Message, ModelError, Reply
from csd.descriptor import Csd
from csd.episode import Episode
from echo.mfm.codec import from_json, to_json
from finetune.evaluation.completions import KeptCompletion, Subject
from finetune.evaluation.judging import Judged, judge
from finetune.evaluation.questions import Question
from finetune.examples.build import build
from finetune.examples.export import Origin, export
from finetune.examples.recorded import Recorded
from finetune.examples.settings import Settings
from tests.finetune.examples.recorded_samples import crafted, memory

FEW = Settings(train=30, validation=6, test=16, out_of_template=4, repair_share=0.2, refuse_share=0.1)
BOWL = crafted(((None, "oak_planks"), ("oak_planks", None)), "bowl", 4)


def read_episode(value: object) -> Episode:
    return from_json(Episode, value)


def data_folder(folder: Path, recorded: list[Recorded] | None = None) -> Path:
    """Data of `recorded`, else of the whole hand-written memory."""
    recorded = memory() if recorded is None else recorded
    origin = Origin(
        recorded=recorded,
        episode_json=to_json,
        unreadable=[],
        versions={},
        commit=None,
        tokenizer=None,
        prompt="describe/1",
    )
    export(build(recorded, FEW, shots={}), folder, origin)
    return folder


def gold(episode: Episode = BOWL) -> str:
    made = describe(episode)
    assert isinstance(made, Csd)
    return compact(made)


def changed(text: str, axis: str, predicate: str, pairs: list[list[object]] | None) -> str:
    """The compact descriptor with the statements of one predicate replaced, or taken out."""
    value = json.loads(text)
    value[axis].pop(predicate, None)
    if pairs is not None:
        value[axis][predicate] = pairs
    return json.dumps(value, separators=(",", ":"))


def question(
    group: str = "write", *, episode: Episode | None = BOWL, right: str | None = None, name: str = "line 1"
) -> Question:
    messages = conversation(BOWL, style="plain")
    return Question(
        name=name,
        messages=messages,
        group=group,
        gold=gold() if right is None else right,
        episode=episode,
        recorded="one/ep_000001",
        style="plain",
        family="craft",
    )


def completion(text: str, **more: object) -> KeptCompletion:
    known = {
        "subject": "s",
        "model": "scripted",
        "schema_digest": None,
        "prompt": "p",
        "completion": text,
        "prompt_tokens": 10,
        "completion_tokens": 4,
        "money": None,
        "seed": 0,
        "seconds": 0.5,
        "cut": False,
        "held_to_schema": False,
        "cached": False,
    }
    return KeptCompletion.model_validate({**known, **more})


def judged(text: str, asked: Question | None = None, **more: object) -> Judged:
    return judge(asked or question(), completion(text, **more))


class Answering:
    """A model that answers what a table says for the last message, and refuses what is not in it."""

    name = "answering"

    def __init__(self, table: dict[str, str]) -> None:
        self.table = table
        self.asked: list[str] = []
        self.schemas: list[JsonSchema | None] = []

    def __call__(self, messages: Sequence[Message], /, *, schema: JsonSchema | None = None) -> Reply:
        last = messages[-1].text
        self.asked.append(last)
        self.schemas.append(schema)
        if last not in self.table:
            raise ModelError("expected a question that is in the table; got another.")
        return Reply(text=self.table[last], completion_tokens=3, seconds=0.25)


def subject(model: Answering, **told: object) -> Subject:
    return Subject(model=model, told={"model": "answering", **told})
