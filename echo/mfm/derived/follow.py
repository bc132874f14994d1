"""Open a derived database, brought up to date with its index: `follow`.

The file is `<root>/cache/NAME.db`. One that is damaged, was made by another version, or belongs to an index
that is no longer continued is made anew; where none can be written, one in memory takes its place.
"""

from __future__ import annotations

import os
import sqlite3

from echo.mfm.derived.intake import catch_up
from echo.mfm.derived.mark import TABLE, Mark
from echo.mfm.derived.place import (
    DAMAGED,
    REFUSED,
    Place,
    Refused,
    code_of,
    connect,
    is_usable,
    remove,
    take_turn,
)
from echo.mfm.regular import open_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import BinaryIO

    from echo.mfm.derived.intake import Schema, Told


class CannotKeep(OSError):
    """A derived database can neither be written nor used as it is."""


class Following:
    """A derived database that is up to date when the `with` block begins, and stays so within it."""

    def __init__(self, place: Place, schema: Schema, told: Told | None, in_memory: bool) -> None:
        """Prepare; use `follow`."""
        self._in_memory = in_memory
        self._place = place
        self._schema = schema
        self._told = told
        self._run: sqlite3.Connection | None = None

    def __enter__(self) -> sqlite3.Connection:
        """Return the database, for reading only, at one moment."""
        self._run = _look(self._place, self._schema) or _write(
            self._place, self._schema, self._told, self._in_memory
        )
        self._run.execute("PRAGMA query_only = ON")
        return self._run

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it; a file that turned out to be damaged is removed, so that asking again makes it anew."""
        if self._run is not None:
            self._run.close()
        if code_of(error) in DAMAGED:
            discard(self._place.root, self._place.name)


def follow(
    root: Path | str, name: str, schema: Schema, told: Told | None = None, *, in_memory: bool = True
) -> Following:
    """Return `<root>/cache/NAME.db`, brought up to date with the index of `root`, as a context manager.

    It gives an open `sqlite3.Connection` for reading, which shows one moment of the database, and closes
    it at the end. Lines of the index that hold no row are passed over and counted in the column `torn` of
    the table `followed`; a last line without its end is no row yet.

    Args:
        root: The memory folder, or `previous` within one.
        name: Name of the database, without ending.
        schema: What it holds.
        told: Is called now and then while rows are taken in.
        in_memory: Whether to make the database in memory where its file cannot be used.

    Raises:
        MfmError: on entering, if there is no index, or it cannot be opened.
        CannotKeep: on entering, if the file cannot be used and `in_memory` is false.
        OSError: on entering, if the index cannot be read.
        sqlite3.DatabaseError: in the block, if the file turns out to be damaged; enter again then, once.

    Example:
        with follow("runs/memory", "tags", TAGS) as run:
            found = run.execute("SELECT id FROM tag WHERE name = ?", ("damage",)).fetchall()
    """
    return Following(Place(os.fspath(root), name), schema, told, in_memory)


def discard(root: Path | str, name: str) -> None:
    """Remove `<root>/cache/NAME.db`, if it can be removed; the next `follow` makes it anew."""
    place = Place(os.fspath(root), name)
    turn = take_turn(place)
    if turn is not None:
        try:
            remove(place)
        except Refused:
            pass
        finally:
            os.close(turn)


def _look(place: Place, schema: Schema) -> sqlite3.Connection | None:
    """Return the database if it is there and up to date, without writing; None where there is work to do."""
    run = None
    try:
        with open_regular(place.index) as index:
            if not is_usable(place):
                return None
            run = connect(place.database, "ro")
            run.execute("BEGIN")
            mark = Mark()
            if mark.read(run, schema) and (mark.same_file(index) or _copied(place, mark, index)):
                return run
    except (OSError, sqlite3.Error):
        # Whatever it is, `_write` mends it or says so.
        pass
    if run is not None:
        run.close()
    return None


def _copied(place: Place, mark: Mark, index: BinaryIO) -> bool:
    """Return whether this is a whole copy of a memory, of which nothing can be written down here."""
    whole = os.fstat(index.fileno()).st_size == mark.size
    return whole and not os.access(place.cache, os.W_OK) and mark.continues(index)


def _write(place: Place, schema: Schema, told: Told | None, in_memory: bool) -> sqlite3.Connection:
    """Bring the database up to date, in its file or else in memory, and return it."""
    with _open_index(place) as index:
        turn = take_turn(place)
        if turn is not None:
            try:
                for _ in range(2):
                    try:
                        return _in_file(place, index, schema, told)
                    except sqlite3.DatabaseError as error:
                        if code_of(error) not in DAMAGED:
                            raise
                        remove(place)
            except Refused:
                pass
            except sqlite3.OperationalError as error:
                if code_of(error) not in REFUSED:
                    raise
            finally:
                os.close(turn)
        if in_memory:
            return _in_memory(place, index, schema, told)
        raise CannotKeep(
            f"expected to write {place.database}, which cannot be done. Make its folder writable, or free "
            f"the disk; what is derived from the index can then be kept."
        )


def _in_file(place: Place, index: BinaryIO, schema: Schema, told: Told | None) -> sqlite3.Connection:
    mark = Mark()
    if not is_usable(place):
        remove(place)
    run = connect(place.database, "rwc")
    try:
        if not (mark.read(run, schema) and mark.continues(index)):
            run.close()
            remove(place)
            mark = Mark()
            run = connect(place.database, "rwc")
            _begin(run, schema)
        catch_up(run, index, schema, mark, told)
        run.execute("BEGIN")
        run.execute("SELECT count(*) FROM followed").fetchone()
    except BaseException:
        run.close()
        raise
    return run


def _in_memory(place: Place, index: BinaryIO, schema: Schema, told: Told | None) -> sqlite3.Connection:
    """Return a database in memory, begun from the file as far as that can be read."""
    mark = Mark()
    run = sqlite3.connect(":memory:", isolation_level=None)
    try:
        if not is_usable(place):
            raise sqlite3.OperationalError(f"expected a file at {place.database}, got something else")
        held = connect(place.database, "ro")
        try:
            held.backup(run)
            usable = mark.read(run, schema) and mark.continues(index)
        finally:
            held.close()
    except sqlite3.Error:
        usable = False
    if not usable:
        run.close()
        mark = Mark()
        run = sqlite3.connect(":memory:", isolation_level=None)
        _begin(run, schema)
    catch_up(run, index, schema, mark, told)
    return run


def _begin(run: sqlite3.Connection, schema: Schema) -> None:
    run.executescript(f"BEGIN; {TABLE}; {schema.script}; COMMIT;")


def _open_index(place: Place) -> BinaryIO:
    try:
        return open_regular(place.index)
    except OSError as error:
        from echo.mfm.layout import no_index

        raise no_index(place.index, error) from None
