"""Any sequence of changes leaves a bank answering as the plain model does."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.descriptor import Csd
from csd.encode import HashingEncoder
from csd.milvus.bank import MilvusBank
from csd.protocol import DescriptorBank, Filing
from csd.store.errors import BankError
from csd.store.where import Where
from tests.csd.descriptors import digging, playing
from tests.csd.reference_bank import ReferenceBank

BLOCKS = st.sampled_from([f"block_{number}" for number in range(4)])
STEPS = st.integers(-2, 6)
KNOWN = st.builds(
    lambda block, step, on_func: playing(block, "body") if on_func else digging(block, step=step),
    BLOCKS,
    st.integers(0, 2),
    st.booleans(),
)
FILINGS = st.none() | st.builds(
    lambda agent, tags, hour: Filing(
        agent=agent, tags=tuple(tags), recorded=datetime(2026, 3, 1, tzinfo=UTC) + timedelta(hours=hour)
    ),
    st.sampled_from(["", "ada", "bob"]),
    st.lists(st.sampled_from(["night", 'say "x"']), max_size=2),
    st.integers(0, 3),
)
WHERES = st.none() | st.builds(
    Where,
    as_of=st.none() | STEPS,
    agent=st.none() | st.sampled_from(["ada", "bob"]),
    tags=st.none() | st.just(("night",)),
    before_step=st.none() | st.integers(0, 3),
    near=st.none() | st.sampled_from([(0.0, 0.0, 5.0), (9.0, 9.0, 5.0)]),
)


def outcome(ask: Callable[[], object]) -> object:
    """Return what `ask` gives, or the kind of its refusal."""
    try:
        return ask()
    except (BankError, ValueError) as error:
        return type(error)


class AgainstModel(RuleBasedStateMachine):
    """A bank and the model get the same changes and questions."""

    open_bank: Callable[[Path], DescriptorBank]

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.model = ReferenceBank(HashingEncoder())
        self.bank = type(self).open_bank(self.folder)

    def both(self, ask: Callable[[DescriptorBank], object]) -> None:
        expected = outcome(lambda: ask(self.model))
        assert outcome(lambda: ask(self.bank)) == expected

    @rule(some=st.lists(KNOWN, max_size=4), filing=FILINGS)
    def add(self, some: list[Csd], filing: Filing | None) -> None:
        self.both(lambda bank: bank.add_many(some, filing=filing))

    @rule(old=KNOWN, new=KNOWN, step=st.none() | STEPS, filing=FILINGS)
    def supersede(self, old: Csd, new: Csd, step: int | None, filing: Filing | None) -> None:
        self.both(lambda bank: bank.supersede(old.id, new, at_step=step, filing=filing))

    @rule(csd=KNOWN)
    def remove(self, csd: Csd) -> None:
        self.both(lambda bank: bank.remove(csd.id))

    @rule()
    def reopen(self) -> None:
        self.bank.close()
        self.bank = type(self).open_bank(self.folder)

    @rule(
        block=BLOCKS,
        k=st.integers(0, 6),
        where=WHERES,
        weights=st.none() | st.dictionaries(st.sampled_from(AXES), st.sampled_from([0.0, 1.0, 2.0])),
        exact=st.booleans(),
    )
    def recall(
        self, block: str, k: int, where: Where | None, weights: dict[Axis, float] | None, exact: bool
    ) -> None:
        texts = {Axis.ATTR: f"{block} drops", Axis.FUNC: f"{block} plays body"}
        expected = self.model.recall(texts, k=k, weights=weights, where=where)
        matches = self.bank.recall(texts, k=k, weights=weights, where=where, exact=exact)
        assert [match.id for match in matches] == [match.id for match in expected]
        for match, other in zip(matches, expected, strict=True):
            assert match.score == pytest.approx(other.score, abs=1e-9)
            for axis in AXES:
                assert match.cosines[axis] == pytest.approx(other.cosines[axis], abs=1e-9)

    @rule(csd=KNOWN)
    def versions(self, csd: Csd) -> None:
        def states(bank: DescriptorBank) -> object:
            return [
                (one.id, one.valid_from, one.superseded_step, one.superseded_by)
                for one in bank.versions(csd.id)
            ]

        self.both(states)

    @invariant()
    def same_contents(self) -> None:
        assert self.bank.ids() == self.model.ids()
        assert len(self.bank) == len(self.model)

    def teardown(self) -> None:
        assert self.bank.digest() == self.model.digest()
        self.bank.close()
        shutil.rmtree(self.folder)


class SqliteAgainstModel(AgainstModel):
    """The bank in one file."""

    @staticmethod
    def open_bank(folder: Path) -> DescriptorBank:
        return Bank.open(folder / "bank.db", HashingEncoder(), durable=False)


class MilvusAgainstModel(AgainstModel):
    """The bank over Milvus."""

    @staticmethod
    def open_bank(folder: Path) -> DescriptorBank:
        return MilvusBank.open(folder / "bank.db", HashingEncoder())


def run(machine: type[AgainstModel], examples: int) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_the_bank_in_a_file_answers_as_the_model_does() -> None:
    run(SqliteAgainstModel, 15)


@pytest.mark.skipif(
    find_spec("pymilvus") is None or find_spec("milvus_lite") is None,
    reason="needs the `milvus` extra (pymilvus, milvus-lite)",
)
def test_the_bank_over_milvus_answers_as_the_model_does() -> None:
    run(MilvusAgainstModel, 5)
