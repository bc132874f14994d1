"""Episodes of other worlds are left out and counted; a view from close by contradicts what was known."""

from __future__ import annotations

from pathlib import Path

import pytest

from csd.episode import GoTo, Observation, Station
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.spatial.answers import Gone
from echo.mfm.spatial.facts import Elsewhere
from echo.mfm.spatial.map_block import map_block
from echo.mfm.spatial.map_content import map_content
from echo.mfm.spatial.places import Places
from tests.mfm.spatial.memories import at, did, fought, placed, published, record, seen

HERE = (0.5, 64.0, 0.5)
TABLE = Station(block="crafting_table", position=(2, 64, 0), offers="grid3")
OAK = {"oak_log": (4, (9, 64, 0))}
WALK = GoTo(target=(9, 64, 0))


def demonstrated(root: Path, *, initial: bool = True) -> Path:
    """An initial state of the world "test", two demonstrations with harm, and one episode of the life."""
    shown = seen(0, HERE, stations=(TABLE,), blocks={"crafting_table": (1, (2, 64, 0))})
    lived = seen(5, HERE, blocks=OAK)
    with Recorder.open(root, source="test") as recorder:
        if initial:
            recorder.initial(seen(0, HERE, blocks=OAK))
        for _ in range(2):
            step = fought(shown, "zombie", "damage:2")
            recorder.write(goal="shown", steps=(step,), after=shown, source="demonstration")
        recorder.write(goal="lived", steps=(did(lived, WALK),), after=lived)
    return root


def test_places_hold_only_episodes_of_the_world_the_life_lives_in(tmp_path: Path):
    places = Places(demonstrated(tmp_path))
    table = places.nearest("crafting_table", 0.5, 0.5)
    assert (table.match, table.found, table.gone) == ("none", (), ())
    assert table.elsewhere == (Elsewhere(source="demonstration", episodes=2),)
    assert places.nearest("oak_log", 0.5, 0.5).best is not None
    assert places.hazards().hazards == ()
    assert places.points().points == ()
    assert (places.episode_count(), places.unread()) == (2, ())
    near = places.near(0.5, 0.5)
    assert near.episodes == ("ep_000000", "ep_000003")
    assert map_content(places).elsewhere == places.elsewhere() == table.elsewhere


def test_without_an_initial_state_the_first_episode_says_where_the_life_lives(tmp_path: Path):
    places = Places(demonstrated(tmp_path, initial=False))
    assert places.elsewhere() == (Elsewhere(source="test", episodes=1),)
    assert places.nearest("oak_log", 0.5, 0.5).found == ()
    assert places.nearest("crafting_table", 0.5, 0.5).best is not None


def test_episodes_that_name_no_world_are_taken_in(tmp_path: Path):
    root = published(tmp_path, {"state": at(99.5, 0.5, mobs={"cow": 1})})
    record(root, (did(seen(5, HERE, blocks=OAK), WALK), seen(6, HERE, blocks=OAK)))
    places = Places(root)
    assert (places.elsewhere(), places.episode_count()) == ((), 2)
    assert places.nearest("cow", 0.5, 0.5).best is not None


def test_worlds_are_told_apart_alike_whether_episodes_come_at_once_or_one_by_one(tmp_path: Path):
    whole = Places(demonstrated(tmp_path / "whole"))
    root, (_, *rest) = demonstrated(tmp_path / "parts"), range(4)
    index = root / "index.jsonl"
    lines = index.read_bytes().splitlines(keepends=True)
    index.write_bytes(lines[0])
    assert Places(root).elsewhere() == ()
    for place in rest:
        with index.open("ab") as file:
            file.write(lines[place])
        Places(root).points()
    assert Places(root).near(0.5, 0.5) == whole.near(0.5, 0.5)


def test_the_map_in_a_prompt_says_how_many_episodes_it_leaves_out(tmp_path: Path):
    assert map_block(demonstrated(tmp_path), 0.5, 0.5).splitlines() == [
        "[MAP] at (0, 0); 1 of 1 known places, nearest first; 2 episodes of other worlds left out",
        "- oak_log (9, 64, 0), 9 E, 4 in sight [ep_000003]",
    ]


def chest_then(root: Path, later: Observation) -> Places:
    """Put a chest down at (2, 64, 0), with oak in sight; then see `later` as step 2."""
    before = seen(0, HERE, blocks=OAK)
    there = seen(1, HERE, blocks={**OAK, "chest": (1, (2, 64, 0))})
    record(root, (placed(before, "chest", (2, 64, 0)), there), (did(there, WALK), later))
    return Places(root)


@pytest.mark.parametrize(
    ("position", "blocks", "gone"),
    [
        ((4.9, 62.0, 2.9), OAK, True),
        ((0.1, 66.9, -1.9), OAK, True),
        # One block farther along one axis.
        ((5.0, 64.0, 0.5), OAK, False),
        ((0.5, 67.0, 0.5), OAK, False),
        # Another one is in sight, or nothing is known of blocks at all.
        (HERE, {**OAK, "chest": (1, (30, 64, 0))}, False),
        (HERE, {}, False),
    ],
)
def test_what_is_not_in_sight_from_close_by_is_gone(
    tmp_path: Path, position: tuple[float, float, float], blocks: dict, gone: bool
):
    found = chest_then(tmp_path, seen(2, position, blocks=blocks)).containers()
    assert ((2, 64, 0) in [(one.x, one.y, one.z) for one in found.containers]) is not gone
    assert [one.gone for one in found.gone] == (
        [Gone(how="not seen there", step=2, episode="ep_000002")] if gone else []
    )


def test_what_was_not_in_sight_is_known_again_once_it_is_seen(tmp_path: Path):
    places = chest_then(tmp_path, seen(2, HERE, blocks=OAK))
    assert len(places.containers().gone) == 1
    back = seen(3, HERE, blocks={**OAK, "chest": (1, (2, 64, 0))})
    record(tmp_path, (did(back, WALK), back))
    assert [one.gone for one in places.containers().containers] == [None]


def test_what_came_in_before_is_contradicted_by_what_comes_in_later(tmp_path: Path):
    far = seen(2, (20.5, 64.0, 0.5), blocks=OAK)
    places = chest_then(tmp_path, far)
    assert len(places.containers().containers) == 1
    record(tmp_path, (did(far, WALK), seen(3, HERE, blocks=OAK)))
    assert [one.gone for one in places.containers().gone] == [
        Gone(how="not seen there", step=3, episode="ep_000003")
    ]
