"""The digest: on one page, what a reader of a memory should know before anything else."""

from __future__ import annotations

from collections.abc import Sequence

from echo.mfm.consolidation.attempts import Attempt
from echo.mfm.consolidation.digging import DIGS
from echo.mfm.consolidation.evidence import Evidence
from echo.mfm.consolidation.findings import (
    Finding,
    cited,
    episodes_of,
    grid_pattern,
    held_text,
    listed,
    named,
    ranked,
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
    told = f"{len(evidence.episodes):,} episodes with {len(evidence.attempts):,} actions"
    told += f", {len(gained)} kinds of item gained"
    return [Finding(rule="counts", subject="seen", text=f"{told} {cited(ends)}", episodes=tuple(ends))]


def _ladder(attempts: Sequence[Attempt]) -> list[Finding]:
    """Return, for each set of held things that worked where others did not, the blocks it is about."""
    by_block: dict[str, dict[str, list[Attempt]]] = {}
    for attempt in attempts:
        if attempt.kind in DIGS and attempt.block and attempt.held is not None:
            by_block.setdefault(attempt.block, {}).setdefault(attempt.held, []).append(attempt)
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, Attempt]] = {}
    for block, by_held in by_block.items():
        gave = tuple(held for held in sorted(by_held) if any(each.gains for each in by_held[held]))
        nothing = tuple(held for held in sorted(by_held) if held not in gave)
        if gave and nothing:
            first = next(each for each in by_held[gave[0]] if each.gains)
            groups.setdefault((gave, nothing), {})[block] = first
    found = []
    for (gave, nothing), blocks in groups.items():
        shown = [f"{named(block)} [{blocks[block].episode}]" for block in sorted(blocks)]
        tools = listed([held_text(held) for held in gave])
        others = listed([held_text(held) for held in nothing], 4)
        subject = f"digging with {tools}, not with {others}"
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
        f"{named(item)}{_from(attempt)} [{attempt.episode}]" for item, attempt in reversed(first.items())
    ]
    kinds = "1 kind" if len(first) == 1 else f"{len(first)} kinds"
    text = f"{kinds} of item, the newest first: {listed(shown, _NAMES)}"
    return [Finding(rule="made", subject=subject, text=text, episodes=episodes_of(first.values()))]


def _from(attempt: Attempt) -> str:
    grid, put = attempt.action.get("grid"), attempt.action.get("input")
    if isinstance(grid, list):
        shape, materials = grid_pattern(grid)
        letters = [f"{named(item)}" for item in materials]
        return f" ({shape} of {', '.join(letters)})"
    return f" (from {named(put)})" if isinstance(put, str) else ""


def _open(attempts: Sequence[Attempt]) -> list[Finding]:
    """Return one line with blocks that gave nothing with any of at least two things held."""
    tried: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        if attempt.kind in DIGS and attempt.block and attempt.held is not None:
            tried.setdefault(attempt.block, []).append(attempt)
    puzzling = {
        block: tries
        for block, tries in tried.items()
        if not any(each.gains for each in tries) and len({each.held for each in tries}) > 1
    }
    if not puzzling:
        return []
    shown = []
    for block in sorted(puzzling):
        held = {each.held for each in puzzling[block]}
        shown.append(f"{named(block)} ({len(held)} things held) {cited(episodes_of(puzzling[block]), 2)}")
    return [
        Finding(
            rule="open",
            subject="gave nothing whatever was held",
            text=listed(shown, _NAMES),
            episodes=episodes_of(each for tries in puzzling.values() for each in tries),
        )
    ]
