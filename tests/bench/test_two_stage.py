from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

from csd.bank import Bank
from csd.descriptor import Csd
from csd.encode import HashingEncoder
from echo.bench import two_stage
from echo.bench.decision import descriptors_of
from echo.bench.two_stage_questions import ask, truth_of, without_uses
from echo.bench.two_stage_scores import Answer, Setting, choose, judged, ranking, table
from echo.worlds.minecraft.facts import load_facts
from ical.query import Mentions
from ical.retrieve import Stages, retrieve
from tests.ical.experience import COBBLE, iron_smelting, ores, pickaxe, stone_age, wooden_pickaxe


@cache
def life(seed: int) -> tuple[Csd, ...]:
    return tuple(descriptors_of(seed, 90))


def answer(cosines, structure, alike, relevant=2, choice=10) -> Answer:
    return Answer(
        ids=tuple(f"csd_{n:016x}" for n in range(len(cosines))),
        cosines=np.array(cosines),
        structure=np.array(structure),
        alike=np.array(alike, dtype=np.bool_),
        relevant=relevant,
        choice=choice,
    )


FOUR = answer([0.9, 0.8, 0.7, 0.6], [0.0, 0.2, 0.9, 1.0], [False, False, True, True])


def test_a_ranking_by_structure_looks_at_the_candidates_only():
    assert ranking(FOUR, Setting(1, 0.0)) == [0, 1, 2, 3]
    assert ranking(FOUR, Setting(4, 1.0)) == [3, 2, 1, 0]
    # 0.45, 0.5, 0.8 and, beyond the candidates, 0.3.
    assert ranking(FOUR, Setting(3, 0.5)) == [2, 1, 0, 3]


def test_figures_of_a_ranking_are_those_worked_out_by_hand():
    first, second, third, fourth = (1 / np.log2(place + 2) for place in range(4))
    assert judged(FOUR, Setting(1, 0.0)) == pytest.approx((1 / 3, 1 / 3, (third + fourth) / (first + second)))
    assert judged(FOUR, Setting(4, 1.0)) == pytest.approx((2 / 3, 1.0, 1.0))
    nothing = answer([0.5], [1.0], [False])
    assert judged(nothing, Setting(1, 0.5)) == (0.0, 0.0, 0.0)


def test_a_gain_is_paired_by_question_and_its_interval_holds_the_mean():
    got = table([FOUR] * 3, [Setting(4, 1.0)], np.random.default_rng(0))
    assert got["questions"] == 3
    assert got["chance"] == pytest.approx(0.2)
    # Equal questions: the difference does not vary, whatever is resampled.
    assert got["settings"][0]["gain"]["mrr"] == pytest.approx([2 / 3] * 3)
    against = answer([0.9, 0.1], [0.0, 1.0], [True, False], relevant=1)
    mean, low, high = table([FOUR, against], [Setting(4, 1.0)], np.random.default_rng(0))["settings"][0][
        "gain"
    ]["mrr"]
    assert mean == pytest.approx((2 / 3 - 1 / 2) / 2)
    assert (low, high) == pytest.approx((-1 / 2, 2 / 3))


def test_structure_is_chosen_where_it_helps_and_the_least_of_what_is_as_good():
    settings = [Setting(8, 1.0), Setting(4, 1.0), Setting(4, 0.5), Setting(4, 0.1)]
    # Half of the structure brings both of the alike to the top already; a tenth does not.
    assert choose({"one": [FOUR] * 3}, settings) == Setting(4, 0.5)
    against = answer([0.9, 0.1], [0.0, 1.0], [True, False], relevant=1)
    assert choose({"one": [against] * 3}, settings) == Setting(1, 0.0)


def test_what_misses_the_best_by_less_than_the_error_is_as_good():
    unlike = answer([0.9, 0.1], [0.0, 1.0], [True, False], relevant=1)
    # Structure wins one question of three by more than cosine wins the others: too little to tell.
    assert choose({"one": [FOUR, unlike]}, [Setting(4, 1.0)]) == Setting(1, 0.0)


def test_the_rules_say_which_parts_a_thing_can_take():
    truth = truth_of(None, load_facts())
    assert {(role.shape, role.part) for role in truth.roles_of("raw_iron")} == {
        ("smelting", "input"),
        ("AAA/AAA/AAA", "A"),
    }
    assert ("AAA/.B./.B.", "B") in {(role.shape, role.part) for role in truth.roles_of("stick")}
    made = truth.made(wooden_pickaxe())
    assert made.shape == "AAA/.B./.B."
    assert [role.part for role in made.roles] == ["A", "B"]
    assert truth.made(iron_smelting()).shape == "smelting"
    assert truth.made(pickaxe(1, "stone_pickaxe", "dirt")) is None, "no recipe of the world's"


def test_blocks_are_alike_that_take_the_same_tools():
    truth = truth_of(None, load_facts())
    dug = {csd.meta.product: truth.dug(csd) for csd in (*stone_age(), *ores()) if truth.dug(csd)}
    assert dug["raw_iron"] == dug["raw_copper"] != dug["coal"]
    assert dug["oak_log"] == "axe  itself"
    assert dug[COBBLE].endswith("another")


def test_who_asks_for_a_use_does_not_know_it():
    left = without_uses(COBBLE, stone_age())
    assert [csd.meta.product for csd in stone_age() if csd not in left] == ["furnace"]


def test_questions_of_one_life_are_answered_from_others_and_never_from_its_own():
    memory, asking = {0: life(0)}, {1: life(1)}
    asked = ask(load_facts(), memory, asking, 5)
    assert {question.kind for question in asked} == {"item", "making", "digging"}
    ids = dict.fromkeys(csd.id for csd in memory[0])
    for question in asked:
        assert question.alike
        assert all(id in ids for id in question.alike)
        assert len(question.alike) <= question.choice <= len(ids)


def test_lives_of_one_world_ask_under_real_names():
    stone = pickaxe(99, "stone_pickaxe", COBBLE)
    asked = ask(load_facts(), {0: stone_age()}, {1: [stone]}, 5, invented=False)
    making = [question for question in asked if question.kind == "making"]
    assert [question.query for question in making] == [stone]
    assert making[0].alike == {wooden_pickaxe().id}
    assert making[0].choice == len(stone_age())


def test_the_ranking_of_the_bench_is_that_of_recall():
    memory = {0: life(0)}
    known = Mentions(life(0))
    with Bank.open(None, HashingEncoder()) as bank:
        bank.add_many(life(0))
        asked = ask(load_facts(), memory, {1: life(1)}, 3)
        stand = two_stage._Stand(bank, known, two_stage._by_kind(asked))
        for kind, setting in itertools.product(("item", "making"), (Setting(4, 0.5), Setting(16, 1.0))):
            question = stand._questions[kind][0]
            got = stand.answers(kind)[0]
            stages = Stages(candidates=setting.candidates, share=setting.share, known=known)
            found = retrieve(question.query, bank, k=16, where=question.where, stages=stages)
            assert [one.id for one in found] == [got.ids[place] for place in ranking(got, setting)[:16]]


def test_a_measurement_reports_every_setting_on_other_lives_than_it_tunes_on():
    source = two_stage.Source(life=life, bank=lambda: Bank.open(None, HashingEncoder()))
    tuning = two_stage.Lives(memory=(0,), asking=(1,))
    with pytest.raises(ValueError, match=r"expected other lives .* got seeds \[1\] in both"):
        two_stage.measure(source, tuning=tuning, reported=two_stage.Lives(memory=(1,), asking=(2,)))
    result = two_stage.measure(
        source, tuning=tuning, reported=two_stage.Lives(memory=(2,), asking=(3,)), most=2
    )
    assert set(result["reported"]) == {"item", "making", "digging"}
    for found in result["reported"].values():
        assert 0 < found["chance"] < 1
        assert len(found["settings"]) == len(two_stage.SETTINGS)
        for row in found["settings"]:
            low, high = row["gain"]["ndcg"][1:]
            assert low <= row["ndcg"] - found["cosine"]["ndcg"] + 1e-9
            assert high >= row["ndcg"] - found["cosine"]["ndcg"] - 1e-9
        assert found["ms"]["0"] > 0
    shown = list(two_stage.lines(result))
    assert all(len(line) <= 80 for line in shown)
    assert f"share {result['chosen']['share']}" in shown[0]
