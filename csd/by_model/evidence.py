"""Finding the records of an episode that bear a statement out.

A model that writes a descriptor names no steps: small ones count badly, and a pointer to the wrong step would
cost a true statement. What a statement says is looked up instead, with the same table as grounding uses.
"""

from __future__ import annotations

from csd.axes import Axis
from csd.build_proc import Run, told_runs
from csd.descriptor import Evidence, Value
from csd.episode import Episode
from csd.ground import SEEN_ONLY, SHOWN
from csd.scene import Kind, Scene
from csd.witness import Witness
from csd.wording import step_words

KINDS: dict[str, Kind] = {
    "grid": "action",
    "fills": "action",
    "cells": "action",
    "part": "action",
    "above": "action",
    "beside": "action",
    "symmetry": "action",
    "slot": "action",
    "step": "action",
    "supports": "action",
    "consumes": "inventory",
    "yields": "inventory",
    "drops": "inventory",
    "serves": "inventory",
    "lies": "observation",
    "near": "observation",
    "colour": "observation",
    "stack_size": "observation",
    "wears": "observation",
    "affords": "observation",
    "station": "observation",
}
"""Predicate -> kind of the record that shows it; the outcome where it is not in the table."""

EVERY_STEP = frozenset(
    {
        "placeable",
        "dig_ticks",
        "yielded_to",
        "refused",
        "drops",
        "wears",
        "edible",
        "burns",
        "opens",
        "tried",
        "feedback",
        "failed",
    }
)
"""Predicates for which each step that shows them counts; of all others the one nearest to the decision."""


def evidence_for(
    scene: Scene, axis: Axis, subject: str, predicate: str, value: Value
) -> tuple[Evidence, ...]:
    """Return the evidence for a statement in the episode of `scene`, empty where nothing there shows it.

    Of predicates that any step may show, every step that does; of the others the deciding step, else the
    moment after it, else the last one before it, else the first one later.
    """
    episode = scene.episode
    if predicate == "step":
        return _evidence(episode, predicate, _run_indices(episode, subject, value))
    moments = [
        index
        for index in _moments(scene, predicate)
        if _shows(Witness(episode=episode, index=index), axis, subject, predicate, value)
    ]
    if predicate == "opens":
        return _evidence(episode, predicate, _refused_then_yielded(episode, moments, subject))
    if predicate in EVERY_STEP:
        return _evidence(episode, predicate, tuple(sorted(moments)))
    return _evidence(episode, predicate, tuple(moments[:1]))


def _moments(scene: Scene, predicate: str) -> list[int]:
    last = len(scene.episode.steps) - (predicate not in SEEN_ONLY)
    order = [scene.index, scene.index + 1, *range(scene.index - 1, -1, -1), *range(scene.index + 2, last + 1)]
    return [index for index in order if index <= last]


def _shows(witness: Witness, axis: Axis, subject: str, predicate: str, value: Value) -> bool:
    # Equal type as well as equal value, as in grounding: True is not 1.
    shown = SHOWN[axis][predicate](witness, subject)
    return any(type(one) is type(value) and one == value for one in shown)


def _run_indices(episode: Episode, number: str, value: Value) -> tuple[int, ...]:
    runs = told_runs(episode)
    if not number.isdecimal() or not 1 <= int(number) <= len(runs):
        return ()
    run: Run = runs[int(number) - 1]
    return run.indices if value == step_words(run.words, run.code, len(run.indices)) else ()


def _refused_then_yielded(episode: Episode, moments: list[int], tool: str) -> tuple[int, ...]:
    """Steps that together show that `tool` opens a block: a refusal first, and a yield after it."""
    yields = [index for index in moments if episode.steps[index].outcome.ok]
    refusals = [index for index in moments if not episode.steps[index].outcome.ok]
    both = [(early, late) for early in sorted(refusals) for late in sorted(yields) if early < late]
    return both[0] if both else ()


def _evidence(episode: Episode, predicate: str, indices: tuple[int, ...]) -> tuple[Evidence, ...]:
    kind = KINDS.get(predicate, "outcome")
    return tuple(Evidence(episode=episode.id, step=index, kind=kind) for index in indices)
