"""Lessons on what digging and striking brought, and what differed where it brought nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from echo.mfm.consolidation.attempts import Attempt
from echo.mfm.consolidation.findings import Finding, cited, episodes_of, gains_text, held_text, listed, named

DIGS = ("collect", "mine")
_CONDITIONS = 4
"""Held items told with success, and as many without."""
_LISTED = 40
"""Names in one line that says the same of many."""

ByHeld = Mapping[str | None, Sequence[Attempt]]


def digging_lessons(attempts: Iterable[Attempt]) -> list[Finding]:
    """Return what came out of each kind of block, by what was held.

    Blocks that were dug with one thing only and never gave anything are told in one line, blocks that
    always gave themselves in another; a block that gave something with one thing held and nothing with
    another has a line of its own, and these come first.
    """
    return _lessons("digging", _by_name(attempts, _dug))


def striking_lessons(attempts: Iterable[Attempt]) -> list[Finding]:
    """Return what came of striking each kind of creature, by what was held."""
    return _lessons("striking", _by_name(attempts, _struck))


def _dug(attempt: Attempt) -> str | None:
    if attempt.kind not in DIGS:
        return None
    asked = attempt.action.get("block")
    return attempt.block or (asked if attempt.code is None and isinstance(asked, str) else None)


def _struck(attempt: Attempt) -> str | None:
    mob = attempt.action.get("mob")
    done = attempt.kind == "attack" and attempt.code in (None, "ok", "no_drop")
    return mob if done and isinstance(mob, str) else None


def _by_name(
    attempts: Iterable[Attempt], name_of: Callable[[Attempt], str | None]
) -> dict[str, dict[str | None, list[Attempt]]]:
    groups: dict[str, dict[str | None, list[Attempt]]] = {}
    for attempt in attempts:
        name = name_of(attempt)
        if name is not None:
            groups.setdefault(name, {}).setdefault(attempt.held, []).append(attempt)
    return groups


def _lessons(doing: str, groups: Mapping[str, ByHeld]) -> list[Finding]:
    findings: list[Finding] = []
    same: dict[str | None, list[str]] = {}
    vain: dict[str | None, list[str]] = {}
    for name, by_held in groups.items():
        gained = [held for held, tries in by_held.items() if any(each.gains for each in tries)]
        if len(by_held) == 1 and not gained:
            vain.setdefault(next(iter(by_held)), []).append(name)
        elif len(by_held) == 1 and _always_itself(name, next(iter(by_held.values()))):
            same.setdefault(next(iter(by_held)), []).append(name)
        else:
            findings.append(_contrast(doing, name, by_held))
    for held, names in same.items():
        findings.append(
            _together(
                f"{doing} with {held_text(held)}", "always gave the block itself", names, held, groups, 20.0
            )
        )
    for held, names in vain.items():
        findings.append(
            _together(f"{doing} in vain with {held_text(held)}", "gave nothing", names, held, groups, 40.0)
        )
    return findings


def _always_itself(name: str, tries: Sequence[Attempt]) -> bool:
    return all(tuple(each.gains) == (name,) for each in tries)


def _contrast(doing: str, name: str, by_held: ByHeld) -> Finding:
    """Return one line on one name: first what gave something, then what gave nothing."""
    order = sorted(by_held, key=lambda held: (-_share(by_held[held]), -len(by_held[held]), held or ""))
    gave = [held for held in order if any(each.gains for each in by_held[held])]
    nothing = [held for held in order if held not in gave]
    parts = [_part(held, by_held[held]) for held in gave[:_CONDITIONS]]
    if nothing:
        parts.append(_nothing({held: by_held[held] for held in nothing[:_CONDITIONS]}))
    left = max(0, len(gave) - _CONDITIONS) + max(0, len(nothing) - _CONDITIONS)
    if left:
        parts.append(f"with {left} other {'thing' if left == 1 else 'things'} held it was tried too")
    tries = sorted((each for held in order for each in by_held[held]), key=lambda each: each.episode)
    if gave and nothing:
        weight = 100.0
    elif nothing:
        weight = 50.0
    else:
        partly = any(not each.gains for each in tries)
        weight = 60.0 if partly else 30.0
    return Finding(
        rule=doing,
        subject=f"{doing} {named(name)}",
        text="; ".join(parts),
        episodes=episodes_of(tries),
        weight=weight + min(len(tries), 50) / 100,
    )


def _share(tries: Sequence[Attempt]) -> float:
    return sum(bool(each.gains) for each in tries) / len(tries)


def _part(held: str | None, tries: Sequence[Attempt]) -> str:
    gained = [each for each in tries if each.gains]
    count = f"{len(gained)} of {len(tries)}"
    return f"{held_text(held)} gave {gains_text(gained)} ({count}) {cited(episodes_of(gained))}"


def _nothing(by_held: ByHeld) -> str:
    told = [
        f"{held_text(held)}{f' ({len(tries)} times)' if len(tries) > 1 else ''} [{tries[0].episode}]"
        for held, tries in by_held.items()
    ]
    return f"nothing with {listed(told)}"


def _together(
    subject: str,
    told: str,
    names: Sequence[str],
    held: str | None,
    groups: Mapping[str, ByHeld],
    weight: float,
) -> Finding:
    shown = [
        f"{named(name)} ({len(groups[name][held])}) [{groups[name][held][0].episode}]"
        for name in sorted(names)
    ]
    tries = [each for name in names for each in groups[name][held]]
    return Finding(
        rule=subject.split(" ")[0],
        subject=subject,
        text=f"{told}: {listed(shown, _LISTED)}",
        episodes=tuple(sorted(episodes_of(tries))),
        weight=weight + min(len(names), 50) / 100,
    )
