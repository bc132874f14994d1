from __future__ import annotations

from dataclasses import replace

import numpy as np

from csd.axes import AXES, Axis
from csd.episode import SeenBlock
from ical.profile import AxisProfiles
from tests.csd.sample_episodes import LOG, STONE, see
from tests.ical.experience import COBBLE, PLANKS, wooden_pickaxe

SEEN = see({"iron_pickaxe": 1, COBBLE: 3}, blocks={"oak_log": LOG, "stone": STONE})


def test_a_look_tells_how_items_stack_and_what_colour_blocks_have():
    profiles = AxisProfiles()
    profiles.look(SEEN)
    assert profiles.features(Axis.ATTR, "iron_pickaxe") == ("stack_size 1",)
    assert profiles.features(Axis.ATTR, COBBLE) == ("stack_size 64",)
    assert profiles.features(Axis.ATTR, "stone") == ("colour grey",)
    for axis in AXES:
        if axis is not Axis.ATTR:
            assert profiles.features(axis, COBBLE) == ()


def test_a_masked_axis_leaves_nothing_to_look_at():
    kept = tuple(axis for axis in AXES if axis is not Axis.ATTR)
    profiles = AxisProfiles(kept)
    profiles.look(SEEN)
    assert all(profiles.features(axis, COBBLE) == () for axis in kept)
    told = profiles.likeness([COBBLE, "iron_pickaxe"])
    assert told.channels == tuple(axis.value for axis in kept)
    assert not told.evidence.any()


def test_what_only_a_look_showed_makes_alike_what_stacks_alike():
    profiles = AxisProfiles((Axis.ATTR,))
    profiles.look(see({"iron_pickaxe": 1, "stone_pickaxe": 1, COBBLE: 3}, blocks={}))
    told = profiles.likeness(["iron_pickaxe", "stone_pickaxe", COBBLE])
    # Each has one feature, which the pickaxes share and nothing else has.
    assert np.allclose(told.similarity[0], [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    assert told.evidence[0, 0, 1] == 1
    assert told.evidence[0, 0, 2] == 0


def test_looking_twice_makes_nothing_more_alike():
    once, twice = AxisProfiles(), AxisProfiles()
    items = ["iron_pickaxe", COBBLE, "oak_log", "stone"]
    for profiles, looks in ((once, 1), (twice, 3)):
        profiles.remember(wooden_pickaxe())
        for _ in range(looks):
            profiles.look(SEEN)
    one, other = once.likeness([*items, PLANKS]), twice.likeness([*items, PLANKS])
    assert np.array_equal(one.similarity, other.similarity)
    assert np.array_equal(one.evidence, other.evidence)


def test_a_block_seen_in_two_colours_has_both():
    profiles = AxisProfiles()
    profiles.look(SEEN)
    moss = SeenBlock(count=1, nearest=(0, 0, 0), distance=1.0, colour=(90, 150, 60))
    profiles.look(replace(SEEN, blocks={"stone": moss}))
    assert profiles.features(Axis.ATTR, "stone") == ("colour grey", "colour green")
