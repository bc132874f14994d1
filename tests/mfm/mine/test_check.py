"""The linter: what evidence supports, what it contradicts, and what it does not judge."""

import json
import shutil
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csd.episode import Outcome, Place, Step
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.layout import MfmError
from echo.mfm.mine.check import NotesChecker, check_notes
from echo.mfm.mine.claims import Claim
from echo.mfm.mine.facts import read_facts
from echo.mfm.mine.statements import known_name, statements
from echo.mfm.mine.writable import Mine
from tests.mfm.episodic.sample_steps import collect_log, seen
from tests.mfm.mine.evidence_samples import dig, evidence


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    return evidence(tmp_path_factory.mktemp("evidence") / "memory")


def verdict(memory, text):
    return NotesChecker(memory).claim("notes.md", Claim(line=1, text=text)).verdict


@pytest.mark.parametrize(
    "text",
    [
        "Digging oak logs gave 1 oak log [ep_000001]",
        "digging oak_log: bare hand gave 1 oak_log (1 of 1) [ep_000001]",
        "One oak log makes four oak planks [ep_000002]",
        "Crafting gave 2 to 5 `oak_planks` [ep_000002]",
        "It gave at least 3 minecraft:oak_planks [ep_000002]",
        "It yields up to 4 oak_planks [ep_000002]",
        "It makes about 3 oak_planks [ep_000002]",
        "+4 oak_planks and -1 oak_log [ep_000002]",
        "A table costs 4 oak_planks [ep_000005]",
        "Mining stone gave 2 cobblestone [ep_000004]",
        "Mining stone gave 1 cobblestone a time [ep_000004]",
        "Logs and planks gave 4 oak_planks and 1 oak_log [ep_000001, ep_000002]",
        "Digging stone by hand gave nothing [ep_000003]",
        "nothing came of stone [ep_000003]",
        "Digging stone with a wooden pickaxe works [ep_000004]",
        "Digging stone with bare hands [ep_000003]",
        "The wooden pickaxe broke [ep_000004]",
        "It broke the wooden_pickaxe [ep_000004]",
        "Look for `broke:wooden_pickaxe` [ep_000004]",
        "Digging stone by hand ended in no_drop [ep_000003]",
        "The tree hurts: took 1 damage [ep_000001]",
        "There is oak at (1, -4) [ep_000001]",
        "There is oak at (1, 64, -4) [ep_000001]",
        "Home is at x=1.5 z=-3.25 [ep_000000]",
        "Stone at y=62 [ep_000003]",
        "Crafting a crafting table gave 1 crafting_table [ep_000005]",
    ],
)
def test_what_an_episode_shows_is_supported(memory, text):
    assert verdict(memory, text) == "supported"


@pytest.mark.parametrize(
    "text",
    [
        "I took no damage [ep_000002]",
        "No damage was taken [ep_000004]",
        "I ate nothing [ep_000003]",
        "Crafted nothing [ep_000003]",
        "Digging stone by hand left me empty-handed, it gave nothing [ep_000003]",
        "Stone gave more than 1 cobblestone [ep_000004]",
        "It made less than 5 oak_planks [ep_000002]",
        "The oak log fell apart: it became 4 oak_planks [ep_000002]",
        "Digging stone with the wooden pickaxe worked [ep_000004]",
        "Crafting a crafting table from 4 oak_planks [ep_000005]",
        "Crafting it from four planks worked [ep_000005]",
    ],
)
def test_denials_comparisons_and_parts_are_read_off(memory, text):
    assert verdict(memory, text) == "supported"


@pytest.mark.parametrize(
    "text",
    [
        "I saved the oak_log for smelting [ep_000001]",
        "It has yet to be smelted [ep_000001]",
        "Before crafting, I collected 1 oak_log [ep_000001]",
        "Smelting comes before crafting [ep_000002]",
        "Crafting is for later, digging gave 1 oak_log [ep_000001]",
        "Unlike mining with the stone_pickaxe, crafting works [ep_000002]",
        "I was attacked by nothing [ep_000001]",
        "Nothing hurts down here [ep_000002]",
        "Stone gave 1 cobblestone, the oak_log variant gave 8 [ep_000004]",
        "A wooden pickaxe made the stone break faster [ep_000004]",
        "The pickaxe I crafted dug stone [ep_000004]",
        "Stone gave nothing until I held a pickaxe, which gave 2 cobblestone [ep_000004]",
        "One more makes 3 cobblestone in all [ep_000004]",
        "It gave nothing but cobblestone [ep_000004]",
        "The axe that cost 3 iron_ingot gave 1 oak_log [ep_000001]",
        "The base at (300, 64, 300) is far away [ep_000001]",
        "Crafted planks look nice [ep_000001]",
        "Dug stone; smelting follows [ep_000004]",
    ],
)
def test_what_speaks_of_another_time_or_denies_is_never_contradicted(memory, text):
    assert verdict(memory, text) != "contradicted"


@pytest.mark.parametrize(
    "text",
    [
        "It made more than 4 oak_planks [ep_000002]",
        "It made over 4 oak_planks [ep_000002]",
        "It took 5 planks to craft a crafting_table [ep_000005]",
        "Crafting a crafting table from 3 oak_log [ep_000005]",
        "Crafting it with sticks gave a crafting_table [ep_000005]",
        "Stone: 1 cobblestone with an empty hand [ep_000003]",
        "Digging stone in the hand-made pit, gave 2 stone_bricks [ep_000004]",
        "Digging stone worked with an empty hand [ep_000004]",
        "Smelted sand [ep_000002]",
        "There is oak at (1, 164, -4) [ep_000001]",
        "Oak gave 1 oak_log [ep_000001]; stone gave 5 somethings [ep_000003].",
    ],
)
def test_what_is_shown_in_part_is_not_supported(memory, text):
    assert verdict(memory, text) != "supported"


def refused(tmp_path, tool):
    """Record one dig in vain with `tool`, held only in the second step, and a stick that cannot stand."""
    with Recorder.open(tmp_path, source="s") as recorder:
        recorder.initial(seen(0))
        steps = [
            dig(0, "dirt", held="stone_axe", dirt=1),
            dig(1, "stone", held="wooden_pickaxe", cobblestone=1),
            Step(
                before=replace(seen(2), mainhand=tool),
                action=Place(item="stick"),
                outcome=Outcome(code="not_placeable", message="no block"),
            ),
        ]
        recorder.write(goal="both", steps=steps, after=seen(3))
    return tmp_path


def test_tools_and_outcomes_are_those_of_the_action_spoken_of(tmp_path):
    memory = refused(tmp_path, "wooden_pickaxe")
    assert verdict(memory, "Digging with a wooden_pickaxe gave 1 cobblestone [ep_000001]") == "supported"
    assert verdict(memory, "Digging with a stone_axe gave 1 cobblestone [ep_000001]") == "not checkable"
    assert verdict(memory, "Digging with a stone_pickaxe gave 1 cobblestone [ep_000001]") == "contradicted"
    assert verdict(memory, "Placing a stick worked [ep_000001]") == "contradicted"
    assert verdict(memory, "I placed a stick [ep_000001]") == "not checkable"
    assert verdict(memory, "Placing a stick ended in not_placeable [ep_000001]") == "supported"


def test_codes_of_action_json_are_read_where_steps_are_not_recorded(tmp_path):
    folder = tmp_path / "episodes/ep_000001"
    folder.mkdir(parents=True)
    (tmp_path / "index.jsonl").write_text('{"id": "ep_000001"}\n')
    item = {"kind": "place", "item": "stick", "code": "not_placeable", "message": "no block"}
    (folder / "action.json").write_text(json.dumps({"entry": {"items": [item]}}))
    (folder / "outcome.json").write_text(json.dumps({"inventory_delta": {}, "events": []}))
    assert verdict(tmp_path, "Placing a stick worked [ep_000001]") == "contradicted"
    assert verdict(tmp_path, "Placing a stick ended in not_placeable [ep_000001]") == "supported"


def test_marks_that_are_not_closed_are_findings_and_hide_nothing(memory):
    text = "- It gave 1 oak_log [ep_000001]. <!-- open\n- It gave 9 oak_log [ep_000001].\n```\n- uncited\n"
    for path in ("notes.md", "a.MD", "c.markdown"):
        report = NotesChecker(memory).check(path, text)
        assert [(each.line, each.fault) for each in report.findings] == [
            (1, "unclosed"),
            (2, "contradicted"),
            (3, "unclosed"),
            (4, "uncited"),
        ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Digging oak logs gave 2 oak logs [ep_000001]",
            "says gain of 2 oak_log, but ep_000001: inventory_delta oak_log +1",
        ),
        (
            "One oak log makes 3 oak_planks [ep_000002]",
            "says gain of 3 oak_planks, but ep_000002: inventory_delta oak_planks +4, oak_log -1",
        ),
        (
            "It gave 5 to 9 oak_planks [ep_000002]",
            "says gain of 5 to 9 oak_planks",
        ),
        (
            "It gave at least 6 oak_planks [ep_000002]",
            "says gain of at least 6 oak_planks",
        ),
        (
            "Stone gave cobblestone [ep_000003]",
            "says gain of some cobblestone, but ep_000003: inventory_delta empty",
        ),
        (
            "It gave 4 oak_log [ep_000002]",
            "says gain of 4 oak_log",
        ),
        (
            "It gave raw_iron [ep_000001, ep_000005]",
            "ep_000001: inventory_delta oak_log +1; ep_000005: inventory_delta crafting_table +1",
        ),
        (
            "A table costs 3 oak_planks [ep_000005]",
            "says loss of 3 oak_planks, but ep_000005: inventory_delta oak_planks -4",
        ),
        (
            "Digging stone gave nothing [ep_000004]",
            "says no item came of it, but ep_000004: inventory_delta cobblestone +2",
        ),
        (
            "Smelting oak logs gave 4 oak_planks [ep_000002]",
            "says smelt, but ep_000002: actions craft",
        ),
        (
            "Mining iron_ore brings this [ep_000001]",
            "says mine or collect of iron_ore, but ep_000001: actions collect of oak_log",
        ),
        (
            "Digging stone with a stone_pickaxe [ep_000004]",
            "says stone_pickaxe in the hand, but ep_000004: in the hand wooden_pickaxe",
        ),
        (
            "Digging stone with bare hands [ep_000004]",
            "says bare hand, but ep_000004: in the hand wooden_pickaxe",
        ),
        (
            "The stone pickaxe broke [ep_000004]",
            "says stone_pickaxe broke, but ep_000004: events broke:wooden_pickaxe",
        ),
        (
            "It ended in `no_drop` [ep_000004]",
            "says an action that ended in no_drop, but ep_000004: ended in ok",
        ),
        (
            "It took damage [ep_000002]",
            "says damage, but ep_000002: events none",
        ),
        (
            "It took 3 damage [ep_000001]",
            "says 3 damage, but ep_000001: events damage:1",
        ),
        (
            "The village is at (300, -4) [ep_000001]",
            "says a place near x=300 z=-4, but ep_000001: 298.5 blocks away",
        ),
        (
            "Stone at y=12 [ep_000003]",
            "says a height near y=12, but ep_000003: 49.0 blocks away",
        ),
        (
            "Oak gave 1 oak_log [ep_000001], stone 7, and it gave 7 cobblestone [ep_000004].",
            "says gain of 7 cobblestone",
        ),
    ],
)
def test_what_every_cited_episode_denies_is_contradicted_with_an_excerpt(memory, text, said):
    report = NotesChecker(memory).check("notes.md", f"- {text}\n")
    (finding,) = report.findings
    assert (finding.fault, finding.line) == ("contradicted", 1)
    assert said in finding.detail


@pytest.mark.parametrize(
    "text",
    [
        "Stone is grey [ep_000003]",
        "Stone should give cobblestone [ep_000003]",
        "Stone does not give cobblestone [ep_000003]",
        "Without a pickaxe stone gave cobblestone [ep_000003]",
        "It gave wisdom [ep_000003]",
        "Made a mistake there [ep_000003]",
        "That place is some way off, at (40, -4) [ep_000001]",
        "It gave 5 oak_planks [ep_000999]",
        "It gave 5 oak_planks",
        "The crafting table stands in the cave [ep_000001]",
        "My mine is deep [ep_000002]",
    ],
)
def test_doubt_denial_other_words_and_missing_episodes_are_not_judged(memory, text):
    assert verdict(memory, text) == "not checkable"


def test_each_part_of_a_claim_is_held_against_its_own_citations(memory):
    text = (
        "Oak gave 1 oak_log [ep_000001]; stone gave nothing [ep_000003], 2 cobblestone with luck [ep_000004]."
    )
    claim = NotesChecker(memory).claim("notes.md", Claim(line=1, text=text))
    assert [(each.statement.said, each.evidence.split(":")[0]) for each in claim.judged] == [
        ("gain of 1 oak_log", "ep_000001"),
        ("no item came of it", "ep_000003"),
    ]
    assert claim.verdict == "supported"


def test_a_claim_is_supported_if_one_of_its_episodes_shows_it(memory):
    assert verdict(memory, "Mining stone gave cobblestone [ep_000003] [ep_000004]") == "supported"
    assert verdict(memory, "Logs and planks: +4 oak_planks [ep_000001..ep_000003]") == "supported"


def test_faults_are_found_in_order_of_file_and_line(memory, tmp_path):
    root = shutil.copytree(memory, tmp_path / "memory")
    mine = Mine(root)
    mine.write(
        "notes.md",
        "# Notes\n\n- uncited\n- wrong [ep_000077] [ep_12]\n- fine [ep_000001]\n",
        by="agent",
        why="t",
    )
    mine.write("GUIDE.md", "It gave 9 oak_log [ep_000001].\n", by="agent", why="t")
    mine.write("working.md", "# Plan\n\nNo claim, but [ep_000078].\n", by="agent", why="t")
    mine.write("data.json", '{"episodes": "[ep_000079]"}', by="agent", why="t")
    (root / "mine/latin.md").write_bytes(b"\xe9")
    (root / "mine/.notes.md.swp").write_bytes(b"\0")
    (root / "mine/link.md").symlink_to(root / "index.jsonl")
    report = check_notes(root)
    assert [(each.path, each.line, each.fault, each.text) for each in report.findings] == [
        ("GUIDE.md", 1, "contradicted", "It gave 9 oak_log [ep_000001]."),
        ("data.json", 1, "missing episode", "[ep_000079]"),
        ("latin.md", 0, "unreadable file", "latin.md"),
        ("link.md", 0, "unreadable file", "link.md"),
        ("notes.md", 3, "uncited", "uncited"),
        ("notes.md", 4, "missing episode", "[ep_000077]"),
        ("notes.md", 4, "unreadable citation", "[ep_12]"),
        ("working.md", 3, "missing episode", "[ep_000078]"),
    ]
    assert not report.sound
    assert (report.count("contradicted"), report.count("not checkable")) == (1, 3)
    assert report.files == ("GUIDE.md", "data.json", "latin.md", "notes.md", "working.md")


def test_a_memory_without_notes_is_sound_and_one_without_index_is_an_error(memory, tmp_path):
    assert check_notes(memory).sound
    with pytest.raises(MfmError, match="expected the index of a memory"):
        check_notes(tmp_path)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ('PROCEDURE = {"name": "p", "evidence": ["ep_000001"]}\n', []),
        ('"""About."""\nPROCEDURE = {"evidence": []}\n', [(2, "uncited")]),
        ('PROCEDURE = {"name": "p"}\n', [(1, "uncited")]),
        (
            'PROCEDURE = {"evidence": ["ep_000009", "ep_9"]}\n',
            [(1, "missing episode"), (1, "unreadable citation")],
        ),
        ('# As in [ep_000088].\nPROCEDURE = {"evidence": ["ep_000001"]}\n', [(1, "missing episode")]),
        ('PROCEDURE = {"evidence": "ep_000001"}\n', [(1, "unreadable file")]),
        ("PROCEDURE = open('x')\n", [(1, "unreadable file")]),
        ("def run(seen):\n    yield\n", [(1, "unreadable file")]),
        ("def run(:\n", [(1, "unreadable file")]),
        ("x = " + "(" * 3000 + ")" * 3000, [(1, "unreadable file")]),
    ],
)  # fmt: skip
def test_procedures_name_episodes_that_exist(memory, text, faults):
    report = NotesChecker(memory).check("procedures/p.py", text)
    assert [(each.line, each.fault) for each in report.findings] == faults


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("---\nname: smelt\nevidence: [ep_000001]\n---\n\n1. Do this.\n2. Do that.\n", []),
        ("---\nname: smelt\nevidence: ep_000001, ep_000070\n---\nDo this.\n", ["missing episode"]),
        ("---\nname: smelt\n---\n\n1. Do this, as in [ep_000001].\n2. Do that.\n", []),
        ("# Smelt\n\n1. Do this.\n", ["uncited"]),
        ("# Smelt\n\n1. It gives 9 oak_log [ep_000001].\n", ["contradicted"]),
    ],
)
def test_a_skill_cites_one_episode_somewhere(memory, text, faults):
    report = NotesChecker(memory).check("skills/smelt/SKILL.md", text)
    assert [each.fault for each in report.findings] == faults


def test_folders_of_other_tools_are_judged_by_what_they_hold(tmp_path):
    folder = tmp_path / "episodes/ep_000001"
    (folder / "state").mkdir(parents=True)
    (tmp_path / "index.jsonl").write_text('{"id": "ep_000001"}\n')
    (folder / "action.json").write_text(
        json.dumps({"entry": {"procedure": "mine_block", "args": ["stone"], "items": None, "steps": 3}})
    )
    (folder / "outcome.json").write_text(json.dumps({"inventory_delta": {"cobblestone": 2}, "events": None}))
    (folder / "state/state.json").write_text(json.dumps({"pos": {"x": 1, "y": 2, "z": 3}, "mainhand": None}))
    assert verdict(tmp_path, "Mining stone gave 2 cobblestone [ep_000001]") == "supported"
    assert verdict(tmp_path, "Smelting it works [ep_000001]") == "not checkable"
    assert verdict(tmp_path, "Digging stone was slow [ep_000001]") == "supported"
    assert verdict(tmp_path, "Digging with bare hands was slow [ep_000001]") == "not checkable"
    assert verdict(tmp_path, "Held with bare hands [ep_000001]") == "not checkable"
    assert verdict(tmp_path, "It took damage [ep_000001]") == "not checkable"
    assert verdict(tmp_path, "It gave 3 cobblestone [ep_000001]") == "contradicted"


def test_health_that_fell_is_damage_although_no_event_says_so(tmp_path):
    step = collect_log(0)
    quiet = replace(step, outcome=replace(step.outcome, events=()))
    with Recorder.open(tmp_path, source="s") as recorder:
        recorder.initial(seen(0))
        hurt = replace(seen(1), vitals=replace(seen(1).vitals, health=seen(1).vitals.health - 3))
        recorder.write(goal="a log", steps=[quiet], after=hurt)
        recorder.write(goal="a log", steps=[replace(quiet, before=hurt)], after=hurt)
    assert verdict(tmp_path, "It was hurt [ep_000001]") == "supported"
    assert verdict(tmp_path, "It was hurt [ep_000002]") == "contradicted"
    assert verdict(tmp_path, "It took 3 damage [ep_000001]") == "contradicted"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b'{"entry": 3, "inventory_delta": [], "pos": {"x": "a"}}',
        b'{"events": [1, null]}',
    ],
)
def test_files_that_cannot_be_read_tell_nothing_and_contradict_nothing(tmp_path, content):
    folder = tmp_path / "episodes/ep_000001"
    (folder / "state").mkdir(parents=True)
    (tmp_path / "index.jsonl").write_text('{"id": "ep_000001", "summary": null}\n')
    for name in ("action.json", "outcome.json", "state/state.json", "steps.json"):
        (folder / name).write_bytes(content)
    facts = read_facts(folder, "ep_000001")
    assert (facts.delta, facts.kinds, facts.held, facts.places) == (None, (), frozenset(), ())
    text = "Mining stone with a stone_pickaxe gave 2 raw_iron at (900, 900) [ep_000001]"
    assert verdict(tmp_path, text) == "not checkable"


def test_names_are_known_in_the_plural_and_the_longest_first():
    names = frozenset({"oak_log", "stick", "oak_planks", "stone", "stone_pickaxe", "torch"})
    assert known_name("sticks.", names) == ("stick", 6)
    assert known_name(" oak planks", names) == ("oak_planks", 11)
    assert known_name("stone pickaxes", names) == ("stone_pickaxe", 14)
    assert known_name("torches", names) == ("torch", 7)
    assert known_name("stone, pickaxe", names) == ("stone", 5)
    assert known_name("nothing", names) is None


@given(st.text(max_size=80))
def test_any_text_says_something_or_nothing(text):
    for each in statements(text, frozenset({"stick"})):
        assert each.said
