from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from csd.episode import Cell, Collect, Craft, Observation, SeenBlock, Step
from echo.agent.goal import Goal
from echo.agent.knowledge import Knowledge
from echo.agent.memory import Ending, Question, Recalled
from echo.baselines.mfm import QUESTIONS, READS, RECENT, MfmMemory
from echo.baselines.mfm_folder import STRETCH
from echo.mfm.consolidation.consolidate import consolidate
from echo.mfm.layout import MfmError
from echo.mfm.mine.working import read_working
from echo.mfm.options import MemoryOptions
from echo.mfm.procedural.library import Library
from echo.mfm.query.ask import ask
from echo.mfm.query.question import Question as Cue
from tests.baselines.hand_made import Trace, asked, have, seen
from tests.baselines.test_mfm_deeds import PICK, pick_trace
from tests.baselines.toy_task import play

PLANKS = have("carry planks", plank=4)
TOY_PICK = have("carry pick", pick=1)
TABLE = have("carry table", table=1)


@pytest.fixture(autouse=True)
def _nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    yield
    gc.collect()
    assert list(tmp_path.glob("echo-mfm-*")) == []


def make(*off: str, folder: Path | None = None) -> MfmMemory:
    return MfmMemory(folder=folder, options=MemoryOptions(**dict.fromkeys(off, False)))


def live(
    memory: MfmMemory,
    trace: Trace,
    goal: Goal = PLANKS,
    ending: Ending = "budget",
    begin: Observation | None = None,
) -> Recalled:
    """Live through one episode; what was held before counts as no news."""
    start = trace.steps[0].before if begin is None else begin
    recalled = memory.recall(Question(goal=goal, seen=start))
    held = dict.fromkeys(start.inventory)
    for step, after in zip(trace.steps, [*(step.before for step in trace.steps[1:]), trace.now], strict=True):
        fresh = [item for item in after.inventory if item not in held]
        held.update(dict.fromkeys(fresh))
        memory.take_in(step, fresh, after)
    memory.close(trace.ended(goal, ending))
    return recalled


def learned(steps: Sequence[Step]) -> Knowledge:
    knowledge = Knowledge()
    for step in steps:
        knowledge.recollect(step)
    return knowledge


def vain(number: int) -> Trace:
    """Sixteen grids in vain, those of another number unlike those of this one."""
    trace = Trace(**{f"item_{number}": 16})
    for width in range(STRETCH):
        trace.craft(*[f"item_{number}"] * (width + 1))
    return trace


def test_two_episodes_later_the_ways_are_known_again() -> None:
    memory = make()
    assert live(memory, Trace(("tree",)).dig("tree", log=1).craft("log", plank=4)).steps == ()
    live(memory, Trace(plank=4).craft("plank", "plank", stick=4))
    knowledge = learned(memory.recall(asked(PLANKS)).steps)
    assert list(knowledge.ways) == ["log", "plank", "stick"]


def test_what_was_tried_in_vain_is_known_again() -> None:
    memory = make()
    live(memory, Trace(("rock",), log=2).craft("log", "log").dig("rock"))
    knowledge = learned(memory.recall(asked(PLANKS)).steps)
    assert list(knowledge.grids.values()) == [None]
    assert knowledge.closed() == ["rock"]


def test_a_flat_memory_without_notes_reads_the_latest_episodes_only() -> None:
    flat, whole = make("index", "consolidation"), make("consolidation")
    for memory in (flat, whole):
        live(memory, Trace(("tree",)).dig("tree", log=1))
        for number in range(RECENT):
            live(memory, vain(number))
    assert len(flat._lived.written) == RECENT + 1
    assert "log" not in learned(flat.recall(asked(PLANKS)).steps).ways
    assert len(flat.recall(asked(PLANKS)).steps) == RECENT * STRETCH
    assert "log" in learned(whole.recall(asked(PLANKS)).steps).ways


def test_a_flat_memory_reads_what_its_notes_cite() -> None:
    memory = make("index")
    live(memory, Trace(("tree",)).dig("tree", log=1))
    for number in range(RECENT):
        live(memory, vain(number))
    assert "log" in learned(memory.recall(asked(PLANKS)).steps).ways


def test_a_flat_memory_has_neither_cues_nor_places() -> None:
    memory = make("index")
    live(memory, Trace(("tree",)).dig("tree", log=1))
    assert memory.recall(asked(PLANKS, item="log")) == Recalled()
    assert memory.recall(asked(PLANKS, block="tree")) == Recalled()
    assert memory.recall(asked(PLANKS)).places == {}
    with pytest.raises(MfmError, match="index is switched off"):
        ask(memory.root, Cue(tag="got:log"))


def test_notes_give_more_than_the_reads_of_a_memory_without_them() -> None:
    noted, without = make(), make("consolidation")
    for memory in (noted, without):
        for number in range(READS + 6):
            live(memory, vain(number))
    assert len(without.recall(asked(PLANKS)).steps) == READS * STRETCH
    assert len(noted.recall(asked(PLANKS)).steps) > READS * STRETCH
    with pytest.raises(MfmError, match="consolidation is switched off"):
        consolidate(without.root)
    assert (noted.root / "mine" / "notes.md").is_file()
    assert not (without.root / "mine" / "notes.md").exists()


def test_asked_for_an_item_it_gives_the_latest_episodes_in_which_it_was_got() -> None:
    memory = make()
    live(memory, Trace(("tree",)).dig("tree", log=1).walk().craft("log", plank=4))
    answer = memory.recall(asked(PLANKS, item="plank"))
    assert [step.action for step in answer.steps] == [Craft(grid=(("log",),))]
    assert memory.recall(asked(PLANKS, item="feather")).steps == ()


def test_asked_for_a_block_it_gives_the_place_and_what_dug_it() -> None:
    memory = make()
    live(memory, at(Trace(("tree",)).dig("tree", log=1), tree=(7, 64, 1)))
    answer = memory.recall(asked(PLANKS, block="tree"))
    assert answer.places == {"tree": (7, 64, 1)}
    assert [step.action for step in answer.steps] == [Collect(block="tree")]
    assert memory.recall(asked(PLANKS)).places == {"tree": (7, 64, 1)}


def at(trace: Trace, **cells: Cell) -> Trace:
    """Put the blocks that are in sight where they are said to be."""
    trace.steps = [replace(step, before=_with_cells(step.before, cells)) for step in trace.steps]
    trace._blocks = ()
    return trace


def _with_cells(now: Observation, cells: dict[str, Cell]) -> Observation:
    blocks = {
        kind: SeenBlock(count=1, nearest=cell, distance=7.0, colour=(0, 0, 0)) for kind, cell in cells.items()
    }
    return replace(now, blocks=blocks)


def digging(memory: MfmMemory, cell: Cell, ended: bool = True) -> None:
    trace = at(Trace(("tree",)).dig("tree", log=1), tree=cell)
    trace.steps = [replace(trace.steps[0], outcome=replace(trace.steps[0].outcome, cell=cell))]
    if ended:
        live(memory, trace)
    else:
        memory.take_in(trace.steps[0], ["log"], trace.now)
        memory._lived.recorder.flush()


def test_what_was_dug_is_back_in_the_next_episode_and_not_in_this_one() -> None:
    memory = make()
    digging(memory, (7, 64, 1))
    assert memory.recall(asked(PLANKS, block="tree")).places == {"tree": (7, 64, 1)}
    digging(memory, (9, 64, 1), ended=False)
    assert memory.recall(asked(PLANKS, block="tree")).places == {"tree": (7, 64, 1)}
    assert (9, 64, 1) not in memory.recall(asked(PLANKS)).places.values()


def test_what_was_put_down_in_an_earlier_episode_is_no_place() -> None:
    memory, trace = make(), Trace(table=1).put("table").walk()
    put, walked = trace.steps
    put = replace(put, outcome=replace(put.outcome, cell=(2, 64, 2)))
    trace.steps = [put, walked]
    live(memory, trace)
    assert memory.recall(asked(PLANKS)).places == {}
    assert memory.recall(asked(PLANKS, block="table")).places == {}


def test_a_success_becomes_a_plan_with_the_steps_that_led_to_it() -> None:
    memory = make()
    live(memory, pick_trace(), PICK, "reached", begin=seen(blocks=("tree",)))
    plan = memory.recall(Question(goal=PICK, seen=seen(blocks=("tree",)))).plan
    assert [action.kind for action in plan] == [*["collect"] * 3, *["craft"] * 5, "place", "craft"]
    assert Library(memory.root).load("reach_carry_pick_v1").procedure.evidence[0] == "ep_000001"
    assert memory.recall(Question(goal=PLANKS, seen=seen({"log": 1}))).plan == (Craft(grid=(("log",),)),)


def test_a_failure_becomes_no_plan_and_an_equal_success_no_second_one() -> None:
    memory = make()
    live(memory, pick_trace(), PICK, "budget")
    assert Library(memory.root).names() == []
    for _ in range(2):
        live(memory, pick_trace(), PICK, "reached")
    assert [name for name in Library(memory.root).names() if name[:5] == "reach"] == ["reach_carry_pick_v1"]


def test_without_procedures_there_is_no_plan() -> None:
    memory = make("procedures")
    live(memory, pick_trace(), PICK, "reached")
    assert memory.recall(Question(goal=PICK, seen=seen(blocks=("tree",)))).plan == ()
    with pytest.raises(MfmError, match="procedures are switched off"):
        Library(memory.root)


def test_frames_change_nothing_that_is_recalled() -> None:
    with_frames, without = make(), make("frames")
    for memory in (with_frames, without):
        live(memory, pick_trace(), PICK, "reached")
    assert with_frames.recall(asked(PICK)) == without.recall(asked(PICK))


def test_a_demonstration_is_known_and_is_no_place() -> None:
    memory = make()
    shown = Trace(("tree",)).dig("tree", log=1).craft("log", plank=4)
    memory.show(shown.shown("planks"))
    recalled = memory.recall(Question(goal=PLANKS, seen=seen()))
    assert list(learned(recalled.steps).ways) == ["log", "plank"]
    assert recalled.places == {}


def test_the_working_memory_says_how_it_ended_and_what_was_asked_for() -> None:
    memory = make()
    memory.recall(asked(PLANKS))
    for number in range(QUESTIONS + 1):
        memory.recall(asked(PLANKS, item=f"item_{number}"))
    memory.close(Trace(log=1).craft("log", "log").ended(PLANKS, "stuck"))
    assert read_working(memory.root).plan.splitlines() == [
        "carry planks: stuck after 1 actions.",
        *(f"How to get item_{number}?" for number in range(QUESTIONS)),
    ]


def test_a_named_folder_is_gone_on_with(tmp_path: Path) -> None:
    memory = make(folder=tmp_path / "memory")
    live(memory, Trace(("tree",)).dig("tree", log=1).craft("log", plank=4))
    told = memory.recall(asked(PLANKS)).steps
    memory.finish()
    again = make(folder=tmp_path / "memory")
    assert again.recall(asked(PLANKS)).steps == told
    again.finish()


def test_procedures_alone_are_installed_and_teach_the_ways() -> None:
    earlier, fresh = make(), make()
    live(earlier, pick_trace(), PICK, "reached")
    names = fresh.install(earlier.root, "a run of pick")
    assert names == tuple(Library(earlier.root).names())
    assert "reach_carry_pick_v1" in names
    now = seen(blocks=("tree",))
    recalled = fresh.recall(Question(goal=PICK, seen=now))
    assert {"log", "plank", "table", "stick", "pick"} <= set(learned(recalled.steps).ways)
    assert recalled.plan == earlier.recall(Question(goal=PICK, seen=now)).plan
    assert fresh._lived.written == []


def test_the_next_episode_of_a_task_takes_as_few_steps_as_its_success_took() -> None:
    memory = make()
    first, second = (play(memory, TABLE, budget=100) for _ in range(2))
    assert first.ending == second.ending == "reached"
    # A log, four planks of it, a table.
    assert second.steps == 3 < first.steps


def test_no_grid_is_tried_in_vain_again() -> None:
    memory = make()
    tried = [grids_in_vain(play(memory, TOY_PICK, dice=dice, budget=60).trace) for dice in range(3)]
    assert all(tried)
    assert len({grid for grids in tried for grid in grids}) == sum(map(len, tried))


def grids_in_vain(steps: Sequence[Step]) -> list[object]:
    return [step.action for step in steps if step.outcome.code == "no_result"]


TELL = """
import hashlib, sys
from echo.baselines.mfm import MfmMemory
from tests.baselines.hand_made import asked, have
from tests.baselines.toy_task import play
memory = MfmMemory()
ingot = have("carry ingot", ingot=1)
for dice in range(2):
    play(memory, ingot, dice=dice, budget=40)
for question in (asked(ingot), asked(ingot, item="stone"), asked(ingot, block="rock")):
    print(hashlib.sha256(repr(memory.recall(question)).encode()).hexdigest())
memory.finish()
"""


def test_two_processes_recall_the_same(tmp_path: Path) -> None:
    told = [
        subprocess.run(
            [sys.executable, "-c", TELL],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": str(seed), "PYTHONPATH": ".", "TMPDIR": str(tmp_path)},
        ).stdout.split()
        for seed in (1, 2)
    ]
    assert told[0] == told[1]
    assert len(set(told[0])) == 3
