from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ical.belief import Belief
from ical.induce import Inducer
from ical.profile import AxisProfiles
from ical.slots import Slot, SlotTable
from tests.ical.experience import COBBLE, PLANKS, stone_age


class CountingBelief(Belief):
    """Counts how often it is fitted."""

    fits = 0

    def fit(self, worked: NDArray[np.bool_], failed: NDArray[np.bool_]) -> None:
        type(self).fits += 1
        Belief.fit(self, worked, failed)


HEAD = Slot("AAA/.B./.B.", "A", ("rod",))


def inducer() -> Inducer:
    CountingBelief.fits = 0
    made = Inducer(source=AxisProfiles(), belief=CountingBelief())
    made.table.success("AAA/.B./.B.", ("plank", "rod"), "pick")
    made.table.item("stone")
    return made


def test_the_belief_is_fitted_once_a_change():
    made = inducer()
    for _ in range(3):
        made.scores()
        made.against(HEAD, "stone")
        made.likeness_of("plank", "stone")
    assert CountingBelief.fits == 1
    made.table.failure("AAA/.B./.B.", ("stone", "rod"))
    made.scores()
    made.scores()
    assert CountingBelief.fits == 2
    made.stale()
    made.scores()
    assert CountingBelief.fits == 3


def test_a_failure_counts_at_the_next_question():
    made = inducer()
    row, column = made.table.slot_index[HEAD], made.table.item_index["stone"]
    before = made.scores().success[row, column]
    assert before > 0
    made.table.failure("AAA/.B./.B.", ("stone", "rod"))
    assert made.scores().success[row, column] == 0
    assert made.against(HEAD, "stone") > 0


def test_the_table_counts_what_is_written_into_it():
    table = SlotTable()
    table.failure("AA/AA", ("log",))
    assert table.revision == 0  # Nothing worked there yet: no slot to write into.
    table.success("AA/AA", ("plank",), "table")
    table.failure("AA/AA", ("stone",))
    assert table.revision == 2


def test_any_items_can_be_compared_whether_the_table_knows_them_or_not():
    made = Inducer(source=AxisProfiles())
    for csd in stone_age():
        made.source.remember(csd)
    names = [PLANKS, COBBLE, "never_heard_of"]
    alike = made.alike(names)
    assert np.array_equal(alike, alike.T)
    assert np.array_equal(np.diag(alike), np.ones(3))
    assert 0.0 < alike[0, 1] < 1.0
    # Nothing is known of it: it is like itself alone.
    assert alike[2, :2].tolist() == [0.0, 0.0]
    assert made.table.items == []


def test_items_are_as_alike_as_the_belief_takes_them_to_be():
    made = Inducer(source=AxisProfiles())
    for csd in stone_age():
        made.source.remember(csd)
    for name in (PLANKS, COBBLE):
        made.table.item(name)
    assert made.alike([PLANKS, COBBLE])[0, 1] == made.likeness_of(PLANKS, COBBLE)


def test_learned_weights_count_when_items_are_compared():
    made = Inducer(source=AxisProfiles())
    for csd in stone_age():
        made.source.remember(csd)
    likeness = made.source.likeness([PLANKS, COBBLE])
    strong = likeness.channels[int(likeness.similarity[:, 0, 1].argmax())]
    before = made.alike([PLANKS, COBBLE])[0, 1]
    made.weights[strong] = 4.0
    assert made.alike([PLANKS, COBBLE])[0, 1] > before


def test_of_no_items_nothing_is_alike():
    assert Inducer(source=AxisProfiles()).alike([]).shape == (0, 0)
