"""Write frozen episodes into a memory folder, in such an order that a kill leaves whole episodes only.

An episode is written into `.ep_*.part`, brought to the platter, renamed to its id, and only then given its
index line by a single append: whoever reads the index finds whole episodes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

from echo.mfm.disk import Disk
from echo.mfm.episodic.files import Frozen, episode_files
from echo.mfm.episodic.shelf import Kept, Shelf
from echo.mfm.layout import EPISODES, INDEX, PART, MfmError, to_line

Durability = Literal["each", "batch"]
"""'each': on the platter when `write` returns. 'batch': at `flush`, `close`, and every `BATCH` episodes;
until then the index has no line for it. A killed process loses nothing either way (the next open puts the
lines in); a power cut may take the episodes of an unfinished batch, and then takes them whole."""

BATCH = 64


class Desk(Protocol):
    """Takes frozen episodes in and brings them to disk, at once or later."""

    def put(self, frozen: Frozen) -> None:
        """Take in one episode. Raises if it, or one before it, could not be written."""
        ...

    def flush(self) -> None:
        """Bring all that was taken in to the platter and into the index."""
        ...

    def close(self) -> None:
        """Flush where that is still possible, and take in nothing more."""
        ...


class EpisodeWriter:
    """Writes one episode after the other. For one thread, whose folder is locked."""

    def __init__(self, root: Path, *, durability: Durability, disk: Disk, shelf: Shelf) -> None:
        """Write into the folder `root`."""
        self._root = root
        self._durability = durability
        self._disk = disk
        self._shelf = shelf
        self._waiting: list[tuple[Path, bytes]] = []
        self._fault: str | None = None

    @property
    def broken(self) -> bool:
        """Whether a write failed half way, so that the folder must be opened again."""
        return self._fault is not None

    @property
    def waiting(self) -> int:
        """Episodes in their place that have no index line yet."""
        return len(self._waiting)

    def holds(self, name: str) -> bool:
        """Whether the episode `name` lies in its place, with or without its index line."""
        return (self._root / EPISODES / name).is_dir()

    def put(self, frozen: Frozen) -> None:
        """Write an episode.

        Raises:
            MfmError: if an earlier write failed half way.
            OSError: if the disk refuses. Nothing is left of the episode then, unless `broken`.
        """
        self.check()
        made = episode_files(frozen, self._shelf)
        part = self._root / EPISODES / f".{frozen.name}{PART}"
        try:
            written = self._write_folder(part, made.files)
        except BaseException:
            if part.exists():
                self._disk.remove_folder(part)
            raise
        self._publish(part, frozen.name, to_line(made.row))
        self._shelf.written(f"{EPISODES}/{frozen.name}", written)

    def flush(self) -> None:
        """Bring all episodes written so far to the platter and into the index.

        Raises:
            MfmError, OSError: as `put`.
        """
        self.check()
        if not self._waiting:
            return
        try:
            self._disk.sync_trees([folder for folder, _ in self._waiting])
            self._disk.sync(self._root / EPISODES)
            self._disk.append(self._root / INDEX, b"".join(line for _, line in self._waiting))
        except BaseException as error:
            self._fault = f"{self._waiting[0][0].name} and later were left without index lines: {error}"
            raise
        self._waiting.clear()

    def close(self) -> None:
        """Flush, unless a write failed half way."""
        if self._fault is None:
            self.flush()

    def check(self) -> None:
        """Refuse to go on after a write that failed half way.

        Raises:
            MfmError: then.
        """
        if self._fault is not None:
            raise MfmError(
                f"expected a whole memory, but a write to {self._root} failed half way ({self._fault}). "
                f"Close this recorder, make room on the disk, and open it again: opening mends it."
            )

    def _write_folder(self, part: Path, files: dict[str, Kept]) -> dict[str, Kept]:
        """Write or link the files; return those that were written, not linked."""
        written: dict[str, Kept] = {}
        for folder in dict.fromkeys((part, *((part / name).parent for name in files))):
            self._disk.make_folder(folder)
        for name, kept in files.items():
            same = part / kept.twin if kept.twin is not None else kept.same
            if same is None or not self._linked(same, part / name):
                self._disk.write_file(part / name, kept.data)
                written[name] = kept
        if self._durability == "each":
            self._disk.sync_trees([part])
        return written

    def _linked(self, same: Path, target: Path) -> bool:
        """Give `same` a second name; False where it has too many already, or names cannot be given."""
        try:
            self._disk.link(same, target)
        except OSError:
            return False
        return True

    def _publish(self, part: Path, name: str, line: bytes) -> None:
        folder = self._root / EPISODES / name
        try:
            self._disk.rename(part, folder)
            if self._durability == "each":
                self._disk.sync(folder.parent)
                self._disk.append(self._root / INDEX, line)
                return
            self._waiting.append((folder, line))
        except BaseException as error:
            self._fault = f"{name} was left without its index line: {error}"
            raise
        if len(self._waiting) >= BATCH:
            self.flush()
