"""What a map shows: gathered from the tables, thinned to what can be told apart, without drawing anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from echo.mfm.spatial.answers import Hazard, Known, Point, Stay
from echo.mfm.spatial.facts import Elsewhere, Unread
from echo.mfm.spatial.names import folded, matching
from echo.mfm.spatial.places import Places

Layer = Literal["path", "resources", "stations", "containers", "hazards"]
LAYERS: tuple[Layer, ...] = get_args(Layer)

MOST_NAMES = 10
"""Kinds of block that get a colour of their own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MapContent:
    """Everything that is to be drawn. Layers that were not asked for are empty."""

    title: str
    path: tuple[Stay, ...]
    resources: dict[str, tuple[Known, ...]]
    """By name: ores and what was got, then other blocks that were seen, then those that the body itself put
    there; among them the rarest kind first, which is the one of which the fewest were ever in sight together,
    or were got."""
    names_left_out: int
    """Kinds of block that are known but have no colour."""
    stations: tuple[Point, ...]
    containers: tuple[Point, ...]
    hazards: tuple[Hazard, ...]
    layers: tuple[Layer, ...]
    episodes: int
    unread: tuple[Unread, ...]
    elsewhere: tuple[Elsewhere, ...]


def map_content(
    places: Places, layers: Sequence[Layer] = LAYERS, names: Sequence[str] = (), title: str | None = None
) -> MapContent:
    """Return what the map of `places` shows.

    Args:
        places: Where to take it from.
        layers: What is wanted of it.
        names: Kinds of block to show, found as by `Places.nearest`; when empty, the first ten in the order of
            `MapContent.resources`.
        title: Above the map; the name of the folder when None.

    Raises:
        MfmError: if there is no index.
    """
    visited = places.visited()
    points = places.points().points
    known: dict[str, list[Known]] = {}
    for one in places.resources() if "resources" in layers else ():
        known.setdefault(one.name, []).append(one)
    special = frozenset(one.name for one in points if one.kind in ("station", "container"))
    got = frozenset(one.name for one in points if one.kind == "found")
    shown = {name: found for name, found in known.items() if name not in special or names}
    kept = _chosen(shown, names, got)
    return MapContent(
        title=places.root.resolve().name if title is None else title,
        path=visited.path if "path" in layers else (),
        resources=kept,
        names_left_out=len([name for name in known if name not in special]) - len(kept) if not names else 0,
        stations=tuple(one for one in points if one.kind == "station" and "stations" in layers),
        containers=tuple(one for one in points if one.kind == "container" and "containers" in layers),
        hazards=places.hazards().hazards if "hazards" in layers else (),
        layers=tuple(layer for layer in LAYERS if layer in layers),
        episodes=places.episode_count(),
        unread=visited.unread,
        elsewhere=visited.elsewhere,
    )


def _chosen(
    known: dict[str, list[Known]], names: Sequence[str], got: frozenset[str | None]
) -> dict[str, tuple[Known, ...]]:
    wanted = list(known)
    if names:
        found = [matching(asked, known) for asked in names]
        wanted = list(dict.fromkeys(name for exact, part in found for name in exact or part))
    counts = {name: max((one.count or 0 for one in known[name]), default=0) for name in wanted}
    ranks = {name: _rank(name, known[name], got) for name in wanted}
    ordered = sorted(wanted, key=lambda name: (ranks[name], counts[name], name))
    return {name: tuple(known[name]) for name in ordered[:MOST_NAMES]}


def _rank(name: str, found: Sequence[Known], got: frozenset[str | None]) -> int:
    """Return how much somebody may want to know of a kind: 0 for what is worth most."""
    if all(one.how == "placed" for one in found):
        return 2
    return 0 if name in got or "ore" in folded(name).split("_") else 1
