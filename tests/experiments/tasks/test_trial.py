from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

import pytest

from csd.episode import Action, Attack, Collect, Craft, Equip, Observation, Outcome, Place, Smelt, Step
from echo.agent.goal import Fell, Fill
from echo.agent.memory import Ended, Habits, Question, Recalled
from echo.agent.pursuit import COUNTED
from echo.baselines.direct import Direct
from echo.experiments.tasks.loading import load_task, task_names, tasks_digest
from echo.experiments.tasks.records import EpisodeRecord, RunSpec, Tally, TaskRun
from echo.experiments.tasks.setting import set_up
from echo.experiments.tasks.task import Task
from echo.experiments.tasks.trial import _in_vain as tried_in_vain
from echo.experiments.tasks.trial import play_run, schedule
from tests.agent.toy_world import ToyWorld
from tests.experiments.tasks.fake_runs import make_spec

BARE = Equip(item=None)


def unheard(done: int, of: int) -> None:
    """Listen to no progress."""


def spec(agent: str = "direct", task: str = "craft-grid", **changes) -> RunSpec:
    return make_spec(agent, task, task_digest=tasks_digest([task]), **changes)


def short(name: str, start: int, steps: int) -> Task:
    """Return a task with one of its starts alone and so many steps."""
    task = load_task(name)
    return task.model_copy(update={"starts": (task.starts[start],), "steps": steps})


class Stubborn(Direct):
    """Repeats one plan in every episode, whatever comes of it."""

    def __init__(self, *plan: Action) -> None:
        super().__init__()
        self._plan = plan

    @property
    def habits(self) -> Habits:
        return Habits(replans=False)

    def recall(self, question: Question) -> Recalled:
        return Recalled(plan=self._plan)


def stubborn(task: Task, *plan: Action, episodes: int = 3) -> tuple[EpisodeRecord, ...]:
    """Return the records of episodes that repeat a plan as far as the budget goes."""
    played = play_run(
        spec(task=task.name, episodes=episodes), "", unheard, Stubborn(*plan), tasks=(task,) * episodes
    )
    return played.episodes


def in_vain(task: Task, *plan: Action) -> list[int]:
    return [one.retries for one in stubborn(task, *plan)]


HANDS = ("craft-grid", 1)
"""A start with four sticks and four of cobblestone."""
NOTHING = Craft(grid=(("stick", "cobblestone"),))


def test_what_failed_in_an_earlier_episode_is_a_retry_and_in_the_same_one_is_not():
    assert in_vain(short(*HANDS, 2), NOTHING, NOTHING) == [0, 2, 2]


def test_the_same_grid_laid_elsewhere_or_mirrored_is_the_same_try():
    first = Craft(grid=(("stick", "cobblestone"), (None, None)))
    other = Craft(grid=((None, None), ("cobblestone", "stick")))
    assert in_vain(short(*HANDS, 1), first) == [0, 1, 1]
    assert in_vain(short(*HANDS, 2), first, other) == [0, 2, 2]


def test_what_worked_or_could_not_be_tried_is_no_retry():
    assert in_vain(short("craft-grid", 2, 1), Craft(grid=(("oak_log",),))) == [0, 0, 0]
    assert in_vain(short(*HANDS, 1), Craft(grid=(("diamond",),))) == [0, 0, 0]


def test_a_fuel_that_does_not_burn_and_an_input_that_gives_nothing_count_apart():
    task = short("smelt-eq", 0, 2)
    assert in_vain(task, Smelt(input="sand", fuel="rail"), Smelt(input="sand", fuel="book")) == [0, 2, 2]
    # The fuel burns: it was the input that failed, and would with any other.
    assert in_vain(task, Smelt(input="leather", fuel="stick"), Smelt(input="leather", fuel="rail"))[:2] == [
        0,
        2,
    ]


def test_a_fight_that_took_too_long_is_a_retry_the_next_time():
    # Seventy-six ticks with the bare hand, where 64 are allowed.
    assert in_vain(short("weapon-eq", 0, 1), Attack(mob="spider")) == [0, 1, 1]
    assert in_vain(short("weapon-eq", 0, 1), Equip(item="stone_axe"), Attack(mob="spider")) == [0, 0, 0]


def test_a_block_that_does_not_carry_is_a_retry_the_next_time():
    task = short("bridge-eq", 0, 1)
    goal = set_up(task, run=0, seed=0, episode=0, invented_names=None).goal
    assert isinstance(goal, Fill)
    loose, firm = (Place(item=item, target=goal.cells[0]) for item in ("white_concrete_powder", "granite"))
    assert in_vain(task, loose) == [0, 1, 1]
    assert in_vain(task, firm) == [0, 0, 0]


def test_an_episode_is_recorded_as_it_went():
    (won,) = stubborn(short("craft-grid", 2, 3), NOTHING, BARE, Craft(grid=(("oak_log",),)), episodes=1)
    # There is neither stick nor cobblestone for the first; holding nothing costs no step.
    assert (won.task, won.start, won.ending, won.success) == ("craft-grid", 0, "reached", True)
    assert (won.steps, won.budget, won.surprises, won.goal) == (2, 3, 1, (1, 1))
    assert (won.recalled, won.decisions, won.precheck, won.tokens) == (0, 0, 0, 0)
    assert won.attempts["plan"] == Tally(tried=3, made=2, new=1, steps=2, lost=1)
    assert (won.axes, won.axes_made) == ({}, {})


def test_a_budget_of_one_step_is_one_step():
    (spent,) = stubborn(short(*HANDS, 1), NOTHING, NOTHING, episodes=1)
    assert (spent.ending, spent.steps, spent.budget, spent.goal) == ("budget", 1, 1, (0, 1))


def test_milestones_are_recorded_with_the_step_that_came_to_each():
    ladder = short("diamond", 0, 3).model_copy(
        update={"milestones": ("oak_log", "oak_planks", "crafting_table")}
    )
    (climbed,) = stubborn(ladder, Collect(block="oak_log"), BARE, Craft(grid=(("oak_log",),)), episodes=1)
    assert climbed.milestones == {"oak_log": 1, "oak_planks": 2}
    assert stubborn(short(*HANDS, 1), NOTHING, episodes=1)[0].milestones == {}


def test_starts_take_turns_and_progress_is_told_after_each_episode():
    told = []
    played = play_run(spec(run=1), "typed in", lambda done, of: told.append((done, of)))
    assert [one.start for one in played.episodes] == [1, 2, 3]
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert (played.command, played.spec_digest) == ("typed in", played.spec.digest)


def names(tasks: Sequence[Task]) -> list[str]:
    return [task.name for task in tasks]


def mixed(agent: str = "echo", episodes: int = 31, **changes) -> list[str]:
    made = make_spec(agent, "mixed", task_digest=tasks_digest(task_names()), episodes=episodes, **changes)
    return names(schedule(made))


def test_a_run_of_one_task_plays_it_in_every_episode():
    assert names(schedule(spec(episodes=4))) == ["craft-grid"] * 4


def test_a_mixed_run_plays_every_task_once_before_any_comes_again():
    order = mixed()
    assert len(order) == 31
    assert sorted(order[:12]) == sorted(order[12:24]) == sorted(task_names())
    assert len(dict.fromkeys(order[24:])) == 7
    assert mixed(episodes=5) == order[:5]


def test_a_mixed_run_is_the_same_for_all_competitors_and_another_for_each_run_and_seed():
    assert mixed("mp5/-patroller") == mixed("echo") == mixed("direct")
    orders = [mixed(run=run, seed=seed) for run in (0, 1) for seed in (0, 1)]
    assert all(one != other for n, one in enumerate(orders) for other in orders[:n])


PLAYED = ("echo", "jarvis-1", "vista")
TASKS = ("smelt-eq", "craft-grid")


def digests(*, reverse: bool = False) -> dict[str, str]:
    """Return the digest of what happened in each of some short runs, played one after another."""
    specs = [spec(agent, task, episodes=3, run=1) for agent in PLAYED for task in TASKS]
    played = [play_run(one, "", unheard) for one in (reversed(specs) if reverse else specs)]
    return {one.spec.name: one.result_digest for one in sorted(played, key=lambda run: run.spec.name)}


def test_equal_specs_give_equal_results_in_any_order_and_any_process():
    """What a process keeps - encoded texts, demonstrations, tables of the world - changes no result."""
    script = "from tests.experiments.tasks.test_trial import digests; print(digests(reverse=True))"
    alone = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    first = digests()
    assert first == digests(reverse=True)
    assert alone == str(first)
    assert len(dict.fromkeys(first.values())) == len(PLAYED) * len(TASKS)


def test_runs_of_one_number_differ_between_seeds():
    one, other = (play_run(spec(seed=seed, episodes=1), "", unheard) for seed in (0, 1))
    assert isinstance(one, TaskRun)
    assert one.episodes != other.episodes


@pytest.mark.parametrize("agent", ["echo", "direct"])
def test_demonstrations_are_shown_before_the_first_episode(agent):
    played = play_run(spec(agent, episodes=1), "", unheard)
    assert (played.episodes[0].recalled > 0) is (agent == "echo")


def fight(mob: str, weapon: str | None, ticks: int) -> Step:
    before = replace(ToyWorld().observe(), mainhand=weapon)
    return Step(
        before=before,
        action=Attack(mob=mob),
        outcome=Outcome(code="no_drop", message="", work_ticks=ticks),
    )


def test_a_weapon_is_in_vain_against_the_creature_asked_for_alone():
    spider, zombie = (Fell(text="fell it", mob=mob, within=60) for mob in ("spider", "zombie"))
    slow = tried_in_vain(fight("spider", "hoe", 61), spider)
    assert slow is not None
    assert tried_in_vain(fight("spider", "hoe", 80), spider) == slow
    assert tried_in_vain(fight("spider", "hoe", 60), spider) is None
    # Another creature is no part of the goal, and in another task it says nothing of this one.
    assert tried_in_vain(fight("zombie", "hoe", 61), spider) is None
    assert tried_in_vain(fight("zombie", "hoe", 61), zombie) not in (None, slow)


def test_the_sources_of_an_episode_account_for_every_step():
    (played,) = play_run(spec("echo", episodes=1, run=1), "", unheard).episodes
    assert played.ending == "budget"
    assert sum(tally.steps for tally in played.attempts.values()) == played.steps == played.budget


class Counting(Direct):
    """Counts the steps of each episode that count against a budget."""

    def __init__(self) -> None:
        super().__init__()
        self.counted = [0]

    def take_in(self, step: Step, fresh: Sequence[str], after: Observation) -> None:
        self.counted[-1] += step.action.kind in COUNTED

    def close(self, ended: Ended) -> None:
        self.counted.append(0)


@pytest.mark.parametrize("task", ["craft-grid", "weapon-eq", "bridge-eq", "bed"])
def test_every_step_is_booked_once_whatever_a_task_asks_for(task):
    memory = Counting()
    played = play_run(spec(task=task, episodes=2), "", unheard, memory).episodes
    assert [sum(tally.steps for tally in one.attempts.values()) for one in played] == memory.counted[:-1]
    assert all(0 <= tally.lost <= tally.steps for one in played for tally in one.attempts.values())
    # Walking to look is no attempt: it can be neither tried nor lost.
    assert all(one.attempts.get("scout", Tally()).lost == 0 for one in played)
