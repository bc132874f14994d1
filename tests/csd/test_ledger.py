from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.encode import HashingEncoder
from csd.store.errors import BankError
from csd.store.ledger import Credit, Failure
from tests.csd.descriptors import digging, wooden_pickaxe


@pytest.fixture
def bank() -> Iterator[Bank]:
    with Bank.open(None, HashingEncoder()) as opened:
        yield opened


def test_credit_and_blame_add_up_per_descriptor_and_axis(bank: Bank) -> None:
    one, other = bank.add_many([wooden_pickaxe(), digging("sand")])
    bank.credit(one, {Axis.STRUCT: 0.75, Axis.FUNC: 0.25}, success=True)
    bank.credit(one, {Axis.FUNC: 0.5}, success=False)
    bank.credit(other, {Axis.FUNC: 1.0}, success=True)
    assert bank.credits(one)[Axis.STRUCT] == Credit(successes=0.75)
    assert bank.credits(one)[Axis.FUNC] == Credit(successes=0.25, failures=0.5)
    assert bank.credits()[Axis.FUNC] == Credit(successes=1.25, failures=0.5)
    assert list(bank.credits()) == list(AXES)
    assert bank.credits()[Axis.INTER] == Credit()


def test_crediting_what_is_not_in_the_bank_is_refused(bank: Bank) -> None:
    with pytest.raises(BankError, match="got 'csd_0'"):
        bank.credit("csd_0", {Axis.FUNC: 1.0}, success=True)


@pytest.mark.parametrize("share", [-0.5, math.nan, math.inf, 1e308, 1.1e9, 10**400])
def test_a_share_that_is_no_share_is_refused_and_nothing_is_credited(bank: Bank, share: float) -> None:
    id = bank.add(digging("sand"))
    with pytest.raises(ValueError, match=r"expected a finite share in \[0, 1e9\] on axis attr"):
        bank.credit(id, {Axis.FUNC: 1.0, Axis.ATTR: share}, success=True)
    assert bank.credits(id)[Axis.FUNC] == Credit()


def test_failures_are_kept_in_order_with_their_conditions(tmp_path: Path) -> None:
    with Bank.open(tmp_path / "bank.db", HashingEncoder()) as bank:
        bank.log_failure("craft A", {"station": None, "held": ["stick"]}, step=4, used=("csd_1", "csd_2"))
        bank.log_failure("craft B", {}, step=5)
    with Bank.open(tmp_path / "bank.db", HashingEncoder()) as bank:
        first, second = bank.failures()
        assert first == Failure(
            number=1,
            key="craft A",
            conditions={"held": ["stick"], "station": None},
            step=4,
            used=("csd_1", "csd_2"),
        )
        assert bank.failures("craft B") == [second]
        assert second.number == 2


def test_an_attempt_has_failed_only_under_the_same_conditions(bank: Bank) -> None:
    bank.log_failure("smelt sand", {"station": "furnace", "fuel": "coal"}, step=1)
    assert bank.has_failed("smelt sand", {"fuel": "coal", "station": "furnace"})
    assert not bank.has_failed("smelt sand", {"station": "furnace"})
    assert not bank.has_failed("smelt clay", {"fuel": "coal", "station": "furnace"})


def test_conditions_that_are_not_json_are_refused(bank: Bank) -> None:
    for conditions in ({"chance": math.nan}, {"held": {"stick"}}, {"when": [math.inf]}):
        with pytest.raises(ValueError, match=r"expected JSON values without NaN or infinity .*; got: "):
            bank.log_failure("craft A", conditions, step=0)
        with pytest.raises(ValueError, match="expected JSON values without NaN or infinity"):
            bank.has_failed("craft A", conditions)
    assert bank.failures() == []


def test_an_axis_may_be_credited_by_its_name_and_no_other_name_is_taken(bank: Bank) -> None:
    id = bank.add(digging("sand"))
    bank.credit(id, {"func": 0.5}, success=True)
    with pytest.raises(ValueError, match=r"expected axes out of struct, .*; got mind"):
        bank.credit(id, {"func": 0.5, "mind": 0.5}, success=True)
    assert bank.credits(id)[Axis.FUNC] == Credit(successes=0.5)


def test_the_largest_shares_add_up_to_a_number(bank: Bank) -> None:
    id = bank.add(digging("sand"))
    for _ in range(3):
        bank.credit(id, {Axis.FUNC: 1e9}, success=False)
    assert bank.credits()[Axis.FUNC] == Credit(failures=3e9)


def test_failures_stay_when_what_they_were_built_from_is_removed(bank: Bank) -> None:
    id = bank.add(digging("sand"))
    bank.log_failure("craft A", {}, step=0, used=(id,))
    bank.remove(id)
    assert bank.failures()[0].used == (id,)


def test_a_damaged_failure_is_told_with_its_number_and_file(tmp_path: Path) -> None:
    path = tmp_path / "bank.sqlite"
    with Bank.open(path, HashingEncoder()) as bank:
        bank.log_failure("grid", {"rows": "AA"}, step=3)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE failure SET conditions = '{\"rows\": '")
    with (
        Bank.open(path, HashingEncoder()) as bank,
        pytest.raises(BankError, match=r"expected JSON in failure 1 of the bank .*bank\.sqlite"),
    ):
        bank.failures()
