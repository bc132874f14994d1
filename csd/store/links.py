"""What hangs together in a bank: descriptors with each other, and with the episodes they describe."""

from __future__ import annotations

import sqlite3
from enum import StrEnum

from csd.protocol import Version
from csd.store.errors import BankError
from csd.store.file import BankFile, moment, transaction
from csd.store.where import time_of

_STATE = "id, valid_from, superseded_step, superseded_by, recorded, superseded_at"


class LinkKind(StrEnum):
    """How one descriptor stands to another."""

    DERIVED_FROM = "derived_from"
    """What it shows was carried over from the other."""
    MERGED_INTO = "merged_into"
    """The other says what this one said, and more."""
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    """It took the other's place; written by `Bank.supersede` alone."""


class Links(BankFile):
    """Links between descriptors, their versions, and the episodes they describe."""

    def link(self, source: str, kind: str, target: str) -> None:
        """Link two descriptors; a link there is left alone.

        Args:
            source: id of a descriptor.
            kind: 'derived_from', 'merged_into' or 'contradicts'.
            target: id of another descriptor.

        Raises:
            BankError: on an unknown id.
            ValueError: on another kind, or a link of a descriptor to itself.
        """
        if kind == LinkKind.SUPERSEDES or kind not in list(LinkKind):
            raise ValueError(
                f"expected a link out of derived_from, merged_into, contradicts; got {str(kind)!r}. "
                f"What supersedes what is said with Bank.supersede."
            )
        if source == target:
            raise ValueError(f"expected two descriptors to link; got {source} twice.")
        with transaction(self._connection, self._where):
            self._link(source, kind, target)

    def links(self, id: str) -> list[tuple[str, str, str]]:
        """Return the links from and to descriptor `id` as (source, kind, target), sorted.

        Raises:
            BankError: on an unknown id.
        """
        row = self._row(id)
        return [
            (source, kind, target)
            for source, kind, target in self._fetch(
                "SELECT a.id, kind, b.id FROM link JOIN csd a ON a.row = source JOIN csd b ON b.row = target "
                "WHERE source = ? OR target = ? ORDER BY 1, 2, 3",
                (row, row),
            )
        ]

    def describing(self, episode: str) -> list[str]:
        """Return the ids of the descriptors of MFM episode `episode`, sorted."""
        rows = self._fetch(
            "SELECT id FROM csd JOIN episode USING (row) WHERE episode = ? ORDER BY id", (episode,)
        )
        return [id for (id,) in rows]

    def versions(self, id: str) -> list[Version]:
        """Return all states of the belief that `id` is one of, oldest first, ties by id.

        Raises:
            BankError: on an unknown id.
        """
        with moment(self._connection, self._where):
            newest = self._version(id)
            while newest.superseded_by is not None:
                newest = self._version(newest.superseded_by)
            ages = [[newest.id]]
            while ages[-1]:
                ages.append(sorted(one for later in ages[-1] for one in self._superseded_by(later)))
            return [self._version(one) for age in reversed(ages) for one in age]

    def _version(self, id: str) -> Version:
        name, valid_from, step, later, recorded, at = self._fetch(
            f"SELECT {_STATE} FROM csd WHERE row = ?", (self._row(id),)
        )[0]
        return Version(
            id=name,
            valid_from=valid_from,
            superseded_step=step,
            superseded_by=later,
            recorded=time_of(recorded),
            superseded_at=None if at is None else time_of(at),
        )

    def _superseded_by(self, id: str) -> list[str]:
        return [
            one for (one,) in self._fetch("SELECT id FROM csd WHERE superseded_by = ? ORDER BY id", (id,))
        ]

    def _link(self, source: str, kind: str, target: str) -> None:
        self._connection.execute(
            "INSERT OR IGNORE INTO link VALUES (?, ?, ?)", (self._row(source), kind, self._row(target))
        )


def check_supersedable(old: Version, new_id: str, new: Version | None, at_step: int, where: str) -> None:
    """Refuse a correction that would lose or circle.

    Args:
        old: what is to be superseded.
        new_id: the id of the correction.
        new: its state, where it is held already.
        at_step: world step from which it is to hold.
        where: the bank's name in messages.

    Raises:
        BankError: if `old` is superseded already, says the same, or the correction is superseded itself.
        ValueError: if the correction is to hold from before `old` did.
    """
    if old.superseded_at is not None:
        raise BankError(
            f"expected a current descriptor in {where}; got {old.id}, superseded by "
            f"{old.superseded_by or 'one that was removed'}. Supersede the current one: "
            f"echo-memory csd show {old.id} --versions --bank {where}, or Bank.versions, tells which."
        )
    if new_id == old.id:
        raise BankError(
            f"expected a correction that says something else than {old.id} in {where}; got the same content. "
            f"Nothing was changed."
        )
    if new is not None and new.superseded_at is not None:
        raise BankError(
            f"expected a correction that holds in {where}; got {new_id}, which was superseded itself. "
            f"Describe what is true now, with its own evidence."
        )
    if at_step < old.valid_from:
        raise ValueError(
            f"expected at_step >= {old.valid_from}, the step from which {old.id} holds; got {at_step}."
        )


def retire(run: sqlite3.Connection, old: Version, new_id: str, at_step: int, at: int) -> int:
    """Mark `old` as superseded by `new_id`, within the caller's transaction, and return its row."""
    row: int = run.execute(
        "UPDATE csd SET superseded_step = ?, superseded_by = ?, superseded_at = ? WHERE id = ? RETURNING row",
        (at_step, new_id, at, old.id),
    ).fetchone()[0]
    return row
