from __future__ import annotations

from collections.abc import Iterator

import pytest

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.encode import HashingEncoder
from csd.rows import Where
from ical.query import Mentions, query_for
from ical.retrieve import CANDIDATES, STRUCTURE, context_of, retrieve
from tests.ical.experience import COBBLE, iron_smelting, ores, stone_age, wooden_pickaxe

MADE = Where(success=True, verbs=("craft", "smelt"))


@pytest.fixture(name="bank")
def _bank() -> Iterator[Bank]:
    with Bank.open(None, HashingEncoder()) as bank:
        bank.add_many([*stone_age(), *ores()])
        yield bank


def everything() -> Mentions:
    return Mentions([*stone_age(), *ores()])


def test_an_exemplar_carries_its_cosines_and_the_correspondence_behind_it(bank: Bank):
    query = query_for("raw_copper", everything())
    best = retrieve(query, bank, k=1, where=MADE, known=everything())[0]
    assert best.csd == iron_smelting()
    assert best.id == iron_smelting().id
    assert list(best.cosines) == list(AXES)
    assert best.cosines[Axis.FUNC] is None, "nothing is known yet of what raw copper is for"
    assert best.mapping is not None
    assert best.mapping.standing_for("raw_copper").base == "raw_iron"


def test_the_score_is_the_mean_of_cosine_and_structure_and_orders_the_answer(bank: Bank):
    query = query_for(COBBLE, everything())
    plain = {one.id: one.score for one in retrieve(query, bank, k=99)}
    mapped = retrieve(query, bank, k=99, known=everything())
    for one in mapped:
        assert one.score == pytest.approx((1 - STRUCTURE) * plain[one.id] + STRUCTURE * one.mapping.score)
    assert [(-one.score, one.id) for one in mapped] == sorted((-one.score, one.id) for one in mapped)


def test_without_what_is_known_there_is_no_mapping_and_cosines_alone_order(bank: Bank):
    query = query_for(COBBLE, everything())
    found = retrieve(query, bank, k=4)
    assert [one.mapping for one in found] == [None] * 4
    matches = bank.query_text(query.texts, k=4)
    assert [(one.id, one.score) for one in found] == [(match.id, match.score) for match in matches]


def test_at_most_k_are_returned_out_of_more_candidates(bank: Bank):
    query = query_for(COBBLE, everything())
    two = retrieve(query, bank, k=2, known=everything())
    assert len(two) == 2
    ids = {match.id for match in bank.query_text(query.texts, k=2 * CANDIDATES)}
    assert all(one.id in ids for one in two)


@pytest.mark.parametrize("masked", AXES)
def test_a_masked_axis_gets_no_cosine_and_no_correspondence(bank: Bank, masked: Axis):
    kept = tuple(axis for axis in AXES if axis is not masked)
    found = retrieve(query_for(COBBLE, everything()), bank, axes=kept, known=everything())
    assert found
    for one in found:
        assert one.cosines[masked] is None
        assert all(masked not in pair.axes for pair in one.mapping.correspondences)
    same = retrieve(query_for(COBBLE, everything(), axes=kept), bank, axes=kept, known=everything())
    assert [(one.id, one.score) for one in same] == [(one.id, one.score) for one in found]


def test_what_is_asked_for_only_is_recalled(bank: Bank):
    found = retrieve(query_for(COBBLE, everything()), bank, k=99, where=Where(products=("furnace",)))
    assert [one.csd.meta.product for one in found] == ["furnace"]


def test_an_item_of_which_nothing_is_known_recalls_nothing(bank: Bank):
    assert retrieve(query_for("netherite_ingot", everything()), bank, known=everything()) == ()
    blind = query_for("coal_ore", everything(), axes=(Axis.INTER,))
    assert retrieve(blind, bank, axes=(Axis.FUNC,), known=everything()) == ()


def test_no_axis_at_all_is_a_mistake(bank: Bank):
    with pytest.raises(ValueError, match="expected at least one axis to recall on; got none"):
        retrieve(query_for(COBBLE, everything()), bank, axes=())


def test_axis_shares_are_parts_of_the_positive_cosines(bank: Bank):
    best = retrieve(query_for(COBBLE, everything()), bank, k=1)[0]
    shares = best.axis_shares()
    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares[Axis.FUNC] / shares[Axis.PROC] == pytest.approx(
        best.cosines[Axis.FUNC] / best.cosines[Axis.PROC]
    )


def test_the_context_of_an_exemplar_tells_of_its_materials_on_the_kept_axes_only():
    found = context_of(wooden_pickaxe(), everything(), (Axis.ATTR, Axis.PROC))
    assert list(found) == [Axis.ATTR, Axis.PROC]
    said = {(s.subject, s.predicate, s.value) for s in found[Axis.ATTR]}
    assert ("stick", "placeable", False) in said
    assert not any(s.subject == COBBLE for s in found[Axis.ATTR])
