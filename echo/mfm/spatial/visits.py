"""Where the body was."""

from __future__ import annotations

import json

from echo.mfm.spatial.answers import Stay, Visited, VisitedCell, When
from echo.mfm.spatial.asking import Asking


def visited(asking: Asking, size: float) -> Visited:
    """Return the path, and the columns of the map it went through, `size` blocks wide."""
    path = _path(asking)
    cells: dict[tuple[int, int], list[Stay]] = {}
    visits: dict[tuple[int, int], int] = {}
    before: tuple[int, int] | None = None
    for stay in path:
        cell = (int(stay.z // size), int(stay.x // size))
        cells.setdefault(cell, []).append(stay)
        visits[cell] = visits.get(cell, 0) + (cell != before)
        before = cell
    return Visited(
        cells=tuple(
            VisitedCell(
                x=cell[1] * size,
                z=cell[0] * size,
                visits=visits[cell],
                moments=sum(stay.moments for stay in stays),
                first=stays[0].first,
                last=stays[-1].last,
            )
            for cell, stays in sorted(cells.items())
        ),
        path=tuple(path),
        size=size,
        unread=asking.unread(),
        elsewhere=asking.elsewhere(),
    )


def _path(asking: Asking) -> list[Stay]:
    ids: dict[int, str] = {
        number: json.loads(text) for number, text in asking.run.execute("SELECT id, text FROM episode")
    }
    lines = asking.run.execute(
        "SELECT x, y, z, moments, first_step, first_episode, last_step, last_episode FROM stay ORDER BY id"
    )
    return [
        Stay(
            x=x,
            y=y,
            z=z,
            moments=moments,
            first=When(step=first_step, episode=ids[first_episode]),
            last=When(step=last_step, episode=ids[last_episode]),
        )
        for x, y, z, moments, first_step, first_episode, last_step, last_episode in lines
    ]
