"""Small observations and steps to record, and strategies for any that may occur."""

from __future__ import annotations

from typing import get_args

import numpy as np
from hypothesis import strategies as st

from csd.episode import (
    Attack,
    Collect,
    Craft,
    Drop,
    Eat,
    Equip,
    Frame,
    GoTo,
    ItemStack,
    LookAt,
    Mine,
    Observation,
    Outcome,
    OutcomeCode,
    Place,
    SeenBlock,
    Smelt,
    Station,
    Step,
    Vitals,
    WaitUntil,
)


def picture(seed: int) -> Frame:
    return np.random.default_rng(seed).integers(0, 256, (8, 6, 3), dtype=np.uint8)


def seen(step: int, *, frame: Frame | None = None, **inventory: int) -> Observation:
    return Observation(
        step=step,
        tick=20 * step,
        position=(1.5, 64.0 - step, -3.25),
        yaw=90.0,
        pitch=-10.0,
        inventory={item: ItemStack(count=count, stack_size=64) for item, count in inventory.items()},
        mainhand=None,
        blocks={"oak_log": SeenBlock(count=2, nearest=(1, 64, -4), distance=1.25, colour=(102, 81, 51))},
        mobs={"sheep": 1},
        stations=(Station(block="crafting_table", position=(0, 64, -3), offers="grid3"),),
        vitals=Vitals(health=19.0),
        biome="forest",
        frame=frame,
    )


def craft_planks(step: int, *, frame: Frame | None = None) -> Step:
    return Step(
        before=seen(step, frame=frame, oak_log=1),
        action=Craft(grid=(("oak_log", None), (None, None))),
        outcome=Outcome(
            code="ok", message="4 oak_planks", inventory_delta={"oak_log": -1, "oak_planks": 4}, ticks=2
        ),
    )


def collect_log(step: int, *, frame: Frame | None = None) -> Step:
    return Step(
        before=seen(step, frame=frame),
        action=Collect(block="oak_log"),
        outcome=Outcome(
            code="ok",
            message="1 oak_log",
            inventory_delta={"oak_log": 1},
            ticks=75,
            work_ticks=60,
            block="oak_log",
            cell=(1, 64, -4),
            events=("damage:1",),
        ),
    )


whole = st.integers(-(10**30), 10**30)
real = st.floats(allow_nan=False, allow_infinity=False)
# Any text, lone surrogates included, but not two halves side by side: those are one character in JSON.
text = st.text(st.characters(exclude_categories=()), max_size=8).filter(
    lambda value: value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass") == value
)
cells = st.tuples(whole, whole, whole)
actions = st.one_of(
    st.builds(GoTo, target=cells),
    st.builds(LookAt, target=cells),
    st.builds(Collect, block=text),
    st.builds(Mine, target=cells),
    st.builds(
        Craft,
        grid=st.lists(st.lists(text | st.none(), max_size=3).map(tuple), max_size=3).map(tuple),
    ),
    st.builds(Smelt, input=text, fuel=text),
    st.builds(Place, item=text, target=cells | st.none()),
    st.builds(Equip, item=text | st.none()),
    st.builds(Eat, item=text),
    st.builds(Attack, mob=text),
    st.builds(Drop, item=text, amount=whole),
    st.builds(WaitUntil, ticks=whole),
)
observations = st.builds(
    Observation,
    step=whole,
    tick=whole,
    position=st.tuples(real, real, real),
    yaw=real,
    pitch=real,
    inventory=st.dictionaries(
        text, st.builds(ItemStack, count=whole, stack_size=whole, wear=real), max_size=3
    ),
    mainhand=text | st.none(),
    blocks=st.dictionaries(
        text,
        st.builds(SeenBlock, count=whole, nearest=cells, distance=real, colour=cells),
        max_size=2,
    ),
    mobs=st.dictionaries(text, whole, max_size=2),
    stations=st.lists(
        st.builds(Station, block=text, position=cells, offers=st.sampled_from(["grid3", "smelt"])), max_size=2
    ).map(tuple),
    vitals=st.builds(Vitals, health=real, food=real),
    biome=text,
    frame=st.none() | st.just(picture(0)),
)
outcomes = st.builds(
    Outcome,
    code=st.sampled_from(get_args(OutcomeCode)),
    message=text,
    inventory_delta=st.dictionaries(text, whole, max_size=3),
    ticks=whole,
    work_ticks=whole,
    block=text | st.none(),
    cell=cells | st.none(),
    events=st.lists(text, max_size=2).map(tuple),
)
steps = st.builds(Step, before=observations, action=actions, outcome=outcomes)
