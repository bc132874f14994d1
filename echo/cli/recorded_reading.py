"""Reading the episodes of several memory folders, for data made from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finetune.examples.recorded import LeftOut, Recorded


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """Episodes of all folders, in the order of the folders and of time."""

    recorded: tuple[Recorded, ...]
    unreadable: tuple[LeftOut, ...]
    """Those that could not be read, and why."""


def read_recorded(
    folders: Sequence[Path], *, frames: bool = False, tell: Callable[[int, int], None] | None = None
) -> Read:
    """Read the episodes of this life of each folder; those that cannot be read are named.

    Args:
        folders: memory folders.
        frames: whether to load the recorded pictures.
        tell: told how many are read, of how many.

    Raises:
        UsageError: if a folder is given twice.
        MfmError: if one is no memory.
    """
    from echo.mfm.episodic.reader import read_episode
    from echo.mfm.folder import MemoryFolder
    from echo.mfm.layout import MfmError
    from finetune.examples.recorded import LeftOut, Recorded

    names = _names(folders)
    rows = [
        (name, folder, str(row["id"]))
        for name, folder in zip(names, folders, strict=True)
        for row in MemoryFolder(folder).rows()
    ]
    recorded: list[Recorded] = []
    unreadable: list[LeftOut] = []
    for done, (name, folder, id) in enumerate(rows, start=1):
        try:
            recorded.append(Recorded(memory=name, episode=read_episode(folder, id, frames=frames)))
        except (MfmError, ValueError) as error:
            unreadable.append(LeftOut(name=f"{name}/{id}", reason="unreadable", detail=str(error)))
        if tell is not None:
            tell(done, len(rows))
    return Read(recorded=tuple(recorded), unreadable=tuple(unreadable))


def _names(folders: Sequence[Path]) -> list[str]:
    """Return a name for each folder: its own, with as many folders above it as tell it from the others.

    Raises:
        UsageError: if one is given twice.
    """
    from echo.experiments.spec import UsageError

    whole = [folder.resolve() for folder in folders]
    for folder in whole:
        if whole.count(folder) > 1:
            raise UsageError(f"expected each memory once; got {folder} twice. Leave one out.")
    for length in range(1, max((len(folder.parts) for folder in whole), default=1) + 1):
        names = ["/".join(folder.parts[-length:]) for folder in whole]
        if len(dict.fromkeys(names)) == len(names):
            return names
    return [str(folder) for folder in whole]
