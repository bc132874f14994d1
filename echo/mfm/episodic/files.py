"""The bytes of one episode: frozen when it is handed over, made into files when it is written.

What can be wrong with an episode (a value that no reader would take, a frame of another shape, a bad name) is
found when it is frozen, by the caller. What takes time (packing pictures) is left for whoever writes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from csd.episode import Frame
from echo.mfm.codec import to_json
from echo.mfm.episodic.attachments import attachment_files
from echo.mfm.episodic.documents import (
    Entry,
    action_document,
    index_row,
    outcome_document,
    state_document,
)
from echo.mfm.episodic.frames import Codec, check_frame, picture_name
from echo.mfm.episodic.records import records_line
from echo.mfm.episodic.refusals import check_entry
from echo.mfm.episodic.shelf import Kept, Shelf
from echo.mfm.layout import ACTION, FORMAT, OUTCOME, STATE, STEPS, Row, to_line

Frames = Literal["first", "all", "none"]
"""Which pictures are kept: the one before the first step, all of them, or none."""


@dataclass(frozen=True, kw_only=True)
class Frozen:
    """An episode that nothing outside can change any more."""

    name: str
    pictures: dict[str, Frame]
    """File within the episode folder -> what is to be packed into it, in order of time."""
    codec: Codec
    documents: dict[str, bytes]
    """state.json, action.json and outcome.json."""
    attached: dict[str, bytes]
    head: dict[str, Any]
    """What steps.json begins with: format, id, goal, source, and cause where one was told."""
    tail: bytes
    """What steps.json ends with: the full records."""
    row: Row
    """Its object in the index, without the picture."""

    @property
    def held_bytes(self) -> int:
        """Memory that waiting takes."""
        texts = sum(map(len, self.documents.values())) + sum(map(len, self.attached.values()))
        return texts + len(self.tail) + sum(frame.nbytes for frame in self.pictures.values())


@dataclass(frozen=True, kw_only=True)
class EpisodeFiles:
    """An episode as files."""

    files: dict[str, Kept]
    """Path within the episode folder -> content, in the order of writing; steps.json comes last."""
    row: Row
    """Its object in the index."""


@dataclass(frozen=True, kw_only=True)
class Making:
    """How a recorder makes files of episodes."""

    frames: Frames
    codec: Codec
    borrowed: bool
    """Whether frames may be changed by the caller before they are written, so that they are copied."""


def freeze(name: str, entry: Entry, source: str, making: Making, attachments: Mapping[str, bytes]) -> Frozen:
    """Return episode `name` so that it can be written later.

    Raises:
        ValueError: on a value that a reader would refuse, a tag that its line would not tell clearly, a frame
            of a wrong shape, or a bad attachment name.
        TypeError: on an attachment that is not bytes.
    """
    check_entry(entry, source)
    attached = attachment_files(attachments)
    tail = records_line({"steps": entry.steps, "after": entry.after})
    told = {} if entry.cause is None else {"cause": to_json(entry.cause)}
    return Frozen(
        name=name,
        pictures=_pictures(entry, making),
        codec=making.codec,
        documents={
            STATE: to_line(state_document(entry)),
            ACTION: to_line(action_document(entry)),
            OUTCOME: to_line(outcome_document(entry)),
        },
        attached=attached,
        head={"format": FORMAT, "id": name, "goal": entry.goal, "source": source} | told,
        tail=tail,
        row=index_row(name, entry, attachment=next(iter(attached), None)),
    )


def episode_files(frozen: Frozen, shelf: Shelf) -> EpisodeFiles:
    """Return what is to be written for an episode; pictures that the folder has already are named as such.

    `observation_hash` of the row is the first 16 hex digits of the SHA-256 of the picture before the first
    step, or of state.json where there is none.
    """
    files: dict[str, Kept] = shelf.pack(frozen.pictures, frozen.codec)
    image = picture_name(0, frozen.codec)
    for place, data in (frozen.documents | frozen.attached).items():
        files[place] = Kept(data=data, digest=hashlib.sha256(data).hexdigest())
    shown = files.get(image)
    row = frozen.row | {
        "image": None if shown is None else f"{frozen.row['path']}/{image}",
        "observation_hash": files[STATE if shown is None else image].digest[:16],
    }
    head = to_line(
        frozen.head | {"row": row, "files": {place: kept.digest for place, kept in files.items()}},
        sort_keys=False,
    )
    steps = head[:-2] + b", " + frozen.tail[1:]
    return EpisodeFiles(files=files | {STEPS: Kept(data=steps, digest="")}, row=row)


def _pictures(entry: Entry, making: Making) -> dict[str, Frame]:
    moments = [step.before for step in entry.steps] + [entry.after]
    kept = {"first": moments[:1], "all": moments, "none": []}[making.frames]
    return {
        picture_name(place, making.codec): still(check_frame(seen.frame, making.codec), making.borrowed)
        for place, seen in enumerate(kept)
        if seen.frame is not None
    }


def still(frame: Frame, borrowed: bool = True) -> Frame:
    """Return a frame that nobody can change: itself where all of it is locked, else a copy."""
    if not borrowed or _is_locked(frame):
        return frame
    array = np.asarray(frame)
    # By way of bytes: numpy's own copy lets other threads run in between, and then waits for them.
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)


def _is_locked(frame: Frame) -> bool:
    held: object = frame
    while isinstance(held, np.ndarray):
        if held.flags.writeable:
            return False
        held = held.base
    return held is None or isinstance(held, bytes)
