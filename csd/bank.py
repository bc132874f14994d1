"""The memory bank: descriptors, their vectors and what hangs on them in one SQLite file, searchable by axis.

The file is the truth; what is searched - vectors, full text, the graph of names - are caches in a folder
beside it that follow the file's history, so a process that is killed, or another one that writes, can
never leave them out of step, and they may be deleted at any time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from csd.axes import Axis
from csd.caches import Caches, embeddings_file
from csd.embed import check_axes, embed_query, identity_for
from csd.encode import Encoder
from csd.encode_store import EmbeddingStore
from csd.protocol import Query
from csd.score import Match, check_count
from csd.store.changes import BankFeed, forget_changes
from csd.store.errors import BankError, explained
from csd.store.file import BUSY_SECONDS, connect, make_file, moment, transaction
from csd.store.ledger import Ledger
from csd.store.passing import Passing
from csd.store.where import Where
from csd.store.writing import Writing
from csd.upkeep.exchange import Exported, export_bank
from csd.upkeep.stats import Stats, stats_of
from csd.vectors.sizes import Sizes
from csd.words.words import Ahead, CueHit, Words

_ATTEMPTS = 4
"""So often words that are ahead are asked anew before they are taken for another bank's."""

_Answer = TypeVar("_Answer")


class Bank(Writing, Ledger):
    """Descriptors with their vectors, filings, versions, links, credit and failures.

    Implements `csd.protocol.DescriptorBank`. Use `open`; a bank is a context manager. One instance belongs
    to one thread. Several processes may open one file: each sees the others' finished changes at once.
    """

    def __init__(
        self, path: Path | None, encoder: Encoder, *, durable: bool = True, sizes: Sizes | None = None
    ) -> None:
        """Open the existing file `path`; see `open`."""
        # A process that changes its folder goes on with the same file and the same caches.
        path = None if path is None else path.absolute()
        connection = connect(path, identity_for(encoder), durable=durable)
        self._store = None if path is None else EmbeddingStore(encoder, embeddings_file(path))
        where = "memory" if path is None else str(path)
        super().__init__(connection, where, encoder, self._store or encoder)
        self._path = path
        self._passing = Passing(connection, where)
        self._caches = Caches(path, self._feed, self._own_feed, sizes)

    @classmethod
    def open(
        cls,
        path: str | Path | None,
        encoder: Encoder,
        *,
        create: bool = True,
        durable: bool = True,
        sizes: Sizes | None = None,
    ) -> Self:
        """Open the bank at `path`, or one in memory for None.

        Args:
            path: the SQLite file; made where there is none, in a folder that must be there.
            encoder: makes the vectors; must be the one that filled the file.
            create: whether a file may be made; one that is there is never made into a bank.
            durable: whether a finished change must survive a power cut too; without it a change costs
                a quarter on a busy disk and still survives the death of the process.
            sizes: when vectors are published, merged and searched by codes; None for what was measured.

        Raises:
            BankError: if the file is missing and may not or cannot be made, is empty, is no bank, is
                damaged or of a newer format, or was filled by another encoder.
        """
        place = None if path is None else Path(path).absolute()
        if place is not None and not place.exists():
            if not create:
                raise BankError(
                    f"expected a memory bank at {place}; got no file there. Check the path, or run "
                    f"something that fills a bank first."
                )
            make_file(place, identity_for(encoder))
        return cls(place, encoder, durable=durable, sizes=sizes)

    def __enter__(self) -> Self:
        """Return the bank."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the bank."""
        self.close()

    def close(self) -> None:
        """Close the file, once a publication under way is through; the bank cannot be used afterwards.

        Raises:
            BankError: from another thread than the one that opened it; it stays open then.
        """
        with explained(self._where):
            # First, for it refuses another thread before anything is let go of.
            self._connection.close()
        self._checkpoints.wait()
        self._caches.close()
        if self._store is not None:
            self._store.close()

    @property
    def path(self) -> Path | None:
        """The bank's file, absolute; None in memory."""
        return self._path

    def recall(
        self,
        query: Query,
        *,
        k: int,
        weights: Mapping[Axis, float] | None = None,
        where: Where | None = None,
        exact: bool = False,
    ) -> list[Match]:
        """Return the `k` best descriptors for `query`.

        A descriptor takes part if it has a vector on at least one asked axis of weight above 0.

        Args:
            query: a descriptor, or axis -> text or (d,) float32 unit vector; an axis left out, or with a
                blank text, is not asked.
            k: how many at most.
            weights: axis -> weight >= 0; None weighs all asked axes alike; a missing axis weighs 0.
            where: which descriptors to choose from, before the best are chosen; None for all current.
            exact: whether nothing may be missed, at any price. Without it the search is exact as well in
                small banks, and in larger ones misses less than one in a hundred; see `csd.vectors.sizes`.

        Returns:
            Best score first, ties by id; cosines are those of the stored vectors, in float64. Empty where
            nothing is asked or nothing takes part.

        Raises:
            ValueError: on a name that is no axis, a `k` that is no whole number >= 0, a bad weight or a bad
                vector.
            BankError: if the file is damaged, or was embedded anew since it was opened.
        """
        check_count(k)
        check_axes(weights or {})
        asked = embed_query(query, self._encoder)
        with self._now() as caches:
            rows = None if where is None else self._passing.rows(where)
            return caches.vectors().search(asked, k=k, weights=weights, rows=rows, exact=exact)

    def cue(self, text: str, *, k: int = 10, where: Where | None = None) -> list[CueHit]:
        """Return the descriptors in whose rendered axes all words of `text` occur; see `Words.cue`.

        Raises:
            ValueError: on a `k` that is no whole number >= 0, or a text that cannot be asked.
        """
        check_count(k)

        def ask(words: Words) -> list[CueHit]:
            rows = None if where is None else self._passing.rows(where).tolist()
            return words.cue(text, limit=k, rows=rows)

        return self._ask_words(ask)

    def mentioning(self, node: str) -> list[str]:
        """Return the ids of the descriptors whose graph holds `node` ('thing:oak_planks'), sorted."""

        def ask(words: Words) -> list[str]:
            rows = json.dumps(words.mentioning(node))
            found = self._fetch("SELECT id FROM csd WHERE row IN (SELECT value FROM json_each(?))", (rows,))
            return sorted(id for (id,) in found)

        return self._ask_words(ask)

    def index_digest(self) -> str:
        """Return a digest of what vectors can be found; equal before and after `rebuild`."""
        with self._now() as caches:
            return caches.vectors().digest()

    def compact(self) -> None:
        """Merge what is published, drop what was removed, and forget the history that caches have taken in.

        Where another process publishes at this moment, that is left to it.

        Raises:
            BankError: on a failing disk; what was published before stays in use.
        """
        with self._now() as caches:
            compacted = caches.compact()
            published = self._feed.mark()
        if compacted:
            with transaction(self._connection, self._where):
                forget_changes(self._connection, published)
        self._fetch("PRAGMA optimize")
        self._checkpoints.wait()
        # Waiting for readers to let go of the log would keep all writers waiting too.
        self._fetch("PRAGMA busy_timeout = 0")
        self._fetch("PRAGMA wal_checkpoint(TRUNCATE)")
        self._fetch(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")

    def rebuild(self) -> None:
        """Throw all caches away and build them again from the file."""
        with self._now() as caches:
            caches.rebuild()

    def export(self, target: str | Path, *, progress: Callable[[int, int], None] | None = None) -> Exported:
        """Write all that is held to an archive at `target`; see `csd.upkeep.exchange.export_bank`."""
        return export_bank(self._connection, self._where, Path(target), progress=progress)

    def stats(self) -> Stats:
        """Return the counts of what is held, and what it takes."""
        with self._now() as caches:
            facts = asdict(caches.vectors().facts())
            return stats_of(self._connection, self._where, self._path, facts)

    @contextmanager
    def _now(self) -> Iterator[Caches]:
        """Let a block read one moment of the bank, through caches that stand there."""
        with moment(self._connection, self._where):
            self._check_epoch()
            yield self._caches

    def _ask_words(self, ask: Callable[[Words], _Answer]) -> _Answer:
        """Return what `ask` makes of full text and graph as the bank stands."""
        for _ in range(_ATTEMPTS):
            # Another process may be ahead of this moment, not of one that begins now.
            with suppress(Ahead), self._now() as caches:
                return ask(caches.words(insist=False))
        with self._now() as caches:
            return ask(caches.words())

    @contextmanager
    def _own_feed(self) -> Iterator[BankFeed]:
        """Let a thread of its own follow this bank through a connection of its own."""
        with (
            closing(connect(self._path, identity_for(self._encoder))) as connection,
            moment(connection, self._where),
        ):
            yield BankFeed(connection, self._encoder.dimension, self._where)
