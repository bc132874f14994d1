"""Small descriptors written by hand, shared by the tests of the memory half."""

from __future__ import annotations

from csd.axes import Axis
from csd.descriptor import Csd, Evidence, Meta, Statement, Value

EVIDENCE = (Evidence(episode="ep_000001", step=0, kind="outcome", detail="seen"),)


def says(subject: str, predicate: str, value: Value) -> Statement:
    """Return a statement with some evidence."""
    return Statement(subject=subject, predicate=predicate, value=value, evidence=EVIDENCE)


def meta(task: str = "make a wooden_pickaxe", *, success: bool = True, step: int = 0) -> Meta:
    """Return the circumstances of a craft."""
    return Meta(
        task=task,
        success=success,
        product="wooden_pickaxe",
        verb="craft",
        position=(0.5, 64.0, -3.5),
        step=step,
        tick=20 * step,
        biome="forest",
        objects=("crafting_table", "oak_log"),
        world="test-1",
        builder="hand/1",
        episodes=("ep_000001",),
    )


def wooden_pickaxe() -> Csd:
    """Return a descriptor with statements on all five axes."""
    return Csd(
        meta=meta(),
        struct=(
            says("wooden_pickaxe", "grid", "AAA/.B./.B."),
            says("oak_planks", "fills", "A"),
            says("stick", "fills", "B"),
            says("oak_planks", "cells", 3),
            says("oak_planks", "part", "top row"),
            says("A", "above", "B"),
            says("wooden_pickaxe", "symmetry", "mirror"),
        ),
        attr=(
            says("oak_planks", "colour", "light brown"),
            says("oak_planks", "placeable", True),
            says("stick", "placeable", False),
            says("oak_log", "dig_ticks", 60),
        ),
        proc=(
            says("wooden_pickaxe", "made_by", "craft"),
            says("wooden_pickaxe", "consumes", "oak_planks x3"),
            says("wooden_pickaxe", "consumes", "stick x2"),
            says("wooden_pickaxe", "yields", 1),
            says("wooden_pickaxe", "after", "crafting_table"),
        ),
        func=(says("oak_planks", "plays", "head"), says("stick", "plays", "handle")),
        inter=(says("craft AAA/.B./.B. of oak_planks x3, stick x2", "tried", "ok"),),
    )


def digging(block: str, *, task: str = "dig", success: bool = True, step: int = 0) -> Csd:
    """Return a descriptor with one statement, on the attribute axis only."""
    return Csd(meta=meta(task, success=success, step=step), attr=(says(block, "drops", block),))


def playing(item: str, role: str) -> Csd:
    """Return a descriptor with one statement, on the function axis only."""
    return Csd(meta=meta(f"use {item}"), func=(says(item, "plays", role),))


def axes_of(csd: Csd) -> list[Axis]:
    """Return the axes on which `csd` says something."""
    return [axis for axis in Axis if csd.axis(axis)]
