"""What can be read of a memory by address (`memory://...`), apart from any protocol."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from echo.mfm.evidence.references import Reference, find_episode
from echo.mfm.folder import MemoryFolder
from echo.mfm.layout import ACTION, INDEX, OUTCOME, STATE, MfmError, Row, earlier_lives, life_name, read_json
from echo.mfm.mine.writable import Mine
from echo.mfm.options import memory_options
from echo.mfm.query.rows import Torn, rows_from_start
from echo.serve.pictures import picture_type
from echo.serve.reply import whole_json

NEWEST = 50
"""Rows told by `memory://index`; more are found by a query."""

JSON, MARKDOWN, PYTHON, PNG = "application/json", "text/markdown", "text/x-python", "image/png"


class ResourceMissing(LookupError):
    """There is nothing at an address."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """One address, or a pattern of addresses with names in braces, and how it is read."""

    uri: str
    name: str
    title: str
    about: str
    mime_type: str
    read: Callable[..., str | bytes]
    """Takes what stands in the braces."""


@dataclass(frozen=True, kw_only=True)
class NoteListed:
    """A file of the agent's, as it is listed."""

    uri: str
    name: str
    title: str
    mime_type: str


class MemoryResources:
    """The addresses of one memory folder."""

    def __init__(self, root: Path) -> None:
        """Read the memory at `root`.

        Raises:
            MfmError: if there is none.
        """
        self._root = MemoryFolder(root).root
        self._mine = Mine(root, read_only=True)

    def offers(self) -> Iterator[Offer]:
        """Yield everything that can be read but single notes, which `list_notes` tells."""
        yield Offer(
            uri="memory://index",
            name="index",
            title="Overview",
            about=f"What the memory holds: number of episodes, earlier lives, notes, newest {NEWEST} rows.",
            mime_type=JSON,
            read=self.index,
        )
        yield Offer(
            uri="memory://episodes/{id}",
            name="episode",
            title="Episode",
            about="State, action and outcome of an episode, such as ep_000012, of this or an earlier life.",
            mime_type=JSON,
            read=self.episode,
        )
        yield Offer(
            uri="memory://episodes/{id}/frame",
            name="frame",
            title="Frame of an episode",
            about="The picture seen before an episode.",
            mime_type=PNG,
            read=self.frame,
        )
        yield Offer(
            uri="memory://previous/{life}/episodes/{id}",
            name="earlier_episode",
            title="Episode of an earlier life",
            about="An episode of one earlier life, such as life_1.",
            mime_type=JSON,
            read=self.earlier_episode,
        )
        yield Offer(
            uri="memory://previous/{life}/episodes/{id}/frame",
            name="earlier_frame",
            title="Frame of an earlier life",
            about="The picture seen before an episode of one earlier life.",
            mime_type=PNG,
            read=self.earlier_frame,
        )
        yield Offer(
            uri="memory://notes/{+path}",
            name="note",
            title="Note",
            about="A file the agent wrote, such as notes.md or procedures/shelter.py.",
            mime_type="text/plain",
            read=self.note,
        )

    def index(self) -> str:
        """Return what the memory holds, as JSON."""
        count, first, newest, torn = 0, None, deque[Row](maxlen=NEWEST), Torn()
        with (self._root / INDEX).open("rb") as file:
            for row, _ in rows_from_start(file, torn):
                count, first = count + 1, first or row["id"]
                newest.append(row)
        off = memory_options(self._root).switched_off
        lives = [life_name(number) for number in earlier_lives(self._root)]
        return _text(
            {
                "episodes": count,
                "first": first,
                "last": newest[-1]["id"] if newest else None,
                "earlier_lives": lives,
                "switched_off": list(off),
                "notes": [note.name for note in self.list_notes()],
                # A memory without an index is one that is not searched through it.
                "newest_rows": [] if "index" in off else list(newest),
                "places_without_row": torn.count,
            }
        )

    def episode(self, id: str) -> str:
        """Return state, action and outcome of an episode, as JSON."""
        return self._episode(id, None)

    def earlier_episode(self, life: str, id: str) -> str:
        """Return the same of one earlier life."""
        return self._episode(id, life)

    def frame(self, id: str) -> bytes:
        """Return the picture seen before an episode."""
        return self._frame(id, None)

    def earlier_frame(self, life: str, id: str) -> bytes:
        """Return the same of one earlier life."""
        return self._frame(id, life)

    def note(self, path: str) -> str:
        """Return a file the agent wrote."""
        try:
            return self._mine.read(path)
        except MfmError as error:
            raise ResourceMissing(str(error)) from error

    def list_notes(self) -> list[NoteListed]:
        """Return the files the agent wrote, by path."""
        return [
            NoteListed(
                uri=f"memory://notes/{quote(path)}",
                name=path,
                title=PurePosixPath(path).name,
                mime_type={".md": MARKDOWN, ".py": PYTHON, ".json": JSON}.get(
                    PurePosixPath(path).suffix, "text/plain"
                ),
            )
            for path in self._mine.paths()
        ]

    def _episode(self, id: str, life: str | None) -> str:
        found = self._find(id, life)
        told: dict[str, Any] = {"id": found.name, "path": found.folder.relative_to(self._root).as_posix()}
        for key, name in (("state", STATE), ("action", ACTION), ("outcome", OUTCOME)):
            # An episode of another tool may lack one; what is there is told all the same.
            told[key] = read_json(found.folder / name) if (found.folder / name).is_file() else None
        return _text(told)

    def _frame(self, id: str, life: str | None) -> bytes:
        from echo.mfm.evidence.pictures import frame_bytes, open_picture, png_bytes

        found = self._find(id, life)
        held = frame_bytes(self._root, found.name)
        if held is None:
            raise ResourceMissing(
                f"expected a frame of {found.name}; none was recorded. Its state tells what was seen: "
                f"memory://episodes/{id}."
            )
        return (
            held if picture_type(held) == PNG else png_bytes(open_picture(held, f"the frame of {found.name}"))
        )

    def _find(self, id: str, life: str | None) -> Reference:
        """Return the episode that an address means.

        Raises:
            ResourceMissing: if there is none.
        """
        try:
            return find_episode(self._root, id if life is None else f"{life}/{id}")
        except MfmError as error:
            raise ResourceMissing(str(error)) from error


def _text(value: Any) -> str:
    return json.dumps(whole_json(value), indent=1, ensure_ascii=False)
