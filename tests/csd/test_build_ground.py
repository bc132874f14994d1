"""The builder and the grounding check, which share no rules, must agree on episodes of any kind."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from csd.build import NotDescribed, describe
from csd.descriptor import Csd
from csd.episode import (
    Attack,
    Collect,
    Craft,
    Drop,
    Eat,
    Episode,
    Equip,
    GoTo,
    ItemStack,
    LookAt,
    Mine,
    Observation,
    Outcome,
    Place,
    SeenBlock,
    Smelt,
    Station,
    Step,
    Vitals,
    WaitUntil,
)
from csd.ground import ground

NAMES = ["apple_wood", "ore", "rod", "x, 3 times", "saw x2"]
names = st.sampled_from(NAMES)
cells = st.tuples(st.integers(-4, 4), st.integers(58, 70), st.integers(-4, 4))
codes = st.sampled_from(
    ["ok", "ok", "ok", "no_result", "no_drop", "no_station", "missing_item", "not_seen", "not_placeable",
     "not_edible", "not_fuel", "inventory_full"]
)  # fmt: skip
ticks = st.integers(0, 300)


@st.composite
def craft_grids(draw: st.DrawFn):
    width = draw(st.integers(1, 3))
    row = st.tuples(*[st.one_of(st.none(), names)] * width)
    return tuple(draw(st.lists(row, min_size=1, max_size=3)))


actions = st.one_of(
    st.builds(Craft, grid=craft_grids()),
    st.builds(Smelt, input=names, fuel=names),
    st.builds(Collect, block=names),
    st.builds(Mine, target=cells),
    st.builds(Place, item=names),
    st.builds(Equip, item=st.one_of(st.none(), names)),
    st.builds(Eat, item=names),
    st.builds(Attack, mob=names),
    st.builds(Drop, item=names),
    st.builds(GoTo, target=cells),
    st.builds(LookAt, target=cells),
    st.builds(WaitUntil),
)
blocks = st.builds(
    SeenBlock,
    count=st.integers(1, 9),
    nearest=cells,
    distance=st.floats(0, 9),
    colour=st.tuples(*[st.integers(0, 255)] * 3),
)
stacks = st.builds(
    ItemStack,
    count=st.integers(1, 64),
    stack_size=st.sampled_from([1, 16, 64]),
    wear=st.sampled_from([0.0, 0.1, 0.2]),
)
observations = st.builds(
    Observation,
    step=st.integers(0, 9),
    tick=ticks,
    position=st.just((0.5, 64.0, 0.5)),
    yaw=st.just(0.0),
    pitch=st.just(0.0),
    inventory=st.dictionaries(names, stacks),
    mainhand=st.one_of(st.none(), names),
    blocks=st.dictionaries(names, blocks),
    mobs=st.dictionaries(names, st.just(1)),
    stations=st.lists(
        st.builds(Station, block=names, position=cells, offers=st.sampled_from(["grid3", "smelt"])),
        max_size=2,
    ).map(tuple),
    vitals=st.just(Vitals()),
    biome=st.just("plains"),
)
outcomes = st.builds(
    Outcome,
    code=codes,
    message=st.sampled_from(["", "expected more; got less"]),
    inventory_delta=st.dictionaries(names, st.integers(-3, 4).filter(bool)),
    ticks=ticks,
    work_ticks=ticks,
    block=st.one_of(st.none(), names),
    cell=st.one_of(st.none(), cells),
    events=st.sampled_from([(), ("broke:rod",), ("damage:1",)]),
)
episodes = st.builds(
    Episode,
    id=st.just("ep_000001"),
    goal=st.just("anything"),
    steps=st.lists(st.builds(Step, before=observations, action=actions, outcome=outcomes), max_size=4).map(
        tuple
    ),
    after=observations,
    source=st.just("drawn"),
)


@settings(max_examples=120, deadline=None)
@given(episodes, st.one_of(st.none(), names))
def test_every_statement_that_the_rules_write_is_borne_out(episode, product):
    told = describe(episode, product)
    if isinstance(told, NotDescribed):
        assert told.reason
        return
    assert ground(told, {episode.id: episode}) == ()
    assert Csd.from_json(told.canonical()) == told
