"""Whether what came of an action is what was expected of it."""

from __future__ import annotations

import math

from csd.episode import GoTo, Observation, Step
from echo.mfm.procedural.actions import Expectation
from echo.mfm.procedural.conditions import Finding, findings

_CHANGES = frozenset({"collect", "craft", "smelt"})
"""Actions that, done, must show in what is carried."""

_REACH = 6.0
"""Blocks from the body within which a walk's target counts as reached."""


def surprise(step: Step, after: Observation, expected: Expectation) -> Finding | None:
    """Return the first thing about a step that is a surprise, or None.

    In order: an outcome that was not expected; more health lost than allowed; what the outcome announces does
    not show in what is carried, or a digging, crafting or smelting that is said to have worked changed
    nothing there; a walk that is said to have worked led nowhere; a condition that does not hold.

    Args:
        step: What was seen before, done, and brought about.
        after: What is seen after it.
        expected: What it was expected to bring.
    """
    outcome = step.outcome
    if expected.codes is not None and outcome.code not in expected.codes:
        return Finding(
            condition="code", expected=" or ".join(expected.codes), got=f"{outcome.code} ({outcome.message})"
        )
    lost = step.before.vitals.health - after.vitals.health
    if lost > expected.health_lost:
        return Finding(
            condition="health",
            expected=f"at most {expected.health_lost:g} health lost",
            got=f"{lost:g} lost, {after.vitals.health:g} left",
        )
    unseen = _unseen_change(step, after) or _unmoved(step, after)
    if unseen is not None:
        return unseen
    return next(iter(findings(expected.conditions, after, step.before)), None)


def _unseen_change(step: Step, after: Observation) -> Finding | None:
    before, outcome = step.before, step.outcome
    for item, change in outcome.inventory_delta.items():
        got = after.count(item) - before.count(item)
        if got != change:
            return Finding(
                condition="inventory", expected=f"{change:+d} {item}, as announced", got=f"{got:+d}"
            )
    if outcome.ok and step.action.kind in _CHANGES and _counts(before) == _counts(after):
        return Finding(
            condition="inventory", expected=f"{step.action.kind} to change what is carried", got="no change"
        )
    return None


def _unmoved(step: Step, after: Observation) -> Finding | None:
    action = step.action
    if not isinstance(action, GoTo) or not step.outcome.ok or after.position != step.before.position:
        return None
    try:
        distance = math.dist([part + 0.5 for part in action.target], after.position)
    except OverflowError:
        distance = math.inf
    if distance <= _REACH:
        return None
    return Finding(
        condition="moved",
        expected=f"to get near {action.target}",
        got=f"not moved, {distance:.0f} blocks away",
    )


def _counts(seen: Observation) -> dict[str, int]:
    return {item: stack.count for item, stack in seen.inventory.items() if stack.count}
