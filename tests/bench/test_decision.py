from __future__ import annotations

import pytest

from echo.bench.decision import gather, items_in, measure_decision


def test_memories_of_two_runs_share_no_item():
    first, both = gather(10, 60), gather(70, 60)
    assert both[:10] == first
    assert len(both) == 70
    # Every run begins with the demonstration of a pickaxe; in the second one it has another name.
    runs = [n for n, csd in enumerate(both) if csd.meta.world == "demonstration"]
    second = next(n for n in runs if n > 10)
    assert set(items_in(both[:second])).isdisjoint(items_in(both[second:]))


def test_every_part_of_a_decision_is_measured():
    figures = measure_decision(90, 4, "hashing-256", steps=120)
    assert (figures["csds"], figures["decisions"], figures["recalls"]) == (90, 4, 4)
    assert 0 < figures["suggest_median"] < figures["decision_median"] <= figures["decision_p95"]
    assert figures["carry_median"] > 0
    assert figures["verify_median"] > 0
    assert 0 < figures["retrieve_median"] <= figures["retrieve_p95"]


def test_a_measurement_of_nothing_is_refused():
    with pytest.raises(ValueError, match="expected at least one decision"):
        measure_decision(90, 0, "hashing-256", steps=120)
