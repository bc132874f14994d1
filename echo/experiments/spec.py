"""What one unlocking run is: agent, axes, seed, budget and circumstances, resolved and digested."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from csd.axes import AXES, Axis, parse_axes
from csd.descriptor import canonical_json
from echo.experiments.reasoner_names import RULE, slug

FORMAT = 1
"""Version of the result files' format; a folder of another version is refused."""

Agent = Literal[
    "none", "edits", "name-similarity", "bow",
    "voyager", "jarvis-1", "mrsteve", "mp5", "pro-long", "vista", "echo-release",
    "echo",
]  # fmt: skip

AGENTS: tuple[Agent, ...] = get_args(Agent)
"""Agents an unlocking run can be played by, in the order of all tables."""

MILESTONES: tuple[str, ...] = (
    "crafting_table",
    "wooden_pickaxe",
    "furnace",
    "stone_pickaxe",
    "iron_ingot",
    "iron_pickaxe",
    "iron_chestplate",
    "shield",
    "diamond",
    "diamond_pickaxe",
    "diamond_chestplate",
)
"""Items whose first gain is reported: the game's story advancements that such a world can reach."""

CHECKPOINTS: tuple[int, ...] = (1_000, 2_000, 5_000, 8_000)
"""Counted actions at which item counts are tabled."""

SPEEDUP_COUNTS: tuple[int, ...] = (60, 80, 100, 120)
"""Unique items at which agents are compared in speed."""

Encoder = Literal["minilm", "hashing"]
Recording = Literal["none", "unlocks", "all"]


class UsageError(ValueError):
    """What was asked for cannot be meant; the command line ends with exit code 2."""


class FileRecord(BaseModel):
    """A strict, immutable record in a result file."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class WorldSettings(FileRecord):
    """The part of the world's options that an unlocking run fixes."""

    version: str = "1.17.1"
    """Game version whose facts and terrain are used."""
    withheld: tuple[str, ...] = ()
    """Real names of items that never appear."""
    mobs: tuple[str, ...] = ()
    """Creature kinds that roam the land."""


class UnlockSpec(FileRecord):
    """One unlocking run, fully resolved: equal specs give equal results."""

    agent: Agent
    axes: tuple[Axis, ...] = AXES
    """Axes the agent may use, in canonical order; all of them for agents that use none."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Seed of the world and of every choice in it."""
    steps: Annotated[int, Field(ge=1)] = 2_000
    """Budget in counted actions."""
    shots: Annotated[int, Field(ge=0, le=8)] = 2
    """Demonstrated recipes put into memory before the start."""
    invented_names: Annotated[int, Field(ge=0)] | None = None
    """Seed of a renaming of all items, or None for the real names."""
    encoder: Encoder = "minilm"
    record: Recording = "unlocks"
    """Which episodes are kept on disk."""
    world: WorldSettings = WorldSettings()
    reasoner: str = RULE
    """Who decides, as `echo.experiments.reasoner.resolved` names it."""

    @model_serializer(mode="wrap")
    def _without_rule(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the reasoner where it is the rule: specs of before there were others stay the same."""
        told: dict[str, Any] = dump(self)
        if told.get("reasoner") == RULE:
            del told["reasoner"]
        return told

    @model_validator(mode="after")
    def _axes_in_order(self) -> Self:
        ordered = tuple(axis for axis in AXES if axis in self.axes)
        if self.axes != ordered or not ordered:
            raise ValueError(f"expected axes in canonical order without repetition; got {self.axes!r}.")
        return self

    @property
    def label(self) -> str:
        """Name of the competitor in tables: the agent, with its axes where some are missing."""
        return self.agent if self.axes == AXES else f"{self.agent}[{mask_text(self.axes)}]"

    @property
    def name(self) -> str:
        """Name of the run's files, such as ``echo-s03`` or ``echo-without-func-by-MODEL-s03``."""
        mask = mask_text(self.axes)
        if self.axes == AXES:
            middle = ""
        elif mask.startswith("-"):
            middle = f"-without-{mask[1:]}"
        else:
            middle = "-only-" + mask.replace(",", "-")
        by = f"-{slug(self.reasoner)}" if self.reasoner != RULE else ""
        return f"{self.agent}{middle}{by}-s{self.seed:02d}"

    @property
    def digest(self) -> str:
        """Sha256 of the canonical JSON, 64 hexadecimal digits."""
        return hashlib.sha256(canonical_json(self.model_dump(mode="json")).encode()).hexdigest()

    @property
    def circumstances(self) -> dict[str, object]:
        """Everything but agent, axes and seed: what runs in one folder must have in common."""
        return self.model_dump(mode="json", exclude={"agent", "axes", "seed"})


def mask_text(axes: Sequence[Axis]) -> str:
    """Return the shortest text that `csd.axes.parse_axes` reads back as `axes`.

    >>> mask_text((Axis.STRUCT, Axis.ATTR, Axis.PROC, Axis.INTER))
    '-func'
    """
    removed = [axis.value for axis in AXES if axis not in axes]
    if not removed:
        return "all"
    if len(removed) == 1:
        return f"-{removed[0]}"
    return ",".join(axis.value for axis in AXES if axis in axes)


def parse_seeds(text: str) -> tuple[int, ...]:
    """Read seeds as users write them.

    Args:
        text: One seed (``"3"`` is seed 3 alone), a range with both ends (``"0-9"``), or a list of
            these (``"1,5,8"``).

    Returns:
        The seeds in the order written, without repetition.

    Raises:
        UsageError: on anything else.

    >>> parse_seeds("3"), parse_seeds("0-3"), parse_seeds("1,5,8")
    ((3,), (0, 1, 2, 3), (1, 5, 8))
    """
    seeds: dict[int, None] = {}
    for part in text.split(","):
        matched = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", part)
        first, last = (int(matched[1]), int(matched[2] or matched[1])) if matched else (1, 0)
        if last < first or last - first >= 10_000:
            raise UsageError(
                f"expected seeds as '3' (that one), '0-9' (a range, both ends in it) or '1,5,8'; "
                f"got {text!r} for --seeds. Write whole numbers from 0, ranges upwards."
            )
        seeds.update(dict.fromkeys(range(first, last + 1)))
    return tuple(seeds)


def parse_agents(text: str) -> tuple[Agent, ...]:
    """Read a comma-separated list of agents, kept in the order written without repetition.

    Raises:
        UsageError: on an unknown name or an empty list.
    """
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in AGENTS]
    if unknown or not names:
        raise UsageError(
            f"expected agents out of {', '.join(AGENTS)}, separated by commas; got {text!r} for --agents."
            f"{_near(unknown, AGENTS)} Variants of echo with fewer axes are asked for with --axes."
        )
    return tuple(agent for name in names for agent in AGENTS if agent == name)


def _near(names: Iterable[str], known: Sequence[str]) -> str:
    """Return which `known` names the unknown ones of `names` may stand for, in words; empty for none."""
    close = [
        match
        for name in names
        if name not in known
        for match in get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    ]
    return f" Did you mean {' or '.join(dict.fromkeys(close))}?" if close else ""


def parse_variants(texts: Iterable[str]) -> tuple[tuple[Axis, ...], ...]:
    """Read axis variants, each of which makes an extra competitor.

    Args:
        texts: Masks as `csd.axes.parse_axes` reads them; one text may hold several, split by ``;``.

    Returns:
        The masks in the order written, without repetition and without the one that keeps all axes.

    Raises:
        UsageError: on an unknown axis or a mask that keeps none.
    """
    masks: dict[tuple[Axis, ...], None] = {}
    for mask in (part for text in texts for part in text.split(";") if part.strip()):
        try:
            axes = parse_axes(mask)
        except ValueError as error:
            hint = _near([name.strip(" -") for name in mask.split(",")], [axis.value for axis in AXES])
            raise UsageError(f"{error} (--axes){hint}") from error
        if not axes:
            raise UsageError(
                f"expected a mask that keeps at least one axis; got {mask!r} for --axes. "
                f"The agent 'edits' is the one without axes."
            )
        if axes != AXES:
            masks[axes] = None
    return tuple(masks)


def make_grid(
    base: UnlockSpec, *, agents: Sequence[str], variants: Sequence[tuple[Axis, ...]], seeds: Sequence[int]
) -> tuple[UnlockSpec, ...]:
    """Return every run of an experiment: seeds outermost, so that all competitors advance together.

    Args:
        base: Gives everything but agent, axes and seed.
        agents: Agents with all axes.
        variants: Masks, each played by ``echo``.
        seeds: One run of each competitor a seed.
    """
    competitors = [(agent, AXES) for agent in agents] + [("echo", axes) for axes in variants]
    return tuple(
        UnlockSpec.model_validate({**base.model_dump(), "agent": agent, "axes": axes, "seed": seed})
        for seed in seeds
        for agent, axes in competitors
    )
