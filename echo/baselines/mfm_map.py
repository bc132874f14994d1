"""Where things stand, for a world that is made anew on the same land in every episode of a task."""

from __future__ import annotations

from pathlib import Path

from csd.episode import Cell, Observation, Step
from echo.mfm.layout import episode_number
from echo.mfm.spatial.answers import Known
from echo.mfm.spatial.places import Places

ASKED = 5
"""Places asked for, those of blocks that are gone and those of others."""


class LandMap:
    """The spatial memory of a folder, put right for what begins anew with each episode of a task.

    What was put down in an earlier one is not there, and what was dug in an earlier one is.
    """

    def __init__(self, root: Path) -> None:
        """Look at the memory in the folder `root`."""
        self._places = Places(root)
        self._put: dict[Cell, None] = {}
        self._put_now: dict[Cell, None] = {}

    def take_in(self, step: Step) -> None:
        """Take in where a step put something down."""
        if step.action.kind == "place" and step.outcome.cell is not None:
            self._put_now[step.outcome.cell] = None

    def close(self) -> None:
        """Take in that an episode of a task is over."""
        self._put.update(self._put_now)
        self._put_now.clear()

    def everything(self, seen: Observation) -> dict[str, Cell]:
        """Return of each kind of block the nearest known cell, the nearest kind first.

        Raises:
            MfmError: if the index is switched off.
        """
        x, _, z = seen.position
        return {one.name: _cell(one) for one in self._places.nearest_of_each(x, z) if self._stands(one)}

    def nearest(self, block: str, seen: Observation, first: str | None) -> Cell | None:
        """Return the nearest known cell with a `block`; None where none is known.

        Args:
            block: its kind, exactly.
            seen: what is perceived now.
            first: the first episode recorded since this episode of the task began, None for none.

        Raises:
            MfmError: if the index is switched off.
        """
        x, _, z = seen.position
        answer = self._places.nearest(block, x, z, limit=ASKED)
        known = [one for one in answer.found if one.name == block and self._stands(one)]
        known += [one for one in answer.gone if one.name == block and self._is_back(one, first)]
        best = min(known, key=lambda one: (one.distance, _cell(one)), default=None)
        return None if best is None else _cell(best)

    def _stands(self, known: Known) -> bool:
        return known.exact and known.how != "creature" and _cell(known) not in self._put

    def _is_back(self, known: Known, first: str | None) -> bool:
        if known.gone is None or known.gone.how != "dug" or not self._stands(known):
            return False
        now, dug = None if first is None else episode_number(first), episode_number(known.gone.episode)
        return dug is not None and (now is None or dug < now)


def _cell(known: Known) -> Cell:
    return (int(known.x), int(known.y or 0), int(known.z))
