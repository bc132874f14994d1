from __future__ import annotations

from dataclasses import replace

import pytest

from csd.episode import Action, Collect, Craft, Equip, Place, SeenBlock, Smelt
from echo.agent.goal import Fill, Goal, Have
from echo.agent.knowledge import Knowledge
from echo.baselines.mfm_deeds import Course, course, deeds_of
from echo.baselines.mfm_reading import Script, read_script
from echo.baselines.mfm_scripts import plan_of, script_name, script_text, told_steps
from tests.baselines.hand_made import Trace, have, seen
from tests.baselines.test_mfm_deeds import CELLS, PICK, pick_trace

MORE_CELLS = ((1, 70, 1), (2, 70, 1))


def done(trace: Trace, goal: Goal) -> Course:
    found = course(deeds_of(trace.steps, goal), goal, {})
    assert found is not None
    return found


def script(trace: Trace, goal: Goal) -> Script:
    name = f"{script_name(goal)}_v1"
    read = read_script(name, script_text(name, goal, done(trace, goal), ["ep_000001"]))
    assert read is not None
    return read


def test_a_script_that_is_read_holds_the_deeds_it_was_written_from() -> None:
    read = script(pick_trace(), PICK)
    assert read.deeds == done(pick_trace(), PICK).deeds
    assert (read.name, read.cells, read.evidence) == ("reach_carry_pick_v1", 0, ("ep_000001",))


def test_tools_are_taken_into_the_hand_and_read_back() -> None:
    trace = Trace(("rock", "tree"), pick=1).hold("pick").dig("rock", stone=1).dig("rock", stone=1)
    goal = have("carry stone", stone=2)
    read = script(trace, goal)
    assert [deed.tool for deed in read.deeds] == ["pick", "pick"]
    assert '    for _ in range(2):\n        yield collect("rock"), {"gained": {"stone": 1}}' in read.text


def test_the_plan_leaves_out_what_is_carried() -> None:
    read = script(pick_trace(), PICK)
    now = seen({"plank": 3, "stick": 2, "table": 1}, blocks=("tree",))
    assert plan_of(read, PICK, now) == (
        Place(item="table"),
        Craft(grid=(("plank", "plank", "plank"), ("stick", "stick", None))),
    )


def test_the_plan_takes_up_tools() -> None:
    trace = Trace(("rock",), pick=1).hold("pick").dig("rock", stone=1)
    goal = have("carry stone", stone=1)
    actions: tuple[Action, ...] = (Equip(item="pick"), Collect(block="rock"))
    assert plan_of(script(trace, goal), goal, seen({"pick": 1}, blocks=("rock",))) == actions
    holding = seen({"pick": 1}, hand="pick", blocks=("rock",))
    assert plan_of(script(trace, goal), goal, holding) == actions[1:]


@pytest.mark.parametrize(
    ("held", "blocks"), [({}, ()), ({"log": 1}, ("rock",))], ids=["nothing", "no tree in sight"]
)
def test_there_is_no_plan_where_the_first_block_is_out_of_sight(
    held: dict[str, int], blocks: tuple[str, ...]
) -> None:
    assert plan_of(script(pick_trace(), PICK), PICK, seen(held, blocks=blocks)) == ()


def test_there_is_no_plan_without_what_it_takes() -> None:
    trace = Trace(log=1).craft("log", plank=4)
    goal = have("carry planks", plank=4)
    read = script(trace, goal)
    assert plan_of(read, goal, seen()) == ()
    assert plan_of(read, goal, seen({"log": 1})) == (Craft(grid=(("log",),)),)


def test_there_is_no_plan_for_another_goal_unless_the_script_brings_it() -> None:
    read = script(pick_trace(), PICK)
    now = seen(blocks=("tree",))
    assert plan_of(read, have("carry gold", gold=1), now) == ()
    assert plan_of(read, have("carry a stick", stick=1), now) == (
        Collect(block="tree"),
        Craft(grid=(("log",),)),
        Craft(grid=(("plank", "plank"),)),
    )


def smelting() -> tuple[Trace, Have]:
    """Three things smelted with two pieces of fuel."""
    trace = Trace(("ore",), coal=2)
    for _ in range(3):
        trace.dig("ore", raw=1)
    trace._stations["furnace"] = "smelt"
    trace.smelt("raw", "coal", ingot=1).smelt("raw", "coal", burns=False, ingot=1)
    return trace.smelt("raw", "coal", ingot=1), have("carry ingots", ingot=3)


def test_no_more_fuel_burns_in_a_script_than_it_takes_along() -> None:
    trace, goal = smelting()
    burnt = [deed.used.get("coal", 0) for deed in script(trace, goal).deeds if deed.action.kind == "smelt"]
    assert burnt == [1, 1, 0]
    now = seen({"coal": 2}, blocks=("ore",), stations={"furnace": "smelt"})
    assert plan_of(script(trace, goal), goal, now)[3:] == (Smelt(input="raw", fuel="coal"),) * 3
    assert plan_of(script(trace, goal), goal, replace(now, stations=())) == ()
    assert plan_of(script(trace, goal), goal, seen({"coal": 1}, blocks=("ore",))) == ()


def test_cells_are_those_of_the_goal() -> None:
    trace = Trace(stone=2).put("stone", CELLS[0]).put("stone", CELLS[1])
    read = script(trace, Fill(text="fill", cells=CELLS))
    now = seen({"stone": 2})
    assert read.cells == 2
    assert plan_of(read, Fill(text="fill", cells=MORE_CELLS), now) == (
        Place(item="stone", target=MORE_CELLS[0]),
        Place(item="stone", target=MORE_CELLS[1]),
    )
    assert plan_of(read, Fill(text="fill", cells=CELLS[:1]), now) == ()
    assert plan_of(read, have("carry stone", stone=1), now) == ()


def test_what_a_script_tells_teaches_ways_tools_and_fuels() -> None:
    trace, goal = smelting()
    knowledge = Knowledge()
    for step in (*told_steps(script(trace, goal), seen()), *told_steps(script(pick_trace(), PICK), seen())):
        knowledge.watch(step)
    assert list(knowledge.ways) == ["raw", "ingot", "log", "plank", "table", "stick", "pick"]
    assert knowledge.fuels == {"coal": [3, 2]}
    assert knowledge.offers == {"furnace": "smelt", "table": "grid3"}
    assert knowledge.worked_with("ore") == [None]


COMPUTED = '''"""Dig."""

PROCEDURE = {
    "name": "dig", "about": "Dig.", "parameters": {}, "needs": {}, "expects": {}, "evidence": [],
}


def run(seen):
    BODY
'''


@pytest.mark.parametrize(
    "body",
    [
        "while True:\n        yield collect('tree')",
        "if seen:\n        yield collect('tree')",
        "came = yield collect('tree')",
        "yield collect(seen)",
        "yield look()",
        "yield from dig_down(3)",
        "yield go_to('there')",
    ],
)
def test_a_script_that_computes_is_not_read(body: str) -> None:
    assert read_script("dig", COMPUTED.replace("BODY", body)) is None


def test_a_file_that_is_no_procedure_is_not_read() -> None:
    assert read_script("dig", "print('dig')") is None


def test_the_loops_of_consolidation_are_read_as_deeds() -> None:
    text = COMPUTED.replace(
        "BODY", "yield from collect_until('tree', 'log', 2)\n    yield from ensure_near('table')"
    )
    read = read_script("dig", text)
    assert read is not None
    assert [(deed.action, dict(deed.gained), dict(deed.used)) for deed in read.deeds] == [
        (Collect(block="tree"), {"log": 1}, {}),
        (Collect(block="tree"), {"log": 1}, {}),
        (Place(item="table"), {}, {"table": 1}),
    ]


def test_a_block_far_below_the_first_need_not_be_in_sight() -> None:
    trace = Trace(("tree", "rock"), pick=1).dig("tree", log=1).hold("pick").dig("rock", stone=1)
    goal = have("carry both", log=1, stone=1)
    now = seen({"pick": 1}, blocks=("tree",))
    assert isinstance(now.blocks["tree"], SeenBlock)
    assert len(plan_of(script(trace, goal), goal, now)) == 3


def test_a_script_of_repetition_tells_of_digging_only_with_the_tool_it_names() -> None:
    body = "yield collect('rock'), {'gained': {'stone': 1}}"
    bare = read_script("dig", COMPUTED.replace("BODY", body))
    holds = COMPUTED.replace("BODY", body).replace('"needs": {}', '"needs": {"holds": "pick"}')
    with_pick = read_script("dig", holds)
    assert bare is not None
    assert with_pick is not None
    assert told_steps(bare, seen()) == ()
    knowledge = Knowledge()
    for step in told_steps(with_pick, seen()):
        knowledge.recollect(step)
    assert knowledge.worked_with("rock") == ["pick"]
    assert knowledge.stack_size["pick"] == 1
