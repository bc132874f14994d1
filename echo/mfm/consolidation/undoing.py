"""Take a consolidation back: what it wrote goes, what an agent or a person wrote since stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.consolidation.consolidate import BY, WHY
from echo.mfm.consolidation.files import FileChange, differences
from echo.mfm.consolidation.journal import undone
from echo.mfm.consolidation.restoring import restored
from echo.mfm.layout import MfmError
from echo.mfm.mine.change import Author, Change, digest_of
from echo.mfm.mine.writable import Mine

_MARKDOWN = ".md"


@dataclass(frozen=True, kw_only=True)
class Undone:
    """What taking a consolidation back did, or would do."""

    consolidation: int
    """Number of its change."""
    files: tuple[FileChange, ...]
    """Only those that differ, sorted by path; at least one."""
    kept: tuple[tuple[str, str], ...]
    """What of it stays, and why: path and reason, sorted."""
    change: Change | None
    """What was logged; None for a dry run."""

    @property
    def diff(self) -> str:
        """All changes as one unified diff."""
        return differences(self.files)


def undo_last(root: Path | str, *, by: Author = "person", dry_run: bool = False) -> Undone:
    """Take back the latest consolidation of which something stands, as one change; called again, one before.

    A file that nobody touched since becomes what it was, or goes. In a Markdown file that was written since,
    the generated lines become what they were; lines written or changed by hand stay, and so does a section
    in which some stand. Any other file that was changed since stays as it is and is named. A consolidation
    that was taken back already, or of which nothing stands any more, is passed over.

    Args:
        root: The memory folder.
        by: Who does it.
        dry_run: Whether to find out what would change and write nothing.

    Raises:
        MfmError: if there is none left to take back, or another process changed mine/ in the meantime.
        OSError: if the disk refuses.
    """
    mine = Mine(root, read_only=dry_run)
    number, files, kept = _plan(mine)
    if dry_run:
        return Undone(consolidation=number, files=files, kept=kept, change=None)
    with mine.batch(by=by, why=f"undo of change {number}") as batch:
        found, files, kept = _plan(mine)
        if found != number:
            raise MfmError(
                f"expected change {number} of {mine.root} as the one to take back, but another process "
                f"changed its notes just now. Nothing was changed; try again."
            )
        for file in files:
            if file.after is None:
                mine.delete(file.path)
            else:
                mine.write(file.path, file.after)
    return Undone(consolidation=number, files=files, kept=kept, change=batch.change)


_Kept = tuple[tuple[str, str], ...]


def _plan(mine: Mine) -> tuple[int, tuple[FileChange, ...], _Kept]:
    """Return the number of the consolidation to take back, the files that differ, and what stays."""
    changes = mine.history()
    stays: list[tuple[str, str]] = []
    for change in _standing(changes):
        found = [(path, *_file(mine, change, path)) for path in sorted(change.files)]
        files = tuple(file for _, file, _ in found if file is not None and file.before != file.after)
        kept = tuple((path, reason) for path, _, reason in found if reason is not None)
        if files:
            return change.number, files, kept
        stays += kept
    left = "".join(f" {path} stays, for it {reason}." for path, reason in stays)
    raise MfmError(
        f"expected a consolidation of {mine.root} to take back, got none in its history.{left} "
        f"Nothing was changed."
    )


def _standing(changes: Sequence[Change]) -> list[Change]:
    """Return the consolidations that were not taken back, the latest first."""
    gone = undone(changes)
    return [
        change
        for change in reversed(changes)
        if change.by == BY and change.why == WHY and change.number not in gone
    ]


def _file(mine: Mine, change: Change, path: str) -> tuple[FileChange | None, str | None]:
    """Return what becomes of one file that `change` wrote, and why something of it stays."""
    before, after = change.files[path]
    try:
        now = mine.read(path) if mine.exists(path) else None
    except MfmError as error:
        return None, f"cannot be read: {error}"
    if now is None:
        return None, None if before is None else "was deleted since"
    was = None if before is None else mine.text_at(before)
    if digest_of(now.encode()) == after:
        return FileChange(path=path, before=now, after=was), None
    if not path.endswith(_MARKDOWN) or after is None:
        return None, "was changed since"
    made = restored(now, was or "", mine.text_at(after))
    goes = was is None and not made.text.strip()
    return (
        FileChange(path=path, before=now, after=None if goes else made.text),
        None if made.whole else "holds lines of it outside the markers of their section",
    )
