"""Descriptors out of released entries: only what an entry's history bears out becomes a statement.

Released entries hold free text where descriptors hold triples with evidence. The history is an entry's one
record of what happened, so making, using and gaining are read from it alone; colours are taken as written.
The texts of struct, proc, func and inter that restate or embroider it are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from csd.claims import Claim, plain_name, read_claims
from csd.descriptor import Csd, Evidence, Meta, Statement, Value
from csd.ground_released import ground_released
from csd.released import ReleasedEntry
from csd.wording import amount_words, changes_words

BUILDER = "released/1"
WORLD = "echo-released"
"""Released entries do not name their environment."""

_SCORE = re.compile(r"\bscore:?\s*(-?\d+(?:\.\d+)?)", re.IGNORECASE)
_SMELTED = re.compile(r"\bsmelt", re.IGNORECASE)
_SPELT = re.compile(r"[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+")


def csd_of_released(entry: ReleasedEntry, success: bool | None = None) -> Csd:
    """Return the descriptor of a released entry.

    Amounts are as the history states them, names as it spells them; evidence points into the entry. The
    environment's time stands for both step and tick.

    Args:
        entry: what `csd.released` read.
        success: whether the goal was reached, where the history does not state a score.

    Raises:
        ValueError: if the entry has no history, contradicts itself, lacks a circumstance that descriptors
            need, or does not tell whether the goal was reached.
    """
    name, lines = entry.task_id, [line.strip().rstrip(".") for line in entry.inter.hist if line.strip()]
    problems = [one for one in ground_released(entry) if one.where.startswith("inter.hist")]
    if problems:
        first = problems[0]
        raise ValueError(f"{name}.{first.where}: {first.reason} It reads {first.excerpt[:80]!r}.")
    reader = _History(entry, lines)
    product, verb = reader.product()
    meta = entry.meta
    place = {"agent_pos": meta.agent_pos, "time_step": meta.time_step, "biome": meta.biome}
    if meta.agent_pos is None or meta.time_step is None or meta.biome is None:
        lacking = ", ".join(field for field, value in place.items() if value is None)
        raise ValueError(
            f"expected {name}.meta to say where and when; got no {lacking}. Add what is known of it."
        )
    return Csd(
        meta=Meta(
            task=meta.task,
            success=_reached(entry, success),
            product=product,
            verb=verb,
            position=meta.agent_pos,
            step=meta.time_step,
            tick=meta.time_step,
            biome=meta.biome,
            objects=tuple(sorted(set(meta.observed_objects))),
            world=WORLD,
            builder=BUILDER,
            episodes=(name,),
        ),
        attr=tuple(reader.colours()),
        proc=tuple(reader.making()),
        func=tuple(reader.uses()),
        inter=tuple(reader.feedback()),
    )


class _History:
    """What the lines of one entry's history state."""

    def __init__(self, entry: ReleasedEntry, lines: list[str]) -> None:
        self._entry = entry
        self._lines = [(number, line) for number, line in enumerate(lines) if not _SCORE.search(line)]
        words = [word for line in lines for word in _SPELT.findall(line)]
        self._spelling = {plain_name(word): word.lower() for word in reversed(words)}
        # The things in sight are no names to read amounts by: '3 spruce planks' are not 3 of a 'spruce'.
        self._told = [
            (number, line, claim)
            for number, line in self._lines
            for claim in read_claims(line, map(plain_name, words))
        ]

    def product(self) -> tuple[str | None, Literal["craft", "smelt", "collect", "other"]]:
        """Return what was made or won last, and by which verb."""
        for _, line, claim in reversed(self._told):
            made, won = list(claim.of("made")), list(claim.of("won"))
            if made:
                return self._name(made[-1]), _verb(line)
            if won:
                return self._name(won[-1]), "collect"
        return None, "other"

    def colours(self) -> Iterator[Statement]:
        for thing, traits in self._entry.attr.items():
            for key in ("color", "colour"):
                if traits.get(key):
                    yield self._said(thing, "colour", traits[key], f"attr.{thing}.{key}", 0)

    def making(self) -> Iterator[Statement]:
        for number, line, claim, product, count in self._made():
            yield self._at(number, product, "made_by", _verb(line))
            for used, amount in claim.of("used").items():
                yield self._at(number, product, "consumes", amount_words(self._name(used), amount))
            yield self._at(number, product, "yields", count)
        for place, (number, line) in enumerate(self._lines, start=1):
            yield self._at(number, str(place), "step", line)

    def uses(self) -> Iterator[Statement]:
        for number, _, claim, product, _ in self._made():
            for used in claim.of("used"):
                yield self._at(number, self._name(used), "serves", product)

    def feedback(self) -> Iterator[Statement]:
        for number, line in self._lines:
            changes: dict[str, int] = {}
            for claim in (claim for at, _, claim in self._told if at == number):
                changes |= {self._name(one): -count for one, count in claim.of("used").items()}
                for part in (claim.of("won"), claim.of("made")):
                    changes |= {self._name(one): count for one, count in part.items()}
            if changes:
                yield self._at(number, line, "feedback", changes_words(changes))

    def _made(self) -> Iterator[tuple[int, str, Claim, str, int]]:
        """Yield line number, line, claim, product and amount where it is plain what was made of what."""
        for number, line, claim in self._told:
            made = claim.of("made")
            if len(made) == 1:
                ((product, count),) = made.items()
                yield number, line, claim, self._name(product), count

    def _name(self, plain: str) -> str:
        spelt: str = self._spelling.get(plain, plain)
        return spelt

    def _at(self, number: int, subject: str, predicate: str, value: Value) -> Statement:
        return self._said(subject, predicate, value, f"inter.hist[{number}]", number)

    def _said(self, subject: str, predicate: str, value: Value, detail: str, step: int) -> Statement:
        evidence = Evidence(episode=self._entry.task_id, step=step, kind="observation", detail=detail)
        return Statement(subject=subject, predicate=predicate, value=value, evidence=(evidence,))


def _verb(line: str) -> Literal["craft", "smelt"]:
    return "smelt" if _SMELTED.search(line) else "craft"


def _reached(entry: ReleasedEntry, success: bool | None) -> bool:
    scores = [float(found) for line in entry.inter.hist for found in _SCORE.findall(line)]
    if scores:
        return scores[-1] > 0
    if success is None:
        raise ValueError(
            f"expected the history of {entry.task_id} to end with a score; got none, so that it does not say "
            f"whether the goal was reached. State it with --success or --failed."
        )
    return success
