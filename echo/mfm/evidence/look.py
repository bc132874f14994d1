"""One episode looked at closely: its documents, its frames, and what lies beside it in time and in place."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo.mfm.evidence.around import Around, Near, around
from echo.mfm.evidence.pictures import frame_files, open_picture, read_bytes
from echo.mfm.evidence.references import Reference, cited, find_episode
from echo.mfm.layout import ACTION, ATTACHMENT, OUTCOME, STATE, MfmError, Row, read_json
from echo.mfm.options import memory_options

IN_TIME = 2
"""Episodes told before and after."""
IN_PLACE = 4
"""Nearest episodes told."""

Document = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class FrameFile:
    """A stored picture of an episode."""

    place: int
    """Steps from the first that it was seen before; the number of steps for the view after the last one."""
    path: Path
    size: int
    """Of the file, in bytes."""
    width: int | None = None
    height: int | None = None
    """In pixels; None where the picture cannot be read."""
    problem: str | None = None


@dataclass(frozen=True, kw_only=True)
class AttachedFile:
    """A file that was recorded with an episode."""

    name: str
    """Within the folder of its attachments."""
    path: Path
    size: int
    """In bytes."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """What there is to see of an episode."""

    name: str
    """'ep_000012', or 'life_2/ep_000012' in an earlier life."""
    life: int | None
    folder: Path
    row: Row | None
    """Its line of the index; None where that lists it not."""
    state: Document | None
    """What was seen before it; None where the file is missing or unreadable, which `problems` tells."""
    action: Document | None
    outcome: Document | None
    frames: tuple[FrameFile, ...]
    frames_off: bool
    """Whether the memory has frames switched off; then none is told."""
    attachments: tuple[AttachedFile, ...]
    """By name."""
    before: tuple[Row, ...]
    """The episodes before it in its life, the nearest in time last."""
    after: tuple[Row, ...]
    near: tuple[Near, ...]
    """The episodes of its life that began nearest to where it began, the nearest first, ties in order."""
    problems: tuple[str, ...] = ()
    """What could not be read, in words; the rest is whole."""


def look(root: Path | str, episode: str, *, in_time: int = IN_TIME, in_place: int = IN_PLACE) -> Look:
    """Return everything about an episode that a reader may want to see.

    Args:
        root: The memory folder.
        episode: 'ep_000012' of this life or else of the latest earlier one that has it, or
            'life_2/ep_000012'.
        in_time: Neighbours in time on each side, from 0.
        in_place: Neighbours in place, from 0.

    Raises:
        MfmError: if `root` is no memory, or there is no such episode.
    """
    found = find_episode(root, episode)
    problems: list[str] = []
    off = not memory_options(Path(root)).frames
    beside = _or_problem(lambda: around(root, found, in_time=in_time, in_place=in_place), problems) or Around(
        row=None
    )
    if beside.row is None and not problems:
        problems.append(f"no line of the index tells {found.name}, whose folder is {found.folder}")
    if beside.torn:
        problems.append(f"the index has {beside.torn} torn places; neighbours may be missing, see doctor")
    return Look(
        name=found.name,
        life=found.life,
        folder=found.folder,
        row=beside.row,
        state=_document(found, STATE, problems),
        action=_document(found, ACTION, problems),
        outcome=_document(found, OUTCOME, problems),
        frames=() if off else _frames(found, problems),
        frames_off=off,
        attachments=_or_problem(lambda: _attachments(found.folder / ATTACHMENT), problems) or (),
        before=beside.before,
        after=beside.after,
        near=beside.near,
        problems=tuple(problems),
    )


def look_json(seen: Look) -> Document:
    """Return a look as JSON has it, rows whole; numbers that JSON does not have become their names."""
    told: Document = _finite(
        {
            "episode": seen.name,
            "life": seen.life,
            "folder": str(seen.folder),
            "row": seen.row,
            "state": seen.state,
            "action": seen.action,
            "outcome": seen.outcome,
            "frames": [
                {
                    "place": frame.place,
                    "path": str(frame.path),
                    "bytes": frame.size,
                    "width": frame.width,
                    "height": frame.height,
                    "problem": frame.problem,
                }
                for frame in seen.frames
            ],
            "frames_off": seen.frames_off,
            "attachments": [
                {"name": attached.name, "path": str(attached.path), "bytes": attached.size}
                for attached in seen.attachments
            ],
            "before": [{"episode": cited(row), "row": row} for row in seen.before],
            "after": [{"episode": cited(row), "row": row} for row in seen.after],
            "near": [
                {"episode": cited(one.row), "blocks": round(one.blocks, 3), "row": one.row}
                for one in seen.near
            ],
            "problems": list(seen.problems),
        }
    )
    return told


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return value


def _or_problem(read: Callable[[], Any], problems: list[str]) -> Any:
    try:
        return read()
    except MfmError as error:
        problems.append(str(error))
    except OSError as error:
        problems.append(f"{error.strerror or error}: {error.filename}")
    return None


def _document(found: Reference, name: str, problems: list[str]) -> Document | None:
    held = _or_problem(lambda: read_json(found.folder / name), problems)
    if held is not None and not isinstance(held, dict):
        problems.append(f"expected a JSON object in {found.folder / name}, got {type(held).__name__}")
        return None
    return held


def _frames(found: Reference, problems: list[str]) -> tuple[FrameFile, ...]:
    told = []
    for place, path in frame_files(found.folder).items():
        try:
            data = read_bytes(path)
        except MfmError as error:
            problems.append(str(error))
            told.append(FrameFile(place=place, path=path, size=0, problem=str(error)))
            continue
        try:
            width, height = open_picture(data, str(path)).size
        except MfmError as error:
            problems.append(str(error))
            told.append(FrameFile(place=place, path=path, size=len(data), problem=str(error)))
        else:
            told.append(FrameFile(place=place, path=path, size=len(data), width=width, height=height))
    return tuple(told)


def _attachments(folder: Path) -> tuple[AttachedFile, ...]:
    """Return the files in the folder of attachments; links are none."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return tuple(
        AttachedFile(name=path.relative_to(folder).as_posix(), path=path, size=path.stat().st_size)
        for path in files
    )
