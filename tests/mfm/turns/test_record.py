from __future__ import annotations

from pathlib import Path

from echo.mfm.turns.record import Call, Done, Turn, Viewed, read_turns, write_brief, write_turn

WHOLE = Turn(
    turn=3,
    life=2,
    first_step=10,
    last_step=14,
    at=(1.5, -2.0),
    model="scripted",
    brief="abc",
    block="[STATE]\nstep 10",
    plan="to the river \ud83c",
    destinations=((4.0, 5.5),),
    calls=(
        Call(prompt_digest="d", completion="{}", prompt_tokens=3, completion_tokens=None, money=0.5, seed=0),
    ),
    commands=(Done(command='{"end": true}', output="", ok=True),),
    changed=("notes.md",),
    viewed=(Viewed(episode="ep_000001", at=None),),
    episodes=("ep_000002",),
    milestones=("log",),
    failure=None,
)


def test_a_turn_comes_back_as_it_was(tmp_path: Path):
    write_turn(tmp_path, WHOLE)
    assert read_turns(tmp_path).turns == (WHOLE,)


def test_a_brief_is_kept_by_its_digest_and_is_no_turn(tmp_path: Path):
    write_brief(tmp_path, "abc", "You are ...")
    write_turn(tmp_path, WHOLE)
    held = read_turns(tmp_path)
    assert (held.turns, held.briefs, held.unread) == ((WHOLE,), {"abc": "You are ..."}, 0)


def test_lines_of_other_versions_are_counted_and_the_rest_is_read(tmp_path: Path):
    write_turn(tmp_path, WHOLE)
    with (tmp_path / "turns.jsonl").open("a") as file:
        file.write('{"kind": "turn", "turn": 4}\n{"kind": "turn", "to')
    held = read_turns(tmp_path)
    assert (held.turns, held.unread) == ((WHOLE,), 2)


def test_a_folder_without_turns_has_none(tmp_path: Path):
    assert read_turns(tmp_path).turns == ()
