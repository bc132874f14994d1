"""What models are asked in an evaluation: test rows of a data folder, or texts that a user brings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from csd.by_model.shape import shape_faults
from csd.by_model.tolerant import Unreadable, read_json
from csd.chat import Message
from csd.episode import Episode
from csd.resources import data_file
from finetune.evaluation.errors import EvaluationError
from finetune.examples.card import Card
from finetune.examples.folder import CARD_JSON, EPISODES
from finetune.examples.rows import KINDS, OUT_OF_TEMPLATE
from finetune.json_line import half_pair, json_object
from finetune.training.rows import Row, as_text, read_rows

TEST = "test.jsonl"

TEXTS = "texts"
"""Group of the questions that a user brings."""

ROLES = ("system", "user", "assistant")

COLUMNS = ("text", "messages", "gold", "record")
"""What an input of a user's may say."""

ReadEpisode = Callable[[Any], Episode]
"""Reads an episode from JSON values; raises ValueError on others."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """One conversation for a model to answer."""

    name: str
    """Where it stands, such as 'test.jsonl line 12'."""
    messages: tuple[Message, ...]
    group: str
    """`write`, `repair`, `refuse`, `out_of_template` or `texts`: figures of a group are never mixed."""
    gold: str | None
    """The answer as the rule builder writes it; None where nobody says."""
    episode: Episode | None
    """What the conversation tells of; None where that is not known, and grounding cannot be checked."""
    recorded: str = ""
    """Name of the episode over all memories; empty where it has none."""
    style: str = ""
    """How the trace is told; empty for a user's texts."""
    family: str = ""
    """What the deciding step did and whether it worked; empty for a user's texts."""

    @property
    def asked(self) -> tuple[Message, ...]:
        """The messages that an answer must not repeat; a repair may well repeat the attempt it mends."""
        first = [each.role for each in self.messages].index("assistant") if self.group == "repair" else None
        return self.messages[:first]


@dataclass(frozen=True, kw_only=True)
class Questions:
    """All there is to ask, in the order of the file."""

    questions: tuple[Question, ...]
    digest: str
    """SHA-256, in hex, of the file (and of the file of episodes)."""
    card: str | None = None
    """Digest that the data card beside the file tells; None without a card, or with one of other rows."""


def read_questions(folder: Path, read_episode: ReadEpisode) -> Questions:
    """Read the test rows of a data folder with the episodes they tell of.

    Args:
        folder: from `echo-memory finetune examples`.
        read_episode: reads an episode of its file of episodes.

    Raises:
        EvaluationError: if a row lacks a column or its episode, or an episode cannot be read.
        TrainingError: if a row is no conversation.
        OSError: if a file cannot be read.
    """
    path = folder / TEST
    rows, episodes = read_rows(path), _episodes(folder / EPISODES, read_episode)
    lines = [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]
    made = tuple(_of_row(row, told, episodes) for row, told in zip(rows.rows, lines, strict=True))
    digest = hashlib.sha256(rows.digest.encode() + (folder / EPISODES).read_bytes()).hexdigest()
    return Questions(questions=made, digest=digest, card=_card(folder, rows.digest))


def read_texts(path: Path, read_episode: ReadEpisode) -> Questions:
    """Read inputs that a user brings, one JSON object a line.

    Each has ``text`` (what the user would say), or ``messages`` (the whole conversation; an assistant's last
    message is the right answer). It may have ``gold``, the right answer as a compact descriptor, and
    ``record``, the episode that the text tells of: without them the figures that need them are left open.

    Raises:
        EvaluationError: on a line that is not such an object, or a file without any.
        OSError: if the file cannot be read.
    """
    data = path.read_bytes()
    lines = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    if not lines:
        raise EvaluationError(f'expected lines such as {{"text": ...}} in {path}; got none.')
    made = tuple(_of_text(line, f"{path.name} line {number}", read_episode) for number, line in lines)
    return Questions(questions=made, digest=hashlib.sha256(data).hexdigest())


def _card(folder: Path, rows: str) -> str | None:
    try:
        card = Card.model_validate_json((folder / CARD_JSON).read_bytes())
    except (OSError, ValidationError):
        return None
    return card.digest if "test" in card.splits and card.splits["test"].sha256 == rows else None


def instruction() -> str:
    """Return the system message that tuned models know."""
    return data_file("prompts", "describe.md").read_text(encoding="utf-8").strip()


def _of_row(row: Row, told: Mapping[str, Any], episodes: Mapping[str, Episode]) -> Question:
    kind, name = told.get("kind"), told.get("episode")
    if kind not in KINDS or not isinstance(name, str):
        raise EvaluationError(
            f"expected 'kind' out of {', '.join(KINDS)} and the name of an episode in {row.name}; got "
            f"{kind!r} and {name!r}. Make the data with `echo-memory finetune examples`."
        )
    # A refusal tells of the mere beginning of the episode it names.
    episode = None if kind == "refuse" else episodes.get(name)
    if kind != "refuse" and episode is None:
        raise EvaluationError(
            f"expected the episode of {row.name} in {EPISODES}; got none. Make the data anew."
        )
    messages = _messages(row.messages, [path.read_bytes() for path in row.images], row.name)
    gold = messages[-1].text
    if kind != "refuse":
        _check_gold(gold, row.name)
    return Question(
        name=row.name,
        messages=messages[:-1],
        group=OUT_OF_TEMPLATE if told.get("split") == OUT_OF_TEMPLATE else kind,
        gold=gold,
        episode=episode,
        recorded=name,
        style=str(told.get("style", "")),
        family=str(told.get("family", "")),
    )


def _of_text(line: bytes, where: str, read_episode: ReadEpisode) -> Question:
    told = json_object(line, where, EvaluationError)
    _check_text(told, where)
    messages: tuple[Message, ...]
    if "text" in told:
        messages = (Message(role="system", text=instruction()), Message(role="user", text=told["text"]))
    elif isinstance(told.get("messages"), list) and told["messages"]:
        messages = _messages(told["messages"], [], where)
    else:
        raise EvaluationError(f"expected 'text', or 'messages', in {where}; got {', '.join(told) or 'none'}.")
    gold = told.get("gold")
    if messages[-1].role == "assistant":
        gold, messages = gold if gold is not None else messages[-1].text, messages[:-1]
    if not messages or messages[-1].role != "user" or not messages[-1].text.strip():
        raise EvaluationError(f"expected a conversation that ends with what the user says in {where}.")
    if gold is not None:
        gold = gold if isinstance(gold, str) else json.dumps(gold, separators=(",", ":"))
        _check_gold(gold, where)
    return Question(
        name=where,
        messages=messages,
        group=TEXTS,
        gold=gold,
        episode=None if told.get("record") is None else _episode(told["record"], where, read_episode),
    )


def _check_text(told: Mapping[str, Any], where: str) -> None:
    """Raise unless an input of a user's has columns that are known, and text that can be written."""
    alien = [name for name in told if name not in COLUMNS]
    if alien or ("text" in told) == ("messages" in told):
        raise EvaluationError(
            f"expected 'text', or 'messages', in {where}, and beside it 'gold' and 'record' alone; got "
            f"{', '.join(told) or 'none'}."
        )
    if "text" in told and not isinstance(told["text"], str):
        raise EvaluationError(
            f"expected 'text' to be a string in {where}; got {json.dumps(told['text'])[:80]}."
        )
    if (half := half_pair({name: each for name, each in told.items() if name != "record"})) is not None:
        raise EvaluationError(
            f"expected text that can be written as UTF-8 in {where}; got half a surrogate pair ({half})."
        )


def _messages(told: Sequence[Any], images: Sequence[bytes], where: str) -> tuple[Message, ...]:
    """Return the messages of a row, each with its pictures, of which `images` holds all in order."""
    found, used = [], 0
    for each in told:
        if not isinstance(each, dict) or each.get("role") not in ROLES or "content" not in each:
            raise EvaluationError(
                f"expected messages with a role out of {', '.join(ROLES)} and content in {where}; got "
                f"{json.dumps(each)[:80]}."
            )
        parts = each["content"] if isinstance(each["content"], list) else []
        shown = sum(isinstance(part, dict) and part.get("type") == "image" for part in parts)
        pictures = tuple(images[used : used + shown])
        used += shown
        if len(pictures) < shown:
            raise EvaluationError(f"expected a picture file for each picture in {where}; got fewer.")
        found.append(Message(role=each["role"], text=as_text([each])[0]["content"], images=pictures))
    return tuple(found)


def _check_gold(gold: str, where: str) -> None:
    try:
        faults: Sequence[str] = shape_faults(read_json(gold).value)
    except Unreadable as error:
        faults = (str(error),)
    if faults:
        raise EvaluationError(
            f"expected a compact descriptor as the right answer in {where}; got {faults[0]} Make it with "
            f"`echo-memory finetune examples`."
        )


def _episodes(path: Path, read_episode: ReadEpisode) -> dict[str, Episode]:
    def each() -> Iterator[tuple[str, Episode]]:
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
            if line.strip():
                where = f"{path.name} line {number}"
                told = json_object(line, where, EvaluationError)
                yield str(told.get("episode")), _episode(told.get("record"), where, read_episode)

    return dict(each())


def _episode(record: Any, where: str, read_episode: ReadEpisode) -> Episode:
    try:
        return read_episode(record)
    except (ValueError, TypeError, RecursionError) as error:
        raise EvaluationError(f"expected an episode in {where}; got: {error}") from error
