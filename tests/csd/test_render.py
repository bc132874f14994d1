from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from csd.axes import AXES, Axis
from csd.descriptor import Csd
from csd.render import render, render_axis
from csd.vocabulary import PREDICATES
from tests.csd.descriptors import digging, meta, says, wooden_pickaxe

GOLDEN = Path(__file__).parent / "golden" / "wooden_pickaxe.txt"


def test_all_axes_read_as_in_the_golden_file() -> None:
    assert render(wooden_pickaxe(), AXES) + "\n" == GOLDEN.read_text()


def test_an_axis_without_statements_has_no_text() -> None:
    assert render_axis(digging("sand"), Axis.FUNC) == ""
    assert render(digging("sand"), AXES) == "attr: sand drops sand"


def test_a_masked_axis_leaves_no_text_and_changes_no_other_line() -> None:
    lines = dict(line.split(": ", 1) for line in GOLDEN.read_text().splitlines())
    for size in range(len(AXES) + 1):
        for kept in combinations(AXES, size):
            expected = "\n".join(f"{axis.value}: {lines[axis.value]}" for axis in kept)
            assert render(wooden_pickaxe(), kept) == expected


def test_axes_come_in_canonical_order_however_they_are_asked_for() -> None:
    assert render(wooden_pickaxe(), tuple(reversed(AXES))) == render(wooden_pickaxe(), AXES)


@pytest.mark.parametrize(
    ("axis", "predicate"), [(axis, predicate) for axis in AXES for predicate in PREDICATES[axis]]
)
def test_every_predicate_of_the_vocabulary_names_its_subject(axis: Axis, predicate: str) -> None:
    csd = Csd(meta=meta(), **{axis.value: (says("a_subject", predicate, "a_value"),)})
    text = render_axis(csd, axis)
    assert "a subject" in text
    assert "{" not in text


def test_yes_and_no_read_differently() -> None:
    yes = Csd(meta=meta(), attr=(says("coal", "burns", True),))
    no = Csd(meta=meta(), attr=(says("coal", "burns", False),))
    assert render_axis(yes, Axis.ATTR) == "coal burns as fuel"
    assert render_axis(no, Axis.ATTR) == "coal does not burn"


def test_a_repeated_fact_is_said_once() -> None:
    csd = Csd(meta=meta(), attr=(says("sand", "drops", "sand"), says("sand", "drops", "sand")))
    assert render_axis(csd, Axis.ATTR) == "sand drops sand"


def test_line_breaks_in_names_do_not_break_the_line() -> None:
    csd = Csd(meta=meta(), inter=(says("wait\nfor\tday", "failed", "no\r\nluck"),))
    assert render(csd, AXES) == "inter: wait for day failed: no luck"


def test_whole_and_broken_numbers_read_plainly() -> None:
    csd = Csd(meta=meta(), attr=(says("dirt", "dig_ticks", 15.0), says("sand", "dig_ticks", 7.25)))
    assert render_axis(csd, Axis.ATTR) == "dirt took 15 ticks to dig; sand took 7.25 ticks to dig"
