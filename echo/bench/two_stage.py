"""What structure mapping adds to cosines in recall: how good the ranking gets, and what it costs.

Run as ``python -m echo.bench.two_stage --json``. Descriptors of some recorded lives are the memory, those of
other lives ask. Every life has names of its own, so that words do not help (``--one-world``: they do). The
world's rules say what is alike (`echo.bench.two_stage_truth`). Three kinds of question:

- ``item``: a thing of whose uses nothing is known. Alike is what used a thing in a part that the rules let
  this one take: the answer is hidden from both stages.
- ``making``: the descriptor of a successful craft or smelt. Alike is one of the same shape by the rules; the
  descriptors state the grid, so the answer is in sight of both stages.
- ``digging``: the descriptor of a block dug, or tried in vain. Alike is a block with the same tools that suit
  it and that it takes, which leaves the same kind of thing; of that, descriptors show what was seen.

The default is chosen on lives of other seeds than those reported. The lives of all seeds live in worlds of
the same kinds of things, so what is reported holds for those kinds.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from csd.bank import Bank
from csd.descriptor import Csd
from csd.encode import CachedEncoder, load_encoder
from csd.protocol import DescriptorBank
from echo.bench.decision import descriptors_of
from echo.bench.two_stage_questions import KINDS, Question, ask
from echo.bench.two_stage_scores import FIRST, METRICS, Answer, Setting, choose, table
from echo.worlds.minecraft.facts import load_facts
from ical.query import Mentions
from ical.retrieve import Exemplar, Stages, retrieve

NUMBERS = (4, 8, 16, 32, 64)
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)
SETTINGS = tuple(Setting(candidates=number, share=share) for number in NUMBERS for share in SHARES)
FACTS = (10, 25, 50, 100, 1_000)
"""Budgets of facts a side that are compared; the last one cuts nothing."""
STEPS = 1_500
"""Counted actions of each life; about 210 descriptors come of it."""
TIMED = 20
"""How many questions of a kind, evenly spread, are asked once more for time and budget."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lives:
    """Whose descriptors are remembered, and whose ask; seeds of runs."""

    memory: tuple[int, ...]
    asking: tuple[int, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        """All of them."""
        return self.memory + self.asking


TUNING = Lives(memory=(0, 1, 2, 3, 4, 5), asking=(6, 7, 8))
REPORTED = Lives(memory=(200, 201, 202, 203, 204, 205), asking=(206, 207, 208))


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where lives and banks come from."""

    life: Callable[[int], Sequence[Csd]]
    """Seed -> descriptors of the life of that seed."""
    bank: Callable[[], AbstractContextManager[DescriptorBank]]
    """Opens an empty bank."""
    invented: bool = True
    """Whether each life has names of its own."""


def recorded(encoder: str = "minilm-int8", steps: int = STEPS, *, invented: bool = True) -> Source:
    """Return lives recorded anew at each call, for banks in memory.

    Args:
        encoder: see `csd.encode.load_encoder`.
        steps: counted actions of each life.
        invented: whether each life has names of its own.
    """
    cached = CachedEncoder(load_encoder(encoder))
    return Source(
        life=lambda seed: descriptors_of(seed, steps, invented=invented),
        bank=lambda: Bank.open(None, cached),
        invented=invented,
    )


def measure(
    source: Source,
    *,
    tuning: Lives = TUNING,
    reported: Lives = REPORTED,
    most: int = 60,
    progress: Callable[[str], object] = lambda line: None,
) -> dict[str, Any]:
    """Choose a setting on some lives and judge it, and every other, on others.

    Args:
        source: of lives and banks.
        tuning: the lives that the setting is chosen on.
        reported: the lives that are reported; no seed in common.
        most: questions of each kind, evenly spread over those that can be asked.
        progress: told what is being done.

    Returns:
        ``chosen``: the setting with the best mean nDCG over the kinds on the tuning lives. ``tuning`` and
        ``reported``: kind -> see `echo.bench.two_stage_scores.table`, with ``ms``: how many candidates (0:
        no mapping) -> median milliseconds a question, and ``facts``: budget -> nDCG at the chosen setting.

    Raises:
        ValueError: if a seed is both tuned on and reported, or a kind of question cannot be asked.
    """
    both = [seed for seed in tuning.seeds if seed in reported.seeds]
    if both:
        raise ValueError(f"expected other lives to report than to tune on; got seeds {both} in both.")
    rng = np.random.default_rng(np.random.SeedSequence([7, *reported.seeds]))
    result: dict[str, Any] = {"machine": platform.processor() or platform.machine()}
    chosen: Setting | None = None
    for name, lives in (("tuning", tuning), ("reported", reported)):
        progress(f"{name}: lives {', '.join(map(str, lives.seeds))}")
        memory = {seed: source.life(seed) for seed in lives.memory}
        asking = {seed: source.life(seed) for seed in lives.asking}
        asked = ask(load_facts(), memory, asking, most, invented=source.invented)
        remembered = [csd for csds in memory.values() for csd in csds]
        with source.bank() as bank:
            bank.add_many(remembered)
            stand = _Stand(bank, Mentions(remembered), _by_kind(asked))
            progress(f"{name}: {len(asked)} questions to {len(bank)} descriptors")
            answers = {kind: stand.answers(kind) for kind in KINDS}
            chosen = chosen or choose(answers, SETTINGS)
            result["chosen"] = chosen._asdict()
            result[name] = {
                kind: table(answers[kind], SETTINGS, rng)
                | {"ms": stand.milliseconds(kind), "facts": stand.by_budget(kind, chosen, rng)}
                for kind in KINDS
            }
    return result


class _Stand:
    """One bank with the questions put to it."""

    def __init__(
        self, bank: DescriptorBank, known: Mentions, questions: Mapping[str, Sequence[Question]]
    ) -> None:
        self._bank = bank
        self._known = known
        self._questions = questions

    def answers(self, kind: str) -> list[Answer]:
        """Ask everything of one kind, as deep as any setting looks."""
        return [self._answer(question, FACTS[-1]) for question in self._questions[kind]]

    def milliseconds(self, kind: str) -> dict[str, float]:
        """Return the median time of a recall by the number of candidates; every text embedded before."""
        asked = self._sample(kind)
        return {
            str(number): float(np.median([self._time(question, number) for question in asked]))
            for number in (0, *NUMBERS)
        }

    def by_budget(self, kind: str, setting: Setting, rng: np.random.Generator) -> dict[str, float]:
        """Return the nDCG of `setting` by how many facts a side of a mapping may have."""
        found = {}
        for facts in FACTS:
            answers = [self._answer(question, facts) for question in self._sample(kind)]
            found[str(facts)] = float(table(answers, [setting], rng)["settings"][0]["ndcg"])
        return found

    def _sample(self, kind: str) -> Sequence[Question]:
        asked = self._questions[kind]
        number = min(TIMED, len(asked))
        return [asked[n * len(asked) // number] for n in range(number)]

    def _answer(self, question: Question, facts: int) -> Answer:
        depth = NUMBERS[-1]
        plain = self._ask(question, depth, Stages(structure=False))
        both = self._ask(question, depth, Stages(candidates=depth, facts=facts, known=self._known))
        structure = {one.id: one.mapping.score for one in both if one.mapping is not None}
        return Answer(
            ids=tuple(one.id for one in plain),
            cosines=np.array([one.score for one in plain]),
            structure=np.array([structure[one.id] for one in plain]),
            alike=np.array([one.id in question.alike for one in plain], dtype=np.bool_),
            relevant=len(question.alike),
            choice=question.choice,
        )

    def _ask(self, question: Question, k: int, stages: Stages) -> tuple[Exemplar, ...]:
        return retrieve(question.query, self._bank, k=k, where=question.where, stages=stages)

    def _time(self, question: Question, number: int) -> float:
        stages = Stages(structure=number > 0, candidates=max(1, number), known=self._known)
        started = time.perf_counter()
        self._ask(question, FIRST, stages)
        return (time.perf_counter() - started) * 1e3


def _by_kind(asked: Sequence[Question]) -> dict[str, list[Question]]:
    kinds = {kind: [question for question in asked if question.kind == kind] for kind in KINDS}
    missing = [kind for kind, questions in kinds.items() if not questions]
    if missing:
        raise ValueError(
            f"expected questions of every kind; got none of {', '.join(missing)}. Record longer lives."
        )
    return kinds


def lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield `result` of `measure` as tables of at most 80 columns, the chosen setting marked by '*'."""
    chosen = Setting(**result["chosen"])
    yield f"chosen on the tuning lives: {chosen.candidates} candidates, share {chosen.share}"
    for kind, found in result["reported"].items():
        yield f"{kind}: {found['questions']} questions, {found['chance']:.3f} of the choice alike"
        yield f"  candidates share {' '.join(f'{metric:>9}' for metric in METRICS)}   gain in nDCG (95 %)"
        yield f"  {'':>10}     0 {_means(found['cosine'])}   (cosine alone)"
        for row in found["settings"]:
            setting = Setting(row["candidates"], row["share"])
            mean, low, high = row["gain"]["ndcg"]
            yield (
                f"{'*' if setting == chosen else ' '} {setting.candidates:>10} {setting.share:>5} "
                f"{_means(row)}   {mean:+.3f} ({low:+.3f} to {high:+.3f})"
            )
        yield "  ms by candidates: " + " ".join(f"{n}:{ms:.1f}" for n, ms in found["ms"].items())
        yield "  nDCG by facts a side: " + " ".join(f"{n}:{got:.3f}" for n, got in found["facts"].items())


def _means(row: Mapping[str, float]) -> str:
    return " ".join(f"{row[metric]:9.3f}" for metric in METRICS)


def main(arguments: Sequence[str]) -> None:
    """Measure and print: one JSON object with ``--json``, else a table a kind; progress goes to stderr."""
    parser = argparse.ArgumentParser(
        prog="python -m echo.bench.two_stage",
        description="What structure mapping adds to cosines in recall, and what it costs.",
        epilog="Example: OPENBLAS_NUM_THREADS=1 python -m echo.bench.two_stage --questions 30 --json",
    )
    parser.add_argument("--questions", type=int, default=60, help="at most so many of each kind (default 60)")
    parser.add_argument("--encoder", default="minilm-int8", help="of the bank (default minilm-int8)")
    parser.add_argument("--one-world", action="store_true", help="real names: all lives share their items")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args(arguments)
    result = measure(
        recorded(asked.encoder, invented=not asked.one_world),
        most=asked.questions,
        progress=lambda line: sys.stderr.write(line + "\n"),
    )
    if asked.json:
        sys.stdout.write(json.dumps(result) + "\n")
    else:
        sys.stdout.writelines(line + "\n" for line in lines(result))


if __name__ == "__main__":
    main(sys.argv[1:])
