"""Several questions at once."""

from __future__ import annotations

import threading
import time

import pytest

from csd.chat import Message, ModelError, Reply
from echo.models.together import Together


class Watched:
    """Answers each question with its text; knows how many were open at once."""

    name = "watched"

    def __init__(self, *, fails: str = "") -> None:
        self.asked: list[str] = []
        self.busy = self.busiest = 0
        self._fails, self._turn = fails, threading.Lock()

    def __call__(self, messages, /, *, schema=None):
        text = messages[-1].text
        with self._turn:
            self.asked.append(text)
            self.busy += 1
            self.busiest = max(self.busiest, self.busy)
        time.sleep(0.03 if text != "0" else 0.06)
        with self._turn:
            self.busy -= 1
        if text == self._fails:
            raise ModelError(f"no answer to {text}")
        return Reply(text=text)


def questions(count: int) -> list[list[Message]]:
    return [[Message(role="user", text=str(number))] for number in range(count)]


def test_answers_keep_their_order_and_the_limit_holds():
    model = Watched()
    replies = Together(model, 3).answer_each(questions(7))
    assert [reply.text for reply in replies] == list("0123456")
    assert model.busiest == 3


def test_after_a_failure_nothing_more_is_asked():
    model = Watched(fails="1")
    with pytest.raises(ModelError, match="no answer to 1"):
        Together(model, 1).answer_each(questions(50))
    assert len(model.asked) < 6
    assert model.busy == 0


def test_no_questions_have_no_answers():
    assert Together(Watched(), 2).answer_each([]) == []
