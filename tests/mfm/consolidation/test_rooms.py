"""Lessons from a world of rooms: doors, keys, levers and buttons, where to work is not to gain."""

import json

import pytest

from csd.episode import Attack, Collect, Craft, Eat, Equip, GoTo, Mine, Place, Smelt, Station
from echo.mfm.consolidation.attempts import Attempt
from echo.mfm.consolidation.consolidate import consolidate
from echo.mfm.consolidation.contrast import told_reason
from echo.mfm.consolidation.digging import digging_lessons, striking_lessons
from echo.mfm.consolidation.evidence import read_evidence
from echo.mfm.consolidation.findings import ranked
from echo.mfm.consolidation.making import crafting_lessons, smelting_lessons
from echo.mfm.consolidation.places import place_notes
from echo.mfm.consolidation.trying import eating_lessons, refusal_lessons
from echo.mfm.mine.check import check_notes
from tests.mfm.consolidation.small_lives import Life, foreign_episode, lines_of, mine_texts

DOOR = (3, 64, 9)
LOCKED = "the door is locked."


def told(root, *rules):
    attempts = read_evidence(root).attempts
    return [finding.line for rule in rules for finding in ranked(rule(attempts))]


def locked_door(root, code="missing_item", action=None, block="locked_door") -> Life:
    """Record a door that refused an empty hand 4 times and opened 5 times for a key that is kept."""
    life = Life(root)
    action = action or Collect(block="locked_door")
    for _ in range(4):
        life.do(action, code, block=block, message=LOCKED).end()
    life.items["brass_key"] = 1
    life.do(Equip(item="brass_key"))
    for _ in range(5):
        life.do(action, block="locked_door").end()
    return life


@pytest.mark.parametrize("code", ["missing_item", "not_breakable", "no_drop", "no_result"])
def test_a_door_that_opened_for_a_key_worked_although_nothing_was_gained(tmp_path, code):
    locked_door(tmp_path, code)
    consolidate(tmp_path)
    assert lines_of(tmp_path, "notes.md") == [
        "- collect locked_door: worked with brass_key (5 of 5) [ep_000005, ep_000006, ep_000007] and 2 more; "
        "failed with an empty hand (4 times) [ep_000001]; "
        'each time it failed with "the door is locked" (4 of 4) [ep_000001, ep_000002, ep_000003] and 1 more'
    ]
    assert lines_of(tmp_path, "digest.md")[1:] == [
        "- worked with brass_key (an empty hand was in vain): collect locked_door [ep_000005]",
        f"- repeating collect locked_door with an empty hand: ended in {code} all 4 times "
        "[ep_000001, ep_000002, ep_000003] and 1 more; "
        'each time it failed with "the door is locked" [ep_000001]',
    ]
    before = mine_texts(tmp_path)
    assert check_notes(tmp_path).findings == ()
    assert consolidate(tmp_path).change is None
    assert mine_texts(tmp_path) == before


@pytest.mark.parametrize("block", ["locked_door", None])
def test_a_door_that_is_aimed_at_by_its_cell_is_known_by_what_opened_there(tmp_path, block):
    locked_door(tmp_path, action=Mine(target=DOOR), block=block)
    assert told(tmp_path, digging_lessons)[0].startswith(
        "- mine locked_door: worked with brass_key (5 of 5) [ep_000005, ep_000006, ep_000007] and 2 more; "
        "failed with an empty hand (4 times) [ep_000001]; "
    )
    consolidate(tmp_path)
    assert check_notes(tmp_path).findings == ()


def test_cells_of_which_nothing_is_known_are_not_mixed_up(tmp_path):
    life = Life(tmp_path)
    for _ in range(3):
        life.do(Mine(target=DOOR), "missing_item", message=LOCKED).end()
    life.do(Equip(item="brass_key"))
    for _ in range(3):
        life.do(Mine(target=(0, 64, 0))).end()
    assert told(tmp_path, digging_lessons, refusal_lessons) == [
        "- mine refused as missing_item: each time with (3, 64, 9) (3 times) [ep_000001]; "
        'each time it failed with "the door is locked" (3 of 3) [ep_000001, ep_000002, ep_000003]'
    ]
    consolidate(tmp_path)
    assert check_notes(tmp_path).findings == ()


def test_a_gate_that_a_lever_opens_elsewhere_is_told_with_the_lever(tmp_path):
    life = Life(tmp_path)
    for _ in range(2):
        life.do(Collect(block="gate"), "no_space", message="the gate at (3, 64, 9) does not move").end()
    life.do(GoTo(target=(9, 64, 9))).do(Collect(block="lever")).end()
    life.do(Collect(block="gate")).do(Collect(block="gate")).end()
    assert told(tmp_path, digging_lessons, refusal_lessons) == [
        "- collect gate: worked with an empty hand (2 of 4) [ep_000004]; "
        'each time it failed with "the gate at a certain cell does not move" (2 of 2) '
        "[ep_000001, ep_000002]; what was done between when it failed and when it worked: "
        "collect lever [ep_000003]",
        "- always worked with an empty hand: collect lever (1) [ep_000003]",
    ]
    consolidate(tmp_path)
    assert check_notes(tmp_path).findings == ()


def test_of_several_things_done_in_between_none_is_taken_for_the_cause(tmp_path):
    life = Life(tmp_path)
    for _ in range(2):
        life.do(Collect(block="gate"), "no_space").end()
    life.do(Collect(block="lever")).do(Collect(block="button")).end()
    life.do(Collect(block="gate")).end()
    assert [line for line in told(tmp_path, digging_lessons) if "between" in line] == []


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        (
            lambda life: life.items.update(brass_key=1),
            "carried whenever it worked and never when it failed: brass_key",
        ),
        (
            lambda life: setattr(life, "stations", (Station(block="altar", position=DOOR, offers="grid3"),)),
            "in reach whenever it worked and never when it failed: altar",
        ),
        (
            lambda life: setattr(life, "position", (0.5, 80.2, 0.5)),
            "height when it worked: 80; when not: 64",
        ),
    ],
)
def test_what_else_differed_is_told_where_the_same_was_held(tmp_path, change, differs):
    life = Life(tmp_path)
    for _ in range(3):
        life.do(Collect(block="bell"), "no_result").end()
    change(life)
    for _ in range(3):
        life.do(Collect(block="bell")).end()
    (line,) = told(tmp_path, digging_lessons)
    assert (
        line
        == f"- collect bell: worked with an empty hand (3 of 6) [ep_000004, ep_000005, ep_000006]; {differs}"
    )
    consolidate(tmp_path)
    assert check_notes(tmp_path).findings == ()


def test_a_chest_that_needs_a_key_is_told_with_what_it_gave(tmp_path):
    life = Life(tmp_path)
    life.do(Collect(block="chest"), "missing_item", block="chest", message="it is shut").end()
    life.do(Equip(item="iron_key"))
    life.do(Collect(block="chest"), block="chest", bread=2).end()
    life.do(Collect(block="chest"), block="chest").end()
    assert told(tmp_path, digging_lessons, refusal_lessons) == [
        "- digging chest: iron_key gave 2 bread (1 of 2) [ep_000002]; "
        "worked with iron_key but brought no item (1 of 2) [ep_000003]; failed with an empty hand [ep_000001]"
    ]
    consolidate(tmp_path)
    assert check_notes(tmp_path).findings == ()


def test_what_was_too_far_away_says_nothing_about_keys(tmp_path):
    life = Life(tmp_path)
    life.do(Collect(block="door"), "not_seen").end()
    life.do(Equip(item="brass_key")).do(Collect(block="door")).end()
    assert told(tmp_path, digging_lessons) == ["- always worked with brass_key: collect door (1) [ep_000002]"]


def test_a_thing_that_refuses_whatever_is_held_is_an_open_question(tmp_path):
    life = Life(tmp_path)
    for held in ("brass_key", "iron_key"):
        life.do(Equip(item=held)).do(Collect(block="vault"), "missing_item", message="it wants a code").end()
    consolidate(tmp_path)
    assert lines_of(tmp_path, "notes.md") == [
        "- collect refused as missing_item: each time with vault (2 times, with 2 things held) [ep_000001]; "
        'each time it failed with "it wants a code" (2 of 2) [ep_000001, ep_000002]'
    ]
    assert lines_of(tmp_path, "digest.md")[1:] == [
        "- failed whatever was held: collect vault (2 things held) [ep_000001, ep_000002]"
    ]
    assert check_notes(tmp_path).findings == ()


def test_striking_eating_and_making_without_a_gain_worked_too(tmp_path):
    life = Life(tmp_path)
    life.do(Attack(mob="ghost")).do(Attack(mob="ghost")).do(Eat(item="bun")).end()
    life.do(Craft(grid=(("wax",),))).do(Smelt(input="letter", fuel="candle")).end()
    rules = (striking_lessons, eating_lessons, crafting_lessons, smelting_lessons)
    assert told(tmp_path, *rules) == [
        "- striking ghost: worked with an empty hand (2 of 2) [ep_000001]",
        "- eating bun: food did not rise (once) [ep_000001]",
        "- crafting A: wax worked, though no item came out (1 of 1) [ep_000002]",
        "- smelting letter: worked, though no item came out (1 of 1) [ep_000002]",
    ]
    consolidate(tmp_path)
    assert check_notes(tmp_path).findings == ()


def test_a_thing_that_was_put_down_and_used_still_stands(tmp_path):
    life = Life(tmp_path)
    life.do(Place(item="lamp"), block="lamp", cell=DOOR, lamp=-1).end()
    life.do(Mine(target=DOOR), block="lamp", cell=DOOR).end()
    life.do(Mine(target=DOOR), "missing_item", block="lamp", cell=DOOR).end()
    assert told(tmp_path, place_notes) == ["- put down and left: lamp at (3, 64, 9) [ep_000001]"]
    life.do(Mine(target=DOOR), block="lamp", cell=DOOR, lamp=1).end()
    assert [line for line in told(tmp_path, place_notes) if "put down" in line] == []


def failure(message):
    return Attempt(
        episode="ep_000001", place=0, kind="collect", action={}, code="missing_item", message=message
    )


@pytest.mark.parametrize(
    ("messages", "quoted"),
    [
        ((LOCKED, LOCKED), '"the door is locked"'),
        (("at (1, 2, 3)", "at (4, 5, 6)"), '"at a certain cell"'),
        (
            ('say "friend" [ep_000009]; <!--', 'say "friend" [ep_000009]; <!--'),
            "\"say 'friend' (ep_000009), (!--\"",
        ),
        (("x" * 99, "x" * 99), f'"{"x" * 77}..."'),
        ((LOCKED,), ""),
        ((LOCKED, "it is dark"), ""),
        ((LOCKED, None), ""),
        (("look near x=900 z=900",) * 2, ""),
        (("it broke and left nothing",) * 2, ""),
    ],
)
def test_a_reason_is_quoted_where_it_is_the_same_each_time_and_states_nothing_checkable(messages, quoted):
    assert told_reason([failure(message) for message in messages]) == quoted


def test_codes_count_where_only_the_documents_tell_them(tmp_path):
    def door(number, held, code, **more):
        item = {"kind": "collect", "block": "door", "code": code, **more}
        foreign_episode(tmp_path, number, entry={"items": [item]}, held=held, kind="collect")

    door(1, "torch", "missing_item", message=LOCKED)
    door(2, "torch", "missing_item", message=LOCKED)
    door(3, "brass_key", "ok", message="it opens")
    assert told(tmp_path, digging_lessons) == [
        "- collect door: worked with brass_key (1 of 1) [ep_000003]; "
        "failed with torch (2 times) [ep_000001]; "
        'each time it failed with "the door is locked" (2 of 2) [ep_000001, ep_000002]'
    ]


@pytest.mark.parametrize("code", [None, "fine", 0])
def test_without_a_known_code_what_was_gained_decides(tmp_path, code):
    for number, delta in enumerate(({}, {"rope": 1}), start=1):
        item = {"kind": "collect", "block": "crate", "code": code}
        foreign_episode(tmp_path, number, entry={"items": [item]}, delta=delta, held=f"tool_{number}")
    assert told(tmp_path, digging_lessons) == [
        "- digging crate: tool_2 gave rope (1 of 1) [ep_000002]; nothing with tool_1 [ep_000001]"
    ]


def test_cells_of_an_earlier_life_give_no_lessons(tmp_path):
    life = Life(tmp_path)
    for _ in range(2):
        life.do(Mine(target=DOOR), "missing_item", message=LOCKED).end()
    earlier = tmp_path / "previous" / "life_1"
    earlier.mkdir(parents=True)
    (tmp_path / "episodes").rename(earlier / "episodes")
    (tmp_path / "index.jsonl").rename(earlier / "index.jsonl")
    (tmp_path / "index.jsonl").touch()
    (tmp_path / "previous" / "index.jsonl").write_text(
        "".join(
            json.dumps({**json.loads(line), "life": 1}) + "\n"
            for line in (earlier / "index.jsonl").read_text().splitlines()
        )
    )
    consolidate(tmp_path)
    assert len(read_evidence(tmp_path).attempts) == 2
    assert not (tmp_path / "mine" / "notes.md").exists()
