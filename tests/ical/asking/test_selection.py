"""Which task is carried over, and what a memory tells of the situation."""

from __future__ import annotations

from csd.axes import AXES, Axis
from ical.asking.selection import Learned
from tests.ical.experience import COBBLE, PLANKS, STICK, placed, stone_age, wooden_pickaxe


def learned():
    return Learned.of(stone_age())


def test_the_most_recent_success_that_laid_something_out_is_selected():
    csds = learned().csds
    assert learned().select().id == [csd for csd in csds if csd.meta.verb in ("craft", "smelt")][-1].id
    assert Learned.of((*csds, placed(99, "dirt"))).select().id == learned().select().id


def test_the_most_credited_is_selected_where_credit_counts():
    first = next(csd for csd in learned().csds if csd.meta.verb == "craft")
    assert first.id != learned().select().id
    assert learned().select(credit={first.id: 2.0}).id == first.id


def test_a_text_selects_by_goal_or_product_whatever_the_case():
    assert learned().select(about="Wooden_PICK").meta.product == "wooden_pickaxe"
    assert learned().select(about="airship") is None


def test_of_an_empty_memory_nothing_is_selected():
    assert Learned.of(()).select() is None


def test_the_situation_knows_names_stations_and_what_was_done():
    situation = Learned.of((wooden_pickaxe(),)).situation(held={"coal": 1})
    assert {"wooden_pickaxe", PLANKS, STICK, "crafting_table", "coal"} <= set(situation.names)
    assert situation.offers == ("grid3",)
    assert situation.done == (("AAA/.B./.B.", (PLANKS, STICK)),)


def test_a_masked_axis_tells_no_name_and_no_station():
    situation = Learned.of((wooden_pickaxe(),)).situation((Axis.ATTR,))
    assert situation.offers == ()
    without = wooden_pickaxe().model_copy(update={axis.value: () for axis in AXES if axis != Axis.ATTR})
    assert situation.names == Learned.of((without,)).situation().names


def test_what_is_carried_is_told_first_and_failures_last_ones_only():
    vain = tuple(("A", (f"item_{n}",)) for n in range(12))
    situation = learned().situation(held={COBBLE: 3, "nothing_left": 0}, vain=vain)
    assert situation.told_names()[0] == COBBLE
    told = situation.told()
    assert "carried: cobblestone x3\n" in told
    assert "item_11" in told
    assert "item_3" not in told
