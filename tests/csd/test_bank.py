from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from csd.axes import AXES, Axis
from csd.bank import MAX_RECORD_BYTES, Bank
from csd.descriptor import Csd
from csd.encode import HashingEncoder
from csd.render import render_axis
from csd.rows import Where
from csd.tables import BankError
from tests.csd.descriptors import axes_of, digging, meta, playing, says, wooden_pickaxe


@pytest.fixture
def bank() -> Iterator[Bank]:
    with Bank.open(None, HashingEncoder()) as opened:
        yield opened


def found(bank: Bank, axis: Axis, text: str, *, k: int = 10, where: Where | None = None) -> list[str]:
    return [match.id for match in bank.query_text({axis: text}, k=k, where=where)]


def test_what_was_added_is_read_back_equal(tmp_path: Path) -> None:
    path = tmp_path / "50% new?#.db"
    with Bank.open(path, HashingEncoder()) as bank:
        id = bank.add(wooden_pickaxe())
    assert list(tmp_path.iterdir()) == [path]
    with Bank.open(path, HashingEncoder(), create=False) as bank:
        assert bank.ids() == [id] == [wooden_pickaxe().id]
        assert bank.get(id) == wooden_pickaxe()
        assert id in bank
        assert len(bank) == 1


def test_vectors_are_those_of_the_rendered_axes(bank: Bank) -> None:
    vectors = bank.vectors(bank.add(wooden_pickaxe()))
    assert list(vectors) == list(AXES)
    for axis, vector in vectors.items():
        text = render_axis(wooden_pickaxe(), axis)
        assert np.array_equal(vector, HashingEncoder().encode([text])[0])


def test_an_axis_without_statements_has_no_vector(bank: Bank) -> None:
    assert list(bank.vectors(bank.add(digging("sand")))) == axes_of(digging("sand")) == [Axis.ATTR]


def test_adding_the_same_descriptor_again_changes_nothing(bank: Bank) -> None:
    id = bank.add(wooden_pickaxe())
    before = bank.sequence
    assert bank.add(wooden_pickaxe()) == id
    assert bank.add_many([wooden_pickaxe(), wooden_pickaxe()]) == [id, id]
    assert bank.sequence == before
    assert len(bank) == 1


def test_many_are_added_in_the_order_given_each_once(bank: Bank) -> None:
    several = [digging("sand"), playing("coal", "fuel"), digging("sand")]
    assert bank.add_many(several) == [csd.id for csd in several]
    assert bank.ids() == sorted({csd.id for csd in several})


def test_a_descriptor_is_found_by_its_own_text_with_score_one(bank: Bank) -> None:
    id = bank.add(wooden_pickaxe())
    bank.add_many([digging(block) for block in ("sand", "dirt", "clay")])
    texts = {axis: render_axis(wooden_pickaxe(), axis) for axis in AXES}
    best = bank.query_text(texts, k=1)[0]
    assert best.id == id
    assert best.score == pytest.approx(1.0, abs=1e-6)
    assert all(best.cosines[axis] == pytest.approx(1.0, abs=1e-6) for axis in AXES)


def test_a_blank_text_asks_nothing(bank: Bank) -> None:
    bank.add(digging("sand"))
    assert bank.query_text({Axis.ATTR: "", Axis.FUNC: "  \n"}, k=5) == []


@pytest.mark.parametrize("name", ["colour", "FUNC", ""])
def test_a_name_that_is_no_axis_is_refused_with_those_known(bank: Bank, name: str) -> None:
    bank.add(digging("sand"))
    [vector] = HashingEncoder().encode(["sand drops sand"])
    complaint = f"expected axes out of struct, attr, proc, func, inter; got {name}\\.$"
    with pytest.raises(ValueError, match=complaint):
        bank.query_text({Axis.ATTR: "sand", name: ""}, k=1)
    with pytest.raises(ValueError, match=complaint):
        bank.search({name: vector}, k=1)
    with pytest.raises(ValueError, match=complaint):
        bank.search({Axis.ATTR: vector}, k=1, weights={name: 1.0})


def test_an_empty_bank_finds_nothing(bank: Bank) -> None:
    assert found(bank, Axis.ATTR, "sand") == []
    assert len(bank) == 0
    assert bank.ids() == []


def test_conditions_are_applied_before_the_best_are_chosen(bank: Bank) -> None:
    wrong = [digging("sand", task=f"dig {n}", success=False) for n in range(4)]
    right = [digging("dirt", task=f"dig {n}", success=True) for n in range(2)]
    bank.add_many([*wrong, *right])
    near = "sand drops sand"
    assert set(found(bank, Axis.ATTR, near, k=4)) == {csd.id for csd in wrong}
    assert found(bank, Axis.ATTR, near, k=4, where=Where(success=True)) == sorted(csd.id for csd in right)


def test_each_condition_keeps_what_it_says(bank: Bank) -> None:
    old, new = bank.add_many([digging("sand", step=3), digging("sand", step=30)])
    text = "sand drops sand"
    assert found(bank, Axis.ATTR, text, where=Where(before_step=30)) == [old]
    assert found(bank, Axis.ATTR, text, where=Where(world="elsewhere")) == []
    assert found(bank, Axis.ATTR, text, where=Where(verbs=("smelt",))) == []
    assert found(bank, Axis.ATTR, text, where=Where(verbs=())) == []
    both = Where(verbs=("smelt", "craft"), products=("wooden_pickaxe",), world="test-1", success=True)
    assert found(bank, Axis.ATTR, text, where=both) == sorted([old, new])


def test_after_deleting_one_its_neighbours_are_still_themselves(bank: Bank) -> None:
    blocks = ["sand", "dirt", "clay"]
    ids = bank.add_many([digging(block) for block in blocks])
    assert found(bank, Axis.ATTR, "dirt drops dirt", k=1) == [ids[1]]
    assert bank.remove(ids[1])
    late = bank.add(digging("gravel"))
    assert ids[1] not in bank
    assert set(found(bank, Axis.ATTR, "dirt drops dirt")) == {ids[0], ids[2], late}
    assert found(bank, Axis.ATTR, "gravel drops gravel", k=1) == [late]
    assert not bank.remove(ids[1])


def test_a_removed_descriptor_can_be_added_again(bank: Bank) -> None:
    id = bank.add(digging("sand"))
    bank.remove(id)
    assert bank.add(digging("sand")) == id
    assert found(bank, Axis.ATTR, "sand drops sand") == [id]


def test_an_unknown_id_is_refused(bank: Bank) -> None:
    for ask in (bank.get, bank.vectors, bank.links, bank.credits):
        with pytest.raises(
            BankError, match="expected the id of a descriptor in the bank at memory; got 'csd_0'"
        ):
            ask("csd_0")


@pytest.mark.parametrize("id", ["", "'; DROP TABLE csd; --", "\0", "木", "\U0001f378"])
def test_an_id_may_hold_any_characters_and_is_only_compared(bank: Bank, id: str) -> None:
    bank.add(digging("sand"))
    assert id not in bank
    assert not bank.remove(id)
    assert len(bank) == 1


def test_half_a_surrogate_pair_is_refused_and_the_bank_stays_usable(bank: Bank) -> None:
    with pytest.raises(BankError, match="whole Unicode text"):
        bank.log_failure("\ud83c", {}, step=0)
    bank.log_failure("ok", {}, step=0)
    assert [failure.key for failure in bank.failures()] == ["ok"]


def test_an_oversized_descriptor_is_refused_with_the_limit(bank: Bank) -> None:
    huge = Csd(meta=meta(), attr=(says("sand", "drops", "x" * MAX_RECORD_BYTES),))
    with pytest.raises(BankError, match=f"at most {MAX_RECORD_BYTES} bytes; got"):
        bank.add_many([digging("sand"), huge])
    assert len(bank) == 0


def test_a_link_to_an_unknown_descriptor_leaves_nothing_of_the_addition(bank: Bank) -> None:
    with pytest.raises(BankError, match="got 'csd_missing'"):
        bank.add(digging("sand"), derived_from=["csd_missing"])
    assert len(bank) == 0
    assert bank.sequence == 0


def test_links_are_walkable_from_both_ends_and_go_with_their_descriptor(bank: Bank) -> None:
    source = bank.add(digging("sand"))
    made = bank.add(playing("sand", "body"), derived_from=[source])
    bank.link(source, "contradicts", made)
    bank.link(source, "contradicts", made)
    expected = sorted([(made, "derived_from", source), (source, "contradicts", made)])
    assert bank.links(source) == bank.links(made) == expected
    bank.remove(made)
    assert bank.links(source) == []


def test_episodes_lead_to_their_descriptors(bank: Bank) -> None:
    ids = bank.add_many([digging("sand"), digging("dirt")])
    assert bank.describing("ep_000001") == sorted(ids)
    assert bank.describing("ep_000002") == []


def test_a_name_leads_to_the_descriptors_that_mention_it_on_either_side(bank: Bank) -> None:
    pickaxe, _, _ = bank.add_many([wooden_pickaxe(), digging("sand"), playing("coal", "fuel")])
    assert bank.mentioning("thing:oak_planks") == [pickaxe]
    assert bank.mentioning("role:handle") == [pickaxe]
    assert bank.mentioning("thing:iron_ingot") == []


def test_the_digest_does_not_depend_on_the_order_of_adding() -> None:
    several = [wooden_pickaxe(), digging("sand"), playing("coal", "fuel")]
    with Bank.open(None, HashingEncoder()) as one, Bank.open(None, HashingEncoder()) as other:
        one.add_many(several)
        for csd in reversed(several):
            other.add(csd)
        assert one.digest() == other.digest()
        assert one.index_digest() == other.index_digest()
        other.remove(several[1].id)
        assert one.digest() != other.digest()


def test_an_index_rebuilt_from_the_file_is_the_one_that_grew_with_it(bank: Bank) -> None:
    ids = bank.add_many([digging(f"block_{number}") for number in range(20)])
    grown = bank.index_digest()
    for id in ids[::3]:
        bank.remove(id)
    bank.add(wooden_pickaxe())
    grown = bank.index_digest()
    answers = found(bank, Axis.ATTR, "block 7 drops block 7")
    bank.rebuild_index()
    assert bank.index_digest() == grown
    assert found(bank, Axis.ATTR, "block 7 drops block 7") == answers


def test_one_open_bank_sees_what_another_one_changed(tmp_path: Path) -> None:
    path = tmp_path / "bank.db"
    with Bank.open(path, HashingEncoder()) as writer, Bank.open(path, HashingEncoder()) as reader:
        id = writer.add(digging("sand"))
        assert found(reader, Axis.ATTR, "sand drops sand") == [id]
        other = reader.add(digging("dirt"))
        writer.remove(id)
        assert found(reader, Axis.ATTR, "sand drops sand") == [other]
        assert found(writer, Axis.ATTR, "sand drops sand") == [other]


def test_another_bank_of_the_same_name_is_never_searched_by_mistake(tmp_path: Path) -> None:
    with (
        Bank.open(tmp_path / "a.db", HashingEncoder()) as one,
        Bank.open(tmp_path / "b.db", HashingEncoder()) as other,
    ):
        one.add(digging("sand"))
        assert found(other, Axis.ATTR, "sand drops sand") == []


class BankAgainstModel(RuleBasedStateMachine):
    """Any sequence of changes leaves the bank equal to a plain dictionary of descriptors."""

    blocks = st.sampled_from([f"block_{number}" for number in range(8)])

    @initialize()
    def start(self) -> None:
        self.bank = Bank.open(None, HashingEncoder())
        self.model: dict[str, Csd] = {}

    @rule(block=blocks)
    def add(self, block: str) -> None:
        csd = digging(block)
        self.model[self.bank.add(csd)] = csd

    @rule(some=st.lists(blocks, max_size=4))
    def add_many(self, some: list[str]) -> None:
        several = [playing(block, "body") for block in some]
        self.model.update(zip(self.bank.add_many(several), several, strict=True))

    @rule(block=blocks)
    def remove(self, block: str) -> None:
        id = digging(block).id
        assert self.bank.remove(id) == (self.model.pop(id, None) is not None)

    @rule()
    def rebuild(self) -> None:
        self.bank.rebuild_index()

    @rule(block=blocks)
    def recall(self, block: str) -> None:
        known = sorted(id for id, csd in self.model.items() if csd.attr)
        encoder = HashingEncoder()
        [query] = encoder.encode([f"{block} drops"])
        cosine = {
            id: float(query.astype(np.float64) @ encoder.encode([render_axis(self.model[id], Axis.ATTR)])[0])
            for id in known
        }
        matches = self.bank.query_text({Axis.ATTR: f"{block} drops"}, k=3)
        assert [match.score for match in matches] == pytest.approx(
            sorted(cosine.values(), reverse=True)[:3], abs=1e-6
        )
        assert all(cosine[match.id] == pytest.approx(match.score, abs=1e-6) for match in matches)

    @invariant()
    def same_contents(self) -> None:
        assert self.bank.ids() == sorted(self.model)

    def teardown(self) -> None:
        for id, csd in self.model.items():
            assert self.bank.get(id) == csd
        self.bank.close()


TestBankAgainstModel = BankAgainstModel.TestCase
TestBankAgainstModel.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
