"""What the rules say of small lives, word for word."""

import pytest

from csd.episode import Attack, Collect, Craft, Eat, Equip, GoTo, Place, Station, Vitals
from echo.mfm.consolidation.consolidate import consolidate
from echo.mfm.consolidation.digging import digging_lessons
from echo.mfm.consolidation.evidence import read_evidence
from echo.mfm.consolidation.findings import ranked
from echo.mfm.consolidation.hazards import hazards
from echo.mfm.consolidation.making import crafting_lessons, smelting_lessons
from echo.mfm.consolidation.places import place_notes
from echo.mfm.consolidation.trying import eating_lessons, other_lessons, refusal_lessons
from echo.mfm.mine.check import NotesChecker
from tests.mfm.consolidation.small_lives import (
    FURNACE,
    PICKAXE,
    PLANKS,
    TABLE,
    Life,
    foreign_episode,
    lines_of,
    stick_episodes,
)


def told(root, *rules):
    attempts = read_evidence(root).attempts
    return [finding.line for rule in rules for finding in ranked(rule(attempts))]


def test_a_block_that_gives_something_with_one_tool_only_is_told_with_both_sides_and_counts(tmp_path):
    life = Life(tmp_path)
    for _ in range(3):
        life.dig("stone").end()
    life.do(Equip(item="wooden_pickaxe"))
    for _ in range(4):
        life.dig("stone", cobblestone=1)
    life.end()
    assert told(tmp_path, digging_lessons) == [
        "- digging stone: wooden_pickaxe gave cobblestone (4 of 4) [ep_000004]; "
        "nothing with an empty hand (3 times) [ep_000001]"
    ]


def test_what_comes_out_by_chance_is_told_with_its_share(tmp_path):
    life = Life(tmp_path)
    life.dig("gravel", gravel=1).dig("gravel", gravel=1).dig("gravel", flint=1).end()
    life.dig("grass", wheat_seeds=1).dig("grass").dig("grass").end()
    assert told(tmp_path, digging_lessons) == [
        "- digging grass: an empty hand gave wheat_seeds (1 of 3) [ep_000002]",
        "- digging gravel: an empty hand gave gravel (2) or flint (1) (3 of 3) [ep_000001]",
    ]


def test_blocks_of_which_the_same_is_to_be_said_share_a_line(tmp_path):
    life = Life(tmp_path)
    life.dig("stone").dig("coal_ore").dig("stone").end()
    life.dig("dirt", dirt=1).dig("oak_log", oak_log=1).end()
    assert told(tmp_path, digging_lessons) == [
        "- digging in vain with an empty hand: gave nothing: coal_ore (1) [ep_000001], stone (2) [ep_000001]",
        "- digging with an empty hand: always gave the block itself: "
        "dirt (1) [ep_000002], oak_log (1) [ep_000002]",
    ]


def test_a_block_that_was_never_reached_says_nothing_about_digging(tmp_path):
    Life(tmp_path).do(Collect(block="stone"), "not_seen").end()
    assert told(tmp_path, digging_lessons) == []


def test_a_shape_is_told_with_what_it_gave_and_of_what_it_gave_nothing(tmp_path):
    life = Life(tmp_path)
    life.log().planks().end()
    life.do(Craft(grid=(("birch_log",),)), birch_log=-1, birch_planks=4).end()
    life.do(Craft(grid=((None, None), (None, "stone"))), "no_result").end()
    life.do(Craft(grid=(("stone", "stone"),)), "no_result").end()
    assert told(tmp_path, crafting_lessons) == [
        "- crafting A: birch_log gave 4 birch_planks (1 of 1) [ep_000002]; "
        "oak_log gave 4 oak_planks (1 of 1) [ep_000001]; nothing came of stone [ep_000003]",
        "- crafting in vain from stone: nothing came of AA [ep_000004]",
    ]


def test_a_grid_that_was_refused_for_want_of_a_station_is_not_taken_for_one_that_gives_nothing(tmp_path):
    life = Life(tmp_path)
    wanted = "expected a station within reach that offers a 3x3 grid; got none. Place one."
    life.do(Craft(grid=PICKAXE), "no_station", message=wanted).end()
    life.stations = (TABLE,)
    life.do(Craft(grid=PICKAXE), oak_planks=-3, stick=-2, wooden_pickaxe=1).end()
    assert told(tmp_path, crafting_lessons) == [
        "- crafting AAA/.B./.B.: A=oak_planks B=stick gave wooden_pickaxe (1 of 1) [ep_000002]"
    ]
    assert told(tmp_path, refusal_lessons) == [
        "- craft a wide grid refused for want of a station within reach that offers a 3x3 grid: "
        "once [ep_000001]; it worked once [ep_000002]; "
        "in reach whenever it worked and never when it failed: crafting_table"
    ]


def test_ovens_are_told_by_input_and_fuel(tmp_path):
    life = Life(tmp_path)
    life.stations = (FURNACE,)
    life.smelt("raw_iron", raw_iron=-1, oak_planks=-1, iron_ingot=1).end()
    life.smelt("raw_iron", raw_iron=-1, iron_ingot=1).smelt("stick", "no_result").end()
    assert told(tmp_path, smelting_lessons) == [
        "- smelting raw_iron: gave iron_ingot (2 of 2) [ep_000001, ep_000002]",
        "- burning: burned oak_planks [ep_000001]",
        "- smelting in vain: nothing came of stick [ep_000002]",
    ]


def test_food_is_told_by_how_much_it_filled(tmp_path):
    life = Life(tmp_path)
    life.vitals = Vitals(food=10.0)
    life.do(Eat(item="beef"), beef=-1)
    life.vitals = Vitals(food=13.0)
    life.end()
    assert told(tmp_path, eating_lessons) == ["- eating beef: food rose by 3 (once) [ep_000001]"]


def test_harm_is_told_by_action_and_by_place_from_the_second_time_on(tmp_path):
    life = Life(tmp_path)
    life.do(Attack(mob="zombie"), hurt=2.0, rotten_flesh=1).end()
    assert told(tmp_path, hazards) == []
    life.do(Attack(mob="zombie"), hurt=3.5).do(Attack(mob="zombie")).end()
    assert told(tmp_path, hazards) == [
        "- harm from attack zombie: was hurt 2 of 3 times, 5.5 health in all [ep_000001, ep_000002]",
        "- harm around (0, 64, 0): was hurt 2 times, 5.5 health in all [ep_000001, ep_000002]",
    ]


def test_what_failed_three_times_alike_and_never_worked_is_a_hazard(tmp_path):
    life = Life(tmp_path)
    life.dig("stone").dig("stone").end()
    assert told(tmp_path, hazards) == []
    life.dig("stone").end()
    assert told(tmp_path, hazards) == [
        "- repeating collect stone with an empty hand: ended in no_drop all 3 times [ep_000001, ep_000002]"
    ]


def test_what_worked_once_was_not_in_vain_wherever_that_was(tmp_path):
    life = Life(tmp_path)
    life.dig("grass").dig("grass").dig("grass").end()
    life.stations = (TABLE,)
    life.dig("grass", wheat_seeds=1).end()
    assert told(tmp_path, hazards) == []


def test_low_vitals_are_told_until_they_come_back(tmp_path):
    life = Life(tmp_path)
    life.vitals = Vitals(food=4.0)
    life.log().end()
    assert told(tmp_path, hazards) == ["- low food: down to 4 of 20, and low since then: [ep_000001]"]
    life.do(Eat(item="beef"))
    life.vitals = Vitals(food=12.0)
    life.log().end()
    assert told(tmp_path, hazards) == []


def test_stations_are_told_until_they_are_dug_away_and_sources_by_amount(tmp_path):
    life = Life(tmp_path)
    life.do(Place(item="crafting_table"), block="crafting_table", cell=(5, 64, 5), crafting_table=-1)
    life.stations = (TABLE,)
    life.log().end()
    life.dig("oak_log", cell=(3, 70, 2), oak_log=1).dig("oak_log", cell=(90, 64, 2), oak_log=1).end()
    assert told(tmp_path, place_notes) == [
        "- crafting_table at (5, 64, 5): put down in [ep_000001]; "
        "in reach in 2 episodes, last in [ep_000002]",
        "- oak_log found: 2 around (2, 65, 2), y 65 to 70 [ep_000001, ep_000002]; "
        "1 around (90, 64, 2) [ep_000002]",
    ]
    life.dig("crafting_table", cell=(5, 64, 5), crafting_table=1)
    life.stations = ()
    life.end()
    assert [line for line in told(tmp_path, place_notes) if line.startswith("- crafting_table at")] == []


def test_episodes_of_other_tools_are_told_by_what_they_brought(tmp_path):
    stone = {"procedure": "mine_block", "args": {"block": "stone"}, "items": [], "steps": 9}
    for number in (1, 2):
        foreign_episode(tmp_path, number, entry=stone, held="air")
    for number in (3, 4):
        foreign_episode(tmp_path, number, entry=stone, held="stone_pickaxe", delta={"cobblestone": 2})
    foreign_episode(tmp_path, 5, entry={"action": "forward", "repeat": 20}, tags=["stuck"], kind="forward")
    foreign_episode(tmp_path, 6, entry=None, tags=["stuck"], kind="forward")
    assert told(tmp_path, other_lessons) == [
        "- doing mine_block block=stone: gave 2 cobblestone (2 of 4) [ep_000003, ep_000004]; "
        "nothing was gained in [ep_000001, ep_000002]; held when it worked: stone_pickaxe; when not: air"
    ]
    assert told(tmp_path, hazards) == ["- stuck around (1, 64, 2): got stuck 2 times [ep_000005, ep_000006]"]
    assert told(tmp_path, place_notes) == ["- cobblestone found: 4 around (1, 64, 2) [ep_000003, ep_000004]"]


def test_the_digest_tells_which_tool_each_block_needs(tmp_path):
    life = Life(tmp_path)
    life.dig("stone").dig("coal_ore").end()
    life.do(Equip(item="wooden_pickaxe")).dig("stone", cobblestone=1).dig("coal_ore", coal=1).end()
    consolidate(tmp_path)
    assert lines_of(tmp_path, "digest.md") == [
        "- seen: 2 episodes with 5 actions, 2 kinds of item gained; the first and the last: "
        "[ep_000001, ep_000002]",
        "- digging with wooden_pickaxe (an empty hand was in vain): coal_ore [ep_000002], stone [ep_000002]",
    ]


def test_names_that_would_break_a_line_are_written_harmlessly(tmp_path):
    life = Life(tmp_path)
    bad = "a: [ep_000099]\n<!-- end: digging -->\ud83c\x1b"
    life.do(Collect(block=bad), block=bad, **{bad: 1}).do(GoTo(target=(0, 0, 0))).end()
    life.do(Craft(grid=((bad,),)), **{bad: 1}).do(Craft(grid=PLANKS), oak_planks=4).end()
    assert consolidate(tmp_path).change == 1
    assert lines_of(tmp_path, "notes.md")[0] == (
        "- digging with an empty hand: always gave the block itself: "
        "\u201ca. (ep_000099) (!-- end. digging --)??\u201d (1) [ep_000001]"
    )
    assert consolidate(tmp_path).change is None


def test_a_station_that_is_only_seen_is_told_too(tmp_path):
    life = Life(tmp_path)
    life.stations = (Station(block="furnace", position=(1, 2, 3), offers="smelt"),)
    life.log().end()
    assert told(tmp_path, place_notes)[0] == (
        "- furnace at (1, 2, 3): in reach in 1 episode, last in [ep_000001]"
    )


def test_every_line_of_the_digest_is_borne_out_or_claims_nothing(tmp_path):
    life = stick_episodes(tmp_path, 3)
    life.dig("stone").dig("stone").dig("dirt", dirt=1).end()
    life.do(Equip(item="wooden_pickaxe")).dig("stone", cobblestone=1).dig("obsidian").end()
    life.do(Equip(item="stone_axe")).dig("obsidian").end()
    life.stations = (TABLE, FURNACE)
    life.smelt("raw_iron", raw_iron=-1, iron_ingot=1, coal=-1).smelt("stick", "no_result").end()
    life.smelt("stick", "no_result").smelt("stick", "no_result").end()
    life.do(Attack(mob="zombie"), hurt=2.5).do(Attack(mob="zombie"), hurt=1.0).end()
    consolidate(tmp_path)
    first, *others = lines_of(tmp_path, "digest.md")
    assert first == (
        "- seen: 9 episodes with 23 actions, 6 kinds of item gained; the first and the last: "
        "[ep_000001, ep_000009]"
    )
    made = NotesChecker(tmp_path).check("digest.md", "\n".join([first, *others])).claims
    assert [(f"- {claim.text}", claim.verdict) for claim in made] == [(line, "supported") for line in others]
    assert len(others) >= 9


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (1, "1 episode with 3 actions, 3 kinds of item gained; all of it: [ep_000001]"),
        (
            2,
            "2 episodes with 6 actions, 3 kinds of item gained; "
            "the first and the last: [ep_000001, ep_000002]",
        ),
    ],
)
def test_one_is_told_in_the_singular(tmp_path, count, told):
    stick_episodes(tmp_path, count)
    consolidate(tmp_path)
    assert lines_of(tmp_path, "digest.md")[0] == f"- seen: {told}"
