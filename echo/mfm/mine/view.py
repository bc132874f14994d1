"""What mine/ holds, seen together with the writes of a batch that is not over yet."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from echo.mfm.layout import MINE, MfmError
from echo.mfm.mine.change import Author, Change
from echo.mfm.mine.paths import Kind
from echo.mfm.mine.tree import Tree


class View:
    """The files of mine/ as they will be. Paths are in their normal form."""

    def __init__(self, tree: Tree) -> None:
        """Begin with what is there."""
        self._tree = tree
        self.staged: dict[str, bytes | None] = {}
        """Path -> bytes it is to hold, None for no file; in order of first mention."""
        self.emptied: list[str] = []
        """Folders that are to go with the files in them."""

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file, or None where nothing is there. Raises as `Tree.read`."""
        return self.staged[path] if path in self.staged else self._tree.read(path)

    def kind(self, path: str) -> Kind | None:
        """Return whether `path` is a file or a folder, or None where nothing is there."""
        if not self.staged:
            return self._tree.kind(path)
        if self.staged.get(path) is not None:
            return "file"
        if self.sizes(path):
            return "folder"
        return None if path in self.staged or path in self.emptied else self._tree.kind(path)

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the bytes of every file below `folder` by its path, sorted by path."""
        sizes = self._tree.sizes(folder) if self._tree.kind(folder) == "folder" else {}
        for path, data in self.staged.items():
            if not folder or path.startswith(f"{folder}/"):
                sizes.pop(path, None)
                if data is not None:
                    sizes[path] = len(data)
        return dict(sorted(sizes.items()))

    def below(self, path: str) -> list[str]:
        """Return the path of the file, or the paths of the files of the folder, at `path`.

        Raises:
            MfmError: if nothing is there, or a folder holds what is no file of the memory.
        """
        kind = self.kind(path)
        if kind is None:
            raise self.missing(path)
        if kind == "file":
            return [path]
        strange = self._tree.strange(path) if self._tree.kind(path) == "folder" else {}
        if strange:
            raise MfmError(
                f"expected only files of the memory in the folder {MINE}/{path}, got {', '.join(strange)}. "
                f"Remove that by hand first."
            )
        return list(self.sizes(path))

    def missing(self, path: str) -> MfmError:
        """Return the error that nothing is at `path`."""
        return MfmError(
            f"expected a file at {MINE}/{path} of {self._tree.root}, got none. See the list of its files."
        )


@dataclass(kw_only=True, eq=False)
class Batch:
    """Several writes that become one change."""

    by: Author
    why: str
    view: View
    change: Change | None = None
    """What was logged, once the batch is over; None where nothing differs."""


_UNDER_WAY = threading.local()


def batches_under_way() -> dict[str, Batch]:
    """Return the batches that this thread is in the middle of, by memory folder."""
    if not hasattr(_UNDER_WAY, "batches"):
        _UNDER_WAY.batches = {}
    held: dict[str, Batch] = _UNDER_WAY.batches
    return held
