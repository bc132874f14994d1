"""Whether written descriptors are found by their likes, with made-up answers."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from csd.axes import Axis
from csd.by_model.compact import compact
from csd.by_model.prompts import conversation
from csd.encode import HashingEncoder
from csd.episode import Episode
from echo.bench.finetune_gold import told_of
from echo.bench.finetune_helps import helps
from finetune.evaluation.judging import Judged, judge
from finetune.evaluation.questions import Question
from finetune.evaluation.records import Helps
from tests.finetune.evaluation.evaluation_samples import completion
from tests.finetune.examples.recorded_samples import crafted, dug, put_down, smelted

PLANKS = ("oak_planks", "birch_planks", "spruce_planks")
LIFE: list[Episode] = [
    *(crafted(((plank,) * 3,), plank.replace("planks", "slab"), 6) for plank in PLANKS),
    *(crafted(((plank,) * 2,) * 3, plank.replace("planks", "door"), 3) for plank in PLANKS),
    *(put_down(plank) for plank in PLANKS),
    *(dug(rock) for rock in ("stone", "granite", "andesite")),
    *(smelted(f"raw_{metal}", f"{metal}_ingot") for metal in ("iron", "gold", "copper")),
]


def right(number: int) -> str:
    made = told_of(f"life/ep_{number}", LIFE[number])
    assert made is not None
    return compact(made.csd)


def answered(write: Callable[[int], str], recorded: str = "life/ep_{}") -> list[Judged]:
    return [
        judge(
            Question(
                name=f"line {number}",
                messages=conversation(episode, style="plain"),
                group="write",
                gold=right(number),
                episode=episode,
                recorded=recorded.format(number),
            ),
            completion(write(number)),
        )
        for number, episode in enumerate(LIFE)
    ]


def measured(write: Callable[[int], str], **more: object) -> Helps:
    found = helps(answered(write), HashingEncoder(), column="after", seed=0, **more)
    assert found is not None
    return found


def test_the_right_answers_are_found_as_those_of_the_rules():
    found = measured(right)
    assert (found.episodes, found.written, found.left_out) == (15, 15, 0)
    for each in found.axes.values():
        assert each is not None
        assert each.model == each.rules
        assert (each.difference.value, each.difference.low, each.difference.high) == (0, 0, 0)
        assert each.rules > each.chance
    struct = found.axes["struct"]
    assert struct is not None
    # Slabs and doors; nothing else was made in a grid.
    assert struct.questions == 6


def test_who_writes_nothing_is_found_by_nobody():
    found = measured(lambda number: "I do not know.")
    assert found.written == 0
    for each in found.axes.values():
        assert each is not None
        assert each.model == 0
        assert each.difference.value == pytest.approx(-each.rules)
        assert each.difference.high is not None
        assert each.difference.high < 0


def test_what_is_left_out_on_one_axis_is_missed_there_alone():
    def without_structure(number: int) -> str:
        return json.dumps({**json.loads(right(number)), Axis.STRUCT.value: {}})

    found = measured(without_structure)
    for name, each in found.axes.items():
        assert each is not None
        assert (each.model < each.rules) == (name == "struct")


def test_chance_is_what_an_order_drawn_by_lot_comes_to():
    found = measured(right)
    rng = np.random.default_rng(0)
    struct = found.axes["struct"]
    assert struct is not None
    discounts = 1 / np.log2(np.arange(10) + 2)
    # Two alike among fourteen others, ten of which are looked at.
    drawn = [discounts[rng.permutation(14)[:10] < 2].sum() / discounts[:2].sum() for _ in range(20_000)]
    assert struct.chance == pytest.approx(np.mean(drawn), abs=0.01)


def test_of_several_answers_to_one_episode_the_first_counts():
    twice = [*answered(right), *answered(lambda number: "no")]
    found = helps(twice, HashingEncoder(), column="after", seed=0)
    assert found == measured(right)


def test_episodes_whose_names_mean_nothing_are_left_out():
    odd = crafted((("grumble",) * 3,), "grumble_slab", 6)
    made = told_of("odd/ep_0", odd)
    assert made is not None
    more = judge(
        Question(
            name="line 99",
            messages=conversation(odd, style="plain"),
            group="write",
            gold=compact(made.csd),
            episode=odd,
            recorded="odd/ep_0",
        ),
        completion(compact(made.csd)),
    )
    found = helps([*answered(right), more], HashingEncoder(), column="after", seed=0)
    assert found is not None
    assert (found.episodes, found.left_out) == (15, 1)
    assert helps([more], HashingEncoder(), column="after", seed=0) is None


def test_answers_without_an_episode_have_nothing_to_be_found_by():
    assert helps(answered(right, recorded=""), HashingEncoder(), column="after", seed=0) is None


def test_progress_is_told_up_to_all_questions():
    told: list[tuple[int, int]] = []
    measured(right, tell=lambda done, of: told.append((done, of)))
    assert told[-1][0] == told[-1][1] > 0
    assert told == sorted(told)
