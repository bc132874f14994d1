"""The archive of a bank: JSON lines that a person can read, whose last line tells whether all are there.

The lines, in this order: a header; one a descriptor, in order of recording; links; credit; failures; the
end, which holds the SHA-256 of all bytes before it. What supersedes what stands with the descriptors alone.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import secrets
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from pydantic import ValidationError

from csd.descriptor import canonical_json
from csd.store.errors import BankError
from csd.upkeep.lines import KINDS, EndLine, Header, Line, refused

DRAFT = ".archive-part"
"""Ending of an archive that is still being written; its name starts with a dot."""

MAX_LINE_BYTES = 64 * 1024 * 1024
"""Longest line that is written and read: whatever is longer is no archive."""


class ArchiveWriter:
    """Writes an archive beside its place and puts it there whole, when the block ends without an error."""

    def __init__(self, target: Path) -> None:
        """Write to `target`, compressed if its name ends in .gz; equal lines give equal bytes.

        Raises:
            BankError: if another kind of file is there, or the folder cannot be written to.
        """
        if target.exists():
            _check_replaceable(target)
        self._target = target
        self._draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}{DRAFT}")
        self._digest = hashlib.sha256()
        try:
            self._disk: IO[bytes] = self._draft.open("xb")
        except OSError as error:
            raise _unwritable(target, error) from error
        self._file: IO[bytes] | gzip.GzipFile = self._disk
        if target.suffix == ".gz":
            # Neither a name nor a time: the same bank gives the same bytes.
            self._file = gzip.GzipFile(filename="", mode="wb", fileobj=self._disk, compresslevel=6, mtime=0)

    def write(self, line: str) -> None:
        """Add one line of JSON, given without its line feed.

        Raises:
            BankError: on a line that would be too long to be read again.
        """
        data = line.encode() + b"\n"
        if len(data) > MAX_LINE_BYTES:
            raise BankError(
                f"expected lines of at most {MAX_LINE_BYTES} bytes in an archive; got {len(data)} bytes "
                f"({line[:60]}...). Remove what is so long from the bank; {self._target} was left as it was."
            )
        self._digest.update(data)
        self._file.write(data)

    def __enter__(self) -> Self:
        """Return the writer."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Put the archive in its place, or take away what was begun.

        Raises:
            BankError: if the disk refuses; what was at the place before is intact.
        """
        try:
            if error is None:
                self._finish()
        except OSError as refusal:
            raise _unwritable(self._target, refusal) from refusal
        finally:
            with suppress(OSError):
                self._file.close()
            with suppress(OSError):
                self._disk.close()
            with suppress(OSError):
                self._draft.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unwritable(self._target, error) from error

    def _finish(self) -> None:
        self.write(canonical_json({"end": self._digest.hexdigest()}))
        if self._file is not self._disk:
            self._file.close()
        self._disk.flush()
        os.fsync(self._disk.fileno())
        self._disk.close()
        self._draft.replace(self._target)
        sync_folder(self._target.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the names in `folder` are safe on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_lines(path: Path) -> Iterator[tuple[int, Line]]:
    """Yield the lines of the archive at `path` with their numbers from 1, without the last one.

    Raises:
        BankError: on a file that is missing, no archive, of another format, cut off or altered; the
            latter may show after the last line only.
    """
    digest, number, place = hashlib.sha256(), 0, 0
    for number, data in enumerate(_data_lines(path), start=1):
        if place == len(KINDS) - 1:
            raise refused(path, number, "nothing after the end", repr(data[:60]))
        found, line = _parse(path, number, data)
        if found < place or (found == 0) != (number == 1):
            raise refused(path, number, f"a line that follows {KINDS[place][0]!r}", KINDS[found][0])
        place = found
        if isinstance(line, EndLine):
            if line.end != digest.hexdigest():
                raise refused(path, number, f"the digest {digest.hexdigest()} of all lines before", line.end)
            continue
        digest.update(data)
        yield number, line
    if place != len(KINDS) - 1:
        raise refused(path, number + 1, "the end with a digest of all lines before", "the end of the file")


def read_header(path: Path) -> Header:
    """Return the first line of the archive at `path`.

    Raises:
        BankError: as `read_lines`.
    """
    for number, line in read_lines(path):
        if isinstance(line, Header):
            return line
        raise refused(path, number, "the header of an archive", "another line")
    raise refused(path, 1, "the header of an archive", "no line")


def _parse(path: Path, number: int, data: bytes) -> tuple[int, Line]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise refused(path, number, "one JSON object", f"{data[:60]!r} ({error})") from error
    if number == 1 and (not isinstance(value, dict) or value.get("archive") != "echo-memory bank"):
        raise refused(path, 1, "the header of an archive", repr(data[:60]))
    if number == 1 and value.get("format") != 1:
        raise BankError(
            f"expected archive format 1 in {path}; got format {value.get('format')!r}. "
            f"Use the echo-memory release that wrote it. Nothing was changed."
        )
    for place, (name, model) in enumerate(KINDS):
        if isinstance(value, dict) and name in value:
            try:
                return place, model.model_validate(value)
            except ValidationError as error:
                raise refused(path, number, f"a line of the kind {name!r}", str(error)) from error
    raise refused(path, number, "a line of an archive", repr(data[:60]))


def _data_lines(path: Path) -> Iterator[bytes]:
    number = 0
    try:
        with _opened(path) as file:
            while data := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(data) > MAX_LINE_BYTES:
                    raise refused(path, number, f"a line of at most {MAX_LINE_BYTES} bytes", "a longer one")
                yield data
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise refused(path, number + 1, "whole compressed data", str(error)) from error
    except OSError as error:
        raise BankError(
            f"expected an archive that can be read at {path}; got {error}. Check the path."
        ) from error


def _opened(path: Path) -> IO[bytes] | gzip.GzipFile:
    with path.open("rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if compressed else path.open("rb")


def _check_replaceable(target: Path) -> None:
    try:
        read_header(target)
    except BankError as error:
        raise BankError(
            f"expected a new file or an archive to replace at {target}; got a file of another kind. "
            f"Choose another name; it was left as it is."
        ) from error


def _unwritable(target: Path, error: OSError) -> BankError:
    return BankError(
        f"expected a place that an archive can be written to at {target}; got {error}. Check the folder, its "
        f"permissions and free space; what was there before is intact."
    )
