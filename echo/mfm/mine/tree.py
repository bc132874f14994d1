"""The files in mine/ as bytes: listed, read, replaced and removed, each through open folders only."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from echo.mfm.disk import Disk, write_all
from echo.mfm.layout import MINE, PART, MfmError
from echo.mfm.mine.paths import (
    Kind,
    PathRefused,
    kind_at,
    kind_of,
    names_of,
    open_file,
    open_folder,
    open_mine,
)

FILE_BYTES = 1_048_576
"""Largest file in mine/."""
TOTAL_BYTES = 33_554_432
"""Most bytes in all files of mine/ together."""
FILES = 10_000
"""Most files in mine/."""

_TEMPORARY = ".echo-"
_PIECE = 1 << 16


class MineDisk(Disk):
    """The file system, with the steps that are taken within an open folder. A kill may fall between two."""

    def make_folder_at(self, folder: int, name: str) -> None:
        """Create the folder `name` in the open folder; an existing one is left as it is."""
        with suppress(FileExistsError):
            os.mkdir(name, 0o755, dir_fd=folder)

    def write_at(self, folder: int, name: str, data: bytes) -> None:
        """Create the new file `name` in the open folder and bring its bytes to the platter."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(name, flags, 0o644, dir_fd=folder)
        try:
            write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def rename_at(self, folder: int, source: str, target: str) -> None:
        """Move `source` to `target` within the open folder in one step; a file there is replaced."""
        os.rename(source, target, src_dir_fd=folder, dst_dir_fd=folder)

    def remove_at(self, folder: int, name: str) -> None:
        """Remove the file `name` from the open folder."""
        os.unlink(name, dir_fd=folder)

    def remove_folder_at(self, folder: int, name: str) -> None:
        """Remove the empty folder `name` from the open folder."""
        os.rmdir(name, dir_fd=folder)

    def sync_at(self, folder: int) -> None:
        """Bring the names in the open folder to the platter."""
        os.fsync(folder)


class Tree:
    """The files of mine/ by their paths. Raises `PathRefused` on every path that leads anywhere else."""

    def __init__(self, root: Path, disk: MineDisk) -> None:
        """Work on <root>/mine, which need not exist."""
        self.root, self._disk = root, disk

    def kind(self, path: str) -> Kind | None:
        """Return whether `path` is a file or a folder, or None where nothing is there."""
        names = names_of(path)
        try:
            with open_mine(self.root) as top:
                if not names:
                    return "folder"
                with open_folder(top, names[:-1]) as folder:
                    return kind_at(folder, names[-1], path)
        except FileNotFoundError:
            return None

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file, or None where nothing is there.

        Raises:
            MfmError: if it is a folder, or larger than `FILE_BYTES`.
        """
        names = names_of(path)
        if not names:
            raise _no_file(path)
        try:
            with open_mine(self.root) as top, open_folder(top, names[:-1]) as folder:
                descriptor = open_file(folder, names[-1], path)
        except FileNotFoundError:
            return None
        except IsADirectoryError:
            raise _no_file(path) from None
        try:
            return _read_all(descriptor, path)
        finally:
            os.close(descriptor)

    def sizes(self, path: str = "") -> dict[str, int]:
        """Return the size in bytes of every file below the folder `path`, by its path, sorted.

        Hidden files, links, devices and names that no path may hold are left out; `strange` names them.
        """
        return dict(sorted(self._walk(path)[0].items()))

    def folders(self, path: str = "") -> list[str]:
        """Return the paths of all folders below the folder `path`, sorted; also empty ones."""
        return sorted(self._walk(path)[1])

    def strange(self, path: str = "") -> dict[str, str]:
        """Return what lies below `path` that is no file of the memory, each with the reason, sorted."""
        return dict(sorted(self._walk(path)[2].items()))

    def put(self, path: str, data: bytes) -> None:
        """Put `data` at `path` in one step, folders above it included, and bring it to the platter.

        Raises:
            OSError: if the disk refuses, or a folder is at `path`; what was there stays.
        """
        names = names_of(path)
        if not names:
            raise _no_file(path)
        self._disk.make_folder(self.root / MINE)
        with open_mine(self.root) as top:
            for depth in range(1, len(names)):
                with open_folder(top, names[: depth - 1]) as above:
                    if kind_at(above, names[depth - 1], "/".join(names[:depth])) is None:
                        self._disk.make_folder_at(above, names[depth - 1])
                        self._disk.sync_at(above)
            with open_folder(top, names[:-1]) as folder:
                self._replace(folder, names[-1], path, data)

    def remove(self, path: str) -> None:
        """Remove the file at `path`, where there is one, and the folders that this leaves empty."""
        names = names_of(path)
        try:
            with open_mine(self.root) as top:
                with open_folder(top, names[:-1]) as folder:
                    if kind_at(folder, names[-1], path) == "file":
                        self._disk.remove_at(folder, names[-1])
                        self._disk.sync_at(folder)
                self._prune(top, names[:-1])
        except FileNotFoundError:
            return

    def remove_empty(self, path: str) -> None:
        """Remove the folder at `path` and the folders in it, none of which may hold a file.

        Raises:
            OSError: if one of them holds something.
        """
        for name in [*reversed(self.folders(path)), path]:
            names = names_of(name)
            with open_mine(self.root) as top, open_folder(top, names[:-1]) as above:
                self._disk.remove_folder_at(above, names[-1])
                self._disk.sync_at(above)

    def sweep(self, path: str) -> None:
        """Remove temporary files that a killed writer left beside `path`."""
        names = names_of(path)
        with (
            suppress(FileNotFoundError),
            open_mine(self.root) as top,
            open_folder(top, names[:-1]) as folder,
        ):
            for name in _names(folder):
                if name.startswith(_TEMPORARY) and name.endswith(PART):
                    self._disk.remove_at(folder, name)

    def _replace(self, folder: int, name: str, path: str, data: bytes) -> None:
        if kind_at(folder, name, path) == "folder":
            raise _no_file(path)
        temporary = f"{_TEMPORARY}{secrets.token_hex(8)}{PART}"
        try:
            self._disk.write_at(folder, temporary, data)
            self._disk.rename_at(folder, temporary, name)
        except BaseException:
            with suppress(FileNotFoundError):
                self._disk.remove_at(folder, temporary)
            raise
        self._disk.sync_at(folder)

    def _prune(self, top: int, names: tuple[str, ...]) -> None:
        for depth in range(len(names), 0, -1):
            with open_folder(top, names[: depth - 1]) as above:
                try:
                    self._disk.remove_folder_at(above, names[depth - 1])
                except OSError:
                    return
                self._disk.sync_at(above)

    def _walk(self, path: str) -> tuple[dict[str, int], list[str], dict[str, str]]:
        names = names_of(path)
        files: dict[str, int] = {}
        folders: list[str] = []
        strange: dict[str, str] = {}
        waiting = [names]
        while waiting:
            names = waiting.pop()
            try:
                with open_mine(self.root) as top, open_folder(top, names) as folder:
                    for name in _names(folder):
                        shown = "/".join((*names, name))
                        self._sort(folder, name, shown, files, folders, strange)
                        if folders and folders[-1] == shown:
                            waiting.append((*names, name))
            except FileNotFoundError:
                continue
            except PathRefused:
                if names == names_of(path):
                    raise
        return files, folders, strange

    def _sort(
        self,
        folder: int,
        name: str,
        shown: str,
        files: dict[str, int],
        folders: list[str],
        strange: dict[str, str],
    ) -> None:
        try:
            names_of(shown)
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if kind_of(found, shown) == "folder":
                folders.append(shown)
            else:
                files[shown] = found.st_size
        except FileNotFoundError:
            return
        except PathRefused as refused:
            strange[shown] = str(refused)


def _names(folder: int) -> list[str]:
    """Return the names in the open folder, sorted."""
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries)


def _read_all(descriptor: int, path: str) -> bytes:
    pieces, size = [], 0
    while piece := os.read(descriptor, _PIECE):
        size += len(piece)
        if size > FILE_BYTES:
            raise MfmError(
                f"expected a file of at most {FILE_BYTES:,} bytes at {MINE}/{path}, got a larger one. "
                f"Split it, or move it out of {MINE}/."
            )
        pieces.append(piece)
    return b"".join(pieces)


def _no_file(path: str) -> MfmError:
    return MfmError(f"expected a file at {MINE}/{path}, got a folder. Name a file in it.")
