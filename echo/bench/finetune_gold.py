"""What is alike on each axis by the rules of the game: what written descriptors are found by, or not.

Of two episodes the rules say, axis by axis:

- struct: both made something, and the recipes have the same shape of grid.
- attr: what was dug, put down or used up is as hard, yields to the same class of tool, and stacks as high.
- proc: the same was done (craft, smelt, collect, ...) at the same kind of station.
- func: what was made is for the same: a tool of one class, food, a block, fuel, or an ingredient; and of what
  was dug, the same tools open it.
- inter: the deciding step ended with the same outcome code.

The rules are read from the game's facts, under the names that the memory showed. Nothing here is known to
whoever writes or is taught.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from csd.axes import Axis
from csd.build import describe
from csd.descriptor import Csd
from csd.episode import Craft, Drop, Episode, Place, Smelt
from csd.ground import names_seen
from csd.pattern import shape
from csd.scene import Scene, dug_block, grid_rows, scene_of
from echo.bench.two_stage_questions import truth_of
from echo.bench.two_stage_truth import Truth
from echo.worlds.minecraft.facts import Facts
from echo.worlds.minecraft.names import NameBook
from ical.retrieve import materials_of

_NUMBER = re.compile(r"(\d+)$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """An episode with what the rules of describing say of it."""

    name: str
    """Over all memories, such as 'echo-s50/ep_000012'."""
    episode: Episode
    csd: Csd

    @property
    def memory(self) -> str:
        """Name of the memory it was recorded in."""
        return self.name.rpartition("/")[0]


def told_of(name: str, episode: Episode) -> Told | None:
    """Return `episode` with its descriptor by the rules, None where they give none."""
    made = describe(episode)
    return Told(name=name, episode=episode, csd=made) if isinstance(made, Csd) else None


class Rules:
    """The rules of the game under the names that one memory showed."""

    def __init__(self, facts: Facts, seed: int | None) -> None:
        """Read `facts` under the names invented by `seed`; None for the real names."""
        self._facts = facts
        self._names = NameBook((*facts.items, *facts.blocks, *facts.mobs), seed)
        self._truth: Truth = truth_of(seed, facts)
        self._known = frozenset((*facts.items, *facts.blocks, *facts.mobs))

    def knows(self, names: Iterable[str]) -> bool:
        """Return whether each of `names` is the name of something under these rules."""
        return all(self._names.real(name) in self._known for name in names)

    def labels(self, told: Told) -> dict[Axis, str]:
        """Return axis -> label. Episodes of equal label are alike there, one without a label is like none."""
        scene = scene_of(told.episode)
        if scene is None:
            return {}
        found = {
            Axis.STRUCT: self._shape(told.csd),
            Axis.ATTR: self._nature(scene, told.csd),
            Axis.PROC: f"{scene.verb} {_station(scene)}",
            Axis.FUNC: self._use(scene, told.csd),
            Axis.INTER: scene.step.outcome.code,
        }
        return {axis: label for axis, label in found.items() if label is not None}

    def _shape(self, csd: Csd) -> str | None:
        made = self._truth.made(csd) if csd.meta.verb == "craft" else None
        return None if made is None else made.shape

    def _nature(self, scene: Scene, csd: Csd) -> str | None:
        """Return the natures of the block dug, the thing put down, or the materials of a success."""
        block = dug_block(scene.step)
        if block is not None:
            return self._nature_of(block)
        match scene.step.action:
            case Place() | Drop():
                return self._nature_of(scene.step.action.item)
            case Craft() | Smelt() if scene.step.outcome.ok:
                natures = [self._nature_of(item) for item in materials_of(csd)]
                known = [nature for nature in natures if nature is not None]
                return " and ".join(sorted(dict.fromkeys(known))) or None
            case _:
                return None

    def _nature_of(self, shown: str) -> str | None:
        real = self._names.real(shown)
        item = self._facts.items.get(real or "")
        block = self._facts.blocks.get((item.block if item is not None else real) or "")
        if block is not None:
            return f"hardness {block.hardness} {block.tool_class} {'tool' if block.harvest_tools else 'hand'}"
        return None if item is None else f"stack {item.stack_size} {item.tool_class}"

    def _use(self, scene: Scene, csd: Csd) -> str | None:
        if dug_block(scene.step) is not None:
            return self._truth.dug(csd)
        if scene.verb not in ("craft", "smelt") or not csd.meta.success or csd.meta.product is None:
            return None
        item = self._facts.items.get(self._names.real(csd.meta.product) or "")
        if item is None:
            return None
        uses = (
            (item.tool_class is not None, f"tool {item.tool_class}"),
            (item.food is not None, "food"),
            (item.block is not None, "block"),
            (item.fuel_ticks is not None, "fuel"),
        )
        return next((use for holds, use in uses if holds), "ingredient")


def rules_of(told: Sequence[Told], facts: Facts, seeds: Sequence[int] = ()) -> dict[str, Rules | None]:
    """Return memory -> the rules under whose names everything in its episodes has a meaning.

    Args:
        told: episodes of some memories.
        facts: of the game.
        seeds: of invented names. Tried are the real names, these, and the numbers in which names of memories
            end, which are seeds of runs.

    Returns:
        None for a memory that none of these explains.
    """
    named: dict[str, dict[str, None]] = {}
    for one in told:
        named.setdefault(one.memory, {}).update(dict.fromkeys(names_seen(one.episode)))
    ends = [int(found.group(1)) for memory in named if (found := _NUMBER.search(memory))]
    tried: dict[int | None, Rules] = {}

    def explaining(names: Mapping[str, None]) -> Rules | None:
        for seed in dict.fromkeys([None, *seeds, *sorted(ends)]):
            if seed not in tried:
                tried[seed] = Rules(facts, seed)
            if tried[seed].knows(names):
                return tried[seed]
        return None

    return {memory: explaining(names) for memory, names in named.items()}


def _station(scene: Scene) -> str:
    """Return the kind of station that the action needs by the rules, whether it was there or not."""
    match scene.step.action:
        case Smelt():
            return "at a furnace"
        case Craft() if max(shape(grid_rows(scene.step.action.grid) or ".")) > 2:
            return "at a table"
        case _:
            return "by hand"
