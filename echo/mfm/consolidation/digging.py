"""Lessons on what digging, striking and using things brought, and what differed where it did not work.

An action that ended in ok did what it was for, whether or not there was anything to gain: what worked and
what did not is told first, what was gained second. Without a code, what was gained decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from echo.mfm.consolidation.attempts import Attempt
from echo.mfm.consolidation.contrast import NO_MATTER, ByHeld, Course, difference, reason_part
from echo.mfm.consolidation.findings import Finding, cited, episodes_of, gains_text, held_text, listed, thing

DIGS = ("collect", "mine")
GAVE_NOTHING = (None, "no_drop")
"""Codes with which a thing was dug or struck and left nothing."""
_CONDITIONS = 4
"""Held items told with success, and as many without."""
_LISTED = 40
"""Names in one line that says the same of many."""


def digging_lessons(attempts: Sequence[Attempt]) -> list[Finding]:
    """Return what came of digging or using each kind of block, by what was held.

    Blocks that were dug with one thing only and never gave anything are told in one line, blocks that
    always gave themselves in another, those that always worked without any gain in a third; a block that
    gave something, or worked, with one thing held and not with another has a line of its own, and these
    come first.
    """
    return _lessons("digging", dug(attempts), Course(attempts))


def striking_lessons(attempts: Sequence[Attempt]) -> list[Finding]:
    """Return what came of striking each kind of creature, by what was held."""
    return _lessons("striking", struck(attempts), Course(attempts))


def dug(attempts: Iterable[Attempt]) -> dict[str, ByHeld]:
    """Return the attempts at digging that tell what a block asks for, by block and by what was held.

    Blocks that were always refused, other than by leaving nothing, are told as refusals.
    """
    return _by_name((_dug_name(attempt), attempt) for attempt in attempts)


def struck(attempts: Iterable[Attempt]) -> dict[str, ByHeld]:
    """Return the same of striking creatures."""
    return _by_name((_struck_name(attempt), attempt) for attempt in attempts)


def always_refused(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Return the attempts at digging and striking that `dug` and `struck` leave out as always refused."""
    told = {
        id(each)
        for groups in (dug(attempts), struck(attempts))
        for by_held in groups.values()
        for each in all_of(by_held)
    }
    return [
        each
        for each in attempts
        if (_dug_name(each) or _struck_name(each)) is not None and id(each) not in told
    ]


def digs_away(attempt: Attempt) -> bool:
    """Return whether an attempt took a block away; one that worked without any gain only used it."""
    return attempt.kind in DIGS and not attempt.idle and (attempt.worked or attempt.code in GAVE_NOTHING)


def used(by_held: ByHeld) -> bool:
    """Return whether a thing worked and never gave anything: it is there to be used, not to be taken."""
    tries = all_of(by_held)
    return any(each.idle for each in tries) and not any(each.gains for each in tries)


def all_of(by_held: ByHeld) -> list[Attempt]:
    """Return all attempts at one thing, those with the same held side by side."""
    return [each for tries in by_held.values() for each in tries]


def using(name: str, tries: Sequence[Attempt]) -> str:
    """Return how a thing is used, as the agent would do it again: 'collect lever'."""
    return f"{' or '.join(dict.fromkeys(each.kind for each in tries))} {thing(name)}"


def _dug_name(attempt: Attempt) -> str | None:
    if attempt.kind not in DIGS or attempt.code in NO_MATTER:
        return None
    asked = attempt.action.get("block")
    return attempt.block or (asked if isinstance(asked, str) else None) or attempt.target_block


def _struck_name(attempt: Attempt) -> str | None:
    mob = attempt.action.get("mob")
    done = attempt.kind == "attack" and attempt.code not in NO_MATTER
    return mob if done and isinstance(mob, str) else None


def _by_name(named_attempts: Iterable[tuple[str | None, Attempt]]) -> dict[str, ByHeld]:
    groups: dict[str, ByHeld] = {}
    for name, attempt in named_attempts:
        if name is not None:
            groups.setdefault(name, {}).setdefault(attempt.held, []).append(attempt)
    return {
        name: by_held
        for name, by_held in groups.items()
        if any(each.worked for each in all_of(by_held))
        or all(each.code in GAVE_NOTHING for each in all_of(by_held))
    }


def _lessons(doing: str, groups: Mapping[str, ByHeld], course: Course) -> list[Finding]:
    findings: list[Finding] = []
    same: dict[str | None, list[str]] = {}
    vain: dict[str | None, list[str]] = {}
    always: dict[str | None, list[str]] = {}
    for name, by_held in groups.items():
        held, tries = next(iter(by_held.items()))
        if len(by_held) == 1 and not any(each.worked for each in tries):
            vain.setdefault(held, []).append(name)
        elif len(by_held) == 1 and all(tuple(each.gains) == (name,) for each in tries):
            same.setdefault(held, []).append(name)
        elif len(by_held) == 1 and doing == "digging" and all(each.idle for each in tries):
            always.setdefault(held, []).append(name)
        else:
            findings.append(_contrast(doing, name, by_held, course))
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
    for held, names in always.items():
        findings.append(_together(f"always worked with {held_text(held)}", "", names, held, groups, 45.0))
    return findings


def _contrast(doing: str, name: str, by_held: ByHeld, course: Course) -> Finding:
    """Return one line on one name: first with what it worked, then with what it did not."""
    is_used = used(by_held)
    order = sorted(by_held, key=lambda held: (-_share(by_held[held]), -len(by_held[held]), held or ""))
    good = [held for held in order if any(each.worked for each in by_held[held])]
    bad = [held for held in order if held not in good]
    parts = [_part(held, by_held[held]) for held in good[:_CONDITIONS]]
    if bad:
        parts.append(_in_vain({held: by_held[held] for held in bad[:_CONDITIONS]}, is_used))
    left = max(0, len(good) - _CONDITIONS) + max(0, len(bad) - _CONDITIONS)
    if left:
        parts.append(f"with {left} other {'thing' if left == 1 else 'things'} held it was tried too")
    tries = sorted((each for held in order for each in by_held[held]), key=lambda each: each.episode)
    failed = [each for each in tries if not each.worked]
    refused = [each for each in failed if is_used or each.code not in GAVE_NOTHING]
    differs = _why(tries, course) if refused and set(good) & {each.held for each in refused} else ""
    parts += [part for part in (reason_part(refused), differs) if part]
    return Finding(
        rule=doing,
        subject=_subject(doing, name, tries, is_used),
        text="; ".join(parts),
        episodes=episodes_of(tries),
        weight=_weight(bool(good), bool(bad) or bool(differs), bool(failed)) + min(len(tries), 50) / 100,
    )


def _subject(doing: str, name: str, tries: Sequence[Attempt], is_used: bool) -> str:
    # An episode that does not name the block itself would not bear out that it was dug.
    told = all(each.block or each.action.get("block") for each in tries)
    if doing == "digging" and (is_used or not told):
        return using(name, tries)
    return f"{doing} {thing(name)}"


def _weight(good: bool, bad: bool, failed: bool) -> float:
    if good and bad:
        return 100.0
    if bad:
        return 50.0
    return 60.0 if failed else 30.0


def _why(tries: Sequence[Attempt], course: Course) -> str:
    """Return what differed other than what was held."""
    worked = [each for each in tries if each.worked]
    failed = [each for each in tries if not each.worked]
    return difference(worked, failed) or course.cause(worked, failed)


def _share(tries: Sequence[Attempt]) -> float:
    return sum(each.worked for each in tries) / len(tries)


def _part(held: str | None, tries: Sequence[Attempt]) -> str:
    gained = [each for each in tries if each.worked and each.gains]
    idle = [each for each in tries if each.idle]
    told = []
    if gained:
        count = f"{len(gained)} of {len(tries)}"
        told.append(f"{held_text(held)} gave {gains_text(gained)} ({count}) {cited(episodes_of(gained))}")
    if idle:
        count = f"{len(idle)} of {len(tries)}"
        gainless = " but brought no item" if gained else ""
        told.append(f"worked with {held_text(held)}{gainless} ({count}) {cited(episodes_of(idle))}")
    return "; ".join(told)


def _in_vain(by_held: ByHeld, is_used: bool) -> str:
    told = [
        f"{held_text(held)}{f' ({len(tries)} times)' if len(tries) > 1 else ''} [{tries[0].episode}]"
        for held, tries in by_held.items()
    ]
    plain = not is_used and all(each.code in GAVE_NOTHING for each in all_of(by_held))
    return f"{'nothing' if plain else 'failed'} with {listed(told)}"


def _together(
    subject: str,
    told: str,
    names: Sequence[str],
    held: str | None,
    groups: Mapping[str, ByHeld],
    weight: float,
) -> Finding:
    shown = [
        f"{_shown(name, groups[name])} ({len(groups[name][held])}) [{groups[name][held][0].episode}]"
        for name in sorted(names)
    ]
    tries = [each for name in names for each in groups[name][held]]
    return Finding(
        rule="striking" if subject.startswith("striking") else "digging",
        subject=subject,
        text=f"{told}: {listed(shown, _LISTED)}" if told else listed(shown, _LISTED),
        episodes=tuple(sorted(episodes_of(tries))),
        weight=weight + min(len(names), 50) / 100,
    )


def _shown(name: str, by_held: ByHeld) -> str:
    return using(name, all_of(by_held)) if used(by_held) else thing(name)
