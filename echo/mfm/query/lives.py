"""Where the rows are that a question is about: of this life, or of the earlier ones."""

from __future__ import annotations

import os

from echo.mfm.query.rows import rows_from_end, rows_from_start
from echo.mfm.regular import open_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from echo.mfm.query.rows import Held, Torn

INDEX, PREVIOUS = "index.jsonl", "previous"
"""The same names as in `echo.mfm.layout`, which takes too long to load."""


class Home:
    """A folder with an index."""

    def __init__(self, folder: str, base: str, life: int | None = None) -> None:
        """Name the folder, the one that paths start from, and the life that its rows do not tell.

        Args:
            folder: Holds the index, and the caches.
            base: Paths in the rows that are given out start from here.
            life: Where given, the index is that of an earlier life by itself: its rows are given out
                with `life`, and with paths from `base`.
        """
        self.folder = folder
        self.base = base
        self.life = life

    def open(self) -> BinaryIO:
        """Open the index.

        Raises:
            MfmError: if there is none, or it cannot be opened.
        """
        try:
            return open_regular(f"{self.folder}/{INDEX}")
        except OSError as error:
            from echo.mfm.layout import no_index

            raise no_index(f"{self.folder}/{INDEX}", error) from None

    def rows(self, index: BinaryIO, torn: Torn, *, backwards: bool) -> Iterator[Held]:
        """Yield the rows of the open index with their lines, in order or from the end."""
        held = rows_from_end(index, torn) if backwards else rows_from_start(index, torn)
        return held if self.life is None else map(self._earlier, held)

    def _earlier(self, held: Held) -> Held:
        from echo.mfm.episodic.index import Line
        from echo.mfm.episodic.previous import earlier_line

        row, data = held
        told = earlier_line(Line(row=row, data=data), self.life or 0)
        return told.row, told.data


def homes(root: str, *, previous: bool) -> list[Home]:
    """Return where the rows are, in order of time; none where there is no earlier life."""
    if not previous:
        return [Home(root, root)]
    earlier = f"{root}/{PREVIOUS}"
    if os.path.exists(f"{earlier}/{INDEX}"):  # noqa: PTH110 (pathlib takes 10 ms to load)
        return [Home(earlier, root)]
    if not os.path.isdir(earlier):  # noqa: PTH112
        return []
    from pathlib import Path

    from echo.mfm.layout import earlier_lives, life_name

    lives = [(life, f"{earlier}/{life_name(life)}") for life in earlier_lives(Path(root))]
    return [Home(folder, root, life) for life, folder in lives if os.path.exists(f"{folder}/{INDEX}")]  # noqa: PTH110
