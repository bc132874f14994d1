"""What holds for every source of likeness that the induction can be given."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from csd.axes import AXES, Axis
from csd.build import describe
from csd.descriptor import Csd
from csd.encode import HashingEncoder
from echo.baselines.bow import BagLikeness
from echo.baselines.names import NameLikeness
from echo.experiments.demonstrate import record_demonstrations
from ical.profile import AxisProfiles, LikenessSource

ITEMS = ("oak_planks", "stick", "wooden_pickaxe", "cobblestone", "furnace", "coal", "never_seen")

SOURCES: dict[str, Callable[[], LikenessSource]] = {
    "axes": lambda: AxisProfiles(AXES),
    "one axis": lambda: AxisProfiles((Axis.FUNC,)),
    "no axis": lambda: AxisProfiles(()),
    "names": lambda: NameLikeness(HashingEncoder()),
    "bow": BagLikeness,
}


@pytest.fixture(scope="module")
def described() -> list[Csd]:
    found = [describe(shown) for shown in record_demonstrations(8, 0, None)]
    return [csd for csd in found if isinstance(csd, Csd)]


@pytest.mark.parametrize("name", SOURCES)
def test_likeness_can_be_a_covariance(name, described):
    source = SOURCES[name]()
    for csd in described:
        source.remember(csd)
    found = source.likeness(ITEMS)
    n = len(ITEMS)
    assert found.similarity.shape == found.evidence.shape == (len(found.channels), n, n)
    assert (found.evidence >= 0).all()
    for alike in found.similarity:
        assert np.allclose(alike, alike.T)
        assert alike.min() >= -1e-9
        assert alike.max() <= 1 + 1e-9
        assert np.linalg.eigvalsh(alike).min() > -1e-8


@pytest.mark.parametrize("name", SOURCES)
def test_asking_twice_changes_nothing(name, described):
    source = SOURCES[name]()
    for csd in described:
        source.remember(csd)
    first, second = (source.likeness(ITEMS) for _ in range(2))
    assert np.array_equal(first.similarity, second.similarity)
    assert np.array_equal(first.evidence, second.evidence)


@pytest.mark.parametrize("name", SOURCES)
def test_asking_in_between_does_not_change_what_is_found_in_the_end(name, described):
    once, often = SOURCES[name](), SOURCES[name]()
    for csd in described:
        once.remember(csd)
        often.remember(csd)
        often.likeness(ITEMS[:4])
    found = [source.likeness(ITEMS).similarity for source in (once, often)]
    assert np.allclose(*found)


@pytest.mark.parametrize("name", SOURCES)
def test_of_no_items_there_is_no_likeness(name):
    found = SOURCES[name]().likeness(())
    assert found.similarity.shape[1:] == (0, 0)
