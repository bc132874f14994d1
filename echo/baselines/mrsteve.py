"""MrSteve: what was seen and done, where and when, searched by place and event.

Kept of the original: every step is a record; places are cells of a grid of position and yaw, and inside
each alike records form event clusters; on capacity (none by default, as released) the oldest record of the
largest event cluster of the fullest place goes; a question scores the clusters, takes the best 30, keeps
their records above a threshold, and goes to the *nearest* of these, not to the best.

What cannot be kept: frames embedded by MineCLIP, and clustered by DP-means. A record is scored by the best
cosine between the question and the name of anything it holds, which never dilutes one thing in a full
picture; two records are alike where the same was done, with the same outcome, and half of what was in sight
is the same. Its way of exploring, to the least visited place, is the shared explorer's here.

In its favour: the original's memory ends with the episode and its records hold no action. Here a record
found by what its step brought, dug, struck or put down gives back the step, clusters are ranked for what
was done in them apart from what was in sight, and a step that brought a goal nearer, or was done in a cell
that the goal speaks of, is an event of that goal. Without place memory only a short queue is left. Source:
MrSteve, arXiv 2411.06736, and its released settings.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import dist

import numpy as np
from numpy.typing import NDArray

from csd.encode import Encoder
from csd.episode import (
    Attack,
    Cell,
    Collect,
    Craft,
    Episode,
    GoTo,
    LookAt,
    Mine,
    Observation,
    Place,
    Smelt,
    Step,
)
from echo.agent.goal import Fell, Fill, Goal, Have, goal_gain
from echo.agent.memory import Ended, Question, Recalled
from echo.agent.texts import in_words
from echo.baselines.direct import Direct
from echo.baselines.made import advances, gained
from echo.baselines.mrsteve_records import LatestRecords, PlaceEventRecords, Record, Records

CLUSTERS = 30
"""Event clusters looked into for one question, as released: for what was done, and for what was in sight."""

THRESHOLD = 0.5
"""Least cosine between a question and a name. Released thresholds are of MineCLIP's scores, one a task."""

SHORT = 128
"""Records of the short queue: the frames that its low-level controller, Steve-1, looks back on."""

_DECIMALS = 6
"""Cosines are compared to so many digits, so that the order does not hang on how a machine adds up."""


class MrSteve(Direct):
    """Implements `echo.agent.memory.Memory`."""

    def __init__(
        self,
        *,
        encoder: Encoder,
        place_memory: bool = True,
        capacity: int | None = None,
        clusters: int = CLUSTERS,
    ) -> None:
        """Start empty.

        Args:
            encoder: scores names against a question; each name is encoded once.
            place_memory: whether records are kept by place and event; else in one short queue.
            capacity: records kept, at least 1; None is no limit with places, and `SHORT` without.
            clusters: event clusters looked into for one question, for what was done there, and as many again
                for what was in sight.

        Raises:
            ValueError: on a capacity below 1.
        """
        super().__init__()
        if capacity is not None and capacity < 1:
            raise ValueError(f"expected a capacity of at least 1 record; got {capacity}.")
        self._names = _Names(encoder)
        self._records: Records = (
            PlaceEventRecords(capacity=capacity, clusters=clusters)
            if place_memory
            else LatestRecords(capacity=capacity or SHORT)
        )
        self._taken = 0
        self._episode: list[Record] = []

    def __len__(self) -> int:
        """Return how many records are kept."""
        return len(self._records)

    def show(self, episode: Episode) -> None:
        """Record what was done in a demonstration; what was in sight there is of another land."""
        for step in episode.steps:
            self._record(step, {})

    def recall(self, question: Question) -> Recalled:
        """Return the nearest place of each kind of block found, and the nearest step of each event found.

        Nearest to where the question is asked; ties go to the older record. Steps are oldest first.
        """
        scores = self._names.above(_texts(question), THRESHOLD)
        found = sorted(self._records.find(scores, question.seen), key=lambda record: record.when)
        events: dict[Hashable, tuple[float, Record]] = {}
        for record in found:
            if scores.keys().isdisjoint(record.did):
                continue
            away = record.away(question.seen)
            if record.event not in events or away < events[record.event][0]:
                events[record.event] = (away, record)
        steps = sorted((record for _, record in events.values()), key=lambda record: record.when)
        return Recalled(
            steps=tuple(record.step for record in steps),
            exemplars=tuple(record.step for record in reversed(steps)),
            places=_nearest(found, scores, question.seen),
        )

    def take_in(self, step: Step, fresh: Sequence[str], after: Observation) -> None:
        """Record a step, whatever came of it."""
        cells = {kind: block.nearest for kind, block in step.before.blocks.items()}
        self._episode.append(self._record(step, {**dict.fromkeys(step.before.mobs), **cells}))

    def close(self, ended: Ended) -> None:
        """Note which records were about the goal: they brought it nearer, or were done where it asks."""
        nearer = {id(step): None for step in advances(ended.steps, ended.goal)}
        for step, record in zip(ended.steps, self._episode, strict=False):
            if id(step) in nearer or _where_asked(step, ended.goal):
                self._names.meet((ended.goal.text,))
                self._records.label(record, ended.goal.text)
        self._episode.clear()

    def _record(self, step: Step, sight: Mapping[str, Cell | None]) -> Record:
        if step.before.frame is not None:
            step = replace(step, before=replace(step.before, frame=None))
        record = Record(when=self._taken, step=step, event=_event(step), did=_did(step), sight=sight)
        self._taken += 1
        self._names.meet((*record.did, *record.sight))
        self._records.add(record)
        return record


class _Names:
    """All names met, and their vectors."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._met: dict[str, None] = {}
        self._vectors: NDArray[np.float32] = np.zeros((0, encoder.dimension), dtype=np.float32)
        self._asked: dict[str, NDArray[np.float32]] = {}

    def meet(self, names: Iterable[str]) -> None:
        """Note names; they are encoded when a question comes."""
        for name in names:
            self._met.setdefault(name)

    def above(self, texts: Sequence[str], threshold: float) -> dict[str, float]:
        """Return the names whose best cosine with one of `texts` is at least `threshold`, with it.

        A name that is itself one of the texts scores 1.
        """
        met = list(self._met)
        fresh = [in_words(name) for name in met[len(self._vectors) :]]
        if fresh:
            self._vectors = np.concatenate([self._vectors, self._encoder.encode(fresh)])
        unknown = [text for text in texts if text not in self._asked]
        if unknown:
            vectors = self._encoder.encode([in_words(text) for text in unknown])
            self._asked.update(zip(unknown, vectors, strict=True))
        asked = np.stack([self._asked[text] for text in texts])
        cosines = np.round((self._vectors @ asked.T).max(axis=1).astype(np.float64), _DECIMALS)
        found = {met[n]: float(cosines[n]) for n in np.flatnonzero(cosines >= threshold)}
        return {**found, **{text: 1.0 for text in texts if text in self._met}}


def _texts(question: Question) -> tuple[str, ...]:
    if question.item is not None:
        return (question.item,)
    if question.block is not None:
        return (question.block,)
    match question.goal:
        case Have(text=text, items=items):
            return tuple(dict.fromkeys((text, *items)))
        case Fell(text=text, mob=mob):
            return (text, mob)
        case other:
            return (other.text,)


def _where_asked(step: Step, goal: Goal) -> bool:
    return isinstance(goal, Fill) and isinstance(step.action, Place) and step.action.target in goal.cells


def _did(step: Step) -> tuple[str, ...]:
    names = list(gained(step))
    if step.outcome.block is not None:
        names.append(step.outcome.block)
    match step.action:
        case Attack(mob=name) | Place(item=name):
            names.append(name)
    return tuple(dict.fromkeys(names))


def _event(step: Step) -> Hashable:
    """Return what was done and what came of it, without where: walks are alike wherever they led."""
    action, outcome = step.action, step.outcome
    match action:
        case Craft() | Smelt():
            what: Hashable = action
        case Place(item=item):
            what = (action.kind, item, goal_gain(outcome))
        case Collect() | Mine() | Attack():
            subject = action.mob if isinstance(action, Attack) else outcome.block
            what = (action.kind, subject, step.before.mainhand)
        case GoTo() | LookAt():
            what = action.kind
        case _:
            what = (action.kind, step.before.mainhand)
    return (what, outcome.code, tuple(outcome.inventory_delta))


def _nearest(found: Iterable[Record], scores: Mapping[str, float], seen: Observation) -> dict[str, Cell]:
    """Return the nearest cell of each kind of block asked for, by name; ties go to the older record."""
    cells: dict[str, dict[Cell, None]] = {}
    for record in found:
        for kind in scores:
            cell = record.sight.get(kind)
            if cell is not None:
                cells.setdefault(kind, {})[cell] = None
    return {kind: min(cells[kind], key=lambda cell: dist(cell, seen.position)) for kind in sorted(cells)}
