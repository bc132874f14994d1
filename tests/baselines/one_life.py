"""Two hand-made episodes per memory, what it answers printed: python -m tests.baselines.one_life."""

from __future__ import annotations

import json
import sys

from csd.encode import HashingEncoder
from csd.episode import action_to_json
from echo.agent.memory import Recalled
from echo.baselines.memories import MEMORIES, make_memory
from tests.baselines.hand_made import Trace, asked, have

SLOW = ("mfm",)
"""Left out: its own tests compare folders between processes."""


def told(recalled: Recalled) -> object:
    return {
        "steps": [
            [action_to_json(step.action), dict(step.outcome.inventory_delta)] for step in recalled.steps
        ],
        "places": {block: list(cell) for block, cell in recalled.places.items()},
        "plan": [action_to_json(action) for action in recalled.plan],
    }


def answers(agent: str) -> list[object]:
    memory = make_memory(agent, None, encoder=HashingEncoder())
    goal = have("carry sticks", stick=2)
    memory.show(Trace(clay=4).craft("clay", "clay", "clay", "clay", block=1).shown("make a block"))
    for wood in ("oak", "birch"):
        trace = Trace(("tree", "rock")).dig("tree", **{wood: 1}).craft(wood, wood).dig("rock")
        trace.craft(wood, plank=4).craft("plank", "plank", gain=1, stick=4)
        for number, step in enumerate(trace.steps):
            memory.take_in(step, {0: [wood], 3: ["plank"], 4: ["stick"]}.get(number, []), trace.now)
        memory.close(trace.ended(goal))
    questions = (asked(goal), asked(goal, item="plank", birch=1), asked(goal, block="tree"))
    return [told(memory.recall(question)) for question in questions]


if __name__ == "__main__":
    json.dump({agent: answers(agent) for agent in MEMORIES if agent not in SLOW}, sys.stdout, indent=1)
