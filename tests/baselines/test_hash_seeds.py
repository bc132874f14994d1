"""What memories answer does not hang on the seed with which a process hashes texts."""

from __future__ import annotations

import os
import subprocess
import sys

from csd.encode import HashingEncoder
from echo.baselines.memories import make_memory
from tests.baselines.hand_made import Trace, asked, have

GOAL = have("carry planks", plank=4)
SYSTEMS = ("mrsteve", "mp5", "pro-long", "vista", "echo-release")


def answers() -> str:
    """Return all that five memories answer after two episodes, as text."""
    told = []
    for agent in SYSTEMS:
        memory = make_memory(agent, None, encoder=HashingEncoder())
        for ending in ("budget", "reached"):
            trace = Trace(blocks=("tree", "rock", "dune"), ore=2, coal=2)
            trace.dig("tree", log=1).dig("rock", stone=1).dig("dune", sand=1).dig("dust")
            trace.craft("stone", "sand").smelt("ore", "coal", ingot=1).craft("log", gain=1, plank=4)
            for step in trace.steps:
                memory.take_in(step, (), trace.now)
            memory.close(trace.ended(GOAL, "reached" if ending == "reached" else "budget"))
        questions = (asked(GOAL), asked(GOAL, item="ingot"), asked(GOAL, block="rock"))
        told += [f"{agent} {memory.recall(question)}" for question in questions]
    return "\n".join(told)


def test_two_processes_with_other_seeds_answer_alike():
    script = "from tests.baselines.test_hash_seeds import answers; print(answers())"
    seen = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert seen[0] == seen[1]
    assert all(f"{agent} Recalled(steps=(Step(" in seen[0] for agent in SYSTEMS)
