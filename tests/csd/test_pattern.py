from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from csd.pattern import (
    canonical_grid,
    cell_counts,
    laid_rows,
    lay,
    letters,
    part,
    places,
    shape,
    side_by_side,
    stacked,
    symmetry,
)
from csd.roles import PARTS, ROLES, grid_roles

ITEMS = ["apple", "brick", "clay", "dirt"]


@st.composite
def grids(draw: st.DrawFn):
    height, width = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    cell = st.one_of(st.none(), st.sampled_from(ITEMS))
    rows = [[draw(cell) for _ in range(width)] for _ in range(height)]
    assume(any(item for row in rows for item in row))
    return tuple(map(tuple, rows))


def mirror(grid):
    return tuple(row[::-1] for row in grid)


def test_a_pickaxe_is_taken_apart_into_pattern_and_fillers():
    grid = (("oak_planks",) * 3, (None, "stick", None), (None, "stick", None))
    rows, fillers = canonical_grid(grid)
    assert rows == "AAA/.B./.B."
    assert fillers == {"A": "oak_planks", "B": "stick"}


def test_empty_outer_rows_and_columns_are_trimmed():
    assert canonical_grid(((None, None, None), (None, "clay", None), (None, "clay", None))).rows == "A/A"


def test_an_empty_middle_row_is_kept():
    assert canonical_grid((("clay",), (None,), ("dirt",))).rows == "A/./B"


def test_both_hands_of_an_axe_read_the_same():
    right = (("p", "p"), ("p", "s"), (None, "s"))
    assert canonical_grid(right) == canonical_grid(mirror(right)) == ("AA/AB/.B", {"A": "p", "B": "s"})


def test_stairs_start_at_their_filled_side():
    assert canonical_grid(((None, None, "s"), (None, "s", "s"), ("s", "s", "s"))).rows == "A../AA./AAA"


def test_two_kinds_side_by_side_are_one_pattern_whichever_came_first():
    assert canonical_grid((("dirt", "clay"),)) == ("AB", {"A": "clay", "B": "dirt"})
    assert canonical_grid((("clay", "dirt"),)) == ("AB", {"A": "clay", "B": "dirt"})


def test_changing_returned_fillers_does_not_change_the_next_answer():
    grid = (("clay",),)
    canonical_grid(grid).fillers["A"] = "spoilt"
    assert canonical_grid(grid).fillers == {"A": "clay"}


@given(grids())
def test_a_grid_laid_from_its_pattern_has_that_pattern(grid):
    rows, fillers = canonical_grid(grid)
    assert canonical_grid(lay(rows, fillers)) == (rows, fillers)


@given(grids())
def test_a_mirror_image_has_the_same_pattern_and_fillers(grid):
    assert canonical_grid(mirror(grid)) == canonical_grid(grid)


@given(grids())
def test_a_pattern_lays_the_trimmed_grid_or_its_mirror_image(grid):
    rows, fillers = canonical_grid(grid)
    laid = lay(rows, fillers)
    padded = [row for row in grid if any(row)]
    assert laid_rows(laid) == rows
    assert sorted(item for row in laid for item in row if item) == sorted(
        i for row in padded for i in row if i
    )
    assert sum(cell_counts(rows).values()) == sum(item is not None for row in grid for item in row)


@given(grids())
def test_a_pattern_knows_no_names(grid):
    renamed = {item: f"zz{len(ITEMS) - number}" for number, item in enumerate(ITEMS)}
    other = tuple(tuple(None if cell is None else renamed[cell] for cell in row) for row in grid)
    assert canonical_grid(other).rows == canonical_grid(grid).rows


@given(grids())
def test_every_letter_has_a_part_and_a_role_with_a_definition(grid):
    rows = canonical_grid(grid).rows
    assert all(part(rows, letter) in PARTS for letter in letters(rows))
    assert list(grid_roles(rows)) == list(letters(rows))
    assert all(role in ROLES for role in grid_roles(rows).values())


@given(grids())
def test_parts_and_symmetry_are_those_of_the_mirror_image(grid):
    rows = laid_rows(lay(*canonical_grid(grid)))
    mirrored = "/".join(line[::-1] for line in rows.split("/"))
    assert symmetry(rows) == symmetry(mirrored)
    assert [part(rows, letter) for letter in letters(rows)] == [
        part(mirrored, letter) for letter in letters(rows)
    ]


def test_a_grid_without_items_is_refused():
    with pytest.raises(ValueError, match="at least one filled cell"):
        canonical_grid(((None, None), (None, None)))


def test_ragged_rows_are_refused_with_their_lengths():
    with pytest.raises(ValueError, match=r"lengths \[2, 1\]"):
        canonical_grid((("a", "b"), ("a",)))


def test_a_letter_without_filler_is_refused():
    with pytest.raises(ValueError, match="Give a filler for B"):
        lay("AB", {"A": "clay"})


def test_a_pattern_with_ragged_rows_is_refused():
    with pytest.raises(ValueError, match="rows of one length"):
        lay("AA/A", {"A": "clay"})


def test_a_part_is_asked_only_of_letters_in_the_pattern():
    with pytest.raises(ValueError, match="got 'C'"):
        part("AB", "C")


def test_shape_places_and_counts_of_a_pickaxe():
    assert shape("AAA/.B./.B.") == (3, 3)
    assert places("AAA/.B./.B.", "B") == ((1, 1), (2, 1))
    assert cell_counts("AAA/.B./.B.") == {"A": 3, "B": 2}


def test_neighbours_are_told_once_each():
    assert stacked("AA/AB/.B") == (("A", "B"),)
    assert side_by_side("ABA/ABA") == (("A", "B"),)
    assert stacked("AAA/ABA/AAA") == (("A", "B"), ("B", "A"))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("A", ["single cell"]),
        ("AA/AA", ["all"]),
        ("A/A/B", ["upper stem", "lower stem"]),
        ("AAA/.B./.B.", ["top row", "lower stem"]),
        ("AA/AB/.B", ["around", "lower stem"]),
        ("AAA/A.A/AAA", ["ring"]),
        ("AAA/ABA/AAA", ["ring", "centre"]),
        ("ABA/ABA", ["side columns", "middle column"]),
        ("AAA/BBB", ["top row", "bottom row"]),
        ("AAA/BBB/AAA", ["rows", "middle row"]),
        ("A.A/.B./A.A", ["corners", "inner stem"]),
        ("ABA/.C./.D.", ["in one row", "in one row", "inner stem", "lower stem"]),
    ],
)
def test_parts_worked_out_by_hand(rows, expected):
    assert [part(rows, letter) for letter in letters(rows)] == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("A", ["whole"]),
        ("A/A", ["body"]),
        ("AAA/A.A/AAA", ["shell"]),
        ("A.A/AAA/A.A", ["frame"]),
        ("A/B", ["head", "handle"]),
        ("AAA/.B./.B.", ["head", "handle"]),
        ("AA/AB/.B", ["head", "handle"]),
        ("AAA/ABA/AAA", ["shell", "core"]),
        ("ABA/AAA/.A.", ["shell", "core"]),
        ("AAA/BBB/AAA", ["shell", "core"]),
        ("AAA/BBB", ["cover", "base"]),
        ("ABA/ABA", ["post", "filling"]),
        ("AB", ["part", "part"]),
        ("ABA/.C./.D.", ["part", "part", "part", "part"]),
    ],
)
def test_roles_worked_out_by_hand(rows, expected):
    assert list(grid_roles(rows).values()) == expected
