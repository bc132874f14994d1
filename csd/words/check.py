"""Whether a words file says what its bank says, and a digest of what it says."""

from __future__ import annotations

import hashlib
import sqlite3

from csd.axes import AXES
from csd.store.feed import Feed, Text
from csd.words.adjacency import edges
from csd.words.follow import mark_of, read_text, rows_of
from csd.words.lean import LeanReader, Unreadable

_TEXTS = f"SELECT {', '.join(axis.value for axis in AXES)} FROM cue WHERE rowid = ?"

_Held = dict[int, tuple[str, bool, str | None]]


def disagreements(run: sqlite3.Connection, feed: Feed) -> list[str]:
    """Return what is wrong with an open words file, one line a fault; [] for none.

    What changed since the file's mark is left out: being behind is no fault.

    Raises:
        sqlite3.Error: if the file cannot be read at all.
    """
    torn = [line for (line,) in run.execute("PRAGMA quick_check(10)") if line != "ok"]
    if torn:
        return [f"the words file is torn: {line}" for line in torn]
    stored, now = mark_of(run), feed.mark()
    if stored is None:
        return ["the words file was never filled"]
    if stored.epoch == now.epoch and stored.sequence > now.sequence:
        return [f"the words are ahead of the bank: change {stored.sequence}, the bank has {now.sequence}"]
    if not feed.passed(stored):
        return [f"the words belong to another history of the bank (change {stored.sequence} of it)"]
    found = _full_text_faults(run)
    pending = {change.row for change in feed.changes(stored.sequence)}
    held: _Held = {row: (id, retired, why) for row, id, retired, why in rows_of(run)}
    reader, seen = LeanReader(), set(pending)
    for text in feed.texts():
        if text.row not in pending:
            seen.add(text.row)
            found.extend(_row_faults(run, text, held, reader))
    found.extend(f"row {row} ({held[row][0]}) is not in the bank" for row in held if row not in seen)
    return found


def digest(run: sqlite3.Connection) -> str:
    """Return the digest of texts, edges and what is superseded, by id."""
    total = hashlib.sha256()
    for row, id, retired, unreadable in sorted(rows_of(run), key=lambda one: one[1]):
        total.update(f"{id}\0{retired}\0{unreadable is not None}\0".encode())
        for text in run.execute(_TEXTS, (row,)).fetchone() or ():
            total.update(f"{text}\0".encode())
        for edge in edges(run, [row]):
            told = (edge.axis.value, edge.place, edge.source, edge.predicate, edge.target, edge.amount)
            total.update(repr(told).encode())
    return total.hexdigest()


def _full_text_faults(run: sqlite3.Connection) -> list[str]:
    try:
        run.execute("INSERT INTO cue (cue) VALUES ('integrity-check')")
    except sqlite3.OperationalError:
        # A file that cannot be written to cannot be asked; its rows are compared all the same.
        return []
    except sqlite3.DatabaseError as error:
        return [f"the full text disagrees with itself: {error}"]
    return []


def _row_faults(run: sqlite3.Connection, text: Text, held: _Held, reader: LeanReader) -> list[str]:
    name = f"row {text.row} ({text.id})"
    if text.row not in held:
        return [f"{name} has no words"]
    id, marked, why = held[text.row]
    faults = []
    if id != text.id:
        faults.append(f"{name} has the words of {id}")
    if marked != text.retired:
        faults.append(f"{name} is {'superseded' if text.retired else 'current'} in the bank only")
    try:
        reading = read_text(reader, text)
    except Unreadable as error:
        return [*faults, f"{name} has no words, for its record cannot be read: {error}"]
    if why is not None:
        return [*faults, f"{name} has no words ({why}), but its record can be read"]
    texts = run.execute(_TEXTS, (text.row,)).fetchone()
    told = [
        (AXES.index(one.axis), one.place, one.source, one.predicate, one.target, one.amount)
        for one in edges(run, [text.row])
    ]
    if texts != reading.texts:
        faults.append(f"{name} has another text than its record")
    if told != reading.edges:
        faults.append(f"{name} has other edges than its record")
    return faults
