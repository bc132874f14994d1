"""Folders of other tools, and files that are not what they should be."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from csd.episode import GoTo
from echo.mfm.layout import to_line
from echo.mfm.spatial.places import Places
from echo.mfm.spatial.reading import episode_facts
from tests.mfm.spatial.memories import at, did, published, record, seen

GOT_LOG = {"inventory_delta": {"oak_log": 2}, "events": [], "notes": []}


def test_published_keys_alone_tell_where_what_was_got_and_who_was_there(tmp_path: Path):
    root = published(
        tmp_path,
        {
            "row": {"action_kind": "collect", "tags": ["broke"]},
            "state": at(3.5, 4.5, mobs={"sheep": 1}, step=6),
            "outcome": GOT_LOG,
        },
    )
    places = Places(root)
    best = places.nearest("log", 0.5, 0.5).best
    assert best is not None
    assert (best.how, best.exact, best.x, best.z, best.distance, best.count) == (
        "got",
        False,
        3.5,
        4.5,
        5.0,
        2,
    )
    assert (best.last.step, best.last.episode) == (7, "ep_000000")
    assert [one.name for one in places.near(3.5, 4.5).creatures] == ["sheep"]
    assert [(one.kind, one.name) for one in places.near(3.5, 4.5).happened] == [
        ("got", "oak_log"),
        ("dug", "oak_log"),
    ]
    assert places.unread() == ()


@pytest.mark.parametrize(
    "mobs", [{"sheep": 2}, ["sheep", "sheep"], [{"type": "sheep"}, {"name": "sheep", "distance": 3}]]
)
def test_creatures_are_read_as_counts_names_or_objects(tmp_path: Path, mobs: Any):
    root = published(tmp_path, {"state": at(0.5, 0.5, mobs=mobs)})
    (sheep,) = Places(root).near(0.5, 0.5).creatures
    assert (sheep.name, sheep.count) == ("sheep", 2)


def test_a_placed_item_is_known_in_the_cell_that_the_action_names(tmp_path: Path):
    root = published(
        tmp_path,
        {
            "state": at(0.5, 0.5),
            "action": {"entry": {"items": [{"kind": "place", "item": "chest", "target": [1, 64, 0]}]}},
            "outcome": {"inventory_delta": {"chest": -1}},
        },
    )
    (chest,) = Places(root).containers().containers
    assert (chest.x, chest.y, chest.z, chest.exact) == (1, 64, 0, True)


def test_a_chest_that_was_not_spent_was_not_placed(tmp_path: Path):
    action = {"entry": {"items": [{"kind": "place", "item": "chest", "target": [1, 64, 0]}]}}
    root = published(tmp_path, {"state": at(0.5, 0.5), "action": action})
    assert Places(root).containers().containers == ()


def test_a_tag_alone_tells_of_harm(tmp_path: Path):
    root = published(tmp_path, {"row": {"tags": ["damage"]}, "state": at(1.5, 2.5)})
    (hazard,) = Places(root).hazards().hazards
    assert (hazard.kind, hazard.amount, hazard.cause, hazard.x, hazard.z) == ("damage", None, None, 1.5, 2.5)


def test_a_tag_beside_an_event_does_not_count_twice(tmp_path: Path):
    outcome = {"events": ["damage:2 by zombie"]}
    root = published(tmp_path, {"row": {"tags": ["damage"]}, "state": at(1.5, 2.5), "outcome": outcome})
    (hazard,) = Places(root).hazards().hazards
    assert (hazard.cause, hazard.amount, hazard.times) == ("zombie", 2.0, 1)


def test_the_position_of_the_row_holds_where_the_state_has_none(tmp_path: Path):
    root = published(tmp_path, {"row": {"x": 7.5, "y": None, "z": -2.5}, "state": {}})
    (cell,) = Places(root).visited(size=1.0).cells
    assert (cell.x, cell.z) == (7.0, -3.0)


BAD_POSITIONS = [None, "12.5", "NaN", float("nan"), float("inf"), True, [], {}, 1e300, 10**40]


@pytest.mark.parametrize("x", BAD_POSITIONS, ids=lambda value: str(value)[:12])
def test_a_position_that_is_none_is_named_and_the_other_episodes_hold(tmp_path: Path, x: Any):
    text = (
        b'{"pos": {"x": %s, "y": 64, "z": 1.5}}'
        % repr(x)
        .replace("'", '"')
        .replace("None", "null")
        .replace("nan", "NaN")
        .replace("inf", "Infinity")
        .replace("True", "true")
        .encode()
    )
    root = published(tmp_path, {"state": text}, {"state": at(3.5, 4.5)})
    visited = Places(root).visited()
    assert [(one.x, one.z) for one in visited.cells] == [(3.0, 4.0)]
    assert {one.episode for one in visited.unread} == {"ep_000000"}
    assert all(one.why.startswith("expected ") for one in visited.unread)


@pytest.mark.parametrize("file", ["state", "action", "outcome"])
@pytest.mark.parametrize("held", [None, b"", b"{", b"\xff\xfe", b"[1]", b"null", b"[" * 100_000])
def test_a_missing_or_corrupt_file_is_named_and_the_rest_is_used(tmp_path: Path, file: str, held: Any):
    row = {"x": 3.5, "z": 4.5}
    root = published(tmp_path, {"row": row, "state": at(3.5, 4.5), file: held})
    visited = Places(root).visited()
    assert [(one.x, one.z) for one in visited.cells] == [(3.0, 4.0)]
    (unread,) = visited.unread
    assert (unread.episode, unread.file.startswith("episodes/ep_000000/")) == ("ep_000000", True)
    assert file in unread.file


def test_a_pipe_in_place_of_a_file_is_not_opened(tmp_path: Path):
    root = published(tmp_path, {"row": {"x": 3.5, "z": 4.5}, "state": None})
    os.mkfifo(root / "episodes/ep_000000/state/state.json")
    assert [one.why for one in Places(root).unread()] == ["expected a file, got something else"]


def test_a_missing_folder_is_named_and_its_row_used(tmp_path: Path):
    (tmp_path / "index.jsonl").write_bytes(to_line({"id": "ep_000005", "x": 1.5, "z": 2.5}))
    visited = Places(tmp_path).visited()
    assert [(one.x, one.z) for one in visited.cells] == [(1.0, 2.0)]
    assert len(visited.unread) == 3


@pytest.mark.parametrize("name", ["../../etc", "ep_1", "/ep_000001", "ep_000001/.."])
def test_an_id_that_is_none_opens_no_file(tmp_path: Path, name: str):
    facts = episode_facts(tmp_path, {"id": name, "x": 1.5, "z": 2.5})
    assert [one.file for one in facts.unread] == ["index.jsonl"]
    assert len(facts.moments) == 1


def test_one_unreadable_view_of_ours_is_named_and_the_others_hold(tmp_path: Path):
    before = seen(0, (0.5, 64.0, 0.5), blocks={"stone": (2, (1, 63, 0))})
    root = record(tmp_path, (did(before, GoTo(target=(1, 64, 0))), seen(1, (5.5, 64.0, 0.5))))
    steps = root / "episodes/ep_000001/steps.json"
    steps.write_bytes(steps.read_bytes().replace(b'"position": [5.5,', b'"position": ["5.5",'))
    visited = Places(root).visited()
    assert [one.x for one in visited.cells] == [0.0]
    assert [one.why for one in visited.unread] == ["expected a number for position, got '5.5'"]


def test_another_version_of_steps_falls_back_on_the_other_files(tmp_path: Path):
    before = seen(0, (0.5, 64.0, 0.5), mobs={"sheep": 1})
    root = record(tmp_path, (did(before, GoTo(target=(1, 64, 0))), seen(1, (5.5, 64.0, 0.5))))
    steps = root / "episodes/ep_000001/steps.json"
    steps.write_bytes(steps.read_bytes().replace(b"echo-mfm-steps/1", b"echo-mfm-steps/9"))
    places = Places(root)
    assert [one.name for one in places.near(0.5, 0.5).creatures] == ["sheep"]
    assert [one.why for one in places.unread()] == [
        "expected format 'echo-mfm-steps/1', got 'echo-mfm-steps/9'"
    ]


def test_names_with_lone_surrogates_and_other_scripts_come_back_as_they_were(tmp_path: Path):
    names = ["\ud83c", "石", "a\nb", "Дуб"]
    outcome = {"inventory_delta": dict.fromkeys(names, 1)}
    root = published(tmp_path, {"state": at(0.5, 0.5), "outcome": outcome})
    places = Places(root)
    assert sorted(one.name or "" for one in places.points().points) == sorted(names)
    assert [one.name for one in places.nearest("дуб", 0, 0).found] == ["Дуб"]


def test_steps_that_go_backwards_keep_the_order_of_the_file(tmp_path: Path):
    root = published(
        tmp_path,
        {"state": at(0.5, 0.5, step=100)},
        {"state": at(9.5, 0.5, step=5)},
        {"row": {"first_step": None, "last_step": None}, "state": at(20.5, 0.5, step=None)},
    )
    path = Places(root).visited().path
    assert [(one.x, one.first.step) for one in path] == [(0, 100), (9, 5), (20, None)]


def test_great_but_possible_coordinates_hold(tmp_path: Path):
    root = published(tmp_path, {"state": at(29_999_999.5, -29_999_999.5)}, {"state": at(2.0**52, 0.0)})
    places = Places(root)
    assert places.unread() == ()
    assert places.near(29_999_999.5, -29_999_999.5, 1.0).moments == 1
    assert places.near(2.0**52, 0.0, 1.0).moments == 1


def test_a_torn_line_of_the_index_is_told_and_the_rows_around_it_hold(tmp_path: Path):
    root = published(tmp_path, {"state": at(0.5, 0.5)})
    with (root / "index.jsonl").open("ab") as index:
        index.write(b'{"id": "ep_0000\n')
    published(root, {"state": at(9.5, 0.5)})
    visited = Places(root).visited()
    assert [one.x for one in visited.path] == [0, 9]
    assert [(one.episode, one.file, one.why) for one in visited.unread] == [
        ("", "index.jsonl", "expected rows, got 1 stretches that hold none")
    ]


def test_a_hash_that_is_no_hash_does_no_harm(tmp_path: Path):
    row = {"image": "image.png", "observation_hash": "\ud83c"}
    root = published(
        tmp_path, {"row": row, "state": at(0.5, 0.5)}, {"row": row, "state": at(0.5, 0.5, mobs=["cow"])}
    )
    (place,) = Places(root).cells()
    assert [one.records for one in place.clusters] == [2]
