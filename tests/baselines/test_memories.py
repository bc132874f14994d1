from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from csd.axes import AXES
from csd.encode import HashingEncoder
from echo.agent.memory import Habits, Recalled
from echo.baselines.memories import MEMORIES, EchoSettings, echo_settings, make_memory
from tests.baselines.hand_made import Trace, asked, have

ROOT = Path(__file__).resolve().parents[2]
EVERY = [(agent, switch) for agent, switches in MEMORIES.items() for switch in (None, *switches)]
PLANKS = have("carry planks", plank=4)


@pytest.mark.parametrize(("agent", "switch"), EVERY)
def test_every_memory_starts_empty_and_lives_through_an_episode(agent: str, switch: str | None) -> None:
    memory = make_memory(agent, switch, encoder=HashingEncoder())
    assert isinstance(memory.habits, Habits)
    assert memory.recall(asked(PLANKS)) == Recalled()
    memory.show(Trace(log=1).craft("log", plank=4).shown("make planks"))
    trace = Trace().dig("tree", log=1).craft("log", "log").craft("log", gain=1, plank=4)
    for step, fresh in zip(trace.steps, (["log"], [], ["plank"]), strict=True):
        memory.take_in(step, fresh, trace.now)
    memory.close(trace.ended(PLANKS))
    steps = memory.recall(asked(PLANKS)).steps
    again = memory.recall(asked(PLANKS)).steps
    assert steps == again
    assert all(0 <= fit <= 1 for fit in memory.fits("fuel", ["log", "plank"]).values())


def test_a_switch_of_echo_turns_one_thing() -> None:
    whole = EchoSettings(axes=AXES, shots=8, ical=True, maintains=True, verifies=True)
    struct, attr, proc, func, inter = AXES
    assert echo_settings(None) == whole
    assert {switch: echo_settings(switch) for switch in MEMORIES["echo"]} == {
        "1-shot": replace(whole, shots=1),
        "2-shot": replace(whole, shots=2),
        "4-shot": replace(whole, shots=4),
        "-struct": replace(whole, axes=(attr, proc, func, inter)),
        "-attr": replace(whole, axes=(struct, proc, func, inter)),
        "-proc": replace(whole, axes=(struct, attr, func, inter)),
        "-func": replace(whole, axes=(struct, attr, proc, inter)),
        "-inter": replace(whole, axes=(struct, attr, proc, func)),
        **{f"only-{axis.value}": replace(whole, axes=(axis,)) for axis in AXES},
        "-ical": replace(whole, ical=False),
        "-maintenance": replace(whole, maintains=False),
        "-verifier": replace(whole, verifies=False),
    }


@pytest.mark.parametrize(
    ("agent", "switch", "habits"),
    [
        ("deps", "-selector", Habits()),
        ("voyager", "-self-verification", Habits(replans=False)),
        ("jarvis-1", "-self-check", Habits(replans=False, checks=False)),
        ("mp5", "-patroller", Habits(replans=False, looks_first=True)),
        ("echo", "-verifier", Habits(checks=False)),
    ],
)
def test_a_switch_reaches_the_memory_made(agent: str, switch: str, habits: Habits) -> None:
    assert make_memory(agent, switch, encoder=HashingEncoder()).habits == habits
    assert make_memory(agent, None, encoder=HashingEncoder()).habits != habits


def test_an_unknown_agent_or_switch_is_named() -> None:
    with pytest.raises(ValueError, match=r"an agent out of echo, direct, .*; got 'voyeur'"):
        make_memory("voyeur", None, encoder=HashingEncoder())
    with pytest.raises(ValueError, match="for direct a switch out of none: it has no switch; got '-x'"):
        make_memory("direct", "-x", encoder=HashingEncoder())
    with pytest.raises(ValueError, match="for mp5 a switch out of -patroller; got '-self-check'"):
        make_memory("mp5", "-self-check", encoder=HashingEncoder())


def test_two_processes_get_the_same_answers() -> None:
    def life(hash_seed: str) -> str:
        command = [sys.executable, "-m", "tests.baselines.one_life"]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
        return done.stdout

    first = life("1")
    assert first == life("2")
    assert json.loads(first)["jarvis-1"][0]["steps"]
