"""A model behind a server: what is sent, what is read, what goes wrong."""

from __future__ import annotations

import socket
from dataclasses import replace

import pytest

from csd.chat import Message, ModelError
from echo.models.openai_server import ServerModel
from echo.models.settings import ModelSettings
from tests.models.fake_server import FakeServer, Sent, refused, said, serving, told

pytest.importorskip("openai", reason="the openai extra is not installed")

ASKED = (Message(role="system", text="Be brief."), Message(role="user", text="Hello?"))


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-test")


def model(server: FakeServer | str, **settings) -> ServerModel:
    address = server if isinstance(server, str) else server.address
    return ServerModel("small", replace(ModelSettings(retries=0, timeout=5, base_url=address), **settings))


def test_the_question_goes_with_settings_and_key_and_the_answer_comes_with_its_costs():
    with serving(said("Hello.")) as server:
        reply = model(server, most_tokens=50, seed=4, prompt_price=2.0, completion_price=10.0)(ASKED)
    assert server.asked == [
        {
            "model": "small",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hello?"},
            ],
            "max_tokens": 50,
            "temperature": 0.0,
            "seed": 4,
        }
    ]
    assert server.keys == ["Bearer key-of-the-test"]
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens, reply.seed) == ("Hello.", 7, 3, 4)
    assert reply.money == pytest.approx((7 * 2.0 + 3 * 10.0) / 1e6)
    assert (reply.cut, reply.held_to_schema, reply.cached) == (False, False, False)
    assert reply.seconds is not None
    assert 0 < reply.seconds < 5


def test_pictures_go_as_data_urls_after_the_text():
    with serving(said("A dot.")) as server:
        model(server)([Message(role="user", text="What is it?", images=(b"abc", b"d"))])
    assert server.asked[0]["messages"][0]["content"] == [
        {"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,YWJj"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,ZA=="}},
    ]


def test_without_counts_or_prices_costs_are_unknown_not_nothing():
    with serving(told({"choices": [{"message": {"content": "Hi."}}]})) as server:
        reply = model(server, prompt_price=1.0, completion_price=1.0)(ASKED)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.money) == (None, None, None)
    with serving(said("Hi.")) as server:
        assert model(server, prompt_price=1.0)(ASKED).money is None


def test_an_answer_at_the_limit_of_tokens_is_cut():
    with serving(said("Hel", reason="length")) as server:
        assert model(server)(ASKED).cut


def test_an_answer_in_parts_is_joined():
    with serving(said([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])) as server:
        assert model(server)(ASKED).text == "ab"


def test_halves_of_utf_16_pairs_neither_stop_a_question_nor_reach_the_reader():
    with serving(said("\ud83c\udf78 \ud83c")) as server:
        reply = model(server)([Message(role="user", text="\ud83c\udf78 \ud83c")])
    assert server.asked[0]["messages"][0]["content"] == "\U0001f378 \ufffd"
    assert reply.text == "\U0001f378 \ufffd"


NO_ANSWERS = {
    "HTML": (
        Sent(body=b"<html>Sign in</html>", headers={"Content-Type": "text/html"}),
        r"chat completion as JSON .* got text/html, 20 bytes that begin '<html>Sign in.*mostly ends with /v1",
    ),
    "an empty body": (Sent(body=b""), r"chat completion .* 0 bytes"),
    "JSON of another kind": (told({"the answer": "Hello."}), r"expected an answer .* got none in"),
    "JSON nested without end": (Sent(body=b"[" * 200_000), r"chat completion .* 200,000 bytes .*recursion"),
    "a list": (told(["Hello."]), r"chat completion .*Input should be a valid dictionary"),
    "no choices": (told({"choices": []}), r"expected an answer .* got none in '\{\"choices\": \[\]\}'"),
    "choices null": (told({"choices": None}), r"expected an answer .* got none"),
    "a message that is a text": (
        told({"choices": [{"message": "Hi."}]}),
        r"chat completion .*choices.0.message",
    ),
    "a stream": (
        Sent(body=b'data: {"choices": [{"delta"', headers={"Content-Type": "text/event-stream"}),
        r"chat completion as JSON .* got text/event-stream",
    ),
    "JSON cut inside": (Sent(body=b'{"choices": [{"message": {"conte'), r"chat completion .* 32 bytes"),
    "bytes of no text": (Sent(body=b"\xff\xfe\x00\x9f"), r"chat completion .* 4 bytes"),
    "content null": (said(None), r"expected an answer .* got no text, ended by 'stop'"),
    "content empty": (said(""), r"got an empty text, ended by 'stop'"),
    "content blank": (said(" \n\t"), r"got an empty text"),
    "all tokens spent on thinking": (
        said("", reason="length"),
        r"empty text, ended by 'length'.*most_tokens",
    ),
    "a refusal": (said(None, refusal="I cannot help."), r"the model refused: 'I cannot help.'"),
    "a filtered answer": (said("Hel", reason="content_filter"), r"content filter withheld it"),
    "a call of a tool": (said(None, reason="tool_calls"), r"no text, ended by 'tool_calls'"),
    "an error with status 200": (
        told({"error": {"message": "no money", "code": 402}}),
        r"an error: no money",
    ),
    "a body shorter than said": (
        Sent(body=b'{"choices": [', missing=100),
        r"expected a whole answer .* broke off after 13 bytes",
    ),
    "a stream that breaks off": (
        Sent(
            body=b'data: {"choices": [{"delta": {"content": "Hel',
            headers={"Content-Type": "text/event-stream"},
            breaks=True,
        ),
        r"expected a whole answer .* broke off after",
    ),
    "chunks that break off": (
        Sent(body=b'{"choices": [', breaks=True),
        r"expected a whole answer .* broke off after",
    ),
    "a dropped connection": (Sent(drops=True), r"expected a server at http.*got no connection"),
    "a wrong key": (refused("bad key", 401), r"status 401: .*bad key.*OPENAI_API_KEY"),
    "an unknown model": (refused("no model 'small'", 404), r"status 404: .*no model 'small'"),
    "an error of another form": (told({"detail": "no such field"}, 422), r"status 422: .*no such field"),
    "an error as HTML": (
        Sent(status=404, body=b"<h1>Nothing here</h1>", headers={"Content-Type": "text/html"}),
        r"status 404: .*Nothing here",
    ),
    "an error without a word": (Sent(status=502), r"status 502: .*no body"),
    "a server at fault": (refused("oh", 500), r"status 500: .*oh"),
    "too much asked": (
        refused("slow down", 429, **{"Retry-After": "600"}),
        r"status 429.*asks to wait 600 s",
    ),
}


@pytest.mark.parametrize(("sent", "match"), NO_ANSWERS.values(), ids=NO_ANSWERS.keys())
def test_what_is_no_answer_is_an_error_that_says_what_came(sent, match):
    with serving(sent) as server, pytest.raises(ModelError, match=f"(?s){match}"):
        model(server)(ASKED)
    assert len(server.asked) == 1


def test_the_key_is_never_in_an_error():
    with serving(refused("wrong key: key-of-the-test", 401)) as server, pytest.raises(ModelError) as caught:
        model(server)(ASKED)
    assert "key-of-the-test" not in str(caught.value)
    assert "***" in str(caught.value)


def test_a_server_that_takes_too_long_is_left():
    with (
        serving(Sent(wait=60)) as server,
        pytest.raises(ModelError, match=r"within 0\.2 s; got none, asked 1 t"),
    ):
        model(server, timeout=0.2)(ASKED)


def test_a_server_that_never_ends_its_answer_is_left():
    with (
        serving(Sent(drips=True)) as server,
        pytest.raises(ModelError, match=r"end its answer within 0\.3 s"),
    ):
        model(server, timeout=0.3)(ASKED)


def test_no_server_at_the_address_is_said():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(
        ModelError, match=rf"expected a server at {address}; got no connection.*OPENAI_BASE_URL"
    ):
        model(address)(ASKED)


PASSING = {
    "too much asked": refused("slow down", 429, **{"Retry-After": "0.05"}),
    "a server at fault": refused("oh", 503, **{"Retry-After": "0.05"}),
    "a body that broke off": Sent(body=b'{"choices": [', missing=100),
    "chunks that break off": Sent(body=b'{"choices": [', breaks=True),
    "too much asked, as HTML": Sent(
        body=b"<h1>Slow down</h1>",
        status=429,
        headers={"Content-Type": "text/html", "Retry-After": "0.05"},
    ),
    "a sign-in page": Sent(body=b"<html>Sign in</html>", headers={"Content-Type": "text/html"}),
    "garbage": Sent(body=b"%%%"),
    "an error that may pass": told({"error": {"message": "overloaded", "code": 503}}),
    "no choices": told({"choices": []}),
}


@pytest.mark.parametrize("sent", PASSING.values(), ids=PASSING.keys())
def test_what_may_be_better_next_time_is_asked_again(sent):
    with serving(sent, said("Hello.")) as server:
        assert model(server, retries=1)(ASKED).text == "Hello."
    assert len(server.asked) == 2
    assert server.asked[0] == server.asked[1]


def test_a_wrong_key_and_a_refusal_are_not_asked_again():
    for sent in (refused("bad key", 401), said(None, refusal="No.")):
        with serving(sent, said("Hello.")) as server, pytest.raises(ModelError):
            model(server, retries=3)(ASKED)
        assert len(server.asked) == 1


def test_the_wait_that_a_server_asks_for_is_kept():
    slow = refused("slow down", 429, **{"Retry-After": "0.4"})
    with serving(slow, said("Hello.")) as server:
        reply = model(server, retries=1)(ASKED)
    assert reply.seconds is not None
    assert reply.seconds >= 0.4


def test_settings_that_a_server_refuses_are_left_out_and_remembered():
    def takes(body):
        if "max_tokens" in body:
            return refused("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.")
        if "temperature" in body:
            return refused("Unsupported value: 'temperature' does not support 0.")
        if "seed" in body:
            return refused("unknown field seed", 422)
        return said("Hello.")

    with serving(takes) as server:
        asked = model(server, seed=3)
        first, second = asked(ASKED), asked(ASKED)
    assert first.seed is None
    assert second.text == "Hello."
    assert len(server.asked) == 5
    assert server.asked[-1] == {
        "model": "small",
        "messages": server.asked[0]["messages"],
        "max_completion_tokens": 1024,
    }


def test_a_question_that_no_form_makes_good_is_refused_with_the_servers_words():
    with (
        serving(refused("the context is full: max_tokens")) as server,
        pytest.raises(ModelError, match="is full"),
    ):
        model(server)(ASKED)
    assert len(server.asked) == 2


def test_a_key_is_wanted_for_the_public_server_alone(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ModelError, match=r"key for https://api.openai.com/v1 in .*OPENAI_API_KEY; got none"):
        ServerModel("small", ModelSettings())
    with serving(said("Hello.")) as server:
        assert model(server)(ASKED).text == "Hello."


def test_the_address_comes_from_the_environment_unless_it_is_given(monkeypatch):
    with serving(said("From the environment.")) as named, serving(said("Given.")) as given:
        monkeypatch.setenv("OPENAI_BASE_URL", named.address)
        assert ServerModel("small", ModelSettings())(ASKED).text == "From the environment."
        assert model(given)(ASKED).text == "Given."


def test_an_address_without_http_is_refused():
    with pytest.raises(ModelError, match=r"such as http://localhost:8000/v1; got 'localhost:8000'"):
        model("localhost:8000")
