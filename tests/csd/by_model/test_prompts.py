from __future__ import annotations

import hashlib
import json

import pytest

from csd.by_model.example import example_shots
from csd.by_model.leak import repeated_share, repeats_prompt
from csd.by_model.look import read_look
from csd.by_model.prompts import (
    MOST_ANSWER,
    MOST_FINDINGS,
    VERSION,
    after_answer,
    conversation,
    explained,
    look_conversation,
    repair,
)
from csd.by_model.shape import shape_faults
from csd.by_model.trace import STYLES
from csd.chat import Message
from csd.vocabulary import PREDICATES
from tests.csd.sample_episodes import dug_stone, failed_collect

ASKED = conversation(failed_collect(), style="plain")


def test_a_changed_prompt_is_another_version():
    """Tuned models and kept descriptors name the version: count `VERSION` up where this digest changes."""
    told = [explained(), repair(["x"]).text, ASKED[0].text, look_conversation(b"")[0].text]
    told += [text for style in STYLES for one in example_shots(style) for text in (one.told, one.written)]
    digest = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]
    assert (VERSION, digest) == ("describe/2", "647c1a344b02ca6a")


def test_the_explanation_names_every_predicate_with_its_meaning():
    for predicates in PREDICATES.values():
        for predicate, meaning in predicates.items():
            assert f"  {predicate}: {meaning}" in explained()
    assert "$" not in explained()


@pytest.mark.parametrize("style", STYLES)
def test_the_examples_have_the_shape_and_names_of_no_world(style):
    for shot in example_shots(style):
        assert shape_faults(json.loads(shot.written)) == ()
        assert not any(name in shot.written for name in ("oak", "stone", "wooden", "iron"))


def test_of_many_findings_the_first_are_shown_and_the_rest_counted():
    text = repair([f"fault {n}" for n in range(MOST_FINDINGS + 2)]).text
    assert f"- fault {MOST_FINDINGS - 1}\n- and 2 more of the kind" in text
    assert f"fault {MOST_FINDINGS}" not in text


def test_of_a_runaway_answer_only_the_beginning_is_shown_again():
    *asked, wrong, told = after_answer(ASKED, "x" * 9_999 + "\ud83c", ["too long"])
    assert tuple(asked) == ASKED
    assert wrong == Message(role="assistant", text="x" * MOST_ANSWER)
    assert "- too long" in told.text


def test_half_a_surrogate_pair_can_be_sent_back():
    assert after_answer(ASKED, "\ud83c", ["bad"])[-2].text == "\\ud83c"


def test_an_empty_answer_is_sent_back_as_an_empty_object():
    assert after_answer(ASKED, "", ["empty"])[-2].text == "{}"


def test_the_share_of_an_answer_that_was_asked_is_counted_in_long_runs():
    asked = (Message(role="user", text="a b c d e f g h i j k l m n o p q r s t u v w x y z"),)
    run = "a b c d e f g h i j k l m n o p q r s t u"
    assert len(run) == 41
    assert repeated_share(run, asked) == 1.0
    assert repeated_share(run.replace(" ", "\n"), asked) == 1.0
    assert repeated_share(run + "0" * 41, asked) == 0.5
    assert repeated_share(run[:39], asked) == 0.0
    assert repeated_share("", asked) == 0.0
    assert repeats_prompt(run, asked)
    assert not repeats_prompt(run + "0" * 41, asked)


def test_what_a_model_names_in_a_picture_is_spelt_as_in_the_records():
    looked = read_look(
        '{"caption":" Grey\\nstone. ","objects":["stone","Grass blocks","cloud","stone"]}', dug_stone()
    )
    assert (looked.caption, looked.objects, looked.unseen) == (
        "Grey stone.",
        ("stone", "grass_block"),
        ("cloud",),
    )


@pytest.mark.parametrize(
    "answer",
    [
        "nothing",
        '{"caption":""}',
        '{"caption":"a","objects":"b"}',
        '{"caption":"a","objects":[1]}',
        '{"objects":[]}',
    ],
)
def test_a_look_without_caption_or_list_is_refused(answer):
    with pytest.raises(ValueError, match="expected"):
        read_look(answer, dug_stone())
