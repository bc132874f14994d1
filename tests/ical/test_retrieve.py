from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.encode import HashingEncoder
from csd.protocol import DescriptorBank
from csd.render import render_axis
from csd.store.where import Where
from ical.map import map_statements
from ical.query import Mentions, query_for, statements_of
from ical.retrieve import STRUCTURE, Stages, context_of, materials_of, retrieve
from tests.csd.reference_bank import ReferenceBank
from tests.ical.experience import COBBLE, iron_smelting, ores, pickaxe, stone_age, wooden_pickaxe

MADE = Where(success=True, verbs=("craft", "smelt"))
ALL = (*stone_age(), *ores())
PLAIN = Stages(structure=False)


class Listening:
    """Encodes, and keeps the texts it was sent."""

    def __init__(self) -> None:
        self._encoder = HashingEncoder()
        self.name = self._encoder.name
        self.dimension = self._encoder.dimension
        self.heard: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.heard += texts
        return self._encoder.encode(texts)


def kept_in_a_file(encoder: Listening) -> DescriptorBank:
    return Bank.open(None, encoder)


@pytest.fixture(name="bank", params=[kept_in_a_file, ReferenceBank], ids=["Bank", "ReferenceBank"])
def _bank(request: pytest.FixtureRequest) -> Iterator[DescriptorBank]:
    open_bank: Callable[[Listening], DescriptorBank] = request.param
    with open_bank(Listening()) as bank:
        bank.add_many(ALL)
        yield bank


def everything() -> Mentions:
    return Mentions(ALL)


def mapping_all() -> Stages:
    return Stages(candidates=99, known=everything())


def test_an_exemplar_carries_its_cosines_and_the_correspondence_behind_it(bank: DescriptorBank):
    query = query_for("raw_copper", everything())
    found = retrieve(query, bank, where=MADE, stages=Stages(known=everything()))
    best = next(one for one in found if one.csd == iron_smelting())
    assert best.id == iron_smelting().id
    assert list(best.cosines) == list(AXES)
    assert best.cosines[Axis.FUNC] is None, "nothing is known yet of what raw copper is for"
    assert best.mapping is not None
    assert best.mapping.standing_for("raw_copper").base == "raw_iron"


def test_the_score_mixes_cosine_and_structure_and_orders_the_answer(bank: DescriptorBank):
    query = query_for(COBBLE, everything())
    plain = {one.id: one.score for one in retrieve(query, bank, k=99, stages=PLAIN)}
    for share in (0.25, STRUCTURE, 1.0):
        found = retrieve(query, bank, k=99, stages=Stages(candidates=99, share=share, known=everything()))
        assert len(found) == len(plain)
        for one in found:
            assert one.score == pytest.approx((1 - share) * plain[one.id] + share * one.mapping.score)
        assert [(-one.score, one.id) for one in found] == sorted((-one.score, one.id) for one in found)


def test_the_mapping_is_the_one_that_the_statements_alone_give(bank: DescriptorBank):
    query = query_for(COBBLE, everything())
    for one in retrieve(query, bank, k=3, stages=mapping_all()):
        assert one.mapping == map_statements(
            statements_of(one.csd),
            query.statements,
            context=context_of(one.csd, everything()),
            parts={COBBLE: materials_of(one.csd)},
        )


def test_with_structure_off_nothing_is_mapped_and_cosines_alone_order(bank: DescriptorBank):
    query = query_for(COBBLE, everything())
    found = retrieve(query, bank, k=4, stages=PLAIN)
    assert [one.mapping for one in found] == [None] * 4
    matches = bank.recall(query.texts, k=4)
    assert [(one.id, one.score) for one in found] == [(match.id, match.score) for match in matches]


def test_a_share_of_nothing_gives_correspondences_and_leaves_the_order(bank: DescriptorBank):
    query = query_for(COBBLE, everything())
    found = retrieve(query, bank, k=5, stages=Stages(share=0.0, known=everything()))
    assert [one.id for one in found] == [match.id for match in bank.recall(query.texts, k=5)]
    assert all(one.mapping is not None for one in found)


def test_the_best_k_are_chosen_out_of_the_candidates(bank: DescriptorBank):
    query = query_for(COBBLE, everything())
    three = retrieve(query, bank, k=3, stages=Stages(candidates=5, known=everything()))
    five = retrieve(query, bank, k=5, stages=Stages(candidates=5, known=everything()))
    assert three == five[:3]
    assert {one.id for one in five} == {match.id for match in bank.recall(query.texts, k=5)}


def test_what_is_beyond_the_candidates_follows_in_the_order_of_cosines_unmapped(bank: DescriptorBank):
    query = query_for(COBBLE, everything())
    found = retrieve(query, bank, k=7, stages=Stages(candidates=2, known=everything()))
    nearest = bank.recall(query.texts, k=7)
    assert {one.id for one in found[:2]} == {match.id for match in nearest[:2]}
    assert [one.id for one in found[2:]] == [match.id for match in nearest[2:]]
    assert [one.mapping is None for one in found] == [False] * 2 + [True] * 5
    assert [one.score for one in found[2:]] == [(1 - STRUCTURE) * match.score for match in nearest[2:]]


@pytest.mark.parametrize("masked", AXES)
@pytest.mark.parametrize("by_weight", [False, True], ids=["left out", "weight 0"])
def test_a_masked_axis_gets_no_cosine_and_no_correspondence(
    bank: DescriptorBank, masked: Axis, by_weight: bool
):
    kept = tuple(axis for axis in AXES if axis is not masked)
    query = query_for(COBBLE, everything())
    if by_weight:
        weights = {axis: float(axis is not masked) for axis in AXES}
        found = retrieve(query, bank, weights=weights, stages=mapping_all())
    else:
        found = retrieve(query, bank, axes=kept, stages=mapping_all())
    assert found
    for one in found:
        assert one.cosines[masked] is None
        assert masked not in one.mapping.axes
        assert all(masked not in pair.axes for pair in one.mapping.correspondences)
    same = retrieve(query_for(COBBLE, everything(), axes=kept), bank, axes=kept, stages=mapping_all())
    assert [(one.id, one.score) for one in same] == [(one.id, one.score) for one in found]


def test_a_masked_axis_sends_no_text():
    new = pickaxe(99, "stone_pickaxe", COBBLE)
    kept = (Axis.ATTR, Axis.FUNC)
    for axes, weights in ((kept, None), (AXES, dict.fromkeys(kept, 2.0))):
        with Bank.open(None, listening := Listening()) as bank:
            bank.add_many(ALL)
            listening.heard.clear()
            assert retrieve(new, bank, axes=axes, weights=weights)
            assert listening.heard == [render_axis(new, axis) for axis in kept]


def test_a_whole_descriptor_finds_its_relative_and_what_corresponds(bank: DescriptorBank):
    new = pickaxe(99, "stone_pickaxe", COBBLE)
    best = retrieve(new, bank, k=1)[0]
    assert best.csd == wooden_pickaxe()
    assert best.mapping.substitution == {
        "wooden_pickaxe": "stone_pickaxe",
        "oak_planks": COBBLE,
        "stick": "stick",
        "crafting_table": "crafting_table",
    }


def test_a_descriptor_that_the_bank_holds_recalls_itself_by_its_vectors():
    with Bank.open(None, listening := Listening()) as bank:
        bank.add_many(ALL)
        listening.heard.clear()
        best = retrieve(iron_smelting(), bank, k=2)[0]
    assert (best.id, best.score) == (iron_smelting().id, pytest.approx(1.0, abs=1e-3))
    assert best.mapping.score == pytest.approx(1.0)
    assert listening.heard == [], "its vectors are there already"


def test_a_product_stands_for_a_product_only(bank: DescriptorBank):
    new = pickaxe(99, "stone_pickaxe", COBBLE)
    products = {one.id: one.csd.meta.product for one in retrieve(new, bank, k=99, stages=mapping_all())}
    for one in retrieve(new, bank, k=99, stages=mapping_all()):
        pair = one.mapping.standing_for("stone_pickaxe")
        assert pair is None or products[one.id] in (None, pair.base)


def test_a_budget_of_facts_bounds_what_is_mapped(bank: DescriptorBank):
    query = query_for(COBBLE, everything())
    loose = retrieve(query, bank, k=9, stages=Stages(candidates=9, known=everything()))
    tight = retrieve(query, bank, k=9, stages=Stages(candidates=9, facts=4, known=everything()))
    assert {one.id for one in tight} == {one.id for one in loose}
    whole = {one.id: one.mapping.score for one in loose}
    for one in tight:
        assert one.mapping.score <= whole[one.id] + 1e-9, "what is cut counts as not matched"
        told = [s for pair in one.mapping.correspondences for s in pair.statements]
        assert len(list(dict.fromkeys(map(id, told)))) <= 4


def test_what_is_asked_for_only_is_recalled(bank: DescriptorBank):
    found = retrieve(query_for(COBBLE, everything()), bank, k=99, where=Where(products=("furnace",)))
    assert [one.csd.meta.product for one in found] == ["furnace"]


def test_an_item_of_which_nothing_is_known_recalls_nothing(bank: DescriptorBank):
    assert retrieve(query_for("netherite_ingot", everything()), bank, stages=mapping_all()) == ()
    blind = query_for("coal_ore", everything(), axes=(Axis.INTER,))
    assert retrieve(blind, bank, axes=(Axis.FUNC,), stages=mapping_all()) == ()


def test_weights_of_nothing_and_no_exemplars_asked_recall_nothing(bank: DescriptorBank):
    query = query_for(COBBLE, everything())
    assert retrieve(query, bank, weights={}) == ()
    assert retrieve(iron_smelting(), bank, weights=dict.fromkeys(AXES, 0.0)) == ()
    assert retrieve(query, bank, k=0) == ()


def test_equal_scores_are_ordered_by_id():
    twins = [iron_smelting().model_copy(update={"meta": iron_smelting().meta.model_copy(update={"tick": n})})
             for n in range(9)]  # fmt: skip
    with ReferenceBank(HashingEncoder()) as bank:
        bank.add_many(twins[::-1])
        found = [one.id for one in retrieve(twins[4], bank, k=9)]
    assert found == sorted(twin.id for twin in twins)


def test_both_banks_recall_the_same():
    query = query_for(COBBLE, everything())
    with Bank.open(None, HashingEncoder()) as one, ReferenceBank(HashingEncoder()) as other:
        one.add_many(ALL)
        other.add_many(ALL)
        assert retrieve(query, one, k=9, stages=mapping_all()) == retrieve(
            query, other, k=9, stages=mapping_all()
        )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"candidates": 0}, "expected candidates >= 1; got 0. Use structure=False"),
        ({"facts": 0}, "expected facts >= 1; got 0"),
        ({"share": 1.1}, r"expected a share of the structure in \[0, 1\]; got 1.1"),
        ({"share": float("nan")}, "expected a share"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, float], message: str):
    with pytest.raises(ValueError, match=message):
        Stages(**settings)


def test_no_axis_a_negative_number_and_a_negative_weight_are_mistakes(bank: DescriptorBank):
    query = query_for(COBBLE, everything())
    with pytest.raises(ValueError, match="expected at least one axis to recall on; got none"):
        retrieve(query, bank, axes=())
    with pytest.raises(ValueError, match="k >= 0; got -1"):
        retrieve(query, bank, k=-1)
    with pytest.raises(ValueError, match=r"expected a finite weight >= 0 on axis func; got -1\.0"):
        retrieve(query, bank, weights={Axis.FUNC: -1.0})


def test_axis_shares_are_parts_of_the_positive_cosines(bank: DescriptorBank):
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
