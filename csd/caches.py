"""What a bank keeps beside its file to be searched: vectors, full text and the graph of names."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from csd.store.changes import BankFeed
from csd.vectors.index import VectorIndex
from csd.vectors.publisher import Publisher
from csd.vectors.sizes import Sizes
from csd.vectors.snapshot import STATE
from csd.words.words import Words

CACHE_SUFFIX = ".cache"
"""What the name of a bank's cache folder adds to the name of its file."""


VECTORS = "vectors"
WORDS = "words.db"
EMBEDDINGS = "embeddings.db"
"""Names within the cache folder."""


def cache_folder(path: Path) -> Path:
    """Return the folder of the caches of the bank at `path`; it may be deleted at any time."""
    return path.with_name(path.name + CACHE_SUFFIX)


def embeddings_file(path: Path) -> Path:
    """Return where the embeddings of the texts in the bank at `path` are kept."""
    return cache_folder(path) / EMBEDDINGS


class Caches:
    """The caches of one open bank; each is brought up to date when it is asked for."""

    def __init__(
        self,
        path: Path | None,
        feed: BankFeed,
        open_feed: Callable[[], AbstractContextManager[BankFeed]],
        sizes: Sizes | None = None,
    ) -> None:
        """Follow `feed`.

        Args:
            path: the bank's file; None keeps all in memory.
            feed: the bank as the thread that opened it reads it.
            open_feed: opens the bank once more, for the thread that publishes.
            sizes: when vectors are published, merged and searched by codes.
        """
        self._feed = feed
        self._folder = None if path is None else cache_folder(path)
        self._sizes = sizes
        self._index = self._new_index()
        self._words: Words | None = None
        self._publisher = (
            None if self._folder is None else Publisher(self._folder / VECTORS, open_feed, sizes=sizes)
        )

    def vectors(self) -> VectorIndex:
        """Return the index of vectors as the bank stands; call it within one `moment`."""
        self._index.refresh(self._feed)
        if self._publisher is not None and self._index.stale:
            self._publisher.ask()
        return self._index

    def words(self, *, insist: bool = True) -> Words:
        """Return full text and graph as the bank stands; call it within one `moment`.

        Raises:
            Ahead: if they are of a later moment and `insist` is False.
        """
        if self._words is None:
            self._words = Words(None if self._folder is None else self._folder / WORDS)
        self._words.refresh(self._feed, insist=insist)
        return self._words

    def compact(self) -> bool:
        """Merge what is published and drop what was removed; call it within one `moment`.

        Returns:
            False, with nothing merged, where another process is publishing at this moment.

        Raises:
            BankError: on a failing disk; what was published before stays in use.
        """
        if self._publisher is not None:
            # It would hold the lock, and what it publishes is not compact.
            self._publisher.close()
        if not self._index.compact(self._feed):
            return False
        if self._folder is not None and (self._folder / WORDS).exists():
            # They cannot follow a history that is forgotten.
            self.words()
        return True

    def rebuild(self) -> None:
        """Throw everything away and build it again; call it within one `moment`."""
        if self._folder is not None:
            # First what names the others: what a kill leaves behind is then no damaged snapshot.
            with suppress(OSError):
                (self._folder / VECTORS / STATE).unlink()
            shutil.rmtree(self._folder / VECTORS, ignore_errors=True)
        self._index = self._new_index()
        self.vectors()
        self.words().reset()
        self.words()

    def close(self) -> None:
        """Let go of files, once a publication under way is through."""
        if self._publisher is not None:
            self._publisher.close()
        if self._words is not None:
            self._words.close()

    def _new_index(self) -> VectorIndex:
        folder = None if self._folder is None else self._folder / VECTORS
        return VectorIndex(self._feed.dimension, folder, sizes=self._sizes)
