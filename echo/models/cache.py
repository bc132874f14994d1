"""Answers kept on disk, by the digest of all that decided them."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import ValidationError

from csd.chat import JsonSchema, Message, Model, ModelError, Reply, answers
from csd.descriptor import Record
from echo.models.text import whole_text

_LOG = logging.getLogger(__name__)


class Telling(Model, Protocol):
    """A model that says what decides its answers."""

    def told(self) -> dict[str, object]:
        """Return, as JSON values, all that beside conversation and schema decides an answer."""
        ...


class KeptReply(Record):
    """A file of the cache."""

    format: Literal[1] = 1
    request: dict[str, Any]
    """What was asked; its digest is the name of the file. Pictures are told by their digests."""
    text: str
    prompt_tokens: int | None
    completion_tokens: int | None
    money: float | None
    seed: int | None
    seconds: float | None
    cut: bool
    held_to_schema: bool

    def reply(self) -> Reply:
        """Return the answer, which costs nothing now: money and seconds are 0."""
        own = {name: getattr(self, name) for name in _FIELDS}
        return Reply(**{**own, "money": 0.0, "seconds": 0.0, "cached": True})


_FIELDS = tuple(name for name in KeptReply.model_fields if name not in ("format", "request"))


def kept(model: Telling, folder: Path | None, *, together: int = 1) -> Model:
    """Return `model` with its answers kept in `folder`; `model` itself where that is None."""
    return model if folder is None else Kept(model, folder, together=together)


class Kept:
    """A model whose answers are kept: a question asked before, with equal settings, is answered from disk.

    Threads and processes may share the folder. A file that cannot be read is logged, asked anew and replaced.
    """

    def __init__(self, model: Telling, folder: Path, *, together: int = 1) -> None:
        """Keep the answers of `model` in `folder`, each `together` that are asked at once."""
        self._model, self._folder, self._together = model, folder, together
        self._told = model.told()
        self._turn = threading.Lock()
        self._asking: dict[str, threading.Lock] = {}

    @property
    def name(self) -> str:
        """What results call it."""
        return self._model.name

    def __call__(self, messages: Sequence[Message], /, *, schema: JsonSchema | None = None) -> Reply:
        """Answer from disk, else ask and keep.

        Raises:
            ModelError: if the model cannot answer, or the disk refuses.
        """
        request = self._request(messages, schema)
        path = self._path(request)
        with self._turn:
            own = self._asking.setdefault(path.name, threading.Lock())
        # Threads with an equal question wait for the first one, which pays.
        with own:
            found = self._find(path)
            if found is None:
                found = self._model(messages, schema=schema)
                self._keep(path, request, found)
            return found

    def answer_each(
        self, conversations: Sequence[Sequence[Message]], /, *, schema: JsonSchema | None = None
    ) -> list[Reply]:
        """Answer each conversation, in their order; what has to be asked is kept as soon as it is there.

        Raises:
            ModelError: if the model cannot answer one, or the disk refuses.
        """
        requests = [self._request(each, schema) for each in conversations]
        paths = [self._path(request) for request in requests]
        replies = {path: found for path in dict.fromkeys(paths) if (found := self._find(path)) is not None}
        places = {path: place for place, path in reversed(list(enumerate(paths))) if path not in replies}
        missing = sorted(places.values())
        for start in range(0, len(missing), self._together):
            part = missing[start : start + self._together]
            asked = answers(self._model, [conversations[place] for place in part], schema=schema)
            for place, reply in zip(part, asked, strict=True):
                self._keep(paths[place], requests[place], reply)
                replies[paths[place]] = reply
        return [
            self._again(replies[path], places.get(path, place), place) for place, path in enumerate(paths)
        ]

    def _again(self, reply: Reply, first: int, place: int) -> Reply:
        """Return `reply` as the first to ask got it, and as of the cache for those after it."""
        return reply if first == place else replace(reply, money=0.0, seconds=0.0, cached=True)

    def _request(self, messages: Sequence[Message], schema: JsonSchema | None) -> dict[str, Any]:
        told = [
            [each.role, whole_text(each.text), [hashlib.sha256(image).hexdigest() for image in each.images]]
            for each in messages
        ]
        return {"settings": self._told, "messages": told, "schema": schema}

    def _path(self, request: dict[str, Any]) -> Path:
        # In the order of the schema's keys, not sorted: decoding follows that order.
        text = json.dumps(request, separators=(",", ":"))
        digest = hashlib.sha256(text.encode("ascii")).hexdigest()
        return self._folder / digest[:2] / f"{digest}.json"

    def _find(self, path: Path) -> Reply | None:
        try:
            return KeptReply.model_validate_json(path.read_bytes()).reply()
        except FileNotFoundError:
            return None
        except ValidationError as error:
            _LOG.warning("expected an answer in %s; got: %s. It is asked anew.", path, error)
            return None
        except OSError as error:
            raise _refused(path, error) from error

    def _keep(self, path: Path, request: dict[str, Any], reply: Reply) -> None:
        own = {name: value for name, value in asdict(reply).items() if name in _FIELDS}
        own["text"] = whole_text(reply.text)
        data = KeptReply(request=request, **own).model_dump_json(indent=1).encode("utf-8")
        unfinished: Path | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".unfinished", delete=False) as file:
                unfinished = Path(file.name)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(path)
        except OSError as error:
            if unfinished is not None:
                unfinished.unlink(missing_ok=True)
            raise _refused(path, error) from error


def _refused(path: Path, error: OSError) -> ModelError:
    return ModelError(f"expected to keep answers at {path}; got: {error}. Name another folder for the cache.")
