"""Bring a memory folder that a kill has left half written back to a whole one, and say what was done.

Rules, in this order; a second mend of the same folder finds nothing to do:

0. A life that was being put away (`echo.mfm.episodic.life`) is put away to the end, or not at all.
1. A folder `.ep_*.part` was never finished and its id never given out: removed.
2. An index stretch that is no row is copied to `mended/` and taken out of the index. Rows glued together
   are taken apart; a last row without its line feed gets it; a second row with one id is set aside.
3. A folder `ep_*` without a row: where steps.json is whole and every file has the digest written in it,
   its row (kept in steps.json) is put into the index in order of ids; otherwise it is moved to `mended/`.
4. A row without a folder stays and is reported.
5. previous/index.jsonl is mended as the index is, and gets the rows of earlier lives that it lacks.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path

from echo.mfm.disk import Disk, refusals_told
from echo.mfm.episodic.index import Line
from echo.mfm.episodic.index_mend import SetAside, keep_bytes, replace_index, sort_out
from echo.mfm.episodic.life import finish_life
from echo.mfm.episodic.previous import mend_previous
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
    is_file_name,
    read_json,
)
from echo.mfm.regular import open_regular, read_regular


@dataclass(frozen=True, kw_only=True)
class Mend:
    """What opening a memory found and did; empty everywhere for a whole one."""

    removed: tuple[str, ...] = ()
    """Names of unfinished folders that were removed."""
    put_away: tuple[int, ...] = ()
    """Numbers of lives whose putting away was brought to its end."""
    set_aside: tuple[SetAside, ...] = ()
    indexed: tuple[str, ...] = ()
    """Ids of whole episodes that had no index row and got it; 'life_1/ep_000012' for an earlier life."""
    rejoined: int = 0
    """Index rows that had lost or swallowed a line feed and got a line of their own."""
    missing: tuple[str, ...] = ()
    """Ids in the index whose folder is not there; left as they are. 'life_1/ep_000012' as above."""

    @property
    def clean(self) -> bool:
        """Whether there was nothing to mend."""
        return self == Mend()

    def describe(self) -> str:
        """Return one line a finding, in plain words; 'nothing to mend' for a whole memory."""
        lines = [f"removed the unfinished folder {name}" for name in self.removed]
        lines += [f"finished putting away life {number}" for number in self.put_away]
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
    """Of this life, in order of time."""
    earlier: tuple[Row, ...]
    """Of earlier lives; each holds `life`."""
    mend: Mend


def open_folder(root: Path, disk: Disk) -> Mended:
    """Make the folder `root`, which must be there, a whole memory; the caller holds its lock.

    Raises:
        OSError: if the disk refuses; opening again goes on from there.
    """
    with refusals_told(root):
        return _open_folder(root, disk)


def _open_folder(root: Path, disk: Disk) -> Mended:
    putting = finish_life(root, disk)
    disk.make_folder(root / EPISODES)
    if not os.path.lexists(root / INDEX):
        disk.write_file(root / INDEX, b"")
        disk.sync(root / INDEX)
    disk.sync(root)
    disk.sync(root.parent)
    this = mend(root, disk)
    earlier = mend_previous(root, disk)
    return Mended(
        rows=this.rows,
        earlier=earlier.rows,
        mend=replace(
            this.mend,
            removed=(*putting.removed, *this.mend.removed),
            put_away=putting.finished,
            set_aside=(*this.mend.set_aside, *earlier.set_aside),
            # What a life was just put away with is no loss that was mended.
            indexed=(
                *this.mend.indexed,
                *(each.name for each in earlier.indexed if each.life not in putting.finished),
            ),
            rejoined=this.mend.rejoined + earlier.rejoined,
            missing=(*this.mend.missing, *earlier.missing),
        ),
    )


def mend(root: Path, disk: Disk) -> Mended:
    """Make the index and the episodes of one life, the folder `root`, whole.

    Raises:
        OSError: if the disk refuses; another mend goes on from there.
    """
    removed = _remove_unfinished(root, disk)
    data = read_regular(root / INDEX)
    sorted_out = sort_out(data)
    lines = sorted_out.lines
    kept = [keep_bytes(root, disk, root / INDEX, each) for each in sorted_out.out]
    folders = _episode_folders(root)
    known = {line.row["id"] for line in lines}
    found: list[Line] = []
    for name in (name for name in folders if name not in known):
        row = whole_episode_row(root / EPISODES / name)
        if isinstance(row, str):
            kept.append(_keep_folder(root, disk, name, row))
        else:
            found.append(Line(row=row, data=_line_data(row)))
    whole = _in_order(lines, found)
    replace_index(root / INDEX, disk, data, whole)
    present = frozenset(folders)
    return Mended(
        rows=tuple(line.row for line in whole),
        earlier=(),
        mend=Mend(
            removed=removed,
            set_aside=tuple(kept),
            indexed=tuple(line.row["id"] for line in found),
            rejoined=sorted_out.rejoined,
            missing=tuple(line.row["id"] for line in lines if line.row["id"] not in present),
        ),
    )


def whole_episode_row(folder: Path) -> Row | str:
    """Return the index row kept in an episode folder, or the reason why the folder is not whole."""
    try:
        steps = read_json(folder / STEPS)
    except (MfmError, OSError) as error:
        return str(error)
    if not isinstance(steps, dict) or steps.get("format") != FORMAT:
        return f"{STEPS} is not in the format {FORMAT}"
    row, files = steps.get("row"), steps.get("files")
    if not isinstance(row, dict) or row.get("id") != folder.name or not isinstance(files, dict):
        return f"{STEPS} holds no row or file list of {folder.name}"
    for name, digest in files.items():
        if not is_file_name(name):
            return f"{name[:80]!r}, which {STEPS} names, is no file of an episode"
        if file_digest(folder / name) != digest:
            return f"{name} is missing or not as it was written"
    try:
        _line_data(row)
    except RecursionError:
        return f"{STEPS} holds a row of too many lists within each other"
    return row


def file_digest(path: Path) -> str | None:
    """Return the SHA-256 of a file in hex, or None where there is none that can be read."""
    try:
        with open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _line_data(row: Row) -> bytes:
    """Return a row that was read as a line without its line feed; numbers that are not finite stay so."""
    return json.dumps(row, sort_keys=True).encode("ascii")


def _remove_unfinished(root: Path, disk: Disk) -> tuple[str, ...]:
    (root / INDEX).with_suffix(PART).unlink(missing_ok=True)
    names = sorted(
        path.name
        for path in (root / EPISODES).iterdir()
        if path.name.startswith(".") and path.suffix == PART and path.is_dir()
    )
    for name in names:
        disk.remove_folder(root / EPISODES / name)
    return tuple(names)


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


def _keep_folder(root: Path, disk: Disk, name: str, reason: str) -> SetAside:
    disk.make_folder(root / MENDED)
    copies = sum(path.name.split("-")[0] == name for path in (root / MENDED).iterdir())
    kept_at = root / MENDED / (f"{name}-{copies + 1}" if copies else name)
    disk.rename(root / EPISODES / name, kept_at)
    disk.sync(root / MENDED)
    disk.sync(root / EPISODES)
    return SetAside(what=name, kept_at=kept_at, reason=reason)
