"""A model as the reasoner: what it is asked, what is tried of it, and that every decision is counted."""

from __future__ import annotations

import json

import pytest

from csd.axes import AXES, Axis
from csd.chat import ModelError, ScriptedModel
from csd.encode import HashingEncoder
from echo.agent.arrangement import Arrangement
from echo.agent.model_experiences import AlongAxes, AsRecalled, Nothing, described
from echo.agent.model_policy import ModelOptions, ModelPolicy
from echo.agent.policy import NoMemory, Prospects
from ical.asking.round import Bounds
from tests.agent.test_transfer import BOARDS_SHOWN, ITEMS, PICK_SHOWN, SHUTTER_SHOWN, policy_that_saw

PICK_OF_BOARDS = [["board", "board", "board"], [None, "rod", None], [None, "rod", None]]
LAID = Arrangement("AAA/.B./.B.", ("board", "rod"))
QUIET = ModelOptions(bounds=Bounds(verifies=False, repairs=1, lays=True), plans=False)


def prospects(held=None, ways=5, items=ITEMS, offers=("grid3",)):
    return Prospects(
        items=items,
        held=held if held is not None else {"board": 3, "rod": 2},
        prices=dict.fromkeys(items, 1.0),
        offers=offers,
        ways=ways,
    )


def answer(*grids, like="E1"):
    return json.dumps(
        {
            "tasks": [
                {"like": like, "goal": "of boards", "actions": [{"do": "craft", "grid": grid}], "assert": []}
                for grid in grids
            ]
        }
    )


def thinking(*replies, csds=(PICK_SHOWN, SHUTTER_SHOWN), options=QUIET, axes=AXES, **more):
    model = ScriptedModel(replies)
    policy = ModelPolicy(policy_that_saw(), model, AlongAxes(HashingEncoder(), axes), options=options, **more)
    for csd in csds:
        policy.remember(csd)
    return policy, model


def test_an_answer_becomes_an_idea_with_task_exemplar_and_axes():
    policy, model = thinking(answer(PICK_OF_BOARDS, like="E2"))
    idea = policy.suggest(prospects())
    assert idea.arrangement == LAID
    assert idea.exemplars == (PICK_SHOWN.id,)
    assert sum(idea.axes.values()) == pytest.approx(1.0)
    assert idea.task.needs == {"board": 3, "rod": 2}
    assert idea.detail == "model: of boards"
    assert len(model.asked) == 1


def test_an_idea_stays_until_it_is_tried():
    policy, model = thinking(answer(PICK_OF_BOARDS))
    first, second = policy.suggest(prospects()), policy.suggest(prospects())
    assert first.arrangement == second.arrangement
    policy.judged(second, worked=True, new=True)
    assert policy.suggest(prospects()) is None
    assert len(model.asked) == 1
    assert (policy.use.tried, policy.use.worked, policy.use.new) == (1, 1, 1)


def test_of_two_ideas_the_second_follows_the_first():
    policy, _ = thinking(
        answer(PICK_OF_BOARDS, [["board"]]),
        options=ModelOptions(bounds=Bounds(verifies=False, lays=True), recovers=False),
    )
    first = policy.suggest(prospects())
    policy.set_aside(first, 5)
    assert policy.suggest(prospects()).arrangement == Arrangement("A", ("board",))


def test_an_idea_set_aside_is_not_proposed_until_more_ways_are_known():
    options = ModelOptions(bounds=Bounds(verifies=False, repairs=0, lays=True), recovers=False, pause=1)
    policy, _ = thinking(*[answer(PICK_OF_BOARDS)] * 3, options=options)
    policy.set_aside(policy.suggest(prospects()), 5)
    assert policy.suggest(prospects()) is None
    assert policy.suggest(prospects(ways=6)).arrangement == LAID


def test_useless_answers_leave_the_decision_to_the_explorer_and_are_counted():
    policy, model = thinking("no", "still no")
    assert policy.suggest(prospects()) is None
    assert policy.suggest(prospects()) is None
    use = policy.use
    assert (use.decisions, use.fallbacks, use.ideas) == (2, 2, 0)
    assert (use.rounds, use.unusable, len(use.calls), len(model.asked)) == (1, 1, 2, 2)


def test_it_is_asked_again_when_something_new_is_known():
    policy, model = thinking("no", "no", answer(PICK_OF_BOARDS))
    assert policy.suggest(prospects()) is None
    policy.remember(BOARDS_SHOWN)
    assert policy.suggest(prospects()).arrangement == LAID
    assert len(model.asked) == 3


def test_it_is_asked_again_after_a_pause_that_useless_answers_double():
    policy, model = thinking(*["no"] * 20, options=ModelOptions(bounds=Bounds(repairs=0), pause=2))
    for _ in range(12):
        policy.suggest(prospects())
    # At the 1st decision, then after 2 * 2 and 2 * 4 more.
    assert len(model.asked) == 2
    policy.suggest(prospects())
    assert len(model.asked) == 3


def test_every_decision_is_counted_once():
    options = ModelOptions(bounds=Bounds(verifies=False, repairs=0, lays=True), questions=2, recovers=False)
    policy, _ = thinking(answer(PICK_OF_BOARDS), "no", options=options)
    policy.judged(policy.suggest(prospects()), worked=True, new=True)
    policy.suggest(prospects())
    policy.remember(BOARDS_SHOWN)
    policy.suggest(prospects())
    policy.suggest(prospects())
    use = policy.use
    assert (use.ideas, use.resting, use.fallbacks, use.spent) == (1, 1, 0, 2)
    assert use.decisions == use.ideas + use.resting + use.fallbacks + use.spent


def test_a_failed_idea_is_mended_once():
    mended = [["board", "board", "board"], ["board", "board", "board"]]
    policy, model = thinking(answer(PICK_OF_BOARDS), answer(mended), "no", "no")
    first = policy.suggest(prospects())
    policy.failed(first.arrangement)
    policy.judged(first, worked=False, new=False)
    second = policy.suggest(prospects())
    assert second.arrangement == Arrangement("AAA/AAA", ("board",))
    assert "gave nothing" in model.asked[1][-1].text
    assert policy.use.calls[1].purpose == "recover"
    policy.failed(second.arrangement)
    policy.judged(second, worked=False, new=False)
    assert policy.suggest(prospects()) is None
    assert len(model.asked) == 2


def test_what_was_done_or_failed_before_is_not_proposed():
    policy, _ = thinking(answer([["plank"] * 3, [None, "rod", None], [None, "rod", None]]), "no")
    assert policy.suggest(prospects()) is None
    assert "not done before" in policy.use.calls[0].findings[0]


def test_the_memory_behind_goes_on_taking_everything_in():
    inner = policy_that_saw()
    policy = ModelPolicy(inner, ScriptedModel([]), Nothing(), options=QUIET)
    policy.remember(PICK_SHOWN)
    policy.failed(Arrangement("AAA/.B./.B.", ("feather", "rod")))
    assert len(inner.inducer.table.slots) == 2
    assert policy.penalty is inner.penalty


def test_a_masked_axis_leaves_no_text_in_any_prompt():
    policy, model = thinking(answer(PICK_OF_BOARDS), axes=(Axis.ATTR, Axis.INTER))
    idea = policy.suggest(prospects())
    text = model.asked[0][-1].text
    assert "\nattr: " in text
    assert all(f"\n{axis}: " not in text for axis in ("struct", "proc", "func"))
    assert "done:" not in text
    assert set(idea.axes) <= {"attr", "inter"}


def test_without_memory_nothing_is_shown_and_no_exemplar_claimed():
    model = ScriptedModel([answer(PICK_OF_BOARDS, like=None)])
    policy = ModelPolicy(NoMemory(), model, Nothing(), options=QUIET)
    policy.remember(PICK_SHOWN)
    idea = policy.suggest(prospects())
    assert "Nothing is remembered yet." in model.asked[0][-1].text
    assert (idea.exemplars, dict(idea.axes), idea.task) == ((), {}, None)


def test_a_goal_is_told_with_its_next_subgoal():
    options = ModelOptions(bounds=Bounds(verifies=False, lays=True))
    policy, model = thinking(
        '{"subgoals":[{"item":"rod","amount":1},{"item":"pick","amount":1}]}',
        answer(PICK_OF_BOARDS),
        options=options,
        goal="hold a pick",
    )
    assert policy.suggest(prospects()).arrangement == LAID
    assert "aim: hold a pick\n" in model.asked[0][-1].text
    assert "aim: hold a pick; next: pick\n" in model.asked[1][-1].text


def test_a_model_that_does_not_answer_ends_the_run():
    policy, _ = thinking()
    with pytest.raises(ModelError):
        policy.suggest(prospects())


def test_calls_are_handed_on_as_they_come():
    kept = []
    policy, _ = thinking("no", "no", keep=kept.append)
    policy.suggest(prospects())
    assert [call.reply.text for call in kept] == ["no", "no"]
    assert policy.use.tokens == sum(call.reply.prompt_tokens + call.reply.completion_tokens for call in kept)


def test_experiences_take_turns_the_latest_first():
    source = AlongAxes(HashingEncoder())
    assert source.select() is None
    for csd in (PICK_SHOWN, SHUTTER_SHOWN):
        source.remember(csd)
    turns = [source.select().subject.id for _ in range(3)]
    assert turns == [SHUTTER_SHOWN.id, PICK_SHOWN.id, SHUTTER_SHOWN.id]


def test_a_memory_of_steps_shows_what_it_gives_back_and_no_more():
    source = AsRecalled(tuple, keeps=False)
    source.remember(PICK_SHOWN)
    assert source.select() is None
    kept = AsRecalled(tuple, keeps=True)
    kept.remember(PICK_SHOWN)
    kept.remember(SHUTTER_SHOWN)
    shown = kept.select()
    assert shown.subject.id == SHUTTER_SHOWN.id
    assert [one.id for one in shown.exemplars] == [PICK_SHOWN.id]
    assert described(()) == ()
