"""Reading the rows that a model is trained on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from finetune.json_line import half_pair, json_object
from finetune.training.errors import TrainingError

ROLES = ("system", "user", "assistant", "tool")


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A conversation whose last message, the assistant's, is what is learned."""

    name: str
    """Where it stands, and of which episode it is: for errors."""
    messages: tuple[Mapping[str, Any], ...]
    """As chat templates take them: a role, and content as text or as a list of parts."""
    images: tuple[Path, ...] = ()
    """Pictures in the order in which the messages show them."""


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The rows of a file."""

    rows: tuple[Row, ...]
    digest: str
    """SHA-256 of the file, in hex."""


def read_rows(path: Path, *, most: int | None = None) -> Rows:
    """Read a JSONL file of conversations, in its order.

    Args:
        path: one JSON object a line, with ``messages``, or ``prompt`` and ``completion`` (lists of messages),
            and perhaps ``images`` (names of files beside `path`). Other columns are not looked at. Empty
            lines are skipped.
        most: only the first so many rows are kept; all are checked.

    Raises:
        TrainingError: if there are no rows, or a line is not such an object.
        OSError: if the file cannot be read.
    """
    data = path.read_bytes()
    rows = tuple(_row(path, number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip())
    if not rows:
        raise TrainingError(
            f"expected rows in {path}; got none. Make data with `echo-memory finetune examples`."
        )
    return Rows(rows=rows[:most], digest=hashlib.sha256(data).hexdigest())


def _row(path: Path, number: int, line: bytes) -> Row:
    where = f"{path.name} line {number}"
    told = json_object(line, f"{path}, line {number}", TrainingError)
    episode = told.get("episode")
    messages = told["messages"] if "messages" in told else _joined(told)
    _check(messages, where)
    images = told.get("images") or []
    if not isinstance(images, list) or not all(isinstance(name, str) for name in images):
        raise TrainingError(
            f"expected a list of names of files as 'images' in {where}; got {json.dumps(images)[:80]}."
        )
    if (half := half_pair([messages, images])) is not None:
        raise TrainingError(
            f"expected text that can be written as UTF-8 in {path}, line {number}; got half a surrogate pair "
            f"({half}), which no tokenizer takes. Leave the row out, or mend its text."
        )
    return Row(
        name=f"{where} ({episode})" if isinstance(episode, str) else where,
        messages=tuple(messages),
        images=tuple(path.parent / name for name in images),
    )


def _joined(told: Mapping[str, Any]) -> Any:
    """Return the messages of a row that has its answer apart."""
    prompt, completion = told.get("prompt", []), told.get("completion", [])
    if not isinstance(prompt, list) or not isinstance(completion, list):
        return [prompt, completion]
    return prompt + completion


def _check(messages: Any, where: str) -> None:
    """Raise unless `messages` is a conversation that ends with something for the assistant to learn."""
    if not isinstance(messages, list) or len(messages) < 2 or not all(map(_is_message, messages)):
        raise TrainingError(
            f"expected two messages or more in {where}, each with a role out of {', '.join(ROLES)} and "
            f"content; got {json.dumps(messages)[:120]}."
        )
    last = messages[-1]
    if last["role"] != "assistant" or not text_of(last).strip():
        raise TrainingError(
            f"expected the last message in {where} to be the assistant's and not empty; got the "
            f"{last['role']}'s, {len(text_of(last))} characters. It is what is learned."
        )


def _is_message(told: Any) -> bool:
    return (
        isinstance(told, dict)
        and told.get("role") in ROLES
        and (isinstance(told.get("content"), str) or _is_parts(told.get("content")))
    )


def _is_parts(content: Any) -> bool:
    return isinstance(content, list) and all(isinstance(part, dict) and "type" in part for part in content)


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a message without its pictures."""
    content = message["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or "" for part in content if part["type"] == "text")


def as_text(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return messages whose content is text alone, as templates of text models take them."""
    return [{"role": each["role"], "content": text_of(each)} for each in messages]
