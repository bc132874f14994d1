"""Rows of a data set: one conversation each, in the chat format, with what it was made from."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from csd.chat import Message
from finetune.examples.families import About
from finetune.examples.recorded import LeftOut
from finetune.examples.splits import Split

TokenCount = Callable[[Sequence[Message]], int]
"""Tokens of a conversation as its chat template renders it."""

Kind = Literal["write", "repair", "refuse"]
KINDS: tuple[Kind, ...] = ("write", "repair", "refuse")

Layout = Literal["messages", "messages-marked", "prompt-completion"]
LAYOUTS: tuple[Layout, ...] = ("messages", "messages-marked", "prompt-completion")

OUT_OF_TEMPLATE = "out_of_template"
"""What the column `split` says of test rows in a style that training never shows."""


@dataclass(frozen=True, kw_only=True)
class Example:
    """One conversation whose last message is what the model is to learn to answer."""

    messages: tuple[Message, ...]
    episode: str
    """Name of the episode over all memories."""
    kind: Kind
    told: About
    group: str
    """The group of its item family."""
    style: str
    """How the trace is told."""
    split: Split
    unseen_style: bool
    task: str
    """The goal in the words of the episode."""
    fault: str = ""
    """What is wrong in the answer that a repair mends; empty for other kinds."""

    @property
    def prompt(self) -> tuple[Message, ...]:
        """All messages but the answer."""
        return self.messages[:-1]

    @property
    def answer(self) -> str:
        """What the model is to learn to write."""
        return self.messages[-1].text

    @property
    def key(self) -> tuple[tuple[str, str], ...]:
        """The conversation as text; equal keys are equal conversations."""
        return tuple((message.role, message.text) for message in self.messages)

    @property
    def pictured(self) -> bool:
        """Whether it shows a picture."""
        return any(message.images for message in self.messages)

    @property
    def characters(self) -> int:
        """Length of all messages together."""
        return sum(len(message.text) for message in self.messages)


def row(example: Example, layout: Layout, images: Sequence[str] | None) -> dict[str, Any]:
    """Return an example as the JSON object that becomes one line.

    Args:
        example: what to write.
        layout: `messages` has one list of messages; `messages-marked` has `train` with each of them, true
            for the last alone (which Axolotl reads); `prompt-completion` has the answer apart (which TRL
            reads). With either of the latter, trainers that would take the loss on every answer of the
            assistant do not learn from the wrong attempt in a repair.
        images: names of the picture files, one for each picture of the conversation, in order; None for a
            data set without pictures, whose messages are plain text. With pictures, each message is a list
            of parts, which is how vision collators read it, and the column `images` holds the names.
    """
    told = [_message(message, parts=images is not None) for message in example.messages]
    conversation: dict[str, Any] = {"messages": told}
    if layout == "prompt-completion":
        conversation = {"prompt": told[:-1], "completion": told[-1:]}
    elif layout == "messages-marked":
        for message in told:
            message["train"] = message is told[-1]
    return {
        **conversation,
        **({} if images is None else {"images": list(images)}),
        "episode": example.episode,
        "kind": example.kind,
        "family": example.told.task_family,
        "item_family": example.told.item_family,
        "style": example.style,
        "split": OUT_OF_TEMPLATE if example.unseen_style else example.split,
        "task": example.task,
    }


def line(row: dict[str, Any], *, ascii_only: bool = False) -> str:
    """Return a row as one line of JSON."""
    return json.dumps(row, ensure_ascii=ascii_only, separators=(",", ":"), allow_nan=False) + "\n"


def unwritable(example: Example) -> LeftOut | None:
    """Return why an example cannot be written as UTF-8, or None where it can.

    Game names can hold half a surrogate pair, which neither files nor tokenizers take.
    """
    for text in (example.task, *(message.text for message in example.messages)):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            found = repr(text[error.start : error.end])
            return LeftOut(name=example.episode, reason="half a surrogate pair in its text", detail=found)
    return None


def _message(message: Message, *, parts: bool) -> dict[str, Any]:
    if not parts:
        return {"role": message.role, "content": message.text}
    pictures = [{"type": "image", "text": None} for _ in message.images]
    return {"role": message.role, "content": [*pictures, {"type": "text", "text": message.text}]}
