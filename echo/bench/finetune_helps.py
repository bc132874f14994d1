"""Does it help? How well descriptors that a model wrote are found by their likes, beside those of the rules.

Each builder describes the same episodes, which become its own bank. Each episode then asks that bank for the
others, one axis at a time, with its own descriptor; what is alike is what `echo.bench.finetune_gold` says. An
episode that a builder wrote nothing of, or nothing on the axis asked, asks in vain and is never found.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.by_model.compact import compact, expand
from csd.descriptor import Csd
from csd.encode import CachedEncoder, Encoder
from echo.bench.finetune_gold import Told, rules_of, told_of
from echo.bench.two_stage_scores import DEPTH, METRICS, Answer, Setting, judged
from echo.experiments.statistics.bootstrap import difference_interval
from echo.worlds.minecraft.facts import load_facts
from finetune.evaluation.judging import Judged
from finetune.evaluation.records import Difference, Found, Helps

_COSINE = Setting(candidates=1, share=0.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """An episode and which others are alike on an axis."""

    name: str
    alike: frozenset[str]


def helps(
    answers: Sequence[Judged],
    encoder: Encoder,
    *,
    column: str,
    seed: int,
    names: Sequence[int] = (),
    tell: Callable[[int, int], None] = lambda done, of: None,
) -> Helps | None:
    """Measure how well the descriptors in `answers` are found, and those of the rules of the same episodes.

    Args:
        answers: judged answers of a column; of several of one episode the first counts.
        encoder: of the banks.
        column: its name.
        seed: of the resampling.
        names: seeds of the invented names that memories may show.
        tell: told how many questions are asked, of how many.

    Returns:
        None where no answer has an episode that the rules of the game explain.
    """
    first: dict[str, Judged] = {}
    for one in answers:
        if one.question.episode is not None and one.question.recorded:
            first.setdefault(one.question.recorded, one)
    told = [
        made
        for name, one in first.items()
        if one.question.episode is not None and (made := told_of(name, one.question.episode)) is not None
    ]
    rules = rules_of(told, load_facts(), names)
    labels = {one.name: known.labels(one) for one in told if (known := rules[one.memory]) is not None}
    if not labels:
        return None
    by_rules = {one.name: _retold(one, first[one.name]) for one in told if one.name in labels}
    by_model = {name: csd for name in labels if (csd := first[name].csd) is not None}
    asked = {axis: _asked(labels, axis) for axis in AXES}
    total, done = 2 * sum(map(len, asked.values())), 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        tell(done, total)

    cached = CachedEncoder(encoder)
    theirs = _found(by_rules, asked, cached, len(labels), count)
    ours = _found(by_model, asked, cached, len(labels), count)
    return Helps(
        column=column,
        encoder=encoder.name,
        episodes=len(labels),
        written=len(by_model),
        left_out=len(first) - len(labels),
        depth=DEPTH,
        axes={axis.value: _axis(asked[axis], theirs[axis], ours[axis], len(labels), seed) for axis in AXES},
    )


def _retold(told: Told, answer: Judged) -> Csd:
    """Return what the rules wrote as if the model had: equal statements make equal descriptors then."""
    made = expand(json.loads(compact(told.csd)), told.episode, builder=answer.answer.model)
    return made.csd or told.csd


def _asked(labels: Mapping[str, Mapping[Axis, str]], axis: Axis) -> list[_Asked]:
    """Return the episodes with something alike on `axis`."""
    same: dict[str, list[str]] = {}
    for name, each in labels.items():
        if axis in each:
            same.setdefault(each[axis], []).append(name)
    return [
        _Asked(name=name, alike=frozenset(same[each[axis]]) - {name})
        for name, each in labels.items()
        if axis in each and len(same[each[axis]]) > 1
    ]


def _found(
    csds: Mapping[str, Csd],
    asked: Mapping[Axis, Sequence[_Asked]],
    encoder: Encoder,
    episodes: int,
    count: Callable[[int], None],
) -> dict[Axis, list[float]]:
    """Return axis -> nDCG of each question, in their order, against a bank of `csds`."""
    found: dict[Axis, list[float]] = {axis: [] for axis in AXES}
    with Bank.open(None, encoder) as bank:
        own = {name: _named(csd, name) for name, csd in csds.items()}
        of_id = {id: name for name, id in zip(own, bank.add_many(list(own.values())), strict=True)}
        for axis, each in asked.items():
            for one in each:
                ranked = [] if one.name not in own else _ranked(bank, own[one.name], axis, of_id, one.name)
                found[axis].append(_ndcg(ranked, one.alike, episodes - 1))
            count(len(each))
    return found


def _named(csd: Csd, name: str) -> Csd:
    """Return a descriptor that says its episode by the name over all memories, so that no two are one."""
    meta = csd.meta.model_copy(update={"episodes": (name,)})
    return Csd(meta=meta, **{axis.value: csd.axis(axis) for axis in AXES})


def _ranked(bank: Bank, csd: Csd, axis: Axis, of_id: Mapping[str, str], own: str) -> list[tuple[str, float]]:
    """Return the first `DEPTH` others and their cosines, best first."""
    matches = bank.recall(csd, k=DEPTH + 1, weights={axis: 1.0}, exact=True)
    return [(of_id[one.id], one.score) for one in matches if of_id[one.id] != own][:DEPTH]


def _ndcg(ranked: Sequence[tuple[str, float]], alike: frozenset[str], choice: int) -> float:
    answer = Answer(
        ids=tuple(name for name, _ in ranked),
        cosines=np.array([cosine for _, cosine in ranked], dtype=np.float64),
        structure=np.zeros(len(ranked)),
        alike=np.array([name in alike for name, _ in ranked], dtype=np.bool_),
        relevant=len(alike),
        choice=choice,
    )
    return judged(answer, _COSINE)[METRICS.index("ndcg")]


def _axis(
    asked: Sequence[_Asked], theirs: Sequence[float], ours: Sequence[float], episodes: int, seed: int
) -> Found | None:
    if not asked:
        return None
    interval = difference_interval([np.array(ours)], [np.array(theirs)], seed=seed)
    return Found(
        questions=len(asked),
        rules=float(np.mean(theirs)),
        model=float(np.mean(ours)),
        difference=Difference(value=interval.value, low=interval.low, high=interval.high),
        chance=float(np.mean([_chance(len(one.alike), episodes - 1) for one in asked])),
    )


def _chance(alike: int, choice: int) -> float:
    """Return the expected nDCG of an order drawn by lot."""
    discounts = 1.0 / np.log2(np.arange(DEPTH) + 2.0)
    looked = discounts[: min(DEPTH, choice)].sum()
    return float(alike / choice * looked / discounts[: min(DEPTH, alike)].sum())
