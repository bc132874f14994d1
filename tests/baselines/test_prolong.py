from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csd.episode import (
    Action,
    Attack,
    Collect,
    Craft,
    Drop,
    Equip,
    GoTo,
    Mine,
    Observation,
    Outcome,
    Place,
    SeenBlock,
    Smelt,
    Step,
    WaitUntil,
)
from echo.agent.memory import Recalled
from echo.baselines.prolong import PLAYED, TELLING, ProLong
from echo.baselines.prolong_log import read_step, step_line
from tests.baselines.hand_made import Trace, asked, have, seen

GOAL = have("carry planks", plank=4)


def live(memory: ProLong, trace: Trace) -> ProLong:
    for step in trace.steps:
        memory.take_in(step, (), trace.now)
    memory.close(trace.ended(GOAL, "budget"))
    return memory


def test_the_log_is_a_line_a_step_and_one_for_the_ending():
    memory = live(ProLong(), Trace(log=1).craft("log", plank=4).walk())
    craft, walk, ending = memory.text.splitlines()
    assert craft.split("\t")[:4] == [
        "episode 0 step 0 tick 0",
        '{"grid":[["log"]],"kind":"craft"}',
        "ok",
        '{"log":-1,"plank":4}',
    ]
    assert walk.split("\t")[1:3] == ['{"target":[9,64,9],"kind":"go_to"}', "ok"]
    assert ending == 'episode 0\tbudget\t"carry planks"'


def test_its_own_reads_are_left_out_and_the_log_only_grows():
    memory = live(ProLong(), Trace(log=1).craft("log", plank=4))
    before = memory.text
    for question in (asked(GOAL), asked(GOAL, item="plank"), asked(GOAL, block="tree")):
        memory.recall(question)
    assert memory.text == before
    live(memory, Trace().dig("tree", log=1))
    assert memory.text.startswith(before)
    assert "episode 1 step 0" in memory.text.removeprefix(before)


def test_at_the_start_all_that_worked_or_gave_nothing_is_known():
    trace = Trace(log=3, coal=1).craft("log", "log").walk().craft("log", plank=4).dig("dust").hold("coal")
    found = live(ProLong(), trace).recall(asked(GOAL)).steps
    assert found == (trace.steps[0], trace.steps[2], trace.steps[3])


def test_what_could_not_be_tried_tells_nothing():
    (step,) = Trace(log=1).craft("log").steps
    memory = ProLong()
    memory.take_in(replace(step, outcome=Outcome(code="no_station", message="")), (), seen())
    assert memory.grep(TELLING) == ()
    assert memory.recall(asked(GOAL)) == Recalled()


def test_lines_that_say_the_same_are_read_once():
    trace = Trace().dig("tree", log=1).dig("tree", log=1).dig("tree")
    memory = live(live(ProLong(), trace), trace)
    assert memory.recall(asked(GOAL)).steps == (trace.steps[0], trace.steps[2])
    assert memory.recall(asked(GOAL)).steps == (trace.steps[0], trace.steps[2])


def test_lines_that_name_an_item_are_found_by_expression():
    trace = Trace(log=2, oak=1).craft("log", plank=4).dig("tree", log=1).craft("plank", "oak").put("plank")
    memory = live(ProLong(), trace)
    assert memory.recall(asked(GOAL, item="plank")).steps == (trace.steps[0], trace.steps[2], trace.steps[3])
    assert memory.recall(asked(GOAL, item="tree")).steps == (trace.steps[1],)
    # What was merely carried or in sight is not what a line is about.
    assert memory.recall(asked(GOAL, item="oak")).steps == (trace.steps[2],)
    assert memory.grep('"kind":"collect"') == (1,)


def test_a_name_is_no_expression():
    trace = Trace().dig("a(b+", found=1).dig("aXb", found=1)
    memory = live(ProLong(), trace)
    assert memory.recall(asked(GOAL, block="a(b+")).steps == (trace.steps[0],)


def test_a_block_is_where_it_was_last_in_sight():
    memory = ProLong()
    for x in (5, 3):
        block = SeenBlock(count=1, nearest=(x, 60, 0), distance=4.0, colour=(1, 2, 3))
        before = replace(seen(), blocks={"ore": block})
        outcome = Outcome(code="ok", message="")
        memory.take_in(Step(before=before, action=GoTo(target=(0, 0, 0)), outcome=outcome), (), before)
    assert memory.recall(asked(GOAL, block="ore")).places == {"ore": (3, 60, 0)}
    assert memory.recall(asked(GOAL, block="tree")) == Recalled()


def test_a_demonstration_is_logged_but_its_land_is_another():
    memory = ProLong()
    trace = Trace(blocks=("tree",), log=1).craft("log", plank=4)
    memory.show(trace.shown("make planks"))
    assert memory.recall(asked(GOAL)) == Recalled(steps=tuple(trace.steps))
    assert memory.recall(asked(GOAL, block="tree")).places == {}
    assert memory.text.endswith('shown 0\tshown\t"make planks"\n')
    live(memory, trace)
    assert memory.recall(asked(GOAL)).places == {"tree": (1, 64, 1)}


NAMES = st.text(min_size=1, max_size=8)
CELLS = st.tuples(*[st.integers(-100, 100)] * 3)
ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(GoTo, target=CELLS),
    st.builds(Mine, target=CELLS),
    st.builds(Collect, block=NAMES),
    st.builds(Craft, grid=st.tuples(st.tuples(NAMES, st.none()), st.tuples(st.none(), NAMES))),
    st.builds(Smelt, input=NAMES, fuel=NAMES),
    st.builds(Place, item=NAMES, target=st.one_of(st.none(), CELLS)),
    st.builds(Equip, item=st.one_of(st.none(), NAMES)),
    st.builds(Attack, mob=NAMES),
    st.builds(Drop, item=NAMES, amount=st.integers(1, 64)),
    st.builds(WaitUntil),
)
OUTCOMES = st.builds(
    Outcome,
    code=st.sampled_from(["ok", "no_drop", "no_station"]),
    message=st.just(""),
    inventory_delta=st.dictionaries(NAMES, st.integers(-9, 9).filter(bool), max_size=3),
    ticks=st.integers(0, 500),
    work_ticks=st.integers(0, 500),
    block=st.one_of(st.none(), NAMES),
    cell=st.one_of(st.none(), CELLS),
    events=st.lists(NAMES, max_size=2).map(tuple),
)


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    kinds = draw(st.lists(NAMES, max_size=3, unique=True))
    held = draw(st.dictionaries(NAMES, st.integers(1, 64), max_size=3))
    around = seen(held, hand=draw(st.one_of(st.none(), NAMES)), stations={"table": "grid3"}, step=7)
    blocks = {kind: SeenBlock(count=2, nearest=draw(CELLS), distance=1.5, colour=(1, 2, 3)) for kind in kinds}
    return replace(around, blocks=blocks, mobs=dict.fromkeys(kinds, 1), yaw=draw(st.floats(-180, 180)))


@given(before=observations(), action=ACTIONS, outcome=OUTCOMES)
def test_a_step_is_read_back_from_its_line_as_it_was(before, action, outcome):
    step = Step(before=before, action=action, outcome=outcome)
    line = step_line(step, f"{PLAYED}3")
    assert len(line.splitlines()) == 1
    assert read_step(line) == step


def test_a_line_of_something_else_is_no_step():
    with pytest.raises(ValueError, match="expected 5 parts between tabs"):
        read_step('episode 0\tbudget\t"carry planks"')
