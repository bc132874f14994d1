from __future__ import annotations

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csd.axes import Axis
from csd.by_model.shape import compact_schema
from csd.by_model.tolerant import read_json
from finetune.examples.teaching import REFUSAL
from tests.finetune.evaluation.evaluation_samples import BOWL, changed, gold, judged, question

GOLD = gold()


def test_the_right_answer_is_right_in_every_way():
    one = judged(GOLD)
    assert one.valid_json
    assert one.schema_valid
    assert one.usable
    assert one.exact
    assert one.same
    assert one.ungrounded == 0
    assert one.csd is not None
    assert one.written == one.gold
    assert not one.copied_prompt


@pytest.mark.parametrize(
    ("text", "valid", "usable"),
    [
        (f"  {GOLD}\n", True, True),
        (f"```json\n{GOLD}\n```", False, True),
        (f"Here it is: {GOLD}", False, True),
        (GOLD.replace('"', "'"), False, True),
        (f"{GOLD} {GOLD}", False, True),
        (GOLD[:-20], False, False),
        ('{"the fact":true}', True, False),
        ("[1, 2]", False, False),
        ("", False, False),
        ("I cannot do that.", False, False),
    ],
)
def test_by_the_letter_and_for_a_reader_that_mends_are_told_apart(text: str, valid: bool, usable: bool):
    one = judged(text)
    assert (one.valid_json, one.usable) == (valid, usable)
    assert one.schema_valid == (valid and usable)
    assert (one.stated > 0) == usable


def test_statements_in_another_order_are_the_same_and_not_exact():
    value = json.loads(GOLD)
    for predicate, pairs in value["attr"].items():
        value["attr"][predicate] = pairs[::-1]
    one = judged(json.dumps(value))
    assert one.same
    assert not one.exact


def test_another_circumstance_is_not_the_same():
    assert not judged(GOLD.replace('"product":"bowl"', '"product":null')).same


def test_a_statement_that_the_episode_lacks_counts_as_ungrounded_and_is_not_in_the_descriptor():
    one = judged(changed(GOLD, "attr", "burns", [["bowl", True], ["oak_planks", True]]))
    assert one.ungrounded == 2
    assert one.stated == judged(GOLD).stated + 2
    assert one.csd is not None
    assert "burns" not in one.csd.text


def test_circumstances_are_no_statements():
    assert judged(GOLD.replace('"success":true', '"success":false')).ungrounded == 0


def test_a_refusal_is_of_the_schema_and_states_nothing():
    one = judged(REFUSAL)
    assert one.schema_valid
    assert one.silent
    assert not one.usable
    assert one.stated == 0
    assert one.ungrounded is None
    asked = question("refuse", episode=None, right=REFUSAL)
    assert judged(REFUSAL, asked).exact
    assert judged(REFUSAL, asked).same


def test_without_an_episode_grounding_is_left_open():
    one = judged(GOLD, question(episode=None))
    assert one.ungrounded is None
    assert one.csd is None


def test_true_is_not_one():
    text = changed(GOLD, "proc", "yields", [["bowl", 4]])
    assert judged(text).written[Axis.PROC]["bowl", "yields", "int", "4"] == 1
    wrong = changed(GOLD, "attr", "placeable", [["oak_planks", True]])
    assert ("oak_planks", "placeable", "bool", "True") in judged(wrong).written[Axis.ATTR]


def test_an_answer_that_says_the_prompt_again_is_told():
    asked = question()
    assert judged(asked.messages[-1].text, asked).copied_prompt


def test_a_repair_may_say_its_wrong_attempt_again():
    from csd.by_model.prompts import after_answer

    plain = question()
    messages = after_answer(plain.messages, GOLD, ["wrong"])
    mending = question("repair").__class__(
        **{
            **{f: getattr(plain, f) for f in plain.__dataclass_fields__},
            "group": "repair",
            "messages": messages,
        }
    )
    assert not judged(GOLD, mending).copied_prompt
    assert mending.asked == plain.messages


texts = st.sampled_from(
    [GOLD, REFUSAL, changed(GOLD, "struct", "grid", None), changed(GOLD, "attr", "colour", [["", "red"]])]
) | st.builds(lambda count: changed(GOLD, "attr", "stack_size", [["bowl", count]]), st.integers(-3, 2_000))


@given(text=texts)
def test_schema_valid_is_what_a_validator_of_json_schema_says(text: str):
    validator = jsonschema.Draft202012Validator(compact_schema())
    assert judged(text).schema_valid == validator.is_valid(json.loads(text))


@given(text=st.text(alphabet='{}[]":,ab1 \n') | st.sampled_from([GOLD, f"{GOLD},", f"[{GOLD}]"]))
def test_what_is_valid_by_the_letter_any_json_reader_reads_alike(text: str):
    if judged(text).valid_json:
        assert read_json(text).value == json.loads(text)
    else:
        assert not plainly_an_object(text)


def plainly_an_object(text: str) -> bool:
    """Whether any reader takes a text for the same JSON object: by the letter, and no key given twice."""
    try:
        return isinstance(json.loads(text, object_pairs_hook=once), dict)
    except ValueError:
        return False


def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def test_the_episode_of_the_samples_is_described():
    assert BOWL.goal == "make bowl"
