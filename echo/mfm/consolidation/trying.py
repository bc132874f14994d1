"""Lessons on attempts that were refused, on eating, and on actions that only other tools know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from echo.mfm.consolidation.attempts import Attempt
from echo.mfm.consolidation.contrast import Course, difference, reason_part, told_reason
from echo.mfm.consolidation.digging import all_of, dug, struck
from echo.mfm.consolidation.doing import call_text, object_name, object_text
from echo.mfm.consolidation.findings import (
    Finding,
    cited,
    counted,
    episodes_of,
    gains_text,
    listed,
    named,
    often,
    thing,
)

_REPEATED = 3
"""Failures of one kind that are worth a line although nothing is known that would have helped."""
_NAMES = 20


def refusal_lessons(attempts: Sequence[Attempt]) -> list[Finding]:
    """Return which actions were refused for what reason, and what differed when they worked."""
    course = Course(attempts)
    told_elsewhere = _told_elsewhere(attempts)
    refused: dict[tuple[str, str], dict[str, list[Attempt]]] = {}
    worked: dict[tuple[str, str], list[Attempt]] = {}
    for attempt in attempts:
        if attempt.code == "ok":
            worked.setdefault((attempt.kind, object_name(attempt)), []).append(attempt)
        elif attempt.code is not None and (attempt.episode, attempt.place) not in told_elsewhere:
            names = refused.setdefault((attempt.kind, _reason(attempt)), {})
            names.setdefault(object_name(attempt), []).append(attempt)
    findings = []
    for (kind, reason), names in refused.items():
        never = {name: tries for name, tries in names.items() if (kind, name) not in worked}
        if never:
            findings.append(_never(kind, reason, never))
        for name, tries in names.items():
            told = _sometimes(kind, reason, name, tries, worked.get((kind, name), []), course)
            if name not in never and told is not None:
                findings.append(told)
    return findings


def _told_elsewhere(attempts: Sequence[Attempt]) -> frozenset[tuple[str, int]]:
    """Return episode and place of the attempts that the lessons on digging, striking and making tell of."""
    told = [
        each
        for groups in (dug(attempts), struck(attempts))
        for by_held in groups.values()
        for each in all_of(by_held)
    ]
    told += [each for each in attempts if each.kind in ("craft", "smelt") and each.code == "no_result"]
    return frozenset((each.episode, each.place) for each in told)


def eating_lessons(attempts: Iterable[Attempt]) -> list[Finding]:
    """Return by how much each food filled."""
    eaten: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        if attempt.kind == "eat" and attempt.worked and attempt.food is not None:
            eaten.setdefault(object_name(attempt), []).append(attempt)
    findings = []
    for item, tries in eaten.items():
        rises = [each.food[1] - each.food[0] for each in tries if each.food is not None]
        low, high = min(rises), max(rises)
        span = f"rose by {high:g}" if low == high else f"rose by {low:g} to {high:g}"
        if high <= 0:
            span = "did not rise"
        findings.append(
            Finding(
                rule="eating",
                subject=f"eating {thing(item)}",
                text=f"food {span} ({often(len(tries))}) {cited(episodes_of(tries))}",
                episodes=episodes_of(tries),
                weight=55.0,
            )
        )
    return findings


def other_lessons(attempts: Iterable[Attempt]) -> list[Finding]:
    """Return what calls brought whose episodes do not say how they ended, as other tools write them."""
    calls: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        if attempt.code is None and not _is_ours(attempt):
            calls.setdefault(call_text(attempt), []).append(attempt)
    findings = []
    for call, tries in calls.items():
        gained = [each for each in tries if each.gains]
        if not gained or len(tries) < 2:
            continue
        text = f"gave {gains_text(gained)} ({len(gained)} of {len(tries)}) {cited(episodes_of(gained))}"
        idle = [each for each in tries if not each.gains]
        differs = difference(gained, idle)
        if idle:
            text += f"; nothing was gained in {cited(episodes_of(idle))}"
        if differs:
            text += f"; {differs}"
        findings.append(
            Finding(
                rule="doing",
                subject=f"doing {call}",
                text=text,
                episodes=episodes_of(tries),
                weight=(80.0 if differs else 40.0) + min(len(tries), 50) / 100,
            )
        )
    return findings


def _is_ours(attempt: Attempt) -> bool:
    """Return whether an action is written as this project's are, so that another rule tells of it."""
    known = {"collect": "block", "mine": "target", "craft": "grid", "smelt": "input", "attack": "mob"}
    return known.get(attempt.kind) in attempt.action


def _reason(attempt: Attempt) -> str:
    return f"as {named(attempt.code)}" if attempt.wanted is None else f"for want of {named(attempt.wanted)}"


def _never(kind: str, reason: str, names: Mapping[str, Sequence[Attempt]]) -> Finding:
    every = [each for name in sorted(names) for each in names[name]]
    same = reason_part(every)
    told = [f"{object_text(name) or 'it'}{_times(names[name], not same)}" for name in sorted(names)]
    text = f"each time with {listed(told, _NAMES)}"
    return Finding(
        rule="refused",
        subject=f"{named(kind)} refused {reason}",
        text=f"{text}; {same}" if same else text,
        episodes=tuple(sorted(episodes_of(every))),
        weight=38.0 + min(len(every), 50) / 100,
    )


def _times(tries: Sequence[Attempt], quotes: bool) -> str:
    """Return how often something was refused, with how many things held, and in which words."""
    told = [f"{len(tries)} times"] if len(tries) > 1 else []
    helds = {each.held for each in tries}
    if len(helds) > 1 and None not in helds:
        told.append(f"with {counted(len(helds), 'thing')} held")
    words = told_reason(tries) if quotes else ""
    if words:
        told.append(f"each failed with {words}")
    shown = f" ({', '.join(told)})" if told else ""
    return f"{shown} [{episodes_of(tries)[0]}]"


def _sometimes(
    kind: str,
    reason: str,
    name: str,
    tries: Sequence[Attempt],
    worked: Sequence[Attempt],
    course: Course,
) -> Finding | None:
    differs = difference(worked, tries) or course.cause(worked, tries)
    if not differs and len(tries) < _REPEATED:
        return None
    text = often(len(tries))
    shown = told_reason(tries)
    text = f"{text}, each failed with {shown}" if shown else text
    text += f" {cited(episodes_of(tries))}; it worked {often(len(worked))} {cited(episodes_of(worked))}"
    return Finding(
        rule="refused",
        subject=" ".join(f"{named(kind)} {object_text(name)}".split()) + f" refused {reason}",
        text=f"{text}; {differs}" if differs else text,
        episodes=tuple(sorted(episodes_of([*tries, *worked]))),
        weight=(85.0 if differs else 36.0) + min(len(tries), 50) / 100,
    )
