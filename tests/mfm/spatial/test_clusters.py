"""Place cells, event clusters and what is dropped at the capacity."""

from __future__ import annotations

from pathlib import Path

import pytest

from csd.episode import GoTo, Observation, Step
from echo.mfm.spatial.clusters import alike, place_key
from echo.mfm.spatial.facts import Stand
from echo.mfm.spatial.places import Places
from echo.mfm.spatial.tables import PlaceOptions
from tests.mfm.spatial.memories import at, did, dug, published, record, seen


def stand(x: float, z: float, yaw: float | None, y: float | None = 64.0) -> Stand:
    return Stand(x=x, y=y, z=z, yaw=yaw)


@pytest.mark.parametrize(
    ("yaw", "sector"),
    [
        (0, 0),
        (44.9, 0),
        (45, 1),
        (90, 1),
        (180, 2),
        (270, 3),
        (314.9, 3),
        (315, 0),
        (-90, 3),
        (720, 0),
        (None, None),
    ],
)
def test_a_view_belongs_to_the_sector_its_yaw_is_nearest_to(yaw: float | None, sector: int | None):
    assert place_key(stand(0, 0, yaw), PlaceOptions()) == (0, 8, 0, sector)


def test_cells_of_the_grid_go_on_below_zero():
    assert place_key(stand(-0.1, 8.0, 0), PlaceOptions()) == (-1, 8, 1, 0)
    assert place_key(stand(0, 0, 0, y=None), PlaceOptions()) == (0, None, 0, 0)


def test_two_empty_views_are_alike():
    assert alike(frozenset(), frozenset()) == 1.0
    assert alike(frozenset({1}), frozenset()) == 0.0


def walked(view: Observation) -> tuple[Step, Observation]:
    return (did(view, GoTo(target=(0, 64, 0))), view)


def cell(x: int) -> tuple[int, int, int]:
    return (x, 63, 0)


def test_views_of_one_place_part_by_what_was_seen_and_by_what_happened(tmp_path: Path):
    here = (0.5, 64.0, 0.5)
    forest = {"oak_log": (9, cell(3)), "dirt": (5, cell(1)), "grass": (5, cell(2))}
    less = {"oak_log": (8, cell(3)), "dirt": (5, cell(1))}
    cave = {"stone": (9, cell(3)), "coal_ore": (1, cell(4))}
    root = record(
        tmp_path,
        walked(seen(0, here, blocks=forest)),
        walked(seen(1, here, blocks=less)),
        walked(seen(2, here, blocks=cave)),
        (dug(seen(3, here, blocks=forest), "dirt", cell(1)), seen(4, here)),
    )
    (place,) = Places(root).cells()
    assert (place.x, place.y, place.z, place.yaw) == (0.0, 64.0, 0.0, 0.0)
    assert [(one.happened, one.records, one.last.episode) for one in place.clusters] == [
        ((), 2, "ep_000002"),
        ((), 1, "ep_000003"),
        (("dug dirt", "got dirt"), 1, "ep_000004"),
    ]


def test_the_same_frame_is_the_same_event_however_little_was_seen_in_common(tmp_path: Path):
    row = {"image": "image.png", "observation_hash": "abc"}
    root = published(
        tmp_path,
        {"row": row, "state": at(0.5, 0.5, mobs=["cow"])},
        {"row": row, "state": at(0.5, 0.5, mobs=["wolf"])},
        {"row": {**row, "observation_hash": "def"}, "state": at(0.5, 0.5, mobs=["bat"])},
    )
    (place,) = Places(root).cells()
    assert [one.records for one in place.clusters] == [2, 1]


def crowd(root: Path) -> Path:
    """Three records of cows, then two of sheep, all at one place."""
    kinds = ["cow", "cow", "cow", "sheep", "sheep"]
    return published(root, *({"state": at(0.5, 0.5, mobs=[kind])} for kind in kinds))


@pytest.mark.parametrize(
    ("capacity", "cows", "sheep"),
    [
        (5, ["ep_000000", "ep_000002"], ["ep_000003", "ep_000004"]),
        # The fifth record is one too many: the oldest cow goes.
        (4, ["ep_000001", "ep_000002"], ["ep_000003", "ep_000004"]),
        # Cow 0 goes for sheep 3; for sheep 4, two against two, a cow: theirs is the older cluster.
        (3, ["ep_000002", "ep_000002"], ["ep_000003", "ep_000004"]),
        # Cow 0 goes for cow 2, cow 1 for sheep 3; then the two sheep are more than the one cow.
        (2, ["ep_000002", "ep_000002"], ["ep_000004", "ep_000004"]),
        # One against one: the older cluster loses its last and is gone.
        (1, None, ["ep_000004", "ep_000004"]),
    ],
)
def test_at_the_capacity_the_oldest_of_the_largest_cluster_goes(
    tmp_path: Path, capacity: int, cows: list[str] | None, sheep: list[str]
):
    (place,) = Places(crowd(tmp_path), PlaceOptions(capacity=capacity)).cells()
    held = {one.seen: [one.first.episode, one.last.episode] for one in place.clusters}
    assert held == {("sheep",): sheep, **({} if cows is None else {("cow",): cows})}


@pytest.mark.parametrize("capacity", [1, 3, 4, None])
def test_what_is_kept_does_not_depend_on_how_the_episodes_came_in(tmp_path: Path, capacity: int | None):
    options = PlaceOptions(capacity=capacity)
    kinds = ["cow", "cow", "pig", "cow", "sheep", "sheep", "cow", "pig", "bat"]
    episodes = [{"state": at(0.5, 0.5, mobs=[kind])} for kind in kinds]
    at_once = Places(published(tmp_path / "once", *episodes), options).cells()
    for episode in episodes:
        Places(published(tmp_path / "bit_by_bit", episode), options).cells()
    assert Places(tmp_path / "bit_by_bit", options).cells() == at_once


def test_dropped_records_leave_the_other_answers_and_the_episodes_as_they_were(tmp_path: Path):
    root = crowd(tmp_path)
    before = sorted((path, path.read_bytes()) for path in (root / "episodes").rglob("*") if path.is_file())
    small, whole = Places(root, PlaceOptions(capacity=1)), Places(root)
    assert small.visited() == whole.visited()
    assert small.near(0.5, 0.5) == whole.near(0.5, 0.5)
    assert before == sorted(
        (path, path.read_bytes()) for path in (root / "episodes").rglob("*") if path.is_file()
    )


def test_words_find_the_nearest_record_that_holds_them(tmp_path: Path):
    root = published(
        tmp_path,
        {"state": at(100.5, 0.5, mobs=["cow", "sheep"])},
        {"state": at(20.5, 0.5, mobs=["cow"])},
        {"state": at(50.5, 0.5, mobs=["sheep"])},
    )
    places = Places(root)
    found = places.remembered("sheep", 0.5, 0.5)
    assert [(one.x, one.score, one.distance) for one in found] == [(50.5, 1.0, 50.0), (100.5, 1.0, 100.0)]
    assert [one.x for one in places.remembered("sheep cow", 0.5, 0.5, threshold=1.0)] == [100.5]
    assert [one.x for one in places.remembered("sheep cow", 0.5, 0.5, limit=2)] == [20.5, 50.5]
    assert places.remembered("dragon", 0, 0) == ()
    assert places.remembered(" ", 0, 0) == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [("size", 0.0), ("size", float("nan")), ("sectors", 0), ("alike", 1.5), ("capacity", 0)],
)
def test_options_out_of_range_are_refused(name: str, value: float):
    with pytest.raises(ValueError, match=f"for {name} of places"):
        PlaceOptions(**{name: value})
