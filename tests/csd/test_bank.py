from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.caches import cache_folder
from csd.descriptor import Csd
from csd.encode import HashingEncoder
from csd.protocol import Filing
from csd.render import render_axis
from csd.score import Vector
from csd.store.errors import BankError
from csd.store.rows import MAX_RECORD_BYTES
from csd.store.where import Where
from tests.csd.descriptors import axes_of, digging, meta, playing, says, wooden_pickaxe

UNIT = np.eye(256, dtype=np.float32)[0]


@pytest.fixture
def bank() -> Iterator[Bank]:
    with Bank.open(None, HashingEncoder()) as opened:
        yield opened


def dump(path: Path) -> list[str]:
    """Return all that the file holds, as SQL."""
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def found(bank: Bank, axis: Axis, text: str, *, k: int = 10, where: Where | None = None) -> list[str]:
    return [match.id for match in bank.recall({axis: text}, k=k, where=where)]


def test_what_was_added_is_read_back_equal(tmp_path: Path) -> None:
    path = tmp_path / "50% new?#.db"
    with Bank.open(path, HashingEncoder()) as bank:
        id = bank.add(wooden_pickaxe())
    assert sorted(tmp_path.iterdir()) == [path, cache_folder(path)]
    with Bank.open(path, HashingEncoder(), create=False) as bank:
        assert bank.ids() == [id] == [wooden_pickaxe().id]
        assert bank.get(id) == wooden_pickaxe()
        assert id in bank
        assert len(bank) == 1


def test_vectors_are_those_of_the_rendered_axes_in_half_precision(bank: Bank) -> None:
    vectors = bank.vectors(bank.add(wooden_pickaxe()))
    assert list(vectors) == list(AXES)
    for axis, vector in vectors.items():
        encoded = HashingEncoder().encode([render_axis(wooden_pickaxe(), axis)])[0]
        assert vector.dtype == np.float32
        assert np.array_equal(vector, encoded.astype(np.float16).astype(np.float32))


def test_an_axis_without_statements_has_no_vector(bank: Bank) -> None:
    assert list(bank.vectors(bank.add(digging("sand")))) == axes_of(digging("sand")) == [Axis.ATTR]


def test_adding_the_same_descriptor_again_changes_nothing(tmp_path: Path) -> None:
    with Bank.open(tmp_path / "bank.db", HashingEncoder()) as bank:
        id = bank.add(wooden_pickaxe())
        before = dump(tmp_path / "bank.db")
        assert bank.add(wooden_pickaxe()) == id
        assert bank.add_many([wooden_pickaxe(), wooden_pickaxe()]) == [id, id]
        assert dump(tmp_path / "bank.db") == before
        assert len(bank) == 1


def test_what_was_recalled_and_is_added_again_is_the_same_record(bank: Bank) -> None:
    bank.add_many([wooden_pickaxe(), digging("sand")])
    before = bank.digest()
    for match in bank.recall(wooden_pickaxe(), k=9):
        assert bank.add(bank.get(match.id)) == match.id
    assert bank.digest() == before
    assert len(bank) == 2


def test_an_episode_taken_in_twice_is_one_record_with_two_filings(bank: Bank) -> None:
    id = bank.add(wooden_pickaxe(), filing=Filing(agent="ada", life="1", tags=("tools",)))
    assert bank.add(wooden_pickaxe(), filing=Filing(agent="bob", life="1")) == id
    assert len(bank) == 1
    assert len(bank.recall(wooden_pickaxe(), k=9)) == 1
    for agent, tags, expected in (("ada", ("tools",), [id]), ("bob", None, [id]), ("bob", ("tools",), [])):
        matches = bank.recall(wooden_pickaxe(), k=9, where=Where(agent=agent, tags=tags))
        assert [match.id for match in matches] == expected


def test_the_same_fact_at_two_times_is_two_records_and_a_correction_retires_only_its_own(bank: Bank) -> None:
    early, late, other = bank.add_many([digging("sand", step=3), digging("sand", step=30), digging("dirt")])
    correction = bank.supersede(early, digging("clay", step=5), at_step=5)
    assert {match.id for match in bank.recall({Axis.ATTR: "sand"}, k=9)} == {late, other, correction}
    before = bank.recall({Axis.ATTR: "sand"}, k=9, where=Where(as_of=4))
    assert {match.id for match in before} == {early, other}
    assert [version.superseded_by for version in bank.versions(late)] == [None]


def test_near_but_distinct_descriptors_stay_two(bank: Bank) -> None:
    purple, cyan = (
        Csd(meta=meta(), attr=(says("wool", "colour", colour),)) for colour in ("dark purple", "dark cyan")
    )
    assert bank.add(purple) != bank.add(cyan)
    assert bank.get(purple.id) == purple
    assert bank.get(cyan.id) == cyan


def test_many_are_added_in_the_order_given_each_once(bank: Bank) -> None:
    several = [digging("sand"), playing("coal", "fuel"), digging("sand")]
    assert bank.add_many(several) == [csd.id for csd in several]
    assert bank.ids() == sorted({csd.id for csd in several})


def test_a_descriptor_is_found_by_its_own_text_with_score_one(bank: Bank) -> None:
    id = bank.add(wooden_pickaxe())
    bank.add_many([digging(block) for block in ("sand", "dirt", "clay")])
    texts = {axis: render_axis(wooden_pickaxe(), axis) for axis in AXES}
    best = bank.recall(texts, k=1)[0]
    assert best.id == id
    assert best.score == pytest.approx(1.0, abs=1e-3)
    assert all(best.cosines[axis] == pytest.approx(1.0, abs=1e-3) for axis in AXES)


def test_a_blank_text_asks_nothing(bank: Bank) -> None:
    bank.add(digging("sand"))
    assert bank.recall({Axis.ATTR: "", Axis.FUNC: "  \n"}, k=5) == []
    assert bank.recall({}, k=5) == []
    assert bank.recall({Axis.ATTR: "sand"}, k=5, weights={}) == []
    assert bank.recall({Axis.ATTR: "sand"}, k=5, weights={Axis.ATTR: 0.0, Axis.FUNC: 1.0}) == []


def test_a_query_that_is_neither_text_nor_vector_is_refused(bank: Bank) -> None:
    bank.add(digging("sand"))
    with pytest.raises(ValueError, match="a text or a vector on axis attr; got None"):
        bank.recall({Axis.ATTR: None}, k=5)


@pytest.mark.parametrize("value", [0.0, math.nan, math.inf, 2.0])
def test_a_vector_that_is_no_unit_vector_is_neither_kept_nor_asked(bank: Bank, value: float) -> None:
    bad = np.full(256, value, dtype=np.float32)
    with pytest.raises(ValueError, match="unit length"):
        bank.add(digging("sand"), vectors={Axis.ATTR: bad})
    assert len(bank) == 0
    bank.add(digging("sand"))
    with pytest.raises(ValueError, match="unit length"):
        bank.recall({Axis.ATTR: bad}, k=1)


@pytest.mark.parametrize("vectors", [{}, {Axis.FUNC: UNIT}, {Axis.ATTR: UNIT, Axis.FUNC: UNIT}])
def test_vectors_are_given_on_exactly_the_axes_with_content(bank: Bank, vectors: dict[Axis, Vector]) -> None:
    with pytest.raises(ValueError, match=r"vectors of csd_\w+ on exactly attr; got "):
        bank.add(digging("sand"), vectors=vectors)
    assert len(bank) == 0


@pytest.mark.parametrize("k", [0, 1, 2, 3, 10_000])
def test_at_most_k_and_at_most_all_are_returned(bank: Bank, k: int) -> None:
    bank.add_many([digging("sand"), digging("dirt")])
    for exact in (False, True):
        assert len(bank.recall({Axis.ATTR: "sand drops sand"}, k=k, exact=exact)) == min(k, 2)


def test_a_negative_k_is_refused(bank: Bank) -> None:
    with pytest.raises(ValueError, match="k >= 0; got -1"):
        bank.recall({Axis.ATTR: "sand"}, k=-1)


@pytest.mark.parametrize("name", ["colour", "FUNC", ""])
def test_a_name_that_is_no_axis_is_refused_with_those_known(bank: Bank, name: str) -> None:
    bank.add(digging("sand"))
    [vector] = HashingEncoder().encode(["sand drops sand"])
    complaint = f"expected axes out of struct, attr, proc, func, inter; got {name}\\.$"
    with pytest.raises(ValueError, match=complaint):
        bank.recall({Axis.ATTR: "sand", name: ""}, k=1)
    with pytest.raises(ValueError, match=complaint):
        bank.recall({name: vector}, k=1)
    with pytest.raises(ValueError, match=complaint):
        bank.recall({Axis.ATTR: vector}, k=1, weights={name: 1.0})


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


PLANES = "a \x07 é 木 \u2028 \ufeff \U0001f378 \U000e0041 \U0010ffff '; DROP TABLE csd; --"


def test_text_of_every_plane_is_kept_and_filtered_letter_by_letter(bank: Bank) -> None:
    csd = Csd(meta=meta(PLANES), attr=(says(PLANES, "colour", PLANES),))
    id = bank.add(csd, filing=Filing(agent=PLANES, tags=(PLANES,)))
    assert bank.get(id) == csd
    where = Where(tasks=(PLANES,), agent=PLANES, tags=(PLANES,))
    assert [match.id for match in bank.recall(csd, k=1, where=where)] == [id]
    assert bank.recall(csd, k=1, where=Where(tasks=(PLANES + " ",))) == []


def test_a_descriptor_with_half_a_surrogate_pair_is_refused_whole(bank: Bank) -> None:
    torn = Csd(meta=meta("\ud83c"), attr=(says("sand", "drops", "sand"),))
    with pytest.raises(BankError, match="whole Unicode text in a descriptor"):
        bank.add_many([digging("dirt"), torn])
    with pytest.raises(BankError, match="whole Unicode text"):
        bank.add(digging("sand"), filing=Filing(tags=("\udf78",)))
    assert len(bank) == 0


def test_an_oversized_descriptor_is_refused_with_the_limit(bank: Bank) -> None:
    huge = Csd(meta=meta(), attr=(says("sand", "drops", "x" * MAX_RECORD_BYTES),))
    with pytest.raises(BankError, match=f"at most {MAX_RECORD_BYTES} bytes; got"):
        bank.add_many([digging("sand"), huge])
    assert len(bank) == 0


def test_a_link_to_an_unknown_descriptor_leaves_nothing_of_the_addition(tmp_path: Path) -> None:
    with Bank.open(tmp_path / "bank.db", HashingEncoder()) as bank:
        before = dump(tmp_path / "bank.db")
        with pytest.raises(BankError, match="got 'csd_missing'"):
            bank.add(digging("sand"), derived_from=["csd_missing"])
        assert dump(tmp_path / "bank.db") == before


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
    bank.rebuild()
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
