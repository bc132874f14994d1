"""What the Echo paper reports, as data: shown in columns of its own, never mixed with what was measured."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from csd.axes import AXES
from csd.resources import data_file


@dataclass(frozen=True, kw_only=True)
class Reported:
    """Success of one agent on one task as the paper gives it, shares in [0, 1]."""

    at10: float
    at30: float


@dataclass(frozen=True, kw_only=True)
class Paper:
    """The paper's figures that ours stand beside. Source: Echo, Table 1, Fig. 7 and Fig. 8."""

    source: str
    families: Mapping[str, tuple[str, ...]]
    """Family -> its tasks under the paper's names, in the paper's order."""
    table1: Mapping[str, Mapping[str, Reported]]
    """Label of a competitor -> task as `plain_task` writes it -> success."""
    removal: Mapping[str, Mapping[str, float]]
    """Family -> axis -> change in success when the axis is removed, in [-1, 1]; only those that it names."""
    heatmap: Mapping[str, Mapping[str, float]]
    """Family -> axis, in canonical order -> correlation of task and axis."""
    continual: Mapping[str, float]
    """Label -> share of mixed episodes that succeed at the end, in [0, 1]."""
    continual_episode: int
    """Episode at which `continual` was read off."""

    def reported(self, label: str, task: str) -> Reported | None:
        """Return what it gives for a competitor and a task, None where it gives nothing."""
        return self.table1.get(label, {}).get(plain_task(task))

    def mean(self, label: str, tasks: tuple[str, ...]) -> Reported | None:
        """Return the mean over `tasks`, None unless it gives all of them."""
        found = [self.reported(label, task) for task in tasks]
        known = [one for one in found if one is not None]
        if not known or len(known) < len(found):
            return None
        return Reported(
            at10=sum(one.at10 for one in known) / len(known), at30=sum(one.at30 for one in known) / len(known)
        )

    def family_of(self, task: str) -> str | None:
        """Return the family of a task, None for a task that the paper does not have."""
        plain = plain_task(task)
        for family, members in self.families.items():
            if plain in map(plain_task, members):
                return family
        return None

    def title(self, task: str) -> str:
        """Return the paper's name of a task, such as IronPickaxe; the name itself for a task of our own."""
        named = {plain_task(member): member for members in self.families.values() for member in members}
        return named.get(plain_task(task), task)

    @property
    def order(self) -> tuple[str, ...]:
        """The twelve tasks in the order of the table, as `plain_task` writes them."""
        return tuple(plain_task(task) for members in self.families.values() for task in members)


def plain_task(name: str) -> str:
    """Return a task's name as the paper's and the files' spelling have in common.

    >>> plain_task("IronPickaxe"), plain_task("iron_pickaxe"), plain_task("iron-pickaxe")
    ('ironpickaxe', 'ironpickaxe', 'ironpickaxe')
    """
    return name.replace("_", "").replace("-", "").lower()


@cache
def load_paper() -> Paper:
    """Read the paper's figures.

    Raises:
        ValueError: if a row of the table has not one pair a task, or the heat map lacks an axis.
    """
    text = data_file("paper", "echo-table1.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    families = {family: tuple(tasks) for family, tasks in content["families"].items()}
    tasks = [plain_task(task) for members in families.values() for task in members]
    table1: dict[str, dict[str, Reported]] = {}
    for label, row in content["table1"].items():
        if len(row) != len(tasks):
            raise ValueError(f"expected {len(tasks)} pairs for {label} in echo-table1.toml; got {len(row)}.")
        table1[label] = {
            task: Reported(at10=at10 / 100, at30=at30 / 100)
            for task, (at10, at30) in zip(tasks, row, strict=True)
        }
    return Paper(
        source=content["source"],
        families=families,
        table1=table1,
        removal={
            family: {axis: points / 100 for axis, points in drops.items()}
            for family, drops in content["removal"].items()
        },
        heatmap={family: _in_order(family, content["heatmap"]) for family in families},
        continual={label: percent / 100 for label, percent in content["continual"]["at_end"].items()},
        continual_episode=content["continual"]["episode"],
    )


def _in_order(family: str, heatmap: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return a row of the heat map in the canonical order of the axes."""
    row = heatmap.get(family, {})
    missing = [axis.value for axis in AXES if axis.value not in row]
    if missing:
        raise ValueError(f"expected every axis of {family} in echo-table1.toml; got none of {missing}.")
    return {axis.value: float(row[axis.value]) for axis in AXES}
