"""Bring a memory folder that a kill has left half written back to a whole one, and say what was done.

Rules, in this order; a second mend of the same folder finds nothing to do:

1. A folder `.ep_*.part` was never finished and its id never given out: removed.
2. An index stretch that is no row is copied to `mended/` and taken out of the index. Rows glued together
   are taken apart; a last row without its line feed gets it; a second row with one id is set aside.
3. A folder `ep_*` without a row: where steps.json is whole and every file has the digest written in it,
   its row (kept in steps.json) is put into the index in order of ids; otherwise it is moved to `mended/`.
4. A row without a folder stays and is reported.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.disk import Disk
from echo.mfm.episodic.index import Line, Torn, scan
from echo.mfm.layout import (
    EPISODES,
    FORMAT,
    INDEX,
    MENDED,
    PART,
    STEPS,
    MfmError,
    Row,
    episode_number,
    read_json,
    to_line,
)


@dataclass(frozen=True, kw_only=True)
class SetAside:
    """Something moved out of the memory and kept."""

    what: str
    """Episode id, or 'index.jsonl at byte N'."""
    kept_at: Path
    reason: str


@dataclass(frozen=True, kw_only=True)
class Mend:
    """What opening a memory found and did; empty everywhere for a whole one."""

    removed: tuple[str, ...] = ()
    """Names of unfinished folders that were removed."""
    set_aside: tuple[SetAside, ...] = ()
    indexed: tuple[str, ...] = ()
    """Ids of whole episodes that had no index row and got it."""
    rejoined: int = 0
    """Index rows that had lost or swallowed a line feed and got a line of their own."""
    missing: tuple[str, ...] = ()
    """Ids in the index whose folder is not there; left as they are."""

    @property
    def clean(self) -> bool:
        """Whether there was nothing to mend."""
        return self == Mend()

    def describe(self) -> str:
        """Return one line a finding, in plain words; 'nothing to mend' for a whole memory."""
        lines = [f"removed the unfinished folder {name}" for name in self.removed]
        lines += [f"set aside {each.what} ({each.reason}), kept at {each.kept_at}" for each in self.set_aside]
        lines += [f"put {name} into the index, which had lost it" for name in self.indexed]
        if self.rejoined:
            lines.append(f"gave {self.rejoined} index rows their own line")
        lines += [f"{name} is in the index but its folder is missing" for name in self.missing]
        return "\n".join(lines) or "nothing to mend"


@dataclass(frozen=True, kw_only=True)
class Mended:
    """A whole memory: its rows, and what was done to make it so."""

    rows: tuple[Row, ...]
    mend: Mend


def mend(root: Path, disk: Disk) -> Mended:
    """Make the memory at `root` whole; the caller holds its lock.

    Raises:
        OSError: if the disk refuses; another mend goes on from there.
    """
    removed = _remove_unfinished(root, disk)
    data = (root / INDEX).read_bytes()
    lines, torn = _sort_out(data)
    kept = [_keep_bytes(root, disk, each, reason) for each, reason in torn]
    folders = _episode_folders(root)
    known = {line.row["id"] for line in lines}
    found: list[Line] = []
    for name in (name for name in folders if name not in known):
        row = whole_episode_row(root / EPISODES / name)
        if isinstance(row, str):
            kept.append(_keep_folder(root, disk, name, row))
        else:
            found.append(Line(row=row, data=to_line(row).rstrip(b"\n")))
    whole = _in_order(lines, found)
    unindexed = b"".join(line.data + b"\n" for line in lines)
    _replace_index(root, disk, data, b"".join(line.data + b"\n" for line in whole))
    present = frozenset(folders)
    return Mended(
        rows=tuple(line.row for line in whole),
        mend=Mend(
            removed=removed,
            set_aside=tuple(kept),
            indexed=tuple(line.row["id"] for line in found),
            rejoined=0 if torn or unindexed == data else _glued(data, lines),
            missing=tuple(line.row["id"] for line in lines if line.row["id"] not in present),
        ),
    )


def whole_episode_row(folder: Path) -> Row | str:
    """Return the index row kept in an episode folder, or the reason why the folder is not whole."""
    try:
        steps = read_json(folder / STEPS)
    except MfmError as error:
        return str(error)
    if not isinstance(steps, dict) or steps.get("format") != FORMAT:
        return f"{STEPS} is not in the format {FORMAT}"
    row, files = steps.get("row"), steps.get("files")
    if not isinstance(row, dict) or row.get("id") != folder.name or not isinstance(files, dict):
        return f"{STEPS} holds no row or file list of {folder.name}"
    for name, digest in files.items():
        path = folder / name
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            return f"{name} is missing or not as it was written"
    return row


def _remove_unfinished(root: Path, disk: Disk) -> tuple[str, ...]:
    (root / INDEX).with_suffix(PART).unlink(missing_ok=True)
    names = sorted(
        path.name for path in (root / EPISODES).iterdir() if path.name.startswith(".") and path.suffix == PART
    )
    for name in names:
        disk.remove_folder(root / EPISODES / name)
    return tuple(names)


def _sort_out(data: bytes) -> tuple[list[Line], list[tuple[Torn, str]]]:
    lines: dict[str, Line] = {}
    torn: list[tuple[Torn, str]] = []
    offset = 0
    for piece in scan(data):
        if isinstance(piece, Torn):
            torn.append((piece, "torn: no whole index row"))
            continue
        offset = data.index(piece.data, offset)
        if piece.row["id"] in lines:
            torn.append((Torn(offset=offset, data=piece.data), f"second row of {piece.row['id']}"))
        else:
            lines[piece.row["id"]] = piece
        offset += len(piece.data)
    return list(lines.values()), torn


def _glued(data: bytes, lines: list[Line]) -> int:
    """Count the rows that are not exactly one line of `data`."""
    own = frozenset(data.split(b"\n")[:-1])
    return sum(line.data not in own for line in lines)


def _episode_folders(root: Path) -> list[str]:
    names = [path.name for path in (root / EPISODES).iterdir()]
    return sorted((name for name in names if episode_number(name) is not None), key=_order)


def _order(name: str) -> tuple[int, str]:
    number = episode_number(name)
    return (-1 if number is None else number, name)


def _in_order(lines: list[Line], found: list[Line]) -> list[Line]:
    """Put each found row before the first row with a larger id, so that file order stays time order."""
    whole = list(lines)
    for line in found:
        place = len(whole)
        while place and _order(whole[place - 1].row["id"]) > _order(line.row["id"]):
            place -= 1
        whole.insert(place, line)
    return whole


def _keep_bytes(root: Path, disk: Disk, torn: Torn, reason: str) -> SetAside:
    # Named by content: a mend that is killed and done again keeps one copy.
    kept_at = root / MENDED / f"index-{torn.offset}-{hashlib.sha256(torn.data).hexdigest()[:12]}.torn"
    disk.make_folder(kept_at.parent)
    if not kept_at.is_file() or kept_at.read_bytes() != torn.data:
        part = kept_at.with_suffix(PART)
        part.unlink(missing_ok=True)
        disk.write_file(part, torn.data)
        disk.sync(part)
        disk.rename(part, kept_at)
        disk.sync(kept_at.parent)
    return SetAside(what=f"{INDEX} at byte {torn.offset}", kept_at=kept_at, reason=reason)


def _keep_folder(root: Path, disk: Disk, name: str, reason: str) -> SetAside:
    disk.make_folder(root / MENDED)
    copies = sum(path.name.split("-")[0] == name for path in (root / MENDED).iterdir())
    kept_at = root / MENDED / (f"{name}-{copies + 1}" if copies else name)
    disk.rename(root / EPISODES / name, kept_at)
    disk.sync(root / MENDED)
    disk.sync(root / EPISODES)
    return SetAside(what=name, kept_at=kept_at, reason=reason)


def _replace_index(root: Path, disk: Disk, old: bytes, new: bytes) -> None:
    """Cut a torn tail or append where that is all; rewrite beside and rename otherwise."""
    index = root / INDEX
    if new == old:
        return
    if old.startswith(new):
        disk.truncate(index, len(new))
    elif new.startswith(old):
        disk.append(index, new[len(old) :])
    else:
        part = index.with_suffix(PART)
        part.unlink(missing_ok=True)
        disk.write_file(part, new)
        disk.sync(part)
        disk.rename(part, index)
        disk.sync(root)
