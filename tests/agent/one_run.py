"""One short run, printed, to compare two processes: python -m tests.agent.one_run AGENT STEPS."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from csd.axes import AXES
from csd.episode import Action, Outcome
from echo.agent.unlock import AgentReport, play
from echo.agent.writeback import Record
from echo.baselines.policies import baseline_policy
from echo.experiments.demonstrate import record_demonstrations
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.world import MinecraftWorld


class WatchedWorld(MinecraftWorld):
    """The Minecraft world, keeping what was done."""

    def begin(self, options: WorldOptions) -> None:
        self.done: list[tuple[Action, Outcome]] = []
        super().begin(options)

    def act(self, action: Action) -> Outcome:
        outcome = super().act(action)
        self.done.append((action, outcome))
        return outcome


def run(
    agent: str, steps: int, seed: int = 0, memory: Path | None = None, record: Record = "unlocks"
) -> tuple[AgentReport, WatchedWorld]:
    world = WatchedWorld(WorldOptions(seed=seed, max_steps=steps))
    report = play(
        world=world,
        agent=agent,
        axes=AXES,
        steps=steps,
        seed=seed,
        demonstrations=record_demonstrations(2, seed, None),
        memory=memory,
        encoder="hashing-256",
        progress=None,
        record=record,
        policy=baseline_policy(agent, "hashing-256"),
    )
    return report, world


def told(report: AgentReport) -> str:
    """Return all of a report but its timing as JSON."""
    content = asdict(report)
    del content["decision_ms"]
    return json.dumps(content, indent=1)


if __name__ == "__main__":
    sys.stdout.write(told(run(sys.argv[1], int(sys.argv[2]))[0]))
