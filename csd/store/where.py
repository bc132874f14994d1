"""Which descriptors to choose from: conditions that are applied before the best are chosen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Where:
    """Conditions that must all hold; None asks nothing. What is superseded passes only with `as_of`."""

    success: bool | None = None
    tasks: tuple[str, ...] | None = None
    """The goal is one of these, letter by letter."""
    verbs: tuple[str, ...] | None = None
    products: tuple[str, ...] | None = None
    biomes: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    """Filed under all of these."""
    agent: str | None = None
    """Filed by this agent; with `tags` and `life`: the same agent's tags, in that life."""
    life: str | None = None
    world: str | None = None
    from_step: int | None = None
    """Only experience that began at this world step or later."""
    before_step: int | None = None
    """Only experience that began before this world step."""
    recorded_from: datetime | None = None
    """First filed at this time or later; with a time zone."""
    recorded_before: datetime | None = None
    near: tuple[float, float, float] | None = None
    """(x, z, radius) in blocks: not farther than the radius, height left aside."""
    as_of: int | None = None
    """The versions that held at this world step; None for those that hold now."""

    def __post_init__(self) -> None:
        """Refuse conditions that cannot mean anything.

        Raises:
            ValueError: on a text where a tuple of texts is due, a time without a zone, or a place or
                radius that is not finite or below 0.
        """
        for name in ("tasks", "verbs", "products", "biomes", "tags"):
            chosen = getattr(self, name)
            if isinstance(chosen, str) or not all(isinstance(one, str) for one in chosen or ()):
                raise ValueError(f"expected a tuple of texts in Where.{name}; got {chosen!r}.")
        for name in ("recorded_from", "recorded_before"):
            time = getattr(self, name)
            if time is not None and time.utcoffset() is None:
                raise ValueError(
                    f"expected a time with a zone in Where.{name}; got {time.isoformat()}. "
                    f"Add one, such as datetime.now(UTC)."
                )
        if self.near is not None and (
            len(self.near) != 3 or not all(map(math.isfinite, self.near)) or self.near[2] < 0
        ):
            raise ValueError(f"expected (x, z, radius >= 0), all finite, in Where.near; got {self.near}.")

    def sql(self) -> tuple[str, list[object]]:
        """Return the query for the rows of table csd that pass, and its values."""
        tests = [*self._facets(), *self._filed()]
        if self.as_of is None:
            tests.append(("superseded_step IS NULL", []))
        else:
            tests.append(
                ("valid_from <= ? AND (superseded_step IS NULL OR superseded_step > ?)", [self.as_of] * 2)
            )
        condition = " AND ".join(test for test, _ in tests)
        return f"SELECT row FROM csd WHERE {condition}", [value for _, values in tests for value in values]

    def _facets(self) -> list[tuple[str, list[object]]]:
        tests: list[tuple[str, list[object]]] = []
        single = (
            ("success = ?", self.success),
            ("world = ?", self.world),
            ("step >= ?", self.from_step),
            ("step < ?", self.before_step),
            ("recorded >= ?", None if self.recorded_from is None else microseconds(self.recorded_from)),
            ("recorded < ?", None if self.recorded_before is None else microseconds(self.recorded_before)),
        )
        tests.extend((test, [value]) for test, value in single if value is not None)
        several = (
            ("task", self.tasks),
            ("verb", self.verbs),
            ("product", self.products),
            ("biome", self.biomes),
        )
        for column, chosen in several:
            if chosen is not None:
                tests.append((f"{column} IN ({', '.join('?' * len(chosen))})", list(chosen)))
        if self.near is not None:
            x, z, radius = self.near
            square = "x BETWEEN ? AND ? AND z BETWEEN ? AND ?"
            tests.append((square, [x - radius, x + radius, z - radius, z + radius]))
            tests.append(("(x - ?) * (x - ?) + (z - ?) * (z - ?) <= ? * ?", [x, x, z, z, radius, radius]))
        return tests

    def _filed(self) -> list[tuple[str, list[object]]]:
        who = [
            (test, value) for test, value in (("agent", self.agent), ("life", self.life)) if value is not None
        ]
        theirs, names = "".join(f" AND {name} = ?" for name, _ in who), [value for _, value in who]
        tests: list[tuple[str, list[object]]] = [
            (f"row IN (SELECT row FROM tag WHERE tag = ?{theirs})", [tag, *names]) for tag in self.tags or ()
        ]
        if who:
            tests.append((f"row IN (SELECT row FROM filing WHERE TRUE{theirs})", list(names)))
        return tests


def microseconds(time: datetime) -> int:
    """Return an aware time as microseconds since 1970 UTC, exactly."""
    return (time - _EPOCH) // timedelta(microseconds=1)


def time_of(stored: int) -> datetime:
    """Return the UTC time of stored microseconds."""
    return _EPOCH + timedelta(microseconds=stored)
