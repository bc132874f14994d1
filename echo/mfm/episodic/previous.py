"""previous/index.jsonl: the rows of all earlier lives in one file, kept in step with their folders.

A row there is the row of the life's own index with `life`, the number of the life, and with paths that begin
with `previous/life_N/`. Rows of other tools are left as they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.disk import Disk
from echo.mfm.episodic.index import Line, Torn, scan
from echo.mfm.episodic.index_mend import SetAside, TakenOut, keep_bytes, replace_index, sort_out
from echo.mfm.layout import (
    EPISODES,
    INDEX,
    PART,
    PREVIOUS,
    Row,
    earlier_lives,
    episode_number,
    life_name,
    to_line,
)
from echo.mfm.regular import read_regular

_PATHS = ("path", "image", "attachment")


@dataclass(frozen=True, kw_only=True)
class EarlierEpisode:
    """An episode of an earlier life."""

    life: int
    episode: str

    @property
    def name(self) -> str:
        """Such as 'life_1/ep_000012'."""
        return f"{life_name(self.life)}/{self.episode}"


@dataclass(frozen=True, kw_only=True)
class PreviousMended:
    """The rows of earlier lives, and what was done to have them all."""

    rows: tuple[Row, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    indexed: tuple[EarlierEpisode, ...] = ()
    """Episodes whose row was put in."""
    rejoined: int = 0
    missing: tuple[str, ...] = ()
    """Names of episodes that have a row and no folder."""


def row_life(row: Row) -> int | None:
    """Return the number of the earlier life that a row says it is of, or None where it says none."""
    life = row.get("life")
    return life if type(life) is int and life > 0 else None


def earlier_row(row: Row, life: int) -> Row:
    """Return a row of the life's own index as it stands in previous/index.jsonl.

    >>> earlier_row({"id": "ep_000001", "path": "episodes/ep_000001", "image": None}, 2)
    {'id': 'ep_000001', 'path': 'previous/life_2/episodes/ep_000001', 'image': None, 'life': 2}
    """
    moved = dict(row)
    for key in _PATHS:
        if isinstance(row.get(key), str):
            moved[key] = f"{PREVIOUS}/{life_name(life)}/{row[key]}"
    return moved | {"life": life}


def earlier_line(line: Line, life: int) -> Line:
    """Return a line of the life's own index as it stands in previous/index.jsonl.

    What JSON cannot hold and Python reads all the same (NaN, infinities) stays as it is.
    """
    moved = earlier_row(line.row, life)
    try:
        return Line(row=moved, data=to_line(moved).removesuffix(b"\n"))
    except (ValueError, RecursionError):
        # The row's own bytes, with what is new behind them: of two values of a key, the last one counts.
        new = {key: moved[key] for key in (*_PATHS, "life") if isinstance(moved.get(key), str | int)}
        bytes_held = line.data.strip().removeprefix(b"\xef\xbb\xbf").rstrip().removesuffix(b"}")
        return Line(row=moved, data=bytes_held + b", " + to_line(new)[1:].removesuffix(b"\n"))


def own_lines(root: Path, life: int) -> Iterator[Line]:
    """Yield the lines in the own index of an earlier life; what is no row there is passed over."""
    try:
        data = read_regular(root / PREVIOUS / life_name(life) / INDEX)
    except OSError:
        return
    for piece in scan(data):
        if isinstance(piece, Line):
            yield piece


def mend_previous(root: Path, disk: Disk) -> PreviousMended:
    """Make previous/index.jsonl of the memory `root` whole and complete; the caller holds the lock.

    Raises:
        OSError: if the disk refuses; another mend goes on from there.
    """
    index = root / PREVIOUS / INDEX
    lives = earlier_lives(root)
    if not lives and not os.path.lexists(index):
        return PreviousMended()
    index.with_suffix(PART).unlink(missing_ok=True)
    data = read_regular(index) if os.path.lexists(index) else b""
    held = sort_out(data, key=lambda row: (row_life(row), row["id"]))
    kept = tuple(keep_bytes(root, disk, index, each) for each in held.out)
    found = lacking_rows(root, lives, held.lines)
    whole = _in_order(held.lines, found) if found else held.lines
    if whole or data:
        replace_index(index, disk, data, whole)
    return PreviousMended(
        rows=tuple(line.row for line in whole),
        set_aside=kept,
        indexed=tuple(EarlierEpisode(life=line.row["life"], episode=line.row["id"]) for line in found),
        rejoined=held.rejoined,
        missing=rows_without_folder(root, lives, held.lines),
    )


def lacking_rows(root: Path, lives: list[int], lines: list[Line]) -> list[Line]:
    """Return the lines that previous/index.jsonl, which holds `lines`, lacks; in order of life and time."""
    known = {(row_life(line.row), line.row["id"]) for line in lines}
    found: list[Line] = []
    for life in lives:
        for line in own_lines(root, life):
            if (life, line.row["id"]) not in known:
                known.add((life, line.row["id"]))
                found.append(earlier_line(line, life))
    return found


def differing_rows(root: Path, lives: list[int], lines: list[Line]) -> list[Line]:
    """Return those of `lines`, of previous/index.jsonl, that differ from the row of their life."""
    own = _own_by_episode(root, lives)
    return [line for line in lines if _said(own.get(_key(line), line).row) != _said(line.row)]


def rebuild_previous(root: Path, disk: Disk) -> tuple[SetAside, ...]:
    """Take rows of previous/index.jsonl that differ from those of their lives from there; keep the old ones.

    Raises:
        OSError: if the disk refuses; doing it again goes on from there.
    """
    index, lives = root / PREVIOUS / INDEX, earlier_lives(root)
    data = read_regular(index) if os.path.lexists(index) else b""
    held = sort_out(data, key=lambda row: (row_life(row), row["id"]))
    differing = frozenset(line.data for line in differing_rows(root, lives, held.lines))
    own = _own_by_episode(root, lives)
    reason = "not the row that the index of its life has"
    taken = [
        keep_bytes(root, disk, index, TakenOut(torn=Torn(offset=data.index(one), data=one), reason=reason))
        for one in sorted(differing)
    ]
    if taken:
        whole = [own[_key(line)] if line.data in differing else line for line in held.lines]
        replace_index(index, disk, data, whole)
    return tuple(taken)


def _own_by_episode(root: Path, lives: list[int]) -> dict[tuple[int | None, str], Line]:
    """Return the lines that previous/index.jsonl should hold, the first one of each episode."""
    own: dict[tuple[int | None, str], Line] = {}
    for life in lives:
        for line in own_lines(root, life):
            own.setdefault((life, line.row["id"]), earlier_line(line, life))
    return own


def _key(line: Line) -> tuple[int | None, str]:
    return row_life(line.row), line.row["id"]


def _said(row: Row) -> str:
    """Return what a row says, in a form that tells equal rows, also where a number is not finite."""
    try:
        return json.dumps(row, sort_keys=True)
    except RecursionError:
        return ""


def rows_without_folder(root: Path, lives: list[int], lines: list[Line]) -> tuple[str, ...]:
    """Return the names of the episodes in `lines` that have no folder, such as 'life_1/ep_000012'."""
    present = {(life, name) for life in lives for name in _folders(root, life)}
    numbered = [(row_life(line.row), line.row["id"]) for line in lines]
    return tuple(
        EarlierEpisode(life=life, episode=name).name
        for life, name in numbered
        if life is not None and (life, name) not in present
    )


def _folders(root: Path, life: int) -> list[str]:
    try:
        names = [entry.name for entry in (root / PREVIOUS / life_name(life) / EPISODES).iterdir()]
    except OSError:
        return []
    return [name for name in names if episode_number(name) is not None]


def _in_order(lines: list[Line], found: list[Line]) -> list[Line]:
    """Put the found rows behind those of the same life and before those of the next."""
    # Stable: within one life the order stays, except that a row found again moves to its number.
    return sorted(
        [*lines, *found],
        key=lambda line: (row_life(line.row) or 0, episode_number(line.row["id"]) or 0),
    )
