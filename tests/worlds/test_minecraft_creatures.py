"""Creatures are drawn so that a magnified part of a frame of 64x64 tells them apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PIL import Image

from echo.mfm.evidence.crop import crop_png
from echo.mfm.evidence.pictures import open_picture, png_bytes
from echo.worlds.minecraft.creatures import name_colour, shape_of
from echo.worlds.minecraft.render import draw
from tests.worlds.flat_land import GROUND, flat_world

KINDS = ("chicken", "cow", "pig", "sheep", "spider", "wolf")
SIZE = 64

Colours = frozenset[tuple[int, ...]]


def view(kind: str | None, distance: int, *, beside: int = 0) -> np.ndarray:
    """Return the view of one creature on flat grass, or of the bare grass."""
    world = flat_world(frame_size=SIZE)
    body, land = world._scene.body, world._scene.land
    body.feet = (12, GROUND + 1, 4)
    cell = (12 + beside, GROUND + 1, 4 + distance)
    body.look_at(cell)
    return draw(land, body, SIZE, creatures=[] if kind is None else [(kind, cell)])


def creature_colours(frame: np.ndarray, bare: np.ndarray) -> Colours:
    return frozenset(map(tuple, frame[(frame != bare).any(axis=-1)].tolist()))


@pytest.mark.parametrize("distance", [4, 7, 11])
def test_magnified_crops_keep_the_exact_colours_and_animals_share_none_but_their_eyes(distance):
    bare, found = view(None, distance), {}
    for kind in KINDS:
        frame = view(kind, distance)
        rows, columns = np.nonzero((frame != bare).any(axis=-1))
        left, top = int(columns.min()), int(rows.min())
        box = (left, top, int(columns.max()) - left + 1, int(rows.max()) - top + 1)
        closer = np.asarray(open_picture(crop_png(png_bytes(Image.fromarray(frame)), box), "it"))
        assert closer.shape[0] > 8 * box[3]
        found[kind] = creature_colours(frame, bare)
        assert found[kind] <= set(map(tuple, closer.reshape(-1, 3).tolist()))
    for one, other in combinations(KINDS, 2):
        assert all(max(colour) < 32 for colour in found[one] & found[other]), (one, other)


@pytest.mark.parametrize(("one", "other"), list(combinations(KINDS, 2)))
def test_seven_blocks_away_the_main_colours_or_sizes_of_animals_are_far_apart(one, other):
    bare = view(None, 7)

    def seen(kind):
        changed = (view(kind, 7) != bare).any(axis=-1)
        return view(kind, 7)[changed].astype(float).mean(axis=0), int(changed.sum())

    (colour, size), (colour2, size2) = seen(one), seen(other)
    assert np.linalg.norm(colour - colour2) > 30 or max(size, size2) > 2 * min(size, size2)


def test_the_face_is_towards_one_of_four_sides_and_always_the_same():
    assert np.array_equal(view("sheep", 5), view("sheep", 5))
    sides = {view("sheep", 5, beside=beside)[20:44].tobytes() for beside in range(-3, 4)}
    assert len(sides) > 1


def test_a_creature_in_front_hides_one_behind_whatever_their_order():
    world = flat_world(frame_size=SIZE)
    body, land = world._scene.body, world._scene.land
    body.feet = (12, GROUND + 1, 4)
    near, far = ("sheep", (12, GROUND + 1, 7)), ("cow", (12, GROUND + 1, 8))
    body.look_at(near[1])
    assert np.array_equal(
        draw(land, body, SIZE, creatures=[near, far]), draw(land, body, SIZE, creatures=[far, near])
    )


def test_creatures_behind_the_eyes_or_beyond_sight_are_not_drawn():
    world = flat_world(frame_size=SIZE)
    body, land = world._scene.body, world._scene.land
    body.feet = (12, GROUND + 1, 12)
    body.look_at((12, GROUND + 1, 20))
    unseen = [("cow", (12, GROUND + 1, 6)), ("cow", (12, GROUND + 1, 60))]
    assert np.array_equal(draw(land, body, SIZE, creatures=unseen), draw(land, body, SIZE))


def test_an_unknown_kind_is_a_box_in_the_colour_of_its_name():
    (box,) = shape_of("snark")
    assert box.colour == name_colour("snark")
    assert creature_colours(view("snark", 5), view(None, 5))


def test_no_part_of_a_creature_is_further_from_its_place_than_it_is_looked_for():
    for kind in (*KINDS, "snark"):
        for part in shape_of(kind):
            assert max(map(abs, (*part.low, *part.high))) < 2.0
            assert all(low < high for low, high in zip(part.low, part.high, strict=True))
