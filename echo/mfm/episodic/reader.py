"""Read a memory folder: index rows without loading anything heavy, whole episodes and frames on demand.

Reading needs no lock and changes nothing. A last line that is not whole yet, because it is being
appended or because its writer was killed, is not a row; the next `Recorder.open` mends the latter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from echo.mfm.episodic.index import parse_row
from echo.mfm.layout import FORMAT, INDEX, STEPS, MfmError, Row, episode_path, frame_name, read_json

if TYPE_CHECKING:
    from csd.episode import Episode, Frame, Observation


def read_index(root: Path | str) -> Iterator[Row]:
    """Yield the index rows in file order, which is the order of time.

    Raises:
        MfmError: if there is no index, or a line is no row.
    """
    index = Path(root) / INDEX
    try:
        file = index.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        raise MfmError(
            f"expected the index of a memory at {index}, got no file. "
            f"Name the folder that holds {INDEX}, or record into it first."
        ) from None
    with file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            row = parse_row(line)
            if row is None and not line.endswith(b"\n"):
                return
            if row is None:
                raise MfmError(
                    f"expected one JSON object with an id in line {number} of {index}, got {line[:80]!r}. "
                    f"Open the memory for writing once (Recorder.open): that mends the index and keeps "
                    f"the bytes it takes out."
                )
            yield row


def read_episode(root: Path | str, name: str, *, frames: bool = False) -> Episode:
    """Return the episode as it was written.

    Args:
        root: The memory folder.
        name: Its id, such as 'ep_000012'.
        frames: Whether to load the stored pictures; `read_frame` loads one later.

    Raises:
        ValueError: if `name` is no episode id.
        MfmError: if a file is missing, unreadable, or not what this version writes.
    """
    from csd.episode import Episode, Observation, Step
    from echo.mfm.codec import Mismatch, from_json

    path = episode_path(Path(root), name) / STEPS
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
    return _with_frames(Path(root), episode) if frames else episode


def read_frame(root: Path | str, name: str, place: int = 0) -> Frame | None:
    """Return the picture before step `place` of an episode (its number of steps: after the last one).

    Returns:
        (height, width, 3) uint8, or None where none was recorded.

    Raises:
        ValueError: if `name` is no episode id, or `place` is negative.
        MfmError: if the episode or its file list is missing, or the picture is missing or unreadable.
    """
    from echo.mfm.episodic.frames import from_png

    if place < 0:
        raise ValueError(f"expected a place from 0, got {place} for {name}. Count steps from the first.")
    folder = episode_path(Path(root), name)
    files = _steps_record(folder / STEPS, name).get("files")
    if not isinstance(files, dict):
        raise MfmError(f"expected the list of files in {folder / STEPS}, got {files!r}. Restore the file.")
    return from_png(folder / frame_name(place)) if frame_name(place) in files else None


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


def _with_frames(root: Path, episode: Episode) -> Episode:
    def seen(observation: Observation, place: int) -> Observation:
        return replace(observation, frame=read_frame(root, episode.id, place))

    steps = tuple(replace(step, before=seen(step.before, place)) for place, step in enumerate(episode.steps))
    return replace(episode, steps=steps, after=seen(episode.after, len(episode.steps)))
