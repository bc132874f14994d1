from __future__ import annotations

import re
import time

import pytest

from echo.mfm.turns.commands import MOST_FLAWS, Command, NotUnderstood, commands


def test_a_command_keeps_its_value_and_its_other_keys():
    (found,) = commands(
        'First a log.\n{"act": {"kind": "collect", "block": "oak_log"},\n "repeat": 3}\nThen more.'
    )
    assert isinstance(found, Command)
    assert (found.verb, found.value, found.more) == (
        "act",
        {"kind": "collect", "block": "oak_log"},
        {"repeat": 3},
    )
    assert found.text == '{"act": {"kind": "collect", "block": "oak_log"}, "repeat": 3}'


@pytest.mark.parametrize(
    ("reply", "verbs"),
    [
        ('```json\n{"end": true}\n```', ["end"]),
        ('{"plan": "dig {"}{"end": true}', ["plan", "end"]),
        ('a set {1, 2} in prose, then {"end": true}', ["end"]),
        ('Use {block} as the name, so {"end": true}', ["end"]),
        ('{"plan": "two\nlines"}', ["plan"]),
        ('a set {1, 2} in prose\n{"end": true} and after', ["end"]),
        ("", []),
        ("no command at all", []),
    ],
)
def test_prose_fences_and_braces_within_texts_are_passed_over(reply, verbs):
    assert [found.verb for found in commands(reply) if isinstance(found, Command)] == verbs


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ('{"act": {"kind": "collect"', "expected JSON, got"),
        ("{'end': True}", "expected JSON, got"),
        ('{"act": 1, "run": "x"}', "expected one of .* as a key, got act, run"),
        ("{}", "got no key"),
        ('{"a":' * 5000, "expected JSON"),
    ],
)
def test_what_looks_like_a_command_and_is_none_is_told_back(reply, reason):
    (found,) = commands(reply)
    assert isinstance(found, NotUnderstood)
    assert re.search(reason, found.reason)
    assert len(found.text) <= 120


def test_the_name_of_a_tool_is_a_verb_where_it_is_offered():
    reply = '{"query": {"last": 3}}'
    (found,) = commands(reply, ("plan", "query"))
    assert isinstance(found, Command)
    assert (found.verb, found.value) == ("query", {"last": 3})
    assert isinstance(commands(reply)[0], NotUnderstood)


def test_a_reply_of_broken_objects_is_given_up_on_in_no_time():
    began = time.process_time()
    found = commands('{"a\n' * 200_000)
    assert len(found) == MOST_FLAWS
    assert time.process_time() - began < 2
