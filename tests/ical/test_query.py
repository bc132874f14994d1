from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.encode import HashingEncoder
from ical.query import MAX_STATEMENTS, MAX_WORDS, Mentions, csds_mentioning, names_in, query_for
from tests.ical.experience import COBBLE, crafted, dug, pickaxe, stone_age, wooden_pickaxe


def test_what_is_known_of_cobblestone_is_said_axis_by_axis():
    query = query_for(COBBLE, stone_age())
    assert list(query.texts.items()) == [
        (
            Axis.STRUCT,
            "furnace is laid as AAA/A.A/AAA; cobblestone is A; cobblestone fills 8 cells; "
            "cobblestone forms the ring; cobblestone lies level, 2 blocks; cobblestone is near grass block",
        ),
        (Axis.ATTR, "cobblestone stacks to 64; cobblestone can be placed; stone drops cobblestone"),
        (
            Axis.PROC,
            "cobblestone is made by collect; furnace uses up cobblestone x8; 1 of cobblestone come out; "
            "cobblestone needs stone first; cobblestone needs wooden pickaxe first; "
            "furnace needs cobblestone first; 1. craft AAA/A.A/AAA of cobblestone x8; "
            "1. place cobblestone; cobblestone took 40 ticks",
        ),
        (
            Axis.FUNC,
            "cobblestone plays building block; cobblestone plays shell; cobblestone becomes part of furnace",
        ),
        (
            Axis.INTER,
            "craft AAA/A.A/AAA of cobblestone x8: ok; place cobblestone: ok; "
            "collect stone gave cobblestone +1; "
            "craft AAA/A.A/AAA of cobblestone x8 gave cobblestone -8, furnace +1; "
            "place cobblestone gave cobblestone -1",
        ),
    ]


def test_nothing_is_said_of_what_no_descriptor_mentions():
    query = query_for("netherite_ingot", stone_age())
    assert query.empty
    assert query.statements == {}


def test_an_axis_on_which_nothing_is_known_stays_empty():
    query = query_for("oak_log", [dug(1, "oak_log", "oak_log")])
    assert Axis.ATTR in query.texts
    assert query_for("stone", stone_age(), axes=(Axis.INTER,)).texts == {
        Axis.INTER: "collect stone: ok; collect stone gave cobblestone +1"
    }


def test_a_masked_axis_leaves_neither_statements_nor_text_and_changes_no_other_axis():
    whole = query_for(COBBLE, stone_age())
    for size in range(len(AXES) + 1):
        for kept in combinations(AXES, size):
            query = query_for(COBBLE, stone_age(), axes=kept)
            assert query.texts == {axis: whole.texts[axis] for axis in kept}
            assert query.statements == {axis: whole.statements[axis] for axis in kept}


def test_a_blank_name_is_refused():
    with pytest.raises(ValueError, match="expected the name of an item; got ' '"):
        query_for(" ", stone_age())


def test_what_was_seen_more_often_is_said_first():
    often = [dug(n, "stone", COBBLE, "wooden_pickaxe") for n in (1, 2)]
    query = query_for(COBBLE, [crafted(3, "furnace", ((COBBLE,) * 3,)), *often])
    assert query.texts[Axis.PROC].startswith("cobblestone is made by collect")


def test_a_grid_that_gave_nothing_tells_of_no_place():
    failed = wooden_pickaxe().model_copy(
        update={"meta": wooden_pickaxe().meta.model_copy(update={"success": False})}
    )
    assert Axis.STRUCT not in query_for("oak_planks", [failed]).statements


def test_the_same_letter_in_two_grids_is_two_statements():
    query = query_for(
        "stick", [wooden_pickaxe(), crafted(11, "torch", (("coal",), ("stick",)), at_table=False)]
    )
    fills = [s for s in query.statements[Axis.STRUCT] if s.predicate == "fills"]
    assert [(s.value, s.evidence[0].episode) for s in fills] == [("B", "ep_000011"), ("B", "ep_000010")]


def test_texts_and_statements_stay_short_however_much_is_known():
    many = [pickaxe(n, f"tool_{n}", COBBLE, f"handle_{n}") for n in range(60)]
    query = query_for(COBBLE, many)
    assert all(len(text.split()) <= MAX_WORDS for text in query.texts.values())
    assert all(len(said) <= MAX_STATEMENTS for said in query.statements.values())


@given(st.permutations(stone_age()))
def test_the_order_in_which_things_were_remembered_changes_no_text(csds):
    assert query_for(COBBLE, csds).texts == query_for(COBBLE, stone_age()).texts


def test_an_index_that_grew_equals_one_made_at_once():
    grown = Mentions()
    for csd in stone_age():
        grown.remember(csd)
    assert query_for("oak_planks", grown) == query_for("oak_planks", stone_age())


def test_a_bank_gives_the_descriptors_that_mention_an_item():
    with Bank.open(None, HashingEncoder()) as bank:
        bank.add_many(stone_age())
        products = [csd.meta.product for csd in csds_mentioning(COBBLE, bank)]
        assert sorted(map(str, products)) == ["None", "cobblestone", "furnace"]


def test_a_landmark_is_told_nothing_by_what_stood_near_it():
    near = next(s for s in dug(1, "stone", COBBLE).struct if s.predicate == "lies")
    assert names_in(Axis.STRUCT, near) == ("stone",)
