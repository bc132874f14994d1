"""What every bank does, whatever holds its records: one suite over all implementations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.descriptor import Csd
from csd.encode import Encoder, HashingEncoder
from csd.milvus.bank import MilvusBank
from csd.protocol import DescriptorBank, Filing, Version
from csd.render import render_axis
from csd.score import Vector
from csd.store.errors import BankError
from csd.store.where import Where
from tests.csd.descriptors import digging, meta, playing, says, wooden_pickaxe
from tests.csd.other_encoder import ReversedEncoder
from tests.csd.reference_bank import ReferenceBank

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

Opener = Callable[[], DescriptorBank]
"""Opens one and the same bank each time."""

needs_milvus = pytest.mark.skipif(
    find_spec("pymilvus") is None or find_spec("milvus_lite") is None,
    reason="needs the `milvus` extra (pymilvus, milvus-lite)",
)

KINDS = ["reference", "sqlite", pytest.param("milvus", marks=needs_milvus)]


@pytest.fixture(params=KINDS)
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    kept = ReferenceBank(HashingEncoder())
    return {
        "reference": lambda: kept,
        "sqlite": lambda: Bank.open(tmp_path / "bank.db", HashingEncoder(), durable=False),
        "milvus": lambda: MilvusBank.open(tmp_path / "milvus.db", HashingEncoder()),
    }[request.param]


@pytest.fixture
def bank(opener: Opener) -> Iterator[DescriptorBank]:
    with opener() as opened:
        yield opened


def e(place: int, other: int | None = None) -> Vector:
    """Return the unit vector along `place`, or the one that is 0.6 along it and 0.8 along `other`."""
    vector = np.zeros(HashingEncoder.dimension, dtype=np.float32)
    vector[place] = 1.0 if other is None else 0.6
    if other is not None:
        vector[other] = 0.8
    return vector


HALF_06 = 0.60009765625
"""0.6 as float16 holds it; cosines are those of the stored values."""


def found(
    bank: DescriptorBank, where: Where | None = None, *, axis: Axis = Axis.ATTR, k: int = 10
) -> list[str]:
    return [match.id for match in bank.recall({axis: "sand drops sand"}, k=k, where=where)]


def test_what_was_added_is_read_back_equal_after_reopening(opener: Opener) -> None:
    with opener() as bank:
        id = bank.add(wooden_pickaxe())
    with opener() as bank:
        assert bank.ids() == [id] == [wooden_pickaxe().id]
        assert bank.get(id) == wooden_pickaxe()
        assert id in bank
        assert len(bank) == 1
        assert [match.id for match in bank.recall(wooden_pickaxe(), k=3)] == [id]


def test_the_same_content_again_changes_nothing(bank: DescriptorBank) -> None:
    id = bank.add(wooden_pickaxe())
    before = bank.digest()
    assert bank.add(wooden_pickaxe()) == id
    assert bank.add_many([wooden_pickaxe(), wooden_pickaxe()]) == [id, id]
    assert bank.digest() == before
    assert len(bank) == 1


def test_many_are_added_in_the_order_given_each_once(bank: DescriptorBank) -> None:
    several = [digging("sand"), playing("coal", "fuel"), digging("sand")]
    assert bank.add_many(several) == [csd.id for csd in several]
    assert bank.ids() == sorted({csd.id for csd in several})
    assert bank.add_many([]) == []


def test_vectors_are_those_of_the_rendered_axes_as_float16_holds_them(bank: DescriptorBank) -> None:
    vectors = bank.vectors(bank.add(wooden_pickaxe()))
    assert list(vectors) == list(AXES)
    for axis, vector in vectors.items():
        [made] = bank.encoder.encode([render_axis(wooden_pickaxe(), axis)])
        assert vector.dtype == np.float32
        assert np.array_equal(vector, made.astype(np.float16).astype(np.float32))
    assert list(bank.vectors(bank.add(digging("sand")))) == [Axis.ATTR]


def test_given_vectors_are_kept_in_place_of_embedded_ones(bank: DescriptorBank) -> None:
    one, other = bank.add_many(
        [digging("sand"), playing("coal", "fuel")], vectors=[{Axis.ATTR: e(0)}, {Axis.FUNC: e(1)}]
    )
    assert np.array_equal(bank.vectors(one)[Axis.ATTR], e(0))
    assert list(bank.vectors(other)) == [Axis.FUNC]
    third = bank.add(digging("dirt"), vectors={Axis.ATTR: e(2)})
    assert np.array_equal(bank.vectors(third)[Axis.ATTR], e(2))


@pytest.mark.parametrize(
    "vectors",
    [
        {},
        {Axis.FUNC: e(0)},
        {Axis.ATTR: e(0), Axis.FUNC: e(0)},
        {Axis.ATTR: 2 * e(0)},
        {Axis.ATTR: 0 * e(0)},
        {Axis.ATTR: math.nan * e(0)},
        {Axis.ATTR: e(0)[:-1]},
    ],
    ids=["none", "other axis", "one too many", "long", "zero", "nan", "short"],
)
def test_vectors_that_do_not_fit_are_refused_and_nothing_is_added(
    bank: DescriptorBank, vectors: dict[Axis, Vector]
) -> None:
    with pytest.raises(ValueError, match="expected"):
        bank.add_many([playing("coal", "fuel"), digging("sand")], vectors=[{Axis.FUNC: e(0)}, vectors])
    with pytest.raises(ValueError, match="expected"):
        bank.add_many([digging("sand")], vectors=[])
    assert len(bank) == 0


@pytest.mark.parametrize("exact", [False, True])
def test_score_is_the_weighted_sum_of_the_cosines_of_the_stored_vectors(
    bank: DescriptorBank, exact: bool
) -> None:
    both = Csd(meta=meta("both"), attr=digging("sand").attr, func=playing("sand", "body").func)
    ids = bank.add_many(
        [both, digging("sand"), playing("coal", "fuel")],
        vectors=[{Axis.ATTR: e(0), Axis.FUNC: e(0, 1)}, {Axis.ATTR: -e(0)}, {Axis.FUNC: e(2)}],
    )
    query, weights = {Axis.ATTR: e(0), Axis.FUNC: e(0)}, {Axis.ATTR: 1.0, Axis.FUNC: 3.0}
    first, second, third = bank.recall(query, k=5, weights=weights, exact=exact)
    assert [first.id, second.id, third.id] == [ids[0], ids[2], ids[1]]
    assert first.score == pytest.approx(0.25 + 0.75 * HALF_06, abs=1e-12)
    assert dict(first.cosines) == {
        axis: {Axis.ATTR: 1.0, Axis.FUNC: pytest.approx(HALF_06, abs=1e-12)}.get(axis) for axis in AXES
    }
    assert (second.score, second.cosines[Axis.FUNC], second.cosines[Axis.ATTR]) == (0.0, 0.0, None)
    assert (third.score, third.cosines[Axis.ATTR], third.cosines[Axis.FUNC]) == (-0.25, -1.0, None)


def test_an_axis_without_content_matches_nothing_not_even_better_than_an_opposite(
    bank: DescriptorBank,
) -> None:
    opposite = bank.add(digging("sand"), vectors={Axis.ATTR: -e(0)})
    bank.add(playing("coal", "fuel"), vectors={Axis.FUNC: e(0)})
    [match] = bank.recall({Axis.ATTR: e(0)}, k=5)
    assert (match.id, match.score) == (opposite, -1.0)
    assert bank.recall({Axis.STRUCT: e(0)}, k=5) == []


def test_a_masked_axis_is_neither_compared_nor_a_reason_to_take_part(bank: DescriptorBank) -> None:
    bank.add(playing("coal", "fuel"), vectors={Axis.FUNC: e(0)})
    id = bank.add(digging("sand"), vectors={Axis.ATTR: e(0)})
    query = {Axis.ATTR: e(0), Axis.FUNC: e(0)}
    [match] = bank.recall(query, k=5, weights={Axis.ATTR: 2.0, Axis.FUNC: 0.0})
    assert (match.id, match.score, match.cosines[Axis.FUNC]) == (id, 1.0, None)
    assert bank.recall(query, k=5, weights={}) == []


def test_ties_are_broken_by_id(bank: DescriptorBank) -> None:
    several = [digging(f"block_{number}") for number in range(12)]
    ids = sorted(bank.add_many(several, vectors=[{Axis.ATTR: e(0)}] * 12))
    assert [match.id for match in bank.recall({Axis.ATTR: e(0)}, k=5)] == ids[:5]
    assert [match.id for match in bank.recall({Axis.ATTR: e(0)}, k=50)] == ids


def test_a_descriptor_asks_with_the_texts_of_its_axes_and_blank_texts_ask_nothing(
    bank: DescriptorBank,
) -> None:
    id = bank.add(wooden_pickaxe())
    texts = {axis: render_axis(wooden_pickaxe(), axis) for axis in AXES}
    assert bank.recall(wooden_pickaxe(), k=3) == bank.recall(texts, k=3)
    assert bank.recall({Axis.ATTR: "", Axis.FUNC: " \n"}, k=3) == []
    mixed = bank.recall({Axis.ATTR: "", Axis.FUNC: texts[Axis.FUNC]}, k=3)
    assert [(match.id, match.cosines[Axis.ATTR]) for match in mixed] == [(id, None)]
    assert mixed[0].score == pytest.approx(1.0, abs=1e-3)


def test_wrong_questions_are_refused_and_empty_ones_answered_with_nothing(bank: DescriptorBank) -> None:
    assert bank.recall({Axis.ATTR: "sand"}, k=3) == []
    assert (len(bank), bank.ids()) == (0, [])
    bank.add(digging("sand"))
    assert bank.recall({Axis.ATTR: "sand"}, k=0) == []
    with pytest.raises(ValueError, match="k >= 0; got -1"):
        bank.recall({Axis.ATTR: "sand"}, k=-1)
    with pytest.raises(ValueError, match="out of struct, attr, proc, func, inter; got colour"):
        bank.recall({"colour": "sand"}, k=1)
    with pytest.raises(ValueError, match="out of struct, attr, proc, func, inter; got colour"):
        bank.recall({Axis.ATTR: "sand"}, k=1, weights={"colour": 1.0})
    for weight in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="expected a finite weight >= 0 on axis attr"):
            bank.recall({Axis.ATTR: "sand"}, k=1, weights={Axis.ATTR: weight})
    for vector in (0 * e(0), 2 * e(0), math.nan * e(0), e(0)[:-1]):
        with pytest.raises(ValueError, match="expected"):
            bank.recall({Axis.ATTR: vector}, k=1)


def described(name: str, **changes: object) -> Csd:
    """Return a descriptor that `found` finds, told apart by its evidence."""
    csd = digging("sand", task=name)
    return csd.model_copy(update={"meta": csd.meta.model_copy(update=changes)})


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Where(), "abcd"),
        (Where(success=True), "abd"),
        (Where(success=False), "c"),
        (Where(tasks=("a", 'say "木" \\ \n*|%', "nothing")), "ad"),
        (Where(tasks=()), ""),
        (Where(verbs=("smelt", "mine")), "bc"),
        (Where(products=("stone", "")), "b"),
        (Where(biomes=("desert's",)), "c"),
        (Where(world="test-1"), "abc"),
        (Where(world="elsewhere"), "d"),
        (Where(from_step=10), "bd"),
        (Where(before_step=10), "ac"),
        (Where(from_step=-5, before_step=0), "c"),
        (Where(near=(0.0, 0.0, 5.0)), "ab"),
        (Where(near=(0.0, 0.0, 4.999)), "a"),
        (Where(near=(4.0, 4.0, 1.5)), "bc"),
        (Where(near=(1e6, -1e-7, 0.0)), "d"),
        (Where(success=True, verbs=("smelt",), from_step=10, world="test-1"), "b"),
    ],
)
def test_each_condition_keeps_what_it_says(bank: DescriptorBank, where: Where, expected: str) -> None:
    names = {
        bank.add(described("a", position=(0.0, 64.0, 0.0))): "a",
        bank.add(described("b", verb="smelt", product="stone", step=10, position=(3.0, 90.0, 4.0))): "b",
        bank.add(
            described(
                "c", success=False, verb="mine", product=None, biome="desert's", step=-3, position=(4, 1, 5)
            )
        ): "c",
        bank.add(
            described('say "木" \\ \n*|%', world="elsewhere", step=10**15, position=(1e6, 0.0, -1e-7))
        ): "d",
    }
    assert sorted(names[id] for id in found(bank, where)) == list(expected)
    asked = bank.recall({Axis.ATTR: "sand drops sand"}, k=10, where=where, exact=True)
    assert sorted(names[match.id] for match in asked) == list(expected)


def test_conditions_are_applied_before_the_best_are_chosen(bank: DescriptorBank) -> None:
    bank.add_many([digging("sand", task=f"dig {n}", success=False) for n in range(6)])
    right = bank.add_many([digging("dirt", task=f"dig {n}") for n in range(2)])
    assert found(bank, Where(success=True), k=2) == sorted(right)


def test_places_in_the_corners_around_a_circle_do_not_keep_out_those_inside(bank: DescriptorBank) -> None:
    bank.add_many([described(f"corner {n}", position=(7.0, 0.0, 7.0)) for n in range(120)])
    far = described("inside", position=(6.0, 0.0, 6.0))
    inside = bank.add(far, vectors={Axis.ATTR: e(0)})
    assert found(bank, Where(near=(0.0, 0.0, 9.0)), k=1) == [inside]
    assert found(bank, Where(near=(0.0, 0.0, 8.0)), k=1) == []


def test_filings_say_who_remembers_and_under_which_tags(bank: DescriptorBank) -> None:
    night, both = ("night", 'cave "7" 木'), ("night", "day")
    one = bank.add(digging("sand"), filing=Filing(agent="ada", life="1", tags=night))
    two = bank.add(digging("dirt"), filing=Filing(agent="bob", life="1", tags=both))
    bank.add(digging("sand"), filing=Filing(agent="bob", life="2", tags=("day",)))
    three = bank.add(digging("clay"))
    assert len(bank) == 3
    cases = [
        (Where(), {one, two, three}),
        (Where(agent="ada"), {one}),
        (Where(agent="bob"), {one, two}),
        (Where(agent="bob", life="2"), {one}),
        (Where(life="1"), {one, two}),
        (Where(agent=""), {three}),
        (Where(agent="*"), set()),
        (Where(tags=()), {one, two, three}),
        (Where(tags=("night",)), {one, two}),
        (Where(tags=('cave "7" 木',)), {one}),
        (Where(tags=("night", "day")), {one, two}),
        (Where(agent="ada", tags=("day",)), set()),
        (Where(agent="bob", tags=("night", "day")), {two}),
        (Where(agent="bob", life="2", tags=("day",)), {one}),
        (Where(life="2", tags=("night",)), set()),
    ]
    for where, expected in cases:
        assert set(found(bank, where)) == expected, where


def test_filing_again_adds_tags_and_leaves_the_first_time(bank: DescriptorBank) -> None:
    id = bank.add(digging("sand"), filing=Filing(agent="ada", tags=("old",), recorded=NOON))
    later = NOON + timedelta(days=1)
    bank.add_many([digging("sand")], filing=Filing(agent="ada", tags=("new",), recorded=later))
    bank.add(digging("sand"))
    assert found(bank, Where(agent="ada", tags=("old", "new"))) == [id]
    assert found(bank, Where(agent="")) == []
    assert [version.recorded for version in bank.versions(id)] == [NOON]
    assert found(bank, Where(recorded_from=NOON, recorded_before=later)) == [id]
    assert found(bank, Where(recorded_from=NOON + timedelta(microseconds=1))) == []
    assert found(bank, Where(recorded_before=NOON)) == []
    east = timezone(timedelta(hours=5))
    assert found(bank, Where(recorded_from=NOON.astimezone(east))) == [id]


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a time with a zone; got 2026-03-01T12:00:00"):
        Filing(recorded=NOON.replace(tzinfo=None))


def test_a_correction_takes_the_place_of_the_old_one_from_its_step_on(opener: Opener) -> None:
    with opener() as bank:
        old = bank.add(digging("sand", step=3), filing=Filing(recorded=NOON))
        later = NOON + timedelta(hours=1)
        new = bank.supersede(old, digging("sand", step=8), at_step=7, filing=Filing(recorded=later))
    with opener() as bank:
        assert found(bank) == [new]
        assert found(bank, Where(as_of=2)) == []
        assert found(bank, Where(as_of=3)) == found(bank, Where(as_of=6)) == [old]
        assert found(bank, Where(as_of=7)) == found(bank, Where(as_of=100)) == [new]
        assert bank.get(old) == digging("sand", step=3)
        assert len(bank) == 2
        assert (
            bank.versions(old)
            == bank.versions(new)
            == [
                Version(
                    id=old,
                    valid_from=3,
                    superseded_step=7,
                    superseded_by=new,
                    recorded=NOON,
                    superseded_at=later,
                ),
                Version(
                    id=new,
                    valid_from=7,
                    superseded_step=None,
                    superseded_by=None,
                    recorded=later,
                    superseded_at=None,
                ),
            ]
        )


def test_a_correction_holds_from_its_own_step_but_not_before_the_old_one(bank: DescriptorBank) -> None:
    first = bank.add(digging("sand", step=5))
    second = bank.supersede(first, digging("dirt", step=9))
    third = bank.supersede(second, digging("clay", step=1))
    assert [(version.id, version.valid_from) for version in bank.versions(second)] == [
        (first, 5),
        (second, 9),
        (third, 9),
    ]


def test_what_cannot_be_superseded_is_refused_and_nothing_changes(bank: DescriptorBank) -> None:
    old, other = bank.add_many([digging("sand", step=3), digging("gravel", step=3)])
    new = bank.supersede(old, digging("dirt", step=3))
    before = [bank.versions(id) for id in (old, other)]
    with pytest.raises(BankError, match="expected the id of a descriptor"):
        bank.supersede("csd_0000000000000000", digging("clay"))
    with pytest.raises(BankError, match="expected a current descriptor"):
        bank.supersede(old, digging("clay"))
    with pytest.raises(BankError, match="expected a correction"):
        bank.supersede(new, digging("dirt", step=3))
    with pytest.raises(BankError, match="expected a correction"):
        bank.supersede(other, digging("sand", step=3))
    with pytest.raises(ValueError, match="expected at_step >= 3"):
        bank.supersede(other, digging("clay"), at_step=2)
    with pytest.raises(ValueError, match="expected"):
        bank.supersede(other, digging("clay", step=4), vectors={})
    assert [bank.versions(id) for id in (old, other)] == before
    assert len(bank) == 3


def test_two_beliefs_may_be_corrected_to_one(bank: DescriptorBank) -> None:
    olds = bank.add_many([digging("sand"), digging("gravel")])
    new = bank.supersede(olds[0], digging("dirt", step=4))
    assert bank.supersede(olds[1], digging("dirt", step=4), at_step=6) == new
    states = [(version.id, version.superseded_step) for version in bank.versions(new)]
    assert states == [*sorted([(olds[0], 4), (olds[1], 6)]), (new, None)]
    assert found(bank) == [new]


def test_what_is_removed_is_gone_and_its_neighbours_are_still_themselves(bank: DescriptorBank) -> None:
    ids = bank.add_many([digging(block) for block in ("sand", "dirt", "clay")])
    assert bank.remove(ids[1])
    assert not bank.remove(ids[1])
    late = bank.add(digging("gravel"))
    assert ids[1] not in bank
    assert bank.ids() == sorted([ids[0], ids[2], late])
    assert found(bank, k=1) == [ids[0]]
    assert set(found(bank)) == {ids[0], ids[2], late}
    assert bank.add(digging("dirt")) == ids[1]
    assert bank.get(ids[1]) == digging("dirt")
    assert set(found(bank)) == {*ids, late}


def test_what_a_removed_correction_had_superseded_stays_superseded(bank: DescriptorBank) -> None:
    old = bank.add(digging("sand"))
    new = bank.supersede(old, digging("dirt"), at_step=4)
    assert bank.remove(new)
    assert found(bank) == []
    assert found(bank, Where(as_of=3)) == [old]
    [version] = bank.versions(old)
    assert (version.superseded_step, version.superseded_by) == (4, None)
    assert version.superseded_at is not None
    bank.add(digging("dirt"))
    assert [version.id for version in bank.versions(old)] == [old]


def test_a_source_must_be_held(bank: DescriptorBank) -> None:
    source = bank.add(digging("sand"))
    made = bank.add(playing("sand", "body"), derived_from=[source])
    assert made in bank
    with pytest.raises(BankError, match="got 'csd_missing'"):
        bank.add(digging("dirt"), derived_from=[source, "csd_missing"])
    assert len(bank) == 2


@pytest.mark.parametrize("id", ["csd_0", "", "'; DROP TABLE csd; --", '" or id != "', "\0", "木", "%"])
def test_an_unknown_id_of_any_characters_is_refused(bank: DescriptorBank, id: str) -> None:
    bank.add(digging("sand"))
    assert id not in bank
    assert not bank.remove(id)
    for ask in (bank.get, bank.vectors, bank.versions):
        with pytest.raises(BankError, match="expected the id of a descriptor in the bank at"):
            ask(id)
    assert len(bank) == 1


def test_long_records_and_characters_of_every_plane_are_read_back_equal(bank: DescriptorBank) -> None:
    odd = "ä木\U0001f378\U000e0041\x00\n\"'\\%*|"
    long = Csd(meta=meta(odd * 300), attr=(says(odd, "drops", "x" * 300_000),))
    id = bank.add(long, vectors={Axis.ATTR: e(0)}, filing=Filing(agent=odd, life=odd * 50, tags=(odd,)))
    assert bank.get(id) == long
    where = Where(tasks=(odd * 300,), agent=odd, life=odd * 50, tags=(odd,))
    assert [match.id for match in bank.recall({Axis.ATTR: e(0)}, k=1, where=where)] == [id]
    assert bank.recall({Axis.ATTR: e(0)}, k=1, where=replace(where, tasks=(odd * 299,))) == []


def test_half_a_surrogate_pair_is_refused_and_nothing_is_added(bank: DescriptorBank) -> None:
    if isinstance(bank, ReferenceBank):
        pytest.skip("a dictionary holds any text")
    with pytest.raises(BankError, match="whole Unicode text"):
        bank.add(digging("sand", task="\ud83c"), vectors={Axis.ATTR: e(0)})
    with pytest.raises(BankError, match="whole Unicode text"):
        bank.add(digging("sand"), filing=Filing(tags=("\ud83c",)))
    assert len(bank) == 0


def test_the_digest_is_one_for_equal_content_in_every_bank(bank: DescriptorBank) -> None:
    several = [wooden_pickaxe(), digging("sand"), playing("coal", "fuel")]
    reference = ReferenceBank(HashingEncoder())
    reference.add_many(several)
    for csd in reversed(several):
        bank.add(csd)
    assert bank.digest() == reference.digest()
    bank.remove(several[1].id)
    assert bank.digest() != reference.digest()


def test_one_open_bank_sees_at_once_what_another_one_changed(opener: Opener) -> None:
    with ExitStack() as both:
        writer, reader = both.enter_context(opener()), both.enter_context(opener())
        id = writer.add(digging("sand"))
        assert found(reader) == [id]
        other = reader.add(digging("dirt"))
        writer.remove(id)
        assert found(reader) == found(writer) == [other]


@pytest.mark.parametrize("kind", KINDS[1:])
def test_another_encoder_is_refused(kind: str, tmp_path: Path) -> None:
    def opened(encoder: Encoder) -> DescriptorBank:
        if kind == "sqlite":
            return Bank.open(tmp_path / "bank.db", encoder)
        return MilvusBank.open(tmp_path / "bank.db", encoder)

    with opened(HashingEncoder()) as bank:
        id = bank.add(digging("sand"))
    with pytest.raises(BankError, match=r"expected a bank with .*reversed-256.*; got .*hashing-256"):
        opened(ReversedEncoder())
    with opened(HashingEncoder()) as bank:
        assert bank.ids() == [id]
