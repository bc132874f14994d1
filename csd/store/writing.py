"""Changing what a bank holds: every change is whole, durable and told to the caches."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from csd.axes import Axis
from csd.descriptor import Csd
from csd.embed import embed_descriptors
from csd.encode import Encoder
from csd.protocol import Filing, Vectors
from csd.score import Vector
from csd.store.changes import BankFeed, record_changes
from csd.store.checkpoint import Checkpoints
from csd.store.errors import BankError, explained
from csd.store.file import transaction
from csd.store.links import LinkKind, Links, check_supersedable, retire
from csd.store.pause import uncollected
from csd.store.records import Records
from csd.store.rows import Draft, draft, given_halves, insert
from csd.store.where import microseconds


class Writing(Records, Links):
    """Adding, superseding and removing descriptors."""

    def __init__(
        self, connection: sqlite3.Connection, where: str, encoder: Encoder, embedder: Encoder
    ) -> None:
        """Write through `connection`.

        Args:
            connection: the open file.
            where: its name in messages.
            encoder: makes the bank's vectors.
            embedder: the same, for what is remembered: it may keep what it has made.
        """
        super().__init__(connection, where, encoder.dimension)
        self._encoder = encoder
        self._embedder = embedder
        self._feed = BankFeed(connection, encoder.dimension, where)
        self._epoch = self._feed.mark().epoch
        self._checkpoints = Checkpoints(connection)

    @property
    def encoder(self) -> Encoder:
        """The encoder that makes this bank's vectors."""
        return self._encoder

    def add(
        self,
        csd: Csd,
        *,
        vectors: Mapping[Axis, Vector] | None = None,
        filing: Filing | None = None,
        derived_from: Sequence[str] = (),
    ) -> str:
        """Remember `csd` and return its id; one that is held already gains at most a filing.

        All that hangs on it becomes durable together or not at all.

        Args:
            csd: the descriptor.
            vectors: axis -> (d,) float32 unit vector for exactly the axes that have content; None embeds.
            filing: who remembers it; None files a new descriptor under no one, and leaves a held one.
            derived_from: ids of descriptors in the bank that it was made from.

        Raises:
            TypeError: on what is no descriptor.
            ValueError: on a vector too many or too few, or one that is no finite unit vector.
            BankError: on an unknown id in `derived_from`, an oversized record, or a failing disk.
        """
        drafts = [self._draft(csd)]
        halves = self._halves(drafts, None if vectors is None else [vectors])
        with self._change():
            insert(self._connection, drafts, halves, filing)
            for source in derived_from:
                self._link(drafts[0].id, LinkKind.DERIVED_FROM, source)
        return drafts[0].id

    def add_many(
        self,
        csds: Sequence[Csd],
        *,
        vectors: Vectors | None = None,
        filing: Filing | None = None,
    ) -> list[str]:
        """Remember several descriptors in one transaction and return their ids, in the given order.

        Raises:
            TypeError: on what is no descriptor.
            ValueError: on a vector too many or too few, or one that is no finite unit vector.
            BankError: on an oversized record or a failing disk; none was added then.
        """
        with uncollected():
            drafts = [self._draft(csd) for csd in csds]
            halves = self._halves(drafts, vectors)
            if drafts:
                with explained(self._where), self._checkpoints.put_off(len(drafts)), self._change():
                    insert(self._connection, drafts, halves, filing)
            return [one.id for one in drafts]

    def supersede(
        self,
        old_id: str,
        csd: Csd,
        *,
        at_step: int | None = None,
        vectors: Mapping[Axis, Vector] | None = None,
        filing: Filing | None = None,
    ) -> str:
        """Put `csd` in the place of `old_id` and return its id; the old one stays readable.

        The old one is found from then on only with `Where(as_of=...)` before that step.

        Args:
            old_id: a current descriptor.
            csd: the correction; another content.
            at_step: world step from which it holds; None is the step of `csd`, or of the old one if later.
            vectors: as in `add`.
            filing: as in `add`.

        Raises:
            TypeError: on what is no descriptor.
            ValueError: on an `at_step` before the old one held, or bad vectors.
            BankError: on an unknown `old_id`, one that is superseded already, the same content, or a
                correction that is itself superseded.
        """
        drafts = [self._draft(csd)]
        new_id = drafts[0].id
        halves = self._halves(drafts, None if vectors is None else [vectors])
        with self._change():
            old = self._version(old_id)
            new = self._version(new_id) if new_id in self else None
            step = max(old.valid_from, csd.meta.step) if at_step is None else at_step
            check_supersedable(old, new_id, new, step, self._where)
            insert(self._connection, drafts, halves, filing, valid_from=step)
            at = microseconds((filing or Filing()).moment())
            row = retire(self._connection, old, new_id, step, at)
            record_changes(self._connection, "retire", [(row, old_id)])
            self._link(new_id, LinkKind.SUPERSEDES, old_id)
        return new_id

    def remove(self, id: str) -> bool:
        """Forget descriptor `id` with all that hangs on it, and return whether it was there.

        Episodes, failures that name it, and the retirement of what it superseded stay.
        """
        with transaction(self._connection, self._where):
            found = self._fetch("DELETE FROM csd WHERE id = ? RETURNING row", (id,))
            if found:
                self._connection.execute("UPDATE csd SET superseded_by = NULL WHERE superseded_by = ?", (id,))
                record_changes(self._connection, "remove", [(row, id) for (row,) in found])
        return bool(found)

    def _draft(self, csd: Csd) -> Draft:
        if not isinstance(csd, Csd):
            raise TypeError(
                f"expected a descriptor, a csd.descriptor.Csd; got {type(csd).__name__}. "
                f"Read one from JSON with Csd.from_json."
            )
        return draft(csd, self._where)

    def _halves(self, drafts: Sequence[Draft], vectors: Vectors | None) -> list[bytes]:
        # Embedding is slow, so no lock is held meanwhile.
        if vectors is None:
            vectors = embed_descriptors([one.csd for one in drafts], self._embedder)
        return given_halves(drafts, vectors, self._encoder)

    @contextmanager
    def _change(self) -> Iterator[None]:
        """Let a block change what is held, with vectors that belong to those in the file."""
        with transaction(self._connection, self._where):
            self._check_epoch()
            yield

    def _check_epoch(self) -> None:
        if self._feed.mark().epoch != self._epoch:
            raise BankError(
                f"expected the vectors that were in {self._where} when it was opened; it was embedded anew "
                f"since. Close this bank and open it again."
            )
