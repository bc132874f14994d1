"""Procedure statements: what was done in which order, what it used up and what had to be there before."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from csd.build_attr import tool_wore
from csd.descriptor import Statement
from csd.episode import Episode, Step
from csd.scene import MOVING, Notes, Scene, dug_block, station_for
from csd.wording import action_words, amount_words, change_words, step_words

WAYS = {"mine": "collect", "craft": "craft", "smelt": "smelt", "collect": "collect", "attack": "attack"}
"""Verb -> how it makes a product: a dug block is won in one way, whether it was walked to or not."""


def proc_statements(scene: Scene) -> tuple[Statement, ...]:
    """Describe how the product came about, then the steps of the episode in order."""
    notes = Notes(scene.episode.id)
    if scene.product is not None and scene.verb in WAYS:
        _making(notes, scene, scene.product)
    _steps(notes, scene)
    return notes.statements()


def _making(notes: Notes, scene: Scene, product: str) -> None:
    index, outcome = scene.index, scene.step.outcome
    notes.add(product, "made_by", WAYS[scene.verb], index, "outcome", outcome.code)
    used = [(item, -change) for item, change in outcome.inventory_delta.items() if change < 0]
    for item, amount in used:
        notes.add(
            product, "consumes", amount_words(item, amount), index, "inventory", change_words(item, -amount)
        )
    for item, change in outcome.inventory_delta.items():
        if change > 0:
            notes.add(item, "yields", change, index, "inventory", change_words(item, change))
    for item, _ in used:
        notes.add(product, "after", item, index, "observation", f"{item} carried")
    station, block = station_for(scene.step), dug_block(scene.step)
    if station is not None:
        notes.add(product, "after", station.block, index, "observation", f"{station.block} within reach")
    if block is not None:
        notes.add(product, "after", block, index, "outcome", f"dug {block}")
        if scene.step.before.mainhand is not None and tool_wore(scene, index):
            notes.add(
                product, "after", scene.step.before.mainhand, index, "observation", "held and worn by it"
            )
    notes.add(product, "ticks", outcome.ticks, index, "outcome")


def _steps(notes: Notes, scene: Scene) -> None:
    """Number the steps that decided something; equal ones in a row become one with a count."""
    for number, run in enumerate(told_runs(scene.episode), start=1):
        for index in run.indices:
            notes.add(str(number), "step", step_words(run.words, run.code, len(run.indices)), index, "action")


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """Steps in a row that did the same and ended alike."""

    words: str
    """What was done, as `action_words` says it."""
    code: str
    indices: tuple[int, ...]
    """Which steps of the episode they are."""


def told_runs(episode: Episode) -> tuple[Run, ...]:
    """Return the steps of `episode` that are told, in order; equal ones in a row, but for moves, are one."""
    entries = [
        (index, action_words(step), step.outcome.code)
        for index, step in enumerate(episode.steps)
        if is_told(step)
    ]
    return tuple(
        Run(words=words, code=code, indices=tuple(index for index, _, _ in group))
        for (words, code), group in groupby(entries, key=lambda entry: entry[1:])
    )


def is_told(step: Step) -> bool:
    """Return whether a step did more than bring the body into position, or failed at that."""
    return step.action.kind not in MOVING or not step.outcome.ok
