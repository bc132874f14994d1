from __future__ import annotations

from dataclasses import replace

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
    Place,
    Smelt,
    WaitUntil,
)
from echo.agent.arrangement import Arrangement
from echo.agent.goal import Fill, Make
from echo.agent.ledger import Spending
from echo.agent.memory import Habits, Recalled
from echo.agent.policy import Idea, NoMemory, Prospects
from echo.agent.pursuit import COUNTED, FIRST_LOOKS
from echo.agent.scouting import POINTS
from tests.agent.attempting import idea
from tests.agent.toy_goals import NOTHING, TREE, GoalWorld, Lay, ScriptedMemory, deeds, have, lived, play
from tests.agent.toy_world import RULES

PLANKS = Craft(grid=(("log",),))
DIG, GHOST, BARE = Collect(block="tree"), Collect(block="ghost"), Equip(item=None)
BLIND = Habits(replans=False)


def test_an_episode_begins_knowing_only_what_memory_recalls():
    forgetful, first, second = ScriptedMemory(), GoalWorld(have(plank=1)), GoalWorld(have(plank=1))
    one, other = play(first, forgetful), play(second, forgetful)
    assert one.ending == "reached"
    # Nothing is left of the first episode: the second goes the same long way.
    assert deeds(first) == deeds(second)
    assert (one.recalled, other.recalled) == (0, 0)
    told = play(GoalWorld(have(plank=1)), ScriptedMemory(Recalled(steps=lived(DIG, PLANKS))))
    assert (told.recalled, told.steps) == (2, 2)
    assert told.steps < one.steps


def test_a_known_goal_is_made_without_exploring():
    steps = lived(PLANKS, log=1)
    world = GoalWorld(have(plank=4), held={"log": 1})
    pursued = play(world, ScriptedMemory(Recalled(steps=steps)))
    assert deeds(world) == [PLANKS]
    assert (pursued.ending, pursued.steps, pursued.decisions, pursued.best) == ("reached", 1, 0, 1)
    assert pursued.spending == {"plan": Spending(tried=1, made=1, steps=1)}


def test_what_a_known_goal_takes_is_gathered_and_its_station_put_down():
    pick = Craft(grid=(("plank",) * 3, (None, "rod", None), (None, "rod", None)))
    table = Craft(grid=(("plank", "plank"), ("plank", "plank")))
    rods = Craft(grid=(("plank",), ("plank",)))
    known = lived(*[DIG] * 4, *[PLANKS] * 4, table, rods, Place(item="table"), pick)
    world = GoalWorld(have(pick=1))
    pursued = play(world, ScriptedMemory(Recalled(steps=known)))
    # Four planks for the table, three for the head (one is over), two for rods.
    assert deeds(world) == [DIG, PLANKS, table, DIG, PLANKS, DIG, PLANKS, rods, Place(item="table"), pick]
    assert (pursued.ending, pursued.steps, pursued.ticks) == ("reached", 10, 200)


def test_memory_is_told_every_step_and_how_it_ended():
    memory = ScriptedMemory(Recalled(steps=lived(PLANKS, log=1)))
    pursued = play(GoalWorld(have(plank=4)), memory)
    assert tuple(step for step, _ in memory.taken) == pursued.trace
    (ended,) = memory.ended
    assert (ended.goal, ended.steps, ended.success) == (have(plank=4), pursued.trace, True)
    assert ended.after.count("plank") == 4


@pytest.mark.parametrize(
    ("recalled", "fresh"), [((), [("log",), (), ("plank",)]), ((DIG,), [(), (), ("plank",)])]
)
def test_fresh_is_what_neither_this_episode_nor_what_was_recalled_had_shown_held(recalled, fresh):
    memory = ScriptedMemory(Recalled(steps=lived(*recalled), plan=(DIG, DIG, PLANKS)))
    play(GoalWorld(have(plank=4)), memory)
    assert [told for _, told in memory.taken] == fresh


def test_every_kind_of_deed_counts_that_costs_a_step():
    assert sorted(COUNTED) == ["attack", "collect", "craft", "go_to", "mine", "place", "smelt"]
    costs = (
        DIG,
        Mine(target=(1, 64, 2)),
        PLANKS,
        Smelt(input="log", fuel="plank"),
        Attack(mob="cow"),
        GoTo(target=(1, 64, 0)),
        Place(item="plank"),
    )
    free = (BARE, LookAt(target=(1, 64, 2)), Eat(item="log"), Drop(item="log"), WaitUntil(ticks=1))
    plan = [*costs[:3], *free, *costs[3:], *free, DIG]
    world = GoalWorld(have(log=1, plank=4))
    pursued = play(world, ScriptedMemory(Recalled(plan=tuple(plan)), habits=BLIND))
    assert deeds(world) == plan
    assert (pursued.ending, pursued.steps) == ("reached", len(costs) + 1)


def test_a_goal_that_is_reached_at_the_start_costs_nothing():
    world = GoalWorld(have(log=1))
    world.reached = True
    pursued = play(world)
    assert (pursued.ending, pursued.steps, deeds(world)) == ("reached", 0, [])


class Restless(GoalWorld):
    """Is reached with the first log, though two are asked for."""

    def act(self, action):
        outcome = super().act(action)
        self.reached = self.reached or self.held.get("log", 0) > 0
        return outcome


def test_what_is_done_after_the_goal_was_reached_costs_no_step():
    world = Restless(have(log=3))
    pursued = play(world, ScriptedMemory(Recalled(steps=lived(DIG))))
    assert deeds(world) == [DIG] * 3
    assert (pursued.ending, pursued.steps, len(pursued.trace)) == ("reached", 1, 3)


def test_a_budget_of_one_step_is_one_step():
    known = Recalled(steps=lived(DIG))
    short = play(GoalWorld(have(log=2)), ScriptedMemory(known), budget=1)
    assert (short.ending, short.steps) == ("budget", 1)
    enough = play(GoalWorld(have(log=1)), ScriptedMemory(known), budget=1)
    assert (enough.ending, enough.steps) == ("reached", 1)


def test_where_there_is_nothing_but_walking_an_episode_is_stuck_once_all_points_were_seen():
    world = GoalWorld(have(gold=1), rules=NOTHING)
    memory = ScriptedMemory()
    pursued = play(world, memory, budget=1_000)
    assert (pursued.ending, pursued.steps) == ("stuck", len(POINTS))
    assert memory.ended[0].ending == "stuck"
    # What nobody knows a way to is asked for once.
    assert memory.asked == [(None, None), ("gold", None)]


def test_fifty_turns_without_a_counted_step_and_one_more_are_too_many():
    world = GoalWorld(have(gold=1))
    pursued = play(world, ScriptedMemory(Recalled(plan=(BARE,) * 60)))
    assert (pursued.ending, pursued.steps, len(world.done)) == ("stuck", 0, 51)


@pytest.mark.parametrize("replans", [True, False])
def test_a_plan_that_fails_is_given_up_unless_nobody_looks(replans):
    world = GoalWorld(have(log=1))
    memory = ScriptedMemory(Recalled(plan=(GHOST, BARE, DIG)), habits=Habits(replans=replans))
    pursued = play(world, memory)
    assert pursued.ending == "reached"
    assert pursued.surprises == 1
    assert (BARE in deeds(world)) is not replans
    if not replans:
        assert deeds(world) == [GHOST, BARE, DIG]
        assert pursued.spending["plan"] == Spending(tried=3, made=2, steps=2, lost=1)


def test_who_looks_first_walks_until_all_that_known_ways_begin_with_was_seen():
    known = Recalled(steps=lived(DIG, PLANKS))
    world = GoalWorld(have(plank=1), Lay(far={"tree": TREE}))
    pursued = play(world, ScriptedMemory(known, habits=Habits(looks_first=True)))
    assert deeds(world) == [GoTo(target=(0, 44, 0)), GoTo(target=(20, 64, 0)), DIG, PLANKS]
    assert pursued.steps == 4


def test_who_looks_first_walks_to_four_points_at_most():
    known = Recalled(steps=lived(DIG, PLANKS))
    world = GoalWorld(have(plank=1), Lay(far={"tree": (900, 64, 0)}), held={"log": 1})
    play(world, ScriptedMemory(known, habits=Habits(looks_first=True)))
    assert FIRST_LOOKS == 4
    assert [action.kind for action in deeds(world)] == ["go_to"] * 4 + ["craft"]


def test_who_has_seen_all_or_knows_nothing_looks_no_further():
    for known, held in ((Recalled(), {}), (Recalled(steps=lived(DIG)), {})):
        world = GoalWorld(have(log=1), held=held)
        play(world, ScriptedMemory(known, habits=Habits(looks_first=True)))
        assert "go_to" not in [action.kind for action in deeds(world)]


def laid(failures: bool, dice: int) -> list[object]:
    """Return the grids that an episode tries in a land with nothing in it."""
    steps = lived(Craft(grid=(("log", "log"),)), log=2) if failures else ()
    world = GoalWorld(have(gold=1), held={"log": 9, "stone": 9, "feather": 9}, rules=NOTHING)
    play(world, ScriptedMemory(Recalled(steps=steps)), budget=15, dice=dice)
    return [action for action in deeds(world) if isinstance(action, Craft)]


def test_dice_are_thrown_only_where_no_failure_is_recalled():
    assert laid(False, 0) != laid(False, 1)
    assert laid(True, 0) == laid(True, 1)
    assert laid(False, 0) == laid(False, 0)


def test_what_an_attempt_cost_in_vain_is_lost():
    world = GoalWorld(have(gold=1), held={"log": 9}, rules=NOTHING)
    pursued = play(world, budget=4)
    # One step puts the log down, to see whether it can be; three grids give nothing.
    assert [action.kind for action in deeds(world)] == ["place", "craft", "craft", "craft"]
    assert pursued.spending == {"exploration": Spending(tried=3, steps=4, lost=4)}
    # The fourth was decided on, but there was no step left for it.
    assert pursued.decisions == 4


TABLE = Craft(grid=(("plank", "plank"), ("plank", "plank")))


def test_a_plan_that_the_budget_breaks_off_is_booked_and_its_steps_are_lost():
    known = Recalled(steps=lived(DIG, PLANKS, TABLE))
    pursued = play(GoalWorld(have(table=1)), ScriptedMemory(known), budget=2)
    assert pursued.ending == "budget"
    assert pursued.spending == {"plan": Spending(tried=1, steps=2, lost=2)}


def test_a_part_that_is_played_in_vain_is_lost():
    ground = Lay(carriers=("brick",), loose=("sand",))
    world = GoalWorld(Fill(text="fill it", cells=((3, 63, 0),)), ground, held={"sand": 1, "brick": 1})
    pursued = play(world, ScriptedMemory(fits={"sand": 0.9, "brick": 0.1}))
    assert pursued.spending == {"role": Spending(tried=2, made=1, steps=2, lost=1)}


def test_walking_about_between_attempts_is_booked_apart():
    pursued = play(GoalWorld(have(gold=1), rules=NOTHING), budget=1_000)
    assert pursued.spending == {"scout": Spending(steps=len(POINTS))}


class Hopeful(NoMemory):
    """Suggests one thing until it is set aside."""

    def __init__(self, suggested: Idea) -> None:
        self._suggested: Idea | None = suggested

    def suggest(self, prospects: Prospects) -> Idea | None:
        return self._suggested

    def set_aside(self, idea: Idea, ways: int | None) -> None:
        self._suggested = None


@pytest.mark.parametrize("budget", [1, 2, 3])
def test_what_the_preparation_of_a_suggestion_costs_is_booked_for_the_suggestion(budget):
    policy = Hopeful(idea(Arrangement("AA/AA", ("log",))))
    memory = ScriptedMemory(Recalled(steps=lived(DIG)), policy=policy)
    trees = replace(RULES, blocks={"tree": RULES.blocks["tree"]})
    # These dice let memory choose first. Four logs are needed; the budget ends before.
    pursued = play(GoalWorld(Make(text="smelt it", where="fire"), rules=trees), memory, budget=budget)
    assert pursued.spending["transfer"] == Spending(steps=budget, lost=budget)


def test_what_a_plan_makes_for_the_first_time_is_new_of_the_plan():
    pursued = play(GoalWorld(have(plank=1)), ScriptedMemory(Recalled(plan=(DIG, PLANKS))))
    # What was dug counts as collected, whatever it was dug for.
    assert (pursued.spending["plan"].new, pursued.spending["collect"].new) == (1, 1)


@pytest.mark.parametrize("known", [(), (DIG,), (DIG, PLANKS, TABLE)])
@pytest.mark.parametrize("budget", [1, 3, 8, 20, 45])
def test_the_steps_of_all_sources_are_all_that_were_taken(known, budget):
    world = GoalWorld(have(oven=1), Lay(far={"tree": TREE}))
    pursued = play(world, ScriptedMemory(Recalled(steps=lived(*known))), budget=budget)
    taken = sum(action.kind in COUNTED for action in deeds(world))
    assert sum(spent.steps for spent in pursued.spending.values()) == taken == pursued.steps
    assert all(0 <= spent.lost <= spent.steps for spent in pursued.spending.values())
