"""A program that answers: the question as JSON on its standard input, the answer on its standard output."""

from __future__ import annotations

import json
import shlex
import subprocess
import time
from collections.abc import Sequence

from csd.chat import JsonSchema, Message, ModelError, Reply
from echo.models.pictures import data_url
from echo.models.settings import ModelSettings

_SHOWN = 400
"""Characters of what a program said that an error repeats."""


class ProgramModel:
    """A model that starts a program for each question.

    The program reads ``{"messages": [{"role", "content", "images": [data URL, ...]}, ...], "schema",
    "most_tokens", "temperature", "seed"}``; all that it writes to its standard output is the answer. How many
    tokens it took, it cannot say.
    """

    def __init__(self, command: str, settings: ModelSettings) -> None:
        """Take the command, split as a shell would, without a shell.

        Raises:
            ModelError: if it cannot be split.
        """
        self.name = f"command:{command}"
        self._settings = settings
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise ModelError(f"expected a command; got {command!r}: {error}") from error
        if not self._words:
            raise ModelError("expected a program after 'command:'; got nothing.")

    def told(self) -> dict[str, object]:
        """Return what beside the conversation decides an answer."""
        one = self._settings
        return {
            "model": self.name,
            "most_tokens": one.most_tokens,
            "temperature": one.temperature,
            "seed": one.seed,
        }

    def __call__(self, messages: Sequence[Message], /, *, schema: JsonSchema | None = None) -> Reply:
        """Start the program and return what it wrote.

        Raises:
            ModelError: if it cannot be started, takes too long, fails, or writes nothing readable.
        """
        began = time.perf_counter()
        text = self._output(json.dumps(self._question(messages, schema)).encode("ascii"))
        return Reply(text=text, seed=self._settings.seed, seconds=time.perf_counter() - began)

    def _question(self, messages: Sequence[Message], schema: JsonSchema | None) -> dict[str, object]:
        told = [
            {"role": one.role, "content": one.text, "images": [data_url(image) for image in one.images]}
            for one in messages
        ]
        return {**self.told(), "messages": told, "schema": schema}

    def _output(self, question: bytes) -> str:
        try:
            done = subprocess.run(
                self._words, input=question, capture_output=True, timeout=self._settings.timeout, check=False
            )
        except OSError as error:
            raise ModelError(f"expected a program to start as {self.name}; got: {error}") from error
        except subprocess.TimeoutExpired as error:
            raise ModelError(
                f"expected {self.name} to answer within {self._settings.timeout:g} s; it did not. Allow more."
            ) from error
        said = done.stderr.decode("utf-8", "replace").strip()[-_SHOWN:]
        if done.returncode != 0:
            raise ModelError(f"expected {self.name} to end with 0; got {done.returncode}: {said}")
        try:
            text = done.stdout.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            raise ModelError(f"expected UTF-8 from {self.name}; got: {error}") from error
        if not text:
            raise ModelError(f"expected {self.name} to write an answer; got nothing. It said: {said}")
        return text
