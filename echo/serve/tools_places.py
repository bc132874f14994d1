"""Tools over places: what is known near one, where something is, and what changed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Literal

from pydantic import Field, FiniteFloat

from echo.mfm.layout import PREVIOUS, earlier_lives, life_name
from echo.mfm.spatial.answers import Change, Happened, Hazard, Known, Point
from echo.mfm.spatial.changes import Area
from echo.mfm.spatial.map_content import LAYERS, Layer, map_content
from echo.mfm.spatial.map_picture import draw_map
from echo.mfm.spatial.places import RADIUS, Places
from echo.serve.reply import Arguments, MemoryTool, Refused, Reply

MOST = 40
"""Lines of one kind that a text tells; the data holds all."""


class OfLife(Arguments):
    """A question about one life's map."""

    life: int | None = Field(default=None, ge=1)
    """Number of an earlier life; left out: this one. Each life has a map of its own."""


class NearAsked(OfLife):
    """A place to look around."""

    x: FiniteFloat
    """East, in blocks."""
    z: FiniteFloat
    """South, in blocks."""
    radius: FiniteFloat = Field(default=RADIUS, ge=0)
    """Blocks around it."""


class NearestAsked(OfLife):
    """Something to find."""

    name: str = Field(min_length=1)
    """Of a block, item or creature, such as oak_log; a part of a name finds all that hold it."""
    x: FiniteFloat
    """Where you are, in blocks."""
    z: FiniteFloat
    """Where you are, in blocks."""
    limit: int = Field(default=5, ge=1, le=MOST)
    """How many at most."""


class ChangedAsked(OfLife):
    """A moment to compare with, and where."""

    since: int
    """Step, a number of actions taken."""
    x: FiniteFloat | None = None
    """Only around this place; left out: everywhere."""
    z: FiniteFloat | None = None
    """Only around this place."""
    radius: FiniteFloat = Field(default=RADIUS, ge=0)
    """Blocks around it."""


class KnownAsked(OfLife):
    """Places of one kind."""

    kind: Literal["points", "hazards", "containers"]
    """points: stations, containers, first finds, harm. hazards: where harm was done, and by what."""


class MapAsked(OfLife):
    """What to draw."""

    layers: list[Layer] | None = None
    """Out of path, resources, stations, containers, hazards; left out: all."""
    names: list[str] | None = None
    """Kinds of block to draw; left out: the ten rarest."""


class PlaceTools:
    """The tools over the places of one memory folder."""

    def __init__(self, root: Path) -> None:
        """Look at the memory at `root`."""
        self._root = root

    def tools(self) -> list[MemoryTool]:
        """Return all of them."""
        return [
            MemoryTool(
                name="places_near",
                title="Around a place",
                about="Tell what was seen and what happened around a place, with the episodes that show it.",
                arguments=NearAsked,
                call=self.near,
            ),
            MemoryTool(
                name="places_nearest",
                title="Where something is",
                about="Tell where the nearest known block, item or creature of a name is, and what is gone.",
                arguments=NearestAsked,
                call=self.nearest,
            ),
            MemoryTool(
                name="places_changed",
                title="What changed",
                about="Tell what changed since a step, around a place or everywhere: dug, placed, new, gone.",
                arguments=ChangedAsked,
                call=self.changed,
            ),
            MemoryTool(
                name="places_known",
                title="Places worth knowing",
                about="List points of interest, hazards or containers, each with its evidence.",
                arguments=KnownAsked,
                call=self.known,
            ),
            MemoryTool(
                name="map",
                title="Map",
                about="Draw a map: the way walked, coloured by time, and what was seen, used and suffered.",
                arguments=MapAsked,
                call=self.map,
            ),
        ]

    def near(self, asked: NearAsked) -> Reply:
        """Return what is known of the surroundings of a place.

        Raises:
            MfmError: if there is no index.
            Refused: if there is no such life.
        """
        found = self._places(asked).near(asked.x, asked.z, asked.radius)
        lines = [
            f"there {found.moments} times, in {_cited(found.episodes)}",
            *_some("seen", map(_known, found.seen)),
            *_some("creature", map(_known, found.creatures)),
            *_some("gone", map(_known, found.gone)),
            *_some("happened", map(_happened, found.happened)),
        ]
        return Reply(text="\n".join(lines), data=asdict(found))

    def nearest(self, asked: NearestAsked) -> Reply:
        """Return where something is. Raises as `near`."""
        found = self._places(asked).nearest(asked.name, asked.x, asked.z, limit=asked.limit)
        lines = [*_some("known", map(_known, found.found)), *_some("gone", map(_known, found.gone))]
        return Reply(text="\n".join(lines) or f"nothing called {asked.name} is known", data=asdict(found))

    def changed(self, asked: ChangedAsked) -> Reply:
        """Return what changed. Raises as `near`."""
        if (asked.x is None) != (asked.z is None):
            raise Refused("expected x and z, or neither; got one of them. Give both for a place.")
        area = None
        if asked.x is not None and asked.z is not None:
            area = Area(x=asked.x, z=asked.z, radius=asked.radius)
        found = self._places(asked).changed_since(asked.since, area)
        lines = list(_some("changed", map(_change, found.changes)))
        return Reply(text="\n".join(lines) or f"nothing changed since step {asked.since}", data=asdict(found))

    def known(self, asked: KnownAsked) -> Reply:
        """Return places of one kind. Raises as `near`."""
        places = self._places(asked)
        if asked.kind == "points":
            points = places.points()
            lines, data = _some("point", map(_point, points.points)), asdict(points)
        elif asked.kind == "hazards":
            hazards = places.hazards()
            lines, data = _some("hazard", map(_hazard, hazards.hazards)), asdict(hazards)
        else:
            containers = places.containers()
            lines, data = _some("container", map(_known, containers.containers)), asdict(containers)
        return Reply(text="\n".join(lines) or f"no {asked.kind} known", data=data)

    def map(self, asked: MapAsked) -> Reply:
        """Return a picture of the map. Raises as `near`."""
        layers = [layer for layer in LAYERS if asked.layers is None or layer in asked.layers]
        content = map_content(self._places(asked), layers, asked.names or ())
        with tempfile.TemporaryDirectory(prefix="echo-memory-") as folder:
            out = Path(folder) / "map.png"
            draw_map(content, out)
            picture = out.read_bytes()
        text = (
            f"{content.title}: {content.episodes:,} episodes, {len(content.path):,} stays, "
            f"{len(content.stations):,} stations, {len(content.containers):,} containers, "
            f"{len(content.hazards):,} hazards; blocks: {', '.join(content.resources) or 'none'}"
        )
        return Reply(text=text, images=(picture,))

    def _places(self, asked: OfLife) -> Places:
        """Return the map of a life.

        Raises:
            Refused: if there is no such life.
        """
        if asked.life is None:
            return Places(self._root)
        lives = earlier_lives(self._root)
        if asked.life not in lives:
            there = ", ".join(map(str, lives)) or "none"
            raise Refused(f"expected the number of an earlier life; got {asked.life}. There are: {there}.")
        return Places(self._root / PREVIOUS / life_name(asked.life))


def _some(kind: str, told: Iterator[str]) -> Iterator[str]:
    """Yield lines of one kind, the first `MOST` of them, and how many more there are."""
    for text in islice(told, MOST):
        yield f"{kind}: {text}"
    left = sum(1 for _ in told)
    if left:
        yield f"{kind}: {left:,} more"


def _at(x: float, y: float | None, z: float) -> str:
    return f"({x:g}, {'?' if y is None else f'{y:g}'}, {z:g})"


def _step(step: int | None) -> str:
    return "step ?" if step is None else f"step {step}"


def _cited(episodes: tuple[str, ...]) -> str:
    shown = " ".join(f"[{name}]" for name in episodes[-6:]) or "no episode"
    return shown if len(episodes) <= 6 else f"{len(episodes)} episodes, last {shown}"


def _known(one: Known) -> str:
    count = "" if one.count is None else f" x{one.count}"
    gone = "" if one.gone is None else f", {one.gone.how} at {_step(one.gone.step)} [{one.gone.episode}]"
    where = f"{'at' if one.exact else 'from'} {_at(one.x, one.y, one.z)}, {one.distance:.1f} blocks"
    return f"{one.name}{count} ({one.how}) {where}, last {_step(one.last.step)} [{one.last.episode}]{gone}"


def _happened(one: Happened) -> str:
    amount = "" if one.amount is None else f" x{one.amount:g}"
    during = "" if one.during is None else f" during {one.during}"
    at = _at(one.x, one.y, one.z)
    return f"{one.kind} {one.name or '?'}{amount}{during} at {at}, {_step(one.step)} [{one.episode}]"


def _change(one: Change) -> str:
    counts = "" if one.before is None and one.after is None else f" {one.before} -> {one.after}"
    at = _at(one.x, one.y, one.z)
    return f"{one.kind} {one.name or '?'}{counts} at {at}, {_step(one.step)} {_cited(one.episodes)}"


def _point(one: Point) -> str:
    times = "" if one.times == 1 else f" {one.times} times"
    at = _at(one.x, one.y, one.z)
    return f"{one.kind} {one.name or '?'}{times} at {at}, last {_step(one.last.step)} [{one.last.episode}]"


def _hazard(one: Hazard) -> str:
    amount = "" if one.amount is None else f", {one.amount:g} damage"
    during = "" if one.during is None else f" during {one.during}"
    at = _at(one.x, one.y, one.z)
    return (
        f"{one.kind} by {one.cause or '?'}{during} at {at}, {one.times} times{amount} {_cited(one.episodes)}"
    )
