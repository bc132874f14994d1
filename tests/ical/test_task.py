from __future__ import annotations

import dataclasses

import pytest

from csd.axes import Axis
from csd.episode import Attack, Collect, Craft, Eat, Equip, Place, Smelt, Step
from ical.map import map_statements
from ical.procedure import procedure_of, read_action
from ical.query import Mentions, query_for, statements_of
from ical.retrieve import context_of
from ical.slots import Slot
from ical.task import Assertion, StepSupport, assertions_for, carry_over
from tests.csd.sample_episodes import (
    FURNACE,
    TABLE,
    TABLE_BLOCK,
    brought,
    crafted_pickaxe,
    dug_stone,
    episode,
    see,
)
from tests.ical.experience import (
    COBBLE,
    PICKAXE,
    PLANKS,
    STICK,
    described,
    iron_smelting,
    ores,
    stone_age,
    wooden_pickaxe,
)

HEAD = Slot(PICKAXE, "A", (STICK,))


def mapped(exemplar, item, csds, axes=tuple(Axis)):
    known = Mentions(csds)
    return map_statements(
        statements_of(exemplar),
        query_for(item, known, axes=axes).statements,
        axes=axes,
        context=context_of(exemplar, known, axes),
    )


def stone_pickaxe():
    mapping = mapped(wooden_pickaxe(), COBBLE, stone_age())
    return carry_over(HEAD, COBBLE, wooden_pickaxe(), mapping, success=0.5), mapping


def test_a_pickaxe_is_carried_over_to_cobblestone():
    task, mapping = stone_pickaxe()
    assert (
        task.goal == f"craft {PICKAXE} with cobblestone in the place of oak_planks, which gave wooden_pickaxe"
    )
    assert task.actions == (Craft(grid=((COBBLE,) * 3, (None, STICK, None), (None, STICK, None))),)
    assert task.needs == {COBBLE: 3, STICK: 2}
    assert task.station == "grid3"
    assert task.effects == "what is to cobblestone as wooden_pickaxe is to oak_planks"
    assert (task.success, task.source) == (0.5, "transfer")
    pair = mapping.standing_for(COBBLE)
    assert task.support == (StepSupport(step=0, exemplar=wooden_pickaxe().id, axes=pair.axes),)


def test_smelting_is_carried_over_with_the_fuel_that_burned():
    mapping = mapped(iron_smelting(), "raw_copper", ores())
    task = carry_over(Slot("smelt", "A", ()), "raw_copper", iron_smelting(), mapping)
    assert task.actions == (Smelt(input="raw_copper", fuel="coal"),)
    assert task.needs == {"raw_copper": 1, "coal": 1}
    assert task.station == "smelt"
    other = carry_over(Slot("smelt", "A", ()), "raw_copper", iron_smelting(), mapping, fuel="oak_log")
    assert other.actions == (Smelt(input="raw_copper", fuel="oak_log"),)


def test_what_is_its_own_fuel_is_needed_twice():
    mapping = mapped(iron_smelting(), "coal", ores())
    task = carry_over(Slot("smelt", "A", ()), "coal", iron_smelting(), mapping)
    assert task.needs == {"coal": 2}


def test_assertions_say_what_must_hold_before_and_what_must_come_of_it():
    task, _ = stone_pickaxe()
    assert [one.text for one in task.assertions] == [
        "cobblestone x3 is carried",
        "stick x2 is carried",
        "a station within reach offers grid3",
        "cobblestone x3 is used up",
        "stick x2 is used up",
        "something comes out",
    ]


def test_assertions_are_held_against_a_step():
    (ordinary,) = crafted_pickaxe().steps[1:]
    found = assertions_for({PLANKS: 3, STICK: 2}, "grid3")
    assert [one.holds(ordinary) for one in found] == [True] * 6
    nothing = Step(before=see({PLANKS: 1}), action=ordinary.action, outcome=brought("no_result"))
    assert [one.holds(nothing) for one in found] == [False] * 6
    named = Assertion(text="a chest comes out", kind="gains", item="chest")
    assert not named.holds(ordinary)
    assert dataclasses.replace(named, item="wooden_pickaxe").holds(ordinary)


def test_a_burning_fire_uses_up_no_fuel_so_none_is_asserted():
    uses = [
        one.item
        for one in assertions_for({"raw_iron": 1, "coal": 1}, "smelt", burnt="coal")
        if one.kind == "uses"
    ]
    assert uses == ["raw_iron"]


def test_putting_down_the_station_is_carried_over_unless_proc_is_masked():
    shown = described(
        episode(
            (
                see({"furnace": 1, "raw_iron": 1, "coal": 1}),
                Place(item="furnace"),
                brought(inventory_delta={"furnace": -1}, block="furnace", cell=FURNACE.position),
            ),
            (
                see({"raw_iron": 1, "coal": 1}, stations=(FURNACE,)),
                Smelt(input="raw_iron", fuel="coal"),
                brought(inventory_delta={"coal": -1, "iron_ingot": 1, "raw_iron": -1}, ticks=200),
            ),
            after=see({"iron_ingot": 1}, stations=(FURNACE,)),
            name="ep_000070",
        )
    )
    slot = Slot("smelt", "A", ())
    task = carry_over(slot, "raw_copper", shown, mapped(shown, "raw_copper", ores()))
    assert task.actions == (Place(item="furnace"), Smelt(input="raw_copper", fuel="coal"))
    assert task.support[0] == StepSupport(step=0, exemplar=shown.id, axes={Axis.PROC: 1.0})
    kept = tuple(axis for axis in Axis if axis is not Axis.PROC)
    masked = carry_over(slot, "raw_copper", shown, mapped(shown, "raw_copper", ores(), kept))
    assert masked.actions == (Smelt(input="raw_copper", fuel="coal"),)
    assert all(Axis.PROC not in one.axes for one in masked.support)


def test_a_mapping_that_says_nothing_of_the_item_supports_no_step():
    task = carry_over(HEAD, "sand", wooden_pickaxe(), mapped(wooden_pickaxe(), COBBLE, stone_age()))
    assert task.support[-1].axes == {}
    given = carry_over(
        HEAD, "sand", wooden_pickaxe(), mapped(wooden_pickaxe(), COBBLE, stone_age()), shares={Axis.ATTR: 1.0}
    )
    assert given.support[-1].axes == {Axis.ATTR: 1.0}


def test_an_exemplar_of_another_slot_is_refused():
    mapping = mapped(wooden_pickaxe(), COBBLE, stone_age())
    with pytest.raises(ValueError, match=r"expected an exemplar that shows Slot\(rows='A/B'.*Pass one of"):
        carry_over(Slot("A/B", "A", (STICK,)), COBBLE, wooden_pickaxe(), mapping)
    with pytest.raises(ValueError, match="others=\\('bone',\\)"):
        carry_over(Slot(PICKAXE, "A", ("bone",)), COBBLE, wooden_pickaxe(), mapping)


def test_a_chance_above_one_is_refused():
    mapping = mapped(wooden_pickaxe(), COBBLE, stone_age())
    with pytest.raises(ValueError, match=r"expected a chance in \[0, 1\]; got 1.5"):
        carry_over(HEAD, COBBLE, wooden_pickaxe(), mapping, success=1.5)


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("craft A/B of coal x1, stick x1", Craft(grid=(("coal",), ("stick",)))),
        ("smelt raw_iron with coal", Smelt(input="raw_iron", fuel="coal")),
        ("collect stone", Collect(block="stone")),
        ("mine stone", Collect(block="stone")),
        ("place furnace", Place(item="furnace")),
        ("attack sheep", Attack(mob="sheep")),
        ("eat apple", Eat(item="apple")),
        ("hold stone_pickaxe", Equip(item="stone_pickaxe")),
        ("hold nothing", Equip(item=None)),
        ("mine (1, 2, 3)", None),
        ("go to (1, 2, 3)", None),
        ("wait for day", None),
        ("collect stone: no_drop", None),
        ("craft A/B of coal x1", None),
        ("craft an empty grid", None),
        ("smelt raw_iron", None),
    ],
)
def test_actions_are_read_back_from_their_words(words, action):
    assert read_action(words) == action


def test_a_procedure_holds_what_worked_in_its_order():
    steps = procedure_of(described(crafted_pickaxe()))
    assert [(step.number, step.times, step.action.kind) for step in steps] == [(2, 1, "craft")]
    assert [step.action for step in procedure_of(described(dug_stone()))] == [Collect(block="stone")]


def test_equal_steps_in_a_row_are_one_with_a_count():
    log = see({}, blocks={"oak_log": TABLE_BLOCK}, stations=(TABLE,))
    once = (log, Collect(block="oak_log"), brought(inventory_delta={"oak_log": 1}, block="oak_log"))
    shown = described(episode(once, once, once, after=see({"oak_log": 3})))
    (step,) = procedure_of(shown)
    assert (step.words, step.times, step.action) == ("collect oak_log", 3, Collect(block="oak_log"))
