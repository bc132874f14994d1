from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from csd.axes import AXES, Axis, parse_axes
from echo.experiments.spec import (
    UnlockSpec,
    UsageError,
    make_grid,
    mask_text,
    parse_agents,
    parse_seeds,
    parse_variants,
)

WITHOUT_FUNC = (Axis.STRUCT, Axis.ATTR, Axis.PROC, Axis.INTER)


def test_a_bare_number_is_that_seed_alone():
    assert parse_seeds("3") == (3,)


def test_a_range_holds_both_ends():
    assert parse_seeds("0-9") == tuple(range(10))


def test_a_list_keeps_its_order_and_drops_repetitions():
    assert parse_seeds("8, 1-3,2") == (8, 1, 2, 3)


@pytest.mark.parametrize("text", ["", "a", "-3", "3-1", "1,,2", "1.5", "0-99999", "1;2"])
def test_seeds_that_cannot_be_meant_are_refused_with_what_was_expected(text):
    with pytest.raises(UsageError, match=r"expected seeds as '3' .* got .* Write whole numbers"):
        parse_seeds(text)


def test_an_unknown_agent_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match=r"out of none, edits, .*voyager, .*echo, .*got 'echo,ehco'"):
        parse_agents("echo,ehco")
    with pytest.raises(UsageError, match=r"Did you mean jarvis-1 or voyager\?"):
        parse_agents("jarvs,echo,voyagr")


def test_no_agent_at_all_is_refused():
    with pytest.raises(UsageError, match="expected agents"):
        parse_agents(" , ")


def test_variants_come_from_repeated_options_and_semicolons_alike():
    assert parse_variants(["-func; func", "func"]) == (WITHOUT_FUNC, (Axis.FUNC,))


def test_the_variant_with_all_axes_is_echo_itself_and_makes_no_extra_run():
    assert parse_variants(["all", "struct,attr,proc,func,inter"]) == ()


def test_an_unknown_axis_names_the_option():
    with pytest.raises(UsageError, match=r"got 'fnuc'.*--axes\) Did you mean func\?"):
        parse_variants(["fnuc"])
    with pytest.raises(UsageError, match=r"got '-atr, -struct'.*Did you mean attr"):
        parse_variants(["-atr, -struct"])


def test_a_mask_that_keeps_nothing_is_refused():
    with pytest.raises(UsageError, match="at least one axis"):
        parse_variants(["-struct,-attr,-proc,-func,-inter"])


@given(st.sets(st.sampled_from(AXES), min_size=1))
def test_a_mask_reads_back_from_its_text(kept):
    axes = tuple(axis for axis in AXES if axis in kept)
    assert parse_axes(mask_text(axes)) == axes


@pytest.mark.parametrize(
    ("axes", "label", "name"),
    [
        (AXES, "echo", "echo-s03"),
        (WITHOUT_FUNC, "echo[-func]", "echo-without-func-s03"),
        ((Axis.FUNC,), "echo[func]", "echo-only-func-s03"),
        ((Axis.STRUCT, Axis.FUNC), "echo[struct,func]", "echo-only-struct-func-s03"),
    ],
)
def test_labels_and_names_say_which_axes_are_used(axes, label, name):
    spec = UnlockSpec(agent="echo", axes=axes, seed=3)
    assert (spec.label, spec.name) == (label, name)


@given(st.lists(st.sets(st.sampled_from(AXES), min_size=1), min_size=2, max_size=2, unique_by=frozenset))
def test_different_masks_never_share_a_file_name(masks):
    names = [
        UnlockSpec(agent="echo", axes=tuple(axis for axis in AXES if axis in mask)).name for mask in masks
    ]
    assert names[0] != names[1]


def test_equal_specs_have_equal_digests_and_any_change_changes_it():
    spec = UnlockSpec(agent="echo", seed=1)
    assert spec.digest == UnlockSpec(agent="echo", seed=1, axes=AXES).digest
    others = [
        UnlockSpec(agent="echo", seed=2),
        UnlockSpec(agent="edits", seed=1),
        UnlockSpec(agent="echo", seed=1, invented_names=0),
        UnlockSpec(agent="echo", seed=1, axes=WITHOUT_FUNC),
    ]
    assert len({spec.digest, *(other.digest for other in others)}) == 5


@pytest.mark.parametrize("axes", [(Axis.FUNC, Axis.STRUCT), (Axis.FUNC, Axis.FUNC), ()])
def test_axes_out_of_order_repeated_or_missing_are_refused(axes):
    with pytest.raises(ValidationError, match="canonical order without repetition"):
        UnlockSpec(agent="echo", axes=axes)


def test_a_grid_plays_every_competitor_on_each_seed_before_the_next():
    grid = make_grid(
        UnlockSpec(agent="echo"), agents=["edits", "echo"], variants=[(Axis.FUNC,)], seeds=[4, 5]
    )
    assert [spec.name for spec in grid] == [
        "edits-s04",
        "echo-s04",
        "echo-only-func-s04",
        "edits-s05",
        "echo-s05",
        "echo-only-func-s05",
    ]
