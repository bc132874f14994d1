"""The questions of a benchmark: held-out records with random weights, one axis alone, and filtered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from csd.axes import AXES
from csd.render import render_axis
from echo.bench.retrieval.question import Batch, Data, Filter, Question

KINDS = ("weighted", "single", "filtered")
SHARE = 0.10
"""About this share of the records passes a filter."""


def questions_about(held_out: Batch, data: Data, seed: int) -> dict[str, Sequence[Question]]:
    """Return one question of each kind for every held-out record.

    Weights are uniform in [0, 1) and scaled to sum 1; a single axis is one that the record has; a filter
    lets through between .8 and 1.2 of a tenth of the records, another number each time.
    """
    rng = np.random.default_rng([seed, 2])
    facets = data.facets(0, min(data.size, 20_000))
    steps = np.sort(facets.step[facets.success])
    share = min(1.0, SHARE * len(facets.step) / max(len(steps), 1))
    asked: dict[str, list[Question]] = {kind: [] for kind in KINDS}
    for csd, vectors in zip(held_out.csds, held_out.vectors, strict=True):
        has = vectors.any(axis=1)
        weights = (rng.random(len(AXES)) * has).astype(np.float32)
        weights /= weights.sum()
        alone = np.zeros(len(AXES), dtype=np.float32)
        alone[rng.choice(np.flatnonzero(has))] = 1.0
        passing = int(share * (0.8 + 0.4 * rng.random()) * len(steps))
        where = Filter(before_step=int(steps[min(passing, len(steps) - 1)]) if steps.size else 0)
        texts = tuple(render_axis(csd, axis) for axis in AXES)
        for kind, weighed, chosen in zip(KINDS, (weights, alone, weights), (None, None, where), strict=True):
            asked[kind].append(Question(vectors=vectors, weights=weighed, texts=texts, where=chosen))
    return dict(asked)
