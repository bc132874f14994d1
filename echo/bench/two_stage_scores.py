"""How good a ranking is, for every setting of the second stage, and how sure that is.

Everything is worked out from one answer a question: cosine and structure of each candidate. What a setting
does with them is the rule of `ical.retrieve.retrieve`, which the tests hold the two to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DEPTH = 10
"""How deep a ranking is judged by reciprocal rank and nDCG."""
FIRST = 3
"""How many are looked at for the precision: as many as a recall returns by default."""
RESAMPLES = 2_000
METRICS = ("precision", "mrr", "ndcg")


class Setting(NamedTuple):
    """One way to order what was found."""

    candidates: int
    share: float
    """Of the structure; 0 is by cosine alone."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Answer:
    """The nearest by cosine, best first, with what the mapping says of each."""

    ids: tuple[str, ...]
    cosines: Floats
    """(n,)"""
    structure: Floats
    """(n,) in [0, 1]"""
    alike: NDArray[np.bool_]
    """(n,)"""
    relevant: int
    """How many in the whole memory are alike, >= 1."""
    choice: int
    """How many there were to choose from."""


def ranking(answer: Answer, setting: Setting) -> list[int]:
    """Return the places of the answer's candidates in the order that `setting` gives, ties by id."""
    mapped = np.arange(len(answer.ids)) < setting.candidates
    scores = (1.0 - setting.share) * answer.cosines + setting.share * answer.structure * mapped
    return sorted(range(len(answer.ids)), key=lambda place: (-scores[place], answer.ids[place]))


def judged(answer: Answer, setting: Setting) -> tuple[float, float, float]:
    """Return precision, reciprocal rank and nDCG of one answer, each in [0, 1].

    Precision is the share of the first `FIRST` that are alike; the others look at `DEPTH`. nDCG has gain 1
    for alike and discount log2(rank + 1) (Järvelin & Kekäläinen 2002). A short answer counts as filled up
    with what is not alike.
    """
    hits = answer.alike[ranking(answer, setting)[:DEPTH]].astype(np.float64)
    discounts = 1.0 / np.log2(np.arange(DEPTH) + 2.0)
    best = discounts[: min(DEPTH, answer.relevant)].sum()
    places = np.flatnonzero(hits)
    return (
        float(hits[:FIRST].sum() / FIRST),
        float(1.0 / (places[0] + 1)) if places.size else 0.0,
        float((hits * discounts[: len(hits)]).sum() / best),
    )


def table(answers: Sequence[Answer], settings: Sequence[Setting], rng: np.random.Generator) -> dict[str, Any]:
    """Return how `settings` do on questions of one kind, beside cosine alone.

    Returns:
        ``questions``; ``chance``: mean share of the choice that is alike; ``cosine``: metric -> mean;
        ``settings``: a list with ``candidates``, ``share``, each metric's mean and its ``gain`` over cosine
        as [mean, low, high]: paired by question, 95 % percentile bootstrap over questions.
    """
    plain = _all_judged(answers, Setting(candidates=1, share=0.0))
    picks = rng.integers(len(answers), size=(RESAMPLES, len(answers)))
    rows = []
    for setting in settings:
        found = _all_judged(answers, setting)
        gains = {
            metric: [float((found - plain)[:, n].mean()), *_interval((found - plain)[:, n], picks)]
            for n, metric in enumerate(METRICS)
        }
        rows.append({**setting._asdict(), **_means(found), "gain": gains})
    return {
        "questions": len(answers),
        "chance": float(np.mean([answer.relevant / answer.choice for answer in answers])),
        "cosine": _means(plain),
        "settings": rows,
    }


def choose(kinds: Mapping[str, Sequence[Answer]], settings: Sequence[Setting]) -> Setting:
    """Return the setting with the fewest candidates, then the least structure, that is as good as the best.

    Best is the highest mean nDCG, kinds counting alike; as good is what misses it by no more than one
    standard error of the difference, paired by question (the rule of Breiman et al. 1984, §3.4.3). By
    cosine alone is one of the choices: structure has to earn its place.
    """
    column = METRICS.index("ndcg")
    offered = sorted([Setting(candidates=1, share=0.0), *settings])
    found = {
        setting: [_all_judged(answers, setting)[:, column] for answers in kinds.values()]
        for setting in offered
    }
    best = max(offered, key=lambda setting: np.mean([got.mean() for got in found[setting]]))

    def as_good(setting: Setting) -> bool:
        missed = [one - other for one, other in zip(found[best], found[setting], strict=True)]
        error = np.sqrt(sum(got.var() / len(got) for got in missed)) / len(missed)
        return bool(np.mean([got.mean() for got in missed]) <= error + 1e-9)

    return next(setting for setting in offered if as_good(setting))


def _all_judged(answers: Sequence[Answer], setting: Setting) -> Floats:
    return np.array([judged(answer, setting) for answer in answers])


def _means(found: Floats) -> dict[str, float]:
    return dict(zip(METRICS, map(float, found.mean(axis=0)), strict=True))


def _interval(differences: Floats, picks: NDArray[np.int64]) -> list[float]:
    means = differences[picks].mean(axis=1)
    return [float(bound) for bound in np.percentile(means, [2.5, 97.5])]
