"""What is in the way of opening or mending a memory folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from echo.mfm.episodic.flaw import UNREADABLE, Flaw, unreadable
from echo.mfm.layout import LOCK, MENDED, MINE, PREVIOUS, MfmError
from echo.mfm.options import memory_options


def misplaced(root: Path) -> Iterator[Flaw]:
    """Yield what lies in the place of a file or folder that writing needs."""
    for name in (PREVIOUS, MENDED, MINE, LOCK):
        found = root / name
        is_right = os.path.isfile if name == LOCK else os.path.isdir
        if os.path.lexists(found) and not is_right(found):
            kind = "file" if name == LOCK else "folder"
            yield unreadable(name, f"expected a {kind} at {found}, got something else")


def as_promised(flaws: list[Flaw]) -> Iterator[Flaw]:
    """Yield the flaws, each once; none is mendable while something is in the way of mending this life."""
    ways = [flaw.where for flaw in flaws if flaw.kind == UNREADABLE and "life_" not in flaw.where]
    told: set[str] = set()
    for flaw in flaws:
        if flaw.kind == UNREADABLE and flaw.where in told:
            continue
        told.add(flaw.where)
        first = f"nothing until {ways[0]} is put right" if ways else ""
        yield replace(flaw, mendable=False, repair=first) if ways and flaw.mendable else flaw


def options_flaws(root: Path) -> Iterator[Flaw]:
    """Yield what is wrong with options.json of the memory `root`."""
    try:
        memory_options(root)
    except MfmError as error:
        yield Flaw(
            kind="options",
            where="options.json",
            what=str(error),
            repair="nothing: only its owner knows what was switched off",
            mendable=False,
        )
