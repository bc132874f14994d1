"""Short episodes put together by hand, with a mind of what is carried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from csd.episode import (
    Action,
    Attack,
    Cell,
    Collect,
    Craft,
    Episode,
    Equip,
    GoTo,
    ItemStack,
    Observation,
    Outcome,
    OutcomeCode,
    Place,
    SeenBlock,
    Smelt,
    Station,
    Step,
    Vitals,
)
from echo.agent.goal import Goal, Have, goal_event
from echo.agent.memory import Ended, Ending, Question

TOOLS = ("axe", "pick", "sword")
GONE: Cell = (9, 64, 9)


def seen(
    held: Mapping[str, int] | None = None,
    *,
    hand: str | None = None,
    blocks: tuple[str, ...] = (),
    stations: Mapping[str, str] | None = None,
    step: int = 0,
) -> Observation:
    return Observation(
        step=step,
        tick=20 * step,
        position=(0.5, 64.0, 0.5),
        yaw=0.0,
        pitch=0.0,
        inventory={
            item: ItemStack(count=count, stack_size=1 if item in TOOLS else 64)
            for item, count in (held or {}).items()
            if count > 0
        },
        mainhand=hand,
        blocks={
            block: SeenBlock(count=1, nearest=(1, 64, 1), distance=2.0, colour=(0, 0, 0)) for block in blocks
        },
        mobs={},
        stations=tuple(
            Station(block=block, position=(2, 64, 2), offers="grid3" if offer == "grid3" else "smelt")
            for block, offer in (stations or {}).items()
        ),
        vitals=Vitals(),
        biome="plains",
    )


class Trace:
    """One episode in the making."""

    def __init__(self, blocks: tuple[str, ...] = (), **held: int) -> None:
        self.held = held
        self.steps: list[Step] = []
        self._blocks = blocks
        self._hand: str | None = None
        self._stations: dict[str, str] = {}

    @property
    def now(self) -> Observation:
        return seen(
            self.held, hand=self._hand, blocks=self._blocks, stations=self._stations, step=len(self.steps)
        )

    def dig(self, block: str, gain: int | None = None, **brings: int) -> Trace:
        code: OutcomeCode = "ok" if brings else "no_drop"
        return self._do(Collect(block=block), brings, code=code, block=block, gain=gain)

    def hold(self, item: str) -> Trace:
        self._do(Equip(item=item), {})
        self._hand = item
        return self

    def craft(self, *cells: str, gain: int | None = None, **brings: int) -> Trace:
        """Lay `cells` in a row, or three to a row where there are more than two."""
        width = 3 if len(cells) > 2 else len(cells)
        filled: tuple[str | None, ...] = (*cells, *(None for _ in range(-len(cells) % width)))
        grid = tuple(filled[n : n + width] for n in range(0, len(filled), width))
        used = {item: -cells.count(item) for item in dict.fromkeys(cells)} if brings else {}
        return self._do(Craft(grid=grid), {**used, **brings}, code="ok" if brings else "no_result", gain=gain)

    def smelt(
        self, item: str, fuel: str, *, burns: bool = True, gain: int | None = None, **brings: int
    ) -> Trace:
        used = {item: -1, **({fuel: -1} if burns else {})}
        return self._do(Smelt(input=item, fuel=fuel), {**used, **brings}, gain=gain)

    def smelt_in_vain(self, item: str, fuel: str) -> Trace:
        """Try to burn what is no fuel."""
        return self._do(Smelt(input=item, fuel=fuel), {}, code="not_fuel")

    def put(self, item: str, target: Cell | None = None, gain: int | None = None) -> Trace:
        """Put a block down; one called table or furnace is a station from then on."""
        self._do(Place(item=item, target=target), {item: -1}, block=item, gain=gain)
        if item in ("table", "furnace"):
            self._stations[item] = "grid3" if item == "table" else "smelt"
        return self

    def fight(self, mob: str, gain: int | None = None, **brings: int) -> Trace:
        return self._do(Attack(mob=mob), brings, gain=gain)

    def walk(self, target: Cell = GONE) -> Trace:
        return self._do(GoTo(target=target), {})

    def ended(self, goal: Goal, ending: Ending = "reached") -> Ended:
        return Ended(goal=goal, steps=tuple(self.steps), after=self.now, ending=ending)

    def shown(self, goal: str) -> Episode:
        return Episode(id="ep_000000", goal=goal, steps=tuple(self.steps), after=self.now, source="by hand")

    def _do(
        self,
        action: Action,
        delta: Mapping[str, int],
        *,
        code: OutcomeCode = "ok",
        block: str | None = None,
        gain: int | None = None,
    ) -> Trace:
        events = () if gain is None else (goal_event(max(gain, 0), 1, gain),)
        outcome = Outcome(
            code=code,
            message="",
            inventory_delta={item: delta[item] for item in sorted(delta)},
            block=block,
            events=events,
        )
        self.steps.append(Step(before=self.now, action=action, outcome=outcome))
        for item, change in delta.items():
            self.held[item] = self.held.get(item, 0) + change
        return self


def have(text: str, **items: int) -> Have:
    return Have(text=text, items=items)


def asked(goal: Goal, *, item: str | None = None, block: str | None = None, **held: int) -> Question:
    return Question(goal=goal, seen=seen(held), item=item, block=block)


class ScriptedEncoder:
    """Gives each text the cosine to every question that a table says, 0 where it says nothing."""

    name = "scripted-2"
    dimension = 2

    def __init__(self, cosines: Mapping[str, float], questions: tuple[str, ...]) -> None:
        self._cosines = {**cosines, **dict.fromkeys(questions, 1.0)}
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.encoded += texts
        cosines = np.array([self._cosines.get(text, 0.0) for text in texts])
        return np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1).astype(np.float32).reshape(-1, 2)
