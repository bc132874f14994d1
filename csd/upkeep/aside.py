"""The file beside a bank that keeps what a repair takes out of it."""

from __future__ import annotations

import base64
import json
import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from csd.store.errors import BankError
from csd.upkeep.archive import sync_folder


class Aside:
    """Collects what is taken out of a bank, as JSON lines in `PATH.damaged-<time>.jsonl`.

    The file is made when the first thing goes in; whatever goes in is kept word for word, bytes in Base64.
    """

    def __init__(self, bank: Path, now: datetime | None = None) -> None:
        """Keep things beside `bank`; `now` names the file, None for the time it is."""
        self._bank = bank
        self._now = now or datetime.now(UTC)
        self._lines: list[str] = []
        self.path: Path | None = None

    def keep(self, what: str, **parts: Any) -> None:
        """Keep one thing; it is written by `save`."""
        self._lines.append(json.dumps({"what": what, **_plain(parts)}, sort_keys=True, ensure_ascii=True))

    def keep_rows(self, what: str, found: sqlite3.Cursor) -> None:
        """Keep each row that a query found."""
        names = [column[0] for column in found.description]
        for row in found.fetchall():
            self.keep(what, **dict(zip(names, row, strict=True)))

    def save(self) -> Path | None:
        """Write everything to a new file and wait until it is safe on disk; call it before the commit.

        Returns:
            The file; None where there is nothing to keep.

        Raises:
            BankError: if it cannot be written.
        """
        if not self._lines:
            return None
        stamp = self._now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
        for attempt in range(1, 1000):
            again = "" if attempt == 1 else f"-{attempt}"
            path = self._bank.with_name(f"{self._bank.name}.damaged-{stamp}{again}.jsonl")
            try:
                with path.open("x", encoding="ascii") as file:
                    file.writelines(f"{line}\n" for line in self._lines)
                    file.flush()
                    os.fsync(file.fileno())
                sync_folder(path.parent)
            except FileExistsError:
                continue
            except OSError as error:
                raise BankError(
                    f"expected to keep what is damaged at {path}; got {error}. Make room there; nothing was "
                    f"changed in the bank."
                ) from error
            self.path = path
            return path
        raise BankError(f"expected a free name beside {self._bank} to keep what is damaged; got none.")


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value
