from __future__ import annotations

from math import log2

from echo.agent.shapes import in_space, is_mirror, one_kind, two_kinds


def test_the_space_holds_as_many_patterns_as_measured():
    assert (len(one_kind()), len(two_kinds())) == (167, 377)


def test_the_simplest_shape_is_one_cell_and_costs_its_class_and_its_size():
    first = one_kind()[0]
    # One bit for a solid shape, one for its size among sizes, none to choose it: it is alone.
    assert (first.rows, first.bits) == ("A", 1.0 + log2(2) + log2(1))


def test_shapes_come_by_length_and_equals_by_their_text():
    for shapes in (one_kind(), two_kinds()):
        order = [(shape.bits, shape.rows) for shape in shapes]
        assert order == sorted(order)


def test_two_kinds_are_in_the_space_if_symmetric_or_at_most_two_wide():
    assert in_space("AAA/.B./.B.")
    assert in_space("AA/AB/.B")
    assert not in_space("AAB/...")
    assert not in_space("A.A")
    assert all(is_mirror(shape.rows) or len(shape.rows.split("/")[0]) <= 2 for shape in two_kinds())
