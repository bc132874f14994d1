from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from csd.bank import Bank
from csd.encode import HashingEncoder
from csd.store.passing import WORTH_IT
from csd.store.where import Where
from tests.csd.descriptors import digging

FILTERS = (
    Where(),
    Where(success=True),
    Where(success=False),
    Where(before_step=20),
    Where(from_step=-5, before_step=30, success=True),
    Where(from_step=1000),
)


def found(bank: Bank, where: Where) -> list[str]:
    return sorted(match.id for match in bank.recall(digging("sand"), k=99, where=where))


def settled(path: Path) -> Bank:
    """Return the open bank at `path`, which answers filters from columns."""
    bank = Bank.open(path, HashingEncoder())
    for _ in range(WORTH_IT + 1):
        found(bank, Where(success=True))
    return bank


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "bank.sqlite"
    with Bank.open(file, HashingEncoder()) as bank:
        ids = bank.add_many([digging(f"block_{step}", step=step) for step in range(0, 60, 3)])
        bank.supersede(ids[3], digging("sand", step=11))
        bank.remove(ids[5])
    return file


@pytest.mark.parametrize("where", FILTERS)
def test_columns_answer_as_sqlite_does(path: Path, where: Where) -> None:
    with Bank.open(path, HashingEncoder()) as fresh, settled(path) as bank:
        assert found(bank, where) == found(fresh, where)
        assert bool(found(fresh, where)) is (where.success is not False and where.from_step != 1000)


@pytest.mark.parametrize(
    "change",
    [
        lambda bank, id: bank.add(digging("gravel", step=5)),
        lambda bank, id: bank.remove(id),
        lambda bank, id: bank.supersede(id, digging("clay", step=7)),
    ],
)
@pytest.mark.parametrize("by_another", [False, True])
def test_a_change_is_seen_by_the_next_filter(
    path: Path, change: Callable[[Bank, str], object], by_another: bool
) -> None:
    where = Where(success=True, before_step=20)
    with Bank.open(path, HashingEncoder()) as other, settled(path) as bank:
        before = found(bank, where)
        change(other if by_another else bank, before[0])
        after = found(bank, where)
        assert after != before
        with Bank.open(path, HashingEncoder()) as fresh:
            assert after == found(fresh, where)


def test_a_mended_column_is_seen_by_the_next_filter(path: Path) -> None:
    where = Where(success=True, before_step=20)
    with Bank.open(path, HashingEncoder()) as other, settled(path) as bank:
        count = len(found(bank, where))
        other._connection.execute("UPDATE csd SET success = 0 WHERE step = 0")
        assert len(found(bank, where)) == count - 1


@pytest.mark.parametrize(
    "where", [Where(success=True, verbs=("mine",)), Where(before_step=20, as_of=3), Where(tags=("none",))]
)
def test_other_conditions_are_asked_of_sqlite(path: Path, where: Where) -> None:
    with Bank.open(path, HashingEncoder()) as fresh, settled(path) as bank:
        assert found(bank, where) == found(fresh, where)
