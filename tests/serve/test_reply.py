from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from echo.serve.pictures import picture_type
from echo.serve.reply import whole_json, whole_text

any_text = st.text(st.characters(exclude_categories=()))


@given(any_text)
def test_every_text_becomes_one_that_utf_8_can_carry_and_stays_that(text):
    whole = whole_text(text)
    assert whole_text(whole.encode().decode()) == whole


@given(st.text())
def test_a_whole_text_stays_as_it_is(text):
    assert whole_text(text) == text


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | any_text,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
        max_leaves=8,
    )
)
def test_every_json_value_becomes_one_that_a_message_can_carry(value):
    json.dumps(whole_json(value), allow_nan=False, ensure_ascii=False).encode()


def test_what_is_no_number_is_told_by_name_and_not_as_null():
    assert whole_json([float("inf"), float("-inf"), float("nan"), 1e308]) == [
        "Infinity",
        "-Infinity",
        "NaN",
        1e308,
    ]


def test_pictures_are_told_apart_by_their_first_bytes():
    assert picture_type(b"\xff\xd8\xff\xe0") == "image/jpeg"
    assert picture_type(b"") == "application/octet-stream"
