"""The lines of an archive put into an open bank one after another, inside one transaction of the caller."""

from __future__ import annotations

import base64
import math
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any, Literal, Never

from csd.axes import AXES, Axis
from csd.descriptor import canonical_json
from csd.embed import embed_descriptors
from csd.encode import Encoder
from csd.protocol import Filing
from csd.store.changes import record_changes, vector_row
from csd.store.errors import BankError
from csd.store.file import identity_of, set_identity
from csd.store.links import LinkKind
from csd.store.rows import Draft, given_halves, insert, read_vectors
from csd.store.where import microseconds
from csd.upkeep.lines import (
    CreditLine,
    CsdLine,
    FailureLine,
    FiledLine,
    Header,
    Line,
    LinkLine,
    State,
    draft_of,
    moment_of,
    refused,
    state_of,
)
from csd.upkeep.states import circles, settle_supersedes
from csd.upkeep.tally import Found

Rule = Literal["keep", "theirs", "refuse"]

_SECTIONS = ("descriptors", "links", "credit", "failures")


class Merge:
    """Puts an archive into a bank; the rules are those of `csd.upkeep.intake`."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        where: str,
        archive: Path,
        *,
        rule: Rule,
        encoder: Encoder | None,
    ) -> None:
        """Work on `connection`, within a transaction of the caller.

        Args:
            connection: the bank.
            where: its name in messages.
            archive: where the lines come from, for messages.
            rule: what becomes of what differs.
            encoder: makes the vectors in place of those in the archive; None takes these.
        """
        self.found = Found()
        self.revalued = False
        """Whether something was changed that no cache can follow."""
        self._run, self._where, self._archive = connection, where, archive
        self._rule = rule
        self._encoder = encoder
        self._identity = identity_of(connection)
        self._counts: dict[str, int] = {}
        self._failures: Counter[tuple[object, ...]] = Counter()
        # On disk where there are many: a million descriptors must not need memory.
        connection.execute("CREATE TEMP TABLE IF NOT EXISTS arrived (key TEXT PRIMARY KEY) WITHOUT ROWID")
        connection.execute("DELETE FROM arrived")
        newest = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'failure'").fetchone()
        self._failures_held = self._last_failure = newest[0] if newest else 0

    def take(self, number: int, line: Line) -> None:
        """Put line `number` of the archive into the bank.

        Raises:
            BankError: on a line that cannot be, or that differs from the bank under 'refuse'.
        """
        try:
            match line:
                case Header():
                    self._counts = {name: getattr(line.counts, name) for name in _SECTIONS}
                case CsdLine():
                    self._once(line.csd)
                    self._csd(number, line)
                case LinkLine():
                    self._once(" ".join(line.link))
                    self._link(line)
                case CreditLine():
                    self._once(f"{line.credit} {line.axis}")
                    self._credit(number, line)
                case FailureLine():
                    self._once(f"failure {line.failure}")
                    self._failure(line)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise refused(self._archive, number, "values that a bank can hold", str(error)) from error

    def finish(self) -> None:
        """Check that all came, and settle what follows from it.

        Raises:
            BankError: on another number of lines than the header says, or corrections that are missing or
                go in a circle.
        """
        counts = {name: self.found.seen[name] for name in _SECTIONS}
        if counts != self._counts:
            raise refused(self._archive, 1, f"the counts {counts}", str(self._counts))
        lost = self._run.execute(
            "SELECT id, superseded_by FROM arrived JOIN csd old ON old.id = key "
            "WHERE superseded_by IS NOT NULL AND NOT EXISTS "
            "(SELECT 1 FROM csd new WHERE new.id = old.superseded_by) LIMIT 1"
        ).fetchone()
        if lost:
            self._incomplete(f"what superseded {lost[0]}", f"no {lost[1]}")
        if rings := circles(self._run):
            self._incomplete("corrections with a newest one", f"a circle of {', '.join(rings[0])}")
        settle_supersedes(self._run)
        if self.revalued:
            # No cache could tell that a row has another vector or state: all are made anew.
            set_identity(self._run, self._identity)

    def _incomplete(self, expected: str, got: str) -> Never:
        raise BankError(
            f"expected {expected} in {self._archive} or the bank at {self._where}; got {got}. Export the "
            f"archive again, after echo-memory doctor --repair on both banks. Nothing was changed."
        )

    def _once(self, key: str) -> None:
        try:
            self._run.execute("INSERT INTO arrived VALUES (?)", (key,))
        except sqlite3.IntegrityError as error:
            raise ValueError(f"{key!r} for the second time") from error

    def _arrived(self, id: str) -> int:
        """Return the row of a descriptor of the archive."""
        found = self._run.execute(
            "SELECT row FROM csd JOIN arrived ON key = id WHERE id = ?", (id,)
        ).fetchone()
        if found is None:
            raise ValueError(f"{id!r}, which is no descriptor of the archive")
        row: int = found[0]
        return row

    def _csd(self, number: int, line: CsdLine) -> None:
        draft = draft_of(self._archive, number, line)
        self.found.seen["descriptors"] += 1
        held = self._run.execute(
            "SELECT row, valid_from, superseded_step, superseded_by, superseded_at FROM csd WHERE id = ?",
            (draft.id,),
        ).fetchone()
        # Vectors of another encoder are not looked at: those of what is held stay.
        halves = self._halves(draft, line) if held is None or self._encoder is None else None
        state = state_of(line)
        if held is None and halves is not None:
            self.found.new["descriptors"] += 1
            filing = Filing(recorded=moment_of(line.recorded))
            insert(self._run, [draft], [halves], filing, line.valid_from)
            (row,) = self._run.execute("SELECT row FROM csd WHERE id = ?", (draft.id,)).fetchone()
            self._run.execute("DELETE FROM filing WHERE row = ?", (row,))
            if line.superseded is not None:
                self._set_state(row, draft.id, state, (line.valid_from, None, None, None))
        else:
            row = held[0]
            self._differing(number, draft, halves, held, state)
            self._run.execute(
                "UPDATE csd SET recorded = min(recorded, ?) WHERE row = ?",
                (microseconds(moment_of(line.recorded)), row),
            )
        for filed in line.filings:
            self._file(row, filed)

    def _halves(self, draft: Draft, line: CsdLine) -> bytes:
        axes = [axis for axis in AXES if draft.csd.axis(axis)]
        dimension = self._identity.dimension
        if list(line.vectors) != sorted(axis.value for axis in axes):
            raise ValueError(f"vectors on {', '.join(line.vectors)} for content on {', '.join(axes)}")
        if self._encoder is not None:
            [vectors] = embed_descriptors([draft.csd], self._encoder)
            return given_halves([draft], [vectors], self._encoder)[0]
        parts = [base64.b64decode(line.vectors[axis.value], validate=True) for axis in axes]
        if any(len(part) != 2 * dimension for part in parts):
            raise ValueError(
                f"vectors of {[len(part) // 2 for part in parts]} numbers instead of {dimension}"
            )
        blob = b"".join(parts)
        try:
            read_vectors(blob, draft.present, dimension, draft.id, str(self._archive))
        except BankError as error:
            raise ValueError(str(error)) from error
        return blob

    def _differing(
        self, number: int, draft: Draft, halves: bytes | None, held: tuple[Any, ...], state: State
    ) -> None:
        row, *before = held
        known = self._run.execute("SELECT present, halves FROM vector WHERE row = ?", (row,)).fetchone()
        revector = halves is not None and known != (draft.present, halves)
        restate = tuple(before) != state
        words = [word for word, so in (("other vectors", revector), ("another state", restate)) if so]
        if not self._decided("descriptors", number, draft.id, " and ".join(words)):
            return
        if halves is not None and revector:
            self._run.execute(
                "INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?)", vector_row(row, draft.present, halves)
            )
            self.revalued = True
        if restate:
            self._set_state(row, draft.id, state, tuple(before))

    def _decided(self, kind: str, number: int, what: str, difference: str) -> bool:
        """Count what is held already, and return whether the archive's is to take its place."""
        if not difference:
            self.found.same[kind] += 1
            return False
        self.found.conflicting[kind] += 1
        self.found.tell(f"{what}: {difference}")
        if self._rule == "refuse":
            raise BankError(
                f"expected {what} as the bank at {self._where} has it in line {number} of {self._archive}; "
                f"got {difference}. Import with --on-conflict keep or theirs; --dry-run tells all that "
                f"differs. Nothing was changed."
            )
        return self._rule == "theirs"

    def _set_state(self, row: object, id: str, state: State, before: tuple[object, ...]) -> None:
        self._run.execute(
            "UPDATE csd SET valid_from = ?, superseded_step = ?, superseded_by = ?, superseded_at = ? "
            "WHERE row = ?",
            (*state, row),
        )
        if (state[3] is None) != (before[3] is None) and isinstance(row, int):
            record_changes(self._run, "add" if state[3] is None else "retire", [(row, id)])
            # Caches know no way back from being superseded.
            self.revalued |= state[3] is None

    def _file(self, row: int, filing: FiledLine) -> None:
        who, recorded = (row, filing.agent, filing.life), microseconds(moment_of(filing.recorded))
        before = self._run.total_changes
        self._run.execute("INSERT OR IGNORE INTO filing VALUES (?, ?, ?, ?)", (*who, recorded))
        self._run.execute(
            "UPDATE filing SET recorded = ?4 WHERE row = ?1 AND agent = ?2 AND life = ?3 AND recorded > ?4",
            (*who, recorded),
        )
        self._run.executemany(
            "INSERT OR IGNORE INTO tag VALUES (?, ?, ?, ?)", [(*who, tag) for tag in filing.tags]
        )
        changed = self._run.total_changes > before
        (self.found.new if changed else self.found.same)["filings"] += 1

    def _link(self, line: LinkLine) -> None:
        source, kind, target = line.link
        self.found.seen["links"] += 1
        if kind not in list(LinkKind) or kind == LinkKind.SUPERSEDES or source == target:
            raise ValueError(f"the link {line.link}")
        added = self._run.execute(
            "INSERT OR IGNORE INTO link VALUES (?, ?, ?)",
            (self._arrived(source), kind, self._arrived(target)),
        )
        (self.found.new if added.rowcount else self.found.same)["links"] += 1

    def _credit(self, number: int, line: CreditLine) -> None:
        self.found.seen["credit"] += 1
        row, axis = self._arrived(line.credit), Axis(line.axis).value
        shares = (line.successes, line.failures)
        if not all(math.isfinite(share) and share >= 0.0 for share in shares):
            raise ValueError(f"the credit {shares}")
        held = self._run.execute(
            "SELECT successes, failures FROM credit WHERE row = ? AND axis = ?", (row, axis)
        ).fetchone()
        if held is None:
            self.found.new["credit"] += 1
        else:
            difference = "" if held == shares else f"credit {shares}, not {held}"
            if not self._decided("credit", number, f"{line.credit} {axis}", difference):
                return
        self._run.execute("INSERT OR REPLACE INTO credit VALUES (?, ?, ?, ?)", (row, axis, *shares))

    def _failure(self, line: FailureLine) -> None:
        self.found.seen["failures"] += 1
        said = (line.key, canonical_json(line.conditions), line.step, canonical_json(line.used))
        self._failures[said] += 1
        (held,) = self._run.execute(
            "SELECT count(*) FROM failure WHERE key = ? AND conditions = ? AND step = ? AND used = ? "
            "AND number <= ?",
            (*said, self._failures_held),
        ).fetchone()
        if self._failures[said] <= held:
            self.found.same["failures"] += 1
            return
        self.found.new["failures"] += 1
        self._last_failure = max(line.failure, self._last_failure + 1)
        self._run.execute("INSERT INTO failure VALUES (?, ?, ?, ?, ?)", (self._last_failure, *said))
