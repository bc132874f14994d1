"""What is known of places in words, one line each, with the episodes that show it."""

from __future__ import annotations

from echo.mfm.spatial.answers import Change, Happened, Hazard, Known, Point
from echo.mfm.spatial.recollection import PlaceCell, Remembered

_EVENTS, _NAMES = 6, 12
"""Events of a place cell, and names seen in a view, that a text tells."""


def _at(x: float, y: float | None, z: float) -> str:
    return f"({x:g}, {'?' if y is None else f'{y:g}'}, {z:g})"


def _step(step: int | None) -> str:
    return "step ?" if step is None else f"step {step}"


def cited_in(episodes: tuple[str, ...]) -> str:
    """Return the last few of the episodes that show something."""
    shown = " ".join(f"[{name}]" for name in episodes[-6:]) or "no episode"
    return shown if len(episodes) <= 6 else f"{len(episodes)} episodes, last {shown}"


def known_words(one: Known) -> str:
    """Return where a block or creature is known, and what became of it."""
    count = "" if one.count is None else f" x{one.count}"
    gone = "" if one.gone is None else f", {one.gone.how} at {_step(one.gone.step)} [{one.gone.episode}]"
    where = f"{'at' if one.exact else 'from'} {_at(one.x, one.y, one.z)}, {one.distance:.1f} blocks"
    return f"{one.name}{count} ({one.how}) {where}, last {_step(one.last.step)} [{one.last.episode}]{gone}"


def happened_words(one: Happened) -> str:
    """Return what happened, where and when."""
    amount = "" if one.amount is None else f" x{one.amount:g}"
    during = "" if one.during is None else f" during {one.during}"
    at = _at(one.x, one.y, one.z)
    return f"{one.kind} {one.name or '?'}{amount}{during} at {at}, {_step(one.step)} [{one.episode}]"


def change_words(one: Change) -> str:
    """Return what changed, where, and the episodes that show it."""
    counts = "" if one.before is None and one.after is None else f" {one.before} -> {one.after}"
    at = _at(one.x, one.y, one.z)
    return f"{one.kind} {one.name or '?'}{counts} at {at}, {_step(one.step)} {cited_in(one.episodes)}"


def cell_words(one: PlaceCell) -> str:
    """Return a place cell with its first events."""
    view = "" if one.yaw is None else f" view {one.yaw:g} degrees"
    events = "; ".join(
        f"{', '.join(held.happened or (f'{len(held.seen)} names seen',))} x{held.records}, "
        f"last {_step(held.last.step)} [{held.last.episode}]"
        for held in one.clusters[:_EVENTS]
    )
    more = f"; {len(one.clusters) - _EVENTS} more" if len(one.clusters) > _EVENTS else ""
    return f"{_at(one.x, one.y, one.z)}{view}: {events}{more}"


def remembered_words(one: Remembered) -> str:
    """Return a view that answers to words."""
    seen = f"saw {', '.join(one.seen[:_NAMES])}{' ...' if len(one.seen) > _NAMES else ''}"
    at = _at(one.x, one.y, one.z)
    told = "; ".join((*one.happened, *([seen] if one.seen else []))) or "nothing"
    return (
        f"{told} from {at}, {one.distance:.1f} blocks, {one.score:.0%} of the words, "
        f"{_step(one.when.step)} [{one.when.episode}]"
    )


def point_words(one: Point) -> str:
    """Return a point of interest."""
    times = "" if one.times == 1 else f" {one.times} times"
    at = f"{'' if one.exact else 'standing '}at {_at(one.x, one.y, one.z)}"
    return f"{one.kind} {one.name or '?'}{times} {at}, last {_step(one.last.step)} [{one.last.episode}]"


def hazard_words(one: Hazard) -> str:
    """Return where harm was done, and by what."""
    amount = "" if one.amount is None else f", {one.amount:g} damage"
    during = "" if one.during is None else f" during {one.during}"
    at = _at(one.x, one.y, one.z)
    harm = f"{one.kind} by {one.cause or '?'}{during}"
    return f"{harm} at {at}, {one.times} times{amount} {cited_in(one.episodes)}"
