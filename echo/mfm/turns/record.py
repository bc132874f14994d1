"""What is written down of a turn of a model-driven agent: one line of turns.jsonl.

Source: MFM's turn records (turn, step, prompt digest, messages, commands with their output, changes to
the agent's files, frames viewed, token usage). Differs in that the standing brief, the same in every
turn, is kept once (a line of kind "brief") and named by its digest in the turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo.mfm.codec import Mismatch, from_json, to_json
from echo.mfm.layout import TURNS
from echo.mfm.log import append_log, read_log

Spot = tuple[float, float]
"""Where on the map, (x, z) in blocks."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One question to the model and its answer."""

    prompt_digest: str
    """Of all messages, pictures included, see `csd.chat.prompt_digest`."""
    completion: str
    prompt_tokens: int | None
    completion_tokens: int | None
    money: float | None
    seed: int | None


@dataclass(frozen=True, kw_only=True)
class Done:
    """One command of the agent with what it was told."""

    command: str
    """As the agent wrote it, one line of JSON."""
    output: str
    ok: bool


@dataclass(frozen=True, kw_only=True)
class Viewed:
    """A stored frame that the agent opened."""

    episode: str
    at: Spot | None
    """Where it was recorded; None where the episode does not say."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One turn: the model was asked, its commands were carried out."""

    turn: int
    """From 1, over all sittings in this folder."""
    life: int
    """The life it belongs to, from 1; a sitting in a new world is a new one."""
    first_step: int
    """The world's step count before the turn."""
    last_step: int
    """After it; the same number where only the memory was used."""
    at: Spot
    """Where the agent stood before the turn."""
    model: str
    brief: str
    """Digest of the standing brief."""
    block: str
    """What was told of the moment: [STATE], [RECENT], [MAP]."""
    plan: str
    """The plan in the agent's words; empty where it gave none."""
    destinations: tuple[Spot, ...]
    """Places named by the plan or walked to, in order."""
    calls: tuple[Call, ...]
    commands: tuple[Done, ...]
    changed: tuple[str, ...]
    """Files below mine/ that were written, sorted."""
    viewed: tuple[Viewed, ...]
    episodes: tuple[str, ...]
    """Ids that the turn's actions were recorded under."""
    milestones: tuple[str, ...]
    """Reached in this turn, in order."""
    failure: str | None = None
    """Why the model gave no usable answer, where it gave none."""


@dataclass(frozen=True, kw_only=True)
class Turns:
    """All turns of a folder."""

    turns: tuple[Turn, ...]
    """In order of writing."""
    briefs: Mapping[str, str]
    """Standing briefs by digest."""
    sittings: tuple[Mapping[str, Any], ...]
    """What each sitting was begun with: model, settings, world, versions, commit; in order."""
    unread: int = 0
    """Lines of turns.jsonl that are no turn of this version; they stay in the file."""


def write_turn(root: Path, turn: Turn) -> None:
    """Append `turn` to the records of the memory at `root`.

    Raises:
        OSError: if the disk refuses.
    """
    append_log(root / TURNS, {"kind": "turn", **to_json(turn)})


def write_brief(root: Path, digest: str, text: str) -> None:
    """Keep the text of a standing brief; its digest names it in the turns.

    Raises:
        OSError: if the disk refuses.
    """
    append_log(root / TURNS, {"kind": "brief", "digest": digest, "text": text})


def write_sitting(root: Path, begun: Mapping[str, Any]) -> None:
    """Write down what a sitting begins with: JSON values, the agent's turns follow.

    Raises:
        OSError: if the disk refuses.
    """
    append_log(root / TURNS, {"kind": "sitting", "begun": dict(begun)})


def read_turns(root: Path) -> Turns:
    """Return the turns recorded in the memory at `root`; none where no agent took turns there.

    Raises:
        OSError: if the file cannot be read.
    """
    held = read_log(root / TURNS)
    turns: list[Turn] = []
    briefs: dict[str, str] = {}
    sittings: list[Mapping[str, Any]] = []
    unread = held.unread
    for entry in held.entries:
        match entry:
            case {"kind": "brief", "digest": str(digest), "text": str(text)}:
                briefs[digest] = text
                continue
            case {"kind": "sitting", "begun": dict(begun)}:
                sittings.append(begun)
                continue
        try:
            turns.append(from_json(Turn, {name: value for name, value in entry.items() if name != "kind"}))
        except Mismatch:
            unread += 1
    return Turns(turns=tuple(turns), briefs=briefs, sittings=tuple(sittings), unread=unread)
