"""Carrying over: from an idea that was chosen to the task behind it, along the axes that may speak.

Source: Echo §3.4 (steps 2 and 3: correspondences, then induction). It says why and how an idea is done, not
which idea: choosing among all slots and items is `ical.loop`'s; a mapping for each would take minutes.
"""

from __future__ import annotations

from dataclasses import replace

from csd.axes import AXES, Axis
from csd.descriptor import Csd
from echo.agent.policy import Idea
from ical.map import StructureMapping, map_statements
from ical.query import Mentions, statements_of
from ical.retrieve import context_of
from ical.slots import Slot
from ical.task import InducedTask, carry_over


class Carrier:
    """Remembered descriptors by id and by what they mention, on the axes kept."""

    def __init__(self, axes: tuple[Axis, ...]) -> None:
        """Start without memory.

        Args:
            axes: those that may speak; without any, nothing is remembered and nothing carried over.
        """
        self._axes = axes
        self._csds: dict[str, Csd] = {}
        self._mentions = Mentions()
        self._mapped: dict[tuple[str, str, str], StructureMapping] = {}
        """Mappings made since the memory last grew: what is known of an item changes with it."""

    def remember(self, csd: Csd, id: str) -> None:
        """Take in one descriptor under its id."""
        if self._axes:
            self._csds[id] = csd
            self._mentions.remember(csd)
            self._mapped.clear()

    def mapping(self, exemplar: str, replaced: str, item: str) -> StructureMapping | None:
        """Return the mapping from an exemplar's things to what is known of `item`.

        Args:
            exemplar: id of a remembered descriptor.
            replaced: its thing whose part `item` is to take.
            item: what takes it.

        Returns:
            The mapping; None where no axis may speak.

        Raises:
            KeyError: on the id of a descriptor that was never remembered.
        """
        if not self._axes:
            return None
        key = (exemplar, replaced, item)
        if key not in self._mapped:
            csd = self._csds[exemplar]
            self._mapped[key] = map_statements(
                statements_of(csd, self._axes),
                self._mentions.about(item, self._axes),
                axes=self._axes,
                context=context_of(csd, self._mentions, self._axes),
                parts={item: (replaced,)},
            )
        return self._mapped[key]

    def task(
        self, idea: Idea, slot: Slot, item: str, mapping: StructureMapping, fuel: str | None
    ) -> InducedTask:
        """Return the task of an idea: its first exemplar done again with `item` in `slot`."""
        # Where no axis spoke for the choice itself, the correspondence says which axes support it.
        shares = {axis: idea.axes[axis.value] for axis in AXES if axis.value in idea.axes} or None
        task = carry_over(
            slot,
            item,
            self._csds[idea.exemplars[0]],
            mapping,
            fuel=fuel,
            success=idea.success,
            shares=shares,
        )
        return replace(task, source=idea.source)
