from __future__ import annotations

import numpy as np
import pytest

from echo.mfm.evidence.crop import LONGEST_SIDE, crop_png, grid_step, parse_box
from echo.mfm.evidence.pictures import open_picture
from echo.mfm.layout import MfmError
from tests.mfm.evidence.small_memories import half_picture, plain_picture, png


def counting(width: int, height: int) -> np.ndarray:
    """Return a picture whose red is x, green is y, blue is 7."""
    y, x = np.mgrid[:height, :width]
    return np.stack([x, y, np.full_like(x, 7)], axis=-1).astype(np.uint8)


def pixels(data: bytes) -> np.ndarray:
    return np.asarray(open_picture(data, "it"))


def test_a_crop_magnifies_each_pixel_to_a_square_of_its_own_colour():
    made = pixels(crop_png(png(counting(20, 10)), (3, 4, 5, 2), 3))
    assert made.shape == (6, 15, 3)
    assert made[0, 0].tolist() == [3, 4, 7]
    assert made[2, 2].tolist() == [3, 4, 7]
    assert made[5, 14].tolist() == [7, 5, 7]
    assert {tuple(colour) for row in made.tolist() for colour in row} == {
        (x, y, 7) for x in range(3, 8) for y in (4, 5)
    }


def test_without_a_scale_the_part_is_magnified_to_768_pixels_as_far_as_whole_times_allow():
    assert pixels(crop_png(png(counting(64, 64)))).shape == (768, 768, 3)
    assert pixels(crop_png(png(counting(64, 64)), (0, 0, 50, 10))).shape == (150, 750, 3)
    assert pixels(crop_png(png(counting(900, 4)))).shape == (4, 900, 3)


def test_smooth_magnification_mixes_neighbours():
    halves = png(half_picture((0, 0, 0), (200, 0, 0), size=4))
    assert np.unique(pixels(crop_png(halves, None, 8))[..., 0]).tolist() == [0, 200]
    assert len(np.unique(pixels(crop_png(halves, None, 8, smooth=True))[..., 0])) > 4


def test_a_grid_puts_lines_and_numbers_beside_and_over_the_picture_and_keeps_its_other_pixels():
    plain = pixels(crop_png(png(plain_picture(40, 90, 200, size=16)), None, 10))
    made = pixels(crop_png(png(plain_picture(40, 90, 200, size=16)), None, 10, grid=True))
    top, left = made.shape[0] - 160, made.shape[1] - 160
    assert (top, left) == (20, pytest.approx(22, abs=4))
    inside = made[top:, left:]
    # A line every 4 pixels of the picture: 40 of what is made.
    assert grid_step(10) == 4
    assert (inside[0] != plain[0]).any(axis=-1).all()
    assert (inside[:, 40] != plain[:, 40]).any(axis=-1).all()
    assert (inside[1:40, 1:40] == plain[1:40, 1:40]).all()
    assert made[:top].max() > 200
    assert made[:, :left].max() > 200


def test_grid_numbers_are_places_in_the_whole_picture():
    data = png(plain_picture(40, 90, 200, size=64))
    shifted, origin = (
        pixels(crop_png(data, (x, 0, 8, 8), 40, grid=True)) for x in (8, 0)
    )  # fmt: skip
    # The same even part, other numbers in the margin above.
    assert not (shifted.shape == origin.shape and (shifted == origin).all())


@pytest.mark.parametrize(
    ("box", "scale", "said"),
    [
        ((0, 0, 0, 4), None, r"expected a part of at least one pixel, got width 0 and height 4"),
        ((0, 0, 4, -1), None, r"expected a part of at least one pixel, got width 4 and height -1"),
        ((-1, 0, 4, 4), None, r"expected a part within the picture, 0,0,16,16, got -1,0,4,4"),
        ((14, 0, 4, 4), None, r"expected a part within the picture, 0,0,16,16, got 14,0,4,4"),
        ((0, 10**30, 1, 1), None, r"expected a part within the picture"),
        (None, 0, r"expected a scale of 1 to 64, got 0"),
        (None, 65, r"expected a scale of 1 to 64, got 65"),
        (None, -3, r"expected a scale of 1 to 64, got -3"),
    ],
)
def test_parts_and_scales_out_of_bounds_are_refused(box, scale, said):
    with pytest.raises(MfmError, match=said):
        crop_png(png(plain_picture(1, 2, 3)), box, scale)


def test_a_result_that_were_too_large_is_refused_with_the_scale_that_fits():
    with pytest.raises(MfmError, match=r"at most 4096 pixels, got 6400x6400 .*Use a scale of at most 40"):
        crop_png(png(plain_picture(1, 2, 3, size=100)), None, 64)
    assert LONGEST_SIDE == 4096


@pytest.mark.parametrize("text", ["", "1,2,3", "1,2,3,4,5", "a,b,c,d", "1.5,2,3,4", "1 2 3 4"])
def test_a_box_is_four_whole_numbers(text):
    with pytest.raises(ValueError, match="expected four whole numbers x,y,w,h in pixels"):
        parse_box(text)
