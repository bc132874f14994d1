"""Make one change of mine/: keep the texts, log it, then show it; and make good what a kill left of one.

The steps, each of which is whole or not there: the texts before and after go into the history, then the
line into the log, then the files into mine/, then the mark that they are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime

from echo.mfm.layout import MINE, MfmError
from echo.mfm.mine.change import Author, Change, Files, digest_of
from echo.mfm.mine.history import CHANGES, ChangeLog
from echo.mfm.mine.tree import FILES, TOTAL_BYTES, Tree
from echo.mfm.mine.view import View

OUTSIDE = "changed by other means"
"""Why of a change that was noticed, not made, here."""

_MOST = 500
"""Letters of a reason that are kept."""


def commit(
    tree: Tree,
    log: ChangeLog,
    staged: Mapping[str, bytes | None],
    *,
    by: Author,
    why: str,
    moment: datetime,
) -> Change | None:
    """Make `staged` (path -> bytes, None for no file) the state of mine/ and return what was logged.

    Needs the lock and a log that was just mended.

    Returns:
        None where mine/ is in that state already.

    Raises:
        MfmError: if mine/ would grow too large, or a folder is in the way.
        OSError: if the disk refuses. On any exception mine/ and the log are as before.
    """
    held = {path: tree.read(path) for path in staged}
    wanted = {path: data for path, data in staged.items() if data != held[path]}
    if not wanted:
        return None
    _check_room(tree, wanted)
    record_outside(tree, log, list(wanted), moment)
    for data in wanted.values():
        if data is not None:
            log.keep(data)
    files: dict[str, tuple[str | None, str | None]] = {
        path: (_digest(held[path]), _digest(data)) for path, data in wanted.items()
    }
    start = (log.folder / CHANGES).stat().st_size
    change = _append(log, files, by, why, moment)
    done: list[str] = []
    try:
        for path in _in_order(wanted):
            done.append(path)
            _show(tree, path, wanted[path])
    except BaseException:
        for path in reversed(done):
            _show(tree, path, held[path])
        log.take_back(start)
        raise
    log.mark_applied()
    return change


def record_outside(tree: Tree, log: ChangeLog, paths: Iterable[str], moment: datetime) -> Change | None:
    """Log, as one change by a person, which of `paths` hold something else than the log says.

    Needs the lock and a log that was just read. Returns None where all hold what it says.
    """
    files: dict[str, tuple[str | None, str | None]] = {}
    for path in dict.fromkeys(paths):
        data = tree.read(path) if tree.kind(path) != "folder" else None
        if _digest(data) != log.head(path):
            files[path] = (log.head(path), None if data is None else log.keep(data))
    if not files:
        return None
    change = _append(log, files, "person", OUTSIDE, moment)
    log.mark_applied()
    return change


def redo(tree: Tree, log: ChangeLog) -> None:
    """Show the last change where a kill came between the log and mine/. Needs the lock and a mended log.

    A file that holds neither what it held before the change nor what it was to hold was edited in the
    meantime and stays as it is; so does one whose text is lost or whose place is taken.
    """
    if log.unapplied() is None:
        return
    wanted = _left_to_show(tree, log)
    for path in _in_order(wanted):
        with suppress(MfmError):
            tree.sweep(path)
            _show(tree, path, wanted[path])
    log.mark_applied()


def finished_view(tree: Tree, log: ChangeLog) -> View:
    """Return mine/ as `redo` would leave it, without writing. Needs no lock.

    Where the log needs mending first, it is mine/ as it is.
    """
    view = View(tree)
    if log.may_be_unapplied():
        with suppress(MfmError):
            log.changes()
            view.staged |= _left_to_show(tree, log)
    return view


def taken_back(view: View, log: ChangeLog, number: int) -> dict[str, bytes | None]:
    """Return what the files of a change held before it: path -> bytes, None for no file.

    Raises:
        MfmError: if there is no such change, or one of its files holds something else in `view`.
    """
    change = next((one for one in log.changes() if one.number == number), None)
    if change is None:
        raise MfmError(
            f"expected the number of a change of {log.root}, got {number!r}. Take one from its history."
        )
    for path, (_, after) in change.files.items():
        if _digest(view.read(path)) != after:
            raise MfmError(
                f"expected {MINE}/{path} as change {number} left it, but it was changed since. "
                f"Undo the later changes first, or write the file anew."
            )
    return {
        path: None if before is None else log.bytes_at(before) for path, (before, _) in change.files.items()
    }


def _left_to_show(tree: Tree, log: ChangeLog) -> dict[str, bytes | None]:
    """Return what of the last change mine/ does not show yet. Needs a log that was just read."""
    change = log.unapplied()
    if change is None:
        return {}
    wanted: dict[str, bytes | None] = {}
    for path, (before, after) in change.files.items():
        with suppress(MfmError):
            if _digest(tree.read(path)) == before:
                wanted[path] = None if after is None else log.bytes_at(after)
    return wanted


def _append(log: ChangeLog, files: Files, by: Author, why: str, moment: datetime) -> Change:
    changes = log.changes()
    moment = moment.astimezone(UTC)
    # As the log tells it.
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    change = Change(
        number=changes[-1].number + 1 if changes else 1,
        # A clock set back does not turn the order of changes round.
        time=max(moment, changes[-1].time) if changes else moment,
        by=by,
        why=why if len(why) <= _MOST else f"{why[: _MOST - 3]}...",
        files=dict(sorted(files.items())),
    )
    log.append(change)
    return change


def _show(tree: Tree, path: str, data: bytes | None) -> None:
    if data is None:
        tree.remove(path)
    else:
        tree.put(path, data)


def _in_order(wanted: Mapping[str, bytes | None]) -> list[str]:
    """Return the paths, new files before removals: a moved file is never nowhere."""
    return sorted(wanted, key=lambda path: wanted[path] is None)


def _check_room(tree: Tree, wanted: Mapping[str, bytes | None]) -> None:
    sizes = tree.sizes()
    before = sum(sizes.values()), len(sizes)
    for path, data in wanted.items():
        sizes.pop(path, None)
        if data is not None:
            sizes[path] = len(data)
    total, number = sum(sizes.values()), len(sizes)
    if (total > TOTAL_BYTES and total > before[0]) or (number > FILES and number > before[1]):
        raise MfmError(
            f"expected at most {TOTAL_BYTES:,} bytes in {FILES:,} files of {MINE}/, this would make "
            f"{total:,} bytes in {number:,}. Delete or shorten what is no longer needed; nothing was written."
        )


def _digest(data: bytes | None) -> str | None:
    return None if data is None else digest_of(data)
