"""Place cells and views that answer to words, on a terminal, at most 80 columns wide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import typer

from echo.cli.places_shown import MOST, place, print_answer, print_left_out, print_list, when
from echo.cli.plain_text import counted
from echo.mfm.spatial.answers import When
from echo.mfm.spatial.facts import Elsewhere, Unread
from echo.mfm.spatial.recollection import EventCluster, PlaceCell, Remembered

MOST_NAMES = 3
"""Names of what was seen that are told of one view; --json has all."""


@dataclass(frozen=True, kw_only=True)
class Cells:
    """All place cells of a memory."""

    cells: tuple[PlaceCell, ...]
    unread: tuple[Unread, ...]
    elsewhere: tuple[Elsewhere, ...]


@dataclass(frozen=True, kw_only=True)
class Views:
    """Views that answer to words, the nearest first."""

    remembered: tuple[Remembered, ...]
    unread: tuple[Unread, ...]
    elsewhere: tuple[Elsewhere, ...]


@print_answer.register
def _(answer: Cells) -> None:
    """Print the cells with the most records, each with its events; ties in their order."""
    cells = answer.cells
    if not cells:
        typer.echo("no place cell is known")
    for cell in sorted(cells, key=_records, reverse=True)[:MOST]:
        view = "" if cell.yaw is None else f", view {cell.yaw:g} degrees"
        head = f"{place(cell.x, cell.y, cell.z)}{view}: {counted(_records(cell), 'record')}"
        print_list(head, [_cluster(one) for one in cell.clusters])
    if len(cells) > MOST:
        typer.echo(f"{counted(len(cells) - MOST, 'cell')} more, --json has all")
    print_left_out(answer)


@print_answer.register
def _(answer: Views) -> None:
    if not answer.remembered:
        typer.echo("no view is remembered that holds half of these words")
    print_list("remembered, the nearest first", [_view(one) for one in answer.remembered])
    print_left_out(answer)


def _records(cell: PlaceCell) -> int:
    return sum(one.records for one in cell.clusters)


def _cluster(one: EventCluster) -> tuple[str, ...]:
    return (_event(one.happened, one.seen), f"{one.records:,}x", _span(one.first, one.last))


def _view(one: Remembered) -> tuple[str, ...]:
    at = place(one.x, one.y, one.z)
    return (_event(one.happened, one.seen), at, f"{one.distance:.0f} off", f"{one.score:.0%}", when(one.when))


def _event(happened: Sequence[str], seen: Sequence[str]) -> str:
    """Return what happened, else what was seen, in a few names.

    >>> _event((), ("oak_log", "sheep")), _event(("dug oak_log",), ("sheep",)), _event((), ())
    ('saw oak_log, sheep', 'dug oak_log', 'nothing')
    """
    names = happened or seen
    if not names:
        return "nothing"
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{'' if happened else 'saw '}{', '.join(names[:MOST_NAMES])}{more}"


def _span(first: When, last: When) -> str:
    return when(last) if first == last else f"step {_step(first)} to {when(last).removeprefix('step ')}"


def _step(moment: When) -> str:
    return "?" if moment.step is None else str(moment.step)
