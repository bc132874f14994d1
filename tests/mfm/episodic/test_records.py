from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csd.episode import Outcome
from echo.mfm.codec import to_json
from echo.mfm.episodic.records import records_line
from echo.mfm.layout import to_line
from tests.mfm.episodic.sample_steps import observations, steps


@settings(max_examples=100, deadline=None)
@given(st.lists(steps, max_size=2).map(tuple), observations)
def test_the_line_is_that_of_the_codec_byte_for_byte(several, after):
    expected = to_line({"steps": to_json(several), "after": to_json(after)}, sort_keys=False)
    assert records_line({"steps": several, "after": after}) == expected


@pytest.mark.parametrize(
    "delta",
    [{"a": np.int64(3)}, MappingProxyType({"a": 3}), {"a": np.float32(0.5)}, {"a": True}],
    ids=["int64", "proxy", "float32", "bool"],
)
def test_other_numbers_and_mappings_are_written_as_the_codec_does(delta):
    outcome = Outcome(code="ok", message="", inventory_delta=delta)
    assert records_line(outcome) == to_line(to_json(outcome), sort_keys=False)


@pytest.mark.parametrize("key", [1, 1.5, None, True, ("a",)])
def test_a_key_that_is_no_text_is_refused(key):
    with pytest.raises(TypeError, match="expected text as a key"):
        records_line(Outcome(code="ok", message="", inventory_delta={key: 1}))


def test_numbers_that_are_not_finite_and_values_that_are_no_json_are_refused():
    with pytest.raises(ValueError, match="expected finite numbers"):
        records_line(Outcome(code="ok", message="", ticks=float("inf")))
    with pytest.raises(TypeError, match="expected text, numbers, lists and mappings"):
        records_line(Outcome(code="ok", message="", ticks={1}))
