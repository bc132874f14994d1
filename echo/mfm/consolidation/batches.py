"""Consolidation after each batch of episodes, for whoever records them."""

from __future__ import annotations

from pathlib import Path

from echo.mfm.consolidation.consolidate import Consolidated, consolidate
from echo.mfm.consolidation.writer import Writer

EVERY = 20
"""Episodes of a batch."""


class Consolidator:
    """Counts recorded episodes and consolidates after every so many. For one thread."""

    def __init__(self, root: Path | str, *, every: int = EVERY, writer: Writer | None = None) -> None:
        """Prepare for the memory at `root`, which need not exist yet.

        Args:
            root: The memory folder.
            every: Episodes of a batch, at least 1.
            writer: A model that adds lessons; None for rules alone.

        Raises:
            ValueError: if `every` is below 1.
        """
        if every < 1:
            raise ValueError(f"expected at least 1 episode in a batch, got {every}.")
        self.root = Path(root)
        self._every, self._writer = every, writer
        self._waiting = 0

    def recorded(self, episodes: int = 1) -> Consolidated | None:
        """Say that episodes are in the index; return what was consolidated, None while a batch fills up.

        A recorder with durability 'batch' puts episodes into the index at its `flush`.

        Raises:
            MfmError: as `consolidate`; the episodes then count for the next batch.
        """
        self._waiting += episodes
        return self.finish() if self._waiting >= self._every else None

    def finish(self) -> Consolidated | None:
        """Consolidate what has been recorded since the last batch; None where that is nothing."""
        if self._waiting == 0:
            return None
        done = consolidate(self.root, writer=self._writer)
        self._waiting = 0
        return done
