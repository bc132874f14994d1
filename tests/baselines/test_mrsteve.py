from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from csd.encode import HashingEncoder
from csd.episode import Cell, GoTo, Outcome, SeenBlock, Step
from echo.agent.goal import Fell, Fill
from echo.agent.memory import Question, Recalled
from echo.baselines.mrsteve import SHORT, MrSteve
from tests.baselines.hand_made import ScriptedEncoder, Trace, asked, have, seen

GOAL = have("carry ingots", ingot=1)


def view(x: float = 0.0, yaw: float = 0.0, /, **cells: Cell) -> Step:
    """A walk that began at (x, 64, 0) with blocks in sight."""
    blocks = {
        kind: SeenBlock(count=1, nearest=cell, distance=1.0, colour=(0, 0, 0)) for kind, cell in cells.items()
    }
    before = replace(seen(), position=(x, 64.0, 0.0), yaw=yaw, blocks=blocks)
    return Step(before=before, action=GoTo(target=(0, 64, 0)), outcome=Outcome(code="ok", message=""))


def lived(memory: MrSteve, *steps: Step) -> MrSteve:
    for step in steps:
        memory.take_in(step, (), step.before)
    return memory


def where(memory: MrSteve, block: str, x: float = 0.0) -> Mapping[str, Cell]:
    now = replace(seen(), position=(x, 64.0, 0.0))
    return memory.recall(Question(goal=GOAL, seen=now, block=block)).places


def test_the_nearest_place_wins_over_a_farther_one_that_scores_better():
    encoder = ScriptedEncoder({"ore": 0.6, "vein": 0.9}, questions=("iron",))
    far = view(40.0, ore=(41, 64, 0), vein=(42, 64, 0))
    memory = lived(MrSteve(encoder=encoder), far, view(8.0, ore=(9, 64, 0)))
    assert where(memory, "iron") == {"ore": (9, 64, 0), "vein": (42, 64, 0)}


def test_which_place_is_nearest_depends_on_where_the_question_is_asked():
    memory = lived(MrSteve(encoder=HashingEncoder()), view(40.0, ore=(41, 64, 0)), view(8.0, ore=(9, 64, 0)))
    assert where(memory, "ore", 0.0) == {"ore": (9, 64, 0)}
    assert where(memory, "ore", 30.0) == {"ore": (41, 64, 0)}


def test_what_scores_below_the_threshold_is_not_found():
    encoder = ScriptedEncoder({"ore": 0.49, "vein": 0.5}, questions=("iron",))
    memory = lived(MrSteve(encoder=encoder), view(0.0, ore=(1, 64, 0), vein=(2, 64, 0)))
    assert where(memory, "iron") == {"vein": (2, 64, 0)}


def test_only_the_best_clusters_are_looked_into():
    encoder = ScriptedEncoder({"ore": 0.6, "vein": 0.9}, questions=("iron",))
    memory = MrSteve(encoder=encoder, clusters=1)
    lived(memory, view(40.0, ore=(41, 64, 0), vein=(42, 64, 0)), view(8.0, ore=(9, 64, 0)))
    assert where(memory, "iron") == {"ore": (41, 64, 0), "vein": (42, 64, 0)}


def test_on_capacity_the_oldest_record_of_the_largest_event_cluster_goes():
    memory = MrSteve(encoder=HashingEncoder(), capacity=5)
    elsewhere = view(60.0, rock=(60, 64, 0))
    # One place, one direction: two records of one cluster, then one of another, then one more of the first.
    lived(memory, elsewhere, view(0.0, tree=(1, 64, 0)), view(0.0, tree=(2, 64, 0)))
    lived(memory, view(0.0, sand=(3, 64, 0)), view(0.0, tree=(4, 64, 0)))
    assert where(memory, "tree") == {"tree": (1, 64, 0)}
    lived(memory, view(0.0, sand=(5, 64, 0)))
    assert len(memory) == 5
    assert where(memory, "tree") == {"tree": (2, 64, 0)}
    assert where(memory, "rock") == {"rock": (60, 64, 0)}
    # Now both clusters hold two: the one with the older record gives it.
    lived(memory, view(0.0, sand=(6, 64, 0)))
    assert where(memory, "tree") == {"tree": (4, 64, 0)}
    assert where(memory, "sand") == {"sand": (3, 64, 0)}


def test_the_fullest_place_gives_a_record_and_another_direction_is_another_place():
    memory = MrSteve(encoder=HashingEncoder(), capacity=5)
    # Three alike records in one direction; in the other four, but two clusters of two.
    lived(memory, view(0.0, 180.0, tree=(1, 64, 0)), view(0.0, 180.0, tree=(2, 64, 0)))
    lived(memory, view(0.0, 0.0, rock=(3, 64, 0)), view(0.0, 29.0, sand=(4, 64, 0)))
    lived(memory, view(0.0, 331.0, ore=(5, 64, 0)), view(0.0, 0.0, clay=(6, 64, 0)))
    assert [kind for kind in ("tree", "rock", "sand", "ore", "clay") if where(memory, kind)] == [
        "tree",
        "sand",
        "ore",
        "clay",
    ]
    assert where(memory, "tree") == {"tree": (1, 64, 0)}


def test_without_places_the_latest_records_alone_are_left():
    long, short = MrSteve(encoder=HashingEncoder()), MrSteve(encoder=HashingEncoder(), place_memory=False)
    steps = (view(0.0, ore=(1, 64, 0)), *(view(float(n), dust=(n, 60, 0)) for n in range(SHORT)))
    assert where(lived(long, *steps), "ore") == {"ore": (1, 64, 0)}
    assert where(lived(short, *steps), "ore") == {}
    assert where(short, "dust") == {"dust": (0, 60, 0)}
    assert (len(long), len(short)) == (SHORT + 1, SHORT)


@pytest.mark.parametrize("place_memory", [True, False])
def test_the_step_that_made_an_item_is_given_back_and_a_failure_is_not(place_memory):
    memory = MrSteve(encoder=HashingEncoder(), place_memory=place_memory)
    trace = Trace(log=3).craft("log", "log").walk().craft("log", plank=4).dig("tree", log=1)
    lived(memory, *trace.steps)
    memory.close(trace.ended(GOAL, "budget"))
    assert memory.recall(asked(GOAL, item="plank")).steps == (trace.steps[2],)
    assert memory.recall(asked(GOAL, item="tree")).steps == (trace.steps[3],)
    assert memory.recall(asked(GOAL)) == Recalled()


def test_many_views_of_a_block_do_not_hide_the_step_that_dug_it():
    memory = MrSteve(encoder=HashingEncoder())
    (dug,) = Trace(blocks=("sand",)).dig("sand", sand=1).steps
    lived(memory, replace(dug, before=replace(dug.before, position=(300.0, 64.0, 0.0))))
    lived(memory, *(view(6.0 * n, sand=(6 * n, 63, 0)) for n in range(40)))
    assert [step.outcome for step in memory.recall(asked(GOAL, item="sand")).steps] == [dug.outcome]
    assert where(memory, "sand", 12.0) == {"sand": (12, 63, 0)}


def test_of_alike_events_the_nearest_is_given_back():
    memory = MrSteve(encoder=HashingEncoder())
    far, near = Trace().dig("tree", log=1).steps[0], Trace().dig("tree", log=1).steps[0]
    far = replace(far, before=replace(far.before, position=(50.0, 64.0, 0.0)))
    lived(memory, far, near)
    assert memory.recall(asked(GOAL, item="log")).steps == (near,)


@pytest.mark.parametrize("place_memory", [True, False])
def test_what_was_put_where_a_goal_asks_is_given_back_whatever_came_of_it(place_memory):
    memory = MrSteve(encoder=HashingEncoder(), place_memory=place_memory)
    goal = Fill(text="fill the gap", cells=((1, 63, 0), (2, 63, 0)))
    trace = Trace(sand=1, dirt=2).put("sand", (1, 63, 0), gain=0).put("dirt", (2, 63, 0), gain=1)
    trace.put("dirt", (7, 63, 0), gain=0)
    lived(memory, *trace.steps)
    memory.close(trace.ended(goal, "budget"))
    assert memory.recall(asked(goal)).steps == tuple(trace.steps[:2])


def test_fights_with_the_creature_of_a_goal_are_given_back_by_weapon():
    memory = MrSteve(encoder=HashingEncoder())
    trace = Trace(sword=1).fight("zombie").hold("sword").fight("zombie", bone=1)
    lived(memory, *trace.steps)
    goal = Fell(text="fell it quickly", mob="zombie", within=40)
    assert memory.recall(asked(goal)).steps == (trace.steps[0], trace.steps[2])


def test_each_name_is_encoded_once():
    encoder = ScriptedEncoder({}, questions=())
    memory = lived(MrSteve(encoder=encoder), view(ore=(1, 64, 0)), view(ore=(2, 64, 0), tree=(3, 64, 0)))
    for _ in range(2):
        where(memory, "iron")
    lived(memory, view(sand=(3, 64, 0)))
    where(memory, "iron")
    assert encoder.encoded == ["ore", "tree", "iron", "sand"]


def test_a_demonstration_is_remembered_without_its_land():
    memory = MrSteve(encoder=HashingEncoder())
    trace = Trace(blocks=("tree",), log=1).craft("log", plank=4)
    memory.show(trace.shown("make planks"))
    assert memory.recall(asked(GOAL, item="plank")).steps == tuple(trace.steps)
    assert where(memory, "tree") == {}


def test_frames_are_not_kept():
    memory = MrSteve(encoder=HashingEncoder())
    (step,) = Trace().dig("tree", log=1).steps
    picture = np.zeros((2, 2, 3), dtype=np.uint8)
    lived(memory, replace(step, before=replace(step.before, frame=picture)))
    (kept,) = memory.recall(asked(GOAL, item="log")).steps
    assert kept == step
    assert kept.before.frame is None


def test_nothing_is_recalled_from_an_empty_memory():
    assert MrSteve(encoder=HashingEncoder()).recall(asked(GOAL)) == Recalled()


def test_a_capacity_below_one_is_refused():
    with pytest.raises(ValueError, match="at least 1 record; got 0"):
        MrSteve(encoder=HashingEncoder(), capacity=0)
