from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from csd.build import describe
from csd.by_model.compact import compact
from csd.by_model.prompts import Shot
from csd.by_model.trace import STYLES
from csd.descriptor import Csd
from csd.episode import Episode
from finetune.examples.build import DataSet, build
from finetune.examples.recorded import ExamplesError
from finetune.examples.refusals import silenced
from finetune.examples.rows import row
from finetune.examples.settings import Settings
from finetune.examples.splits import SPLITS, HeldOut
from finetune.examples.teaching import REFUSAL, findings
from tests.csd.sample_episodes import crafted_pickaxe
from tests.finetune.examples.recorded_samples import dug, memory, only_walked

SHOTS = {style: (Shot(told="none of these", written='{"meta":"example"}'),) for style in STYLES}
FEW = Settings(train=60, validation=8, test=10, out_of_template=4, repair_share=0.3, refuse_share=0.1)


def made(settings: Settings = FEW, *more: Episode) -> DataSet:
    return build(memory("one", *more), settings, shots=SHOTS)


@pytest.fixture(scope="module")
def few() -> DataSet:
    return made()


def test_rows_are_as_many_as_asked_for_of_each_kind(few: DataSet):
    kinds = {split: Counter(each.kind for each in few.of_split[split]) for split in SPLITS}
    assert kinds == {
        "train": {"write": 36, "repair": 18, "refuse": 6},
        "validation": {"write": 5, "repair": 2, "refuse": 1},
        "test": {"write": 6 + 4, "repair": 3, "refuse": 1},
    }


def test_every_conversation_ends_with_the_right_descriptor_of_its_episode(few: DataSet):
    known = {each.name: each.episode for each in memory()}
    for example in (each for split in SPLITS for each in few.of_split[split]):
        described = describe(known[example.episode])
        assert isinstance(described, Csd)
        assert [each.role for each in example.messages][-2:] == ["user", "assistant"]
        assert example.answer == (REFUSAL if example.kind == "refuse" else compact(described))


def test_a_repair_shows_the_wrong_attempt_and_what_was_found(few: DataSet):
    repairs = [each for each in few.of_split["train"] if each.kind == "repair"]
    for example in repairs:
        wrong, told = example.messages[-3], example.messages[-2]
        assert (wrong.role, told.role) == ("assistant", "user")
        assert wrong.text != example.answer
        assert example.fault
    assert len({example.fault for example in repairs}) >= 8


def test_styles_of_training_are_mixed_and_the_unseen_one_is_in_the_test_alone(few: DataSet):
    unseen = STYLES[-1]
    assert {each.style for each in few.of_split["train"]} == set(STYLES[:-1])
    assert [each.style for each in few.of_split["test"][-4:]] == [unseen] * 4
    for split in SPLITS:
        for each in few.of_split[split]:
            assert each.unseen_style == (each.style == unseen)
            assert row(each, "messages", None)["split"] == ("out_of_template" if each.unseen_style else split)


def test_no_kind_of_episode_crowds_out_the_others():
    crowd = [dug(f"rock{number}_ore", number) for number in range(200)]
    crowded = made(replace(FEW, repair_share=0.0, refuse_share=0.0), *crowd)
    families = Counter(each.told.task_family for each in crowded.of_split["train"])
    assert families["dig failed"] <= 60 / len(families) + 1


def test_no_conversation_is_there_twice(few: DataSet):
    keys = [each.key for split in SPLITS for each in few.of_split[split]]
    assert len(dict.fromkeys(keys)) == len(keys)


def test_equal_episodes_under_two_names_give_their_conversation_once():
    twice = [*memory("one"), *memory("two")]
    many = replace(FEW, train=2000, repair_share=0.0, refuse_share=0.0)
    doubled = build(twice, many, shots=SHOTS)
    single = build(memory("one"), many, shots=SHOTS)
    assert len(doubled.of_split["train"]) == len(single.of_split["train"])
    assert "the same conversation as another" in {each.reason for each in doubled.left}


def test_equal_seeds_make_equal_rows_and_others_differ(few: DataSet):
    def keys(data: DataSet) -> list[object]:
        return [each.key for split in SPLITS for each in data.of_split[split]]

    assert keys(made()) == keys(few)
    assert keys(made(replace(FEW, seed=1))) != keys(few)


def test_fewer_rows_than_asked_for_are_no_error():
    assert 0 < len(made(replace(FEW, train=100_000)).of_split["train"]) < 2000


def test_shares_hold_where_rows_run_out():
    many = Settings(train=5000, validation=500, test=500, out_of_template=0)
    data = made(many)
    assert [each.key for each in made(many).of_split["train"]] == [
        each.key for each in data.of_split["train"]
    ]
    for split in SPLITS:
        rows = data.of_split[split]
        kinds = Counter(each.kind for each in rows)
        assert 0 < kinds["write"] < len(rows) < getattr(many, split)
        assert kinds["repair"] == pytest.approx(0.15 * len(rows), abs=1)
        assert kinds["refuse"] == pytest.approx(0.03 * len(rows), abs=1)


def test_refusals_keep_their_share_where_repairs_run_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("finetune.examples.making.CORRUPTIONS", {"none": lambda *told: None})
    data = made(replace(FEW, train=1000))
    kinds = Counter(each.kind for each in data.of_split["train"])
    assert kinds["repair"] == 0
    assert kinds["refuse"] == pytest.approx(0.1 * kinds.total(), abs=1)


def test_a_refusal_answers_an_episode_of_which_nothing_can_be_said(few: DataSet):
    refusals = [each for split in SPLITS for each in few.of_split[split] if each.kind == "refuse"]
    assert {each.told.task_family for each in refusals} == {"nothing"}
    walked = made(replace(FEW, refuse_share=0.1), only_walked())
    names = {each.episode for each in walked.of_split["train"] if each.kind == "refuse"}
    assert memory("one", only_walked())[-1].name in names


def test_an_episode_is_silenced_before_its_first_deed():
    whole = crafted_pickaxe()
    begun = silenced(whole)
    assert begun is not None
    assert (begun.steps, begun.after) == ((), whole.steps[0].before)
    assert silenced(begun) is None


def test_moves_before_the_first_deed_stay_in_a_refusal():
    whole = crafted_pickaxe()
    both = replace(whole, steps=(*only_walked().steps, *whole.steps))
    begun = silenced(both)
    assert begun is not None
    assert [step.action.kind for step in begun.steps] == ["go_to"]


def test_a_refusal_gives_no_descriptor():
    assert findings(REFUSAL, crafted_pickaxe(), ()) == (
        "expected a statement on at least one axis; got none.",
    )


def test_rows_that_are_too_long_are_left_out_and_named():
    short = replace(FEW, most_tokens=900)
    data = build(
        memory(), short, shots=SHOTS, count=lambda messages: sum(len(each.text) for each in messages)
    )
    assert all(each.characters <= 900 for split in SPLITS for each in data.of_split[split])
    assert any(each.reason == "more than 900 tokens as write" for each in data.left)


def test_a_limit_below_every_row_is_refused():
    with pytest.raises(ExamplesError, match="got none for train, validation, test"):
        build(memory(), replace(FEW, most_tokens=1), shots=SHOTS, count=lambda messages: 2)


def test_a_limit_without_a_tokenizer_is_refused():
    with pytest.raises(ExamplesError, match="expected a tokenizer to hold rows to 900 tokens"):
        build(memory(), replace(FEW, most_tokens=900), shots=SHOTS)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"train": 0}, "1 or more train rows; got 0"),
        ({"out_of_template": -1}, "0 or more rows out of template; got -1"),
        ({"repair_share": 0.7, "refuse_share": 0.3}, r"together below 1; got 0\.7 and 0\.3"),
        ({"repair_share": float("nan")}, "from 0 on, together below 1; got nan"),
        ({"refuse_share": float("nan")}, "from 0 on, together below 1; got .* and nan"),
        ({"held": HeldOut(test_share=float("nan"))}, "got nan for the test"),
        ({"held": HeldOut(validation_share=float("nan"))}, "nan for validation"),
        ({"held": HeldOut(test_share=0.0)}, r"above 0 and together at most 0\.5; got 0\.0"),
        ({"held": HeldOut(test_share=0.4, validation_share=0.2)}, r"got 0\.4 for the test and 0\.2"),
        ({"unseen_style": "verse"}, "an unseen style out of .*; got 'verse'"),
        ({"layout": "alpaca"}, "a layout out of messages, messages-marked, prompt-completion; got 'alpaca'"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(changed, told):
    with pytest.raises(ExamplesError, match=told):
        made(replace(FEW, **changed))


def test_half_a_surrogate_pair_is_left_out_and_named():
    odd = [replace(each, goal="go \ud83c on") for each in (dug("iron_ore"), only_walked())]
    data = made(replace(FEW, refuse_share=0.9, repair_share=0.0), *odd)
    reasons = {each.name: each.reason for each in data.left}
    dug_name, walked_name = (each.name for each in memory("one", *odd)[-2:])
    assert reasons[dug_name] == "half a surrogate pair in its text"
    assert reasons[walked_name] == "half a surrogate pair in its text"


def test_the_prompts_answer_is_among_the_wrong_attempts(few: DataSet):
    copied = [each for each in few.of_split["train"] if each.fault == "copied example"]
    assert {each.messages[-3].text for each in copied} == {'{"meta":"example"}'}
