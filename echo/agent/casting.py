"""Casting: which item plays a part - burns, carries, fells - when no recipe says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from csd.episode import Attack, Cell, GoTo, Place
from echo.agent.body import Body
from echo.agent.goal import HAND, Fell, Fill, Role
from echo.agent.knowledge import Knowledge
from echo.agent.planner import Planner

Fits = Callable[[Role, Sequence[str]], Mapping[str, float]]
"""How likely each item plays a role well, in [0, 1]; empty for no opinion."""

UNKNOWN = 0.5
"""Likelihood taken for granted where neither trial nor memory says anything."""


class Casting:
    """Tries the likeliest item in a role until one serves."""

    def __init__(self, body: Body, planner: Planner, fits: Fits, rng: np.random.Generator) -> None:
        """Start without any item tried.

        Args:
            body: acts; its knowledge says what was tried.
            planner: gets more of an item that serves.
            fits: memory's opinion.
            rng: orders what nothing speaks for or against.
        """
        self._body, self._planner, self._fits, self._rng = body, planner, fits, rng
        self._dice: dict[str, float] = {}
        self._out_of_reach: dict[str, int] = {}
        """Item -> known ways when more of it could not be got."""

    @property
    def _known(self) -> Knowledge:
        return self._body.knowledge

    def burn(self, item: str) -> bool:
        """Smelt one `item` with something that may burn; False where nothing is left to try."""
        if not self._may_burn(item) or self._body.seen.count(item) == 0 or not self._body.reach("smelt"):
            return False
        served = dict.fromkeys(self._known.fuels, True) | dict.fromkeys(self._known.not_fuel, False)
        # Only now: what the fire was put down from is held no longer.
        fuel = self._likeliest("fuel", self._may_burn(item), served)
        if fuel is None or self._body.seen.count(item) == 0:
            return False
        return self._body.smelt(item, fuel).code in ("ok", "no_result", "not_fuel")

    def _may_burn(self, item: str) -> list[str]:
        """Return what is held beside `item` and was not found to be no fuel."""
        return [one for one in self._body.held() if one != item and one not in self._known.not_fuel]

    def fill(self, goal: Fill, filled: Mapping[Cell, str]) -> bool:
        """Put one item into the next open cell; False where nothing is left to try.

        Args:
            goal: names the cells.
            filled: cells that were filled in this episode, with what.
        """
        left = [cell for cell in goal.cells if cell not in filled]
        carries = self._known.carries
        held = [item for item in self._body.held() if self._known.placeable.get(item, True)]
        more = [item for item, good in carries.items() if good and item not in held and self._to_be_had(item)]
        item = self._likeliest("bridge", held + more, carries)
        if item is None or not left:
            return False
        if carries.get(item) and self._body.seen.count(item) < len(left) and self._to_be_had(item):
            self._get(item, len(left))
        if self._body.seen.count(item) == 0:
            return carries.get(item, False)
        outcome = self._body.do(Place(item=item, target=left[0]))
        if outcome.code == "out_of_reach":
            return self._body.do(GoTo(target=left[0])).ok
        return outcome.code in ("ok", "not_placeable")

    def fell(self, goal: Fell) -> bool:
        """Fight one creature with something; False where none is in sight or nothing is left to try."""
        if not self._body.seen.mobs.get(goal.mob):
            return False
        fights = self._known.fights.get(goal.mob, {})
        served = {tool or HAND: ticks <= goal.within for tool, ticks in fights.items()}
        item = self._likeliest("weapon", [*self._body.held(), HAND], served)
        if item is None:
            return False
        self._body.hold(item or None)
        self._body.do(Attack(mob=goal.mob))
        return True

    def _likeliest(self, role: Role, items: Iterable[str], served: Mapping[str, bool]) -> str | None:
        """Return what is known to serve, else the likeliest of what was not tried; None for neither."""
        items = list(dict.fromkeys(items))
        good = [item for item in items if served.get(item)]
        if good:
            return good[0]
        open_ones = [item for item in items if item not in served]
        if not open_ones:
            return None
        opinion = self._fits(role, open_ones)
        return max(open_ones, key=lambda item: (opinion.get(item, UNKNOWN), self._throw(item)))

    def _throw(self, item: str) -> float:
        if item not in self._dice:
            self._dice[item] = float(self._rng.random())
        return self._dice[item]

    def _to_be_had(self, item: str) -> bool:
        return item in self._known.ways and self._out_of_reach.get(item, -1) < len(self._known.ways)

    def _get(self, item: str, count: int) -> None:
        plan = self._planner.for_items({item: count}, self._body.held())
        if plan is None or self._body.carry_out(plan) is not None:
            self._out_of_reach[item] = len(self._known.ways)
