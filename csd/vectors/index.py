"""The searchable vectors of a bank: a cache that follows it, searches, and publishes itself to files.

New descriptors gather in memory; publishing makes them a segment of files that every process maps.
Small segments are merged and dead rows dropped at the same time.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from csd.axes import Axis
from csd.score import Match, Vector
from csd.store.feed import Block, Feed, Mark
from csd.vectors.candidates import new_scratch
from csd.vectors.check import file_findings, row_findings
from csd.vectors.facts import Facts, digest_of, facts_of
from csd.vectors.merge import spilled
from csd.vectors.publish import Published, publish
from csd.vectors.question import question
from csd.vectors.search import search
from csd.vectors.segment import DEAD, RETIRED, Segment
from csd.vectors.sizes import Sizes
from csd.vectors.snapshot import (
    Damaged,
    SegmentFiles,
    Signature,
    Snapshot,
    State,
    Vanished,
    open_snapshot,
    read_state,
    signature,
)

_LOG = logging.getLogger(__name__)

_ATTEMPTS = 20
"""So often a snapshot that is replaced while it is being opened is looked for anew."""


class VectorIndex:
    """The vectors of a bank, found by weighted similarity. For one thread at a time."""

    def __init__(self, dimension: int, folder: Path | None = None, *, sizes: Sizes | None = None) -> None:
        """Start empty; `refresh` makes it follow a bank.

        Args:
            dimension: length of a vector.
            folder: where snapshots are published, made when first needed; None keeps all in memory.
            sizes: the numbers that decide how things are done; None for the measured ones.
        """
        self._dimension = dimension
        self._folder = folder
        self._sizes = sizes or Sizes()
        self._scratch = new_scratch(dimension)
        self._segments: list[Segment] = []
        self._tail = Segment(dimension)
        self._mark: Mark | None = None
        self._last_row = 0
        self._state: State | None = None
        self._seen: Signature | None = None
        self._damage: str | None = None
        self._changes = 0
        """How many changes were taken in since the snapshot."""

    def __len__(self) -> int:
        """Return how many descriptors are held, retired ones too."""
        return sum(int(np.count_nonzero(segment.held())) for segment in self._all())

    @property
    def stale(self) -> bool:
        """Whether publishing is worth it: others would have much to catch up, or searches are slow."""
        fresh = sum(len(segment) for segment in self._all() if segment.name is None and segment.codes is None)
        return max(fresh, self._changes) >= self._sizes.publish_rows or self._damage is not None

    def refresh(self, feed: Feed) -> None:
        """Follow the bank to where `feed` stands, through the newest snapshot where that is shorter.

        A snapshot that is torn, foreign or of another dimension is set aside with a warning; what it
        held is read from the feed. Where nothing changed, only a mark and one file's status are looked at.

        Raises:
            ValueError: if the feed's vectors have another length.
        """
        mark = feed.mark()
        changed = self._folder is not None and signature(self._folder) != self._seen
        if mark == self._mark and not changed:
            return
        if feed.dimension != self._dimension:
            raise ValueError(
                f"expected a bank with vectors of length {self._dimension}; got {feed.dimension}. "
                f"Make a new index for a bank that was embedded anew."
            )
        if self._mark is not None and mark != self._mark and not feed.passed(self._mark):
            self._clear()
        if changed:
            self._adopt(feed, mark)
        self._catch_up(feed, mark)

    def search(
        self,
        queries: Mapping[Axis, Vector],
        *,
        k: int,
        weights: Mapping[Axis, float] | None = None,
        rows: NDArray[np.int64] | None = None,
        exact: bool = False,
    ) -> list[Match]:
        """Return the `k` best descriptors.

        A descriptor takes part if it has a vector on at least one asked axis of weight above 0.

        Args:
            queries: axis -> (d,) float32 unit vector; an axis left out is not asked.
            k: how many at most.
            weights: axis -> weight >= 0; None weighs all asked axes alike; a missing axis weighs 0.
            rows: (m,) row numbers to choose from, retired ones too, applied before the choice of the
                best; numbers that are not held are passed over. None for all that are not retired.
            exact: whether nothing may be missed; otherwise large segments are searched by product
                codes or bytes, which misses less than one in a hundred.

        Returns:
            Best score first, ties by id; fewer than `k` where fewer take part. Cosines and scores are
            float64, of the stored float16 vectors.

        Raises:
            ValueError: on a negative `k`, a bad weight, or a query vector that is not a finite unit
                vector of the index's length.
        """
        asked = question(queries, weights, k=k, exact=exact, dimension=self._dimension)
        if rows is not None:
            rows = np.asarray(rows, dtype=np.int64)
            if np.any(rows[1:] <= rows[:-1]):
                rows = np.sort(rows)
                rows = rows[np.append(True, rows[1:] != rows[:-1])]
        segments = [segment for segment in self._all() if len(segment)]
        return search(segments, asked, rows, self._sizes, self._scratch)

    def publish(self, feed: Feed) -> bool:
        """Follow `feed` and publish a snapshot of it; merge small segments, drop dead rows.

        Returns:
            Whether a snapshot of the feed's moment stands; False if another process is publishing.

        Raises:
            BankError: if the snapshot cannot be written; the old one stands and searching goes on.
        """
        return self._publish(feed, everything=False)

    def compact(self, feed: Feed) -> bool:
        """Publish with all dead rows dropped and as few segments as possible; see `publish`."""
        return self._publish(feed, everything=True)

    def digest(self) -> str:
        """Return a digest of what can be found, whatever the order and the segments it is in."""
        return digest_of(self._all(), self._dimension)

    def check(self, feed: Feed) -> list[str]:
        """Return every disagreement between what is published and the bank, each in a sentence.

        Reads all published files. An empty list means that they agree, or that nothing is published.
        """
        if self._folder is None:
            return []
        findings = file_findings(self._folder, self._dimension, feed)
        if findings:
            return findings
        fresh = VectorIndex(self._dimension, self._folder, sizes=self._sizes)
        fresh.refresh(feed)
        if fresh._damage is not None:
            return [fresh._damage]
        return row_findings([segment for segment in fresh._all() if len(segment)], feed)

    def facts(self) -> Facts:
        """Return what `stats` shows."""
        return facts_of([segment for segment in self._all() if len(segment)], self._state, self._damage)

    def _all(self) -> list[Segment]:
        return [*self._segments, self._tail]

    def _clear(self) -> None:
        self._segments, self._tail = [], Segment(self._dimension)
        self._mark, self._last_row, self._state, self._changes = None, 0, None, 0
        # The snapshot in the folder may be one that this history leads through.
        self._seen = None

    def _adopt(self, feed: Feed, mark: Mark) -> None:
        assert self._folder is not None
        for _ in range(_ATTEMPTS):
            seen = signature(self._folder)
            try:
                state = read_state(self._folder)
                if state is not None and state.ahead_of(mark):
                    # It will do when this reader has come as far.
                    return
                if state is not None and state != self._state:
                    self._check_fits(state, feed)
                    self._take_over(open_snapshot(self._folder, state, self._known()))
            except Vanished as error:
                if signature(self._folder) != seen:
                    continue
                self._set_aside(str(error), seen)
                return
            except Damaged as error:
                self._set_aside(str(error), seen)
                return
            self._damage, self._seen = None, seen
            return

    def _check_fits(self, state: State, feed: Feed) -> None:
        if state.dimension != self._dimension:
            raise Damaged(
                f"expected vectors of length {self._dimension} in {self._folder}; got {state.dimension}."
            )
        if not feed.passed(state.feed_mark()):
            raise Damaged(
                f"expected a snapshot of this bank's history in {self._folder}; got one of another history, "
                f"or of one that is no longer kept."
            )

    def _known(self) -> dict[SegmentFiles, Segment]:
        named = {} if self._state is None else {files.name: files for files in self._state.segments}
        return {named[segment.name]: segment for segment in self._segments if segment.name in named}

    def _set_aside(self, damage: str, seen: Signature | None) -> None:
        _LOG.warning("set aside the searchable vectors on disk, they are made anew: %s", damage)
        self._damage, self._seen = damage, seen

    def _take_over(self, snapshot: Snapshot) -> None:
        last = snapshot.state.last_row
        newer = [segment for segment in self._all() if segment.name is None and len(segment)]
        self._segments, self._tail = list(snapshot.segments), Segment(self._dimension)
        self._mark, self._last_row, self._state = snapshot.state.feed_mark(), last, snapshot.state
        self._changes = 0
        for segment in newer:
            slots = np.flatnonzero((segment.rows > last) & segment.held())
            if slots.size:
                self._append(segment.block(slots))

    def _catch_up(self, feed: Feed, mark: Mark) -> None:
        if self._mark is not None and mark != self._mark:
            changes = feed.changes(self._mark.sequence)
            self._changes += len(changes)
            for change in changes:
                if change.kind != "add":
                    self._strike(change.row, RETIRED if change.kind == "retire" else DEAD)
        if mark != self._mark:
            for block in feed.blocks(self._last_row):
                self._append(block)
        self._mark = mark

    def _strike(self, row: int, bit: int) -> None:
        for segment in reversed(self._all()):
            if len(segment) and segment.rows[0] <= row:
                segment.mark(row, bit)
                return

    def _append(self, block: Block) -> None:
        self._tail.append(block)
        self._last_row = int(self._tail.rows[-1])
        if len(self._tail) >= self._sizes.segment_rows:
            self._seal()

    def _seal(self) -> None:
        """End the segment in memory and begin another; its vectors go to a nameless file if there is room."""
        if self._folder is not None:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                spilled(self._tail, self._folder / f"{os.getpid()}-{self._last_row}.spill")
            except OSError as error:
                _LOG.warning("keep %d rows in memory: %s", len(self._tail), error)
        self._segments.append(self._tail)
        self._tail = Segment(self._dimension)

    def _publish(self, feed: Feed, *, everything: bool) -> bool:
        result = publish(self._folder, lambda: self._current(feed), self._sizes, everything=everything)
        if result is None:
            return False
        self._segments, self._tail = list(result.segments), Segment(self._dimension)
        self._state, self._changes, self._damage = result.state, 0, None
        self._seen = None if self._folder is None else signature(self._folder)
        return True

    def _current(self, feed: Feed) -> Published:
        self.refresh(feed)
        assert self._mark is not None
        return Published(
            mark=self._mark,
            last_row=self._last_row,
            dimension=self._dimension,
            segments=tuple(segment for segment in self._all() if len(segment)),
            state=self._state,
        )
