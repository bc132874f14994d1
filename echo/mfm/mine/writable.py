"""The part of a memory folder that an agent, a person and consolidation write: whole files, with history.

A file is replaced in one step, so a reader sees the old text or the new one. Writers in several
processes take turns. A file that was edited by other means is noticed when it is next written: what it
held is kept and logged as a change by a person.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from echo.mfm.layout import MINE, MfmError, memory_of_earlier_life, refuse_earlier_life
from echo.mfm.mine.change import AUTHORS, Author, Change
from echo.mfm.mine.commit import commit, finished_view, record_outside, redo, taken_back
from echo.mfm.mine.history import ChangeLog
from echo.mfm.mine.paths import Kind, PathRefused, normal
from echo.mfm.mine.text import decoded, encoded
from echo.mfm.mine.tree import MineDisk, Tree
from echo.mfm.mine.view import Batch, View, batches_under_way


class Mine:
    """The files in <root>/mine. Holds nothing open between calls; usable from several threads."""

    def __init__(
        self,
        root: Path | str,
        *,
        read_only: bool = False,
        disk: MineDisk | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        """Look at the writable part of the memory in the folder `root`; mine/ need not exist yet.

        Args:
            root: The memory folder.
            read_only: Whether nothing may be written below `root`. A change whose writer was killed is then
                seen as the next writer will show it, and left to that one; every writing is refused.
            disk: The file system, for tests.
            clock: Returns an aware time, for tests.
        """
        self.root = Path(root)
        disk = disk or MineDisk()
        self._tree, self._log = Tree(self.root, disk), ChangeLog(self.root, disk)
        self._clock = clock or (lambda: datetime.now(UTC))
        self._turn = threading.RLock()
        self._key = str(self.root.resolve())
        self._settled = False
        self._read_only = read_only or memory_of_earlier_life(self.root) is not None

    def read(self, path: str) -> str:
        """Return the text of a file, exactly as it was written: line ends and a byte order mark included.

        Raises:
            PathRefused: if `path` does not lie in mine/.
            MfmError: if there is no such file, or it is no UTF-8 or too large.
        """
        self._settle()
        view = self._view()
        data = view.read(normal(path))
        if data is None:
            raise view.missing(path)
        return decoded(data, f"{MINE}/{path} of {self.root}")

    def exists(self, path: str) -> bool:
        """Return whether a file or a folder is at `path`. Raises as `kind`."""
        return self.kind(path) is not None

    def kind(self, path: str) -> Kind | None:
        """Return 'file', 'folder', or None where nothing is at `path`; '' is mine/ itself.

        Raises:
            PathRefused: if `path` does not lie in mine/, or is a link, a device or the like.
        """
        self._settle()
        path = normal(path)
        return self._view().kind(path)

    def paths(self, folder: str = "") -> list[str]:
        """Return the paths of all files below `folder`, relative to mine/, sorted.

        Hidden files, links and the like are no files of the memory; `strange` names them.
        """
        return list(self.sizes(folder))

    def sizes(self, folder: str = "") -> dict[str, int]:
        """Return the bytes of every file below `folder` by its path, sorted by path."""
        self._settle()
        return self._view().sizes(normal(folder))

    def folders(self, folder: str = "") -> list[str]:
        """Return the paths of all folders below `folder`, sorted; a batch under way is not looked at."""
        return self._tree.folders(normal(folder))

    def strange(self) -> dict[str, str]:
        """Return what lies in mine/ but is no file of the memory, each with the reason, sorted."""
        return self._tree.strange()

    def write(
        self, path: str, text: str, *, by: Author | None = None, why: str | None = None
    ) -> Change | None:
        """Create the file at `path`, or replace it; folders above it are made.

        Args:
            path: Relative to mine/.
            text: All of it. Kept to the letter; two halves of one character side by side become one.
            by: Who changes it; may be left out in a batch.
            why: In a few words; may be left out in a batch.

        Returns:
            What was logged; None within a batch, and where the file held this text already.

        Raises:
            PathRefused: if `path` does not lie in mine/.
            MfmError: on text that UTF-8 cannot hold or that holds a NUL, on a file or a memory too large, or
                where a folder is at `path`; nothing is changed then.
        """
        path = normal(path)
        data = encoded(text, f"{MINE}/{path}")
        with self._change(by, why) as batch:
            if not path or batch.view.kind(path) == "folder":
                raise MfmError(f"expected the name of a file in {MINE}/, got {path!r}, which is a folder.")
            batch.view.staged[path] = data
        return batch.change

    def delete(self, path: str, *, by: Author | None = None, why: str | None = None) -> Change | None:
        """Remove the file at `path`, or the folder and all in it; its text stays in the history.

        Raises:
            PathRefused: if `path` does not lie in mine/.
            MfmError: if nothing is there, it is mine/ itself, or the folder holds a link or hidden file.
        """
        path = normal(path)
        with self._change(by, why) as batch:
            if not path:
                raise MfmError(f"expected something in {MINE}/ to delete, got {MINE}/ itself. Name a file.")
            batch.view.staged |= dict.fromkeys(batch.view.below(path))
            batch.view.emptied.append(path)
        return batch.change

    def rename(
        self, old: str, new: str, *, by: Author | None = None, why: str | None = None
    ) -> Change | None:
        """Move the file or folder at `old` to `new`, where nothing may be yet.

        Raises:
            PathRefused: if a path does not lie in mine/.
            MfmError: if nothing is at `old`, something is at `new`, or `new` lies in `old`.
        """
        old, new = normal(old), normal(new)
        with self._change(by, why) as batch:
            if not old or not new or new.startswith(f"{old}/"):
                raise MfmError(
                    f"expected two places in {MINE}/, the new one not in the old one, "
                    f"got {old!r} and {new!r}."
                )
            moved = batch.view.below(old)
            if batch.view.kind(new) is not None:
                raise MfmError(
                    f"expected a free place at {MINE}/{new}, something is there already. "
                    f"Delete that first, or choose another name."
                )
            for name in moved:
                batch.view.staged[new + name[len(old) :]] = batch.view.read(name)
                batch.view.staged[name] = None
            batch.view.emptied.append(old)
        return batch.change

    @contextmanager
    def batch(self, *, by: Author, why: str) -> Iterator[Batch]:
        """Make all writes within one change; other writers wait. An exception leaves everything as it was.

        Reading within sees what was written within. A batch within a batch of the same thread belongs to
        the outer one, also where another `Mine` of the same folder begins it.

        Raises:
            MfmError: as `write`, when it ends; or if another writer did not let go in time.
        """
        with self._change(by, why) as batch:
            yield batch

    def history(self, path: str | None = None) -> list[Change]:
        """Return all changes, or those of one file or of one folder's files; the oldest first.

        Damaged lines of the log are left out; `damaged_lines` counts them.
        """
        with self._turn:
            changes, _ = self._log.whole_changes()
        if path is None:
            return changes
        path = normal(path)
        return [
            change
            for change in changes
            if any(name == path or name.startswith(f"{path}/") for name in change.files)
        ]

    def damaged_lines(self) -> int:
        """Return how many lines of the log hold no change; the next change of mine/ takes them out."""
        with self._turn:
            return self._log.whole_changes()[1]

    def text_at(self, digest: str) -> str:
        """Return a text that a file of mine/ once held, by the digest in the history.

        Raises:
            MfmError: if it was never kept, is damaged, or is no UTF-8.
        """
        return decoded(self._log.bytes_at(digest), f"text {digest[:12]} of {self.root}")

    def undo(self, number: int, *, by: Author) -> Change | None:
        """Bring the files of one change back to what they held before it; that is a change too.

        Raises:
            MfmError: if there is no such change, or one of its files holds something else since.
        """
        with self._change(by, f"undo of change {number}") as batch:
            batch.view.staged |= taken_back(batch.view, self._log, number)
        return batch.change

    def notice(self) -> Change | None:
        """Log what was changed in mine/ by other means since, as one change by a person.

        Raises:
            MfmError: if a file cannot be read, or a batch is under way.
        """
        self._refuse_reader()
        if self._mine_now() is not None:
            raise MfmError("expected no batch under way. Notice what was changed before it begins.")
        with self._turn, self._log.locked():
            self._mend()
            known = [path for change in self._log.changes() for path in change.files]
            return record_outside(self._tree, self._log, [*self._tree.sizes(), *known], self._clock())

    @contextmanager
    def _change(self, by: Author | None, why: str | None) -> Iterator[Batch]:
        self._refuse_reader()
        with self._turn:
            outer = self._mine_now()
            if outer is not None:
                yield outer
                return
            if by not in AUTHORS or not isinstance(why, str):
                raise MfmError(
                    f"expected who changes {MINE}/ ({', '.join(AUTHORS)}) and why, got {by!r} and {why!r}."
                )
            with self._log.locked():
                self._mend()
                view = View(self._tree)
                batch = Batch(by=by, why=why, view=view)
                batches_under_way()[self._key] = batch
                try:
                    yield batch
                    batch.change = commit(
                        self._tree, self._log, view.staged, by=by, why=why, moment=self._clock()
                    )
                    for folder in view.emptied:
                        with suppress(OSError, PathRefused):
                            self._tree.remove_empty(folder)
                finally:
                    del batches_under_way()[self._key]

    def _mine_now(self) -> Batch | None:
        return batches_under_way().get(self._key)

    def _view(self) -> View:
        batch = self._mine_now()
        if batch is not None:
            return batch.view
        if not self._read_only:
            return View(self._tree)
        with self._turn:
            return finished_view(self._tree, self._log)

    def _settle(self) -> None:
        """Once, before the first reading: make good what a killed writer left, where this may be written."""
        if self._settled or self._read_only:
            return
        with self._turn:
            self._settled = True
            if self._mine_now() is None and self._log.may_be_unapplied():
                # Where it cannot be written, nobody is in the middle of a change either.
                with suppress(OSError), self._log.locked():
                    self._mend()

    def _refuse_reader(self) -> None:
        refuse_earlier_life(self.root)
        if self._read_only:
            raise MfmError(f"expected only reading of the notes of {self.root}, got a change.")

    def _mend(self) -> None:
        self._settled = True
        self._log.mend()
        redo(self._tree, self._log)
