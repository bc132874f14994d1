from __future__ import annotations

from csd.axes import Axis
from csd.descriptor import Evidence, Statement
from ical.facts import facts_of
from ical.query import query_for, statements_of
from tests.ical.experience import COBBLE, crafted, dug, iron_smelting, placed, stone_age, wooden_pickaxe


def told(facts, axis):
    return [(fact.head, fact.args) for fact in facts if fact.axis is axis]


def test_letters_become_the_items_that_fill_them():
    facts = facts_of(statements_of(wooden_pickaxe(), (Axis.STRUCT,)))
    assert told(facts, Axis.STRUCT)[:6] == [
        ("grid AAA/.B./.B.", ("wooden_pickaxe",)),
        ("fills AAA/.B./.B. A", ("oak_planks",)),
        ("fills AAA/.B./.B. B", ("stick",)),
        ("cells 3", ("oak_planks",)),
        ("cells 2", ("stick",)),
        ("part top row", ("oak_planks",)),
    ]
    assert ("above", ("oak_planks", "stick")) in told(facts, Axis.STRUCT)


def test_amounts_used_up_do_not_keep_relatives_apart():
    facts = facts_of(statements_of(wooden_pickaxe(), (Axis.PROC,)))
    assert ("consumes", ("wooden_pickaxe", "oak_planks")) in told(facts, Axis.PROC)


def test_an_action_is_a_pattern_over_the_things_in_it():
    facts = facts_of(statements_of(iron_smelting()))
    assert ("step smelt _ with _", ("raw_iron", "coal")) in told(facts, Axis.PROC)
    assert ("tried smelt _ with _ ok", ("raw_iron", "coal")) in told(facts, Axis.INTER)
    assert (
        "feedback smelt _ with _, then _ -1, _ +1, _ -1",
        ("raw_iron", "coal", "coal", "iron_ingot", "raw_iron"),
    ) in told(facts, Axis.INTER)


def test_an_action_names_its_things_even_where_no_other_axis_does():
    facts = facts_of(statements_of(iron_smelting(), (Axis.INTER,)))
    assert told(facts, Axis.INTER)[0] == ("tried smelt _ with _ ok", ("raw_iron", "coal"))


def test_the_message_of_a_failure_gives_no_fact():
    facts = facts_of(statements_of(placed(1, "stick", works=False), (Axis.INTER,)))
    assert told(facts, Axis.INTER) == [("tried place _ not_placeable", ("stick",))]


def test_the_bare_hand_and_no_station_are_no_things():
    facts = facts_of(statements_of(dug(1, "oak_log", "oak_log")))
    assert ("yielded_to hand", ("oak_log",)) in told(facts, Axis.ATTR)
    hand_made = facts_of(statements_of(crafted(2, "stick", (("oak_planks",),), at_table=False)))
    assert ("station none", ("stick",)) in told(hand_made, Axis.INTER)


def test_times_are_alike_within_a_factor_of_two():
    facts = facts_of(statements_of(dug(1, "oak_log", "oak_log")))
    assert ("dig_ticks 2^5", ("oak_log",)) in told(facts, Axis.ATTR)  # log2(1 + 30) = 4.95


def test_each_grid_of_a_query_keeps_its_own_letters():
    facts = facts_of(query_for(COBBLE, stone_age()).statements)
    assert ("fills AAA/A.A/AAA A", (COBBLE,)) in told(facts, Axis.STRUCT)


def test_a_letter_without_its_grid_gives_no_fact():
    seen = (Evidence(episode="ep_000001", step=0, kind="action"),)
    alone = Statement(subject="coal", predicate="fills", value="A", evidence=seen)
    assert facts_of({Axis.STRUCT: (alone,)}) == ()


def test_the_same_said_twice_is_one_fact_with_both_statements():
    seen = [Evidence(episode="ep_000001", step=step, kind="action") for step in (0, 1)]
    twice = tuple(Statement(subject="coal", predicate="plays", value="fuel", evidence=(one,)) for one in seen)
    (fact,) = facts_of({Axis.FUNC: twice})
    assert (fact.head, fact.args, fact.statements) == ("plays fuel", ("coal",), twice)
    assert not fact.relation
