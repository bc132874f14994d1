from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csd.by_model.tolerant import Unreadable, read_json

AND = '{"facts":["a"]}'


@pytest.mark.parametrize(
    ("text", "value", "mended"),
    [
        ('{"a":1}', {"a": 1}, ()),
        (' {"a":1}\n', {"a": 1}, ()),
        (f"The facts:\n```json\n{AND}\n```", {"facts": ["a"]}, ("a fence around it", "text before it")),
        (f"```\n{AND}\n```", {"facts": ["a"]}, ("a fence around it",)),
        (f"{AND} trailing {{note}}", {"facts": ["a"]}, ("text after it",)),
        (f"Use {{braces}} so: {AND}", {"facts": ["a"]}, ("text before it",)),
        ("{'a':['it\\'s','b']}", {"a": ["it's", "b"]}, ("single quotes", "needless escape")),
        ("{'a':'a miner's lamp'}", {"a": "a miner's lamp"}, ("single quotes",)),
        ("{“a”: “b”}", {"a": "b"}, ("curly quotes",)),
        ('{"a":[1,2,],}', {"a": [1, 2]}, ("trailing comma",)),
        ('{"a":True,"b":None,"c":False}', {"a": True, "b": None, "c": False}, ("Python literal",)),
        ('{"a":1, // one\n "b":2 /* two */, # three\n "c":3}', {"a": 1, "b": 2, "c": 3}, ("comment",)),
        ('{a: 1}', {"a": 1}, ("key without quotes",)),
        ('{"a":+1}', {"a": 1}, ("plus before a number",)),
        ('{"a":"oak\\_log"}', {"a": "oak_log"}, ("needless escape",)),
        ('{"a":"x\ny"}', {"a": "x\ny"}, ("line break or control character within a text",)),
        ('{"a":1,"a":1}', {"a": 1}, ("a key said twice",)),
        ('[{"a":1}]', {"a": 1}, ("a list around it",)),
        ('<think>{"a":1}?</think>{"b":2}', {"b": 2}, ("thinking before the answer",)),
        ('{"a":"\\ud83c\\udf78"}', {"a": "\U0001f378"}, ()),
        ('{"a":-1.5e3,"b":true,"c":null}', {"a": -1500.0, "b": True, "c": None}, ()),
        ('{} is empty, but {"a":1}', {"a": 1}, ("text before it", "took object 2 of 2")),
        ("{}", {}, ()),
    ],
)  # fmt: skip
def test_what_is_meant_without_doubt_is_read_and_each_mend_named(text, value, mended):
    read = read_json(text)
    assert (read.value, read.mended) == (value, mended)


@pytest.mark.parametrize(
    ("text", "said", "place", "cut"),
    [
        ("", "got an empty answer", 0, False),
        ("I cannot say.", "got 'I cannot say.'", 0, False),
        ("[1, 2]", "expected a JSON object", 0, False),
        ('{"a":[{"b":1},{"c":', "got the end of the text, at line 1, column 20", 19, True),
        ('{"a":{"b":1},"c":tru', "got 'tru'", 17, True),
        ('{"a":"b', "expected the end of a text in quotes", 7, True),
        ('{"a":"\\ud8', "four hexadecimal digits", 8, True),
        ("{", "got the end of the text", 1, True),
        ('[{"a":1},{"b"', "expected ':'", 13, True),
        ("<think>so {", "thinking without an end", 11, True),
        ('{"a":NaN}', "got 'NaN'", 5, False),
        ('{"a":1e999}', "expected a finite number", 5, False),
        ('{"a":' + "9" * 30 + "}", "at most 18 digits", 5, False),
        ('{"a":01}', "expected a number", 5, False),
        ('{"a":1 "b":2}', "expected '}'; got '\"'", 7, False),
        ('{"a":\n"b" "c"}', "at line 2, column 5", 10, False),
        ('{"a":[1,2}, "b":{"c":1}}', "expected ']'; got '}'", 9, False),
        ('{"a":1,"a":2}', "got 'a' with two values", 10, False),
        ('{"a":"\\ud83c"}', "half a surrogate pair", 5, False),
        ('{"a":"\ud83c"}', "half a surrogate pair", 5, False),
        ('{"a":' * 70 + "1" + "}" * 70, "expected at most 64 levels", 320, False),
    ],
)
def test_nothing_is_read_by_half(text, said, place, cut):
    with pytest.raises(Unreadable) as told:
        read_json(text)
    assert said in str(told.value)
    assert (told.value.place, told.value.cut) == (place, cut)


def test_of_several_objects_the_first_that_fits_is_taken():
    read = read_json('{"example":1}\n{"answer":2}\n{"answer":3}', fits=lambda value: "answer" in value)
    assert (read.value, read.objects, read.taken) == ({"answer": 2}, 3, 2)
    assert read_json('{"a":1}{"b":2}').value == {"a": 1}


def test_a_whole_object_is_read_though_another_one_is_cut_or_broken():
    read = read_json('{"a":1}\n{"b":')
    assert (read.value, read.mended) == (
        {"a": 1},
        ("text after it", "left out an object that ends at character 13"),
    )
    assert read_json('{"a":1 2} or rather {"a":12}').value == {"a": 12}


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-999, 999), st.text(st.characters(codec="utf-8"))),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)
objects = st.dictionaries(st.text(st.characters(codec="utf-8")), values, max_size=4)


@given(objects, st.booleans(), st.sampled_from([None, 2]))
def test_every_json_object_is_read_as_json_reads_it(value, ascii_only, indent):
    try:
        text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
        text.encode()
    except UnicodeEncodeError:
        return
    if "\\ud" in text.lower():
        return
    read = read_json(text)
    assert read.value == value
    assert read.mended == ()


@given(objects.filter(bool), st.data())
def test_no_beginning_of_an_object_is_taken_for_one(value, data):
    text = json.dumps(value)
    end = data.draw(st.integers(1, len(text) - 1))
    with pytest.raises(Unreadable):
        read_json(text[:end])


@given(st.text(st.sampled_from(list("{}[]\"':,ab1\\/*# \nTrueNn")), max_size=60))
def test_no_text_at_all_breaks_the_reader(text):
    with contextlib.suppress(Unreadable):
        assert isinstance(read_json(text).value, dict)
