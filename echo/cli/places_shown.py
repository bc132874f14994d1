"""Answers about places on a terminal, at most 80 columns wide."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import singledispatch
from typing import Any, Protocol

import typer

from echo.cli.plain_text import counted
from echo.mfm.plain_text import plain
from echo.mfm.spatial.answers import (
    Change,
    Changes,
    Containers,
    Happened,
    Hazard,
    Hazards,
    Known,
    Near,
    Nearest,
    Point,
    Points,
    When,
)
from echo.mfm.spatial.facts import Elsewhere, Unread

COLUMNS = 80
MOST = 12
"""Lines of one list that are printed; --json has all."""
_HEADS = {
    "made": "made, while standing at",
    "found": "got, while standing at",
    "damage": "damage, while standing at",
    "death": "death, while standing at",
}
"""Heads of lists of points whose place is not that of a block."""


@singledispatch
def print_answer(answer: Any) -> None:
    """Print an answer of `Places`."""
    raise TypeError(f"expected an answer of Places, got {type(answer).__name__}")


@print_answer.register
def _(answer: Near) -> None:
    episodes = f"{len(answer.episodes):,} episode{'' if len(answer.episodes) == 1 else 's'}"
    typer.echo(
        f"within {answer.radius:g} of ({answer.x:g}, {answer.z:g}): {answer.moments:,} moments in {episodes}"
    )
    print_list("seen", [_known(one) for one in answer.seen])
    print_list("creatures", [_known(one) for one in answer.creatures])
    print_list("gone", [_known(one) for one in answer.gone])
    print_list(
        "happened; got, made and harmed: where the body stood", [_happened(one) for one in answer.happened]
    )
    print_left_out(answer)


@print_answer.register
def _(answer: Nearest) -> None:
    if not answer.found:
        typer.echo(f"no {plain(answer.asked)} is known")
    print_list("nearest", [_known(one) for one in answer.found])
    print_list("gone", [_known(one) for one in answer.gone])
    print_left_out(answer)


@print_answer.register
def _(answer: Changes) -> None:
    if not answer.changes:
        typer.echo(f"nothing is known to have changed since step {answer.since:,}")
    print_list(f"changed since step {answer.since:,}", [_change(one) for one in answer.changes])
    print_left_out(answer)


@print_answer.register
def _(answer: Hazards) -> None:
    if not answer.hazards:
        typer.echo("no harm is known")
    print_list("hazards, where the body stood", [_hazard(one) for one in answer.hazards])
    print_left_out(answer)


@print_answer.register
def _(answer: Containers) -> None:
    if not answer.containers:
        typer.echo("no container is known")
    print_list("containers", [_known(one) for one in answer.containers])
    print_list("gone", [_known(one) for one in answer.gone])
    print_left_out(answer)


@print_answer.register
def _(answer: Points) -> None:
    if not answer.points:
        typer.echo("no point of interest is known")
    for kind in dict.fromkeys(one.kind for one in answer.points):
        print_list(_HEADS.get(kind, kind), [_point(one) for one in answer.points if one.kind == kind])
    print_left_out(answer)


class Partial(Protocol):
    """An answer that tells what it leaves out."""

    @property
    def unread(self) -> tuple[Unread, ...]:
        """What of the episodes could not be used."""
        ...

    @property
    def elsewhere(self) -> tuple[Elsewhere, ...]:
        """Episodes of other worlds."""
        ...


def print_left_out(answer: Partial) -> None:
    """Say on standard error what could not be used, the first few of it, and what is of another world."""
    for left in answer.elsewhere:
        typer.echo(
            _cut(
                f"elsewhere: {counted(left.episodes, 'episode', 'episodes')} of {plain(left.source)}", COLUMNS
            ),
            err=True,
        )
    unread = answer.unread
    if unread:
        typer.echo(f"unread: {len(unread):,} parts of episodes; --json names all", err=True)
    for one in unread[:3]:
        typer.echo(_cut(f"  {plain(one.file)}: {plain(one.why)}", COLUMNS), err=True)


def print_list(head: str, rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows in columns under a head; the first column gives way where a line grows too long."""
    if not rows:
        return
    typer.echo(head)
    shown = [tuple(plain(cell) for cell in row) for row in rows[:MOST]]
    widths = [max(len(row[place]) for row in shown) for place in range(len(shown[0]))]
    over = 2 + sum(widths) + 2 * (len(widths) - 1) - COLUMNS
    widths[0] = max(12, widths[0] - max(0, over))
    for row in shown:
        cells = (f"{_cut(cell, width):{width}}" for cell, width in zip(row, widths, strict=True))
        typer.echo(_cut(f"  {'  '.join(cells)}".rstrip(), COLUMNS))
    if len(rows) > MOST:
        typer.echo(f"  {len(rows) - MOST:,} more, --json has all")


def _known(one: Known) -> tuple[str, ...]:
    if one.gone is not None:
        return (one.name, place(one.x, one.y, one.z), f"{one.distance:.0f} off", one.gone.how, _gone(one))
    count = "" if one.count is None else f"{one.count:,}"
    return (one.name, place(one.x, one.y, one.z), f"{one.distance:.0f} off", one.how, count, when(one.last))


def _gone(one: Known) -> str:
    return "" if one.gone is None else when(When(step=one.gone.step, episode=one.gone.episode))


def _happened(one: Happened) -> tuple[str, ...]:
    amount = "" if one.amount is None else f"{one.amount:g}"
    told = one.kind if one.name is None else f"{one.kind} {one.name}"
    if one.kind in ("damage", "death") and one.during is not None:
        told += f", during {one.during}"
    at = place(one.x, one.y, one.z)
    return (told, at, amount, when(When(step=one.step, episode=one.episode)))


def _change(one: Change) -> tuple[str, ...]:
    counts = "" if one.before is None else f"{one.before:,} -> {one.after:,}"
    evidence = f"step {'?' if one.step is None else one.step} [{', '.join(one.episodes)}]"
    return (f"{one.kind} {one.name or 'something'}", place(one.x, one.y, one.z), counts, evidence)


def _hazard(one: Hazard) -> tuple[str, ...]:
    amount = "" if one.amount is None else f"-{one.amount:g}"
    return (
        f"{one.kind}: {_cause(one.cause, one.during)}",
        place(one.x, one.y, one.z),
        f"{one.times}x",
        amount,
        when(one.last),
    )


def _cause(cause: str | None, during: str | None) -> str:
    """Return what did harm, and what the body was doing.

    >>> _cause("thorns", "collect brass_key"), _cause(None, "go_to"), _cause(None, None)
    ('thorns, during collect brass_key', 'during go_to', 'cause unknown')
    """
    told = [*([cause] if cause else []), *([f"during {during}"] if during and during != cause else [])]
    return ", ".join(told) or "cause unknown"


def _point(one: Point) -> tuple[str, ...]:
    return (one.name or "cause unknown", place(one.x, one.y, one.z), f"{one.times}x", when(one.first))


def place(x: float, y: float | None, z: float) -> str:
    """Return a position in whole blocks.

    >>> place(1.5, None, -0.5)
    '(1, -1)'
    """
    told: Iterable[float] = (x, z) if y is None else (x, y, z)
    return f"({', '.join(_whole(value) for value in told)})"


def _whole(value: float) -> str:
    whole = math.floor(value)
    return f"{whole}" if abs(whole) < 10**8 else f"{value:.2e}"


def when(moment: When) -> str:
    """Return a moment with its evidence.

    >>> when(When(step=3, episode="ep_000002"))
    'step 3 [ep_000002]'
    """
    return f"step {'?' if moment.step is None else moment.step} [{moment.episode}]"


def _cut(text: str, columns: int) -> str:
    return text if len(text) <= columns else f"{text[: columns - 1]}…"
