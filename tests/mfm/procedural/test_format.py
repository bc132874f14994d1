import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csd.episode import action_to_json
from echo.mfm.procedural.actions import parse_action
from echo.mfm.procedural.atoms import ATOM_NAMES, atoms
from echo.mfm.procedural.format import Parameter, ProcedureError, parse_procedure, procedure_flaws
from echo.mfm.procedural.rendering import literal, procedure_text
from echo.mfm.procedural.source import imports_of, is_name, is_plain, reflex_flaws
from echo.mfm.procedural.words import WORDS
from tests.mfm.episodic.sample_steps import actions

GOOD = '''"""Make planks from a log."""

import math

PROCEDURE = {
    "name": "make_planks",
    "about": "Make planks from a log.",
    "parameters": {"log": {"default": "oak_log", "about": "which"}, "count": {}},
    "needs": {"inventory": {"{log}": 1}},
    "expects": {"gained": {"oak_planks": 4}},
    "evidence": ["ep_000012", "life_2/ep_000001"],
}


def run(seen, log="oak_log", count=1):
    yield craft([[log]])
'''


def test_a_sound_procedure_is_read_without_running_it():
    read = parse_procedure(GOOD + "\nraise SystemExit\n", "make_planks")
    assert read.about == "Make planks from a log."
    assert read.parameters == (
        Parameter(name="log", default="oak_log", about="which"),
        Parameter(name="count", required=True),
    )
    assert read.needs == {"inventory": {"{log}": 1}}
    assert read.expects == {"gained": {"oak_planks": 4}}
    assert read.evidence == ("ep_000012", "life_2/ep_000001")
    assert read.imports == ("math",)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"""Make planks from a log."""', "", "line 1: expected a docstring"),
        ("PROCEDURE = {", "OTHER = {", "expected PROCEDURE = {...} at the top level, got none"),
        ('"oak_planks": 4', '"oak_planks": 2 + len("ab")', "line 10: expected PROCEDURE to be a literal"),
        ('    "evidence": ["ep_000012", "life_2/ep_000001"],\n', "", "line 5: expected the keys name, about"),
        ('"evidence": [', '"proof": 1, "evidence": [', 'line 11: expected the keys .*got "proof"'),
        ('["ep_000012"', '["ep_12"', "line 11: expected an episode id such as 'ep_000012'"),
        ('["ep_000012"', '["../ep_000012"', "line 11: expected an episode id"),
        ('["ep_000012", "life_2/ep_000001"]', '"ep_000012"', "line 11: expected evidence to be a list"),
        ('"name": "make_planks"', '"name": "other"', "line 6: expected name to be that of the file"),
        ('"about": "Make planks from a log."', '"about": ""', "line 7: expected about to be one line"),
        ('"gained"', '"gaind"', "line 10: in expects: expected one of inventory"),
        (
            '{"inventory": {"{log}": 1}}',
            '{"gained": {"{log}": 1}}',
            "line 9: in needs: expected what can be seen",
        ),
        (
            '{"inventory": {"{log}": 1}}',
            '{"inventory": {"{dog}": 1}}',
            "line 9: in needs: expected a parameter",
        ),
        (
            '{"inventory": {"{log}": 1}}',
            '{"inventory": {"{log}": True}}',
            "line 9: in needs: expected for inv",
        ),
        ("    yield craft([[log]])", "    return craft([[log]])", "line 15: expected run to be a generator"),
        (
            "    yield craft([[log]])",
            "    def inner():\n        yield 1",
            "line 15: expected run to be a gene",
        ),
        ("def run(", "def walk_to(", "expected a generator `def run"),
        ('log="oak_log", count=1', "count=1", "line 15: expected `def run\\(seen, log, count\\)`"),
        ('log="oak_log", count=1', "**given", "line 15: expected run to name its parameters"),
        ("import math", "import os", 'line 3: expected imports out of .*got "os"'),
        ("import math", "from . import os", 'line 3: expected imports out of .*got "."'),
        ("yield craft([[log]])", "yield craft([[log]]", r"line 16: expected Python, got a syntax error"),
        ('"default": "oak_log"', '"default": {1, 2}', "line 8: expected a JSON value as the default of log"),
        ('"log": {"default": "oak_log", "about": "which"}, ', '"log": 1, ', "expected log to say default"),
    ],
)
def test_a_flaw_is_named_with_its_line(old: str, new: str, said: str):
    with pytest.raises(ProcedureError, match=said):
        parse_procedure(GOOD.replace(old, new), "make_planks")


def test_all_flaws_are_named_at_once():
    broken = GOOD.replace("ep_000012", "x").replace("import math", "import os")
    assert [found.line for found in procedure_flaws(broken, "make_planks")] == [3, 11]
    with pytest.raises(ProcedureError, match="got a file with 2 flaws"):
        parse_procedure(broken, "make_planks")


def test_a_parameter_may_not_hide_an_atom():
    assert 'got "place"' in str(
        procedure_flaws(
            GOOD.replace('"count": {}', '"place": {}').replace("count=1", "place=1"), "make_planks"
        )[0]
    )


@pytest.mark.parametrize(
    "text",
    [
        "\0",
        "(" * 5000,
        "x = " + "-" * 50_000 + "1",
        "\ud800",
        "",
        "x" * 70_000,
        "PROCEDURE = " + "[" * 150 + "]" * 150,
    ],
)
def test_odd_texts_are_flaws_and_not_crashes(text: str):
    assert procedure_flaws(text, "odd")
    assert reflex_flaws(text, "odd")


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str):
    assert procedure_flaws(text, "odd") != ()


@pytest.mark.parametrize("name", ["../up", "Make", "class", "", "a" * 65, "match", "a b", "é", "_x"])
def test_names_that_are_no_names_of_procedures(name: str):
    assert not is_name(name)
    assert procedure_flaws(GOOD, name)


def test_arguments_are_checked_and_filled_up():
    read = parse_procedure(GOOD, "make_planks")
    assert read.arguments({"count": 2}) == {"log": "oak_log", "count": 2}
    with pytest.raises(ProcedureError, match="expected a value for count"):
        read.arguments({})
    with pytest.raises(ProcedureError, match=r"expected arguments out of log, count .*got 'size'"):
        read.arguments({"count": 2, "size": 1})
    with pytest.raises(ProcedureError, match="expected a JSON value for count"):
        read.arguments({"count": float("nan")})


def test_plain_values_are_finite_and_shallow():
    deep: list = []
    for _ in range(20):
        deep = [deep]
    assert is_plain({"a": [1, None, 1.5, "\ud800"]})
    assert not any(map(is_plain, [deep, {1: 2}, {1}, float("inf"), 10**2000, b"x"]))


def test_a_reflex_needs_one_parameter_and_no_yield():
    assert reflex_flaws("def reflex(given):\n    return given\n", "same") == ()
    assert reflex_flaws("def reflex(a, b):\n    return a\n", "same")[0].line == 1
    assert "got a yield" in reflex_flaws("def reflex(given):\n    yield given\n", "same")[0].text
    assert "got none" in reflex_flaws("x = 1\n", "same")[0].text


def test_imports_are_listed_once():
    assert imports_of("import math\nfrom math import pi\nfrom __future__ import annotations\n") == ("math",)


def test_what_is_rendered_reads_well():
    text = procedure_text(
        "make_table",
        about='Make a "table".',
        actions=[
            {"kind": "collect", "block": "oak_log"},
            {"kind": "collect", "block": "oak_log"},
            ({"kind": "craft", "grid": [["oak_log"]]}, {"gained": {"oak_planks": 4}}),
            {"kind": "place", "item": "crafting_table", "target": None},
            {"kind": "smelt", "input": "raw_iron", "fuel": "coal"},
            {"kind": "drop", "item": "dirt", "amount": 3},
            {"kind": "wait_until", "condition": "day", "ticks": 20},
        ],
        parameters={"log": "oak_log", "times": 2},
        needs={"sees": ["oak_log"]},
        expects={"gained": {"oak_log": 2}},
        evidence=["ep_000001"],
    )
    assert (
        text
        == '''"""Make a \\"table\\"."""

PROCEDURE = {
    "name": "make_table",
    "about": "Make a \\"table\\".",
    "parameters": {"log": {"default": "oak_log"}, "times": {"default": 2}},
    "needs": {"sees": ["{log}"]},
    "expects": {"gained": {"{log}": "{times}"}},
    "evidence": ["ep_000001"],
}


def run(seen, log="oak_log", times=2):
    for _ in range(times):
        yield collect(log)
    yield craft([[log]]), {"gained": {"oak_planks": 4}}
    yield place("crafting_table")
    yield smelt("raw_iron", "coal")
    yield drop("dirt", amount=3)
    yield wait_until("day")
'''
    )


@given(st.lists(actions, min_size=1, max_size=4), st.text(min_size=1, max_size=20))
def test_what_is_rendered_does_the_same_actions(done, about):
    about = " ".join(about.split()) or "x"
    parameters = {"thing": getattr(done[0], "block", None) or "oak_log", "count": 3}
    text = procedure_text("again", about=about, actions=done, parameters=parameters)
    space = dict(WORDS)
    exec(compile(text, "again.py", "exec"), space)
    assert [parse_action(held) for held in space["run"](None)] == done
    assert ast.literal_eval(ast.parse(text).body[1].value)["about"] == about


@given(st.text(st.characters(exclude_categories=()), max_size=20))
def test_a_literal_text_is_ascii_and_comes_back(text: str):
    assert literal(text).isascii()
    assert ast.literal_eval(literal(text)) == text


def test_nothing_to_do_is_refused():
    with pytest.raises(ProcedureError, match="expected at least one action for nothing"):
        procedure_text("nothing", about="Do nothing.", actions=[])


def test_the_atoms_told_are_the_words_of_a_script():
    assert {atom.name for atom in atoms()} == set(WORDS) == ATOM_NAMES
    assert len(atoms()) == len(ATOM_NAMES)


def test_every_action_of_a_world_has_an_atom():
    made = WORDS["drop"]("dirt")
    assert parse_action(made) == parse_action(action_to_json(parse_action(made)))
    with pytest.raises(TypeError, match="drop takes"):
        WORDS["drop"]("dirt", 1, 2)
    with pytest.raises(TypeError, match="got no input"):
        WORDS["smelt"](fuel="coal")
    with pytest.raises(TypeError, match="collect takes"):
        WORDS["collect"]("dirt", block="dirt")
