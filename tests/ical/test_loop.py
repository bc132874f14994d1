"""What a goal aims suggestions at, and what memory says of an adaptation's chance."""

from __future__ import annotations

import pytest

from ical.induce import Inducer, Settings
from ical.loop import Transfer
from ical.profile import AxisProfiles
from ical.slots import Slot
from tests.ical.experience import COBBLE, PLANKS, STICK, crafted, pickaxe

BOX = ((PLANKS, PLANKS), (PLANKS, PLANKS))
ROWS = "AAA/.B./.B."


def transfer() -> Transfer:
    """Return a memory of a box and of a pickaxe, both of planks."""
    made = Transfer(inducer=Inducer(source=AxisProfiles()))
    for number, csd in enumerate(
        (crafted(1, "box", BOX, at_table=False), pickaxe(2, "wooden_pickaxe", PLANKS)), start=1
    ):
        made.remember(csd, f"csd_{number}")
    return made


def suggested(made: Transfer, *focus: str):
    made.focus = focus
    held = dict.fromkeys((PLANKS, STICK, COBBLE), 9)
    found = made.suggest(list(held), held, {}, ("grid3",))
    assert found is not None
    return found


def test_suggestions_come_where_something_like_the_goal_came_from():
    assert suggested(transfer(), "box").slot.rows == "AA/AA"
    assert suggested(transfer(), "wooden_pickaxe").slot.rows == ROWS


def test_what_has_nothing_to_do_with_the_goal_counts_a_quarter():
    free, aside = suggested(transfer()), suggested(transfer(), "nothing ever made")
    assert Settings().aside == 0.25
    assert (aside.slot, aside.item) == (free.slot, free.item)
    assert aside.score == pytest.approx(0.25 * free.score)
    # What is promised is as likely as ever.
    assert aside.success == free.success


def test_a_slot_is_aimed_at_by_any_of_its_products():
    made = transfer()
    made.remember(pickaxe(3, "stone_pickaxe", COBBLE), "csd_3")
    assert suggested(made, "stone_pickaxe").slot.rows == ROWS


def test_what_suggestions_cover_costs_the_explorer_bits_only_where_nothing_is_aimed_at():
    made = transfer()
    suggested(made)
    assert made.bits("AA/AA", (COBBLE,)) == Settings().covered
    made.focus = ("box",)
    assert made.bits("AA/AA", (COBBLE,)) == 0.0


def test_of_an_unknown_slot_or_item_no_chance_is_told():
    made = transfer()
    assert made.chance("AA/AA", (COBBLE,)) is None
    suggested(made)
    assert made.chance("AA/A.", (PLANKS,)) is None
    assert made.chance("AA/AA", ("never_heard_of",)) is None


def test_what_bears_on_a_goal_is_shorter_to_name():
    made = transfer()
    assert made.naming(PLANKS) == 0.0
    made.bearing = {PLANKS: 0.5, STICK: 1.0}
    assert Settings().aim == 4.0
    assert [made.naming(item) for item in (PLANKS, STICK, COBBLE)] == [-2.0, -4.0, 0.0]


def test_a_chance_falls_with_how_little_the_material_that_bears_most_on_the_goal_does():
    made = transfer()
    suggested(made)
    free = made.chance("AA/AA", (COBBLE,))
    assert free is not None
    made.bearing = {PLANKS: 0.5}
    assert made.chance("AA/AA", (COBBLE,)) == pytest.approx(free * 2.0**-4)
    # Of an unknown slot nothing is known but this.
    assert made.chance("AA/A.", (PLANKS,)) == 2.0**-2
    assert made.chance("AB/A.", (COBBLE, PLANKS)) == 2.0**-2
    made.bearing = {COBBLE: 1.0}
    assert made.chance("AA/AA", (COBBLE,)) == pytest.approx(free)


def test_a_chance_is_told_over_the_mean_of_its_slot():
    made = transfer()
    suggested(made)
    chances = made.inducer.scores().success
    table = made.inducer.table
    row = next(n for n, slot in enumerate(table.slots) if slot.rows == "AA/AA")
    expected = chances[row, table.item_index[COBBLE]] / chances[row].mean()
    assert made.chance("AA/AA", (COBBLE,)) == pytest.approx(expected)
    # Planks worked there: they are no candidate any more.
    assert made.chance("AA/AA", (PLANKS,)) == 0.0


def test_a_slot_in_which_nothing_ever_worked_has_no_say():
    """Cobblestone is new as a head; sticks are a handle as ever, but never were beside cobblestone."""
    made = transfer()
    suggested(made)
    table = made.inducer.table
    chances = made.inducer.scores().success[table.slot_index[Slot(ROWS, "A", (STICK,))]]
    expected = chances[table.item_index[COBBLE]] / chances.mean()
    assert Slot(ROWS, "B", (COBBLE,)) not in table.slot_index
    assert made.chance(ROWS, (COBBLE, STICK)) == pytest.approx(expected)


def test_a_failure_lowers_the_chance_of_the_same_filling_to_nothing():
    made = transfer()
    suggested(made)
    assert (made.chance("AA/AA", (COBBLE,)) or 0) > 0
    made.failed("AA/AA", (COBBLE,))
    suggested(made)
    assert made.chance("AA/AA", (COBBLE,)) == 0.0
