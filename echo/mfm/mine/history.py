"""What mine/ was before each change: a log of changes, and every text ever held, by its digest.

```
<root>/history/changes.jsonl      one line a change, oldest first
<root>/history/texts/<sha256>     the bytes of a file before or after some change
<root>/history/applied            number of the last change that mine/ shows whole
<root>/history/.lock              held while a change is made
```

A change is in the log before mine/ shows it, so that a kill in between is made good at the next opening.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from echo.mfm.disk import Disk
from echo.mfm.layout import HISTORY, LOCK, MENDED, MfmError
from echo.mfm.mine.change import Change, digest_of, is_digest, parse_change
from echo.mfm.regular import NotAFile, open_regular, read_regular

CHANGES = "changes.jsonl"
TEXTS = "texts"
APPLIED = "applied"
_INCOMING = "incoming.part"
_END_BYTES = 1 << 16
_MARK_BYTES = 64

LOCK_SECONDS = 20.0
"""How long a writer waits for another one."""

_START = b'{"by": '


class ChangeLog:
    """The history folder of one memory. Reading needs no lock; writing does."""

    def __init__(self, root: Path, disk: Disk) -> None:
        """Look at <root>/history, which need not exist."""
        self.root, self.folder, self._disk = root, root / HISTORY, disk
        self._changes: list[Change] = []
        self._heads: dict[str, str | None] = {}
        self._offset = 0
        self._last = b""

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Be the only writer of mine/ and of its history, in this process and all others.

        Raises:
            MfmError: if the memory folder is missing, or another writer did not let go in time.
        """
        if not self.root.is_dir():
            raise MfmError(
                f"expected a memory folder at {self.root}, got none. Make it, or record into it first."
            )
        try:
            self._disk.make_folder(self.folder / TEXTS)
        except (FileExistsError, NotADirectoryError):
            raise MfmError(
                f"expected a folder at {self.folder / TEXTS}, got something else. Move it away."
            ) from None
        lock = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            _wait_for(lock, self.folder)
            yield
        finally:
            os.close(lock)

    def changes(self) -> list[Change]:
        """Return all changes, the oldest first; a last line that is not whole is none.

        Raises:
            MfmError: if another line is no change.
        """
        for line, offset in self._new_lines():
            if not line.strip():
                continue
            change = parse_change(line)
            if change is None:
                raise MfmError(
                    f"expected one change a line in {self.folder / CHANGES}, got {line[:80]!r} at "
                    f"byte {offset}. "
                    f"Change any file through the memory: that mends the log and keeps what it takes out."
                )
            self._take(change, line, offset)
        return list(self._changes)

    def whole_changes(self) -> tuple[list[Change], int]:
        """Return the changes that can be read, the oldest first, and how many lines hold none."""
        try:
            return self.changes(), 0
        except MfmError:
            kept, torn = _sorted_out(read_regular(self.folder / CHANGES))
        found = [parse_change(line) for line in kept]
        return [change for change in found if change is not None], len(torn)

    def head(self, path: str) -> str | None:
        """Return the digest that the log, as last read, has for `path`; None for no file."""
        return self._heads.get(path)

    def append(self, change: Change) -> None:
        """Put a change at the end of the log and on the platter. Needs the lock and a log just read.

        Raises:
            OSError: if the disk refuses; the log is as before then.
        """
        line = change.line()
        self._disk.append(self.folder / CHANGES, line)
        self._take(change, line, self._offset)

    def take_back(self, size: int) -> None:
        """Cut the log to `size` bytes, where the change behind could not be shown. Needs the lock."""
        self._disk.truncate(self.folder / CHANGES, size)
        self._forget()

    def keep(self, data: bytes) -> str:
        """Keep the bytes of a file and return their digest. Needs the lock."""
        digest = digest_of(data)
        path = self.folder / TEXTS / digest
        if not path.is_file() or path.stat().st_size != len(data):
            self._write_whole(path, data)
        return digest

    def bytes_at(self, digest: str) -> bytes:
        """Return the bytes that were kept under `digest`.

        Raises:
            MfmError: if there are none, or they are damaged.
        """
        if not is_digest(digest):
            raise MfmError(f"expected a digest of 64 hex digits, got {digest!r}. Take one from the history.")
        path = self.folder / TEXTS / digest
        try:
            data = read_regular(path)
        except FileNotFoundError:
            raise MfmError(
                f"expected the text {digest[:12]} at {path}, got no file. "
                f"Restore it from a copy of the memory."
            ) from None
        if digest_of(data) != digest:
            raise MfmError(
                f"expected bytes with the digest {digest[:12]} in {path}, got others: the file is damaged. "
                f"Restore it from a copy of the memory."
            )
        return data

    def unapplied(self) -> Change | None:
        """Return the last change where mine/ may not show it whole, as after a kill."""
        if not self._changes:
            return None
        # Where it is not known it may be the last one, since every writer first makes good what it finds.
        mark = self._mark()
        return self._changes[-1] if mark is None or mark < self._changes[-1].number else None

    def may_be_unapplied(self) -> bool:
        """Return whether `unapplied` might find something, from the end of the log alone: always quick."""
        try:
            with open_regular(self.folder / CHANGES) as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _END_BYTES))
                end = file.read()
        except (FileNotFoundError, NotADirectoryError, NotAFile):
            return False
        last = parse_change(end.rpartition(b"\n")[0].rpartition(b"\n")[2])
        return bool(end) and (last is None or last.number != self._mark())

    def mark_applied(self) -> None:
        """Note that mine/ shows the last change whole. Needs the lock."""
        # Not synced: after a power cut an older mark makes the last change be looked at once more, no worse.
        part = self.folder / _INCOMING
        part.unlink(missing_ok=True)
        self._disk.write_file(part, b"%d\n" % self._changes[-1].number)
        self._disk.rename(part, self.folder / APPLIED)

    def mend(self) -> None:
        """Take out of the log what is no change and keep it in mended/. Needs the lock.

        A change behind bytes that are none, on the same line, is a change; so is one without a line feed.
        """
        path = self.folder / CHANGES
        if not path.exists():
            self._disk.write_file(path, b"")
            self._disk.sync(self.folder)
            return
        try:
            self.changes()
        except MfmError:
            pass
        else:
            if path.stat().st_size == self._offset:
                return
        data = read_regular(path)
        kept, torn = _sorted_out(data)
        if torn:
            self._disk.make_folder(self.root / MENDED)
            aside = self.root / MENDED / f"changes-{digest_of(data)[:12]}.jsonl"
            if not aside.exists():
                self._write_whole(aside, b"\n".join(torn) + b"\n")
        self._write_whole(path, b"".join(kept))
        self._forget()
        mark, changes = self._mark(), self.changes()
        if changes and mark is not None and mark > changes[-1].number:
            # The change it names is out of the log; its number will be given to another.
            self.mark_applied()

    def _mark(self) -> int | None:
        try:
            return int(read_regular(self.folder / APPLIED, _MARK_BYTES))
        except (FileNotFoundError, NotADirectoryError, NotAFile, ValueError):
            return None

    def _new_lines(self) -> Iterator[tuple[bytes, int]]:
        try:
            file = open_regular(self.folder / CHANGES)
        except (FileNotFoundError, NotADirectoryError):
            self._forget()
            return
        with file:
            if self._offset:
                file.seek(max(0, self._offset - len(self._last)))
                if file.read(len(self._last)) != self._last:
                    self._forget()
                    file.seek(0)
            offset = self._offset
            for line in file:
                if not line.endswith(b"\n"):
                    return
                yield line, offset
                offset += len(line)

    def _take(self, change: Change, line: bytes, offset: int) -> None:
        self._changes.append(change)
        self._heads.update({path: after for path, (_, after) in change.files.items()})
        self._offset, self._last = offset + len(line), line

    def _forget(self) -> None:
        self._changes, self._heads, self._offset, self._last = [], {}, 0, b""

    def _write_whole(self, path: Path, data: bytes) -> None:
        part = self.folder / _INCOMING
        part.unlink(missing_ok=True)
        self._disk.write_file(part, data)
        self._disk.sync(part)
        self._disk.rename(part, path)
        self._disk.sync(path.parent)


def _sorted_out(data: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the lines of a log that hold changes, and the stretches that hold none."""
    kept, torn = [], []
    for piece in data.split(b"\n"):
        start = piece.rfind(_START)
        if parse_change(piece) is not None:
            kept.append(piece + b"\n")
        elif start > 0 and parse_change(piece[start:]) is not None:
            torn.append(piece[:start])
            kept.append(piece[start:] + b"\n")
        elif piece.strip():
            torn.append(piece)
    return kept, torn


def _wait_for(lock: int, folder: Path) -> None:
    deadline = time.monotonic() + LOCK_SECONDS
    pause = 0.0005
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        if time.monotonic() > deadline:
            raise MfmError(
                f"expected the notes beside {folder} to be free within {LOCK_SECONDS:g} seconds, but another "
                f"process went on changing them. Try again, or end that process."
            )
        time.sleep(pause)
        pause = min(0.02, pause * 1.5)
