"""The words of a bank: full text of what it holds, and the graph of all its statements.

Both are made from the records, so the file they are in may be deleted at any time. It follows a bank's
history in transactions of its own; several processes may do that at once.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from csd.axes import AXES, Axis
from csd.store.errors import usable
from csd.store.feed import Feed
from csd.words import adjacency, check
from csd.words.adjacency import RowEdge
from csd.words.file import NotOurs, Stamp, check_torn, locked, make, open_file, remove, replace, stamp
from csd.words.follow import catch_up, fill, mark_of
from csd.words.search import find

_log = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, kw_only=True, slots=True)
class CueHit:
    """A descriptor that answers to a cue."""

    row: int
    id: str
    score: float
    """BM25, >= 0; higher is better, comparable within one answer only."""
    axis: Axis
    """Where most of it was found."""
    told: str
    """The clauses of `axis` that answer."""
    texts: dict[Axis, str]
    """The whole text of each axis that answers, in axis order."""


class Ahead(Exception):
    """The words are those of a later moment than the one that is asked for, or of another history."""


class Words:
    """Full text and graph of a bank. One instance belongs to one thread; ask after `refresh`."""

    def __init__(self, path: Path | None) -> None:
        """Keep the words in the file `path`, made when first refreshed; None keeps them in memory."""
        self._path = path
        self._where = str(path or "memory")
        self._run: sqlite3.Connection | None = None
        self._stamp: Stamp | None = None
        self._feed: Feed | None = None

    def __enter__(self) -> Self:
        """Return the words."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file; it is opened again when refreshed."""
        if self._run is not None:
            with usable(self._where):
                self._run.close()
        self._run, self._stamp = None, None

    @property
    def in_memory(self) -> bool:
        """Whether these words are in memory: no path was given, or no file could be kept there."""
        return self._path is None

    def refresh(self, feed: Feed, *, insist: bool = True) -> None:
        """Make the words those of the moment that `feed` shows, which must last until all was asked.

        A damaged file is made again. Where no file can be kept, the words go on in memory, and the log says
        so.

        Args:
            feed: the bank.
            insist: whether words that are ahead are made again. Another process may have brought them past
                this moment; those of a bank that an older copy has replaced stay ahead of later ones too.

        Raises:
            Ahead: if they are ahead and `insist` is False; ask again in a later moment.
        """
        self._feed = feed
        if self._path is not None:
            try:
                self._refresh_file(self._path, feed, insist)
                return
            except (sqlite3.Error, OSError) as error:
                self._give_up(self._path, error)
        self._refresh_memory(feed)

    def reset(self) -> None:
        """Throw all words away; the next `refresh` makes them again."""
        self.close()
        if self._path is not None:
            try:
                with locked(self._path):
                    remove(self._path)
            except OSError as error:
                self._give_up(self._path, error)

    def mentioning(self, node: str) -> list[int]:
        """Return the rows whose graph holds `node` ('thing:oak_planks'), superseded ones too, ascending."""
        return self._ask(lambda run: adjacency.mentioning(run, node))

    def edges(self, rows: Collection[int]) -> list[RowEdge]:
        """Return the edges of `rows`, by row, axis and place."""
        return self._ask(lambda run: list(adjacency.edges(run, rows)))

    def neighbours(self, node: str, hops: int, *, limit: int = 10_000) -> dict[str, int]:
        """Return what is within `hops` edges of `node` in the whole bank, whichever way they point.

        Args:
            node: a node key; letters and step numbers carry their descriptor's id ('letter:A@csd_...').
            hops: how far, >= 0.
            limit: how many at most, >= 0; where as many come back there may be more.

        Returns:
            Node key -> hops, nearest first, then by key; empty where nothing mentions `node`.

        Raises:
            ValueError: on negative `hops` or `limit`.
        """
        if hops < 0 or limit < 0:
            raise ValueError(f"expected hops >= 0 and limit >= 0; got {hops} and {limit}.")
        return self._ask(lambda run: adjacency.neighbours(run, node, hops, limit))

    def among(self, nodes: Collection[str]) -> list[int]:
        """Return the rows that have an edge between two of `nodes`, or a letter or step among them."""
        return self._ask(lambda run: adjacency.among(run, nodes))

    def sharing(self, rows: Collection[int], *, least: int = 2, limit: int = 20) -> list[int]:
        """Return other rows that share at least `least` named things with `rows`, most shared first.

        Raises:
            ValueError: if `least` is below 1 or `limit` negative.
        """
        if least < 1 or limit < 0:
            raise ValueError(f"expected least >= 1 and limit >= 0; got {least} and {limit}.")
        return self._ask(lambda run: adjacency.sharing(run, rows, least, limit))

    def cue(
        self,
        text: str,
        *,
        limit: int,
        rows: Collection[int] | None = None,
        axes: Collection[Axis] | None = None,
    ) -> list[CueHit]:
        """Return what answers to the plain words of `text`, as `csd.words.search.find` says.

        Args:
            text: every word must occur; 'oak*' begins words, 'oak_planks' stands side by side.
            limit: how many at most, >= 0.
            rows: choose from these, superseded ones too; None for all current ones.
            axes: where every word must occur; None for all axes together.

        Raises:
            ValueError: on a negative `limit`, no axes, or a text that cannot be asked.
        """
        names = None if axes is None else tuple(Axis(axis).value for axis in axes)
        found = self._ask(lambda run: find(run, text, limit=limit, rows=rows, axes=names))
        return [
            CueHit(
                row=row,
                id=id,
                score=score,
                axis=Axis(best),
                told=told,
                texts={axis: texts[axis.value] for axis in AXES if axis.value in texts},
            )
            for row, id, score, best, told, texts in found
        ]

    def digest(self) -> str:
        """Return a digest of all that can be found, equal for equal banks whatever their history."""
        return self._ask(check.digest)

    def check(self, feed: Feed) -> list[str]:
        """Return every disagreement of the words file with the bank, in words; changes nothing.

        A file that is missing or behind is none: it is made, or catches up, when next asked.
        """
        if self._path is None:
            return [] if self._run is None else check.disagreements(self._run, feed)
        if stamp(self._path) is None:
            return []
        try:
            run = open_file(self._path)
        except (NotOurs, sqlite3.Error, OSError) as error:
            return [f"the words file {self._path} is not one ({error}); it is made again when next asked"]
        try:
            return check.disagreements(run, feed)
        except sqlite3.Error as error:
            return [f"the words file {self._path} is torn ({error}); delete it, it is made again"]
        finally:
            run.close()

    def _open(self) -> sqlite3.Connection:
        if self._run is None:
            raise ValueError("expected words that were refreshed from a bank; got none. Call refresh first.")
        return self._run

    def _ask(self, ask: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        """Return what `ask` returns; damage that only shows now is mended first."""
        run = self._open()
        try:
            with usable(self._where):
                return ask(run)
        except (sqlite3.DatabaseError, LookupError) as error:
            if self._path is None or self._feed is None:
                raise
            check_torn(error)
            _log.warning("the words file %s is damaged (%s) and is made again", self._path, error)
            self.reset()
            self.refresh(self._feed)
        return ask(self._open())

    def _refresh_file(self, path: Path, feed: Feed, insist: bool) -> None:
        try:
            # The usual case: one look at the file, one at each mark.
            if self._adopt(path) and mark_of(self._open()) == feed.mark():
                return
        except (NotOurs, sqlite3.DatabaseError) as error:
            check_torn(error)
            self.close()
        with locked(path):
            try:
                if self._adopt(path) and self._follow(feed, insist):
                    return
            except (NotOurs, sqlite3.DatabaseError) as error:
                check_torn(error)
                _log.warning("the words file %s cannot be used (%s) and is made again", path, error)
            self.close()
            replace(path, lambda run: fill(run, feed))
            self._adopt(path)

    def _adopt(self, path: Path) -> bool:
        """Have the file open that is at `path` now; return False where there is none."""
        now = stamp(path)
        if self._run is None or now is None or now != self._stamp:
            self.close()
            if now is not None:
                self._run = open_file(path)
                self._stamp = now
        return now is not None

    def _follow(self, feed: Feed, insist: bool = True) -> bool:
        """Catch up and return whether the words can be used; False where they must be made again."""
        run, now = self._open(), feed.mark()
        run.execute("BEGIN IMMEDIATE")
        try:
            stored = mark_of(run)
            if stored is None:
                return False
            if stored == now:
                return True
            if not insist and stored.epoch == now.epoch and stored.sequence > now.sequence:
                raise Ahead
            if not feed.passed(stored) or not catch_up(run, feed, stored):
                return False
            run.execute("COMMIT")
            return True
        finally:
            if run.in_transaction:
                run.execute("ROLLBACK")

    def _give_up(self, path: Path, error: Exception) -> None:
        """Go on in memory, in the thread whose file it is."""
        self.close()
        _log.warning(
            "expected a words file that can be written at %s; got %s: the words are kept in memory, which "
            "takes longer at every start. Check the folder's permissions and free space.",
            path,
            error,
        )
        self._path = None

    def _refresh_memory(self, feed: Feed) -> None:
        with usable(self._where):
            if self._run is not None and not self._follow(feed):
                self.close()
        if self._run is None:
            self._run = sqlite3.connect(":memory:", isolation_level=None)
            make(self._run, lambda run: fill(run, feed))
