"""One results folder, many processes: who may run in it at a time, and which share of the jobs is whose."""

from __future__ import annotations

import fcntl
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TextIO, TypeVar

from echo.experiments.spec import UsageError

LOCK_FILE = ".lock"

Taken = TypeVar("Taken")


@dataclass(frozen=True, kw_only=True)
class Slice:
    """A share of a list: of every `of` members the one with this `number`."""

    number: int
    """From 1 to `of`."""
    of: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a slice such as ``3/40``.

        Raises:
            UsageError: if it is no such thing.
        """
        found = re.fullmatch(r"\s*([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*", text)
        if found is None:
            raise UsageError(
                f"expected a slice such as 3/40, the third of forty; got {text!r}. Change --slice."
            )
        number, of = int(found[1]), int(found[2])
        if of < 1:
            raise UsageError(f"expected a slice of 1 or more; got {text!r}. Change --slice.")
        if not 1 <= number <= of:
            raise UsageError(
                f"expected a slice from 1/{of} to {of}/{of}; got {text!r}. Change --slice; a batch system "
                f"that counts its tasks from 0 is told to count from 1 (SLURM: --array=1-{of})."
            )
        return cls(number=number, of=of)

    def take(self, members: Sequence[Taken]) -> tuple[Taken, ...]:
        """Return the share's members in their order; none where there are fewer members than slices."""
        return tuple(members[self.number - 1 :: self.of])

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def take_slice(jobs: Sequence[Taken], text: str) -> tuple[Taken, ...]:
    """Return the share `text` of `jobs`: for ``3/40`` the third and every fortieth after it.

    All slices of one number together are all jobs, each once - if all are taken of the same list. So take
    them of the whole plan, before anything that is already finished is left out.

    >>> take_slice("abcdefg", "2/3")
    ('b', 'e')

    Raises:
        UsageError: if `text` is no slice.
    """
    return Slice.parse(text).take(jobs)


@contextmanager
def only_one_here(folder: Path, share: Slice | None = None) -> Iterator[None]:
    """Hold the results folder `folder`, made if absent, so that no job in it is played twice at a time.

    Without a share nothing else may run there. With one, other shares of the same number may, on this or
    other machines; the same share may not, nor shares of another number, whose jobs would overlap. The
    system frees the folder when this process ends, however it ends.

    Raises:
        UsageError: if `folder` cannot be made or written to, its file system has no locks, or something
            runs there.
    """
    with ExitStack() as held:
        door = held.enter_context(_open(folder, LOCK_FILE))
        if share is None:
            _lock(door, fcntl.LOCK_EX, folder, "another running experiment")
        else:
            _lock(door, fcntl.LOCK_SH, folder, "another running experiment that plays all of it")
            own = held.enter_context(_open(folder, f".slice-{share.number}-of-{share.of}.lock"))
            _lock(own, fcntl.LOCK_EX, folder, f"the slice {share} already running")
            # Each locks its own file first and looks at the others' then, so two can never miss each other.
            _refuse_other_shares(folder, share)
        yield


def _refuse_other_shares(folder: Path, share: Slice) -> None:
    """Look for a running share of another number.

    Raises:
        UsageError: if there is one.
    """
    for path in sorted(folder.glob(".slice-*-of-*.lock")):
        found = re.fullmatch(r"\.slice-([0-9]+)-of-([0-9]+)\.lock", path.name)
        if found is None or int(found[2]) == share.of:
            continue
        with _open(folder, path.name) as other:
            told = f"the running slice {found[1]}/{found[2]}, whose jobs overlap with those of {share},"
            _lock(other, fcntl.LOCK_SH, folder, told)


def _lock(file: TextIO, kind: int, folder: Path, meaning: str) -> None:
    """Lock an open file at once.

    Raises:
        UsageError: if another process holds it, which means `meaning`, or it cannot be locked at all.
    """
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise UsageError(
            f"expected a results folder in which nothing runs; got {meaning} in {folder}. "
            f"Wait for it to end, or choose another folder with --out."
        ) from error
    except OSError as error:
        raise UsageError(
            f"expected a file system that can lock files at {folder}; got {error.strerror or error}. "
            f"Choose a folder on another one with --out."
        ) from error


def _open(folder: Path, name: str) -> TextIO:
    """Make `folder` with its place for results, and open its lock file `name`.

    Raises:
        UsageError: if it is no folder, lies below a file, or cannot be written to.
    """
    try:
        (folder / "runs").mkdir(parents=True, exist_ok=True)
        return (folder / name).open("a+")
    except OSError as error:
        if folder.exists() and not folder.is_dir():
            got = "a file"
        else:
            got = f"{error.strerror or error} ({error.filename})"
        raise UsageError(
            f"expected a folder that can be made and written to at {folder}; got {got}. "
            f"Choose another folder with --out."
        ) from error
