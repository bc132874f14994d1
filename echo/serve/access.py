"""The token a client must show: where it comes from, and the check of every HTTP request."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from echo.serve.reply import Refused

VARIABLE = "ECHO_MEMORY_TOKEN"
"""Environment variable that holds the token; never an argument, which other users of a machine can read."""

SHORTEST = 16
"""Least number of characters, so that it cannot be guessed."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


def find_token(file: Path | None, environment: Mapping[str, str]) -> str | None:
    """Return the token in `file`, else the one in the environment, else None.

    Raises:
        Refused: if the file cannot be read, or a token is too short or has other characters than visible
            ASCII; the token itself is never told.
    """
    if file is not None:
        try:
            text = file.read_bytes().decode("ascii").strip()
        except OSError as error:
            raise Refused(f"expected a file with a token at {file}; got {error}. {_MAKE_ONE}") from error
        except UnicodeDecodeError as error:
            raise Refused(
                f"expected a token of visible ASCII in {file}; got bytes above 127. {_MAKE_ONE}"
            ) from error
        return _checked(text, str(file))
    held = environment.get(VARIABLE)
    return None if held is None else _checked(held.strip(), VARIABLE)


_MAKE_ONE = "Make one: python3 -c 'import secrets; print(secrets.token_urlsafe(32))' > FILE."


def _checked(token: str, where: str) -> str:
    if len(token) < SHORTEST:
        raise Refused(
            f"expected a token of at least {SHORTEST} characters in {where}; got {len(token)}. {_MAKE_ONE}"
        )
    if not all("!" <= letter <= "~" for letter in token):
        raise Refused(
            f"expected one token of visible ASCII without blanks in {where}; got others. {_MAKE_ONE}"
        )
    return token


class RequireToken:
    """An ASGI application that lets through what carries the token, and answers the rest with 401."""

    def __init__(self, application: Application, token: str) -> None:
        """Stand before `application`."""
        self._application = application
        self._token = token.encode("ascii")

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request; the body of a refused one is not read."""
        if scope["type"] == "lifespan" or self._shown(scope):
            await self._application(scope, receive, send)
            return
        body = b'{"error": "unauthorized: send the header Authorization: Bearer TOKEN"}\n'
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode("ascii")),
            (b"www-authenticate", b'Bearer realm="echo-memory"'),
        ]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _shown(self, scope: Mapping[str, Any]) -> bool:
        """Return whether a request carries the token, in a time that does not depend on how much fits."""
        shown = [value for name, value in scope.get("headers", ()) if name.lower() == b"authorization"]
        if scope["type"] != "http" or len(shown) != 1:
            return False
        scheme, _, credentials = shown[0].partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(credentials.strip(), self._token)
