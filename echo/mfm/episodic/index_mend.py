"""Sort out the bytes of an index, keep what is taken out of it, and put whole lines in their place."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo.mfm.disk import Disk
from echo.mfm.episodic.index import Line, Torn, scan
from echo.mfm.layout import MENDED, PART, Row


@dataclass(frozen=True, kw_only=True)
class SetAside:
    """Something moved out of the memory and kept."""

    what: str
    """Episode id, or 'index.jsonl at byte N'."""
    kept_at: Path
    reason: str


@dataclass(frozen=True, kw_only=True)
class TakenOut:
    """Bytes that do not belong into an index."""

    torn: Torn
    reason: str


@dataclass(frozen=True, kw_only=True)
class SortedOut:
    """An index, read."""

    lines: list[Line]
    out: list[TakenOut]
    rejoined: int
    """Rows that had lost or swallowed a line feed; 0 where bytes are taken out, which tells it already."""


def sort_out(data: bytes, key: Callable[[Row], Any] = lambda row: row["id"]) -> SortedOut:
    """Return the rows in the bytes of an index, the first one of each `key`, and what else is there."""
    lines: dict[Any, Line] = {}
    out: list[TakenOut] = []
    offset = 0
    for piece in scan(data):
        if isinstance(piece, Torn):
            out.append(TakenOut(torn=piece, reason="torn: no whole index row"))
            continue
        offset = data.index(piece.data, offset)
        if key(piece.row) in lines:
            torn = Torn(offset=offset, data=piece.data)
            out.append(TakenOut(torn=torn, reason=f"second row of {piece.row['id']}"))
        else:
            lines[key(piece.row)] = piece
        offset += len(piece.data)
    kept = list(lines.values())
    unchanged = out or b"".join(line.data + b"\n" for line in kept) == data
    return SortedOut(lines=kept, out=out, rejoined=0 if unchanged else _glued(data, kept))


def keep_bytes(root: Path, disk: Disk, index: Path, taken: TakenOut) -> SetAside:
    """Copy what is taken out of `index`, a file of the memory `root`, into its folder mended/."""
    torn = taken.torn
    told = index.relative_to(root).as_posix()
    stem = told.removesuffix(index.suffix).replace("/", "-")
    # Named by content: a mend that is killed and done again keeps one copy.
    kept_at = root / MENDED / f"{stem}-{torn.offset}-{hashlib.sha256(torn.data).hexdigest()[:12]}.torn"
    disk.make_folder(kept_at.parent)
    if not kept_at.is_file() or kept_at.read_bytes() != torn.data:
        part = kept_at.with_suffix(PART)
        part.unlink(missing_ok=True)
        disk.write_file(part, torn.data)
        disk.sync(part)
        disk.rename(part, kept_at)
        disk.sync(kept_at.parent)
    return SetAside(what=f"{told} at byte {torn.offset}", kept_at=kept_at, reason=taken.reason)


def replace_index(index: Path, disk: Disk, old: bytes, lines: Sequence[Line]) -> None:
    """Make `index`, which holds `old`, hold `lines`: cut or append where that is all, rewrite otherwise."""
    new = b"".join(line.data + b"\n" for line in lines)
    if new == old:
        return
    if old.startswith(new):
        disk.truncate(index, len(new))
    elif new.startswith(old) and index.exists():
        disk.append(index, new[len(old) :])
    else:
        part = index.with_suffix(PART)
        part.unlink(missing_ok=True)
        disk.write_file(part, new)
        disk.sync(part)
        disk.rename(part, index)
        disk.sync(index.parent)


def _glued(data: bytes, lines: list[Line]) -> int:
    """Count the rows that are not exactly one line of `data`."""
    own = frozenset(data.split(b"\n")[:-1])
    return sum(line.data not in own for line in lines)
