from __future__ import annotations

from pathlib import Path

import pytest

from csd.chat import ScriptedModel, prompt_digest
from csd.episode import Collect, Observation, Outcome
from echo.mfm.episodic.begin import begin_life, begin_memory
from echo.mfm.episodic.examine import examine_memory
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.folder import MemoryFolder
from echo.mfm.mine.writable import Mine
from echo.mfm.options import MemoryOptions
from echo.mfm.procedural.library import Library
from echo.mfm.turns.acting import MOST_COMMANDS
from echo.mfm.turns.harness import Harness, Milestone, TurnSettings
from echo.mfm.turns.record import Turn, Viewed, read_turns
from echo.mfm.turns.tools import Told, Tool
from tests.mfm.episodic.sample_steps import picture, seen

CHOP = '''"""Collect logs."""

PROCEDURE = {
    "name": "chop",
    "about": "Collect logs.",
    "parameters": {"count": {"default": 2}},
    "needs": {},
    "expects": {},
    "evidence": [],
}


def run(seen, count=2):
    for _ in range(count):
        yield collect("oak_log")
'''


class Wood:
    """A world in which collecting gives a log, except the fourth time."""

    source = "wood"

    def __init__(self) -> None:
        self.done = 0
        self.logs = 0

    def act(self, action) -> Outcome:
        if not isinstance(action, Collect):
            raise ValueError(f"expected to collect, got {action.kind}.")
        self.done += 1
        if self.done == 4:
            return Outcome(code="not_seen", message="expected oak_log in sight; got none")
        self.logs += 1
        return Outcome(code="ok", message="1 oak_log", inventory_delta={"oak_log": 1}, block="oak_log")

    def observe(self, frame: bool = False) -> Observation:
        held = {"oak_log": self.logs} if self.logs else {}
        return seen(self.done, frame=picture(self.done) if frame else None, **held)


LOG = '{"act": {"kind": "collect", "block": "oak_log"}}'
LOOK = Tool(
    name="inspect",
    usage='{"episode": ...}',
    about="Open an episode",
    ask=lambda asked: Told(text=f"seen {asked['episode']}", images=(b"PNG",), viewed=(asked["episode"],)),
)
QUERY = Tool(name="query", usage="{}", about="Search", ask=lambda asked: Told(text="two episodes"))


def take(root: Path, replies: list[str], tools=(LOOK, QUERY), **settings) -> tuple[list[Turn], ScriptedModel]:
    """Take turns until the script is used up."""
    model = ScriptedModel(replies)
    turns = []
    with Recorder.open(root, source="wood") as recorder:
        harness = Harness(recorder, Wood(), model, tools, TurnSettings(goal="wood", **settings))
        while len(model.asked) < len(replies):
            turns.append(harness.take_turn())
    return turns, model


def test_a_turn_ends_with_the_act_and_is_written_down_with_its_episode(tmp_path: Path):
    (turn,), model = take(
        tmp_path,
        [f'{{"plan": "to the trees at (3, 64, -4)"}}\n{LOG[:-1]}, "repeat": 2}}'],
        milestones=(
            Milestone(name="two", item="oak_log", count=2),
            Milestone(name="many", item="oak_log", count=9),
        ),
    )
    assert (turn.turn, turn.first_step, turn.last_step, turn.at) == (1, 0, 2, (1.5, -3.25))
    assert (turn.plan, turn.destinations) == ("to the trees at (3, 64, -4)", ((3.0, -4.0),))
    assert (turn.episodes, turn.milestones, turn.failure) == (("ep_000001",), ("two",), None)
    assert turn.commands[1].output == "ep_000001: collect 2 times, 1 oak_log (+2 oak_log)"
    assert turn.calls[0].prompt_digest == prompt_digest(model.asked[0])
    assert read_turns(tmp_path).turns == (turn,)
    rows = list(MemoryFolder(tmp_path).rows())
    assert [row["id"] for row in rows] == ["ep_000000", "ep_000001"]
    assert rows[1]["summary"].startswith("to the trees at (3, 64, -4): collect oak_log ok, +2 oak_log")


def test_what_only_asks_is_answered_with_pictures_and_the_turn_goes_on(tmp_path: Path):
    (turn,), model = take(tmp_path, ['{"inspect": {"episode": "ep_000000"}}', LOG])
    assert turn.viewed == (Viewed(episode="ep_000000", at=(1.5, -3.25)),)
    assert [message.role for message in model.asked[1]] == ["system", "user", "assistant", "user"]
    answer = model.asked[1][-1]
    assert answer.text.endswith("-> seen ep_000000")
    assert answer.images == (b"PNG",)
    assert len(turn.calls) == 2


def test_the_first_surprise_drops_the_rest_of_the_turn_and_is_told_in_the_next(tmp_path: Path):
    turns, model = take(tmp_path, [f'{LOG[:-1]}, "repeat": 9}}\n{LOG}\n{{"end": true}}', LOG])
    assert turns[0].last_step == 4
    assert not turns[0].commands[-1].ok
    assert "surprise: expected ok, got not_seen" in turns[0].commands[-1].output
    assert turns[0].commands[-1].output.endswith("(2 more commands were dropped)")
    assert "surprise: expected ok, got not_seen" in model.asked[1][1].text
    assert MemoryFolder(tmp_path).outcome("ep_000001")["tags"][-1] == "surprise"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ('{"act": {"kind": "dance"}}', "expected an action"),
        ('{"act": {"kind": "go_to", "target": [1, 2, 3]}}', "expected to collect, got go_to"),
        ('{"act": {"kind": "look"}}', "expected an action in the world, got look"),
        (f'{LOG[:-1]}, "repeat": 0}}', "expected to repeat 1 to 64 times, got 0"),
        ('{"plan": 7}', "expected a plan in words, got 7"),
        ('{"plan": "x", "destination": "there"}', r"expected a destination \[x, z\], got 'there'"),
        ('{"plan": "x", "destination": [NaN, 1]}', "expected a destination [x, z], got [nan, 1]"),
        (f'{{"plan": "x", "destination": [{"9" * 400}, 0]}}', "expected a destination [x, z], got [999"),
        ('{"act": {"kind": "go_to", "target": [99999999999, 0, 0]}}', "expected a target in the world"),
        ('{"query": "oak"}', "expected {} for query, got 'oak'"),
        ('{"run": 3}', 'expected {"run": "NAME"'),
        ('{"run": "nothing"}', "nothing"),
        ('{"reflex": "nothing"}', "nothing"),
        ('{"act": {"kind": "collect"', "not understood: expected JSON"),
    ],
)
def test_a_command_that_cannot_be_carried_out_is_told_back_and_harms_nothing(tmp_path, reply, told):
    (turn,), model = take(tmp_path, [reply, '{"end": true}'])
    assert told.replace("\\", "") in turn.commands[0].output
    assert not turn.commands[0].ok
    assert told.replace("\\", "") in model.asked[1][-1].text
    assert turn.last_step == 0


def test_a_model_that_fails_or_says_nothing_usable_is_a_turn_with_a_failure(tmp_path: Path):
    with Recorder.open(tmp_path, source="wood") as recorder:
        harness = Harness(recorder, Wood(), ScriptedModel(["I do not know."]), (), TurnSettings(goal="wood"))
        assert harness.take_turn().failure == "the model's reply holds no command"
        assert "the model did not answer" in (harness.take_turn().failure or "")
    assert [turn.turn for turn in read_turns(tmp_path).turns] == [1, 2]


def test_a_turn_asks_no_more_often_than_it_may(tmp_path: Path):
    turns, _ = take(tmp_path, ['{"query": {}}'] * 6, calls=3)
    assert [len(turn.calls) for turn in turns] == [3, 3]


def test_the_block_tells_recent_episodes_and_places_but_not_to_a_direct_agent(tmp_path: Path):
    _, model = take(tmp_path / "whole", [LOG, LOG])
    told = model.asked[1][1].text
    assert [line for line in told.split("\n") if line.startswith("[")][:3] == [
        "[STATE]",
        "[LAST TURN]",
        "[RECENT]",
    ]
    assert "[MAP]" in told
    assert "ep_000001  steps 1-1" in told
    _, direct = take(tmp_path / "direct", ['{"query": {}}', LOG, LOG], direct=True)
    assert "not understood" in direct.asked[1][-1].text
    assert "ep_000001  steps" not in direct.asked[2][1].text
    assert "[MAP]" not in direct.asked[2][1].text
    assert '{"query"' not in direct.asked[0][0].text


@pytest.mark.parametrize(
    ("off", "missing"),
    [("index", '{"query"'), ("procedures", '{"run"')],
)
def test_what_the_options_switch_off_is_not_in_the_brief_and_cannot_be_said(tmp_path, off, missing):
    begin_memory(tmp_path, options=MemoryOptions(**{off: False}))
    _, model = take(tmp_path, [LOG, LOG])
    assert missing not in model.asked[0][0].text
    assert ("[RECENT]" in model.asked[1][1].text) is (off != "index")


def test_a_memory_without_frames_keeps_none_and_shows_none(tmp_path: Path):
    begin_memory(tmp_path, options=MemoryOptions(frames=False))
    (turn,), _ = take(tmp_path, [f'{LOG}\n{{"look": true}}'])
    assert "frames are switched off" in turn.commands[1].output
    assert list(tmp_path.rglob("*.png")) == []


def test_what_the_agent_writes_is_named_and_told_in_the_brief_from_then_on(tmp_path: Path):
    def write(asked) -> Told:
        Mine(tmp_path).write("notes.md", "- logs come from trees [ep_000000]\n", by="agent", why="seen")
        return Told(text="kept")

    tool = Tool(name="remember", usage="{}", about="Keep a note", ask=write)
    turns, model = take(tmp_path, ['{"remember": {}}\n{"end": true}', LOG], tools=(tool,))
    assert turns[0].changed == ("notes.md",)
    assert "logs come from trees" not in model.asked[0][0].text
    assert "# /memories/notes.md\n- logs come from trees" in model.asked[1][0].text
    assert set(read_turns(tmp_path).briefs) == {turn.brief for turn in turns}


def test_episodes_are_consolidated_in_batches_unless_that_is_switched_off(tmp_path: Path):
    for folder, on in (("on", True), ("off", False)):
        begin_memory(tmp_path / folder, options=MemoryOptions(consolidation=on))
        take(tmp_path / folder, [LOG, LOG, LOG], batch=3)
        assert (tmp_path / folder / "mine" / "digest.md").exists() is on


def test_turns_go_on_counting_when_a_harness_is_begun_again(tmp_path: Path):
    first, _ = take(tmp_path, [LOG], milestones=(Milestone(name="log", item="oak_log"),))
    second, _ = take(tmp_path, [LOG], milestones=(Milestone(name="log", item="oak_log"),))
    assert [turn.turn for turn in (*first, *second)] == [1, 2]
    assert [turn.milestones for turn in (*first, *second)] == [("log",), ()]


def test_action_files_name_the_turn_the_plan_and_the_procedure_that_was_run(tmp_path: Path):
    begin_memory(tmp_path)
    Library(tmp_path).save("chop", CHOP, by="agent", why="to have it")
    plan = '{"plan": "chop a little"}'
    take(tmp_path, [f"{plan}\n{LOG}", f'{plan}\n{{"run": "chop", "args": {{"count": 1}}}}'])
    acted, run = (MemoryFolder(tmp_path).action(f"ep_00000{number}") for number in (1, 2))
    assert (acted["turn"], acted["plan"], acted["entry"]["procedure"]) == (1, "chop a little", None)
    assert (run["turn"], run["plan"]) == (2, "chop a little")
    assert (run["entry"]["procedure"], run["entry"]["args"]) == ("chop", {"count": 1})
    assert examine_memory(tmp_path).flaws == ()


def test_a_new_life_begins_with_an_initial_state_of_its_own(tmp_path: Path):
    take(tmp_path, [LOG])
    begin_life(tmp_path)
    take(tmp_path, [LOG])
    assert [(row["id"], row["kind"]) for row in MemoryFolder(tmp_path).rows()] == [
        ("ep_000002", "initial"),
        ("ep_000003", "episode"),
    ]


def test_a_plan_with_places_beyond_all_worlds_names_no_destination(tmp_path: Path):
    (turn,), _ = take(tmp_path, [f'{{"plan": "to ({"9" * 400}, 5) or (3, 4)"}}\n{{"end": true}}'])
    assert turn.destinations == ((3.0, 4.0),)


def test_a_reply_may_hold_so_many_commands_and_each_answer_so_many_characters(tmp_path: Path):
    long = Tool(name="query", usage="{}", about="Search", ask=lambda asked: Told(text="x" * 20_000))
    (turn,), _ = take(tmp_path, ['{"query": {}} ' * 70, '{"end": true}'], tools=(long,))
    assert len(turn.commands) == MOST_COMMANDS + 2
    assert "(8,000 characters cut)" in turn.commands[0].output
    assert turn.commands[MOST_COMMANDS].output == (
        "expected at most 64 commands in a reply\n(5 more commands were dropped)"
    )


def test_a_frame_of_an_earlier_life_is_viewed_where_it_was_recorded(tmp_path: Path):
    take(tmp_path, [LOG])
    begin_life(tmp_path)
    reply = '{"inspect": {"episode": "ep_000001"}} {"inspect": {"episode": "life_1/ep_000001"}}'
    (turn,), _ = take(tmp_path, [reply, LOG])
    assert [viewed.at for viewed in turn.viewed] == [(1.5, -3.25)] * 2


def test_the_brief_tells_saved_procedures_with_how_their_runs_went(tmp_path: Path):
    begin_memory(tmp_path)
    Library(tmp_path).save("chop", CHOP, by="agent", why="to have it")
    _, model = take(tmp_path, ['{"run": "chop"}', LOG])
    told = [message[0].text for message in model.asked]
    assert "  chop   Collect logs. (0 of 0 runs succeeded)" in told[0]
    assert "  chop   Collect logs. (1 of 1 runs succeeded)" in told[1]
