from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ical.cases import Case, case_of
from ical.families import families, proposals, slot_of
from ical.patterns import anti_unify, generalise
from ical.slots import Slot
from tests.ical.experience import COBBLE, PICKAXE, PLANKS, STICK, ores, pickaxe, smelted, wooden_pickaxe


def case(rows: str | None, *fillers: str, product: str = "thing") -> Case:
    name = f"csd_{product}_{'_'.join(fillers)}"
    return Case(csd=name, product=product, rows=rows, fillers=fillers, parents=())


def test_two_pickaxes_share_a_head():
    csds = [wooden_pickaxe(), pickaxe(60, "stone_pickaxe", COBBLE)]
    (found,) = generalise(case_of(csd, csd.id) for csd in csds)
    assert found.rows == PICKAXE
    assert found.open_letters == {"A": (PLANKS, COBBLE)}
    assert found.fixed == {"B": STICK}
    assert found.support == tuple(csd.id for csd in csds)
    assert found.products == ("wooden_pickaxe", "stone_pickaxe")
    assert found.description == "[head]/.stick./.stick. with head in {oak_planks, cobblestone}"


def test_smelting_shares_its_charge():
    csds = [*ores(), smelted(50, "raw_copper", "copper_ingot")]
    (found,) = generalise(case_of(csd, csd.id) for csd in csds)
    assert (found.rows, found.open_letters, found.fixed) == (
        "smelt",
        {"A": ("raw_iron", "raw_copper")},
        {},
    )
    assert found.description == "smelt [charge] with charge in {raw_iron, raw_copper}"


def test_every_choice_of_what_stays_fixed_that_two_cases_share_is_a_pattern():
    found = generalise(
        [case("A/B", "coal", "stick"), case("A/B", "charcoal", "stick"), case("A/B", "coal", "bone")]
    )
    assert [(p.fixed, p.open_letters) for p in found] == [
        ({}, {"A": ("coal", "charcoal"), "B": ("stick", "bone")}),
        ({"A": "coal"}, {"B": ("stick", "bone")}),
        ({"B": "stick"}, {"A": ("coal", "charcoal")}),
    ]
    assert [len(p.support) for p in found] == [3, 2, 2]


def test_a_kind_that_one_case_tells_apart_stays_apart():
    found = generalise([case("AA", "coal"), case("AB", "coal", "sand")])
    (only,) = found
    assert (only.rows, only.fixed, only.open_letters) == ("AB", {"A": "coal"}, {"B": ("coal", "sand")})


def test_grids_of_another_outline_do_not_generalise():
    assert generalise([case("A/A", "coal"), case("AA", "coal")]) == ()


def test_what_was_done_twice_is_one_case_and_no_pattern():
    assert generalise([case("AA", "coal", product="a"), case("AA", "coal", product="b")]) == ()


def test_a_case_without_an_arrangement_is_passed_over():
    assert generalise([case(None), case("AA", "coal"), case("AA", "sand")])[0].support == (
        "csd_thing_coal",
        "csd_thing_sand",
    )


def test_two_open_letters_of_one_role_are_told_apart_in_words():
    found = generalise([case("AB", "coal", "sand"), case("AB", "clay", "dirt")])
    assert found[0].description == ("[part A] [part B] with part A in {coal, clay}, part B in {sand, dirt}")


def test_terms_of_different_length_are_refused():
    with pytest.raises(ValueError, match=r"expected terms of one length; got lengths \[1, 2\]"):
        anti_unify([("a",), ("a", "b")])


TERMS = st.integers(1, 5).flatmap(
    lambda size: st.lists(
        st.lists(st.sampled_from("xyz"), min_size=size, max_size=size), min_size=1, max_size=4
    )
)


@given(TERMS)
def test_a_generalisation_has_every_term_as_an_instance_and_is_the_least_general(terms):
    letters = anti_unify(terms)
    for term in terms:
        # An instance: one item a letter.
        assert len(set(zip(letters, term, strict=True))) == len(set(letters))
    for one, other in pairwise(letters):
        # Least general: letters differ only where some term tells the arguments apart.
        if one != other:
            places = letters.index(one), letters.index(other)
            assert any(term[places[0]] != term[places[1]] for term in terms)


HEADS = [
    case(PICKAXE, PLANKS, STICK, product="wooden_pickaxe"),
    case(PICKAXE, COBBLE, STICK, product="stone_pickaxe"),
    case("A/A/B", PLANKS, STICK, product="wooden_sword"),
    case("A/A/B", COBBLE, STICK, product="stone_sword"),
]
SHOVEL = case("A/B/B", PLANKS, STICK, product="wooden_shovel")
IRON = case(PICKAXE, "iron_ingot", STICK, product="iron_pickaxe")


def test_items_that_fill_the_same_places_are_a_family():
    (family,) = families(generalise(HEADS))
    assert family.items == (COBBLE, PLANKS)
    assert {slot.rows for slot in family.slots} == {PICKAXE, "A/A/B"}
    assert all((slot.letter, slot.others) == ("A", (STICK,)) for slot in family.slots)


def test_a_family_proposes_its_other_items_where_one_of_them_worked():
    cases = [*HEADS, SHOVEL]
    (only,) = proposals(families(generalise(cases)), cases)
    assert (only.slot, only.item, only.alike) == (Slot("A/B/B", "A", (STICK,)), COBBLE, 0.5)


def test_a_newcomer_to_one_place_is_proposed_for_the_others():
    cases = [*HEADS, IRON]
    (only,) = proposals(families(generalise(cases)), cases)
    assert (only.slot, only.item, only.alike) == (Slot("A/A/B", "A", (STICK,)), "iron_ingot", 0.5)


def test_what_worked_already_and_what_fills_another_letter_is_not_proposed():
    handle = case(PICKAXE, STICK, "bone", product="odd")
    cases = [*HEADS, handle, case("A/A/B", STICK, "bone")]
    assert all(p.item not in p.slot.others for p in proposals(families(generalise(cases)), cases))
    assert proposals(families(generalise(HEADS)), HEADS) == ()


def test_one_shared_place_makes_no_family():
    assert families(generalise(HEADS[:2])) == ()


def test_a_family_of_one_is_refused():
    with pytest.raises(ValueError, match="expected families of at least 2 shared items; got 1"):
        families((), shared=1)


def test_a_pattern_with_two_open_letters_is_no_slot():
    found = generalise([case("AB", "coal", "sand"), case("AB", "clay", "dirt")])
    assert slot_of(found[0]) is None
