"""Answers from a file."""

from __future__ import annotations

import pytest

from csd.chat import Message, ModelError
from echo.models.scripted import ScriptedFile


def script(folder, text: str) -> ScriptedFile:
    path = folder / "replies.jsonl"
    path.write_text(text, encoding="utf-8")
    return ScriptedFile(path)


def asked(model: ScriptedFile, text: str) -> str:
    return model([Message(role="user", text=text)]).text


def test_replies_come_in_the_order_of_the_file(tmp_path):
    model = script(tmp_path, '"one"\n\n{"reply": "two {}"}\n')
    assert [asked(model, "a"), asked(model, "b")] == ["one", "two {}"]


def test_a_line_with_when_answers_each_question_that_holds_its_text(tmp_path):
    model = script(
        tmp_path, '"plain"\n{"reply": "planks", "when": "oak"}\n{"reply": "never", "when": "oak_log"}\n'
    )
    assert [asked(model, "oak_log"), asked(model, "stone"), asked(model, "oak")] == [
        "planks",
        "plain",
        "planks",
    ]


def test_words_are_counted_as_tokens(tmp_path):
    reply = script(tmp_path, '"a b c"')([Message(role="system", text="x y"), Message(role="user", text="z")])
    assert (reply.prompt_tokens, reply.completion_tokens, reply.money) == (3, 3, 0.0)


def test_a_script_that_ends_says_what_was_asked(tmp_path):
    model = script(tmp_path, '"one"')
    asked(model, "first")
    with pytest.raises(ModelError, match=r"begins 'second'; the 1 answers without 'when' are used up"):
        asked(model, "second")


@pytest.mark.parametrize("line", ["no JSON", "3", '{"when": "a"}', '{"reply": "a", "if": "b"}', '["a"]'])
def test_a_line_that_is_no_answer_is_named(tmp_path, line):
    with pytest.raises(ModelError, match=r"replies\.jsonl, line 2; got"):
        script(tmp_path, f'"fine"\n{line}\n')


def test_a_line_separator_inside_a_text_ends_no_line(tmp_path):
    assert asked(script(tmp_path, '"one\u2028two"'), "a") == "one\u2028two"


def test_half_of_a_pair_becomes_a_sign_that_can_be_written(tmp_path):
    assert asked(script(tmp_path, r'"a\ud83c"'), "a") == "a\ufffd"


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"expected a file of answers at .*none\.jsonl"):
        ScriptedFile(tmp_path / "none.jsonl")
