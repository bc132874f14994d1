"""One arrangement to try: a grid laid, or an input put into a smelting station."""

from __future__ import annotations

from typing import NamedTuple

from csd.episode import Action, Craft, Grid, Smelt
from csd.pattern import canonical_grid, cell_counts, lay, letters
from ical.slots import SMELT_ROWS, Offer, station_needed


class Arrangement(NamedTuple):
    """What stands where; equal and mirrored grids are one arrangement.

    >>> one = Arrangement.from_grid((("stick", None), ("plank", "plank")))
    >>> one
    Arrangement(rows='A./BB', fillers=('stick', 'plank'))
    >>> one.needs(), one.offer
    ({'stick': 1, 'plank': 2}, None)
    """

    rows: str
    """Canonical grid rows, or 'smelt'."""
    fillers: tuple[str, ...]
    """Items of the letters in letter order; the input alone for smelting."""

    @classmethod
    def from_grid(cls, grid: Grid) -> Arrangement:
        """Return the arrangement of a grid as it was laid.

        Raises:
            ValueError: if the rows differ in length or no cell is filled.
        """
        pattern = canonical_grid(grid)
        return cls(pattern.rows, tuple(pattern.fillers.values()))

    @classmethod
    def laid_out(cls, rows: str, fillers: tuple[str, ...]) -> Arrangement:
        """Return the arrangement with `fillers` for the letters of `rows`, which need not be canonical.

        Raises:
            ValueError: if letters and fillers differ in number.
        """
        if rows == SMELT_ROWS:
            return cls(rows, fillers)
        return cls.from_grid(lay(rows, dict(zip(letters(rows), fillers, strict=True))))

    @classmethod
    def smelting(cls, item: str) -> Arrangement:
        """Return the arrangement of `item` as the input of a smelting station."""
        return cls(SMELT_ROWS, (item,))

    @classmethod
    def laid_by(cls, action: Action) -> Arrangement | None:
        """Return what an action lays out, whatever comes of it; None where it lays nothing.

        Raises:
            ValueError: as `from_grid`.
        """
        match action:
            case Craft():
                return cls.from_grid(action.grid)
            case Smelt():
                return cls.smelting(action.input)
            case _:
                return None

    @property
    def smelts(self) -> bool:
        """Whether it is an input for a smelting station, and no grid."""
        return self.rows == SMELT_ROWS

    @property
    def grid(self) -> Grid:
        """The grid to lay.

        Raises:
            ValueError: for smelting, which has none.
        """
        if self.smelts:
            raise ValueError(f"expected a grid; got smelting of {self.fillers[0]}. Ask `smelts` first.")
        return lay(self.rows, dict(zip(letters(self.rows), self.fillers, strict=True)))

    @property
    def offer(self) -> Offer | None:
        """What a station must offer: 'smelt', 'grid3' where a grid exceeds the hands' 2x2, else None."""
        return station_needed(self.rows)

    def needs(self) -> dict[str, int]:
        """Return how many of each item it uses up, fuel left out."""
        if self.smelts:
            return {self.fillers[0]: 1}
        return dict(zip(self.fillers, cell_counts(self.rows).values(), strict=True))

    def words(self) -> str:
        """Return it in words, such as 'AAA/.B./.B. of oak_planks, stick'."""
        return f"smelting {self.fillers[0]}" if self.smelts else f"{self.rows} of {', '.join(self.fillers)}"
