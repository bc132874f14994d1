from __future__ import annotations

import pytest

from csd.axes import AXES
from echo.experiments.tasks.competitors import every_competitor
from echo.experiments.tasks.loading import load_task, task_names
from echo.experiments.tasks.report.paper import load_paper, plain_task
from echo.experiments.tasks.task import FAMILIES


def test_the_papers_tasks_and_families_are_ours_in_the_same_order():
    paper = load_paper()
    assert paper.order == tuple(plain_task(name) for name in task_names())
    assert tuple(paper.families) == FAMILIES
    for name in task_names():
        assert paper.family_of(name) == load_task(name).family
        assert paper.title(name) == load_task(name).title


def test_every_row_of_the_table_has_twelve_cells_in_steps_of_two_and_a_half_percent():
    for label, row in load_paper().table1.items():
        assert len(row) == 12, label
        for cell in row.values():
            assert (40 * cell.at10).is_integer(), label
            assert (40 * cell.at30).is_integer(), label
            assert cell.at10 < cell.at30 <= 1, label


def test_the_papers_rows_are_called_like_our_competitors():
    known = {one.label for one in every_competitor()}
    assert set(load_paper().table1) <= known
    assert set(load_paper().continual) <= known


@pytest.mark.parametrize(
    ("label", "task", "at10", "at30"),
    [
        ("echo", "bed", 0.625, 0.925),
        ("echo", "furnace", 0.375, 0.7),
        ("jarvis-1", "weapon-set", 0.375, 0.725),
        ("mp5/-patroller", "armor-set", 0.225, 0.425),
        ("echo/1-shot", "craft-table", 0.55, 0.75),
    ],
)
def test_cells_are_found_by_our_names(label, task, at10, at30):
    cell = load_paper().reported(label, task)
    assert cell is not None
    assert (cell.at10, cell.at30) == (at10, at30)


def test_what_the_paper_does_not_give_is_none():
    paper = load_paper()
    assert paper.reported("vista", "bed") is None
    assert paper.reported("echo", "diamond") is None
    assert paper.mean("echo", ("bed", "diamond")) is None
    assert paper.mean("echo", ()) is None


def test_a_mean_is_taken_over_the_tasks_asked_for():
    mean = load_paper().mean("echo", ("bed", "iron-pickaxe", "shield"))
    assert mean is not None
    assert mean.at30 == pytest.approx((0.925 + 0.875 + 0.875) / 3)


def test_the_heat_map_has_every_axis_in_canonical_order():
    for row in load_paper().heatmap.values():
        assert list(row) == [axis.value for axis in AXES]
    assert load_paper().heatmap["chain"] == {
        "struct": 0.71, "attr": 0.18, "proc": 0.73, "func": 0.4, "inter": 0.5,
    }  # fmt: skip
    assert load_paper().removal["functional"] == {"struct": -0.07, "func": -0.09}
