from __future__ import annotations

import numpy as np
import pytest

from csd.vectors.faiss_codes import for_chosen, new_codes, pack, scan_chosen, scan_codes
from csd.vectors.sizes import Sizes, Way
from tests.csd.vector_feed import unit


@pytest.mark.parametrize("rows", [1, 31, 32, 77])
@pytest.mark.parametrize("dimension", [8, 5])
def test_codes_are_ranked_alike_among_all_and_among_the_chosen(rows: int, dimension: int) -> None:
    rng = np.random.default_rng(rows)
    codes = new_codes(dimension)
    codes.add(unit(rng, rows, 5 * dimension))
    copy, query = for_chosen(codes), unit(rng, 1, 5 * dimension)
    scores, slots = scan_codes(codes, query, rows)
    assert sorted(slots.tolist()) == list(range(rows))
    mask = rng.random(rows) < 0.4
    some_scores, some = scan_chosen(copy, query, rows, pack(mask))
    assert sorted(some.tolist()) == np.flatnonzero(mask).tolist()
    assert np.array_equal(some_scores, scores[mask[slots]])
    assert np.array_equal(scan_chosen(copy, query, 3, pack(mask))[0], some_scores[:3])


def test_codes_of_fewer_bytes_than_rows_are_refused() -> None:
    codes = new_codes(8)
    codes.add(unit(np.random.default_rng(0), 77, 40))
    codes.ntotal = 300
    with pytest.raises(RuntimeError, match="bytes of codes for 300 rows"):
        for_chosen(codes)


def test_more_candidates_are_fetched_at_first_where_few_take_part() -> None:
    sizes = Sizes()
    assert sizes.first_fetch(Way.CODES, 10, rows=100_000, taking_part=13_000) == 4_333
    assert sizes.first_fetch(Way.CODES, 10, rows=131_072, taking_part=1_000_000) == 976
    assert sizes.first_fetch(Way.CODES, 10, rows=4_000, taking_part=1_000) == 400
    assert sizes.first_fetch(Way.BYTES, 10, rows=100_000, taking_part=13_000) == 160
