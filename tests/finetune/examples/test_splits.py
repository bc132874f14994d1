from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from csd.build import describe
from csd.descriptor import Csd
from finetune.examples.families import about, groups_of
from finetune.examples.pool import CROSSING, Pool, pool_of
from finetune.examples.recorded import ExamplesError, Recorded
from finetune.examples.splits import SPLITS, HeldOut, Sides
from tests.csd.sample_episodes import brought, crafted_pickaxe
from tests.finetune.examples.recorded_samples import crafted, dug, memory, one, only_walked, tried


def pool(held: HeldOut | None = None, seed: int = 0) -> Pool:
    return pool_of(memory(), held or HeldOut(), np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(8))
def test_no_group_and_no_recipe_stands_in_two_splits(seed):
    found = pool(seed=seed)
    groups = {split: {found.groups.of(each.told) for each in found.of_split[split]} for split in SPLITS}
    recipes = {
        split: {recipe for each in found.of_split[split] for recipe in each.told.recipes} for split in SPLITS
    }
    for one_side, other in (("train", "validation"), ("train", "test"), ("validation", "test")):
        assert not groups[one_side] & groups[other]
        assert not recipes[one_side] & recipes[other]
    assert all(found.of_split[split] for split in SPLITS)


@pytest.mark.parametrize("seed", range(8))
def test_training_keeps_half_of_each_task_family_at_least(seed):
    found = pool(seed=seed)
    every = Counter(each.told.task_family for split in SPLITS for each in found.of_split[split])
    trained = Counter(each.told.task_family for each in found.of_split["train"])
    assert all(trained[family] >= 0.5 * count for family, count in every.items())


def test_equal_seeds_divide_alike_and_others_differ():
    sides = [pool(seed=seed).sides.by_side["test"] for seed in (1, 1, 2, 3, 4)]
    assert sides[0] == sides[1]
    assert len(dict.fromkeys(sides)) > 1


def test_the_order_of_the_episodes_does_not_change_the_sides():
    there = pool_of(memory(), HeldOut(), np.random.default_rng(5))
    back = pool_of(memory()[::-1], HeldOut(), np.random.default_rng(5))
    assert there.sides.by_side == back.sides.by_side


def test_a_named_item_family_is_held_out_with_its_group():
    found = pool(HeldOut(families=("door",)))
    assert "door" in found.sides.by_side["test"]
    assert {each.told.item_family for each in found.of_split["train"]}.isdisjoint({"door"})


def test_a_task_family_held_out_leaves_training_whole():
    found = pool(HeldOut(tasks=("smelt",)))
    assert {each.told.task_family for each in found.of_split["train"]}.isdisjoint({"smelt"})
    assert sum(each.told.task_family == "smelt" for each in found.of_split["test"]) == 12


def test_an_unknown_family_is_refused_with_near_names():
    with pytest.raises(ExamplesError, match=r"got 'slabs'. Did you mean slab"):
        pool(HeldOut(families=("slabs",)))
    with pytest.raises(ExamplesError, match=r"a task family .* got 'smelting'. Did you mean smelt"):
        pool(HeldOut(tasks=("smelting",)))


def test_an_episode_whose_recipes_belong_to_two_splits_is_in_none():
    planks = crafted((("oak_log",),), "oak_planks", 4).steps[0]
    door = crafted((("oak_planks",) * 2,) * 3, "oak_door", 3).steps[0]
    both = one("a door", (planks.action, planks.outcome), (door.action, door.outcome), carried={"oak_log": 9})
    described = describe(both)
    assert isinstance(described, Csd)
    told, groups = about(both, described), groups_of([both])
    apart = Sides(of_group={"door": "test", "planks": "train"}, groups=groups, tasks=())
    together = Sides(of_group={"door": "test", "planks": "test"}, groups=groups, tasks=())
    assert (apart.of(told), together.of(told)) == (None, "test")


def test_episodes_in_no_split_are_named_with_the_groups_they_touch():
    two = [crafted((("stick",) * 3, ("coal",) * 3), f"{name}_torch", 1) for name in ("red", "blue")]
    planks = crafted((("oak_log",),), "oak_planks", 4).steps[0]
    both = [one("x", (planks.action, planks.outcome), (each.steps[0].action, each.steps[0].outcome),
                carried={"oak_log": 1, "stick": 3, "coal": 3}) for each in two]  # fmt: skip
    found = [pool_of(memory("one", *both), HeldOut(), np.random.default_rng(seed)) for seed in range(4)]
    left = [each for pool in found for each in pool.left]
    assert {(each.reason, each.detail) for each in left} == {(CROSSING, "torch, button+planks")}
    assert {each.name for each in left} == {each.name for each in memory("one", *both)[-2:]}


def test_one_family_only_is_refused():
    recorded = [
        Recorded(memory="one", episode=replace(dug("iron_ore", number), id=f"ep_{number:06}"))
        for number in range(5)
    ]
    with pytest.raises(ExamplesError, match=r"at least 3 groups of item families.* got 1 \(ore\)"):
        pool_of(recorded, HeldOut(), np.random.default_rng(0))


def test_no_episode_that_says_anything_is_refused():
    with pytest.raises(ExamplesError, match=r"something can be said of; got 1, of which 1 show nothing"):
        pool_of([Recorded(memory="one", episode=only_walked())], HeldOut(), np.random.default_rng(0))
    with pytest.raises(ExamplesError, match="got 0, of which 0 show nothing"):
        pool_of([], HeldOut(), np.random.default_rng(0))


def test_one_name_for_two_episodes_is_refused():
    with pytest.raises(ExamplesError, match="got one/ep_000000 twice"):
        pool_of([*memory(), memory()[0]], HeldOut(), np.random.default_rng(0))


def test_silent_and_malformed_episodes_are_named():
    ragged = tried((("a", "b"), ("a",)))
    found = pool_of(memory("one", only_walked(), ragged), HeldOut(), np.random.default_rng(0))
    assert [each.episode.goal for each in found.silent] == ["go on"]
    assert [each.reason for each in found.left] == ["malformed"]


def test_an_episode_whose_records_contradict_each_other_teaches_nothing():
    laid = crafted_pickaxe().steps[1]
    worn = one("x", (laid.action, brought(inventory_delta={"": 1})), carried={"oak_planks": 3, "stick": 2})
    found = pool_of(memory("one", worn), HeldOut(), np.random.default_rng(0))
    assert [each.reason for each in found.left] == ["it makes no valid descriptor"]


def test_a_descriptor_that_the_compact_form_does_not_take_teaches_nothing():
    long = tried((("oak_planks", "stick"),))
    told = brought("no_result", "no " * 200)
    long = replace(long, steps=(replace(long.steps[0], outcome=told),))
    found = pool_of(memory("one", long), HeldOut(), np.random.default_rng(0))
    assert [each.reason for each in found.left] == ["its descriptor does not pass the checks"]
    assert found.left[0].detail.startswith("inter.failed[0][1]")
