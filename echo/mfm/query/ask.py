"""Ask a memory for episodes: from its index where that is enough, else with the caches beside it."""

from __future__ import annotations

import os

from echo.mfm.query.files import Unread
from echo.mfm.query.lines import note_of
from echo.mfm.query.lives import homes
from echo.mfm.query.rows import Torn
from echo.mfm.query.search import Search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from echo.mfm.layout import Row
    from echo.mfm.query.lives import Home
    from echo.mfm.query.question import Question
    from echo.mfm.query.rows import Held
    from echo.mfm.query.search import Chosen, Told


class Found:
    """An episode that meets all conditions."""

    __slots__ = ("line", "note", "row")

    def __init__(self, row: Row, line: bytes, note: str | None) -> None:
        """Hold its row, its line in the index without line feed, and its note, see `note_of`."""
        self.row = row
        self.line = line
        self.note = note


class Answer:
    """What a memory answers to a question."""

    def __init__(self, found: list[Found], torn: int, unread: list[str]) -> None:
        """Hold the episodes, in order of time, and what was in the way of finding more."""
        self.found = found
        self.torn = torn
        """Stretches of the index that were passed over because they hold no row."""
        self.unread = unread
        """Files of episodes that are there and could not be read."""

    @property
    def rows(self) -> list[Row]:
        """The rows of the episodes, each with its note as the last key where it had none."""
        return [
            one.row if not one.note or "note" in one.row else {**one.row, "note": one.note}
            for one in self.found
        ]


def ask(
    root: Path | str, question: Question, *, chosen: Chosen | None = None, told: Told | None = None
) -> Answer:
    """Return the episodes of the memory at `root` that meet the conditions of `question`.

    Works beside a writer, needs no lock, and changes nothing but the caches, which may be deleted. Closed
    episodes are taken not to change; who alters their files by hand deletes `<root>/cache`.

    Args:
        root: The memory folder, or one of its earlier lives.
        question: The conditions.
        chosen: Another condition on the row, which comes before all others.
        told: Is called while a cache is made: bytes of the index done, and to do.

    Raises:
        MfmError: if there is no index, or it is switched off.
        ValueError: if the text of the question is too long.
        OSError: if the index cannot be read.
    """
    folder = os.fspath(root) or "."
    _check_options(folder)
    torn, unread = Torn(), Unread()
    wanted = _wanted(question)
    backwards = question.last is not None
    held: list[tuple[Home, Held]] = []
    all_homes = homes(folder, previous=question.previous)
    for home in reversed(all_homes) if backwards else all_homes:
        if wanted is not None and len(held) >= wanted:
            break
        search = Search(home, question, chosen, torn, unread)
        held += [(home, one) for one in search.first(None if wanted is None else wanted - len(held), told)]
    if backwards:
        held.reverse()
    if question.limit is not None:
        held = held[: max(0, question.limit)]
    found = [Found(row, line, note_of(home.base, row, unread)) for home, (row, line) in held]
    return Answer(found, torn.count, unread.paths)


def _wanted(question: Question) -> int | None:
    """Return how many rows to look for, from the side that is looked from; None for all."""
    if question.last is not None:
        return max(0, question.last)
    return None if question.limit is None else max(0, question.limit)


def _check_options(folder: str) -> None:
    if os.path.lexists(f"{folder}/options.json"):
        from pathlib import Path

        from echo.mfm.options import require

        require(Path(folder), "index")
