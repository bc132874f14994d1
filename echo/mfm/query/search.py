"""Look for the episodes of one index that meet a question's conditions, in the cheapest way that is exact."""

from __future__ import annotations

import os

from echo.mfm.query.files import Unread
from echo.mfm.query.filters import passes
from echo.mfm.query.rows import Torn, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO

    from echo.mfm.layout import Row
    from echo.mfm.query.lives import Home
    from echo.mfm.query.matching import InFiles
    from echo.mfm.query.question import Question
    from echo.mfm.query.rows import Held

    Chosen = Callable[[Row], bool]
    Told = Callable[[int, int], None]

SMALL_INDEX = 1 << 19
"""Bytes of an index that is looked through faster than a cache is opened."""


class Search:
    """A question to one index."""

    def __init__(
        self, home: Home, question: Question, chosen: Chosen | None, torn: Torn, unread: Unread
    ) -> None:
        """Ask `home` the conditions of `question`, `chosen` first; count in `torn` and `unread`."""
        self._home = home
        self._question = question
        self._chosen = chosen
        self._torn = torn
        self._unread = unread
        self._backwards = question.last is not None

    def first(self, wanted: int | None, told: Told | None) -> list[Held]:
        """Return the first rows that meet the conditions, from the side that is looked from."""
        with self._home.open() as index:
            if self._needs_cache(index):
                found = None
                if wanted is not None and not self._has_cache():
                    found = self._at_hand(index, wanted)
                if found is None:
                    found = self._cached(index, wanted, told)
                if found is not None:
                    return found
            return _cut(self._plainly(index), wanted)

    def _needs_cache(self, index: BinaryIO) -> bool:
        """Whether looking through the index, or through all files, would take longer than a cache."""
        if self._home.life is not None or self._question.last == 0:
            return False
        return self._question.by_files or (
            self._question.by_row and os.fstat(index.fileno()).st_size > SMALL_INDEX
        )

    def _has_cache(self) -> bool:
        from echo.mfm.derived.place import Place
        from echo.mfm.query.row_cache import NAME as ROWS_NAME
        from echo.mfm.query.text_cache import NAME as TEXTS_NAME

        name = TEXTS_NAME if self._question.by_files else ROWS_NAME
        return os.path.exists(Place(self._home.folder, name).database)  # noqa: PTH110 (pathlib takes 10 ms)

    def _at_hand(self, index: BinaryIO, wanted: int) -> list[Held] | None:
        """Look through the part of the index that is looked at first; None where that has too few.

        A cache that is still to be made is left for questions that need it.
        """
        part = Search(self._home, self._question, self._chosen, Torn(), Unread())
        found = _cut(part._plainly(index, SMALL_INDEX), wanted)
        if len(found) < wanted:
            return None
        self._torn.count += part._torn.count
        for path in part._unread.paths:
            self._unread.add(path)
        return found

    def _plainly(self, index: BinaryIO, most_bytes: int | None = None) -> Iterator[Held]:
        files, looked = None, 0
        for row, line in self._home.rows(index, self._torn, backwards=self._backwards):
            looked += len(line)
            if most_bytes is not None and looked > most_bytes:
                return
            if not self._passes(row):
                continue
            if self._question.by_files:
                files = files or self._files()
                if not files.match(row, line):
                    continue
            yield row, line

    def _files(self) -> InFiles:
        from echo.mfm.query.matching import InFiles

        return InFiles(self._question, self._home.base, self._unread)

    def _passes(self, row: Row) -> bool:
        return (self._chosen is None or self._chosen(row)) and passes(row, self._question)

    def _cached(self, index: BinaryIO, wanted: int | None, told: Told | None) -> list[Held] | None:
        """Look in the caches; None where they cannot be used."""
        import sqlite3

        from echo.mfm.derived.follow import CannotKeep, discard
        from echo.mfm.query.row_cache import NAME as ROWS_NAME
        from echo.mfm.query.text_cache import NAME as TEXTS_NAME

        for _ in range(2):
            try:
                return self._in_caches(index, wanted, told)
            except (CannotKeep, _Stale):
                return None
            except sqlite3.Error:
                # Damage that only showed now.
                for name in (ROWS_NAME, TEXTS_NAME):
                    discard(self._home.folder, name)
        return None

    def _in_caches(self, index: BinaryIO, wanted: int | None, told: Told | None) -> list[Held]:
        from echo.mfm.derived.follow import follow
        from echo.mfm.query.row_cache import NAME, ROWS

        with follow(self._home.folder, NAME, ROWS, told, in_memory=False) as rows:
            _check_same(rows, index)
            lines = _Lines(rows, index, self._question, backwards=self._backwards)
            if not self._question.by_files:
                found = _cut((one for one in lines.all() if self._passes(one[0])), wanted)
            else:
                found = self._with_texts(index, lines, wanted, told)
            self._torn.count += rows.execute("SELECT torn FROM followed").fetchone()[0]
            return found

    def _with_texts(
        self, index: BinaryIO, lines: _Lines, wanted: int | None, told: Told | None
    ) -> list[Held]:
        from echo.mfm.derived.follow import follow
        from echo.mfm.query.matching import InCache
        from echo.mfm.query.text_cache import NAME, texts

        files = self._files()
        with follow(self._home.folder, NAME, texts(self._home.base), told, in_memory=False) as run:
            _check_same(run, index)
            cache = InCache(run, self._question)
            if self._question.by_row:
                cache.look_up_words()
                places = lines.places()
            else:
                places = cache.places(backwards=self._backwards)

            def matching() -> Iterator[Held]:
                for place in places:
                    told_by_cache = cache.match(place)
                    if told_by_cache is False:
                        continue
                    one = lines.at(place)
                    if one is None or not self._passes(one[0]):
                        continue
                    if told_by_cache or files.match(*one):
                        yield one

            return _cut(matching(), wanted)


class _Stale(Exception):
    """The open index is not the one that the cache followed: it was replaced meanwhile."""


def _check_same(run: sqlite3.Connection, index: BinaryIO) -> None:
    at, line = run.execute("SELECT line_at, line FROM followed").fetchone()
    if os.pread(index.fileno(), len(line), at) != line:
        raise _Stale


class _Lines:
    """Rows at their places in the index."""

    def __init__(
        self, run: sqlite3.Connection, index: BinaryIO, question: Question, *, backwards: bool
    ) -> None:
        from echo.mfm.query.row_cache import conditions

        self._run = run
        self._index = index.fileno()
        self._where, self._values = conditions(question)
        self._order = "DESC" if backwards else "ASC"

    def all(self) -> Iterator[Held]:
        """Yield the rows that may meet the conditions on rows."""
        for at, size in self._select("at, size"):
            yield self._read(at, size)

    def places(self) -> Iterator[int]:
        """Yield the places of the same rows."""
        for (place,) in self._select("place"):
            yield place

    def at(self, place: int) -> Held | None:
        """Return the row at a place, or None where there is none."""
        found = self._run.execute("SELECT at, size FROM row WHERE place = ?", (place,)).fetchone()
        return None if found is None else self._read(*found)

    def _select(self, what: str) -> sqlite3.Cursor:
        return self._run.execute(
            f"SELECT {what} FROM row WHERE {self._where} ORDER BY place {self._order}", self._values
        )

    def _read(self, at: int, size: int) -> Held:
        line = os.pread(self._index, size, at)
        row = parse(line)
        if row is None:
            raise _Stale
        return row, line


def _cut(found: Iterable[Held], wanted: int | None) -> list[Held]:
    """Return the first `wanted` of what is found, without looking for more."""
    kept: list[Held] = []
    if wanted is None:
        return list(found)
    if wanted > 0:
        for one in found:
            kept.append(one)
            if len(kept) == wanted:
                break
    return kept
