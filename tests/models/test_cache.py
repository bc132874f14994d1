"""Answers kept on disk."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from csd.chat import Message, ModelError, Reply
from echo.models.cache import Kept, kept


class Counting:
    """Answers with the number of questions so far; remembers the batches."""

    name = "counting"

    def __init__(self, settings: object = 1, *, fails_at: int | None = None, slow: float = 0.0) -> None:
        self.settings, self.batches = settings, []
        self._fails_at, self._slow = fails_at, slow
        self._turn = threading.Lock()

    def told(self):
        return {"settings": self.settings}

    def __call__(self, messages, /, *, schema=None):
        return self.answer_each([messages], schema=schema)[0]

    def answer_each(self, conversations, /, *, schema=None):
        time.sleep(self._slow)
        with self._turn:
            self.batches.append([each[-1].text for each in conversations])
            number = len(self.batches)
        if number == self._fails_at:
            raise ModelError("out of order")
        return [
            Reply(text=f"{each[-1].text} {number}", money=2.0, prompt_tokens=5, seed=3, seconds=1.5, cut=True)
            for each in conversations
        ]


def ask(text: str, image: bytes | None = None) -> list[Message]:
    return [Message(role="user", text=text, images=() if image is None else (image,))]


def test_an_equal_question_is_answered_from_disk_at_no_cost(tmp_path):
    first = Kept(Counting(), tmp_path)(ask("a"))
    other = Counting()
    again = Kept(other, tmp_path)(ask("a"))
    assert other.batches == []
    assert (first.cached, first.money, first.seconds) == (False, 2.0, 1.5)
    assert again == Reply(text="a 1", money=0.0, prompt_tokens=5, seed=3, seconds=0.0, cut=True, cached=True)


@pytest.mark.parametrize(
    "other",
    [
        lambda folder: Kept(Counting(settings=2), folder)(ask("a")),
        lambda folder: Kept(Counting(), folder)(ask("b")),
        lambda folder: Kept(Counting(), folder)(ask("a", b"png")),
        lambda folder: Kept(Counting(), folder)([Message(role="system", text="a")]),
        lambda folder: Kept(Counting(), folder)(ask("a"), schema={"type": "object"}),
        lambda folder: Kept(Counting(), folder)(ask("a"), schema={}),
    ],
    ids=["settings", "text", "picture", "role", "schema", "schema that allows all"],
)
def test_a_question_that_differs_in_anything_is_asked(tmp_path, other):
    Kept(Counting(), tmp_path)(ask("a"))
    assert not other(tmp_path).cached


def test_the_order_of_a_schemas_keys_is_part_of_the_question(tmp_path):
    model = Kept(Counting(), tmp_path)
    model(ask("a"), schema={"properties": {"x": {}, "y": {}}})
    assert not model(ask("a"), schema={"properties": {"y": {}, "x": {}}}).cached


def test_of_a_batch_the_missing_ones_are_asked_together_each_once(tmp_path):
    model = Counting()
    both = Kept(model, tmp_path, together=2)
    both(ask("b"))
    replies = both.answer_each([ask(text) for text in "abaccd"])
    assert model.batches == [["b"], ["a", "c"], ["d"]]
    assert [reply.text for reply in replies] == ["a 2", "b 1", "a 2", "c 2", "c 2", "d 3"]
    assert [reply.cached for reply in replies] == [False, True, True, False, True, False]
    assert sum(reply.money for reply in replies) == 6.0


def test_what_was_answered_before_a_failure_is_kept(tmp_path):
    with pytest.raises(ModelError, match="out of order"):
        Kept(Counting(fails_at=2), tmp_path).answer_each([ask("a"), ask("b")])
    replies = Kept(Counting(), tmp_path).answer_each([ask("a"), ask("b")])
    assert [reply.cached for reply in replies] == [True, False]


def test_threads_with_an_equal_question_pay_once(tmp_path):
    model = Counting(slow=0.05)
    one = Kept(model, tmp_path)
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: one(ask("a")), range(4)))
    assert model.batches == [["a"]]
    assert sorted(reply.cached for reply in replies) == [False, True, True, True]


@pytest.mark.parametrize("data", [b"", b'{"text": "a', b"\xff\x00", b'{"format": 1, "text": "a"}', b"[]"])
def test_a_damaged_file_is_logged_asked_anew_and_replaced(tmp_path, caplog, data):
    Kept(Counting(), tmp_path)(ask("a"))
    (path,) = tmp_path.rglob("*.json")
    path.write_bytes(data)
    with caplog.at_level(logging.WARNING):
        assert not Kept(Counting(), tmp_path)(ask("a")).cached
    assert path.name in caplog.text
    assert Kept(Counting(), tmp_path)(ask("a")).cached


def test_nothing_unfinished_is_left_behind(tmp_path):
    Kept(Counting(), tmp_path)(ask("a"))
    (path,) = (each for each in tmp_path.rglob("*") if each.is_file())
    assert path.suffix == ".json"


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path):
    place = tmp_path / "file"
    place.write_text("in the way")
    with pytest.raises(ModelError, match=r"expected to keep answers at .*file.*Name another folder"):
        Kept(Counting(), place)(ask("a"))


def test_half_of_a_pair_in_a_question_can_be_kept(tmp_path):
    Kept(Counting(), tmp_path)(ask("a"))
    model = Kept(Counting(), tmp_path)
    model(ask("\ud83c"))
    assert model(ask("\ud83c")).cached


def test_without_a_folder_nothing_is_kept(tmp_path):
    model = Counting()
    assert kept(model, None) is model
