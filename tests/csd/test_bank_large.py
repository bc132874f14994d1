"""A bank large enough that its vectors are searched by product codes, of descriptors that are much alike."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from types import FrameType

import numpy as np
import pytest

from csd.axes import AXES
from csd.bank import Bank
from csd.encode import HashingEncoder
from csd.score import Match
from csd.store.where import Where
from csd.vectors.sizes import Sizes
from echo.bench.recovery.holding import asked_by, descriptor

ROWS = 2_800


@pytest.fixture(scope="module")
def bank() -> Iterator[Bank]:
    with Bank.open(None, HashingEncoder(), sizes=Sizes(publish_rows=1_024)) as opened:
        opened.add_many([descriptor(number) for number in range(ROWS)])
        opened.compact()
        yield opened


@pytest.fixture
def patience() -> Iterator[None]:
    """End a search that does not end."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError("a search takes longer than 30 seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def hits(quick: list[Match], exact: list[Match]) -> int:
    """Return how many of the quick matches are as good as the exact ones, ties counted."""
    least = exact[-1].score if exact else 0.0
    return sum(match.score >= least for match in quick)


@pytest.mark.usefixtures("patience")
def test_every_search_by_codes_ends_and_misses_less_than_one_in_a_hundred(bank: Bank) -> None:
    rng = np.random.default_rng(0)
    found = expected = 0
    for _ in range(400):
        asked = asked_by(int(rng.integers(5_000)), "hashing-256")
        weights = {axis: float(rng.integers(1, 4)) for axis in AXES} if rng.random() < 0.7 else None
        where = Where(success=True) if rng.random() < 0.3 else None
        quick = bank.recall(asked, k=7, weights=weights, where=where)
        exact = bank.recall(asked, k=7, weights=weights, where=where, exact=True)
        assert len(quick) == len(exact)
        known = {match.id: match for match in exact}
        assert all(known.get(match.id, match) == match for match in quick)
        found, expected = found + hits(quick, exact), expected + len(exact)
    assert found >= 0.99 * expected
