"""A made-up tuning: folders of data, training and evaluation as commands leave them, with known figures."""

from __future__ import annotations

import json
from pathlib import Path

from csd.by_model.prompts import VERSION
from csd.encode import HashingEncoder
from csd.ground import names_seen
from echo.bench.finetune_helps import helps
from echo.worlds.minecraft.facts import load_facts
from finetune.evaluation.completions import Book
from finetune.evaluation.evaluating import Plan, evaluate, figures_by, samples
from finetune.evaluation.figures import figures
from finetune.evaluation.packed import Tuning, gather
from finetune.evaluation.questions import read_questions
from finetune.evaluation.records import Evaluation, Made
from finetune.examples.card import Card
from finetune.training.curve import write_curve
from finetune.training.records import Asked, Begun, Data, Ended, RunRecord
from finetune.training.settings import Schedule, Settings
from tests.finetune.evaluation.evaluation_samples import Answering, data_folder, read_episode, subject
from tests.finetune.examples.recorded_samples import memory

ADAPTER = "a" * 64
HISTORY = (
    {"step": 0, "epoch": 0.0, "eval_loss": 2.0},
    {"step": 1, "epoch": 0.5, "seconds": 30.0, "loss": 1.5, "learning_rate": 1e-3, "grad_norm": 1.0},
    {"step": 2, "epoch": 1.0, "seconds": 60.0, "loss": 0.75, "learning_rate": 5e-4, "grad_norm": 0.5},
    {"step": 2, "epoch": 1.0, "eval_loss": 0.5},
)


def folders(home: Path) -> tuple[Path, Path, Path]:
    """Folders of data, training and evaluation below `home`."""
    facts = load_facts()
    known = {*facts.items, *facts.blocks, *facts.mobs}
    real = [each for each in memory() if known.issuperset(names_seen(each.episode))]
    data = data_folder(home / "data", real)
    _trained(home / "trained", Card.model_validate_json((data / "card.json").read_bytes()))
    _evaluated(home / "evaluated", data)
    return data, home / "trained", home / "evaluated"


def tuning(home: Path) -> Tuning:
    return gather(*folders(home))


def _trained(folder: Path, card: Card) -> None:
    folder.mkdir()
    rows = Data(sha256=card.splits["train"].sha256, rows=30, lines=30, tokens=900, longest=60, learned=300)
    asked = Asked(
        settings=Settings(schedule=Schedule(steps=2)),
        base_digest="b" * 64,
        template_sha256="c" * 64,
        train=rows,
        validation=rows.model_copy(update={"rows": 6}),
        processes=1,
    )
    begun = Begun(
        asked=asked,
        trained=4_000,
        frozen=96_000,
        number="bfloat16",
        probe=None,
        commit=None,
        versions={},
        machine={"processor": "Abacus", "cores": 2},
    )
    ended = Ended(
        stopped="steps",
        steps=2,
        epochs=1.0,
        seconds=90.0,
        best_step=2,
        best_loss=0.5,
        first_loss=2.0,
        last_loss=0.5,
        adapter_sha256=ADAPTER,
    )
    (folder / "run.json").write_text(RunRecord(begun=begun, ended=ended).model_dump_json())
    write_curve(HISTORY, folder)


def _evaluated(folder: Path, data: Path) -> None:
    folder.mkdir()
    found = read_questions(data, read_episode)
    after = Answering({each.messages[-1].text: each.gold or "" for each in found.questions})
    before = Answering({each.messages[-1].text: "I am not sure." for each in found.questions})
    answered = evaluate(
        Plan(questions=found.questions),
        {"model": subject(after, adapter=ADAPTER), "before": subject(before, before=True)},
        Book([], lambda one: None),
    )
    made = Made(
        model="hf:smollm2+adapter",
        before="hf:smollm2",
        told={"model": {"adapter": ADAPTER}, "before": {"adapter": None}},
        data=found.digest,
        card=found.card,
        texts=None,
        rows=None,
        before_rows=None,
        settings={"most_tokens": 64, "batch": 8, "seed": 0},
        prompt=VERSION,
        commit=None,
        versions={},
        machine={},
    )
    likes = {
        column: helps(answered[column].judged, HashingEncoder(), column=column, seed=0)
        for column in ("constrained", "before_explained")
    }
    evaluation = Evaluation.model_validate(
        {
            **{name: figures(each.judged) for name, each in answered.items()},
            "styles": figures_by(answered, "style"),
            "families": figures_by(answered, "family"),
            "helps": likes,
            "samples": samples(answered),
            "made": made,
        }
    )
    (folder / "evaluation.json").write_text(json.dumps(evaluation.model_dump(mode="json")))
