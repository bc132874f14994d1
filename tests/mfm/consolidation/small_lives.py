"""Short lives to consolidate: told in a few words, recorded as any other memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from csd.episode import (
    Action,
    Collect,
    Craft,
    Equip,
    ItemStack,
    Observation,
    Outcome,
    Smelt,
    Station,
    Step,
    Vitals,
)
from echo.mfm.episodic.recorder import Recorder

TABLE = Station(block="crafting_table", position=(5, 64, 5), offers="grid3")
FURNACE = Station(block="furnace", position=(6, 64, 5), offers="smelt")
PLANKS = (("oak_log",),)
STICKS = (("oak_planks",), ("oak_planks",))
PICKAXE = (("oak_planks",) * 3, (None, "stick", None), (None, "stick", None))


class Life:
    """Keeps the books of a body, so that the inventories of its episodes fit together."""

    def __init__(self, root: Path) -> None:
        """Begin at the last episode of the memory at `root`, with nothing."""
        self.root = root
        self.items: dict[str, int] = {}
        self.held: str | None = None
        self.stations: tuple[Station, ...] = ()
        self.vitals = Vitals()
        self.position = (0.5, 64.0, 0.5)
        self.step = 0
        self.steps: list[Step] = []

    def seen(self) -> Observation:
        """Return what is perceived now."""
        return Observation(
            step=self.step,
            tick=self.step * 20,
            position=self.position,
            yaw=0.0,
            pitch=0.0,
            inventory={
                item: ItemStack(count=n, stack_size=64) for item, n in sorted(self.items.items()) if n
            },
            mainhand=self.held,
            blocks={},
            mobs={},
            stations=self.stations,
            vitals=self.vitals,
            biome="forest",
        )

    def do(
        self,
        action: Action,
        code: str = "ok",
        *,
        block: str | None = None,
        cell: tuple[int, int, int] | None = None,
        hurt: float = 0.0,
        message: str = "",
        **delta: int,
    ) -> Life:
        """Do an action with this outcome."""
        before = self.seen()
        for item, change in delta.items():
            self.items[item] = self.items.get(item, 0) + change
        if isinstance(action, Equip):
            self.held = action.item
        if hurt:
            self.vitals = replace(self.vitals, health=self.vitals.health - hurt)
        self.step += 1
        outcome = Outcome(
            code=code,
            message=message,
            inventory_delta=delta,
            block=block,
            cell=cell,
            events=(f"damage:{hurt:g}",) if hurt else (),
        )
        self.steps.append(Step(before=before, action=action, outcome=outcome))
        return self

    def dig(self, block: str, *, cell: tuple[int, int, int] | None = None, **delta: int) -> Life:
        """Dig a block; without a change nothing came out."""
        return self.do(Collect(block=block), "ok" if delta else "no_drop", block=block, cell=cell, **delta)

    def log(self) -> Life:
        """Collect one oak_log."""
        return self.dig("oak_log", cell=(2, 65, 2), oak_log=1)

    def planks(self) -> Life:
        """Make planks of it."""
        return self.do(Craft(grid=PLANKS), oak_log=-1, oak_planks=4)

    def sticks(self) -> Life:
        """Make sticks of these."""
        return self.do(Craft(grid=STICKS), oak_planks=-2, stick=4)

    def smelt(self, put: str, code: str = "ok", **delta: int) -> Life:
        """Smelt with planks."""
        return self.do(Smelt(input=put, fuel="oak_planks"), code, **delta)

    def end(self, goal: str = "goal") -> str:
        """Record what was done since the last end and return the id of the episode."""
        with Recorder.open(self.root, source="test", durability="batch") as recorder:
            name = recorder.write(goal=goal, steps=self.steps, after=self.seen())
        self.steps = []
        return name


def stick_episodes(root: Path, count: int) -> Life:
    """Record `count` episodes in which sticks were made from a log."""
    life = Life(root)
    for _ in range(count):
        life.log().planks().sticks().end("make stick")
    return life


def foreign_episode(
    root: Path,
    number: int,
    *,
    entry: Mapping[str, Any] | None,
    delta: Mapping[str, int] | None = None,
    held: str | None = None,
    tags: Sequence[str] = (),
    place: tuple[float, float, float] = (1.0, 64.0, 2.0),
    kind: str = "mine_block",
    life: int | None = None,
) -> None:
    """Write an episode as other tools do: the published keys, no steps.json."""
    name = f"ep_{number:06d}"
    home = root if life is None else root / "previous" / f"life_{life}"
    folder = home / "episodes" / name
    (folder / "state").mkdir(parents=True)
    state = {"pos": dict(zip("xyz", place, strict=True)), "inventory": {}, "mainhand": held, "mobs": {}}
    (folder / "state" / "state.json").write_text(json.dumps(state))
    (folder / "action.json").write_text(json.dumps({"plan": "p", "entry": entry}))
    outcome = {"inventory_delta": delta or {}, "events": [], "notes": [], "tags": list(tags)}
    (folder / "outcome.json").write_text(json.dumps(outcome))
    row = {
        "action_kind": kind,
        "first_step": number,
        "id": name,
        "kind": "episode",
        "last_step": number,
        "path": f"episodes/{name}",
        "summary": "",
        "tags": list(tags),
        "x": place[0],
        "y": place[1],
        "z": place[2],
    }
    with (home / "index.jsonl").open("a") as index:
        index.write(json.dumps(row) + "\n")


def mine_texts(root: Path) -> dict[str, bytes]:
    """Return every file of mine/ by its path."""
    mine = root / "mine"
    return {
        str(path.relative_to(mine)): path.read_bytes() for path in sorted(mine.rglob("*")) if path.is_file()
    }


def lines_of(root: Path, path: str) -> list[str]:
    """Return the generated lines of a file of mine/, without their marks."""
    text = (root / "mine" / path).read_text()
    return [
        line.rpartition(" <!--")[0] for line in text.split("\n") if line.startswith("- ") and " <!--" in line
    ]
