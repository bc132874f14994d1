"""``echo-memory places``: questions to a memory about places."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo.cli.map_command import SAME_AGAIN
from echo.cli.screen import exit_codes, print_json

if TYPE_CHECKING:
    from echo.mfm.spatial.places import Places

RADIUS = 6.0


def places(
    root: Annotated[Path, typer.Option(metavar="DIR", help="Memory folder, or a life_N of it.")] = Path(),
    near: Annotated[
        tuple[float, float] | None, typer.Option(metavar="X Z", help="What is known around there.")
    ] = None,
    radius: Annotated[float, typer.Option(metavar="R", help="Blocks around --near.")] = RADIUS,
    nearest: Annotated[
        str | None, typer.Option(metavar="NAME", help="Where the nearest one is; a part of a name will do.")
    ] = None,
    at: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="X Z", help="Where --nearest and --remember count from. Default: where the body was last."
        ),
    ] = None,
    changed_since: Annotated[
        int | None,
        typer.Option(metavar="STEP", help="What has changed after that step; near --near if given."),
    ] = None,
    hazards: Annotated[bool, typer.Option("--hazards", help="Where harm was done.")] = False,
    containers: Annotated[bool, typer.Option("--containers", help="Chests, furnaces and the like.")] = False,
    cells: Annotated[
        bool, typer.Option("--cells", help="Places by position and view, with what happened there.")
    ] = False,
    remember: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="Views that hold these words or half of them, the nearest first."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what is known of places, with the episodes that show it; asked nothing, points of interest.

    Example: echo-memory places --root runs/memory --nearest oak_log --at 12 -3
    """
    with exit_codes(SAME_AGAIN):
        from dataclasses import asdict

        from echo.cli.bank_progress import counted
        from echo.cli.places_shown import print_answer
        from echo.experiments.spec import UsageError
        from echo.mfm.spatial.places import NoPlace, Places

        asked = [
            nearest is not None,
            changed_since is not None,
            hazards,
            containers,
            cells,
            remember is not None,
        ]
        if sum(asked) + (near is not None and changed_since is None) > 1:
            raise UsageError(
                "expected one question, got several. Give one of --near, --nearest, --changed-since, "
                "--hazards, --containers, --cells and --remember; only --near goes with --changed-since."
            )
        if at is not None and nearest is None and remember is None:
            raise UsageError("expected --nearest NAME or --remember WORDS beside --at X Z, got neither.")
        if remember is not None and not remember.strip():
            raise UsageError("expected words after --remember, got none.")
        answer: Any
        with counted("reading episodes") as told:
            memory = Places(root, told=told)
            try:
                if cells or remember is not None:
                    answer = _recollection(memory, remember, at)
                else:
                    answer = _answer(memory, near, radius, nearest, at, changed_since, hazards, containers)
            except NoPlace as error:
                raise UsageError(str(error)) from error
        if as_json:
            print_json(asdict(answer))
        else:
            print_answer(answer)


def _recollection(memory: Places, words: str | None, at: tuple[float, float] | None) -> Any:
    """Return the views that hold `words`, or without any all place cells."""
    from echo.cli.cells_shown import Cells, Views

    if words is None:
        return Cells(cells=memory.cells(), unread=memory.unread(), elsewhere=memory.elsewhere())
    found = memory.remembered(words, *(at or memory.last_position()))
    return Views(remembered=found, unread=memory.unread(), elsewhere=memory.elsewhere())


def _answer(
    memory: Places,
    near: tuple[float, float] | None,
    radius: float,
    nearest: str | None,
    at: tuple[float, float] | None,
    changed_since: int | None,
    hazards: bool,
    containers: bool,
) -> Any:
    from echo.mfm.spatial.changes import Area

    if nearest is not None:
        return memory.nearest(nearest, *(at or memory.last_position()))
    if changed_since is not None:
        area = None if near is None else Area(x=near[0], z=near[1], radius=radius)
        return memory.changed_since(changed_since, area)
    if near is not None:
        return memory.near(*near, radius)
    if hazards:
        return memory.hazards()
    if containers:
        return memory.containers(*memory.last_position())
    return memory.points()
