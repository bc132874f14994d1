"""Task selection, and what a whole memory tells of the situation; for a round outside any world.

Source: Echo §3.4, step 1 (the most successful or the most recently learned task, with its full descriptor).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from csd.axes import AXES, Axis
from csd.descriptor import Csd
from csd.graph import edges_of
from csd.pattern import letters
from csd.wording import HAND, NONE
from ical.asking.situation import Laid, Situation
from ical.cases import case_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Learned:
    """The descriptors of a memory, in order of world step, ties by id."""

    csds: tuple[Csd, ...]

    @classmethod
    def of(cls, csds: Iterable[Csd]) -> Learned:
        """Put `csds` in order."""
        return cls(csds=tuple(sorted(csds, key=lambda csd: (csd.meta.step, csd.id))))

    def select(self, *, about: str | None = None, credit: Mapping[str, float] | None = None) -> Csd | None:
        """Return the task to carry over from: a success that laid something out, else any success.

        Args:
            about: text that its goal or product must hold, whatever the case; None for any.
            credit: id -> how much came of it; the most is taken then, ties to the most recent. None takes
                the most recent.

        Returns:
            The descriptor; None where nothing fits.
        """
        wanted = None if about is None else about.casefold()
        fits = [csd for csd in self.csds if csd.meta.success and _about(csd, wanted)]
        laid = [csd for csd in fits if case_of(csd, csd.id).rows is not None]
        chosen = laid or fits
        if not chosen:
            return None
        if credit is None:
            return chosen[-1]
        places = {csd.id: place for place, csd in enumerate(chosen)}
        return max(chosen, key=lambda csd: (credit.get(csd.id, 0.0), places[csd.id]))

    def situation(
        self,
        axes: Sequence[Axis] = AXES,
        *,
        held: Mapping[str, int] | None = None,
        vain: Iterable[Laid] = (),
        aim: str | None = None,
    ) -> Situation:
        """Return the situation as descriptors tell it on `axes`: names, stations, and what was done.

        Args:
            axes: masked ones tell no name and no station.
            held: item -> how many are carried.
            vain: arrangements that gave nothing.
            aim: what new tasks should lead to.
        """
        kept = tuple(axis for axis in AXES if axis in axes)
        names: dict[str, None] = {}
        offers: dict[str, None] = {}
        done: dict[Laid, None] = {}
        for csd in self.csds:
            if csd.meta.product is not None:
                names[csd.meta.product] = None
            names.update(dict.fromkeys(things_in(csd, kept)))
            offers.update({str(s.value): None for s in csd.func if s.predicate == "affords"})
            case = case_of(csd, csd.id)
            if case.rows is not None:
                done[case.rows, case.fillers] = None
        return Situation(
            held=dict(held or {}),
            names=tuple(dict.fromkeys((*names, *(held or {})))),
            offers=tuple(offers) if Axis.FUNC in kept else (),
            vain=tuple(vain),
            done=tuple(done),
            aim=aim,
        )


def things_in(csd: Csd, axes: Sequence[Axis]) -> tuple[str, ...]:
    """Return the things that statements on `axes` are about, in their order."""
    found: dict[str, None] = {}
    for edge in edges_of(csd):
        for node in (edge.source, edge.target) if edge.axis in axes else ():
            kind, _, name = node.partition(":")
            if kind == "thing" and name not in (HAND, NONE):
                found[name] = None
    return tuple(found)


def laid_from_words(words: str) -> Laid | None:
    """Read an arrangement back from the words of a failure log; None where they name none.

    >>> laid_from_words("A/B of coal, stick"), laid_from_words("smelting dirt")
    (('A/B', ('coal', 'stick')), ('smelt', ('dirt',)))
    """
    smelted = words.removeprefix("smelting ")
    if smelted != words:
        return ("smelt", (smelted,)) if smelted and " " not in smelted else None
    rows, mark, listed = words.partition(" of ")
    fillers = tuple(listed.split(", ")) if mark else ()
    if not fillers or len(fillers) != len(letters(rows)) or any(" " in one for one in fillers):
        return None
    return rows, fillers


def _about(csd: Csd, wanted: str | None) -> bool:
    if wanted is None:
        return True
    return wanted in csd.meta.task.casefold() or wanted in (csd.meta.product or "").casefold()
