from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from csd.axes import Axis
from csd.bank import Bank
from csd.encode import HashingEncoder
from csd.protocol import Filing
from tests.csd.descriptors import digging, playing, wooden_pickaxe

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def test_a_bank_is_counted_by_all_that_it_can_be_searched_by(tmp_path: Path) -> None:
    with Bank.open(tmp_path / "bank.db", HashingEncoder()) as bank:
        pickaxe = bank.add(wooden_pickaxe(), filing=Filing(agent="ann", life="1", tags=("tools",)))
        bank.add(wooden_pickaxe(), filing=Filing(agent="ann", life="2", tags=("tools", "wood")))
        sand = bank.add(digging("sand", success=False), derived_from=[pickaxe])
        bank.supersede(sand, digging("clay"), filing=Filing(recorded=NOON))
        bank.add(playing("coal", "fuel"))
        bank.credit(pickaxe, {Axis.FUNC: 0.5, Axis.STRUCT: 0.25}, success=True)
        bank.credit(sand, {Axis.FUNC: 1.5}, success=False)
        bank.log_failure("dig", {}, step=1)
        stats = bank.stats()
    assert (stats.descriptors, stats.current, stats.superseded) == (4, 3, 1)
    assert stats.by_success == {"succeeded": 3, "failed": 1}
    assert stats.by_verb == {"craft": 4}
    assert stats.by_world == {"test-1": 4}
    assert stats.by_axis == {"struct": 1, "attr": 3, "proc": 1, "func": 2, "inter": 1}
    assert stats.by_agent == {"": 3, "ann": 1}
    assert stats.tags == {"tools": 1, "wood": 1}
    assert stats.episodes == 1
    assert stats.links == {"derived_from": 1, "supersedes": 1}
    assert stats.credit["func"] == (0.5, 1.5)
    assert stats.credit["proc"] == (0.0, 0.0)
    assert (stats.failures, stats.changes) == (1, 5)
    assert (stats.encoder, stats.dimension, stats.rendering) == ("hashing-256", 256, 1)
    assert stats.bytes["file"] > 0
    assert json.loads(json.dumps(asdict(stats)))["descriptors"] == 4


def test_an_empty_bank_in_memory_counts_nothing_and_takes_no_disk() -> None:
    with Bank.open(None, HashingEncoder()) as bank:
        stats = bank.stats()
    assert (stats.descriptors, stats.current, stats.superseded) == (0, 0, 0)
    assert stats.by_success == {"succeeded": 0, "failed": 0}
    assert stats.by_axis == dict.fromkeys(("struct", "attr", "proc", "func", "inter"), 0)
    assert stats.bytes == {}
