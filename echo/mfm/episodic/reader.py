"""Read a memory folder: index rows without loading anything heavy, whole episodes and frames on demand.

Reading needs no lock and changes nothing. A last line that is not whole yet, because it is being
appended or because its writer was killed, is not a row; the next `Recorder.open` mends the latter.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from echo.mfm.episodic.index import Line, Torn, parse_row, scan
from echo.mfm.layout import (
    ACTION,
    FORMAT,
    INDEX,
    OUTCOME,
    PREVIOUS,
    STATE,
    STEPS,
    MfmError,
    Row,
    earlier_lives,
    episode_path,
    life_name,
    no_index,
    read_json,
)
from echo.mfm.regular import open_regular

if TYPE_CHECKING:
    from csd.episode import Episode, Frame, Observation


def read_index(root: Path | str, torn: list[Torn] | None = None) -> Iterator[Row]:
    """Yield the index rows in file order, which is the order of time.

    Bytes that hold no row are passed over; the next `Recorder.open` takes them out of the index and keeps
    them, and `echo-memory doctor` names them.

    Args:
        root: The memory folder.
        torn: Gets the stretches that were passed over.

    Raises:
        MfmError: if there is no index, or it cannot be opened.
    """
    with _open_index(Path(root) / INDEX) as file:
        offset = 0
        for line in file:
            whole = line.endswith(b"\n") or parse_row(line) is not None
            for part in scan(line) if whole else ():
                if isinstance(part, Line):
                    yield part.row
                elif torn is not None:
                    torn.append(replace(part, offset=offset + part.offset))
            offset += len(line)


def _open_index(index: Path) -> BinaryIO:
    try:
        return open_regular(index)
    except OSError as error:
        raise no_index(index, error) from None


def find_episode(root: Path | str, name: str, life: int | None = None) -> Path:
    """Return the folder of an episode; where there is none, the one it would have.

    Args:
        root: The memory folder.
        name: Its id, such as 'ep_000012'.
        life: The earlier life to look in; None looks in this one, then in earlier ones, the last first.

    Raises:
        ValueError: if `name` is no episode id.
    """
    home = Path(root)
    here = episode_path(home, name)
    if life is not None:
        return episode_path(home / PREVIOUS / life_name(life), name)
    if here.is_dir():
        return here
    lives = (home / PREVIOUS / life_name(number) for number in reversed(earlier_lives(home)))
    return next((each for each in (episode_path(one, name) for one in lives) if each.is_dir()), here)


def read_episode(root: Path | str, name: str, *, frames: bool = False, life: int | None = None) -> Episode:
    """Return the episode as it was written.

    Args:
        root: The memory folder.
        name: Its id, such as 'ep_000012'.
        frames: Whether to load the stored pictures; `read_frame` loads one later.
        life: As in `find_episode`.

    Raises:
        ValueError: if `name` is no episode id.
        MfmError: if a file is missing, unreadable, or not what this version writes.
    """
    from csd.episode import Episode, Observation, Step
    from echo.mfm.codec import Mismatch, from_json

    folder = find_episode(root, name, life)
    path = folder / STEPS
    record = _steps_record(path, name)
    try:
        episode = Episode(
            id=from_json(str, record["id"]),
            goal=from_json(str, record["goal"]),
            source=from_json(str, record["source"]),
            steps=from_json(tuple[Step, ...], record["steps"]),
            after=from_json(Observation, record["after"]),
        )
    except (Mismatch, KeyError) as error:
        raise MfmError(
            f"expected the records of {name} in {path}, {'missing ' if isinstance(error, KeyError) else ''}"
            f"{error}. Restore the file from a copy, or read it with the version that wrote it."
        ) from error
    return _with_frames(folder, episode, _file_list(path, record)) if frames else episode


def read_frame(root: Path | str, name: str, place: int = 0, *, life: int | None = None) -> Frame | None:
    """Return the picture before step `place` of an episode (its number of steps: after the last one).

    Of an episode of another tool, which has no steps.json, the picture of place 0 is read where it has one.

    Args:
        root: The memory folder.
        name: Its id, such as 'ep_000012'.
        place: Which picture, from 0.
        life: As in `find_episode`.

    Returns:
        (height, width, 3) uint8, or None where none was recorded.

    Raises:
        ValueError: if `name` is no episode id, or `place` is negative.
        MfmError: if the episode or its file list is missing, or the picture is missing or unreadable.
    """
    if place < 0:
        raise ValueError(f"expected a place from 0, got {place} for {name}. Count steps from the first.")
    folder = find_episode(root, name, life)
    if is_foreign(folder):
        return _foreign_picture(folder, place)
    files = _file_list(folder / STEPS, _steps_record(folder / STEPS, name))
    return _picture(folder, files, place)


def is_foreign(folder: Path) -> bool:
    """Whether an episode folder has a file of the layout, but not steps.json, which is ours alone.

    Raises:
        OSError: if it cannot be looked into.
    """
    return not os.path.lexists(folder / STEPS) and any(
        (folder / name).is_file() for name in (STATE, ACTION, OUTCOME)
    )


def _foreign_picture(folder: Path, place: int) -> Frame | None:
    from echo.mfm.episodic.frames import picture_names, read_picture

    there = [name for name in picture_names(place) if (folder / name).exists()]
    return read_picture(folder / there[0]) if there else None


def _picture(folder: Path, files: dict[str, Any], place: int) -> Frame | None:
    from echo.mfm.episodic.frames import picture_names, read_picture

    name = next((each for each in picture_names(place) if each in files), None)
    return None if name is None else read_picture(folder / name)


def _file_list(path: Path, record: dict[str, Any]) -> dict[str, Any]:
    files = record.get("files")
    if not isinstance(files, dict):
        raise MfmError(f"expected the list of files in {path}, got {files!r}. Restore the file.")
    return files


def _steps_record(path: Path, name: str) -> dict[str, Any]:
    if not path.parent.is_dir():
        raise MfmError(
            f"expected the episode {name} at {path.parent}, got no folder. "
            f"Take an id from the index, or restore the folder from mended/ or a copy."
        )
    record = read_json(path)
    found = record.get("format") if isinstance(record, dict) else type(record).__name__
    if not isinstance(record, dict) or found != FORMAT:
        raise MfmError(
            f"expected the format {FORMAT!r} in {path}, got {found!r}. "
            f"Read it with the version that wrote it."
        )
    return record


def _with_frames(folder: Path, episode: Episode, files: dict[str, Any]) -> Episode:
    def seen(observation: Observation, place: int) -> Observation:
        return replace(observation, frame=_picture(folder, files, place))

    steps = tuple(replace(step, before=seen(step.before, place)) for place, step in enumerate(episode.steps))
    return replace(episode, steps=steps, after=seen(episode.after, len(episode.steps)))
