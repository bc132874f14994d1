"""Equal pictures are stored once: which pictures a memory folder has already, and where.

A picture is known again by the digest of its file. The index holds the first quarter of it
(`observation_hash`), so that the pictures of earlier sessions are found again without reading any; before one
is used, its file is read and its whole digest compared. `MOST` pictures are known at a time, the newest; one
that is no longer known is stored again, and nothing is lost by that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from csd.episode import Frame
from echo.mfm.episodic.frames import Codec, encode_frame
from echo.mfm.layout import EPISODES, PREVIOUS, Row, is_file_name
from echo.mfm.regular import read_regular

MOST = 100_000

Key = TypeVar("Key", str, bytes)


@dataclass(frozen=True, kw_only=True)
class Kept:
    """One file of an episode."""

    data: bytes
    digest: str
    """SHA-256 in hex; empty for steps.json, which holds those of the others."""
    same: Path | None = None
    """A file that holds these bytes already."""
    twin: str | None = None
    """An earlier file of the same episode that holds them."""


class Shelf:
    """The pictures of one memory folder. For one thread."""

    def __init__(self, root: Path, *, most: int = MOST) -> None:
        """Know no picture of the folder `root` yet, and never more than `most`."""
        self._root = root
        self._most = most
        self._places: dict[str, str] = {}
        self._packed: dict[bytes, str] = {}

    @property
    def places(self) -> int:
        """Pictures known."""
        return len(self._places)

    def learn(self, rows: Iterable[Row]) -> None:
        """Take in the pictures that rows of the index name; rows that name none are passed over."""
        for row in rows:
            image, digest = row.get("image"), row.get("observation_hash")
            if isinstance(image, str) and isinstance(digest, str) and _inside(image):
                self._remember(digest, image)

    def pack(self, pictures: Mapping[str, Frame], codec: Codec) -> dict[str, Kept]:
        """Return the files of `pictures`, each with where its bytes lie already."""
        packed: dict[str, Kept] = {}
        first: dict[str, str] = {}
        for name, frame in pictures.items():
            kept = self._pack(frame, codec)
            twin = first.setdefault(kept.digest, name)
            packed[name] = kept if twin == name else replace(kept, twin=twin)
        return packed

    def written(self, folder: str, files: Mapping[str, Kept]) -> None:
        """Remember the pictures among `files`, written as files of their own, now that they are in place.

        Args:
            folder: Of their episode, relative to the root.
            files: Path within that folder -> file.
        """
        for name, kept in files.items():
            if name.startswith("observation/"):
                self._remember(kept.digest[:16], f"{folder}/{name}")

    def _pack(self, frame: Frame, codec: Codec) -> Kept:
        seen = hashlib.sha256(f"{codec} {frame.shape} ".encode("ascii"))
        seen.update(np.ascontiguousarray(frame).data)
        pixels = seen.digest()[:16]
        digest = self._packed.get(pixels)
        if digest is not None:
            found = self._find(digest)
            if found is not None:
                return found
        data = encode_frame(frame, codec)
        digest = hashlib.sha256(data).hexdigest()
        self._packed[pixels] = digest
        _forget_oldest(self._packed, self._most)
        return self._find(digest) or Kept(data=data, digest=digest)

    def _find(self, digest: str) -> Kept | None:
        place = self._places.get(digest[:16])
        if place is None:
            return None
        path = self._root / place
        try:
            data = b"" if path.is_symlink() else read_regular(path)
        except OSError:
            data = b""
        if hashlib.sha256(data).hexdigest() != digest:
            del self._places[digest[:16]]
            return None
        return Kept(data=data, digest=digest, same=path)

    def _remember(self, digest: str, place: str) -> None:
        self._places.pop(digest, None)
        self._places[digest] = place
        _forget_oldest(self._places, self._most)


def _forget_oldest(known: dict[Key, str], most: int) -> None:
    if len(known) > most:
        del known[next(iter(known))]


def _inside(image: str) -> bool:
    """Whether a path from an index is one of this folder's episodes; other tools may write anything."""
    return image.startswith((f"{EPISODES}/", f"{PREVIOUS}/")) and is_file_name(image)
