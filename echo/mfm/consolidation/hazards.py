"""Hazards: what hurt, what ran low, what broke, and what was tried again and again in vain."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from echo.mfm.consolidation.attempts import Attempt
from echo.mfm.consolidation.contrast import told_reason
from echo.mfm.consolidation.doing import doing
from echo.mfm.consolidation.findings import Finding, cited, episodes_of, held_text, named, often, thing
from echo.mfm.consolidation.sites import Site, sites

LEAST = 2
"""Times that something must have hurt before it is a hazard."""
VAIN = 3
"""Times that one and the same attempt must have failed, and never worked, to be told."""
_LOW_FOOD = 6.0
"""At this level a body stops running and soon stops healing."""
_LOW_HEALTH = 6.0
_AT_STATIONS = frozenset({"craft", "smelt"})


def hazards(attempts: Sequence[Attempt]) -> list[Finding]:
    """Return the hazards that attempts show, those that cost health first."""
    return [
        *_harm_by_action(attempts),
        *_harm_by_place(attempts),
        *_stuck_places(attempts),
        *_low(attempts, "food", _LOW_FOOD),
        *_low(attempts, "health", _LOW_HEALTH),
        *_worn_out(attempts),
        *_in_vain(attempts),
    ]


def _harm_by_action(attempts: Sequence[Attempt]) -> Iterable[Finding]:
    groups: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        groups.setdefault(doing(attempt), []).append(attempt)
    for what, tries in groups.items():
        hurt = [each for each in tries if each.hurt]
        if len(hurt) >= LEAST:
            yield Finding(
                rule="harm",
                subject=f"harm from {what}",
                text=f"was hurt {len(hurt)} of {len(tries)} times{_lost(hurt)} {cited(episodes_of(hurt))}",
                episodes=episodes_of(hurt),
                weight=100.0 + min(len(hurt), 50) / 100,
            )


def _harm_by_place(attempts: Sequence[Attempt]) -> Iterable[Finding]:
    for site in sites([each for each in attempts if each.hurt]):
        if len(site.attempts) >= LEAST:
            yield _placed(site, "harm", "was hurt", 90.0)


def _stuck_places(attempts: Sequence[Attempt]) -> Iterable[Finding]:
    for site in sites([each for each in attempts if "stuck" in each.tags]):
        if len(site.attempts) >= LEAST:
            yield _placed(site, "stuck", "got stuck", 80.0)


def _placed(site: Site, rule: str, told: str, weight: float) -> Finding:
    lost = _lost(site.attempts)
    return Finding(
        rule=rule,
        subject=f"{rule} around {site.words}",
        text=f"{told} {often(len(site.attempts))}{lost} {cited(episodes_of(site.attempts))}",
        episodes=episodes_of(site.attempts),
        weight=weight + min(len(site.attempts), 50) / 100,
    )


def _low(attempts: Sequence[Attempt], which: str, level: float) -> Iterable[Finding]:
    """Yield one finding where a vital value is low at the end: since when, and down to what."""
    low: list[tuple[Attempt, float]] = []
    for attempt in attempts:
        span = attempt.food if which == "food" else attempt.health
        if span is None:
            continue
        if span[1] > level:
            low = []
        else:
            low.append((attempt, span[1]))
    if low:
        first, last = low[0][0].episode, low[-1][0].episode
        shown = cited(list(dict.fromkeys((first, last))))
        yield Finding(
            rule="vitals",
            subject=f"low {which}",
            # No file of a single episode shows that; a line that ends in a colon claims nothing.
            text=f"down to {min(value for _, value in low):g} of 20, and low since then: {shown}",
            episodes=episodes_of(each for each, _ in low),
            weight=70.0,
        )


def _worn_out(attempts: Iterable[Attempt]) -> Iterable[Finding]:
    broken: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        for event in attempt.events:
            what, _, item = event.partition(":")
            if what == "broke" and item:
                broken.setdefault(item, []).append(attempt)
    for item, tries in broken.items():
        yield Finding(
            rule="worn",
            subject=f"wearing out {thing(item)}",
            text=f"{thing(item)} broke {often(len(tries))} {cited(episodes_of(tries))}",
            episodes=episodes_of(tries),
            weight=60.0,
        )


def _in_vain(attempts: Iterable[Attempt]) -> Iterable[Finding]:
    """Yield what was tried alike, with the same thing held, and failed each time.

    Where a station may matter, only tries with the same stations in reach are alike.
    """
    groups: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        if attempt.code is not None:
            near = attempt.stations if attempt.kind in _AT_STATIONS else None
            key = json.dumps([dict(attempt.action), attempt.held, near], sort_keys=True)
            groups.setdefault(key, []).append(attempt)
    for tries in groups.values():
        first = tries[0]
        if len(tries) < VAIN or any(each.worked for each in tries):
            continue
        text = f"ended in {named(first.code)} all {len(tries)} times {cited(episodes_of(tries))}"
        shown = told_reason(tries)
        yield Finding(
            rule="vain",
            subject=f"repeating {doing(first)} with {held_text(first.held)}",
            text=f"{text}; each time it failed with {shown} [{first.episode}]" if shown else text,
            episodes=episodes_of(tries),
            weight=50.0 + min(len(tries), 50) / 100,
        )


def _lost(hurt: Sequence[Attempt]) -> str:
    lost = sum(each.health[0] - each.health[1] for each in hurt if each.health is not None)
    return f", {lost:g} health in all" if lost > 0 else ""
