"""From what a model wrote to a task with needs, assertions and support, and what speaks against it.

Needs and station follow from the actions and are not believed; what a model asserts is checked against them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from csd.episode import Action, Attack, Collect, Craft, Place, Smelt
from csd.pattern import canonical_grid
from ical.asking import prompts
from ical.asking.drafts import AttackStep, Claim, CollectStep, CraftStep, Draft, PlaceStep, SmeltStep, Written
from ical.asking.scene import Scene, Source
from ical.asking.situation import Laid, Situation
from ical.slots import SMELT_ROWS, Offer, station_needed
from ical.task import Assertion, InducedTask, StepSupport, assertions_for
from ical.verify import Finding, FindingKind, Verdict, verify

STRUCK: FindingKind = "false_claim"
"""What is wrong with an assertion alone: it is struck out and told, and what the actions take stands."""

UNKNOWN_CHANCE = 0.5
"""Chance that a task of a model succeeds while none was tried."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Considered:
    """A task that a model wrote, with what the verifier says of it."""

    task: InducedTask
    source: Source | None
    """The experience it is carried over from; None where it names none that was told."""
    verdict: Verdict
    passes: bool | None = None
    """What the model itself says when asked to verify; None where it was not asked or gave no verdict."""
    why: str = ""
    """Its reason."""

    @property
    def laid(self) -> Laid | None:
        """What the deciding action arranges, None where it lays nothing."""
        return laid_by(self.task.actions[-1])

    @property
    def usable(self) -> bool:
        """Whether it can be tried: all that speaks against it is mended by preparation, or struck out."""
        return all(one.mendable or one.kind == STRUCK for one in self.verdict.findings)


def consider(
    draft: Draft, scene: Scene, situation: Situation, *, success: float = UNKNOWN_CHANCE, lays: bool = False
) -> Considered:
    """Return the task of a draft and everything that speaks against it.

    Args:
        draft: as it was written.
        scene: what the model was shown; support is looked for in it. Of an empty scene none is asked.
        situation: what is carried and known.
        success: predicted chance in [0, 1] that something comes out.
        lays: whether the last action must craft or smelt.
    """
    source = scene.source(draft.like)
    actions = tuple(_action(step) for step in draft.actions)
    needs, station = _needs(actions[-1])
    burnt = actions[-1].fuel if isinstance(actions[-1], Smelt) else None
    own = assertions_for(needs, station, burnt=burnt) if _decides(actions[-1]) else ()
    claims, false = _claims(draft, actions[-1], needs, station)
    said = {(one.kind, one.item): None for one in own}
    task = InducedTask(
        goal=_goal(draft, actions[-1]),
        actions=actions,
        needs=needs,
        station=station,
        effects=None if draft.expect in _examples("expect") else draft.expect,
        assertions=(*own, *(one for one in claims if (one.kind, one.item) not in said)),
        support=_support(source, len(actions)),
        success=success,
        source="transfer",
    )
    findings = [*_found(task, scene, situation), *false]
    if lays and not _decides(actions[-1]):
        reason = f"expected a last action that crafts or smelts; got {draft.actions[-1].do}"
        findings.append(Finding(kind="malformed", reason=reason, step=len(actions) - 1))
    return Considered(task=task, source=source, verdict=Verdict(findings=tuple(findings)))


def _goal(draft: Draft, last: Action) -> str:
    """Return the goal as it was written, or what is done where that is blank or the example's."""
    goal = " ".join(draft.goal.split())
    if goal and goal not in _examples("goal"):
        return goal
    laid = laid_by(last)
    return "something new" if laid is None else f"{laid[0]} of {', '.join(laid[1])}"


def _examples(key: str) -> tuple[str, ...]:
    return tuple(str(task[key]) for task in prompts.example()["tasks"])


def _support(source: Source | None, steps: int) -> tuple[StepSupport, ...]:
    if source is None:
        return ()
    return tuple(StepSupport(step=step, exemplar=source.id, axes=source.shares) for step in range(steps))


def laid_by(action: Action) -> Laid | None:
    """Return what an action arranges, in the spelling of the failure log; None where it lays nothing.

    A grid with rows of different lengths, or without a filled cell, is no arrangement either.
    """
    match action:
        case Smelt():
            return SMELT_ROWS, (action.input,)
        case Craft() if len({len(row) for row in action.grid}) == 1 and any(map(any, action.grid)):
            pattern = canonical_grid(action.grid)
            return pattern.rows, tuple(pattern.fillers.values())
        case _:
            return None


def _found(task: InducedTask, scene: Scene, situation: Situation) -> list[Finding]:
    """Return what the verifier finds; support is asked for where there was something to be like."""
    said = verify(
        task,
        held=situation.held,
        known_items=situation.names,
        offers=situation.offers,
        failed=lambda rows, fillers: (rows, fillers) in situation.vain,
    )
    found = [one for one in said.findings if one.kind != "unsupported_step" or scene.sources]
    return [*found, *_done(task, situation)]


def _done(task: InducedTask, situation: Situation) -> Iterator[Finding]:
    laid, last = laid_by(task.actions[-1]), len(task.actions) - 1
    if laid is not None and laid in situation.done:
        reason = f"expected something not done before; got {laid[0]} of {', '.join(laid[1])} again"
        yield Finding(kind="contradicts_memory", reason=reason, step=last)
    if isinstance(task.actions[-1], Place):
        reason = "expected a last action that brings something; got place"
        yield Finding(kind="malformed", reason=reason, step=last)


def _claims(
    draft: Draft, last: Action, needs: Mapping[str, int], station: Offer | None
) -> tuple[tuple[Assertion, ...], tuple[Finding, ...]]:
    """Return the assertions of a draft that its own last action bears out, and a finding for each other."""
    kept, false = [], []
    for claim in map(_assertion, draft.claims):
        needed = needs.get(claim.item or "", 0)
        if not _decides(last):
            reason = None
        elif claim.kind == "uses" and claim.amount != needed:
            reason = f"the actions use {claim.item} x{needed}"
        elif claim.kind == "holds" and claim.amount < needed:
            reason = f"the actions take {claim.item} x{needed}"
        elif claim.kind == "station" and claim.item != station:
            reason = f"the station is {station or 'not needed'}"
        else:
            reason = None
        if reason is None:
            kept.append(claim)
        else:
            told = f"expected an assertion that fits: {reason}; got '{claim.text}'"
            false.append(Finding(kind=STRUCK, reason=told))
    return tuple(kept), tuple(false)


def _needs(action: Action) -> tuple[Mapping[str, int], Offer | None]:
    match action:
        case Craft():
            needs: dict[str, int] = {}
            for name in (cell for row in action.grid for cell in row if cell is not None):
                needs[name] = needs.get(name, 0) + 1
            laid = laid_by(action)
            return needs, station_needed(laid[0]) if laid is not None else None
        case Smelt():
            needs = {action.input: 1}
            needs[action.fuel] = needs.get(action.fuel, 0) + 1
            return needs, station_needed(SMELT_ROWS)
        case _:
            return {}, None


def _decides(action: Action) -> bool:
    return isinstance(action, Craft | Smelt)


def _action(step: Written) -> Action:
    match step:
        case CraftStep():
            return Craft(grid=step.grid)
        case SmeltStep():
            return Smelt(input=step.input, fuel=step.fuel)
        case PlaceStep():
            return Place(item=step.item)
        case CollectStep():
            return Collect(block=step.block)
        case AttackStep():
            return Attack(mob=step.mob)


def _assertion(claim: Claim) -> Assertion:
    item = claim.item or "anything"
    words = {
        "holds": f"{item} x{claim.amount} is carried",
        "station": f"a station within reach offers {item}",
        "uses": f"{item} x{claim.amount} is used up",
        "gains": f"{item if claim.item else 'something'} comes out",
    }
    return Assertion(text=words[claim.kind], kind=claim.kind, item=claim.item, amount=claim.amount)


def doubted(considered: Considered, *, passes: bool, why: str) -> Considered:
    """Return a task with the model's own verdict; where it fails, that is a finding too."""
    verdict = considered.verdict
    if not passes:
        reason = f"expected a task that the model stands by; got doubt: {why or 'no reason given'}"
        verdict = Verdict(findings=(*verdict.findings, Finding(kind="doubted", reason=reason)))
    return replace(considered, verdict=verdict, passes=passes, why=why)
