"""What asking came to."""

from __future__ import annotations

import pytest

from csd.chat import Message, ModelError, Reply
from echo.models.bills import Bill, Billed


class Giving:
    name = "giving"

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)

    def __call__(self, messages, /, *, schema=None):
        if not self._replies:
            raise ModelError("no more")
        return self._replies.pop(0)


ASKED = [Message(role="user", text="a")]
PAID = Reply(text="a", prompt_tokens=10, completion_tokens=2, money=0.5, seconds=1.0)


def test_new_answers_add_up():
    model = Billed(
        Giving(PAID, Reply(text="b", prompt_tokens=1, completion_tokens=1, money=0.25, seconds=0.5, cut=True))
    )
    model(ASKED)
    model(ASKED)
    assert model.bill == Bill(
        answered=2, cut=1, prompt_tokens=11, completion_tokens=3, money=0.75, seconds=1.5
    )


def test_what_is_not_known_is_counted_and_not_taken_as_nothing():
    model = Billed(Giving(Reply(text="a"), Reply(text="b", prompt_tokens=4, completion_tokens=1, money=None)))
    model.answer_each([ASKED, ASKED])
    assert model.bill == Bill(answered=2, prompt_tokens=4, completion_tokens=1, uncounted=1, unpriced=2)


def test_answers_from_disk_are_counted_but_cost_nothing():
    model = Billed(Giving(Reply(text="a", prompt_tokens=10, completion_tokens=2, money=0.0, cached=True)))
    model(ASKED)
    assert model.bill == Bill(answered=1, cached=1)


def test_failures_are_counted():
    model = Billed(Giving(PAID))
    model(ASKED)
    for _ in range(2):
        with pytest.raises(ModelError):
            model(ASKED)
    assert (model.bill.answered, model.bill.failed, model.bill.money) == (1, 2, 0.5)


def test_bills_of_two_models_add_up():
    assert Bill.of(PAID) + Bill(failed=1, seconds=0.5) == Bill(
        answered=1, failed=1, prompt_tokens=10, completion_tokens=2, money=0.5, seconds=1.5
    )
