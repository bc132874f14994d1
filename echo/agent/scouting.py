"""Scouting: walking about to see what there is, a point at a time, the same way for every agent."""

from __future__ import annotations

from csd.episode import Cell, GoTo
from echo.agent.body import Body

STRIDE = 20
"""Blocks between two points; what lies within sight of each is seen from there."""

_RING = ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1))
_DEPTHS = (0, 1, 2, 3)


def _points() -> tuple[Cell, ...]:
    """Return the points in strides (east, down, south) from the start, nearest first."""
    points = [(east, down, south) for down in _DEPTHS for east, south in _RING]
    points += [(0, down, south) for south in (2, -2, 3, -3) for down in _DEPTHS[:3]]
    return tuple(sorted(points[1:], key=lambda p: (abs(p[0]) + p[1] + abs(p[2]), p[1] == 0)))


POINTS = _points()


class Scout:
    """Goes from point to point around where an episode began."""

    def __init__(self, body: Body) -> None:
        """Start at the place where the body is."""
        self._body = body
        x, y, z = body.seen.position
        self._start: Cell = (int(x), int(y), int(z))
        self._left = list(POINTS)

    def go_on(self) -> bool:
        """Walk to the next point; False where none is left.

        Where the land ends, points beyond in the same direction are left out.

        Raises:
            BudgetSpent: when the budget ends.
        """
        if not self._left:
            return False
        east, down, south = point = self._left.pop(0)
        x, y, z = self._start
        target = (x + STRIDE * east, max(2, y - STRIDE * down), z + STRIDE * south)
        if not self._body.do(GoTo(target=target)).ok:
            self._left = [other for other in self._left if not _beyond(point, other)]
        return True


def _beyond(end: Cell, other: Cell) -> bool:
    """Return whether `other` cannot be reached either where the land ends before `end`."""
    east, _, south = end
    if east and south:
        return (other[0], other[2]) == (east, south)
    if not east and not south:
        return other[1] >= end[1]
    along, far = (0, east) if east else (2, south)
    return other[along] * far > 0 and abs(other[along]) >= abs(far)
