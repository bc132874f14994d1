from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo.mfm.spatial.harm import Harm, harm_in


@pytest.mark.parametrize(
    ("event", "kind", "amount", "cause"),
    [
        ("damage:1", "damage", 1.0, None),
        ("damage:2.5:zombie", "damage", 2.5, "zombie"),
        ("damage:zombie:2.5", "damage", 2.5, "zombie"),
        ("Damage 4 from falling", "damage", 4.0, "falling"),
        ("hurt by cactus", "damage", None, "cactus"),
        ("damage", "damage", None, None),
        ("damage:-3", "damage", 3.0, None),
        ("damage:nan", "damage", None, "nan"),
        ("died", "death", None, None),
        ("death: fell into lava", "death", None, "fell into lava"),
        ("killed by spider", "death", None, "spider"),
        ({"kind": "damage", "amount": 2, "cause": "creeper"}, "damage", 2.0, "creeper"),
        ({"type": "death", "source": "void"}, "death", None, "void"),
        ({"type": "damage", "amount": True}, "damage", None, None),
    ],
)
def test_harm_is_read_from_texts_and_objects(event: Any, kind: Any, amount: Any, cause: Any):
    assert harm_in(event) == Harm(kind=kind, amount=amount, cause=cause)


@pytest.mark.parametrize(
    "event",
    [
        "broke:wooden_pickaxe",
        "killed zombie",
        "damage dealt 5",
        "damage_dealt:5",
        "deathly",
        "",
        None,
        3,
        {},
        [],
    ],
)
def test_what_tells_of_no_harm_is_none(event: Any):
    assert harm_in(event) is None


@given(st.text(st.characters(exclude_categories=())))
def test_no_text_is_too_odd(text: str):
    harm_in(text)
    harm_in(f"damage:{text}")
