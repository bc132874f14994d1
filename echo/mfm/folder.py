"""One memory folder, read: rows and files of episodes, of this life and of earlier ones.

Standard library only, and tolerant: folders of other tools in the same layout are read too, so
everything but the id may be missing from a row.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from echo.mfm.episodic.previous import earlier_row, own_lines
from echo.mfm.episodic.reader import read_index
from echo.mfm.layout import (
    ACTION,
    EPISODES,
    INDEX,
    OUTCOME,
    PREVIOUS,
    STATE,
    MfmError,
    Row,
    earlier_lives,
    episode_number,
    life_name,
    no_index,
    read_json,
)
from echo.mfm.regular import open_regular


class MemoryFolder:
    """A memory folder for reading. Holds nothing open and nothing in memory; needs no lock."""

    def __init__(self, root: Path | str) -> None:
        """Look at the memory in the folder `root`.

        Raises:
            MfmError: if it holds no index that can be opened.
        """
        self.root = Path(root)
        try:
            open_regular(self.root / INDEX).close()
        except OSError as error:
            raise no_index(self.root / INDEX, error) from None

    def rows(self) -> Iterator[Row]:
        """Yield the rows of this life in order of time; bytes that hold no row are passed over.

        Raises:
            MfmError: if the index is gone, or cannot be opened.
        """
        return read_index(self.root)

    def earlier_rows(self) -> Iterator[Row]:
        """Yield the rows of all earlier lives, the first life first; each holds `life`, its number.

        Their paths are relative to this folder. Where previous/index.jsonl is missing, they are taken from
        the indexes of the lives. Raises as `rows`.
        """
        if os.path.lexists(self.root / PREVIOUS / INDEX):
            yield from read_index(self.root / PREVIOUS)
            return
        for life in earlier_lives(self.root):
            for line in own_lines(self.root, life):
                yield earlier_row(line.row, life)

    def place(self, episode: str, life: int | None = None) -> Path | None:
        """Return the folder of an episode, or None where there is none.

        Args:
            episode: Its id, such as 'ep_000012'.
            life: The earlier life to look in; None looks in this one, then in earlier ones, the last first.
        """
        if episode_number(episode) is None:
            return None
        lives = [self.root / PREVIOUS / life_name(number) for number in reversed(earlier_lives(self.root))]
        homes = [self.root, *lives] if life is None else [self.root / PREVIOUS / life_name(life)]
        return next(
            (home / EPISODES / episode for home in homes if (home / EPISODES / episode).is_dir()), None
        )

    def state(self, episode: str) -> dict[str, Any]:
        """Return state.json of an episode: what was seen before it.

        Raises:
            MfmError: if there is no such episode, or its file is missing or no JSON object.
        """
        return self._document(episode, STATE)

    def action(self, episode: str) -> dict[str, Any]:
        """Return action.json of an episode: what was done. Raises as `state`."""
        return self._document(episode, ACTION)

    def outcome(self, episode: str) -> dict[str, Any]:
        """Return outcome.json of an episode: what came of it. Raises as `state`."""
        return self._document(episode, OUTCOME)

    def _document(self, episode: str, name: str) -> dict[str, Any]:
        folder = self.place(episode)
        if folder is None:
            raise MfmError(
                f"expected an episode of {self.root}, got {episode!r}, which has no folder there. "
                f"Take an id from {INDEX}."
            )
        held = read_json(folder / name)
        if not isinstance(held, dict):
            raise MfmError(
                f"expected a JSON object in {folder / name}, got {type(held).__name__}. "
                f"Restore this file from a copy; the rest of the memory stays usable."
            )
        return held
