from __future__ import annotations

from csd.encode import HashingEncoder
from echo.agent.goal import Fell, Fill, Goal
from echo.agent.memory import Habits, Recalled
from echo.baselines.mp5 import Mp5
from tests.baselines.hand_made import ScriptedEncoder, Trace, asked, have

INGOT = have("carry an ingot", ingot=1)
NEVER = have("carry a crown", crown=1)


def live(memory: Mp5, trace: Trace, goal: Goal = NEVER, *, reached: bool = False) -> Mp5:
    for step in trace.steps:
        memory.take_in(step, (), trace.now)
    memory.close(trace.ended(goal, "reached" if reached else "budget"))
    return memory


def test_the_two_workflows_with_the_nearest_descriptions_come_back_the_nearest_last():
    cosines = {"obtain log": 0.5, "obtain stone": 0.2, "obtain sand": 0.8}
    memory = Mp5(encoder=ScriptedEncoder(cosines, questions=("carry a crown",)))
    trace = Trace().dig("tree", log=1).dig("rock", stone=1).dig("dune", sand=1)
    live(memory, trace)
    assert memory.nearest("carry a crown") == ("sand", "log")
    assert memory.recall(asked(NEVER)).steps == (trace.steps[0], trace.steps[2])


def test_an_item_got_in_a_failed_episode_is_a_sub_objective_done():
    memory = live(Mp5(encoder=HashingEncoder()), Trace().dig("tree", log=1).craft("log", plank=4))
    assert list(memory.workflows) == ["log", "plank"]
    assert memory.workflows["plank"].description == "obtain plank"
    assert [step.action.kind for step in memory.workflows["plank"].steps] == ["collect", "craft"]


def test_a_part_of_the_goal_reached_in_a_failed_episode_is_a_sub_objective_done():
    gap = Fill(text="fill the gap", cells=((0, 63, 1), (0, 63, 2)))
    trace = Trace(dirt=1, sand=1).put("dirt", (0, 63, 1), gain=1).put("sand", (0, 63, 2), gain=0)
    memory = live(Mp5(encoder=HashingEncoder()), trace, gap)
    assert list(memory.workflows) == ["place dirt"]
    assert memory.workflows["place dirt"].description == "fill the gap: place dirt"
    assert memory.recall(asked(gap)).steps == (trace.steps[0],)


def test_what_was_carried_from_the_start_is_no_sub_objective():
    memory = live(Mp5(encoder=HashingEncoder()), Trace(log=1).dig("tree", log=1).craft("log", plank=4))
    assert list(memory.workflows) == ["plank"]
    live(memory, Trace().dig("tree", log=1))
    assert list(memory.workflows) == ["plank", "log"]


def test_a_failure_leaves_nothing_and_a_workflow_holds_no_failed_step():
    memory = Mp5(encoder=HashingEncoder())
    live(memory, Trace(log=2, sword=1).craft("log", "log").dig("dust").fight("sheep", gain=1), INGOT)
    assert memory.workflows == {}
    trace = Trace(ore=1, coal=1).dig("dust").smelt("ore", "coal", gain=1, ingot=1)
    live(memory, trace, INGOT, reached=True)
    assert memory.workflows["carry an ingot"].steps == (trace.steps[1],)


def test_the_same_task_is_overwritten():
    memory = Mp5(encoder=HashingEncoder())
    live(memory, Trace(ore=1, coal=1).smelt("ore", "coal", ingot=1), INGOT, reached=True)
    later = Trace().dig("chest", ingot=1)
    live(memory, later, INGOT, reached=True)
    assert list(memory.workflows) == ["ingot", "carry an ingot"]
    assert memory.workflows["carry an ingot"].steps == tuple(later.steps)
    assert memory.workflows["ingot"].steps == tuple(later.steps)


def test_a_goal_without_items_keeps_what_brought_it_nearer():
    memory, goal = Mp5(encoder=HashingEncoder()), Fell(text="fell it", mob="zombie", within=40)
    trace = Trace(sword=1).fight("sheep", gain=0).hold("sword").fight("zombie", gain=1)
    live(memory, trace, goal, reached=True)
    assert memory.workflows["fell it"].steps == tuple(trace.steps[1:])


def test_with_the_patroller_plans_are_made_anew_and_nothing_is_repeated():
    memory = Mp5(encoder=HashingEncoder())
    live(memory, Trace().dig("chest", gain=1, ingot=1), INGOT, reached=True)
    assert memory.habits == Habits(looks_first=True, replans=True)
    assert memory.recall(asked(INGOT)).plan == ()


def test_without_the_patroller_the_workflow_of_the_same_task_is_repeated_blindly():
    memory = Mp5(encoder=HashingEncoder(), patroller=False)
    trace = Trace().dig("tree", log=1).dig("tree", log=1).craft("log", "log", gain=1, ingot=1)
    live(memory, trace, INGOT, reached=True)
    assert memory.habits == Habits(looks_first=True, replans=False)
    recalled = memory.recall(asked(INGOT))
    assert recalled.plan == tuple(step.action for step in trace.steps)
    assert recalled.steps == (trace.steps[0], trace.steps[2])
    assert memory.recall(asked(NEVER)).plan == ()
    assert memory.recall(asked(INGOT, item="ingot")).plan == ()


def test_a_question_for_an_item_finds_its_sub_objective():
    memory = Mp5(encoder=HashingEncoder())
    live(memory, Trace().dig("rock", stone=1).dig("tree", log=1).craft("log", plank=4).dig("dune", sand=1))
    found = memory.recall(asked(NEVER, item="plank")).steps
    assert [step.action.kind for step in found][-2:] == ["collect", "craft"]


def test_no_workflow_says_where_a_block_stands():
    memory = live(Mp5(encoder=HashingEncoder()), Trace(blocks=("tree",)).dig("tree", log=1))
    assert memory.recall(asked(NEVER, block="tree")) == Recalled()


def test_a_demonstration_is_a_workflow():
    memory = Mp5(encoder=HashingEncoder())
    trace = Trace(log=1).dig("dust").craft("log", plank=4)
    memory.show(trace.shown("make planks"))
    assert list(memory.workflows) == ["plank", "make planks"]
    assert memory.workflows["make planks"].steps == (trace.steps[1],)


def test_each_description_is_encoded_once():
    encoder = ScriptedEncoder({}, questions=())
    memory = Mp5(encoder=encoder)
    for _ in range(2):
        live(memory, Trace().dig("tree", log=1))
        memory.recall(asked(NEVER))
    assert sorted(encoder.encoded) == ["carry a crown", "obtain log"]
