"""Text that should have been a descriptor: the right value or a clear refusal, never an empty descriptor."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from csd.descriptor import Csd
from tests.csd.descriptors import digging, meta, says, wooden_pickaxe

GOOD = digging("sand").canonical()


def altered(**changes: object) -> str:
    """Return the JSON of a descriptor with some fields exchanged; None takes one out."""
    return json.dumps(
        {name: value for name, value in {**json.loads(GOOD), **changes}.items() if value is not None}
    )


@pytest.mark.parametrize(
    "text",
    [
        f"Here is the descriptor:\n```json\n{GOOD}\n```",
        f"```json\n{GOOD}\n```",
        f"{GOOD} trailing {{note}}",
        f"{GOOD}\n{GOOD}",
        GOOD.replace('"', "'"),
        GOOD[:-1],
        GOOD[: len(GOOD) // 2],
        "",
        "   ",
        "\0",
        "\ufeff" + GOOD,
    ],
)
def test_text_around_or_instead_of_json_is_refused_as_no_json(text: str) -> None:
    with pytest.raises(ValidationError, match="Invalid JSON"):
        Csd.from_json(text)


@pytest.mark.parametrize("text", ["null", "[]", "7", '"sand"', "true", f"[{GOOD}]"])
def test_json_of_another_kind_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match=r"valid dictionary or instance of Csd|should be an object"):
        Csd.from_json(text)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("{}", "meta"),
        ('{"meta": NaN}', "meta"),
        (altered(meta=None), "meta"),
        (altered(mood="calm"), "mood"),
        (altered(format=2), "format"),
        (altered(attr={"the fact": True}), "attr"),
        (altered(attr=["sand drops sand"]), "attr.0"),
        (altered(attr=[{"subject": "sand", "predicate": "drops", "value": "sand"}]), "attr.0.evidence"),
        (
            altered(attr=[{"subject": "sand", "predicate": "drops", "value": None, "evidence": []}]),
            "attr.0.value",
        ),
        (altered(attr=[]), "empty descriptor"),
        (altered(attr=[], func=json.loads(GOOD)["attr"]), "'drops'"),
        (GOOD.replace('"tick":0', '"tick":"soon"'), "meta.tick"),
        (GOOD.replace("-3.5", "NaN"), "meta.position.2"),
        (GOOD.replace("-3.5", "1e999"), "meta.position.2"),
    ],
)
def test_json_of_the_wrong_shape_is_refused_with_the_field(text: str, field: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        Csd.from_json(text)
    assert field in str(refusal.value)


@pytest.mark.parametrize("half", [r"\ud83c", r"\udf78", r"a\ud83c b"])
def test_half_a_surrogate_pair_in_json_is_refused_and_two_halves_are_their_character(half: str) -> None:
    with pytest.raises(ValidationError, match="Invalid JSON"):
        Csd.from_json(GOOD.replace('"sand"', f'"{half}"'))
    both = Csd.from_json(GOOD.replace('"sand"', r'"\ud83c\udf78"'))
    assert both.attr[0].subject == "\U0001f378"


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_json_nested_without_end_is_refused(depth: int) -> None:
    with pytest.raises(ValidationError, match=r"Invalid JSON|attr"):
        Csd.from_json(GOOD.replace('"value":"sand"', f'"value":{"[" * depth}{"]" * depth}'))


def test_a_descriptor_is_read_back_equal_from_its_canonical_json() -> None:
    for csd in (wooden_pickaxe(), digging("sand")):
        assert Csd.from_json(csd.canonical()) == csd
        assert Csd.from_json(csd.canonical()).id == csd.id


@given(st.text(min_size=1))
def test_any_whole_text_is_read_back_equal(text: str) -> None:
    csd = Csd(meta=meta(text), attr=(says(text, "drops", text),))
    assert Csd.from_json(csd.canonical()) == csd
