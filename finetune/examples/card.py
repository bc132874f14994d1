"""The data card: what a data set holds, how it was made, and a digest of it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from csd.descriptor import Record
from finetune.examples.recorded import LeftOut
from finetune.examples.rows import Example, TokenCount

CARD = 1
"""Version of the card's format."""

Count = Annotated[int, Field(ge=0)]


class Lengths(Record):
    """How long the conversations of a split are, in characters or tokens."""

    least: Count
    median: Count
    ninety_fifth: Count
    """95 of 100 are no longer."""
    most: Count
    total: Count


class SplitCard(Record):
    """What one file holds; `family` and so on are column names."""

    rows: Count
    episodes: Count
    """Different ones."""
    kind: dict[str, Count]
    family: dict[str, Count]
    item_family: dict[str, Count]
    style: dict[str, Count]
    fault: dict[str, Count]
    """Repair rows by what was wrong."""
    characters: Lengths
    answer_characters: Lengths
    tokens: Lengths | None
    """None where no tokenizer was given."""
    out_of_template: Count
    """Rows in a style that training never shows."""
    pictured: Count = 0
    """Rows that show a picture."""
    sha256: str
    """Of the file."""


class MemoryCard(Record):
    """A memory that episodes came from."""

    name: str
    episodes: Count
    """Read from it."""
    sha256: str
    """Over names and digests of its episodes, in order."""


class LeftOutCard(Record):
    """Episodes or examples that did not become rows for one reason."""

    count: Count
    such_as: tuple[str, ...]
    """The first few."""


class Card(Record):
    """Everything about a data set but its rows. Holds no date and no place: equal data have equal cards."""

    format: Literal[1] = 1
    seed: int
    layout: str
    pictures: Count
    """Picture files."""
    styles: tuple[str, ...]
    """Of the traces in training."""
    unseen_style: str
    """The style of test rows only."""
    prompt: str
    """Name and version of the prompts."""
    memories: tuple[MemoryCard, ...]
    splits: dict[str, SplitCard]
    groups: dict[str, tuple[str, ...]]
    """Split -> groups of item families whose episodes may stand in it."""
    held_tasks: tuple[str, ...]
    """Task families that only the test has."""
    only_in_train: tuple[str, ...]
    """Task families that the test lacks: no group of theirs could be held out."""
    left_out: dict[str, LeftOutCard]
    tokenizer: str | None
    """Name and digest of the tokenizer that tokens were counted with."""
    versions: dict[str, str]
    commit: str | None
    """Of the code, with '+changes' where files differed from it; None outside a checkout."""
    digest: str
    """Over the files of rows; two data sets of one digest are the same data set."""


def split_card(examples: Sequence[Example], data: bytes, count: TokenCount | None) -> SplitCard:
    """Describe the rows of one file.

    Args:
        examples: one a row, in their order.
        data: the bytes of the file.
        count: counts tokens, or None.
    """
    return SplitCard(
        rows=len(examples),
        episodes=len(dict.fromkeys(example.episode for example in examples)),
        kind=_counted(example.kind for example in examples),
        family=_counted(example.told.task_family for example in examples),
        item_family=_counted(example.told.item_family for example in examples),
        style=_counted(example.style for example in examples),
        fault=_counted(example.fault for example in examples if example.fault),
        characters=lengths([example.characters for example in examples]),
        answer_characters=lengths([len(example.answer) for example in examples]),
        tokens=None if count is None else lengths([count(example.messages) for example in examples]),
        pictured=sum(example.pictured for example in examples),
        out_of_template=sum(example.unseen_style for example in examples),
        sha256=hashlib.sha256(data).hexdigest(),
    )


def lengths(found: Sequence[int]) -> Lengths:
    """Summarise lengths; of none, all are 0.

    >>> lengths([3, 1, 2]).median
    2
    """
    if not found:
        return Lengths(least=0, median=0, ninety_fifth=0, most=0, total=0)
    ordered = np.sort(np.asarray(found))
    median, late = (int(value) for value in np.percentile(ordered, (50, 95), method="higher"))
    return Lengths(
        least=int(ordered[0]),
        median=median,
        ninety_fifth=late,
        most=int(ordered[-1]),
        total=int(ordered.sum()),
    )


def left_out_card(left: Sequence[LeftOut]) -> dict[str, LeftOutCard]:
    """Return reason -> how many were left out for it and a few of them, the most frequent reason first."""
    reasons = Counter(each.reason for each in left)
    return {
        reason: LeftOutCard(
            count=count,
            such_as=tuple(
                f"{each.name}: {each.detail}" if each.detail else each.name
                for each in left
                if each.reason == reason
            )[:3],
        )
        for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    }


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return the digest over files, which depends on their names and content, not on their order."""
    total = hashlib.sha256()
    for name in sorted(files):
        total.update(f"{name} {hashlib.sha256(files[name]).hexdigest()}\n".encode())
    return total.hexdigest()


def _counted(names: Iterable[str]) -> dict[str, int]:
    counts = Counter(names)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
