"""The memory policy that transfers: the ICAL loop over any source of likeness between items.

Echo gives it five axes; baselines give it names or bags of words. Everything else is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from csd.descriptor import Csd
from echo.agent.arrangement import Arrangement
from echo.agent.carrying import Carrier
from echo.agent.policy import Idea, Penalty, Prospects
from ical.induce import Inducer
from ical.loop import Induced, Transfer
from ical.profile import AxisProfiles, LikenessSource
from ical.slots import SMELT_ROWS, Slot, slots_of

PATTERN_FILLERS = 2
"""Fillers that a slot must have had before a further one counts as following a pattern."""

_DOUBT = 0.5
"""Weight of knowing nothing: one channel alone does not make two items the same."""

_FOREVER = 10**9
"""More ways than there can be."""


def transfer_over(source: LikenessSource) -> Transfer:
    """Return an empty transfer over `source`, with default settings."""
    return Transfer(inducer=Inducer(source=source))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Suggested:
    """What is behind an idea."""

    induced: Induced
    replaced: str
    """What stood in the slot in the exemplars."""


class TransferPolicy:
    """Suggests new tasks from remembered ones, and generalises failures.

    Over a source with axes, what is chosen is carried over from its exemplar on these axes.
    """

    def __init__(
        self, source: LikenessSource, build: Callable[[LikenessSource], Transfer] = transfer_over
    ) -> None:
        """Start with an empty memory.

        Args:
            source: how alike items are.
            build: makes the transfer over it; for other settings than the defaults.
        """
        self._transfer = build(source)
        self._shown: dict[tuple[Slot, str], list[str]] = {}
        """Slot and item -> ids of the descriptors that show it working there, oldest first."""
        self._carrier = Carrier(source.axes if isinstance(source, AxisProfiles) else ())
        self._behind: dict[Arrangement, _Suggested] = {}
        """What is behind each idea suggested and not judged yet."""

    @property
    def inducer(self) -> Inducer:
        """The slots and the belief that suggestions come from."""
        return self._transfer.inducer

    def focus(self, products: Sequence[str]) -> None:
        """Aim suggestions at slots that gave one of `products`; empty to aim at nothing."""
        self._transfer.focus = tuple(products)

    def bear(self, bearing: Mapping[str, float]) -> None:
        """Aim what the explorer tries: say how much items bear on a goal as material, 0..1; else 0."""
        self._transfer.bearing = bearing

    @property
    def penalty(self) -> Penalty:
        """Failures in the slots of a grid speak against it, as far as its items are alike."""
        return self._transfer

    def remember(self, csd: Csd) -> None:
        """Take in the descriptor of something new."""
        id = csd.id
        case = self._transfer.remember(csd, id)
        for slot, item in slots_of(case.rows, case.fillers) if case.rows is not None else ():
            self._shown.setdefault((slot, item), []).append(id)
        self._carrier.remember(csd, id)

    def failed(self, arrangement: Arrangement) -> None:
        """Take in an arrangement that gave nothing."""
        self._transfer.failed(arrangement.rows, arrangement.fillers)

    def suggest(self, prospects: Prospects) -> Idea | None:
        """Return the best filling of a slot that worked, None where nothing is left or nothing is known."""
        self._transfer.ways = prospects.ways
        induced = self._transfer.suggest(prospects.items, prospects.held, prospects.prices, prospects.offers)
        return None if induced is None else self._idea(induced)

    def carried_over(self, idea: Idea, fuel: str | None) -> Idea:
        """Return `idea` with its task and the mapping behind it; as it is over a source without axes."""
        behind = self._behind[idea.arrangement]
        slot, item = behind.induced.slot, behind.induced.item
        mapping = self._carrier.mapping(idea.exemplars[0], behind.replaced, item)
        if mapping is None:
            return idea
        return replace(idea, mapping=mapping, task=self._carrier.task(idea, slot, item, mapping, fuel))

    def set_aside(self, idea: Idea, ways: int | None) -> None:
        """Suggest `idea` no more until more than `ways` are known; never again for None."""
        induced = self._behind.pop(idea.arrangement).induced
        self._transfer.aside[induced.slot, induced.item] = _FOREVER if ways is None else ways

    def judged(self, idea: Idea, *, worked: bool, new: bool) -> None:
        """Give the axes credit or blame for a tried suggestion."""
        self._transfer.judged(self._behind.pop(idea.arrangement).induced, worked=worked, new=new)

    def _idea(self, induced: Induced) -> Idea:
        slot, item = induced.slot, induced.item
        table = self.inducer.table
        row = table.slot_index[slot]
        nearest, agreement = self._nearest(list(table.products[row]), item)
        arrangement = Arrangement.laid_out(slot.rows, slot.fillers(item))
        self._behind[arrangement] = _Suggested(induced=induced, replaced=nearest)
        place = "smelting" if slot.rows == SMELT_ROWS else slot.rows
        return Idea(
            arrangement=arrangement,
            success=induced.success,
            score=induced.score,
            source="pattern" if int(table.worked[row].sum()) >= PATTERN_FILLERS else "transfer",
            axes=self._shares(induced.parts) or self._shares(agreement),
            exemplars=tuple(self._shown[slot, nearest]),
            detail=f"{item} for {nearest} in {place}",
        )

    def _nearest(self, fillers: list[str], item: str) -> tuple[str, dict[str, float]]:
        """Return the one of `fillers` most alike to `item`, ties to the first, and each channel's part in it.

        Channels weigh by what they rest on, up to one observation; one that knows nothing is silent.
        """
        index, latest = self.inducer.table.item_index, self.inducer.likeness
        if latest is None:
            return fillers[0], {}
        columns = [index[filler] for filler in fillers]
        weight = np.minimum(latest.evidence[:, columns, index[item]], 1.0)
        agreement = weight * latest.similarity[:, columns, index[item]]
        best = int(np.argmax(agreement.sum(axis=0) / (weight.sum(axis=0) + _DOUBT)))
        return fillers[best], dict(zip(latest.channels, agreement[:, best].tolist(), strict=True))

    def _shares(self, parts: Mapping[str, float]) -> dict[str, float]:
        """Return each channel's share of what speaks for an idea; empty where no channel does."""
        channels = self.inducer.likeness.channels if self.inducer.likeness is not None else ()
        kept = {name: parts[name] for name in channels if parts.get(name, 0.0) > 0.0}
        total = sum(kept.values())
        return {name: part / total for name, part in kept.items()}
