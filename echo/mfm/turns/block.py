"""What an agent is told of the moment: [STATE], [RECENT], [MAP]. Source: MFM's turn block."""

from __future__ import annotations

from collections.abc import Mapping

from csd.episode import Observation

_WINDS = ("south", "south-west", "west", "north-west", "north", "north-east", "east", "south-east")
_KINDS_IN_SIGHT = 24


def state_block(seen: Observation, goal: str) -> str:
    """Return [STATE]: what is perceived now, in some ten lines.

    Of the block kinds in sight the 24 nearest are named; how many more there are is said.
    """
    x, y, z = seen.position
    lines = [
        "[STATE]",
        f"goal: {goal}",
        f"step {seen.step}, tick {seen.tick}, at x={x:.1f} y={y:.1f} z={z:.1f}, "
        f"facing {_wind(seen.yaw)}, biome {seen.biome}",
        f"health {seen.vitals.health:g}/20, food {seen.vitals.food:g}/20, "
        f"holding {seen.mainhand or 'nothing'}",
        f"inventory: {_counts({item: stack.count for item, stack in seen.inventory.items()})}",
        f"in reach: {_stations(seen)}",
        f"creatures: {_counts(seen.mobs)}",
        f"in sight: {_sight(seen)}",
    ]
    return "\n".join(lines)


def block(parts: tuple[str, ...], characters: int) -> str:
    """Join the parts that say something; what goes over `characters` is cut off at the end, and said so."""
    text = "\n\n".join(part for part in parts if part)
    if len(text) <= characters:
        return text
    kept = text[: max(0, characters - 40)].rsplit("\n", 1)[0]
    return f"{kept}\n({len(text) - len(kept):,} characters cut)"


def _wind(yaw: float) -> str:
    """Name the direction of `yaw` (0 = south, +z, growing to the west)."""
    return _WINDS[round(yaw / 45.0) % 8]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none"


def _stations(seen: Observation) -> str:
    told = [f"{each.block} at {each.position} ({each.offers})" for each in seen.stations]
    return ", ".join(told) or "no station"


def _sight(seen: Observation) -> str:
    nearest = sorted(seen.blocks.items(), key=lambda pair: (pair[1].distance, pair[0]))
    told = [
        f"{name} x{kind.count} ({kind.distance:.0f} away at {kind.nearest})"
        for name, kind in nearest[:_KINDS_IN_SIGHT]
    ]
    more = len(nearest) - len(told)
    return (", ".join(told) or "nothing") + (f", {more} kinds more" if more else "")
