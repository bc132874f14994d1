"""The picture of the map: where things lie on it, and that odd memories can be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

from csd.episode import GoTo
from echo.mfm.layout import MfmError
from echo.mfm.spatial.map_content import LAYERS, Layer, map_content
from echo.mfm.spatial.map_picture import draw_map
from echo.mfm.spatial.map_sheet import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Labels,
    Sheet,
    projection_of,
    writable,
)
from echo.mfm.spatial.map_signs import CONTAINER, DANGER, PALETTE, draw_dot, time_colour
from echo.mfm.spatial.places import Places
from tests.mfm.spatial.memories import at, did, dug, placed, published, record, seen


def drawn(root: Path, layers: Sequence[Layer] = LAYERS) -> Image.Image:
    out = root / "map.png"
    draw_map(map_content(Places(root), layers), out)
    with Image.open(out) as picture:
        return picture.convert("RGB")


def test_all_positions_lie_within_the_map_and_north_is_up():
    place = projection_of([(-50.0, -10.0), (150.0, 40.0)])
    for corner in ((-50.0, -10.0), (150.0, 40.0)):
        x, y = place.at(*corner)
        assert LEFT <= x <= RIGHT
        assert TOP <= y <= BOTTOM
    assert place.at(0, -10)[1] < place.at(0, 40)[1]
    assert place.back(*place.at(12.0, -3.0)) == pytest.approx((12.0, -3.0))


def test_one_point_is_shown_with_surroundings():
    assert projection_of([(5.0, 5.0)]).pixels == (BOTTOM - TOP) / 24


def test_a_chest_and_harm_are_drawn_where_they_are(tmp_path: Path):
    here = seen(0, (0.5, 64.0, 0.5))
    far = seen(1, (60.5, 64.0, 30.5))
    root = record(
        tmp_path,
        (placed(here, "chest", (0, 64, 20)), far),
        (did(far, GoTo(target=(0, 64, 0)), "damage:3"), far),
    )
    picture = drawn(root)
    place = projection_of([(0.5, 0.5), (60.5, 30.5), (0.5, 20.5)])
    x, y = place.at(0.5, 20.5)
    assert picture.size == (WIDTH, HEIGHT)
    assert picture.getpixel((round(x), round(y) + 5)) == CONTAINER
    only_harm = drawn(root, layers=("hazards",))
    middle_x, middle_y = (LEFT + RIGHT) // 2, (TOP + BOTTOM) // 2
    assert only_harm.getpixel((middle_x - 6, middle_y + 6)) == DANGER


def test_a_layer_that_was_not_asked_for_is_empty(tmp_path: Path):
    root = record(
        tmp_path, (placed(seen(0, (0.5, 64.0, 0.5)), "chest", (0, 64, 2)), seen(1, (0.5, 64.0, 0.5)))
    )
    content = map_content(Places(root), layers=("path",))
    assert (len(content.path), content.containers, content.resources) == (1, (), {})
    assert map_content(Places(root)).layers == LAYERS


def test_the_rarest_kinds_get_the_colours_unless_others_are_asked_for(tmp_path: Path):
    blocks = {f"kind_{number:02d}": (100 - number, (number, 60, 0)) for number in range(14)}
    here = seen(0, (0.5, 64.0, 0.5), blocks=blocks)
    places = Places(record(tmp_path, (did(here, GoTo(target=(0, 64, 0))), here)))
    content = map_content(places)
    assert list(content.resources) == [f"kind_{number:02d}" for number in range(13, 3, -1)]
    assert content.names_left_out == 4
    assert list(map_content(places, names=["kind_00", "_02"]).resources) == ["kind_02", "kind_00"]


def test_an_empty_memory_one_point_and_a_walk_of_thousands_can_be_drawn(tmp_path: Path):
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "index.jsonl").write_bytes(b"")
    assert drawn(empty).size == (WIDTH, HEIGHT)
    assert drawn(published(tmp_path / "one", {"state": at(0.5, 0.5)})).size == (WIDTH, HEIGHT)
    states = ({"state": at(number * 7.5, (number % 90) * 3.5)} for number in range(600))
    assert drawn(published(tmp_path / "walk", *states)).size == (WIDTH, HEIGHT)


def test_great_coordinates_and_odd_names_can_be_drawn(tmp_path: Path):
    outcome = {"inventory_delta": {"石\n\ud83c" * 40: 1}, "events": ["damage:1:\x1b[31m"]}
    root = published(
        tmp_path, {"state": at(-(2.0**52), 0.0)}, {"state": at(2.0**52, 1.0), "outcome": outcome}
    )
    assert drawn(root).size == (WIDTH, HEIGHT)


def test_labels_keep_apart_and_those_without_room_are_counted():
    labels = Labels()
    spots = [labels.place(500.0, 500.0, 80.0, 14.0, 12.0) for _ in range(12)]
    held = [spot for spot in spots if spot is not None]
    assert len(held) >= 2
    assert labels.left_out == 12 - len(held) > 0
    boxes = [(x, y, x + 80.0, y + 14.0) for x, y in held]
    for number, one in enumerate(boxes):
        for other in boxes[:number]:
            assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]


def test_a_picture_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path):
    root = published(tmp_path / "memory", {"state": at(0.5, 0.5)})
    content = map_content(Places(root))
    with pytest.raises(MfmError, match=r"expected a folder at .*nowhere for map\.png, got none"):
        draw_map(content, tmp_path / "nowhere" / "map.png")
    (tmp_path / "map.png").mkdir()
    with pytest.raises(MfmError, match=r"got the folder .*map\.png"):
        draw_map(content, tmp_path / "map.png")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_time_goes_from_the_first_colour_to_the_last():
    assert (time_colour(0.0), time_colour(1.0)) == ((64, 30, 120), (250, 186, 74))
    assert time_colour(0.5) == (205, 66, 104)


def test_letters_that_the_font_lacks_are_written_as_escapes():
    assert writable("石") == "\\u77f3"
    assert writable("x" * 50) == "x" * 37 + "..."


def test_a_label_leaves_a_dot_free_where_there_is_another_spot_and_covers_it_where_there_is_none():
    labels = Labels()
    labels.dot(430.0, 400.0, 5.0)
    assert labels.place(400.0, 400.0, 60.0, 14.0, 12.0) == (328.0, 393.0)
    crowded = Labels()
    for column in range(300, 500, 8):
        for line in range(300, 500, 8):
            crowded.dot(column, line, 5.0)
    assert crowded.place(400.0, 400.0, 60.0, 14.0, 12.0) == (412.0, 393.0)
    assert (labels.left_out, crowded.left_out) == (0, 0)


def test_ten_kinds_have_marks_that_differ():
    sheets = []
    for number in range(10):
        sheet = Sheet()
        draw_dot(sheet, 100, 100, 5, number)
        sheets.append(sheet.finished().crop((90, 90, 110, 110)).tobytes())
    assert len(set(sheets)) == 10
    for number, one in enumerate(PALETTE):
        for other in PALETTE[:number]:
            assert sum(abs(a - b) for a, b in zip(one, other, strict=True)) > 100


def test_ores_and_what_was_got_come_first_and_what_the_body_placed_last(tmp_path: Path):
    here = (0.5, 64.0, 0.5)
    sights = {"stone": (900, (4, 60, 0)), "iron_ore": (90, (5, 60, 0)), "oak_log": (40, (6, 64, 0)),
              "fern": (2, (7, 64, 0))}  # fmt: skip
    first, after = seen(0, here, blocks=sights), seen(1, here, blocks=sights)
    root = record(
        tmp_path / "memory",
        (dug(first, "oak_log", (2, 64, 0)), after),
        (placed(after, "slab", (1, 64, 0)), seen(2, here, blocks={**sights, "slab": (1, (1, 64, 0))})),
    )
    assert list(map_content(Places(root)).resources) == ["oak_log", "iron_ore", "fern", "stone", "slab"]
