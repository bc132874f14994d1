"""The way to a server that speaks OpenAI's protocol, and what can go wrong on it."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from csd.chat import ModelError
from echo.models.server_answer import Answer, BrokenAnswerError, read_answer
from echo.models.settings import ModelSettings

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

KEY = "OPENAI_API_KEY"
ADDRESS = "OPENAI_BASE_URL"
OWN_ADDRESS = "https://api.openai.com/v1"

INSTALL = "pip install 'echo-memory[openai]'"

_MOST_BYTES = 16 * 2**20
"""Of an answer; a model's longest is far below it, a server gone wild above."""

_REFUSALS = (400, 404, 405, 415, 422, 501)
"""Statuses of a server that does not take a question as it is put."""

_SHOWN = 400


class RefusedError(ModelError):
    """A server does not take the question as it is put; put otherwise, it may."""

    def __init__(self, text: str, *, named: str) -> None:
        """Say `text`; the server's own words are `named`, in lower case."""
        super().__init__(text)
        self.named = named


class Wire:
    """A server; threads may share it."""

    def __init__(self, settings: ModelSettings) -> None:
        """Find the server's address and key; nothing is sent yet.

        Raises:
            ModelError: if the openai package or the key is missing, or the address is none.
        """
        try:
            import openai
        except ImportError as error:
            raise ModelError(f"expected the openai package; got none: {INSTALL}") from error
        self._errors = openai
        self._settings = settings
        self.address = (settings.base_url or os.environ.get(ADDRESS) or OWN_ADDRESS).rstrip("/")
        if not self.address.startswith(("http://", "https://")):
            raise ModelError(
                f"expected a server's address such as http://localhost:8000/v1; got {self.address!r}."
            )
        self._key = os.environ.get(KEY, "").strip()
        if not self._key and self.address == OWN_ADDRESS:
            raise ModelError(
                f"expected a key for {self.address} in the environment variable {KEY}; got none. Set it, or "
                f"name another server in {ADDRESS}."
            )
        self._client = self._connected()

    def _connected(self) -> OpenAI:
        return self._errors.OpenAI(
            base_url=self.address,
            # Servers on one's own machine mostly ask for none; the client wants some text.
            api_key=self._key or "none",
            timeout=self._settings.timeout,
            # Waits as Retry-After says, else 0.5 s doubled each time up to 8 s, less a quarter at most.
            max_retries=self._settings.retries,
        )

    def send(self, body: Mapping[str, Any]) -> Answer:
        """Send a question and return the answer.

        What may be better next time (time-out, no connection, statuses 408, 409, 429 and from 500, a broken
        body) is tried again.

        Raises:
            RefusedError: if the server does not take the question as it is put.
            ModelError: if there is no answer for another reason.
        """
        tried = 0
        while True:
            try:
                return self._send_once(body)
            except BrokenAnswerError:
                if tried == self._settings.retries:
                    raise
            # As the client does; by chance, so that many askers do not come back together.
            time.sleep(min(8.0, 0.5 * 2**tried) * random.uniform(0.75, 1.0))
            tried += 1

    def _send_once(self, body: Mapping[str, Any]) -> Answer:
        asked = self._client.chat.completions.with_streaming_response
        try:
            with asked.create(**body) as response:
                data = self._read(response)
                kind = response.headers.get("content-type", "")
        except self._errors.APIStatusError as error:
            raise self._refused(error) from error
        except self._errors.APITimeoutError as error:
            raise ModelError(
                f"expected an answer from {self.address} within {self._settings.timeout:g} s; got none, "
                f"asked {1 + self._settings.retries} times. Is the server up? Allow more time (timeout)."
            ) from error
        except self._errors.APIConnectionError as error:
            raise ModelError(
                f"expected a server at {self.address}; got no connection: {error.__cause__ or error}. Start "
                f"it, or name another one in {ADDRESS}."
            ) from error
        except self._errors.OpenAIError as error:
            raise ModelError(
                f"expected an answer from {self.address}; got: {self._hidden(str(error))}"
            ) from error
        return read_answer(data, kind=kind, place=self.address)

    def _read(self, response: Any) -> bytes:
        """Return a body that ends in time and in measure."""
        import httpx2

        deadline = time.monotonic() + self._settings.timeout
        parts: list[bytes] = []
        size = 0
        try:
            for part in response.iter_bytes():
                parts.append(part)
                size += len(part)
                if size > _MOST_BYTES:
                    raise ModelError(
                        f"expected at most {_MOST_BYTES:,} bytes from {self.address}; it goes on sending."
                    )
                if time.monotonic() > deadline:
                    raise ModelError(
                        f"expected {self.address} to end its answer within {self._settings.timeout:g} s; it "
                        f"goes on after {size:,} bytes. Allow more time (timeout)."
                    )
        except httpx2.HTTPError as error:
            raise BrokenAnswerError(
                f"expected a whole answer from {self.address}; it broke off after {size:,} bytes: {error}"
            ) from error
        return b"".join(parts)

    def _refused(self, error: APIStatusError) -> ModelError:
        # The client's message holds no body but that of OpenAI's own form.
        told = error.message if " - " in error.message else f"{error.message} - {error.body or 'no body'}"
        said = self._hidden(told)
        status = error.status_code
        text = f"expected an answer from {self.address}; got status {status}: {said[:_SHOWN]}"
        if status in (401, 403):
            hint = "Check it" if self._key else "It is not set"
            return ModelError(f"{text} It does not take the key in {KEY}. {hint}.")
        if status == 429:
            wait = error.response.headers.get("retry-after")
            when = f"It asks to wait {wait} s." if wait else "Ask later, or less at once (concurrency)."
            return ModelError(f"{text} {when}")
        if status in _REFUSALS:
            return RefusedError(text, named=f"{error.param or ''} {said}".lower())
        return ModelError(text)

    def _hidden(self, text: str) -> str:
        """Return `text` without the key, which some servers repeat."""
        return text.replace(self._key, "***") if self._key else text
