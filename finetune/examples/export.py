"""A data set as files: one JSONL a split, pictures beside, the card, and the episodes of the test."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from csd.episode import Episode
from finetune.examples.build import DataSet
from finetune.examples.card import Card, MemoryCard, digest_of, left_out_card, split_card
from finetune.examples.card_text import card_text
from finetune.examples.folder import CARD_JSON, CARD_TEXT, EPISODES, IMAGES, write_folder
from finetune.examples.recorded import LeftOut, Recorded
from finetune.examples.rows import Example, TokenCount, line, row
from finetune.examples.splits import SPLITS

EpisodeJson = Callable[[Episode], Any]
"""An episode as JSON values, from which it can be read back."""


@dataclass(frozen=True, kw_only=True)
class Origin:
    """With what a data set was made."""

    recorded: Sequence[Recorded]
    episode_json: EpisodeJson
    unreadable: Sequence[LeftOut]
    """Episodes that could not even be read."""
    versions: Mapping[str, str]
    commit: str | None
    tokenizer: str | None
    prompt: str
    """Name and version of the prompts."""


def export(data: DataSet, folder: Path, origin: Origin, count: TokenCount | None = None) -> Card:
    """Write a data set to `folder`, whole or not at all, and return its card.

    The folder holds train.jsonl, validation.jsonl and test.jsonl; images/ where the rows show pictures;
    episodes.jsonl, the episodes of validation and test, with which grounding can be checked without the
    memories; card.json and card.md.

    Args:
        data: what to write.
        folder: absent or empty.
        origin: for the card.
        count: counts tokens for the card, or None.

    Raises:
        ExamplesError: if there is something in the folder.
        OSError: if it cannot be written; nothing is left then.
    """
    pictures: dict[str, bytes] = {}
    files = {
        f"{split}.jsonl": "".join(
            line(row(example, data.settings.layout, _kept(example, data, pictures)))
            for example in data.of_split[split]
        ).encode()
        for split in SPLITS
    }
    files[EPISODES] = _episodes(data, origin.episode_json)
    card = _card(data, origin, {**files, **pictures}, count)
    written = {
        **files,
        **pictures,
        CARD_JSON: (json.dumps(card.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n").encode(),
        CARD_TEXT: card_text(card).encode(),
    }
    write_folder(folder, written)
    return card


def _kept(example: Example, data: DataSet, pictures: dict[str, bytes]) -> list[str] | None:
    """Add the pictures of an example to `pictures` and return their names; None for data without pictures."""
    if not data.settings.pictures:
        return None
    names = []
    for message in example.messages:
        for image in message.images:
            name = f"{IMAGES}/{hashlib.sha256(image).hexdigest()[:16]}.png"
            pictures[name] = image
            names.append(name)
    return names


def _episodes(data: DataSet, episode_json: EpisodeJson) -> bytes:
    """Return the episodes that validation and test rows tell, each once, in the order of the rows."""
    asked = dict.fromkeys(
        example.episode
        for split in SPLITS[1:]
        for example in data.of_split[split]
        if example.kind != "refuse"
    )
    known = {each.recorded.name: each.recorded for split in SPLITS[1:] for each in data.pool.of_split[split]}
    lines = (
        line({"episode": name, "record": episode_json(known[name].episode)}, ascii_only=True)
        for name in asked
    )
    return "".join(lines).encode()


def _card(data: DataSet, origin: Origin, files: Mapping[str, bytes], count: TokenCount | None) -> Card:
    settings = data.settings
    return Card(
        seed=settings.seed,
        layout=settings.layout,
        pictures=sum(name.startswith(f"{IMAGES}/") for name in files),
        styles=settings.styles,
        unseen_style=settings.unseen_style,
        prompt=origin.prompt,
        memories=_memories(origin.recorded, origin.episode_json),
        splits={split: split_card(data.of_split[split], files[f"{split}.jsonl"], count) for split in SPLITS},
        groups=dict(data.pool.sides.by_side),
        held_tasks=settings.held.tasks,
        only_in_train=data.only_in_train,
        left_out=left_out_card((*origin.unreadable, *data.left)),
        tokenizer=origin.tokenizer,
        versions=dict(origin.versions),
        commit=origin.commit,
        digest=digest_of(files),
    )


def _memories(recorded: Sequence[Recorded], episode_json: EpisodeJson) -> tuple[MemoryCard, ...]:
    found: dict[str, list[Recorded]] = {}
    for each in recorded:
        found.setdefault(each.memory, []).append(each)
    return tuple(
        MemoryCard(name=name, episodes=len(episodes), sha256=_digest(episodes, episode_json))
        for name, episodes in found.items()
    )


def _digest(recorded: Sequence[Recorded], episode_json: EpisodeJson) -> str:
    """Return a digest over all that episodes say, pictures apart."""
    total = hashlib.sha256()
    for each in recorded:
        total.update(json.dumps(episode_json(each.episode)).encode())
    return total.hexdigest()
