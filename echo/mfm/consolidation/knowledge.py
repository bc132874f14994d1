"""All that the rules find in the evidence, by the file and section it belongs into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from echo.mfm.consolidation.digest import digest_findings
from echo.mfm.consolidation.digging import digging_lessons, striking_lessons
from echo.mfm.consolidation.doing import names_cell
from echo.mfm.consolidation.evidence import Evidence
from echo.mfm.consolidation.findings import Finding, ranked
from echo.mfm.consolidation.hazards import hazards
from echo.mfm.consolidation.making import crafting_lessons, smelting_lessons
from echo.mfm.consolidation.places import place_notes
from echo.mfm.consolidation.scripts import Script, Scripts, scripts
from echo.mfm.consolidation.sections import Section
from echo.mfm.consolidation.trying import eating_lessons, other_lessons, refusal_lessons
from echo.mfm.layout import DIGEST, NOTES

PLACES = "places.md"
HAZARDS = "hazards.md"

_MOST = 60
"""Lines in one section."""
_GRIDS = (
    "Grids are written row by row with / between the rows; letters stand for items, a dot for an empty cell:"
)


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What is to be written into mine/."""

    sections: tuple[tuple[str, Section], ...]
    """File and section, in the order they are written."""
    scripts: tuple[Script, ...]
    scripts_left_out: int


def gather(evidence: Evidence, *, procedures: bool, least: int) -> Knowledge:
    """Return what the rules find.

    Args:
        evidence: All attempts of a memory.
        procedures: Whether procedures are wanted.
        least: Separate episodes that a procedure needs.
    """
    attempts = evidence.attempts
    away = evidence.away
    lasting = [each for each in attempts if each.episode not in away or not names_cell(each)]
    made = scripts(attempts, least=least) if procedures else Scripts(kept=(), left_out=0)
    places = place_notes(evidence.at_home)
    dangers = hazards(evidence.at_home)
    sections = (
        (
            NOTES,
            _section(
                "digging",
                "## Digging and striking",
                [*digging_lessons(attempts), *striking_lessons(attempts)],
            ),
        ),
        (NOTES, _section("crafting", f"## Crafting\n\n{_GRIDS}", crafting_lessons(attempts))),
        (NOTES, _section("smelting", "## Smelting and burning", smelting_lessons(attempts))),
        (
            NOTES,
            _section(
                "attempts",
                "## Other attempts",
                [*eating_lessons(attempts), *refusal_lessons(lasting), *other_lessons(attempts)],
            ),
        ),
        (PLACES, _section("places", "## Places (x, y, z)", places)),
        (HAZARDS, _section("hazards", "## Hazards", dangers)),
        (
            DIGEST,
            _section(
                "digest",
                "# Digest of the episodes",
                digest_findings(evidence, places=places, dangers=dangers, scripts=made.kept),
                in_order=True,
            ),
        ),
    )
    return Knowledge(sections=sections, scripts=made.kept, scripts_left_out=made.left_out)


def _section(name: str, heading: str, findings: Sequence[Finding], *, in_order: bool = False) -> Section:
    ordered = list(findings) if in_order else ranked(findings)
    return Section(name=name, heading=heading, findings=distinct(ordered), most=_MOST)


def distinct(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings with different subjects: the second of two names that are written alike is numbered."""
    times: dict[str, int] = {}
    kept = []
    for finding in findings:
        times[finding.subject] = times.get(finding.subject, 0) + 1
        number = times[finding.subject]
        kept.append(finding if number == 1 else replace(finding, subject=f"{finding.subject} ({number})"))
    return tuple(kept)
