"""An induced task: what to do, what it takes, what should come of it, and the experience behind each step.

Source: Echo §3.3 (plan with self-verification assertions) and §3.4 (new-task induction); differs in that the
plan is the exemplar's own procedure with another thing in one place, not a completion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from csd.axes import Axis
from csd.descriptor import Csd
from csd.episode import Action, Craft, Place, Smelt, Step
from csd.pattern import cell_counts, lay, letters
from ical.cases import Case, case_of
from ical.map import StructureMapping
from ical.procedure import procedure_of, read_action
from ical.slots import SMELT_ROWS, Offer, Slot, station_needed


@dataclass(frozen=True, kw_only=True, slots=True)
class Assertion:
    """One thing that must be so for a step to be what it was meant to be."""

    text: str
    kind: Literal["holds", "station", "uses", "gains"]
    """What is carried before; what is in reach; what is used up; what comes out."""
    item: str | None = None
    """The item, or for 'station' the offer; None where any item will do."""
    amount: int = 1

    def holds(self, step: Step) -> bool:
        """Return whether `step`, the deciding one, bears the assertion out."""
        delta = step.outcome.inventory_delta
        match self.kind:
            case "holds":
                return step.before.count(self.item or "") >= self.amount
            case "station":
                return any(station.offers == self.item for station in step.before.stations)
            case "uses":
                return delta.get(self.item or "", 0) == -self.amount
            case "gains":
                gained = [item for item, change in delta.items() if change > 0]
                return self.item in gained if self.item is not None else bool(gained)


@dataclass(frozen=True, kw_only=True, slots=True)
class StepSupport:
    """Which experience a step was taken from."""

    step: int
    """Index into the task's actions."""
    exemplar: str
    """Descriptor id."""
    axes: Mapping[Axis, float]
    """Share of each axis, in canonical order; adds up to 1, or is empty where no axis supports the step."""


@dataclass(frozen=True, kw_only=True, slots=True)
class InducedTask:
    """A task never done before, carried over from one that was."""

    goal: str
    actions: tuple[Action, ...]
    """The last one decides; those before prepare it as the exemplar did."""
    needs: Mapping[str, int]
    """Item -> how many must be carried when the last action begins."""
    station: Offer | None
    """What a station within reach must offer."""
    effects: str | None
    """The product expected, in words; None where the exemplar's is not known."""
    assertions: tuple[Assertion, ...]
    support: tuple[StepSupport, ...]
    """At most one for each action, in their order."""
    success: float
    """Predicted chance in [0, 1] that something comes out."""
    source: Literal["transfer", "pattern"]


def carry_over(
    slot: Slot,
    item: str,
    exemplar: Csd,
    mapping: StructureMapping,
    *,
    fuel: str | None = None,
    success: float = 0.0,
    shares: Mapping[Axis, float] | None = None,
) -> InducedTask:
    """Return the task of doing again what `exemplar` shows, with `item` in `slot`.

    Putting down the station is carried over with it where the exemplar did so and the proc axis was
    allowed to speak; the rest of the way is left to a planner, which knows what is at hand.

    Args:
        slot: the place to fill anew.
        item: what to fill it with.
        exemplar: a success in this slot.
        mapping: from the exemplar's things to what is known of `item`, best made with `parts` asking for
            the thing replaced; its correspondence for `item` says which axes support the step.
        fuel: what to burn when smelting; None burns what the exemplar burnt.
        success: predicted chance in [0, 1].
        shares: axis -> share of support, where something else than the mapping chose the slot.

    Raises:
        ValueError: if `exemplar` does not show the slot, no fuel is known for smelting, or `success` is
            no chance.
    """
    case = case_of(exemplar, exemplar.id)
    replaced = _replaced(slot, case)
    if not 0.0 <= success <= 1.0:
        raise ValueError(f"expected a chance in [0, 1]; got {success!r} for {item} in {slot}.")
    deciding, needs = _deciding(slot, item, fuel or _fuel(exemplar))
    station = station_needed(slot.rows)
    spoken = {Axis.PROC, Axis.FUNC} <= set(mapping.axes)
    before = _placings(exemplar, station) if spoken else ()
    if shares is None:
        pair = mapping.standing_for(item)
        shares = pair.axes if pair is not None and pair.base == replaced else {}
    place = len(before)
    return InducedTask(
        goal=_goal(slot, item, replaced, case.product),
        actions=(*before, deciding),
        needs=needs,
        station=station,
        effects=None if case.product is None else f"what is to {item} as {case.product} is to {replaced}",
        assertions=assertions_for(
            needs, station, burnt=deciding.fuel if isinstance(deciding, Smelt) else None
        ),
        support=(
            *(StepSupport(step=n, exemplar=case.csd, axes={Axis.PROC: 1.0}) for n in range(place)),
            StepSupport(step=place, exemplar=case.csd, axes=shares),
        ),
        success=success,
        source="transfer",
    )


def assertions_for(
    needs: Mapping[str, int], station: Offer | None, *, burnt: str | None = None
) -> tuple[Assertion, ...]:
    """Return what must be so before the deciding action, then what must come of it.

    Args:
        needs: item -> how many it takes.
        station: what must be offered within reach.
        burnt: the fuel; a fire that burns already uses up none, so nothing is asserted of its use.
    """
    found = [
        Assertion(text=f"{item} x{amount} is carried", kind="holds", item=item, amount=amount)
        for item, amount in needs.items()
    ]
    if station is not None:
        found.append(Assertion(text=f"a station within reach offers {station}", kind="station", item=station))
    found += [
        Assertion(text=f"{item} x{amount} is used up", kind="uses", item=item, amount=amount)
        for item, amount in needs.items()
        if item != burnt
    ]
    found.append(Assertion(text="something comes out", kind="gains"))
    return tuple(found)


def _replaced(slot: Slot, case: Case) -> str:
    """Return what the exemplar had in the slot."""
    if case.rows == SMELT_ROWS == slot.rows:
        return case.fillers[0]
    if case.rows == slot.rows and slot.letter in letters(slot.rows):
        item = case.fillers[letters(slot.rows).index(slot.letter)]
        if slot.fillers(item) == case.fillers:
            return item
    raise ValueError(
        f"expected an exemplar that shows {slot}; got {case.csd} with {case.rows!r} of "
        f"{', '.join(case.fillers) or 'nothing'}. Pass one of the slot's own sources."
    )


def _deciding(slot: Slot, item: str, fuel: str | None) -> tuple[Craft | Smelt, dict[str, int]]:
    if slot.rows == SMELT_ROWS:
        if fuel is None:
            raise ValueError(
                f"expected a fuel to smelt {item} with; got none, and the exemplar tells of none."
            )
        needs = {item: 1}
        needs[fuel] = needs.get(fuel, 0) + 1
        return Smelt(input=item, fuel=fuel), needs
    fillers = dict(zip(letters(slot.rows), slot.fillers(item), strict=True))
    needs = {}
    for letter, count in cell_counts(slot.rows).items():
        needs[fillers[letter]] = needs.get(fillers[letter], 0) + count
    return Craft(grid=lay(slot.rows, fillers)), needs


def _fuel(exemplar: Csd) -> str | None:
    """Return the fuel the exemplar burnt, or laid ready where its fire burned already."""
    slots = [s.subject for s in exemplar.struct if s.predicate == "slot" and s.value == "fuel"]
    tried = [read_action(s.subject) for s in exemplar.inter if s.predicate == "tried" and s.value == "ok"]
    fuels = [*slots, *(action.fuel for action in tried if isinstance(action, Smelt))]
    return fuels[0] if fuels else None


def _placings(exemplar: Csd, station: Offer | None) -> tuple[Place, ...]:
    """Return the steps that put down a block offering `station`, each block once."""
    blocks = [s.subject for s in exemplar.func if s.predicate == "affords" and s.value == station]
    placed = [step.action for step in procedure_of(exemplar) if isinstance(step.action, Place)]
    return tuple({action.item: action for action in placed if action.item in blocks}.values())


def _goal(slot: Slot, item: str, replaced: str, product: str | None) -> str:
    done = f"smelt {item}" if slot.rows == SMELT_ROWS else f"craft {slot.rows} with {item}"
    return f"{done} in the place of {replaced}" + (f", which gave {product}" if product else "")
