"""How far our order of cells agrees with a paper's: Spearman's rank correlation with its interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from echo.experiments.statistics.strata import LEVEL, Floats, Interval, check_settings, outer_percentiles


@dataclass(frozen=True, kw_only=True)
class RankInterval(Interval):
    """A rank correlation, and how many bootstrap samples its interval rests on."""

    draws: int
    """Samples given."""
    left_out: int
    """Of these, samples left out because all their cells were equal, so that they have no order."""


def rank_correlation(ours: Floats, paper: Floats) -> float:
    """Return Spearman's rank correlation, -1 to 1: Pearson's of the ranks, ties sharing their mean rank.

    Args:
        ours: Values of the cells, (cells,) or any shape.
        paper: The paper's values of the same cells, in the same shape.

    Raises:
        ValueError: if the shapes differ, there are fewer than two cells, one is not finite, or one side is
            constant and so has no order.

    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([10.0, 30.0, 20.0]))
    0.5
    """
    mine, theirs = _cells(ours, "ours"), _cells(paper, "paper")
    if np.shape(ours) != np.shape(paper):
        raise ValueError(
            f"expected the same cells; got {np.shape(ours)} of ours, {np.shape(paper)} of paper."
        )
    for name, values in (("ours", mine), ("paper", theirs)):
        if np.all(values == values[0]):
            raise ValueError(
                f"expected values that differ; got {values[0]} in all {len(values)} cells of {name}: they "
                f"have no order to compare. Say so in the place of a number."
            )
    return float(_correlations(mine[None], theirs)[0])


def rank_correlation_interval(
    samples_of_ours: Floats, paper: Floats, *, ours: Floats, level: float = LEVEL
) -> RankInterval:
    """Return the rank correlation of `ours` with `paper`, with the percentile interval of bootstrap samples.

    Only our cells vary; the paper's are taken as they are printed.

    Args:
        samples_of_ours: The cells in each bootstrap sample, (draws, cells): `resampled_means` gives them.
        paper: The paper's values, (cells,).
        ours: The cells as measured, (cells,).
        level: Share of the samples between the ends.

    Raises:
        ValueError: as `rank_correlation`; if the samples have other cells or are not finite; if all are
            constant.
    """
    samples = np.asarray(samples_of_ours, dtype=np.float64)
    check_settings(len(samples), level)
    value = rank_correlation(ours, paper)
    theirs = _cells(paper, "paper")
    if samples.ndim != 2 or samples.shape[1] != len(theirs):
        raise ValueError(f"expected samples of shape (draws, {len(theirs)}); got {samples.shape}.")
    if not np.isfinite(samples).all():
        raise ValueError("expected finite samples; got nan or infinity. Leave out what was not scored.")
    ordered = samples[np.any(samples != samples[:, :1], axis=1)]
    if not len(ordered):
        raise ValueError(f"expected samples whose cells differ; got {len(samples)} constant ones.")
    low, high = outer_percentiles(_correlations(ordered, theirs), level)
    return RankInterval(
        value=value,
        low=low,
        high=high,
        draws=len(samples),
        left_out=len(samples) - len(ordered),
    )


def _cells(values: Floats, name: str) -> Floats:
    """Return `values` as one row of finite numbers.

    Raises:
        ValueError: if there are fewer than two, or one is not finite.
    """
    cells = np.asarray(values, dtype=np.float64).ravel()
    if len(cells) < 2:
        raise ValueError(f"expected at least two cells; got {len(cells)} of {name}.")
    if not np.isfinite(cells).all():
        raise ValueError(
            f"expected finite cells; got nan or infinity in {name}. Leave out the cell on both sides."
        )
    return cells


def _correlations(rows: Floats, paper: Floats) -> Floats:
    """Return the rank correlation of each row, none constant, with `paper`."""
    from scipy.stats import rankdata

    ours, theirs = rankdata(rows, axis=1), rankdata(paper)
    ours -= ours.mean(axis=1, keepdims=True)
    theirs -= theirs.mean()
    products: Floats = (ours @ theirs) / np.sqrt((ours**2).sum(axis=1) * (theirs @ theirs))
    return np.clip(products, -1.0, 1.0)
