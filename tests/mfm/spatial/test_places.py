"""Hand-made episodes of our own recorder, answers worked out by hand."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import pytest

from csd.episode import Craft, GoTo, Outcome, Station, Step
from echo.mfm.layout import MfmError
from echo.mfm.spatial.answers import Gone, When
from echo.mfm.spatial.changes import Area
from echo.mfm.spatial.places import NoPlace, Places
from tests.mfm.spatial.memories import did, dug, fought, placed, record, seen

OAK, FAR_OAK = (2, 64, 0), (10, 64, 0)


def two_oaks(root: Path) -> Path:
    """Stand at (0.5, 0.5); dig the nearer of two oak logs; then see only the farther one."""
    here = (0.5, 64.0, 0.5)
    first = seen(0, here, blocks={"oak_log": (5, OAK)})
    later = seen(1, here, blocks={"oak_log": (4, FAR_OAK)})
    return record(root, (dug(first, "oak_log", OAK), later))


def test_what_was_dug_is_gone_and_the_next_one_is_the_nearest(tmp_path: Path):
    found = Places(two_oaks(tmp_path)).nearest("oak_log", 0.5, 0.5)
    assert (found.match, [(one.x, one.y, one.z) for one in found.found]) == ("exact", [FAR_OAK])
    best = found.best
    assert best is not None
    assert (best.distance, best.count, best.how) == (10.0, 4, "seen")
    assert (best.first, best.last) == (When(step=1, episode="ep_000001"),) * 2
    assert [(one.x, one.gone) for one in found.gone] == [
        (2, Gone(how="dug", step=1, episode="ep_000001")),
    ]


def test_a_dig_that_failed_leaves_the_block_known(tmp_path: Path):
    before = seen(0, (0.5, 64.0, 0.5), blocks={"obsidian": (1, OAK)})
    root = record(tmp_path, (dug(before, "obsidian", OAK, code="not_breakable"), before))
    assert Places(root).nearest("obsidian", 0, 0).gone == ()


def test_a_dig_that_dropped_nothing_clears_the_cell(tmp_path: Path):
    before = seen(0, (0.5, 64.0, 0.5), blocks={"stone": (1, OAK)})
    root = record(tmp_path, (dug(before, "stone", OAK, code="no_drop"), seen(1, (0.5, 64.0, 0.5))))
    found = Places(root).nearest("stone", 0, 0)
    assert (found.match, found.found, len(found.gone)) == ("none", (), 1)


def test_what_is_put_where_something_stood_replaces_it_and_is_known_as_placed(tmp_path: Path):
    here = (0.5, 64.0, 0.5)
    before = seen(0, here, blocks={"grass": (3, OAK)})
    root = record(tmp_path, (placed(before, "chest", OAK), seen(1, here)))
    places = Places(root)
    assert [one.gone.how for one in places.nearest("grass", 0, 0).gone if one.gone] == ["replaced"]
    (chest,) = places.containers().containers
    assert (chest.name, (chest.x, chest.y, chest.z), chest.how) == ("chest", OAK, "placed")


def test_what_is_seen_again_where_it_was_dug_is_known_again(tmp_path: Path):
    here = (0.5, 64.0, 0.5)
    oak = {"oak_log": (5, OAK)}
    root = record(
        tmp_path,
        (dug(seen(0, here, blocks=oak), "oak_log", OAK), seen(1, here)),
        (did(seen(1, here), GoTo(target=OAK)), seen(2, here, blocks=oak)),
    )
    found = Places(root).nearest("oak_log", 0, 0)
    assert [(one.x, one.last.step) for one in found.found] == [(2, 2)]
    assert found.gone == ()


@pytest.mark.parametrize("asked", ["log", "OAK", "minecraft:oak log", "k_l"])
def test_a_part_of_a_name_in_any_case_finds_it(tmp_path: Path, asked: str):
    found = Places(two_oaks(tmp_path)).nearest(asked, 0.5, 0.5)
    assert [one.name for one in found.found] == ["oak_log"]
    assert found.match == ("exact" if "log" in asked and len(asked) > 5 else "part")


def test_an_exact_name_comes_before_names_that_hold_it(tmp_path: Path):
    here = seen(0, (0.5, 64.0, 0.5), blocks={"coal": (1, FAR_OAK), "coal_ore": (1, OAK)})
    root = record(tmp_path, (did(here, GoTo(target=OAK)), here))
    assert [one.name for one in Places(root).nearest("coal", 0, 0).found] == ["coal"]


def test_at_the_same_distance_names_then_cells_decide(tmp_path: Path):
    blocks = {"b_log": (1, (3, 64, 0)), "a_log": (1, (-4, 64, 0))}
    here = seen(0, (0.0, 64.0, 0.0), blocks=blocks)
    root = record(tmp_path, (did(here, GoTo(target=OAK)), here))
    found = Places(root).nearest("log", 0.0, 0.5).found
    assert [(one.name, one.distance) for one in found] == [("a_log", 3.5), ("b_log", 3.5)]


def test_a_creature_is_known_by_where_the_body_stood(tmp_path: Path):
    here = seen(0, (4.5, 64.0, 4.5), mobs={"sheep": 2})
    root = record(tmp_path, (did(here, GoTo(target=OAK)), here))
    (sheep,) = Places(root).nearest("sheep", 4.5, 8.5).found
    assert (sheep.how, sheep.exact, sheep.count, sheep.distance) == ("creature", False, 2, 4.0)


def test_near_tells_of_what_lies_there_and_what_was_in_sight_from_there(tmp_path: Path):
    near = Places(two_oaks(tmp_path)).near(0.5, 0.5, 3.0)
    assert [(one.name, one.x) for one in near.seen] == [("oak_log", 10)]
    assert [(one.name, one.x) for one in near.gone] == [("oak_log", 2)]
    assert [(one.kind, one.name, one.step) for one in near.happened] == [
        ("got", "oak_log", 1),
        ("dug", "oak_log", 1),
    ]
    assert (near.moments, near.episodes) == (2, ("ep_000001",))


def test_near_a_place_where_nobody_was_nothing_is_known(tmp_path: Path):
    near = Places(two_oaks(tmp_path)).near(500.0, 500.0)
    assert (near.moments, near.seen, near.happened, near.episodes) == (0, (), (), ())


def test_the_radius_is_inclusive(tmp_path: Path):
    places = Places(two_oaks(tmp_path))
    assert places.near(0.5, 5.5, 5.0).moments == 2
    assert places.near(0.5, 5.5, 4.999).moments == 0


def test_changes_are_what_the_body_did_and_numbers_from_the_same_spot(tmp_path: Path):
    found = Places(two_oaks(tmp_path)).changed_since(0)
    assert [(one.kind, one.name, one.before, one.after, one.step) for one in found.changes] == [
        ("dug", "oak_log", None, None, 1),
        ("fewer", "oak_log", 5, 4, 1),
    ]
    assert [one.episodes for one in found.changes] == [("ep_000001",), ("ep_000001",)]


def test_nothing_has_changed_since_the_last_step(tmp_path: Path):
    assert Places(two_oaks(tmp_path)).changed_since(1).changes == ()


def test_numbers_from_different_spots_are_not_compared(tmp_path: Path):
    before = seen(0, (0.5, 64.0, 0.5), blocks={"stone": (9, OAK)})
    after = seen(1, (1.5, 64.0, 0.5), blocks={"stone": (3, OAK)})
    root = record(tmp_path, (did(before, GoTo(target=OAK)), after))
    assert Places(root).changed_since(0).changes == ()


def test_creatures_that_come_and_go_are_changes_of_their_place_cell(tmp_path: Path):
    before = seen(0, (0.5, 64.0, 0.5), mobs={"sheep": 2, "cow": 1})
    after = seen(1, (5.5, 64.0, 0.5), mobs={"cow": 3, "wolf": 1})
    root = record(tmp_path, (did(before, GoTo(target=OAK)), after))
    changes = Places(root).changed_since(0).changes
    assert [(one.kind, one.name, one.before, one.after) for one in changes] == [
        ("gone", "sheep", 2, 0),
        ("more", "cow", 1, 3),
        ("new", "wolf", 0, 1),
    ]


def test_changes_can_be_asked_for_an_area(tmp_path: Path):
    places = Places(two_oaks(tmp_path))
    # The cell that was dug has its middle at (2.5, 0.5), the spot at (0.5, 0.5).
    assert [one.kind for one in places.changed_since(0, Area(x=2.5, z=0.5, radius=1.0)).changes] == ["dug"]


def test_harm_is_where_the_body_was_after_the_step_with_cause_and_action(tmp_path: Path):
    before, after = seen(0, (0.5, 64.0, 0.5)), seen(1, (9.5, 64.0, 0.5))
    root = record(
        tmp_path,
        (fought(before, "spider", "damage:2"), after),
        (fought(after, "spider", "damage:1.5"), seen(2, (9.5, 64.0, 0.5))),
        (did(after, GoTo(target=OAK), "died: lava"), seen(3, (100.5, 64.0, 0.5))),
    )
    death, spider = Places(root).hazards().hazards
    assert (death.kind, death.cause, death.x, death.times) == ("death", "lava", 9.5, 1)
    assert (spider.kind, spider.cause, spider.during) == ("damage", None, "attack spider")
    assert (spider.x, spider.times, spider.amount) == (9.5, 2, 3.5)
    assert spider.episodes == ("ep_000001", "ep_000002")


def test_a_station_that_smelts_is_a_container_whatever_its_name(tmp_path: Path):
    stations = (
        Station(block="wug", position=(1, 64, 0), offers="smelt"),
        Station(block="dax", position=(2, 64, 0), offers="grid3"),
    )
    here = seen(0, (0.5, 64.0, 0.5), stations=stations)
    root = record(tmp_path, (did(here, GoTo(target=OAK)), here))
    points = Places(root).points().points
    assert [(one.kind, one.name) for one in points] == [("station", "dax"), ("container", "wug")]


def test_points_name_where_an_item_was_first_got_and_made(tmp_path: Path):
    here, there = seen(0, (0.5, 64.0, 0.5)), seen(2, (20.5, 64.0, 0.5))
    craft = Step(
        before=seen(1, (0.5, 64.0, 0.5)),
        action=Craft(grid=((None,),)),
        outcome=Outcome(code="ok", message="", inventory_delta={"oak_log": -1, "stick": 4}),
    )
    root = record(
        tmp_path,
        (dug(here, "oak_log", OAK), seen(1, (0.5, 64.0, 0.5))),
        (craft, there),
        (dug(there, "oak_log", FAR_OAK), seen(3, (20.5, 64.0, 0.5))),
    )
    made, found = Places(root).points().points
    assert (made.kind, made.name, made.first.episode) == ("made", "stick", "ep_000002")
    assert (found.kind, found.name, found.times) == ("found", "oak_log", 2)
    assert (found.x, found.first.episode, found.last.episode) == (0.5, "ep_000001", "ep_000003")


def test_the_visited_map_counts_visits_and_moments(tmp_path: Path):
    spots = [(0.5, 64.0, 0.5), (8.5, 64.0, 0.5), (0.5, 64.0, 0.5), (0.5, 64.0, 0.5)]
    views = [seen(step, spot) for step, spot in enumerate(spots)]
    pairs = pairwise(views)
    root = record(tmp_path, *((did(one, GoTo(target=OAK)), other) for one, other in pairs))
    visited = Places(root).visited(size=8.0)
    assert [(one.x, one.z, one.visits, one.moments) for one in visited.cells] == [
        (0.0, 0.0, 2, 3),
        (8.0, 0.0, 1, 1),
    ]
    assert [(one.x, one.moments, one.first.step, one.last.step) for one in visited.path] == [
        (0, 1, 0, 0),
        (8, 1, 1, 1),
        (0, 2, 2, 3),
    ]


def test_a_folder_without_an_index_is_refused(tmp_path: Path):
    with pytest.raises(MfmError, match="expected the index of a memory"):
        Places(tmp_path).near(0, 0)


@pytest.mark.parametrize(
    ("x", "radius"),
    [
        *((math.nan, 1.0), (math.inf, 1.0), (0.0, -1.0), (0.0, math.nan)),
        *((1e308, 1.0), (-1e16, 1.0), (0.0, 1e308), (10**400, 1.0)),
    ],
)
def test_numbers_that_are_no_place_are_refused(tmp_path: Path, x: float, radius: float):
    places = Places(two_oaks(tmp_path))
    for ask in (
        lambda: places.near(x, 0.0, radius),
        lambda: places.changed_since(0, Area(x=x, z=0.0, radius=radius)),
    ):
        with pytest.raises(NoPlace, match="expected finite coordinates"):
            ask()


def test_the_farthest_place_can_be_asked_for(tmp_path: Path):
    near = Places(two_oaks(tmp_path)).near(-(2.0**53), 2.0**53, 2.0**53)
    assert (near.moments, near.seen) == (0, ())


@pytest.mark.parametrize(("step", "changes"), [(10**20, 0), (-(10**20), 1), (2**63, 0)])
def test_a_step_beyond_all_steps_is_before_or_after_them_all(tmp_path: Path, step: int, changes: int):
    found = Places(two_oaks(tmp_path)).changed_since(step)
    assert (found.since, len(found.changes)) == (step, changes)


@pytest.mark.parametrize("step", [math.nan, 1.5, True])
def test_a_step_that_is_no_whole_number_is_refused(tmp_path: Path, step: int):
    with pytest.raises(NoPlace, match="expected a whole number of actions"):
        Places(two_oaks(tmp_path)).changed_since(step)


def test_more_may_be_asked_for_than_there_could_be(tmp_path: Path):
    places = Places(two_oaks(tmp_path))
    assert len(places.nearest("oak_log", 0.5, 0.5, limit=10**30).found) == 1
    assert len(places.remembered("oak_log", 0.5, 0.5, limit=10**30)) == 1


@pytest.mark.parametrize("size", [0.0, 1e-320, math.inf, math.nan])
def test_a_size_that_no_cell_can_have_is_refused(tmp_path: Path, size: float):
    with pytest.raises(NoPlace, match="expected a size from"):
        Places(two_oaks(tmp_path)).visited(size)


def test_an_empty_name_is_refused(tmp_path: Path):
    with pytest.raises(ValueError, match="expected a name"):
        Places(two_oaks(tmp_path)).nearest("  ", 0.0, 0.0)
