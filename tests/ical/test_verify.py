from __future__ import annotations

import dataclasses

import pytest

from csd.axes import Axis
from csd.episode import Collect, Craft, Equip, Place, Smelt
from ical.task import InducedTask, StepSupport, assertions_for
from ical.verify import verify

GRID = (("cobblestone",) * 3, (None, "stick", None), (None, "stick", None))
NEEDS = {"cobblestone": 3, "stick": 2}
TASK = InducedTask(
    goal="craft a pickaxe",
    actions=(Craft(grid=GRID),),
    needs=NEEDS,
    station="grid3",
    effects=None,
    assertions=assertions_for(NEEDS, "grid3"),
    support=(StepSupport(step=0, exemplar="csd_1", axes={Axis.FUNC: 1.0}),),
    success=0.5,
    source="transfer",
)
KNOWN = ("cobblestone", "stick", "furnace", "crafting_table", "coal", "raw_iron")


def never(rows: str, fillers: tuple[str, ...]) -> bool:
    return False


def check(task=TASK, held=NEEDS, known=KNOWN, offers=("grid3",), failed=never):
    return verify(task, held=held, known_items=known, offers=offers, failed=failed)


def kinds(verdict):
    return [finding.kind for finding in verdict.findings]


def test_a_task_that_nothing_speaks_against_passes():
    assert check().passed
    assert check().mendable


def test_a_need_that_is_not_met_can_be_mended():
    verdict = check(held={"cobblestone": 1, "stick": 2})
    assert kinds(verdict) == ["need_unmet"]
    assert verdict.findings[0].reason == "expected cobblestone x3 carried; got x1"
    assert not verdict.passed
    assert verdict.mendable


def test_a_missing_station_can_be_mended():
    verdict = check(offers=("smelt",))
    assert [finding.reason for finding in verdict.findings] == [
        "expected a station offering grid3; got smelt"
    ]
    assert verdict.mendable


def test_a_name_never_seen_cannot():
    verdict = check(known=("stick",))
    assert kinds(verdict) == ["unknown_name"]
    assert verdict.findings[0].step == 0
    assert "got 'cobblestone'" in verdict.findings[0].reason
    assert not verdict.mendable


@pytest.mark.parametrize("support", [(), (StepSupport(step=0, exemplar="csd_1", axes={}),)])
def test_a_step_without_experience_on_any_axis_is_unsupported(support):
    verdict = check(dataclasses.replace(TASK, support=support))
    assert kinds(verdict) == ["unsupported_step"]
    assert not verdict.mendable


def test_what_failed_under_the_same_conditions_is_never_tried_again():
    asked = []

    def failed(rows, fillers):
        asked.append((rows, fillers))
        return True

    verdict = check(failed=failed)
    assert asked == [("AAA/.B./.B.", ("cobblestone", "stick"))]
    assert kinds(verdict) == ["contradicts_memory"]
    assert "AAA/.B./.B. of cobblestone, stick, which gave nothing" in verdict.findings[0].reason


def test_a_grid_and_its_mirror_image_are_looked_up_under_one_spelling():
    hoe = (("cobblestone", "stick"), (None, "stick"))
    asked = []
    for grid in (hoe, tuple(row[::-1] for row in hoe)):
        check(
            dataclasses.replace(TASK, actions=(Craft(grid=grid),)),
            failed=lambda rows, fillers: bool(asked.append((rows, fillers))),
        )
    assert asked == [("AB/A.", ("stick", "cobblestone"))] * 2


def test_smelting_is_looked_up_by_its_input():
    smelting = dataclasses.replace(
        TASK, actions=(Smelt(input="raw_iron", fuel="coal"),), needs={}, station="smelt"
    )
    verdict = check(smelting, offers=("smelt",), failed=lambda *laid: laid == ("smelt", ("raw_iron",)))
    assert kinds(verdict) == ["contradicts_memory"]


@pytest.mark.parametrize("grid", [(), ((None, None),), (("coal",), ("coal", "coal"))])
def test_a_grid_that_cannot_be_laid_is_malformed_and_nothing_else_is_asked(grid):
    verdict = check(dataclasses.replace(TASK, actions=(Craft(grid=grid),)), held={})
    assert kinds(verdict) == ["malformed"]


def test_a_task_without_actions_is_malformed():
    assert kinds(check(dataclasses.replace(TASK, actions=()))) == ["malformed"]


def test_findings_come_in_the_order_of_the_checks_and_name_their_step():
    two = dataclasses.replace(
        TASK, actions=(Place(item="anvil"), Equip(item=None), Collect(block="stone"), Craft(grid=GRID))
    )
    verdict = check(two, held={}, offers=())
    assert [(finding.kind, finding.step) for finding in verdict.findings] == [
        ("unknown_name", 0),
        ("unknown_name", 2),
        ("unsupported_step", 1),
        ("unsupported_step", 2),
        ("unsupported_step", 3),
        ("need_unmet", None),
        ("need_unmet", None),
        ("station_missing", None),
    ]
