"""Exploration: which untried grid or smelting input to try next, simplest and most useful first.

Source: measured rules - description length plus gathering price, an item's usefulness, local edits of
grids that worked. What is tried is drawn from the world's actions alone: any item ever held, in any
pattern of `echo.agent.shapes`.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from echo.agent.arrangement import Arrangement
from echo.agent.edits import EditTable
from echo.agent.grids import GridSpace
from echo.agent.knowledge import Knowledge
from echo.agent.lengths import Floats, Material, price_bits
from echo.agent.options import ExplorerOptions
from echo.agent.planner import UNREACHABLE, Prices
from echo.agent.policy import Penalty

Arm = Literal["exploration", "edit", "adaptation"]

ARMS: tuple[Arm, ...] = ("exploration", "edit", "adaptation")
"""Simple grids and smelting inputs; local edits of grids that worked; exemplars with one item for another."""


_LEAST_CHANCE = 0.05
"""No adaptation is held to be less likely, against the mean of its slot."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """Something to try, and the length of its description."""

    arrangement: Arrangement
    bits: float
    """With what failures elsewhere say."""
    plain: float
    """Without that."""
    source: Arm


class Explorer:
    """Proposes the untried attempt with the fewest bits."""

    def __init__(
        self,
        knowledge: Knowledge,
        prices: Prices,
        *,
        edits: bool,
        options: ExplorerOptions | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        """Start without any attempt made.

        Args:
            knowledge: gives the items, and what was tried.
            prices: of missing material.
            edits: whether grids that worked are edited.
            options: constants of the ranking; the defaults when None.
            rng: throws the dice of the ranking where `ExplorerOptions.dice_bits` asks for them.
        """
        self._options = options or ExplorerOptions()
        self._rng = rng or np.random.default_rng(0)
        self._dice: dict[Arrangement, float] = {}
        self._knowledge, self._prices = knowledge, prices
        self._grids = GridSpace(knowledge, self._options)
        self._edits = EditTable(knowledge) if edits else None
        self._successes: dict[str, int] = {}
        self._tries: dict[str, int] = {}
        self._luck: dict[Arm, float] = dict.fromkeys(ARMS, self._options.first_luck)
        self._queues: dict[Arm, list[Proposal]] = {}
        self._ranking: tuple[Arm, ...] = ()
        """Arms that had something to rank when all was ranked last."""
        self._state: object = None
        self._blocked: dict[Arrangement, int] = {}
        self._exemplars: dict[Arrangement, int] = {}
        """Arrangement that memory holds to bear on the goal -> its rank, from 0."""

    def noted(self, grid: Arrangement, *, worked: bool, new: bool, own: bool) -> None:
        """Take in the result of a grid.

        Args:
            grid: what was laid.
            worked: whether something came out.
            new: whether that was never held before.
            own: whether the explorer had proposed it; only these cost usefulness.
        """
        self._grids.mark(grid)
        for item in dict.fromkeys(grid.fillers):
            if worked:
                self._successes[item] = self._successes.get(item, 0) + 1
            if own:
                self._tries[item] = self._tries.get(item, 0) + 1
        if new and self._edits is not None:
            self._edits.add(grid)

    def heed(self, exemplars: Sequence[Arrangement]) -> None:
        """Take in what bears on the goal, best first; what ranked better before keeps its rank."""
        for rank, exemplar in enumerate(exemplars):
            self._exemplars[exemplar] = min(rank, self._exemplars.get(exemplar, rank))
        self._state = None

    def judged(self, source: Arm, *, new: bool) -> None:
        """Take in whether an attempt of one arm gave a new item."""
        memory = self._options.luck_memory
        self._luck[source] = memory * self._luck[source] + (1 - memory) * new

    def block(self, arrangement: Arrangement) -> None:
        """Set an attempt that could not be prepared aside until ways to more items are known."""
        self._blocked[arrangement] = len(self._knowledge.ways)

    def item_bits(self) -> Floats:
        """Return the bits of naming each known item, (n,) float64, in the order of `Knowledge.items`."""
        options = self._options
        return np.array(
            [
                options.item_bits
                - options.useful * np.log2(1 + self._successes.get(item, 0))
                + np.log2(1 + self._tries.get(item, 0) / options.tries_scale)
                for item in self._knowledge.items
            ]
        )

    def propose(self, held: Mapping[str, int], penalty: Penalty | None) -> Proposal | None:
        """Return the untried attempt with the fewest bits, None where nothing is left to try.

        The ranking is computed anew when holdings, known ways, stations or successes change, when the
        ranked attempts of an arm are used up, and when none of any arm is left; between, they are handed
        out in order. An arm that had nothing to rank is no reason to rank anew.

        Args:
            held: item -> amount held now; what is missing adds its price.
            penalty: what failures elsewhere say, None for nothing.
        """
        if not self._knowledge.items:
            return None
        offers = tuple(dict.fromkeys(self._knowledge.offers.values()))
        successes = sum(self._successes.values())
        state = (tuple(held.items()), len(self._knowledge.ways), successes, offers)
        anew = state != self._state or not all(self._queues[arm] for arm in self._ranking)
        if anew:
            self._state = state
            self._rank(held, penalty, offers)
        best = self._best(penalty)
        if best is None and not anew:
            # Prices may have changed since: what was out of reach then need not be now.
            self._rank(held, penalty, offers)
            best = self._best(penalty)
        if best is not None:
            self._queues[best.source].pop()
        return best

    def _rank(self, held: Mapping[str, int], penalty: Penalty | None, offers: Sequence[str]) -> None:
        self._queues = self._ranked(held, penalty, offers)
        self._ranking = tuple(arm for arm in ARMS if self._queues[arm])

    def _best(self, penalty: Penalty | None) -> Proposal | None:
        """Return the best of what the arms put first, ties by their names; it stays where it is."""
        tops = [top for queue in self._queues.values() if (top := self._top(queue, penalty)) is not None]
        return min(tops, key=lambda top: (top.bits - self._arm_bits(top.source), top.source), default=None)

    def _arm_bits(self, source: Arm) -> float:
        return float(np.log2(self._luck[source] + 0.005))

    def _top(self, queue: list[Proposal], penalty: Penalty | None) -> Proposal | None:
        """Return the last of `queue` by what failures say now; the rest is put right as far as needed."""
        while queue:
            proposal = queue[-1]
            if not self._open(proposal.arrangement):
                queue.pop()
                continue
            later = _with_penalty(proposal, penalty)
            if len(queue) < 2 or later.bits <= queue[-2].bits:
                return proposal
            queue.pop()
            insort(queue, later, key=lambda known: -known.bits)
        return None

    def _open(self, arrangement: Arrangement) -> bool:
        if self._knowledge.tried(arrangement):
            return False
        return self._blocked.get(arrangement, -1) < len(self._knowledge.ways)

    def _ranked(
        self, held: Mapping[str, int], penalty: Penalty | None, offers: Sequence[str]
    ) -> dict[Arm, list[Proposal]]:
        """Return each arm's best attempts, the best one last."""
        items = self._knowledge.items
        aims = np.array([0.0 if penalty is None else penalty.naming(item) for item in items])
        material = Material(
            bits=self.item_bits() + aims,
            have=np.array([held.get(item, 0) for item in items], dtype=np.float64),
            price=np.array(
                [min(self._options.price_share * self._prices.of(item), UNREACHABLE) for item in items]
            ),
            aims=aims,
        )
        unlike: dict[Arrangement, Proposal] = {}
        found = list(self._proposals(material, offers))
        for proposal in sorted(found, key=lambda one: (one.bits, one.arrangement)):
            unlike.setdefault(proposal.arrangement, proposal)
        proposals = [self._diced(one) for one in unlike.values()]
        ranked = [_with_penalty(one, penalty) for one in proposals if self._open(one.arrangement)]
        ranked.sort(key=lambda one: (-one.bits, one.arrangement))
        return {arm: [one for one in ranked if one.source == arm][-self._options.queue :] for arm in ARMS}

    def _diced(self, proposal: Proposal) -> Proposal:
        """Return `proposal` with its throw of the dice, the same for one arrangement all the time."""
        spread = self._options.dice_bits
        if not spread:
            return proposal
        if proposal.arrangement not in self._dice:
            self._dice[proposal.arrangement] = spread * float(self._rng.gumbel())
        bits = proposal.plain - self._dice[proposal.arrangement]
        return replace(proposal, bits=bits, plain=bits)

    def _proposals(self, material: Material, offers: Sequence[str]) -> Iterator[Proposal]:
        station = "grid3" in offers
        for bits, arrangement in self._smelts(material):
            yield Proposal(bits=bits, plain=bits, source="exploration", arrangement=arrangement)
        for bits, arrangement in self._grids.simplest(material, station=station):
            yield Proposal(bits=bits, plain=bits, source="exploration", arrangement=arrangement)
        for bits, arrangement in self._adaptations(material, offers):
            yield Proposal(bits=bits, plain=bits, source="adaptation", arrangement=arrangement)
        if self._edits is not None:
            for bits, arrangement in self._edits.simplest(material, self._options, station=station):
                yield Proposal(bits=bits, plain=bits, source="edit", arrangement=arrangement)

    def _adaptations(self, material: Material, offers: Sequence[str]) -> Iterator[tuple[float, Arrangement]]:
        """Yield each exemplar with one of its items replaced, and the bits of saying so.

        None where no station known offers what the exemplar needs.
        Bits: which exemplar, log2(1 + rank); which item of it; what takes its place, and what that costs.
        """
        items = self._knowledge.items
        index = self._knowledge.index
        for exemplar, rank in self._exemplars.items():
            if exemplar.offer is not None and exemplar.offer not in offers:
                continue
            counts = list(exemplar.needs().items())
            said = np.log2(1 + rank) + np.log2(len(counts))
            for place, (_, count) in enumerate(counts):
                rest = [
                    max(0.0, amount - material.have[index[other]]) * material.price[index[other]]
                    for other, amount in counts[:place] + counts[place + 1 :]
                    if other in index
                ]
                if len(rest) < len(counts) - 1:
                    continue
                missing = np.maximum(0.0, count - material.have) * material.price + sum(rest)
                bits = said + material.bits + price_bits(missing)
                for n in np.flatnonzero(missing < self._options.too_dear):
                    if items[n] not in exemplar.fillers:
                        fillers = (*exemplar.fillers[:place], items[n], *exemplar.fillers[place + 1 :])
                        yield float(bits[n]), Arrangement.laid_out(exemplar.rows, fillers)

    def _smelts(self, material: Material) -> list[tuple[float, Arrangement]]:
        if "smelt" not in self._knowledge.offers.values():
            return []
        missing = np.maximum(0.0, 1.0 - material.have) * material.price
        score = self._options.smelt_bits + material.bits + price_bits(missing)
        inputs = [Arrangement.smelting(item) for item in self._knowledge.items]
        return [
            (float(score[n]), smelting)
            for n, smelting in enumerate(inputs)
            if not self._knowledge.tried(smelting) and missing[n] < self._options.too_dear
        ]


def _with_penalty(proposal: Proposal, penalty: Penalty | None) -> Proposal:
    if penalty is None:
        return proposal
    if proposal.source == "adaptation":
        chance = penalty.chance(*proposal.arrangement)
        said = 0.0 if chance is None else max(0.0, -float(np.log2(max(chance, _LEAST_CHANCE))))
        bits = proposal.plain + said
    else:
        bits = proposal.plain + penalty.bits(*proposal.arrangement)
    # Not `dataclasses.replace`, which takes three times as long; this runs for every attempt ranked.
    return Proposal(arrangement=proposal.arrangement, bits=bits, plain=proposal.plain, source=proposal.source)
