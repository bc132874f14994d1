"""Small memories whose places can be worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from csd.episode import (
    Action,
    Attack,
    Cell,
    Collect,
    Observation,
    Outcome,
    Place,
    SeenBlock,
    Station,
    Step,
    Vitals,
)
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.layout import to_line


def seen(
    step: int,
    at: tuple[float, float, float],
    *,
    yaw: float = 0.0,
    blocks: Mapping[str, tuple[int, Cell]] | None = None,
    mobs: Mapping[str, int] | None = None,
    stations: Sequence[Station] = (),
) -> Observation:
    return Observation(
        step=step,
        tick=20 * step,
        position=at,
        yaw=yaw,
        pitch=0.0,
        inventory={},
        mainhand=None,
        blocks={
            name: SeenBlock(count=count, nearest=cell, distance=1.0, colour=(0, 0, 0))
            for name, (count, cell) in (blocks or {}).items()
        },
        mobs=dict(mobs or {}),
        stations=tuple(stations),
        vitals=Vitals(),
        biome="plains",
    )


def dug(before: Observation, block: str, cell: Cell, *, code: Any = "ok") -> Step:
    return Step(
        before=before,
        action=Collect(block=block),
        outcome=Outcome(
            code=code,
            message="",
            block=block,
            cell=cell,
            inventory_delta={block: 1} if code == "ok" else {},
        ),
    )


def placed(before: Observation, block: str, cell: Cell) -> Step:
    return Step(
        before=before,
        action=Place(item=block),
        outcome=Outcome(code="ok", message="", block=block, cell=cell, inventory_delta={block: -1}),
    )


def fought(before: Observation, mob: str, *events: str) -> Step:
    return did(before, Attack(mob=mob), *events)


def did(before: Observation, action: Action, *events: str) -> Step:
    return Step(before=before, action=action, outcome=Outcome(code="ok", message="", events=events))


def record(root: Path, *steps: tuple[Step, Observation]) -> Path:
    """Record each step as an episode, ep_000001 on."""
    with Recorder.open(root, source="test") as recorder:
        for step, after in steps:
            recorder.write(goal="test", steps=(step,), after=after)
    return root


def published(root: Path, *episodes: Mapping[str, Any]) -> Path:
    """Write episodes as other tools do, ep_000000 on: `row`, `state`, `action` and `outcome` of each.

    What is None is not written; bytes are written as they are.
    """
    root.mkdir(parents=True, exist_ok=True)
    with (root / "index.jsonl").open("ab") as index:
        begun = len(list((root / "episodes").glob("*")))
        for number, episode in enumerate(episodes, start=begun):
            name = f"ep_{number:06d}"
            folder = root / "episodes" / name
            (folder / "state").mkdir(parents=True)
            for key, file in (
                ("state", "state/state.json"),
                ("action", "action.json"),
                ("outcome", "outcome.json"),
            ):
                held = episode.get(key, {})
                if held is not None:
                    (folder / file).write_bytes(held if isinstance(held, bytes) else to_line(held))
            row = {
                "id": name,
                "first_step": number + 1,
                "last_step": number + 1,
                "tags": [],
                "x": None,
                "z": None,
            }
            index.write(to_line({**row, **episode.get("row", {})}))
    return root


def at(x: Any, z: Any, y: Any = 64.0, **more: Any) -> dict[str, Any]:
    """Return a state.json at a position."""
    return {"pos": {"x": x, "y": y, "z": z, "yaw": 0.0, "pitch": 0.0}, **more}
