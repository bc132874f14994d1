"""Echo's memory of tasks: every distinct experience, and transfer along the axes from what worked.

Source: Echo §3.3 to §3.5 (successes to memory, failures to the log, recall over axes, maintenance); differs
in that what worked and what failed is given back as the steps themselves, found by what they are about (the
symbolic channel), so that the axes decide what new is tried and who plays a part.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from csd.axes import AXES, Axis
from csd.build import describe
from csd.descriptor import Csd
from csd.encode import Encoder
from csd.episode import Attack, Cell, Collect, Craft, Episode, GoTo, Mine, Observation, Place, Smelt, Step
from echo.agent.arrangement import Arrangement
from echo.agent.goal import HAND, Fell, Have, Role, goal_gain
from echo.agent.memory import Ended, Habits, Question, Recalled
from echo.agent.passing import Merging
from echo.agent.policy import MemoryPolicy, NoMemory
from echo.agent.texts import EXEMPLARS, TextIndex
from echo.agent.transfer import TransferPolicy
from ical.profile import AxisProfiles

SHARPNESS = 2.5
"""Power of likeness with which an outcome speaks for another item, as between slots."""

DOUBT = 0.3
"""Trials of items not alike at all that the prior of a role counts as."""


def lesson(step: Step) -> Hashable | None:
    """Return what a step teaches, None where it teaches nothing; equal lessons teach the same."""
    action, outcome = step.action, step.outcome
    match action:
        case Craft() if outcome.code in ("ok", "no_result"):
            return "craft", Arrangement.from_grid(action.grid), outcome.code
        case Smelt() if outcome.code in ("ok", "no_result"):
            return "smelt", action.input, action.fuel, outcome.code
        case Smelt() if outcome.code == "not_fuel":
            return "fuel", action.fuel
        case Place() if outcome.code in ("ok", "not_placeable"):
            gain = goal_gain(outcome) if action.target is not None else None
            return "place", action.item, outcome.code, None if gain is None else gain > 0
        case Attack() if outcome.code in ("ok", "no_drop"):
            return "fight", action.mob, step.before.mainhand, outcome.work_ticks
        case Collect() | Mine() if outcome.code in ("ok", "no_drop"):
            gained = tuple(item for item, change in outcome.inventory_delta.items() if change > 0)
            return "dig", outcome.block, step.before.tool, outcome.code, gained
        case _:
            return None


class TransferMemory:
    """Keeps one step of each lesson, describes what is new, and suggests along `axes`."""

    def __init__(
        self,
        *,
        encoder: Encoder,
        axes: tuple[Axis, ...] = AXES,
        shots: int = EXEMPLARS,
        ical: bool = True,
        maintains: bool = True,
        verifies: bool = True,
    ) -> None:
        """Start empty.

        Args:
            encoder: embeds what tasks are about.
            axes: those that may speak.
            shots: exemplars in context, at least 1: made things nearest to what is asked for, to be adapted,
                and players of a role most alike to another.
            ical: whether new tasks are induced and failures generalised; without, it only recalls.
            maintains: whether a descriptor that says the same as an earlier one is merged with it.
            verifies: whether suggestions are checked before they are tried.
        """
        self._profiles = AxisProfiles(axes)
        self._transfer = TransferPolicy(self._profiles)
        self._policy: MemoryPolicy = NoMemory()
        if ical:
            self._policy = Merging(self._transfer) if maintains else self._transfer
        self._habits = Habits(checks=verifies)
        self._shots = shots
        self._ical = ical
        self._lessons: dict[Hashable, Step] = {}
        self._made: dict[str, Step] = {}
        """Item -> the step that last made it in a way not seen before."""
        self._used: dict[str, dict[str, None]] = {}
        """Item -> everything that was laid to make it, in order of first use."""
        self._names = TextIndex(encoder)
        self._places: dict[str, dict[Cell, None]] = {}
        """Block kind -> where one was seen nearest; of episodes alone, which share a land."""
        self._things = TextIndex(encoder)
        """Everything ever held, by name."""
        self._wanted: tuple[str, ...] = ()
        """Items that the present goal asks for; empty where it asks for no certain thing."""
        self._fight: Fell | None = None
        """The present goal where it is a fight: what served against another creature vouches for nothing."""

    @property
    def policy(self) -> MemoryPolicy:
        """Transfer along the axes; nothing without ICAL."""
        return self._policy

    @property
    def habits(self) -> Habits:
        """The reasoner's own, but for the verifier."""
        return self._habits

    def show(self, episode: Episode) -> None:
        """Keep a demonstration, described; what was in sight there is of another land."""
        for step in episode.steps:
            self._keep(step)
            self._notice(step.before.inventory)
            self._notice([item for item, change in step.outcome.inventory_delta.items() if change > 0])
        csd = describe(episode)
        if isinstance(csd, Csd):
            self._policy.remember(csd)

    def recall(self, question: Question) -> Recalled:
        """Give back every lesson and the nearest place of each kind of block; this aims suggestions.

        Asked for an item, what was made and is nearest by name; for a block, its nearest place.
        """
        if question.block is not None:
            return Recalled(places=self._nearest_places([question.block], question.seen))
        if question.item is not None:
            return Recalled(exemplars=self._makings(self._nearest(question.item)))
        self._fight = question.goal if isinstance(question.goal, Fell) else None
        self._profiles.look(question.seen)
        self._notice(question.seen.inventory)
        nearest = self._nearest(question.goal.text)
        self._wanted = tuple(question.goal.items) if isinstance(question.goal, Have) else ()
        self._transfer.focus(nearest if self._wanted else ())
        self._transfer.bear(self._bearing())
        return Recalled(
            steps=tuple(self._lessons.values()),
            exemplars=self._makings(nearest),
            places=self._nearest_places(list(self._places), question.seen),
        )

    def fits(self, role: Role, items: Sequence[str]) -> Mapping[str, float]:
        """Return how likely each item serves, from what served or not and how alike they are on the axes.

        Smoothed by kernel (Nadaraya-Watson): the outcomes of the most alike tried items weigh by likeness to
        the power `SHARPNESS`, beside a prior of one half that weighs `DOUBT`.
        """
        served = self._served(role)
        if not self._ical or not served:
            return {}
        names = list(dict.fromkeys((*items, *served)))
        kernel = self._transfer.inducer.alike(names) ** SHARPNESS
        place = {name: n for n, name in enumerate(names)}
        fits: dict[str, float] = {}
        for item in items:
            nearest = sorted(served, key=lambda one: -kernel[place[item], place[one]])[: self._shots]
            weights = {one: float(kernel[place[item], place[one]]) for one in nearest}
            good = sum(weight for one, weight in weights.items() if served[one])
            fits[item] = (good + 0.5 * DOUBT) / (sum(weights.values()) + DOUBT)
        return fits

    def take_in(self, step: Step, fresh: Sequence[str], after: Observation) -> None:
        """Keep the step if it teaches something not taught before, and where what is in sight stands."""
        self._keep(step)
        if fresh:
            self._notice(fresh)
            self._transfer.bear(self._bearing())
        self._look(step.before)
        self._look(after)
        if isinstance(step.action, GoTo):
            for kind, cells in self._places.items():
                if kind not in after.blocks:
                    cells.pop(step.action.target, None)

    def close(self, ended: Ended) -> None:
        """Nothing is left to do: steps were kept as they came."""

    def _keep(self, step: Step) -> None:
        taught = lesson(step)
        if taught is None or taught in self._lessons:
            return
        self._lessons[taught] = step
        if isinstance(step.action, Craft | Smelt) and step.outcome.ok:
            for item, change in step.outcome.inventory_delta.items():
                if change > 0:
                    self._made[item] = step
                    laid = Arrangement.laid_by(step.action)
                    if laid is not None:
                        self._used.setdefault(item, {}).update(dict.fromkeys(laid.fillers))
                    self._names.set(item, item)

    def _notice(self, items: Iterable[str]) -> None:
        for item in items:
            self._things.set(item, item)

    def _bearing(self) -> dict[str, float]:
        """Return how much each thing ever held bears on what is wanted as material, in [0, 1].

        By its name, or by that of a thing that it went into: the cosine to the nearest of what is wanted, 0
        at or below the mean over all things and 1 at the highest. What is wanted and was made before is
        among these things, so that a first piece tells what the others are made of. Empty where all of it
        was made: then its makings say more than names do.
        """
        if all(item in self._made for item in self._wanted):
            return {}
        cosines: dict[str, float] = {}
        for wanted in self._wanted:
            for item, cosine in self._things.nearest(wanted):
                cosines[item] = max(cosine, cosines.get(item, -1.0))
        for product, used in self._used.items():
            if product in cosines:
                for item in used:
                    cosines[item] = max(cosines[product], cosines.get(item, -1.0))
        if not cosines:
            return {}
        mean, top = sum(cosines.values()) / len(cosines), max(cosines.values())
        return {item: max(0.0, cosine - mean) / max(top - mean, 1e-6) for item, cosine in cosines.items()}

    def _look(self, seen: Observation) -> None:
        for kind, block in seen.blocks.items():
            self._places.setdefault(kind, {})[block.nearest] = None

    def _nearest_places(self, kinds: Sequence[str], seen: Observation) -> dict[str, Cell]:
        """Return each kind's place nearest to the body, ties to the first seen; none for one without any."""

        def away(cell: Cell) -> float:
            return sum(abs(one - other) for one, other in zip(cell, seen.position, strict=True))

        return {kind: min(cells, key=away) for kind in kinds if (cells := self._places.get(kind))}

    def _nearest(self, asked: str) -> list[str]:
        """Return the made things whose names are nearest to what is asked, nearest first."""
        return [name for name, _ in self._names.nearest(asked, self._shots)]

    def _makings(self, names: Sequence[str]) -> tuple[Step, ...]:
        return tuple(self._made[name] for name in names)

    def _served(self, role: Role) -> dict[str, bool]:
        """Return item -> whether it served in `role`, by the latest lesson that says so."""
        served: dict[str, bool] = {}
        for step in self._lessons.values():
            action, outcome = step.action, step.outcome
            match role, action:
                case "fuel", Smelt():
                    served[action.fuel] = outcome.code != "not_fuel"
                case "bridge", Place() if action.target is not None and goal_gain(outcome) is not None:
                    served[action.item] = (goal_gain(outcome) or 0) > 0
                case "weapon", Attack() if self._fight is not None and action.mob == self._fight.mob:
                    served[step.before.mainhand or HAND] = outcome.work_ticks <= self._fight.within
                case _:
                    continue
        return served
