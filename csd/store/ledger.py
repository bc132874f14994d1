"""What became of what was recalled: credit for each descriptor and axis, and the log of failures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from csd.axes import AXES, Axis
from csd.descriptor import canonical_json
from csd.embed import check_axes
from csd.store.errors import BankError
from csd.store.file import BankFile, transaction

MAX_SHARE = 1e9
"""Largest share of one use; sums of such shares stay finite for as long as anything is used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Credit:
    """How often using something went well; shares count in parts."""

    successes: float = 0.0
    failures: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """An attempt that did not work, and the circumstances in which it did not."""

    number: int
    """Order of logging, from 1."""
    key: str
    """What was attempted, in the caller's one spelling; equal attempts have equal keys."""
    conditions: Mapping[str, Any]
    """The circumstances that mattered, as a JSON object."""
    step: int
    """Actions taken in the world before the attempt."""
    used: tuple[str, ...]
    """Ids of the descriptors that the attempt was built from."""


class Ledger(BankFile):
    """Credit and failures, kept in the same file and the same transactions as the descriptors."""

    def credit(self, id: str, shares: Mapping[Axis, float], *, success: bool) -> None:
        """Record that descriptor `id` was used, and how much each axis had to do with it.

        Args:
            id: a descriptor in the bank.
            shares: axis -> its part in the use, in [0, `MAX_SHARE`]; commonly adding up to 1.
            success: whether what was built from it worked.

        Raises:
            BankError: on an unknown id.
            ValueError: on a name that is no axis, or a share out of that range.
        """
        check_axes(shares)
        for axis, share in shares.items():
            if not 0.0 <= share <= MAX_SHARE:
                raise ValueError(f"expected a finite share in [0, 1e9] on axis {axis}; got {share!r}.")
        column = "successes" if success else "failures"
        with transaction(self._connection, self._where):
            row = self._row(id)
            self._connection.executemany(
                "INSERT INTO credit VALUES (?, ?, ?, ?) ON CONFLICT (row, axis) "
                f"DO UPDATE SET {column} = {column} + excluded.{column}",
                [
                    (row, Axis(axis).value, *((float(share), 0.0) if success else (0.0, float(share))))
                    for axis, share in shares.items()
                ],
            )

    def credits(self, id: str | None = None) -> dict[Axis, Credit]:
        """Return the credit of each axis, in canonical order, for one descriptor or summed over all.

        Raises:
            BankError: on an unknown id.
        """
        only = "" if id is None else "WHERE row = ?"
        rows = self._fetch(
            f"SELECT axis, total(successes), total(failures) FROM credit {only} GROUP BY axis",
            () if id is None else (self._row(id),),
        )
        found = {axis: Credit(successes=good, failures=bad) for axis, good, bad in rows}
        return {axis: found.get(axis.value, Credit()) for axis in AXES}

    def log_failure(
        self, key: str, conditions: Mapping[str, Any], *, step: int, used: Sequence[str] = ()
    ) -> Failure:
        """Log an attempt that did not work.

        Args:
            key: what was attempted; equal attempts must have equal keys.
            conditions: the circumstances, as JSON values.
            step: actions taken in the world before the attempt.
            used: ids of the descriptors behind it; they may be removed later, the log stays.

        Raises:
            ValueError: if `conditions` are no JSON object, or hold NaN or infinity.
        """
        text = _conditions_json(conditions)
        with transaction(self._connection, self._where):
            number = self._connection.execute(
                "INSERT INTO failure (key, conditions, step, used) VALUES (?, ?, ?, ?)",
                (key, text, step, canonical_json(list(used))),
            ).lastrowid
        return Failure(number=number or 0, key=key, conditions=json.loads(text), step=step, used=tuple(used))

    def failures(self, key: str | None = None) -> list[Failure]:
        """Return the logged failures of `key`, or all of them, in order of logging."""
        only = "" if key is None else "WHERE key = ?"
        rows = self._fetch(
            f"SELECT number, key, conditions, step, used FROM failure {only} ORDER BY number",
            () if key is None else (key,),
        )
        return [
            Failure(
                number=number,
                key=name,
                conditions=self._read_json(conditions, number),
                step=step,
                used=tuple(self._read_json(used, number)),
            )
            for number, name, conditions, step, used in rows
        ]

    def _read_json(self, text: str, number: int) -> Any:
        try:
            return json.loads(text)
        except ValueError as error:
            raise BankError(
                f"expected JSON in failure {number} of the bank {self._where}; got {text[:80]!r}. "
                f"Restore the file from a copy."
            ) from error

    def has_failed(self, key: str, conditions: Mapping[str, Any]) -> bool:
        """Return whether `key` was logged as a failure under exactly these conditions.

        Raises:
            ValueError: as in `log_failure`.
        """
        found = self._fetch(
            "SELECT 1 FROM failure WHERE key = ? AND conditions = ? LIMIT 1",
            (key, _conditions_json(conditions)),
        )
        return bool(found)


def _conditions_json(conditions: Mapping[str, Any]) -> str:
    try:
        return canonical_json(dict(conditions))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"expected JSON values without NaN or infinity in the conditions of a failure; got: {error}. "
            f"Leave out what is no text, number, yes or no, list or object of such."
        ) from error
