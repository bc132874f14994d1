from __future__ import annotations

import pytest

from finetune.evaluation.figures import figures
from finetune.examples.teaching import REFUSAL
from tests.finetune.evaluation.evaluation_samples import changed, gold, judged, question

GOLD = gold()
ATTR = '"attr":{"colour":[["oak_planks","beige"]]}'


def row(written: str, right: str):
    asked = question(right=right)
    return judged(written, asked)


def only(attr: list[list[object]] | None, func: list[list[object]] | None = None) -> str:
    """The right answer with nothing on attr but colours, and nothing on func but roles."""
    text = GOLD
    for axis in ("attr", "func"):
        for predicate in ("stack_size", "placeable", "burns", "colour", "plays", "supports", "serves"):
            text = changed(text, axis, predicate, None) if f'"{predicate}"' in text else text
    text = changed(text, "attr", "colour", attr) if attr else text
    return changed(text, "func", "plays", func) if func else text


def test_right_answers_have_full_figures():
    found = figures([judged(GOLD), judged(GOLD)])
    assert found.rows == 2
    assert (found.valid_json, found.schema_valid, found.usable, found.grounded) == (1, 1, 1, 1)
    assert (found.exact, found.same, found.mean_f1) == (1, 1, 1)
    assert found.pooled["all"].f1 == 1
    assert (found.copied_prompt, found.cut, found.silent) == (0, 0, 0)
    assert (found.tokens_per_csd, found.seconds_per_csd, found.prompt_tokens) == (4, 0.5, 10)


def test_f1_is_of_multisets_and_averaged_over_rows_that_say_something():
    a, b, c = ["a", "red"], ["b", "red"], ["c", "red"]
    rows = [
        # Right 1 of 2 written and 2 right: precision 1/2, recall 1/2, F1 1/2.
        row(only([a, c]), only([a, b])),
        # Written twice, right once: precision 1/2, recall 1, F1 2/3.
        row(only([a, a]), only([a])),
        # Nothing written: recall 0, F1 0, and precision is not said.
        row(only(None), only([a])),
        # Neither says anything: the row does not count on this axis.
        row(only(None), only(None)),
    ]
    found = figures(rows)
    assert found.f1["attr"] == pytest.approx((1 / 2 + 2 / 3 + 0) / 3)
    assert found.precision["attr"] == pytest.approx((1 / 2 + 1 / 2) / 2)
    assert found.recall["attr"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    # Together 2 right of 4 written and 4 in the right answers.
    assert found.pooled["attr"].model_dump() == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert found.f1["func"] is None
    assert found.f1["struct"] == 1


def test_an_answer_that_cannot_be_used_misses_every_statement():
    found = figures([judged(GOLD), judged("no")])
    assert found.mean_f1 == 0.5
    assert found.pooled["all"].precision == 1
    assert found.pooled["all"].recall == 0.5
    assert found.usable == 0.5


def test_the_grounded_share_counts_statements_not_answers():
    wrong = changed(GOLD, "attr", "burns", [["bowl", True]])
    stated = judged(GOLD).stated
    found = figures([judged(GOLD), judged(wrong), judged("no")])
    assert found.grounded == pytest.approx(2 * stated / (2 * stated + 1))


def test_what_cannot_be_said_is_null_and_not_zero():
    found = figures([], unanswered=3)
    assert found.unanswered == 3
    assert found.valid_json is None
    assert found.grounded is None
    assert found.mean_f1 is None
    assert found.seconds_per_csd is None
    texts = figures([judged(GOLD, question(right=None, episode=None).__class__(
        name="t", messages=question().messages, group="texts", gold=None, episode=None
    ))])  # fmt: skip
    assert texts.valid_json == 1
    assert texts.exact is None
    assert texts.f1["attr"] is None
    assert texts.grounded is None


def test_times_of_a_cache_are_not_the_models():
    found = figures([judged(GOLD, seconds=0.0, cached=True), judged(GOLD, seconds=2.0)])
    assert found.seconds_per_csd == 2.0


def test_refusals_are_silent_and_exact():
    asked = question("refuse", episode=None, right=REFUSAL)
    found = figures([judged(REFUSAL, asked), judged(GOLD, asked)])
    assert (found.silent, found.exact, found.schema_valid) == (0.5, 0.5, 1)
    assert found.f1["attr"] == 0
