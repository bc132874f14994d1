"""Tools over places: what is known near one, where something is, and what changed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Literal

from pydantic import Field, FiniteFloat

from echo.mfm.consolidation.findings import counted
from echo.mfm.layout import PREVIOUS, earlier_lives, life_name
from echo.mfm.spatial.changes import Area
from echo.mfm.spatial.facts import Elsewhere
from echo.mfm.spatial.map_content import LAYERS, Layer, map_content
from echo.mfm.spatial.map_picture import draw_map
from echo.mfm.spatial.places import RADIUS, Places
from echo.serve.places_words import (
    cell_words,
    change_words,
    cited_in,
    happened_words,
    hazard_words,
    known_words,
    point_words,
    remembered_words,
)
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

    kind: Literal["points", "hazards", "containers", "cells"]
    """points: stations, containers, first finds, harm. hazards: where harm was done, and by what. cells:
    places by position and view, with what happened there."""


class RememberedAsked(OfLife):
    """Words to remember views by."""

    words: str = Field(min_length=1)
    """Names of what was seen or happened there, such as 'oak_log sheep'; half of them will do."""
    x: FiniteFloat
    """Where you are, in blocks."""
    z: FiniteFloat
    """Where you are, in blocks."""
    limit: int = Field(default=5, ge=1, le=MOST)
    """How many at most."""


class MapAsked(OfLife):
    """What to draw."""

    layers: list[Layer] | None = None
    """Out of path, resources, stations, containers, hazards; left out: all."""
    names: list[str] | None = None
    """Kinds of block to draw; left out: ten rare ones, ores and what was got first."""


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
                about="List points of interest, hazards, containers or place cells, each with its evidence.",
                arguments=KnownAsked,
                call=self.known,
            ),
            MemoryTool(
                name="places_remembered",
                title="Views that hold words",
                about="Tell in which views these words were seen or happened, the nearest first.",
                arguments=RememberedAsked,
                call=self.remembered,
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
            f"there {found.moments} times, in {cited_in(found.episodes)}",
            *_some("seen", map(known_words, found.seen)),
            *_some("creature", map(known_words, found.creatures)),
            *_some("gone", map(known_words, found.gone)),
            *_some("happened", map(happened_words, found.happened)),
            *_left_out(found.elsewhere),
        ]
        return Reply(text="\n".join(lines), data=asdict(found))

    def nearest(self, asked: NearestAsked) -> Reply:
        """Return where something is. Raises as `near`."""
        found = self._places(asked).nearest(asked.name, asked.x, asked.z, limit=asked.limit)
        lines = [*_some("known", map(known_words, found.found)), *_some("gone", map(known_words, found.gone))]
        lines = [*(lines or [f"nothing called {asked.name} is known"]), *_left_out(found.elsewhere)]
        return Reply(text="\n".join(lines), data=asdict(found))

    def changed(self, asked: ChangedAsked) -> Reply:
        """Return what changed. Raises as `near`."""
        if (asked.x is None) != (asked.z is None):
            raise Refused("expected x and z, or neither; got one of them. Give both for a place.")
        area = None
        if asked.x is not None and asked.z is not None:
            area = Area(x=asked.x, z=asked.z, radius=asked.radius)
        found = self._places(asked).changed_since(asked.since, area)
        lines = list(_some("changed", map(change_words, found.changes)))
        lines = [*(lines or [f"nothing changed since step {asked.since}"]), *_left_out(found.elsewhere)]
        return Reply(text="\n".join(lines), data=asdict(found))

    def known(self, asked: KnownAsked) -> Reply:
        """Return places of one kind. Raises as `near`."""
        places = self._places(asked)
        if asked.kind == "points":
            points = places.points()
            lines, data = _some("point", map(point_words, points.points)), asdict(points)
        elif asked.kind == "hazards":
            hazards = places.hazards()
            lines, data = _some("hazard", map(hazard_words, hazards.hazards)), asdict(hazards)
        elif asked.kind == "cells":
            cells = places.cells()
            lines, data = _some("cell", map(cell_words, cells)), {"cells": list(map(asdict, cells))}
        else:
            containers = places.containers()
            lines, data = _some("container", map(known_words, containers.containers)), asdict(containers)
        told = [*(list(lines) or [f"no {asked.kind} known"]), *_left_out(places.elsewhere())]
        return Reply(text="\n".join(told), data=data)

    def remembered(self, asked: RememberedAsked) -> Reply:
        """Return views that hold words, the nearest first. Raises as `near`."""
        found = self._places(asked).remembered(asked.words, asked.x, asked.z, limit=asked.limit)
        text = "\n".join(_some("remembered", map(remembered_words, found)))
        return Reply(
            text=text or f"no view holds half of the words {asked.words}",
            data={"remembered": list(map(asdict, found))},
        )

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
        return Reply(text="\n".join([text, *_left_out(content.elsewhere)]), images=(picture,))

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


def _left_out(elsewhere: tuple[Elsewhere, ...]) -> Iterator[str]:
    """Yield how many episodes of other worlds than the one the life lives in say nothing here."""
    for one in elsewhere:
        yield f"left out: {counted(one.episodes, 'episode')} of another world, {one.source}"
