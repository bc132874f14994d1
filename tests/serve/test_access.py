from __future__ import annotations

import asyncio

import pytest

from echo.serve.access import RequireToken, find_token
from echo.serve.reply import Refused

TOKEN = "correct-horse-battery"


def answered(*headers: tuple[bytes, bytes], kind: str = "http") -> list[dict]:
    """Return what is sent for a request with these headers; 'through' stands for the application's answer."""
    sent = []

    async def application(scope, receive, send):
        sent.append({"type": "through"})

    async def send(message):
        sent.append(message)

    async def receive():
        raise AssertionError("the body of a refused request is not read")

    scope = {"type": kind, "headers": list(headers)}
    asyncio.run(RequireToken(application, TOKEN)(scope, receive, send))
    return sent


def bearer(token: str) -> tuple[bytes, bytes]:
    return (b"authorization", f"Bearer {token}".encode())


def test_the_token_lets_a_request_through():
    assert answered(bearer(TOKEN)) == [{"type": "through"}]


def test_the_scheme_may_be_written_in_any_case():
    assert answered((b"Authorization", b"bearer " + TOKEN.encode())) == [{"type": "through"}]


@pytest.mark.parametrize(
    "headers",
    [
        (),
        (bearer(""),),
        (bearer(TOKEN[:-1]),),
        (bearer(TOKEN + "x"),),
        (bearer("x" * len(TOKEN)),),
        (bearer("ü" * len(TOKEN)),),
        ((b"authorization", b"Basic " + TOKEN.encode()),),
        ((b"authorization", TOKEN.encode()),),
        ((b"x-token", TOKEN.encode()),),
        (bearer("x" * 20), bearer(TOKEN)),
    ],
)
def test_anything_else_is_answered_with_401_and_no_hint(headers):
    start, body = answered(*headers)
    assert start["status"] == 401
    assert dict(start["headers"])[b"www-authenticate"].startswith(b"Bearer")
    assert TOKEN.encode() not in body["body"]


def test_a_websocket_is_not_let_through():
    assert answered(bearer(TOKEN), kind="websocket")[0]["status"] == 401


def test_a_file_comes_before_the_environment(tmp_path):
    (tmp_path / "token").write_text("from-the-file-12345\n")
    held = {"ECHO_MEMORY_TOKEN": "from-the-variable-1"}
    assert find_token(tmp_path / "token", held) == "from-the-file-12345"
    assert find_token(None, held) == "from-the-variable-1"
    assert find_token(None, {}) is None


@pytest.mark.parametrize("text", ["", "short", "x" * 15, "fifteen letters", "two words are no token"])
def test_a_weak_token_is_refused_without_being_told(tmp_path, text):
    (tmp_path / "token").write_text(text)
    with pytest.raises(Refused, match="expected") as refused:
        find_token(tmp_path / "token", {})
    assert not text or text not in str(refused.value)


def test_an_empty_variable_is_no_token():
    with pytest.raises(Refused, match="at least 16 characters in ECHO_MEMORY_TOKEN; got 0"):
        find_token(None, {"ECHO_MEMORY_TOKEN": ""})


def test_a_missing_file_and_one_of_other_bytes_are_refused(tmp_path):
    with pytest.raises(Refused, match=r"expected a file with a token at .*absent"):
        find_token(tmp_path / "absent", {})
    (tmp_path / "token").write_bytes(b"\xff" * 20)
    with pytest.raises(Refused, match="got bytes above 127"):
        find_token(tmp_path / "token", {})
