"""Which episodes have a text: by grep, and by words; in the cache, or in the files themselves."""

from __future__ import annotations

import sqlite3
import sys

from echo.mfm.query.files import searched_texts
from echo.mfm.query.text_cache import BETWEEN_EPISODES, GROUP, SEPARATORS, lowered, read_documents
from echo.mfm.query.words import TABLE, episode_words, expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from echo.mfm.layout import Row
    from echo.mfm.query.files import Unread
    from echo.mfm.query.question import Question

_TRIGRAM = 3
_MOST_TRIGRAMS = 64
"""A short needle with which more trigrams begin stands in most groups."""


class InFiles:
    """The conditions grep and text, asked of an episode's files."""

    def __init__(self, question: Question, base: str, unread: Unread) -> None:
        """Prepare for the conditions of `question` on episodes whose paths start from `base`.

        Raises:
            ValueError: if its text is too long.
        """
        self._base = base
        self._unread = unread
        self._needle = None if question.grep is None else question.grep.lower()
        self._text = question.text
        self._words = None if question.text is None else expression(question.text)
        self._run: sqlite3.Connection | None = None

    def match(self, row: Row, line: bytes) -> bool:
        """Return whether the episode of `row`, which stands in `line`, meets both conditions."""
        documents = searched_texts(self._base, row, self._unread)
        if self._needle is not None and not any(self._needle in text for text in lowered(line, documents)):
            return False
        return self._text is None or self._has_words(episode_words(row, read_documents(documents)))

    def _has_words(self, told: str) -> bool:
        if self._words is None:
            return False
        if self._run is None:
            self._run = sqlite3.connect(":memory:", isolation_level=None)
            self._run.execute(TABLE.replace("content='', ", ""))
        self._run.execute("DELETE FROM words")
        self._run.execute("INSERT INTO words (rowid, text) VALUES (1, ?)", (told,))
        found = self._run.execute("SELECT 1 FROM words WHERE words MATCH ?", (self._words,))
        return found.fetchone() is not None


class InCache:
    """The same conditions, asked of the cached texts."""

    def __init__(self, run: sqlite3.Connection, question: Question) -> None:
        """Prepare for the conditions of `question` in an open cache of `text_cache.texts`."""
        self._run = run
        self._needle = None if question.grep is None else question.grep.lower()
        # Texts that hold one of these are in no cache, see `text_cache`.
        self._only_unsure = self._needle is not None and any(one in self._needle for one in SEPARATORS)
        self._unsure = {place for (place,) in run.execute("SELECT place FROM unsure")}
        self._loose = dict(run.execute("SELECT place, texts FROM loose").fetchall())
        self._grouped = run.execute("SELECT coalesce(max(number), 0) FROM grouped").fetchone()[0]
        self._groups = self._likely_groups()
        self._text = question.text
        self._words = None if question.text is None else expression(question.text)
        self._with_words: set[int] | None = None
        self._open = (0, "", list[str]())

    def match(self, place: int) -> bool | None:
        """Return whether the episode at `place` meets the conditions; None where only its files tell."""
        if place in self._unsure:
            return None
        if self._only_unsure:
            return False
        if self._with_words is not None and place not in self._with_words:
            return False
        if self._needle is None:
            return True
        number = 1 + (place - 1) // GROUP
        if number > self._grouped:
            return self._needle in self._loose[place] if place in self._loose else False
        if self._groups is not None and number not in self._groups:
            return False
        return self._needle in self._episode(number, (place - 1) % GROUP)

    def places(self, *, backwards: bool) -> Iterator[int]:
        """Yield the places that may match, in order: others do not, these are to be asked about.

        Those that are not unsure have the words.
        """
        if self._text is not None:
            yield from self._places_with_words(backwards=backwards)
            return
        every = range(1, 1 + self._grouped) if self._groups is None else self._groups
        numbers = {*every, *(1 + (place - 1) // GROUP for place in (*self._unsure, *self._loose))}
        for number in sorted(numbers, reverse=backwards):
            places = range(1 + (number - 1) * GROUP, 1 + number * GROUP)
            yield from reversed(places) if backwards else places

    def look_up_words(self) -> None:
        """Prepare `match` for places that `places` did not yield."""
        if self._text is not None:
            self._with_words = set(self._having_words("ASC"))

    def _likely_groups(self) -> set[int] | None:
        """Return the groups that may hold the needle; None where that would be most of them."""
        needle = self._needle
        if not needle:
            return None
        if self._only_unsure:
            return set()
        try:
            if len(needle) < _TRIGRAM:
                return self._groups_with_any(self._trigrams_beginning(needle))
            parts = dict.fromkeys(needle[at : at + _TRIGRAM] for at in range(len(needle) - _TRIGRAM + 1))
            return self._groups_with(" AND ".join(map(_quoted, parts)))
        except UnicodeEncodeError:
            # Half a character, which no text in the cache has.
            return set()

    def _trigrams_beginning(self, needle: str) -> list[str]:
        found = self._run.execute(
            "SELECT term FROM trigram WHERE term BETWEEN ? AND ? LIMIT ?",
            (needle, needle + 2 * chr(sys.maxunicode), _MOST_TRIGRAMS + 1),
        )
        return [term for (term,) in found]

    def _groups_with_any(self, trigrams: list[str]) -> set[int] | None:
        if len(trigrams) > _MOST_TRIGRAMS:
            return None
        return self._groups_with(" OR ".join(map(_quoted, trigrams))) if trigrams else set()

    def _groups_with(self, sought: str) -> set[int]:
        found = self._run.execute("SELECT rowid FROM trigrams WHERE trigrams MATCH ?", (sought,))
        return {number for (number,) in found}

    def _places_with_words(self, *, backwards: bool) -> Iterator[int]:
        """Yield the places that have the words, and the unsure ones, which lie in no table of words."""
        unsure = sorted(self._unsure, reverse=not backwards)
        for place in self._having_words("DESC" if backwards else "ASC"):
            while unsure and (unsure[-1] > place if backwards else unsure[-1] < place):
                yield unsure.pop()
            yield place
        yield from reversed(unsure)

    def _having_words(self, order: str) -> Iterator[int]:
        if self._words is not None:
            found = self._run.execute(
                f"SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid {order}", (self._words,)
            )
            yield from (place for (place,) in found)

    def _episode(self, number: int, at: int) -> str:
        """Return the texts of an episode of a group, or nothing where the group has not got the needle."""
        if self._open[0] != number:
            (texts,) = self._run.execute("SELECT texts FROM grouped WHERE number = ?", (number,)).fetchone()
            parts = texts.split(BETWEEN_EPISODES) if self._needle in texts else [""] * GROUP
            self._open = (number, texts, parts)
        return self._open[2][at]


def _quoted(part: str) -> str:
    return '"' + part.replace('"', '""') + '"'
