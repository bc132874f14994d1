from __future__ import annotations

import pytest

from echo.agent.arrangement import Arrangement


def test_a_grid_and_its_mirror_image_are_one_arrangement():
    left = Arrangement.from_grid((("plank", "plank"), ("plank", "rod"), (None, "rod")))
    right = Arrangement.from_grid((("plank", "plank"), ("rod", "plank"), ("rod", None)))
    assert left == right == Arrangement("AA/AB/.B", ("plank", "rod"))


def test_the_grid_laid_out_again_is_the_same_arrangement():
    axe = Arrangement("AA/AB/.B", ("plank", "rod"))
    assert Arrangement.from_grid(axe.grid) == axe


def test_rows_that_are_not_canonical_are_brought_into_the_one_spelling():
    assert Arrangement.laid_out("A./BB", ("plank", "rod")) == Arrangement.laid_out(".A/BB", ("plank", "rod"))


@pytest.mark.parametrize(
    ("arrangement", "needs", "offer"),
    [
        (Arrangement("AA/AA", ("plank",)), {"plank": 4}, None),
        (Arrangement("AAA/.B./.B.", ("plank", "rod")), {"plank": 3, "rod": 2}, "grid3"),
        (Arrangement("A/A/A", ("plank",)), {"plank": 3}, "grid3"),
        (Arrangement.smelting("sand"), {"sand": 1}, "smelt"),
    ],
)
def test_it_says_what_it_uses_up_and_what_must_stand_nearby(arrangement, needs, offer):
    assert (arrangement.needs(), arrangement.offer) == (needs, offer)


def test_smelting_has_no_grid_to_lay():
    with pytest.raises(ValueError, match="got smelting of sand"):
        _ = Arrangement.smelting("sand").grid
