from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from csd.axes import AXES
from csd.bank import Bank
from csd.encode import HashingEncoder
from csd.episode import COUNTED_KINDS, Craft, Smelt
from csd.ground import ground
from echo.agent.archive import BANK_FILE
from echo.agent.arrangement import Arrangement
from echo.agent.unlock import AgentReport, play
from echo.experiments.demonstrate import record_demonstrations
from echo.mfm.episodic.reader import read_episode, read_frame, read_index
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.world import MinecraftWorld
from tests.agent.one_run import WatchedWorld, run, told
from tests.agent.renamed_world import Names, RenamedWorld
from tests.agent.toy_world import Rules, ToyWorld

ROOT = Path(__file__).resolve().parents[2]
AGENTS = ("none", "edits", "name-similarity", "bow", "echo")
STEPS = 170


@pytest.fixture(scope="module")
def runs() -> dict[str, tuple[AgentReport, WatchedWorld]]:
    """One run of each agent."""
    return {agent: run(agent, STEPS) for agent in AGENTS}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, AgentReport]:
    """The memory folder of a run of echo, and what it reported."""
    folder = tmp_path_factory.mktemp("memory")
    return folder, run("echo", STEPS, memory=folder)[0]


@pytest.mark.parametrize("agent", AGENTS)
def test_the_budget_is_used_exactly(runs, agent):
    report, world = runs[agent]
    assert report.actions == STEPS == world.counted
    assert sum(action.kind in COUNTED_KINDS for action, _ in world.done) == STEPS
    assert report.ticks == sum(outcome.ticks for _, outcome in world.done)


@pytest.mark.parametrize("agent", AGENTS)
def test_what_gave_nothing_is_never_tried_again(runs, agent):
    tried = [
        Arrangement.from_grid(action.grid)
        if isinstance(action, Craft)
        else Arrangement.smelting(action.input)
        for action, outcome in runs[agent][1].done
        if isinstance(action, Craft | Smelt) and outcome.code == "no_result"
    ]
    assert tried
    assert len(tried) == len(set(tried))


@pytest.mark.parametrize("agent", AGENTS)
def test_unlocks_are_what_the_world_saw_enter_the_inventory(runs, agent):
    report, world = runs[agent]
    assert {one.item: one.action for one in report.unlocks} == dict(world.unlocked)
    assert [one.action for one in report.unlocks] == sorted(one.action for one in report.unlocks)


@pytest.mark.parametrize("agent", AGENTS)
def test_sources_are_told_apart_and_add_up(runs, agent):
    report, _ = runs[agent]
    sources = [one.source for one in report.unlocks]
    assert {source: counts["new"] for source, counts in report.attempts.items() if counts["new"]} == {
        source: sources.count(source) for source in dict.fromkeys(sources)
    }
    if agent in ("none", "edits"):
        assert not {"transfer", "pattern"} & set(sources)
    for one in report.unlocks:
        carried_over = one.source in ("transfer", "pattern")
        # Names that share nothing are no reason: then no channel spoke for the idea.
        silent = not carried_over or (agent == "name-similarity" and one.axes == {})
        assert sum(one.axes.values()) == pytest.approx(0.0 if silent else 1.0)
        assert one.exemplars or not carried_over
        assert one.verb in ("collect", "craft", "smelt")
        assert one.source != "collect" or one.verb == "collect"


def test_transfer_unlocks_within_a_few_hundred_actions(runs):
    counts = runs["echo"][0].attempts
    assert counts["transfer"]["new"] + counts.get("pattern", {"new": 0})["new"] >= 3


def test_what_was_demonstrated_is_made_once_its_parts_are_known(runs):
    for report, _ in (runs["none"], runs["echo"]):
        made = {one.item: one for one in report.unlocks}["wooden_pickaxe"]
        assert made.detail == "as demonstrated: AAA/.B./.B. of oak_planks, stick"
        assert made.source == "exploration"
        assert len(made.exemplars) == 1


def test_the_same_happens_whether_or_not_it_is_recorded(runs, memory, tmp_path):
    unrecorded, recorded = runs["echo"][0], memory[1]
    kept = [
        [(one.item, one.action, one.source, one.axes, one.csd, one.exemplars) for one in report.unlocks]
        for report in (unrecorded, recorded)
    ]
    assert kept[0] == kept[1]
    assert unrecorded.attempts == recorded.attempts
    everything, _ = run("echo", 120, memory=tmp_path / "all", record="all")
    nothing, _ = run("echo", 120, memory=tmp_path / "none", record="none")
    assert [(one.item, one.action) for one in everything.unlocks] == [
        (one.item, one.action) for one in nothing.unlocks
    ]
    assert not (tmp_path / "none").exists()
    assert all(one.episode is None for one in nothing.unlocks)


def test_a_memory_begins_with_the_initial_state_and_the_demonstrations(memory):
    folder, _ = memory
    rows = list(read_index(folder))
    assert [row["kind"] for row in rows[:3]] == ["initial", "episode", "episode"]
    shown = [read_episode(folder, row["id"]) for row in rows[1:3]]
    assert [(one.source, one.goal) for one in shown] == [
        ("demonstration", "make a wooden_pickaxe"),
        ("demonstration", "make a furnace"),
    ]


def test_every_unlock_is_described_and_its_descriptor_is_borne_out_by_its_episode(memory):
    folder, report = memory
    with Bank.open(folder / BANK_FILE, HashingEncoder(), create=False) as bank:
        for one in report.unlocks:
            assert one.csd is not None
            assert one.episode is not None
            csd, episode = bank.get(one.csd), read_episode(folder, one.episode)
            assert csd.meta.episodes == (one.episode,)
            assert one.item in episode.inventory_delta
            assert ground(csd, {one.episode: episode}) == ()
            assert set(one.exemplars) <= set(bank.ids())


def test_every_unlock_has_a_picture_of_what_was_seen_then(memory):
    folder, report = memory
    for one in report.unlocks:
        assert one.episode is not None
        steps = len(read_episode(folder, one.episode).steps)
        frame = read_frame(folder, one.episode, steps)
        assert frame is not None
        assert frame.shape == (64, 64, 3)


def test_failures_are_in_the_log_and_in_no_episode(memory):
    folder, report = memory
    tried = sum(
        counts["tried"] - counts["made"] for name, counts in report.attempts.items() if name != "collect"
    )
    with Bank.open(folder / BANK_FILE, HashingEncoder(), create=False) as bank:
        failures = bank.failures()
        assert len(failures) == len({failure.key for failure in failures}) == tried
        assert any(failure.used for failure in failures)
        credited = bank.credits()
    assert sum(one.successes for one in credited.values()) > 0


def test_with_everything_recorded_failed_attempts_are_episodes_too(tmp_path):
    report, _ = run("edits", 60, memory=tmp_path, record="all")
    failed = sum(
        counts["tried"] - counts["made"] for name, counts in report.attempts.items() if name != "collect"
    )
    codes = [read_episode(tmp_path, row["id"]).steps[-1:] for row in read_index(tmp_path)]
    last = [steps[0].outcome.code for steps in codes if steps]
    assert last.count("no_result") == failed > 0


def test_a_memory_folder_that_is_in_use_already_is_refused(memory):
    with pytest.raises(ValueError, match="expected an empty memory"):
        run("echo", 20, memory=memory[0])


@pytest.mark.parametrize("agent", ["none", "edits", "echo"])
def test_names_that_say_nothing_but_sort_alike_change_nothing(runs, agent):
    known = runs[agent][1]
    real = [*known.facts.items, *known.facts.blocks, *known.facts.mobs]
    names = Names(real)
    report = play(
        world=RenamedWorld(MinecraftWorld(WorldOptions(seed=0, max_steps=STEPS)), names),
        agent=agent,
        axes=AXES,
        steps=STEPS,
        seed=0,
        demonstrations=[names.episode(shown) for shown in record_demonstrations(2, 0, None)],
        memory=None,
        encoder="hashing-256",
        progress=None,
    )
    assert [(names.real(one.item), one.action, one.source) for one in report.unlocks] == [
        (one.item, one.action, one.source) for one in runs[agent][0].unlocks
    ]


def test_two_processes_live_the_same_life(runs):
    command = [sys.executable, "-m", "tests.agent.one_run", "echo", str(STEPS)]
    there = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert there.stdout == told(runs["echo"][0])


def test_progress_is_told_up_to_the_end():
    told_so_far: list[tuple[int, int]] = []
    report = play(
        world=ToyWorld(),
        agent="edits",
        axes=AXES,
        steps=40,
        seed=0,
        demonstrations=(),
        memory=None,
        encoder="hashing-256",
        progress=lambda actions, unlocks: told_so_far.append((actions, unlocks)),
    )
    assert told_so_far == sorted(told_so_far)
    assert told_so_far[0] == (0, 0)
    assert told_so_far[-1] == (40, len(report.unlocks))


def test_a_life_with_nothing_to_do_ends_early():
    report = play(
        world=ToyWorld(Rules(blocks={}, recipes={})),
        agent="echo",
        axes=AXES,
        steps=40,
        seed=0,
        demonstrations=(),
        memory=None,
        encoder="hashing-256",
        progress=None,
    )
    assert (report.actions, report.unlocks) == (0, ())


def test_an_agent_without_a_memory_of_its_own_must_be_given_one():
    with pytest.raises(ValueError, match="got 'name-similarity' and none"):
        play(
            world=ToyWorld(),
            agent="name-similarity",
            axes=AXES,
            steps=4,
            seed=0,
            demonstrations=(),
            memory=None,
            encoder="hashing-256",
            progress=None,
        )


def test_reports_are_equal_whatever_time_the_decisions_took():
    first, second = (
        AgentReport(unlocks=(), actions=3, ticks=9, attempts={}, decision_ms=took)
        for took in ((1.0, 2.0), (3.0, 4.0))
    )
    assert first == second
