"""The examples of the few-shot prompt: experiences in a world that is none, with the descriptors of them.

Names and recipe occur nowhere else, so that whatever a model copies from here is found out by its names.
"""

from __future__ import annotations

from functools import lru_cache

from csd.build import describe
from csd.by_model.compact import compact
from csd.by_model.prompts import Shot
from csd.by_model.trace import trace
from csd.descriptor import Csd
from csd.episode import (
    Collect,
    Craft,
    Episode,
    ItemStack,
    Observation,
    Outcome,
    SeenBlock,
    Station,
    Step,
    Vitals,
)

_SLATE = SeenBlock(count=3, nearest=(4, 61, 2), distance=5.2, colour=(80, 200, 200))
_MOSS = SeenBlock(count=9, nearest=(1, 63, 1), distance=2.0, colour=(90, 150, 60))
_BENCH = SeenBlock(count=1, nearest=(2, 64, 0), distance=2.1, colour=(125, 60, 170))


@lru_cache(maxsize=16)
def example_shots(style: str) -> tuple[Shot, ...]:
    """Return the examples in a style of `csd.by_model.trace`: something made, and something that failed."""
    return tuple(_shot(episode, style) for episode in (_made(), _failed()))


def _shot(episode: Episode, style: str) -> Shot:
    described = describe(episode)
    if not isinstance(described, Csd):
        raise TypeError(
            f"expected examples that can be described; got {described.reason} Mend csd.by_model.example."
        )
    return Shot(told=trace(episode, style=style), written=compact(described))


def _made() -> Episode:
    grid = (("brass_plate", "brass_plate", "brass_plate"), (None, "willow_peg", None))
    outcome = Outcome(
        code="ok",
        message="",
        inventory_delta={"brass_plate": -3, "brass_rake": 1, "willow_peg": -1},
        ticks=25,
    )
    step = Step(before=_seen(brass_plate=5, willow_peg=1), action=Craft(grid=grid), outcome=outcome)
    after = _seen(brass_plate=2, brass_rake=1)
    return _episode("example_made", "make a brass_rake", step, after)


def _failed() -> Episode:
    outcome = Outcome(
        code="no_drop",
        message="teal_slate broke under brass_rake and left nothing.",
        ticks=130,
        work_ticks=90,
        block="teal_slate",
        cell=_SLATE.nearest,
    )
    before = _seen(wear=0.0, mainhand="brass_rake", brass_rake=1, willow_peg=4)
    step = Step(before=before, action=Collect(block="teal_slate"), outcome=outcome)
    after = _seen(wear=0.1, mainhand="brass_rake", brass_rake=1, willow_peg=4)
    return _episode("example_failed", "get teal_slate", step, after)


def _episode(name: str, goal: str, step: Step, after: Observation) -> Episode:
    return Episode(id=name, goal=goal, steps=(step,), after=after, source="example")


def _seen(*, mainhand: str | None = None, wear: float = 0.0, **carried: int) -> Observation:
    stacks = {
        name: ItemStack(
            count=count,
            stack_size=1 if name == "brass_rake" else 48,
            wear=wear if name == "brass_rake" else 0.0,
        )
        for name, count in carried.items()
    }
    return Observation(
        step=0,
        tick=0,
        position=(0.5, 64.0, 0.5),
        yaw=0.0,
        pitch=0.0,
        inventory=stacks,
        mainhand=mainhand,
        blocks={"plum_bench": _BENCH, "teal_slate": _SLATE, "tuft_moss": _MOSS},
        mobs={},
        stations=(Station(block="plum_bench", position=_BENCH.nearest, offers="grid3"),),
        vitals=Vitals(),
        biome="example",
    )
