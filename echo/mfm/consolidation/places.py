"""Place notes: where stations stand, where things came from, what was put down."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from echo.mfm.consolidation.attempts import Attempt
from echo.mfm.consolidation.digging import digs_away
from echo.mfm.consolidation.findings import Finding, cited, counted, episodes_of, listed, thing
from echo.mfm.consolidation.sites import Site, sites

_SITES = 3
"""Places told of one item."""
_PUT_DOWN = 20
CLOSE = 2
"""Blocks along each axis from the feet within which a station would be in reach if it were there."""

Cell = tuple[int, int, int]


def place_notes(attempts: Sequence[Attempt]) -> list[Finding]:
    """Return where things are, as far as the attempts of one life show."""
    return [*_stations(attempts), *_sources(attempts), *_put_down(attempts)]


def _stations(attempts: Iterable[Attempt]) -> Iterable[Finding]:
    """Yield a line for each station that was in reach and since was neither dug away nor found to be gone."""
    seen: dict[Cell, dict[str, list[Attempt]]] = {}
    offering: dict[tuple[Cell, str], None] = {}
    for attempt in attempts:
        for cell in _found_gone(attempt, seen):
            del seen[cell]
        for block, cell, _ in attempt.station_cells:
            seen.setdefault(cell, {}).setdefault(block, []).append(attempt)
            offering[cell, block] = None
        if attempt.cell is None:
            continue
        if attempt.kind == "place" and attempt.worked and attempt.block:
            seen.setdefault(attempt.cell, {}).setdefault(attempt.block, []).append(attempt)
        elif digs_away(attempt):
            seen.pop(attempt.cell, None)
    for cell, block in offering:
        tries = seen.get(cell, {}).get(block)
        if tries is None:
            continue
        x, y, z = cell
        put = next((each for each in tries if each.kind == "place" and each.cell == cell), None)
        came = f"put down in [{put.episode}]; " if put else ""
        last = tries[-1].episode
        yield Finding(
            rule="stations",
            subject=f"{thing(block)} at ({x}, {y}, {z})",
            text=f"{came}in reach in {counted(len(episodes_of(tries)), 'episode')}, last in [{last}]",
            episodes=episodes_of(tries),
            weight=100.0 + min(len(tries), 999) / 1000,
        )


def _found_gone(attempt: Attempt, seen: Mapping[Cell, Mapping[str, object]]) -> list[Cell]:
    """Return the cells close to a body that had none of what stood there in reach."""
    if attempt.stations is None or attempt.position is None:
        return []
    x, y, z = (math.floor(each) for each in attempt.position)
    return [
        cell
        for cell, blocks in seen.items()
        if max(abs(cell[0] - x), abs(cell[1] - y), abs(cell[2] - z)) <= CLOSE
        and not any(block in attempt.stations for block in blocks)
    ]


def _sources(attempts: Iterable[Attempt]) -> Iterable[Finding]:
    """Yield a line for each item that was dug or won somewhere, with the places that gave most."""
    by_item: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        # What a grid or an oven gives comes from no place.
        if attempt.kind in ("craft", "smelt", "equip", "place", "drop", "eat"):
            continue
        for item in attempt.gains:
            by_item.setdefault(item, []).append(attempt)
    for item, tries in by_item.items():
        found = sorted(sites(tries), key=lambda site: -_amount(site, item))
        if not found:
            continue
        parts = [_site(site, item) for site in found[:_SITES]]
        if len(found) > _SITES:
            rest = sum(_amount(site, item) for site in found[_SITES:])
            parts.append(f"{rest} more at {counted(len(found) - _SITES, 'other place')}")
        yield Finding(
            rule="sources",
            subject=f"{thing(item)} found",
            text="; ".join(parts),
            episodes=episodes_of(tries),
            weight=50.0 + min(len(tries), 999) / 1000,
        )


def _site(site: Site, item: str) -> str:
    low, high = site.heights
    heights = "" if low == high else f", y {low} to {high}"
    return f"{_amount(site, item)} around {site.words}{heights} {cited(episodes_of(site.attempts), 2)}"


def _put_down(attempts: Iterable[Attempt]) -> Iterable[Finding]:
    """Yield one line with what was put down, was never seen to offer anything, and is still there."""
    there: dict[Cell, Attempt] = {}
    stations: dict[Cell, None] = {}
    for attempt in attempts:
        stations.update(dict.fromkeys(cell for _, cell, _ in attempt.station_cells))
        if attempt.cell is not None and attempt.kind == "place" and attempt.worked and attempt.block:
            there[attempt.cell] = attempt
        elif attempt.cell is not None and digs_away(attempt):
            there.pop(attempt.cell, None)
    left = {cell: each for cell, each in there.items() if cell not in stations}
    if left:
        told = [
            f"{thing(each.block)} at ({cell[0]}, {cell[1]}, {cell[2]}) [{each.episode}]"
            for cell, each in sorted(left.items(), key=lambda pair: (pair[1].block or "", pair[0]))
        ]
        yield Finding(
            rule="put_down",
            subject="put down and left",
            text=listed(told, _PUT_DOWN),
            episodes=episodes_of(left.values()),
            weight=40.0,
        )


def _amount(site: Site, item: str) -> int:
    return sum(each.gains.get(item, 0) for each in site.attempts)
