"""Does anything that the test asks for stand in training, or in the prompt's own example?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from csd.by_model.prompts import Shot
from finetune.examples.recorded import ExamplesError
from finetune.examples.rows import Example
from finetune.examples.splits import SPLITS, Split

SHOWN = 3
"""Rows that an error names of each kind of leak."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Leak:
    """Something that stands on two sides."""

    what: str
    rows: tuple[str, str]
    """Where, such as ('train.jsonl, line 3', 'test.jsonl, line 1')."""
    text: str
    """The thing itself."""


def leaks(
    data: Mapping[Split, Sequence[Example]], shots: Sequence[Shot], *, tasks_held: bool
) -> tuple[Leak, ...]:
    """Find what stands in more than one split, or in a split and in the prompt's examples.

    Looked at are the episode, the recipes that worked in it, the text of the trace, the answer (of refusals
    it is the same everywhere, and is no leak), and the group of item families.

    Args:
        data: split -> its examples, in the order of the files.
        shots: what the few-shot prompt shows, in every style.
        tasks_held: whether whole task families are held out: groups may then cross, recipes never.

    Returns:
        The leaks in the order of the files, the first place of each thing with each later split.
    """
    kinds = [kind for kind in _KINDS if not (tasks_held and kind == "group of item families")]
    found = [leak for kind in kinds for leak in _between(data, kind)]
    return (*found, *_with_shots(data, shots))


def refuse_leaks(found: Sequence[Leak]) -> None:
    """Raise if there are leaks.

    Raises:
        ExamplesError: with the rows.
    """
    if not found:
        return
    told = "; ".join(
        f"{leak.what} {leak.text!r} in {leak.rows[0]} and in {leak.rows[1]}" for leak in found[:SHOWN]
    )
    more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    raise ExamplesError(
        f"expected nothing in two splits, nor in the test and the prompt's example; got {told}{more}. "
        f"Nothing was written; hold out other families, or report this with the memories."
    )


def _episode(example: Example) -> Iterator[str]:
    yield example.episode


def _recipes(example: Example) -> Iterator[str]:
    yield from example.told.recipes


def _group(example: Example) -> Iterator[str]:
    # A refusal tells of no item; the group of its episode's goal is not shown in it.
    if example.kind != "refuse":
        yield example.group


def _trace(example: Example) -> Iterator[str]:
    yield example.prompt[-1].text if len(example.prompt) == 1 else example.prompt[1].text


def _answer(example: Example) -> Iterator[str]:
    if example.kind != "refuse":
        yield example.answer


_KINDS: Mapping[str, Callable[[Example], Iterator[str]]] = {
    "episode": _episode,
    "recipe": _recipes,
    "trace": _trace,
    "answer": _answer,
    "group of item families": _group,
}


def _between(data: Mapping[Split, Sequence[Example]], kind: str) -> Iterator[Leak]:
    first: dict[str, tuple[Split, str]] = {}
    told: dict[tuple[str, Split], None] = {}
    for split in SPLITS:
        for number, example in enumerate(data.get(split, ()), start=1):
            where = f"{split}.jsonl, line {number}"
            for text in _KINDS[kind](example):
                side, place = first.setdefault(text, (split, where))
                if side != split and (text, split) not in told:
                    told[text, split] = None
                    yield Leak(what=kind, rows=(place, where), text=_short(text))


def _with_shots(data: Mapping[Split, Sequence[Example]], shots: Sequence[Shot]) -> Iterator[Leak]:
    """Find traces and answers that hold one of the prompt's examples.

    A repair may hold one as the wrong attempt: that is what it teaches not to do.
    """
    texts = dict.fromkeys(text for shot in shots for text in (shot.told, shot.written))
    for split in SPLITS:
        for number, example in enumerate(data.get(split, ()), start=1):
            read = (example.answer, *_trace(example))
            for text in texts:
                if any(text in each for each in read):
                    where = (f"{split}.jsonl, line {number}", "the prompt's example")
                    yield Leak(what="text", rows=where, text=_short(text))


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."
