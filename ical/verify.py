"""The verifier: does anything that is known speak against an induced task?

Source: Echo §3.3 ({pass, fail}, report = V(plan, assertions, observation): internal logic and feasibility)
and §3.5 (pre-checker of resources and position); differs in that every finding is a value with its kind, so
that what can be mended (gather, put down a station) is told apart from what cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from csd.episode import Action, Attack, Collect, Craft, Drop, Eat, Equip, Place, Smelt
from csd.pattern import canonical_grid
from ical.slots import SMELT_ROWS
from ical.task import InducedTask

FindingKind = Literal[
    "need_unmet", "station_missing", "unknown_name", "unsupported_step", "contradicts_memory", "malformed",
    "false_claim", "copied", "doubted",
]  # fmt: skip
"""What can speak against a task; the last three against one that a model wrote (`ical.asking`)."""

MENDABLE: tuple[FindingKind, ...] = ("need_unmet", "station_missing")
"""Findings that preparation can remove; the others are reasons not to try at all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing that speaks against a task."""

    kind: FindingKind
    reason: str
    """Expected and got, in words."""
    step: int | None = None
    """Index of the action it is about; None where it is about the whole task."""

    @property
    def mendable(self) -> bool:
        """Whether gathering or putting down a station can remove it."""
        return self.kind in MENDABLE


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What the verifier says of a task."""

    findings: tuple[Finding, ...]
    """In the order of the checks: form, names, support, memory, needs, station."""

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against the task."""
        return not self.findings

    @property
    def mendable(self) -> bool:
        """Whether preparation can make it pass; true where it passed already."""
        return all(finding.mendable for finding in self.findings)


def verify(
    task: InducedTask,
    *,
    held: Mapping[str, int],
    known_items: Collection[str],
    offers: Collection[str],
    failed: Callable[[str, tuple[str, ...]], bool],
) -> Verdict:
    """Check a task against the observation and the memory.

    Args:
        task: what induction proposes.
        held: item -> how many are carried.
        known_items: every item and block that was ever seen by name.
        offers: what stations known to the agent offer ('grid3', 'smelt').
        failed: whether an arrangement gave nothing before under the same conditions: canonical grid rows
            (or 'smelt') and the fillers in letter order.

    Returns:
        Passed, or everything found; nothing is raised for a bad task.
    """
    findings = _form(task)
    if not findings:
        findings += _names(task, known_items)
        findings += _support(task)
        findings += _memory(task, failed)
        findings += _needs(task, held)
        findings += _station(task, offers)
    return Verdict(findings=tuple(findings))


def _form(task: InducedTask) -> list[Finding]:
    if not task.actions:
        return [Finding(kind="malformed", reason="expected at least one action; got none")]
    bad = [
        step
        for step, action in enumerate(task.actions)
        if isinstance(action, Craft) and _arrangement(action) is None
    ]
    return [
        Finding(
            kind="malformed",
            reason="expected a grid with rows of one length and a filled cell; got another",
            step=step,
        )
        for step in bad
    ]


def _names(task: InducedTask, known: Collection[str]) -> list[Finding]:
    found = []
    for step, action in enumerate(task.actions):
        for name in _named(action):
            if name not in known:
                reason = f"expected names that were seen before; got {name!r}"
                found.append(Finding(kind="unknown_name", reason=reason, step=step))
    return found


def _support(task: InducedTask) -> list[Finding]:
    supported = {entry.step for entry in task.support if any(share > 0 for share in entry.axes.values())}
    return [
        Finding(
            kind="unsupported_step",
            reason=f"expected an exemplar with at least one axis behind each step; got none for "
            f"{action.kind}",
            step=step,
        )
        for step, action in enumerate(task.actions)
        if step not in supported
    ]


def _memory(task: InducedTask, failed: Callable[[str, tuple[str, ...]], bool]) -> list[Finding]:
    found = []
    for step, action in enumerate(task.actions):
        laid = _arrangement(action)
        if laid is not None and failed(*laid):
            reason = f"expected something not tried in vain; got {laid[0]} of {', '.join(laid[1])}"
            found.append(
                Finding(kind="contradicts_memory", reason=f"{reason}, which gave nothing", step=step)
            )
    return found


def _needs(task: InducedTask, held: Mapping[str, int]) -> list[Finding]:
    return [
        Finding(kind="need_unmet", reason=f"expected {item} x{amount} carried; got x{held.get(item, 0)}")
        for item, amount in task.needs.items()
        if held.get(item, 0) < amount
    ]


def _station(task: InducedTask, offers: Collection[str]) -> list[Finding]:
    if task.station is None or task.station in offers:
        return []
    got = ", ".join(sorted(offers)) or "none"
    return [Finding(kind="station_missing", reason=f"expected a station offering {task.station}; got {got}")]


def _arrangement(action: Action) -> tuple[str, tuple[str, ...]] | None:
    """Return what an action arranges in the one spelling of the failure log, None where it lays nothing."""
    match action:
        case Smelt():
            return SMELT_ROWS, (action.input,)
        case Craft() if len({len(row) for row in action.grid}) == 1 and any(map(any, action.grid)):
            laid = canonical_grid(action.grid)
            return laid.rows, tuple(laid.fillers.values())
        case _:
            return None


def _named(action: Action) -> tuple[str, ...]:
    match action:
        case Craft():
            names = [cell for row in action.grid for cell in row if cell is not None]
        case Smelt():
            names = [action.input, action.fuel]
        case Collect():
            names = [action.block]
        case Attack():
            names = [action.mob]
        case Place() | Eat() | Drop():
            names = [action.item]
        case Equip() if action.item is not None:
            names = [action.item]
        case _:
            names = []
    return tuple(dict.fromkeys(names))
