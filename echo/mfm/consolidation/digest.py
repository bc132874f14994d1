"""The digest: on one page, what a reader of a memory should know before anything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from echo.mfm.consolidation.attempts import Attempt
from echo.mfm.consolidation.digging import all_of, always_refused, dug, used, using
from echo.mfm.consolidation.doing import doing
from echo.mfm.consolidation.evidence import Evidence
from echo.mfm.consolidation.findings import (
    Finding,
    cited,
    counted,
    episodes_of,
    grid_pattern,
    held_text,
    listed,
    ranked,
    thing,
)
from echo.mfm.consolidation.scripts import Script, script_line

_NAMES = 12
"""Blocks or items named in one line."""
_TOP = 3
"""Hazards and stations taken over."""


def digest_findings(
    evidence: Evidence, *, places: Sequence[Finding], dangers: Sequence[Finding], scripts: Sequence[Script]
) -> list[Finding]:
    """Return the lines of the digest in their order.

    Args:
        evidence: All of it.
        places: Place notes.
        dangers: Hazards.
        scripts: Procedures that were written.
    """
    attempts = evidence.attempts
    return [
        *_counts(evidence),
        *_ladder(attempts),
        *_made(attempts, "craft", "crafted so far"),
        *_made(attempts, "smelt", "smelted so far"),
        *_open(attempts),
        *ranked(dangers)[:_TOP],
        *[found for found in ranked(places) if found.rule == "stations"][:_TOP],
        *(
            Finding(
                rule="scripts",
                subject=f"procedures/{script.name}.py",
                text=script_line(script),
                episodes=script.episodes,
            )
            for script in scripts
        ),
    ]


def _counts(evidence: Evidence) -> list[Finding]:
    if not evidence.episodes:
        return []
    gained = dict.fromkeys(item for attempt in evidence.attempts for item in attempt.gains)
    ends = list(dict.fromkeys((evidence.episodes[0], evidence.episodes[-1])))
    told = f"{counted(len(evidence.episodes), 'episode')} with {counted(len(evidence.attempts), 'action')}"
    told += f", {counted(len(gained), 'kind of item', 'kinds of item')} gained"
    # No two episodes show a count. A line that ends in a colon claims nothing: it leads to what it names.
    told += f"; {'the first and the last' if len(ends) == 2 else 'all of it'}: {cited(ends)}"
    return [Finding(rule="counts", subject="seen", text=told, episodes=tuple(ends))]


def _ladder(attempts: Sequence[Attempt]) -> list[Finding]:
    """Return, for each set of held things that worked where others did not, the blocks it is about."""
    groups: dict[tuple[bool, tuple[str, ...], tuple[str, ...]], dict[str, Attempt]] = {}
    for block, by_held in dug(attempts).items():
        known = {held: tries for held, tries in by_held.items() if held is not None}
        good = tuple(held for held in sorted(known) if any(each.worked for each in known[held]))
        bad = tuple(held for held in sorted(known) if held not in good)
        if good and bad:
            is_used = used(by_held)
            first = next(each for each in known[good[0]] if each.worked)
            name = using(block, all_of(by_held)) if is_used else thing(block)
            groups.setdefault((is_used, good, bad), {})[name] = first
    found = []
    for (is_used, good, bad), blocks in groups.items():
        shown = [f"{name} [{blocks[name].episode}]" for name in sorted(blocks)]
        tools = listed([held_text(held) for held in good])
        others = listed([held_text(held) for held in bad], 4)
        start = "worked" if is_used else "digging"
        subject = f"{start} with {tools} ({others} {'was' if len(bad) == 1 else 'were'} in vain)"
        found.append(
            Finding(
                rule="ladder",
                subject=subject,
                text=listed(shown, _NAMES),
                episodes=episodes_of(blocks.values()),
                weight=float(len(blocks)),
            )
        )
    return ranked(found)[:8]


def _made(attempts: Sequence[Attempt], kind: str, subject: str) -> list[Finding]:
    """Return one line with what came out of grids or ovens, the latest new thing first."""
    first: dict[str, Attempt] = {}
    for attempt in attempts:
        if attempt.kind == kind and attempt.worked:
            for item in attempt.gains:
                first.setdefault(item, attempt)
    if not first:
        return []
    shown = [
        f"{thing(item)}{_from(attempt)} [{attempt.episode}]" for item, attempt in reversed(first.items())
    ]
    kinds = counted(len(first), "kind of item", "kinds of item")
    text = f"{kinds}, the newest first: {listed(shown, _NAMES)}"
    return [Finding(rule="made", subject=subject, text=text, episodes=episodes_of(first.values()))]


def _from(attempt: Attempt) -> str:
    grid, put = attempt.action.get("grid"), attempt.action.get("input")
    if isinstance(grid, list):
        shape, materials = grid_pattern(grid)
        letters = [thing(item) for item in materials]
        return f" ({shape} of {', '.join(letters)})"
    return f" (from {thing(put)})" if isinstance(put, str) else ""


def _open(attempts: Sequence[Attempt]) -> list[Finding]:
    """Return blocks that gave nothing, and things that refused, with any of at least two things held."""
    nothing = {
        thing(block): all_of(by_held)
        for block, by_held in dug(attempts).items()
        if not any(each.worked for each in all_of(by_held))
    }
    refused: dict[str, list[Attempt]] = {}
    for attempt in always_refused(attempts):
        refused.setdefault(doing(attempt), []).append(attempt)
    return [
        *_whatever("gave nothing whatever was held", nothing),
        *_whatever("failed whatever was held", refused),
    ]


def _whatever(subject: str, tried: Mapping[str, Sequence[Attempt]]) -> list[Finding]:
    helds = {name: {each.held for each in tries} for name, tries in tried.items()}
    puzzling = [name for name in sorted(tried) if len(helds[name]) > 1 and None not in helds[name]]
    if not puzzling:
        return []
    shown = [
        f"{name} ({len(helds[name])} things held) {cited(episodes_of(tried[name]), 2)}" for name in puzzling
    ]
    return [
        Finding(
            rule="open",
            subject=subject,
            text=listed(shown, _NAMES),
            episodes=episodes_of(each for name in puzzling for each in tried[name]),
        )
    ]
