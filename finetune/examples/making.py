"""Making examples out of described episodes: writing, repairing and refusing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice

import numpy as np

from csd.by_model.compact import compact
from csd.by_model.prompts import Shot, after_answer
from csd.chat import Message
from csd.ground import names_seen
from finetune.examples.balance import fewer, generator_for, in_turns, parts, shuffled
from finetune.examples.corruption import CORRUPTIONS, Material
from finetune.examples.families import NOTHING, About
from finetune.examples.pool import Described, Pool
from finetune.examples.recorded import LeftOut, Recorded
from finetune.examples.refusals import silenced
from finetune.examples.rows import KINDS, Example, Kind, TokenCount, unwritable
from finetune.examples.settings import Settings
from finetune.examples.splits import Split
from finetune.examples.teaching import REFUSAL, asked, findings

Tell = Callable[[int, int], None]
"""Told how many rows are made, of how many."""

TRIES = 4
"""Corruptions tried on one episode for one repair, before another episode takes its place."""

STRANGERS = 8
"""Names of other episodes that corruptions may draw from."""


@dataclass(kw_only=True)
class Maker:
    """Makes the rows of each split; remembers which conversations there are."""

    settings: Settings
    pool: Pool
    shots: Mapping[str, tuple[Shot, ...]]
    """Style -> the examples of the few-shot prompt."""
    count: TokenCount | None
    tell: Tell | None
    left: list[LeftOut] = field(default_factory=list)
    """What became no row."""
    _known: dict[tuple[tuple[str, str], ...], None] = field(default_factory=dict)

    def examples(self, split: Split) -> tuple[Example, ...]:
        """Make the rows of one split in a random order; those out of template come last."""
        settings = self.settings
        shares = {"write": 0.0, "repair": settings.repair_share, "refuse": settings.refuse_share}
        wanted = parts(getattr(settings, split), shares)
        made: list[Example] = []
        for kind in KINDS:
            found = self._first(self._of_kind(split, kind), wanted[kind])
            made += found
            shares.pop(kind)
            if len(found) < wanted[kind] and shares:
                wanted = fewer(wanted, len(made), shares)
        made = shuffled(made, generator_for(settings.seed, f"{split} order"))
        if split == "test":
            unseen = self._written(split, (settings.unseen_style,))
            made += self._first(unseen, settings.out_of_template)
        return tuple(made)

    def _of_kind(self, split: Split, kind: Kind) -> Iterator[Example]:
        if kind == "write":
            return self._written(split, self.settings.styles)
        return self._repaired(split) if kind == "repair" else self._refused(split)

    def _first(self, candidates: Iterator[Example], wanted: int) -> list[Example]:
        """Return the first `wanted` that can be rows."""
        return list(islice(filter(self._fits, candidates), wanted))

    def _fits(self, example: Example) -> bool:
        """Whether an example can be a row and is none yet; it is known from then on."""
        left = unwritable(example) or self._too_long(example)
        if left is None and example.key in self._known:
            left = LeftOut(name=example.episode, reason="the same conversation as another")
        if left is not None:
            self.left.append(left)
            return False
        self._known[example.key] = None
        if self.tell is not None:
            self.tell(len(self._known), self.settings.rows)
        return True

    def _too_long(self, example: Example) -> LeftOut | None:
        most = self.settings.most_tokens
        if most is None or self.count is None or (tokens := self.count(example.messages)) <= most:
            return None
        return LeftOut(
            name=example.episode, reason=f"more than {most:,} tokens as {example.kind}", detail=f"{tokens:,}"
        )

    def _written(self, split: Split, styles: Sequence[str]) -> Iterator[Example]:
        for each, style in self._in_turns(split, "write", styles):
            asking = self._asked(each.recorded, style)
            yield self._example(each, split, style, "write", (*asking, _says(compact(each.csd))))

    def _repaired(self, split: Split) -> Iterator[Example]:
        generator = generator_for(self.settings.seed, f"{split} faults")
        names = cycle(CORRUPTIONS)
        for each, style in self._in_turns(split, "repair", self.settings.styles):
            episode, shots = each.recorded.episode, self.shots.get(style, ())
            for name in islice(names, TRIES):
                wrong = CORRUPTIONS[name](self._material(each, split, shots, generator), generator)
                found = () if wrong is None else findings(wrong, episode, shots)
                if wrong is not None and found:
                    asking = after_answer(self._asked(each.recorded, style), wrong, found)
                    messages = (*asking, _says(compact(each.csd)))
                    yield self._example(each, split, style, "repair", messages, fault=name)
                    break
            else:
                reason = "no wrong attempt at it was found wrong"
                self.left.append(LeftOut(name=each.recorded.name, reason=reason))

    def _refused(self, split: Split) -> Iterator[Example]:
        silent = [(each, NOTHING) for each in self.pool.silent] if split == "train" else []
        for each, style in self._in_turns(split, "refuse", self.settings.styles):
            beginning = silenced(each.recorded.episode)
            if beginning is not None:
                recorded = Recorded(memory=each.recorded.memory, episode=beginning)
                silent.append((recorded, style))
        styles = self.settings.styles
        for number, (recorded, style) in enumerate(silent):
            told = About(task_family=NOTHING, item_family=NOTHING, touched=(), recipes=())
            style = styles[number % len(styles)] if style == NOTHING else style
            yield Example(
                messages=(*self._asked(recorded, style), _says(REFUSAL)),
                episode=recorded.name,
                kind="refuse",
                told=told,
                group=NOTHING,
                style=style,
                split=split,
                unseen_style=False,
                task=recorded.episode.goal,
            )

    def _in_turns(self, split: Split, purpose: str, styles: Sequence[str]) -> Iterator[tuple[Described, str]]:
        """Yield each episode of a split in each style, families in turn, none twice before its peers."""
        generator = generator_for(self.settings.seed, f"{split} {purpose}")
        families: dict[str, dict[str, list[Described]]] = {}
        for each in shuffled(self.pool.of_split[split], generator):
            of_task = families.setdefault(each.told.task_family, {})
            of_task.setdefault(each.told.item_family, []).append(each)
        queues: dict[str, list[tuple[Described, str]]] = {}
        for family in sorted(families):
            ordered = list(in_turns(families[family]))
            queues[family] = [
                (each, styles[(number + turn) % len(styles)])
                for turn in range(len(styles))
                for number, each in enumerate(ordered)
            ]
        return in_turns(queues)

    def _asked(self, recorded: Recorded, style: str) -> tuple[Message, ...]:
        return asked(recorded.episode, style=style, pictures=self.settings.pictures)

    def _material(
        self, each: Described, split: Split, shots: Sequence[Shot], generator: np.random.Generator
    ) -> Material:
        peers = self.pool.of_split[split]
        others = [peers[int(index)] for index in generator.integers(len(peers), size=STRANGERS)]
        seen = names_seen(each.recorded.episode)
        strange = dict.fromkeys(name for other in others for name in names_seen(other.recorded.episode))
        return Material(
            right=compact(each.csd),
            other=compact(others[0].csd),
            seen=seen,
            unseen=tuple(name for name in strange if name not in seen),
            examples=tuple(shot.written for shot in shots),
        )

    def _example(
        self,
        each: Described,
        split: Split,
        style: str,
        kind: Kind,
        messages: tuple[Message, ...],
        fault: str = "",
    ) -> Example:
        return Example(
            messages=messages,
            episode=each.recorded.name,
            kind=kind,
            told=each.told,
            group=self.pool.groups.of(each.told)[0],
            style=style,
            split=split,
            unseen_style=style == self.settings.unseen_style,
            task=each.recorded.episode.goal,
            fault=fault,
        )


def _says(text: str) -> Message:
    return Message(role="assistant", text=text)
