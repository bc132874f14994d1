"""Spatial memory: what is known of the places of one life, from its episodes alone.

It is derived: kept in <root>/cache/places.db, which follows the index and may be deleted. Episodes are never
touched. Each life has a map of its own, because a new life may begin in a new world; the map of an earlier
one is that of its folder, previous/life_N. Episodes of another world than the one the life lives in, such as
demonstrations, are counted and left out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from echo.mfm.derived.follow import follow
from echo.mfm.layout import MfmError
from echo.mfm.options import require
from echo.mfm.spatial import changes, landmarks, recollection, surroundings, visits
from echo.mfm.spatial.answers import (
    Changes,
    Containers,
    Hazards,
    Known,
    Near,
    Nearest,
    Points,
    Visited,
)
from echo.mfm.spatial.asking import Asking
from echo.mfm.spatial.changes import Area
from echo.mfm.spatial.facts import MOST, Elsewhere, Unread
from echo.mfm.spatial.intake import Told, place_schema
from echo.mfm.spatial.recollection import PlaceCell, Remembered
from echo.mfm.spatial.tables import LEAST_SIZE, PlaceOptions

Answer = TypeVar("Answer")

RADIUS = 6.0
"""Blocks around a place that count as near, as in the cue query."""

_MOST_ROWS = 1 << 53
"""More are never asked for: SQLite takes no greater numbers."""


class NoPlace(MfmError):
    """A question names no place, step, size or thing that there could be."""


class Places:
    """Answers questions about places. Holds nothing open; every answer is of the moment it is asked for.

    What of the episodes could not be used is named in the `unread` of each answer. It is not tried again
    until cache/places.db is deleted.
    """

    def __init__(
        self, root: Path | str, options: PlaceOptions | None = None, told: Told | None = None
    ) -> None:
        """Look at the memory in the folder `root`.

        Args:
            root: The memory folder, or that of an earlier life, such as previous/life_1.
            options: How places are told apart; the defaults when None.
            told: Is called now and then while episodes are taken in, with how many are and how many came.
        """
        self.root = Path(root)
        self.options = PlaceOptions() if options is None else options
        self._told = told

    def near(self, x: float, z: float, radius: float = RADIUS) -> Near:
        """Return what was seen and happened within `radius` blocks of (x, z).

        Raises:
            NoPlace: on a number that is not finite or beyond 2^53, or a radius below 0.
            MfmError: if there is no index, or the memory has it switched off (a flat memory has no map).
        """
        _check(x, z, radius)
        return self._ask(lambda asking: surroundings.near(asking, x, z, radius, self.options.size))

    def nearest(self, name: str, x: float, z: float, *, limit: int = 5) -> Nearest:
        """Return where the nearest known `name` is, with the episodes that show it.

        A name is found as it is, else as a part: 'log' finds oak_log where nothing called log is known.
        Capitals, blanks for '_' and 'minecraft:' in front do not matter. A block is gone, and no longer
        among those found, when a later step dug its cell, put something else there, or stood close by with
        nothing of that name in sight.

        Raises:
            NoPlace: on an empty name, a number that is not finite or beyond 2^53, or a limit below 1.
            MfmError: if there is no index.
        """
        _check(x, z, 0.0)
        if not name.strip() or limit < 1:
            raise NoPlace(f"expected a name and a limit of at least 1, got {name!r} and {limit}.")
        most = min(limit, _MOST_ROWS)
        return self._ask(lambda asking: surroundings.nearest(asking, name, x, z, most))

    def nearest_of_each(self, x: float, z: float) -> tuple[Known, ...]:
        """Return of each kind of block and creature the nearest one still known. Raises as `near`."""
        _check(x, z, 0.0)
        return self._ask(lambda asking: surroundings.nearest_of_each(asking, x, z))

    def changed_since(self, step: int, area: Area | None = None) -> Changes:
        """Return what has changed after `step` actions, in `area` or anywhere; any whole number will do.

        Raises:
            NoPlace: on a step that is no whole number, or a number that is not finite or beyond 2^53.
            MfmError: if there is no index.
        """
        where = Area() if area is None else area
        if type(step) is not int:
            raise NoPlace(f"expected a whole number of actions for the step, got {step!r}.")
        _check(where.x, where.z, 0.0 if area is None else where.radius)
        return self._ask(lambda asking: changes.changes_since(asking, step, where, self.options.size))

    def visited(self, size: float = 1.0) -> Visited:
        """Return where the body was, in columns `size` blocks wide.

        Raises:
            NoPlace: if `size` is below `LEAST_SIZE`, beyond 2^53 or NaN.
            MfmError: if there is no index.
        """
        if not LEAST_SIZE <= size <= MOST:
            raise NoPlace(f"expected a size from {LEAST_SIZE} to 2^53 blocks, got {size}.")
        return self._ask(lambda asking: visits.visited(asking, size))

    def points(self) -> Points:
        """Return points of interest: stations, containers, first finds and makings, harm.

        Raises:
            MfmError: if there is no index.
        """
        return self._ask(lambda asking: landmarks.points(asking, self.options.size))

    def hazards(self) -> Hazards:
        """Return where harm was done, with its cause where an event tells it. Raises as `points`."""
        return self._ask(lambda asking: landmarks.hazards(asking, self.options.size))

    def containers(self, x: float = 0.0, z: float = 0.0) -> Containers:
        """Return what holds other things, by name; distances are from (x, z). Raises as `near`."""
        _check(x, z, 0.0)
        return self._ask(lambda asking: landmarks.containers(asking, x, z))

    def resources(self) -> tuple[Known, ...]:
        """Return every block cell still known, and where items of no known block were got, by name.

        Raises as `points`.
        """
        return self._ask(landmarks.resources)

    def cells(self) -> tuple[PlaceCell, ...]:
        """Return the place cells with their event clusters. Raises as `points`."""
        return self._ask(lambda asking: recollection.place_cells(asking, self.options))

    def remembered(
        self, words: str, x: float, z: float, *, limit: int = 5, threshold: float = 0.5
    ) -> tuple[Remembered, ...]:
        """Return records of views that hold `words`, the nearest to (x, z) first. Raises as `near`."""
        _check(x, z, 0.0)
        most = min(limit, _MOST_ROWS)
        return self._ask(
            lambda asking: recollection.remembered(asking, words, x, z, limit=most, threshold=threshold)
        )

    def last_position(self) -> tuple[float, float]:
        """Return (x, z) of where the body was last; (0, 0) where no episode says. Raises as `points`."""

        def last(asking: Asking) -> tuple[float, float]:
            line = asking.run.execute("SELECT x, z FROM stay ORDER BY id DESC LIMIT 1").fetchone()
            return (0.0, 0.0) if line is None else (line[0] + 0.5, line[1] + 0.5)

        return self._ask(last)

    def episode_count(self) -> int:
        """Return how many episodes the tables were made from. Raises as `points`."""
        return self._ask(lambda asking: int(asking.run.execute("SELECT count(*) FROM episode").fetchone()[0]))

    def unread(self) -> tuple[Unread, ...]:
        """Return what of the episodes could not be used. Raises as `points`."""
        return self._ask(lambda asking: asking.unread())

    def elsewhere(self) -> tuple[Elsewhere, ...]:
        """Return how many episodes of other worlds were left out, by world. Raises as `points`."""
        return self._ask(lambda asking: asking.elsewhere())

    def _ask(self, question: Callable[[Asking], Answer]) -> Answer:
        """Answer from the tables; where their file turns out to be damaged, from ones made anew."""
        require(self.root, "index")
        schema = place_schema(self.root, self.options, self._told)
        try:
            with follow(self.root, self.options.database, schema) as run:
                return question(Asking(run))
        except sqlite3.DatabaseError:
            schema = place_schema(self.root, self.options, self._told)
            with follow(self.root, self.options.database, schema) as run:
                return question(Asking(run))


def _check(x: float, z: float, radius: float) -> None:
    # NaN is within nothing.
    if not (abs(x) <= MOST and abs(z) <= MOST and 0 <= radius <= MOST):
        raise NoPlace(
            f"expected finite coordinates and a radius from 0, all within 2^53; got ({x}, {z}) and {radius}. "
            f"Give them in blocks."
        )
