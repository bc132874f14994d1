import pytest

from csd.episode import (
    Attack,
    Collect,
    Craft,
    Drop,
    Eat,
    Equip,
    GoTo,
    LookAt,
    Mine,
    Outcome,
    Place,
    Smelt,
    Step,
    WaitUntil,
)
from echo.mfm.episodic.documents import Entry, action_document, index_row
from echo.mfm.episodic.objects import LONGEST, object_of
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.query.ask import ask
from echo.mfm.query.question import Question
from tests.mfm.episodic.sample_steps import collect_log, craft_planks, seen


def step(action, code="ok", message="", **delta) -> Step:
    return Step(
        before=seen(0), action=action, outcome=Outcome(code=code, message=message, inventory_delta=delta)
    )


def summary(*steps: Step, goal: str = "g") -> str:
    return index_row("ep_000001", Entry(goal=goal, steps=steps, after=seen(1)), attachment=None)["summary"]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (GoTo(target=(1, -2, 3)), "(1,-2,3)"),
        (LookAt(target=(0, 0, 0)), "(0,0,0)"),
        (Mine(target=(1, 2, 3)), "(1,2,3)"),
        (Collect(block="oak_log"), "oak_log"),
        (Craft(grid=(("b", "a"), ("b", None))), "b+a"),
        (Craft(grid=((None,),)), "nothing"),
        (Smelt(input="raw_iron", fuel="coal"), "raw_iron with coal"),
        (Place(item="chest", target=(1, 2, 3)), "chest"),
        (Equip(item=None), "nothing"),
        (Eat(item="apple"), "apple"),
        (Attack(mob="zombie"), "zombie"),
        (Drop(item="dirt", amount=3), "3 dirt"),
        (WaitUntil(condition="day"), "day"),
        (Collect(block="x" * 61), "x" * 57 + "..."),
        (Collect(block="x" * 60), "x" * 60),
    ],
)
def test_the_object_of_an_action_is_told_in_a_few_words(action, words):
    assert object_of(action) == words
    assert len(words) <= LONGEST


def test_a_summary_names_the_object_and_how_it_ended():
    assert summary(step(Collect(block="diamond"), "not_seen")) == "g: collect diamond not_seen"
    assert summary(craft_planks(0)) == "g: craft oak_log ok, -1 oak_log +4 oak_planks"


def test_a_summary_tells_the_end_of_the_action_it_names_and_that_of_the_last():
    went = step(GoTo(target=(1, 2, 3)), "out_of_reach")
    assert summary(craft_planks(0), went) == (
        "g: craft oak_log ok, then go_to (1,2,3) out_of_reach, -1 oak_log +4 oak_planks"
    )


def test_a_summary_counts_failures_that_it_does_not_name():
    failed = step(Craft(grid=(("dirt",),)), "no_result")
    assert summary(failed, step(Collect(block="a"))) == "g: collect a ok (1 of 2 failed)"
    assert summary(failed, failed) == "g: craft dirt no_result (2 of 2 failed)"
    assert summary(step(Collect(block="a")), failed) == "g: craft dirt no_result"


def test_a_long_object_leaves_room_for_what_came_of_it():
    grid = tuple(tuple(f"{'very_' * 10}long_item_{row}{column}" for column in range(3)) for row in range(3))
    told = summary(step(Craft(grid=grid), "no_result"))
    assert told.endswith("... no_result")
    assert len(told) <= 220


def test_each_action_tells_how_it_ended_beside_its_own_fields():
    steps = (step(Collect(block="oak_log"), "not_seen", "none in sight"), collect_log(1))
    items = action_document(Entry(goal="g", steps=steps, after=seen(2)))["entry"]["items"]
    assert items == [
        {"kind": "collect", "block": "oak_log", "code": "not_seen", "message": "none in sight"},
        {"kind": "collect", "block": "oak_log", "code": "ok", "message": "1 oak_log"},
    ]


@pytest.mark.parametrize(
    "question",
    [Question(grep="no_result"), Question(grep="THE DOOR IS LOCKED"), Question(text="door locked")],
    ids=["code", "message", "words"],
)
def test_a_failure_in_the_middle_of_an_episode_is_found(tmp_path, question):
    failed = step(Craft(grid=(("dirt",),)), "no_result", "the door is locked")
    with Recorder.open(tmp_path, source="s") as recorder:
        recorder.write(goal="g", steps=[collect_log(0)], after=seen(1))
        recorder.write(goal="g", steps=[failed, collect_log(1)], after=seen(2))
    assert [row["id"] for row in ask(tmp_path, question).rows] == ["ep_000002"]
