"""Procedures from repeated successes: what counts as the same, and what the files say."""

import pytest

from csd.episode import Collect, Craft, Equip, GoTo, LookAt, Place
from echo.mfm.consolidation.consolidate import consolidate
from echo.mfm.consolidation.evidence import read_evidence
from echo.mfm.consolidation.scripts import scripts
from echo.mfm.procedural.format import parse_procedure
from tests.mfm.consolidation.small_lives import PICKAXE, TABLE, Life, stick_episodes

STICKS = '''\
"""Get stick: collect oak_log, craft A of oak_log, craft A/A of oak_planks."""

PROCEDURE = {
    "name": "get_stick_by_collect_craft_craft",
    "about": "Get stick: collect oak_log, craft A of oak_log, craft A/A of oak_planks.",
    "parameters": {},
    "needs": {"sees": ["oak_log"]},
    "expects": {"gained": {"stick": 4}},
    "evidence": ["ep_000001", "ep_000002", "ep_000003"],
}


def run(seen):
    yield from collect_until("oak_log", item="oak_log", count=1)
    yield craft([["oak_log"]]), {"gained": {"oak_planks": 4}}
    yield craft([["oak_planks"], ["oak_planks"]]), {"gained": {"stick": 4}}
'''


def made(root, least=3):
    return {script.name: script for script in scripts(read_evidence(root).attempts, least=least).kept}


def test_three_episodes_of_the_same_actions_and_gain_become_a_procedure(tmp_path):
    stick_episodes(tmp_path, 3)
    assert [script.text for script in made(tmp_path).values()] == [STICKS]


def test_two_are_not_enough_unless_two_are_asked_for(tmp_path):
    stick_episodes(tmp_path, 2)
    assert made(tmp_path) == {}
    assert list(made(tmp_path, least=2)) == ["get_stick_by_collect_craft_craft"]


def test_three_times_in_one_episode_is_one_episode(tmp_path):
    life = Life(tmp_path)
    for _ in range(3):
        life.log().planks().sticks()
    life.end()
    assert made(tmp_path, least=2) == {}


def test_walking_looking_and_other_business_in_between_make_no_difference(tmp_path):
    life = Life(tmp_path)
    life.log().planks().sticks().end()
    life.do(GoTo(target=(1, 2, 3))).log().dig("dirt", dirt=1).planks().sticks().end()
    life.log().do(LookAt(target=(1, 2, 3))).planks().dig("stone").do(GoTo(target=(9, 9, 9))).sticks().end()
    assert [script.text for script in made(tmp_path).values()] == [STICKS]


def test_an_action_that_failed_is_no_part_of_a_procedure(tmp_path):
    life = Life(tmp_path)
    for _ in range(3):
        life.log().do(Craft(grid=(("oak_log",),)), "no_result").end()
    assert made(tmp_path) == {}


def test_names_that_differ_become_parameters_and_one_name_one_parameter(tmp_path):
    life = Life(tmp_path)
    for wood in ("oak", "birch", "oak"):
        log, planks = f"{wood}_log", f"{wood}_planks"
        life.dig(log, **{log: 1}).do(Craft(grid=((log,),)), **{log: -1, planks: 4}).end()
    (script,) = made(tmp_path).values()
    assert script.name == "get_planks_by_collect_craft"
    assert 'def run(seen, block="oak_log", gives="oak_planks"):' in script.text
    assert '    yield craft([[block]]), {"gained": {gives: 4}}\n' in script.text
    assert '"needs": {"sees": ["{block}"]}' in script.text
    assert script.bindings == "block=oak_log, gives=oak_planks (2); block=birch_log, gives=birch_planks (1)"


def test_the_tool_taken_into_the_hand_belongs_to_what_is_dug_with_it(tmp_path):
    life = Life(tmp_path)
    for _ in range(3):
        life.do(Equip(item="wooden_pickaxe")).dig("stone", cobblestone=1).end()
        life.held = None
    (script,) = made(tmp_path).values()
    assert script.text.endswith(
        'def run(seen):\n    yield equip("wooden_pickaxe")\n'
        '    yield collect("stone"), {"gained": {"cobblestone": 1}}\n'
    )
    assert '"needs": {"inventory": {"wooden_pickaxe": 1}, "sees": ["stone"]}' in script.text


def test_a_tool_that_was_in_the_hand_all_along_is_a_need(tmp_path):
    life = Life(tmp_path)
    life.held = "wooden_pickaxe"
    for _ in range(3):
        life.dig("stone", cobblestone=1).do(Craft(grid=(("cobblestone",),)), cobblestone=-1, pebble=2).end()
    (script,) = made(tmp_path).values()
    assert '"needs": {"holds": "wooden_pickaxe", "sees": ["stone"]}' in script.text


def test_a_wide_grid_is_laid_at_the_station_that_was_there_each_time(tmp_path):
    life = Life(tmp_path)
    life.stations = (TABLE,)
    life.items = {"stick": 20, "oak_planks": 20}
    for _ in range(3):
        life.log().planks().do(Craft(grid=PICKAXE), oak_planks=-3, stick=-2, wooden_pickaxe=1).end()
    text = made(tmp_path)["get_wooden_pickaxe_by_collect_craft_craft"].text
    assert '    yield from ensure_near("crafting_table")\n    yield craft([["oak_planks"' in text
    assert '"needs": {"inventory": {"stick": 2}, "sees": ["oak_log"]}' in text


def test_a_station_that_is_put_down_for_it_is_part_of_it(tmp_path):
    life = Life(tmp_path)
    for _ in range(3):
        life.items = {"stick": 20, "oak_planks": 20, "crafting_table": 1}
        life.stations = ()
        life.do(Place(item="crafting_table"), block="crafting_table", cell=(5, 64, 5), crafting_table=-1)
        life.stations = (TABLE,)
        life.do(Craft(grid=PICKAXE), oak_planks=-3, stick=-2, wooden_pickaxe=1).end()
    (script,) = made(tmp_path).values()
    assert '    yield place("crafting_table")\n' in script.text
    assert '"inventory": {"crafting_table": 1, "oak_planks": 3, "stick": 2}' in script.text


def test_as_many_are_collected_as_are_used_however_many_were_in_the_pack(tmp_path):
    life = Life(tmp_path)
    square = (("oak_log", "oak_log"), ("oak_log", "oak_log"))
    for held in (3, 2, 0):
        life.items = {"oak_log": held}
        for _ in range(4 - held):
            life.log()
        life.do(Craft(grid=square), oak_log=-4, oak_wood=3).end()
    (script,) = made(tmp_path).values()
    assert 'collect_until("oak_log", item="oak_log", count=4)' in script.text
    assert '"needs": {"sees": ["oak_log"]}' in script.text


def test_a_name_that_no_file_can_hold_gives_a_sound_file_or_none(tmp_path):
    life = Life(tmp_path)
    for _ in range(3):
        odd = "Größe\ud83c\"'{x}"
        life.do(Collect(block=odd), block=odd, **{odd: 1}).do(
            Craft(grid=((odd,),)), **{odd: -1, "ЖЖ": 1}
        ).end()
    for name, script in made(tmp_path).items():
        parse_procedure(script.text, name)
    assert consolidate(tmp_path).change == 1


def test_files_of_procedures_are_written_and_listed_in_the_digest(tmp_path):
    stick_episodes(tmp_path, 3)
    consolidate(tmp_path)
    name = "get_stick_by_collect_craft_craft"
    assert (tmp_path / "mine" / "procedures" / f"{name}.py").read_text() == STICKS
    assert f"- procedures/{name}.py: Get stick" in (tmp_path / "mine" / "digest.md").read_text()


def test_more_of_the_same_leaves_the_file_of_a_procedure_as_it_is(tmp_path):
    life = stick_episodes(tmp_path, 6)
    consolidate(tmp_path)
    life.log().planks().sticks().end()
    assert "procedures" not in " ".join(file.path for file in consolidate(tmp_path).files)


@pytest.mark.parametrize("text", [STICKS.replace("4", "5"), "mine now\n"])
def test_a_procedure_changed_by_hand_is_kept_and_news_go_into_another_version(tmp_path, text):
    life = stick_episodes(tmp_path, 3)
    consolidate(tmp_path)
    path = tmp_path / "mine" / "procedures" / "get_stick_by_collect_craft_craft.py"
    path.write_text(text)
    assert consolidate(tmp_path).change is None
    life.log().planks().sticks().end()
    assert [file.path for file in consolidate(tmp_path).files if ".py" in file.path] == [
        "procedures/get_stick_by_collect_craft_craft_v2.py"
    ]
    assert path.read_text() == text
    assert consolidate(tmp_path).change is None


def test_a_procedure_deleted_by_hand_stays_away_until_there_is_news(tmp_path):
    life = stick_episodes(tmp_path, 3)
    consolidate(tmp_path)
    path = tmp_path / "mine" / "procedures" / "get_stick_by_collect_craft_craft.py"
    path.unlink()
    assert consolidate(tmp_path).change is None
    life.log().planks().sticks().end()
    consolidate(tmp_path)
    assert path.exists()
