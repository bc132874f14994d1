"""How an open words file is filled from a bank and kept up with it, within the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from csd.descriptor import id_of
from csd.store.feed import Change, Feed, Mark, Text
from csd.store.pause import uncollected
from csd.words.lean import LeanReader, Reading, Unreadable
from csd.words.schema import INDEXES, TABLES

_BATCH = 1_000
_KNOWN = 1_000_000
"""Node keys whose numbers are kept while a file is filled (150 MB); looking each up is a third slower."""

_REBUILD = 2_000
"""A file is filled anew where more than these and more than it holds were added."""


def mark_of(run: sqlite3.Connection) -> Mark | None:
    """Return the point in a bank's history that the file is made up to, None for one not filled yet."""
    found = run.execute("SELECT epoch, sequence, chain FROM mark").fetchone()
    return None if found is None else Mark(epoch=found[0], sequence=found[1], chain=found[2])


def fill(run: sqlite3.Connection, feed: Feed) -> None:
    """Make the tables in an empty file and fill them with all that `feed` holds."""
    for statement in TABLES.split(";"):
        run.execute(statement)
    # Terms are gathered in memory and merged once: queries then read one sorted list a term.
    run.execute("INSERT INTO cue (cue, rank) VALUES ('automerge', 0), ('hashsize', 33554432)")
    with uncollected():
        _Writer(run).write(feed.texts())
    for statement in INDEXES.split(";"):
        run.execute(statement)
    run.execute("INSERT INTO cue (cue) VALUES ('optimize')")
    run.execute("INSERT INTO cue (cue, rank) VALUES ('automerge', 4), ('hashsize', 1048576)")
    _set_mark(run, feed.mark())


def catch_up(run: sqlite3.Connection, feed: Feed, stored: Mark) -> bool:
    """Take in what changed since `stored`; return False where filling anew is quicker, with nothing done."""
    changes = feed.changes(stored.sequence)
    added = [change.row for change in changes if change.kind == "add"]
    if len(added) > _REBUILD:
        (held,) = run.execute("SELECT count(*) FROM held").fetchone()
        if len(added) > held:
            return False
    if added:
        # Rows only grow, so what lies above the newest row before is what was added and is still held.
        _Writer(run).write(feed.texts(min(added) - 1))
    _apply(run, changes)
    _set_mark(run, feed.mark())
    return True


def read_text(reader: LeanReader, text: Text) -> Reading:
    """Return what is made of a record.

    Raises:
        Unreadable: if it is not the text that its id was made from, or no descriptor.
    """
    try:
        found = id_of(text.record)
    except UnicodeEncodeError as error:
        raise Unreadable(f"no Unicode text: {error}") from error
    if found != text.id:
        raise Unreadable(f"its content has the id {found}: it was damaged or altered")
    return reader.read(text.record)


class _Writer:
    """Writes records, with what is remembered between them."""

    def __init__(self, run: sqlite3.Connection) -> None:
        self._run = run
        self._reader = LeanReader()
        self._nodes: dict[str, int] = {}
        self._fresh: list[tuple[int, str]] = []
        (self._newest,) = run.execute("SELECT coalesce(max(node), 0) FROM node").fetchone()
        self._knows_all = self._newest == 0
        self._predicates = dict(run.execute("SELECT name, predicate FROM predicate"))

    def write(self, texts: Iterable[Text]) -> None:
        """Write the records of `texts`; an unreadable one is held without words and says why."""
        pending = iter(texts)
        while batch := list(islice(pending, _BATCH)):
            held, read = [], []
            for text in batch:
                why = None
                try:
                    read.append((text.row, read_text(self._reader, text)))
                except Unreadable as error:
                    why = str(error).encode(errors="replace").decode()
                held.append((text.row, text.id, text.retired, why))
            self._run.executemany("INSERT INTO held VALUES (?, ?, ?, ?)", held)
            self._run.executemany(
                "INSERT INTO cue (rowid, struct, attr, proc, func, inter) VALUES (?, ?, ?, ?, ?, ?)",
                [(row, *reading.texts) for row, reading in read],
            )
            self._write_edges(read)

    def _write_edges(self, read: Sequence[tuple[int, Reading]]) -> None:
        nodes, predicates, edges = self._nodes, self._predicates, []
        for row, reading in read:
            for axis, place, source, name, target, amount in reading.edges:
                # Numbers start at 1.
                start = nodes.get(source) or self._number(source)
                end = nodes.get(target) or self._number(target)
                said = predicates.get(name) or self._number_predicate(name)
                edges.append((row, axis, place, start, said, end, amount))
        self._run.executemany("INSERT INTO node VALUES (?, ?)", self._fresh)
        self._run.executemany("INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?, ?)", edges)
        self._fresh.clear()
        if len(nodes) > _KNOWN:
            nodes.clear()
            self._knows_all = False

    def _number_predicate(self, name: str) -> int:
        number = len(self._predicates) + 1
        self._run.execute("INSERT INTO predicate VALUES (?, ?)", (number, name))
        self._predicates[name] = number
        return number

    def _number(self, key: str) -> int:
        number: int | None = None
        if not self._knows_all:
            found = self._run.execute("SELECT node FROM node WHERE key = ?", (key,)).fetchone()
            number = None if found is None else found[0]
        if number is None:
            number = self._newest = self._newest + 1
            self._fresh.append((number, key))
        self._nodes[key] = number
        return number


def _apply(run: sqlite3.Connection, changes: Sequence[Change]) -> None:
    for change in changes:
        row = (change.row,)
        if change.kind == "retire":
            run.execute("UPDATE held SET retired = 1 WHERE row = ?", row)
        elif change.kind == "remove":
            run.execute("DELETE FROM held WHERE row = ?", row)
            run.execute("DELETE FROM edge WHERE row = ?", row)
            # The full text keeps a copy of its own: the record is not needed to take it out.
            run.execute("DELETE FROM cue WHERE rowid = ?", row)


def _set_mark(run: sqlite3.Connection, mark: Mark) -> None:
    run.execute("DELETE FROM mark")
    run.execute("INSERT INTO mark VALUES (?, ?, ?)", (mark.epoch, mark.sequence, mark.chain))


def rows_of(run: sqlite3.Connection) -> Iterator[tuple[int, str, bool, str | None]]:
    """Yield (row, id, retired, why unreadable or None) of all that is held, by row."""
    for row, id, retired, why in run.execute("SELECT row, id, retired, unreadable FROM held ORDER BY row"):
        yield row, id, bool(retired), why
